// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "krait/error.h"

namespace krait::files {

FileSource::FileSource(std::string path)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {
  if (fd_ < 0) refuse(path_ + ": " + std::strerror(errno));
  struct stat s;
  if (fstat(fd_, &s) == 0 && S_ISREG(s.st_mode)) left_ = std::uint64_t(s.st_size);
}

FileSource::~FileSource() {
  if (fd_ >= 0) ::close(fd_);
}

std::size_t FileSource::read(void* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::read(fd_, static_cast<char*>(to) + done, bytes - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(path_ + ": " + std::strerror(errno));  // a folder
    if (n == 0) break;
    done += std::size_t(n);
  }
  if (left_) *left_ -= std::min<std::uint64_t>(*left_, done);
  return done;
}

void refuse(const std::string& message) { throw error(error::kind_type::usage, message.c_str()); }

std::optional<std::vector<std::byte>> read_bytes(Source& from, std::uint64_t bytes) {
  std::vector<std::byte> all;
  if (const auto left = from.left(); left && *left < bytes) return {};
  constexpr std::size_t step = 64 << 20;
  while (all.size() < bytes) {
    const std::size_t at = all.size(), more = std::min<std::uint64_t>(step, bytes - at);
    all.resize(at + more);
    if (from.read(all.data() + at, more) != more) return {};
  }
  return all;
}

}  // namespace krait::files
