// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/library_copy.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/file.h"

namespace krait::support {
namespace {

/// How much of the file the loader maps: what debuggers read lies behind that. 0: it is no library.
off_t loaded_bytes(int fd) {
  ElfW(Ehdr) head;
  if (pread(fd, &head, sizeof head, 0) != ssize_t(sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return 0;
  off_t end = 0;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (pread(fd, &part, sizeof part, off_t(head.e_phoff + i * sizeof part)) !=
        ssize_t(sizeof part))
      return 0;
    if (part.p_type == PT_LOAD) end = std::max(end, off_t(part.p_offset + part.p_filesz));
  }
  return end;
}

}  // namespace

// The loader knows a library by the file's number and by its name. A file in memory is another
// file, and its name has another number of slashes each time, as the number of its descriptor is
// used again.
void* open_copy(const std::string& path, unsigned number, std::string& why) {
  const Descriptor from{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const off_t bytes = from.fd < 0 ? 0 : loaded_bytes(from.fd);
  if (bytes == 0) {
    why = path + " cannot be read";
    return nullptr;
  }
  // Past that limit a write would not fail but end the process, by SIGXFSZ.
  if (struct rlimit limit; getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
                           limit.rlim_cur != RLIM_INFINITY && rlim_t(bytes) > limit.rlim_cur) {
    why = "it has " + std::to_string(bytes) + " bytes, but a file may have at most " +
          std::to_string(limit.rlim_cur) + " (ulimit -f)";
    return nullptr;
  }
  const std::size_t slash = path.rfind('/');
  const Descriptor copy{
      memfd_create(path.c_str() + (slash == path.npos ? 0 : slash + 1), MFD_CLOEXEC)};
  for (off_t done = 0; copy.fd >= 0 && done < bytes;) {
    const ssize_t moved = sendfile(copy.fd, from.fd, &done, std::size_t(bytes - done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) {
      why = std::string("no memory for it: ") + std::strerror(moved < 0 ? errno : EIO);
      return nullptr;
    }
  }
  if (copy.fd < 0) {
    why = std::string("no file in memory: ") + std::strerror(errno);
    return nullptr;
  }
  const std::string name = "/proc/self/fd/" + std::string(number, '/') + std::to_string(copy.fd);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const said = dlerror();
    why = said ? said : name;
  }
  return library;
}

}  // namespace krait::support
