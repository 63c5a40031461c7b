// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that knows Krait only through a library which it loads and unloads, while Krait's
// threads run on.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  alarm(200);  // one that waits under the loader's lock waits for ever
  for (int n = 0; n < 3; ++n) {
    void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) return std::printf("%s\n", argc > 1 ? dlerror() : "which library?"), 1;
    const auto run = reinterpret_cast<int (*)(int)>(dlsym(library, "run_kernels"));
    if (!run || run(n) != 1 + n) return std::printf("another result\n"), 1;
    if (dlclose(library) != 0) return std::printf("%s\n", dlerror()), 1;
  }
}
