// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of files by the system's own calls: for ranks that are threads, and beside an MPI whose
// files are not known.
#include "dist/file_part.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dist/engine.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::dist {
namespace {

/// Moves all bytes of each row by `move`, pread or pwrite, which may move fewer at a time.
template <class Byte, class Move>
void each_piece(const FilePart& of, Byte* packed, const char* what, const Move& move) {
  const std::size_t row = (of.rank > 0 ? std::size_t(of.count[of.rank - 1]) : 1) * of.element_bytes;
  each_row(of, [&](std::uint64_t place, std::size_t done) {
    Byte* next = packed + done * of.element_bytes;
    std::uint64_t at = of.begin + place * of.element_bytes;
    for (std::size_t left = row; left > 0;) {
      const ssize_t moved = move(next, left, off_t(at));
      if (moved < 0 && errno == EINTR) continue;
      if (moved == 0) errno = EIO;  // another process made it shorter
      if (moved <= 0)
        support::fail_usage("{}: cannot be {}: {}", of.path, what, std::strerror(errno));
      next += moved, at += std::uint64_t(moved), left -= std::size_t(moved);
    }
  });
}
int opened(const FilePart& of, int mode, const char* what) {
  const int fd = open(of.path.c_str(), mode | O_CLOEXEC);
  if (fd < 0) support::fail_usage("{}: cannot be {}: {}", of.path, what, std::strerror(errno));
  return fd;
}

}  // namespace

void Engine::write_part(const FilePart& part, const std::byte* packed) {
  const support::Descriptor file{opened(part, O_WRONLY | O_NOFOLLOW, "written")};
  each_piece(part, packed, "written", [&](const std::byte* from, std::size_t bytes, off_t at) {
    return pwrite(file.fd, from, bytes, at);
  });
  if (fsync(file.fd) != 0)
    support::fail_usage("{}: cannot be {}: {}", part.path, "written", std::strerror(errno));
}
void Engine::read_part(const FilePart& part, std::byte* packed) {
  const support::Descriptor file{opened(part, O_RDONLY, "read")};
  each_piece(part, packed, "read", [&](std::byte* to, std::size_t bytes, off_t at) {
    return pread(file.fd, to, bytes, at);
  });
}

}  // namespace krait::dist
