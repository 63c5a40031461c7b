// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that uses algorithms is loaded, used and unloaded again and again: nothing of its
// kernels stays in memory.
#include <dlfcn.h>
#include <malloc.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("which library?"), 1;
  constexpr int rounds = 40, warming = 10;
  std::size_t before = 0;
  for (int n = 0; n < rounds; ++n) {
    if (n == warming) before = mallinfo2().uordblks;
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::puts(dlerror()), 1;
    const auto run = reinterpret_cast<int (*)(int*)>(dlsym(library, "run_algorithms"));
    int at_end = 0;
    const int result = run ? run(&at_end) : 0;
    if (result != 64 + 7 + 8 + 7) return std::printf("another result: %d\n", result), 1;
    if (dlclose(library) != 0) return std::puts(dlerror()), 1;
    if (at_end != result) return std::printf("another result in a destructor: %d\n", at_end), 1;
    if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD))
      return std::puts("the library was not unloaded"), 1;
  }
  const std::size_t after = mallinfo2().uordblks;
  std::printf("%zu KB after %d rounds, %zu KB after %d\n", before / 1024, warming, after / 1024,
              rounds);
  return after > before + (rounds - warming) * 8 * 1024;
}
