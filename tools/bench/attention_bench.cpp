// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_attention [DEVICE] [HEADS] [POSITIONS]
// The kernel of examples/attention.h: least time of five runs of ten launches, in TFLOP/s of the
// two products. tools/bench/attention_peer.py has PyTorch's.
#include "attention.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

namespace kr = krait;

template <int Size, bool Causal>
void measure(kr::device on, std::int64_t heads, std::int64_t n) {
  const auto kernel = attention::make<Size, Causal>();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const auto filled = [&] {
    std::vector<kr::f16> h;
    for (std::int64_t i = 0; i < heads * n * Size; ++i) h.emplace_back(normal(random));
    return kr::to_device(h, on).reshape(heads, n, std::int64_t(Size));
  };
  const auto q = filled(), k = filled(), v = filled();
  kr::array<kr::f16, 3> out({heads, n, Size}, on);
  constexpr int launches = 10, runs = 5;
  double least = 1e300;
  for (int r = 0; r <= runs; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < (r ? launches : 1); ++i)
      kernel.launch({attention::blocks(heads, n), attention::threads}, q, k, v, out);
    on.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (r) least = std::min(least, took.count() / launches);
    else kr::wait_for_compilations();
  }
  const double flops = 4.0 * double(heads) * double(n) * double(n) * Size * (Causal ? 0.5 : 1);
  std::printf("| heads of %d%s, %d x %d | %.3f ms | %.1f TFLOP/s |\n", Size,
              Causal ? ", causal" : "", int(heads), int(n), least * 1e3, flops / least * 1e-12);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const kr::device on = argc > 1 ? kr::device::find(argv[1]) : kr::device();
  const std::int64_t heads = argc > 2 ? std::stoll(argv[2]) : 64,
                     positions = argc > 3 ? std::stoll(argv[3]) : 4096;
  std::printf("%s (%s)\n", on.id(), on.name());
  measure<64, false>(on, heads, positions), measure<64, true>(on, heads, positions);
  measure<128, false>(on, heads, positions), measure<128, true>(on, heads, positions);
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
