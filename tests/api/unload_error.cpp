// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error outlives the library whose kernel caused it, its file's name included.
#include <dlfcn.h>
#include <krait/krait.h>

#include <cstdio>
#include <string>

namespace kr = krait;

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) return std::printf("%s\n", argc > 1 ? dlerror() : "which library?"), 1;
  kr::error kept(kr::error::kind_type::internal, "none");
  try {
    reinterpret_cast<void (*)()>(dlsym(library, "fail"))();
    return std::printf("no error\n"), 1;
  } catch (const kr::error& e) {
    kept = e;
  }
  const std::string file = kept.file();
  if (dlclose(library) != 0) return std::printf("%s\n", dlerror()), 1;
  if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD))
    return std::printf("the library is still there\n"), 1;
  const kr::error copy = kept;
  if (file.find("unload_library.cpp") == file.npos || file != copy.file())
    return std::printf("%s\n", copy.file()), 1;
  std::printf("%s\n", copy.message());
}
