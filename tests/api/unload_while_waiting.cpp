// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unloads a library with static arrays, streams and events while another thread waits for its first
// launch of a kernel, which a driver may compile in a thread of its own: the static objects must
// not wait for that one, as the unloading one has the loader's lock.
#include <dlfcn.h>
#include <krait/krait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace kr = krait;

int main(int argc, char** argv) {
  alarm(200);  // one that waits under the loader's lock waits for ever
  try {
    kr::array<float> y(1000);
    const std::int64_t before = kr::device().memory_use().used;
    for (int round = 0; round < 40; ++round) {
      void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
      if (!library) return std::printf("%s\n", argc > 1 ? dlerror() : "which library?"), 1;
      reinterpret_cast<void (*)()>(dlsym(library, "make_statics"))();
      std::atomic<bool> launched{false};
      std::thread waits([&] {
        const auto k = kr::kernel([round](kr::view<float> v) {
          for (auto i : kr::grid_stride(v.size())) v[i] = v[i] * 0.5f + float(round);
        });
        k.launch({4, 32}, y);
        launched = true;
        kr::synchronize();
      });
      while (!launched) std::this_thread::yield();
      // each round unloads at another moment of the wait
      for (int turn = 0; turn < 4000 * round; ++turn) (void)launched.load();
      if (dlclose(library) != 0) return std::printf("%s\n", dlerror()), 1;
      waits.join();
    }
    const std::int64_t after = kr::device().memory_use().used;
    if (after != before)
      return std::printf("%ld bytes before, %ld after\n", long(before), long(after)), 1;
  } catch (const kr::error& e) {
    return std::printf("%s\n", e.message()), 1;
  }
}
