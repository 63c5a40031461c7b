// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuRAND fills an array of ours in our stream, and a kernel estimates pi from its points.
#include <numbers>

#include "neighbour.h"

namespace {

double example() {
  const kr::device gpu = gpus()[0];
  // [curand]
  const library random("cuRAND", {"libcurand.so.10"});
  constexpr int philox = 161;
  constexpr std::int64_t points = 1 << 22;
  const kr::stream work(gpu);
  void* generator = nullptr;
  check(random.function<int(void**, int)>("curandCreateGenerator")(&generator, philox), "curandCreateGenerator");
  check(random.function<int(void*, void*)>("curandSetStream")(generator, work.native()), "curandSetStream");
  check(random.function<int(void*, unsigned long long)>("curandSetPseudoRandomGeneratorSeed")(generator, 2026), "curandSetPseudoRandomGeneratorSeed");

  kr::array<float, 2> numbers({2, points}, gpu);
  kr::array<int> inside({1}, gpu);
  check(random.function<int(void*, void*, std::size_t)>("curandGenerateUniform")(generator, pointer(numbers.address()), 2 * points),
        "curandGenerateUniform");
  auto reset = kr::kernel([](kr::view<int> count) { count[0] = 0; });
  auto count = kr::kernel([](kr::view<const float, 2> xy, kr::view<int> hits) {
    kr::var own = 0;
    for (auto i : kr::grid_stride(xy.extent(1))) own += kr::cast<int>(xy(0, i) * xy(0, i) + xy(1, i) * xy(1, i) <= 1.0f);
    kr::atomic(hits[0]).add(own);
  });
  reset.launch({1, 1, work}, inside);
  count.launch({256, 256, work}, numbers, inside);
  work.synchronize();
  // [/curand]

  const auto values = numbers.to_host();
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < points; ++i) expected += values[i] * values[i] + values[points + i] * values[points + i] <= 1.0F;
  const int found = inside.to_host()[0];
  const double pi = 4.0 * found / points;
  std::printf("pi is about %.5f\n", pi);
  check(random.function<int(void*)>("curandDestroyGenerator")(generator), "curandDestroyGenerator");
  // The host's rounding differs where its compiler fuses the sum: a few points of the circle's edge.
  return std::fabs(double(found - expected)) / double(expected) + (std::fabs(pi - std::numbers::pi) < 0.005 ? 0 : 1);
}

}  // namespace

int main() { return run("cuRAND", 1e-5, example); }
