// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <utility>

namespace krait::support {
namespace {

/// Past the process's limit a write would not fail but end the process, by SIGXFSZ.
bool within_file_limit(std::size_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;
}

std::string temporary_name() {
  std::uint64_t number[2];
  if (getrandom(number, sizeof number, GRND_NONBLOCK) != ssize_t(sizeof number)) {
    // before the system has randomness, time and process do; O_EXCL finds what meets
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    number[0] = std::uint64_t(now.tv_nsec), number[1] = std::uint64_t(getpid());
  }
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(number[0]),
                static_cast<unsigned long long>(number[1]));
  return std::string(NewFile::start) + text;
}

/// Devices and descriptors, many of them links that the system made. Anyone may make files in two
/// folders of /dev.
bool is_of_system(std::string_view path) {
  for (const std::string_view open_to_all : {"/dev/shm/", "/dev/mqueue/"})
    if (path.starts_with(open_to_all)) return false;
  return (path.starts_with("/dev/") || path.starts_with("/proc/self/fd/")) &&
         path.find("/..") == path.npos;
}

std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

NewFile::NewFile(int folder, std::string_view place, mode_t mode) : folder_(folder) {
  temporary_ = std::string(place) + temporary_name();
  fd_ =
      openat(folder_, temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd_ < 0) temporary_.clear();
}

NewFile::NewFile(const std::string& path, mode_t mode) : NewFile(AT_FDCWD, folder_of(path), mode) {}

NewFile::~NewFile() {
  const int why = errno;
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) unlinkat(folder_, temporary_.c_str(), 0);
  errno = why;
}

bool NewFile::may_have(std::size_t bytes) {
  if (within_file_limit(bytes)) return true;
  errno = EFBIG;
  return false;
}

bool NewFile::write(std::string_view bytes) {
  return may_have(written_ += bytes.size()) && write_all(fd_, bytes);
}

// network file systems report here
Descriptor::~Descriptor() {
  if (fd >= 0) close(fd);
}

bool NewFile::close() { return ::close(std::exchange(fd_, -1)) == 0; }

bool NewFile::put(const std::string& name, bool replace) {
  int failed =
      renameat2(folder_, temporary_.c_str(), folder_, name.c_str(), replace ? 0 : RENAME_NOREPLACE);
  if (failed && (errno == EINVAL || errno == ENOSYS))
    failed = renameat(folder_, temporary_.c_str(), folder_, name.c_str());
  if (!failed) temporary_.clear();
  return !failed;
}

int NewFile::take() { return std::exchange(fd_, -1); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    bytes.remove_prefix(std::size_t(n));
  }
  return true;
}

bool write_file(const std::string& path, std::initializer_list<std::string_view> parts,
                mode_t mode) {
  const auto write = [&](const auto& one) { return std::all_of(parts.begin(), parts.end(), one); };
  if (is_of_system(path)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    const bool done = fd >= 0 && write([fd](std::string_view part) { return write_all(fd, part); });
    const int why = errno;
    if (fd >= 0) ::close(fd);
    errno = why;
    return done;
  }
  NewFile file(path, mode);
  return file && write([&](std::string_view part) { return file.write(part); }) && file.close() &&
         file.put(path, true);
}

int create_file(const std::string& path, mode_t mode) {
  if (is_of_system(path)) return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  NewFile file(path, mode);
  return file && file.put(path, true) ? file.take() : -1;
}

int open_to_append(const std::string& path, mode_t mode, Only which) {
  // Without O_NONBLOCK a pipe that somebody put there would make us wait for its reader.
  const int more = which == Only::Mine  ? O_NOFOLLOW | O_NONBLOCK
                   : is_of_system(path) ? 0
                                        : O_NOFOLLOW;
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | more, mode);
  struct stat s;
  if (fd < 0 || which == Only::NoLink) return fd;
  if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() && s.st_nlink == 1)
    return fd;
  ::close(fd);
  errno = EPERM;
  return -1;
}

}  // namespace krait::support
