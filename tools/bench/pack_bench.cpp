// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the first call of a kernel costs that comes from a pack, in a process that has run nothing:
// pack_bench. It runs itself for the second process, on the device of KRAIT_DEVICE.
#include <krait/krait.h>
#include <krait/pack.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

int run(const char* file) {
  std::vector<float> host(1000, 1.0f);
  kr::array<float> x({1000}), y({1000});  // the device is there
  x.copy_from(host), y.copy_from(host);
  auto start = Clock::now();
  const kr::kernel_pack pack = kr::load_pack(file);
  const auto saxpy = pack.get<void(float, kr::view<const float>, kr::view<float>)>("saxpy");
  const double load = ms_since(start);
  start = Clock::now();
  saxpy.launch({8, 128}, 2.0f, x, y);
  kr::synchronize();
  const double first = ms_since(start);
  start = Clock::now();
  saxpy.launch({8, 128}, 2.0f, x, y);
  kr::synchronize();
  std::printf("%s: load_pack and get %.3f ms, first call %.3f ms, second call %.3f ms\n",
              kr::device().id(), load, first, ms_since(start));
  return y.to_host()[999] == 5.0f ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return run(argv[1]);
  const std::string file =
      (std::filesystem::temp_directory_path() / ("krait_pack_bench_" + std::to_string(getpid())))
          .string();
  kr::pack(file.c_str(), kr::kernel(
                             [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
                               for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
                             },
                             {.name = "saxpy"}));
  int status = 0;
  for (int round = 0; round < 5; ++round)
    status |= std::system(("KRAIT_CACHE=off " + std::string(argv[0]) + " " + file).c_str());
  std::remove(file.c_str());
  return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
