// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a program: after main(), a line per CUDA kernel with what it takes, for
// registers.py. Names repeat, hashes do not.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <krait/krait.h>

namespace {
using Main = int (*)(int, char**, char**);
Main program_main;

int main_and_print(int argc, char** argv, char** environment) {
  const int status = program_main(argc, argv, environment);
  const char* const name = std::getenv("KRAIT_TEST_REGISTERS");
  std::FILE* const out = name ? std::fopen(name, "a") : nullptr;
  if (!out) return status;
  for (const krait::kernel_stats& k : krait::stats())
    if (!std::strncmp(k.device, "cuda", 4))
      std::fprintf(out, "%s|%s|%d|%lld|%lld|%lld\n", k.hash, k.name, int(k.from_disk),
                   static_cast<long long>(k.registers), static_cast<long long>(k.local_bytes),
                   static_cast<long long>(k.shared_bytes));
  std::fclose(out);
  return status;
}
}  // namespace

extern "C" __attribute__((visibility("default"))) int __libc_start_main(Main main, int argc,
                                                                        char** argv, Main init,
                                                                        void (*fini)(),
                                                                        void (*loader_fini)(),
                                                                        void* stack_end) {
  program_main = main;
  const auto next =
      reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(main_and_print, argc, argv, init, fini, loader_fini, stack_end);
}
