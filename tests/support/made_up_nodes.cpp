// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, it shows a process the device node of an NVIDIA GPU, which the machine may not have.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

extern "C" [[gnu::visibility("default")]] int access(const char* path, int how) noexcept {
  static auto* const next = reinterpret_cast<int (*)(const char*, int)>(dlsym(RTLD_NEXT, "access"));
  return std::strcmp(path, "/dev/nvidiactl") == 0 ? 0 : next(path, how);
}
