// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_attention [DEVICE] [HEADS] [POSITIONS]
// The kernels of examples/attention.h: least time of five runs of ten launches, in TFLOP/s of the
// two products forward, and of the five that the gradients need. tools/bench/attention_peer.py has
// PyTorch's.
#include "attention.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

namespace kr = krait;

constexpr int launches = 10, runs = 5;

/// Seconds a call: the least of the runs, the first of which compiles.
template <class Call>
double least_time(kr::device on, const Call& call) {
  double least = 1e300;
  for (int r = 0; r <= runs; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < (r ? launches : 1); ++i) call();
    on.synchronize();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (r) least = std::min(least, took.count() / launches);
    else kr::wait_for_compilations();
  }
  return least;
}

template <int Size, bool Causal>
void measure(kr::device on, std::int64_t heads, std::int64_t n) {
  const auto forward = attention::make<Size, Causal>();
  const auto training = attention::make_for_training<Size, Causal>();
  const auto losses = attention::make_losses<Size>();
  const auto of_keys = attention::make_key_gradients<Size, Causal>();
  const auto of_queries = attention::make_query_gradients<Size, Causal>();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const auto filled = [&] {
    std::vector<kr::f16> h;
    for (std::int64_t i = 0; i < heads * n * Size; ++i) h.emplace_back(normal(random));
    return kr::to_device(h, on).reshape(heads, n, std::int64_t(Size));
  };
  const auto q = filled(), k = filled(), v = filled(), d_out = filled();
  kr::array<kr::f16, 3> out({heads, n, Size}, on), d_q({heads, n, Size}, on),
      d_k({heads, n, Size}, on), d_v({heads, n, Size}, on);
  kr::array<float, 2> logs({heads, n}, on), lost({heads, n}, on);
  const kr::launch_config many{attention::blocks(heads, n), attention::threads};
  const double ahead = least_time(on, [&] { forward.launch(many, q, k, v, out); });
  training.launch(many, q, k, v, out, logs);
  const double back = least_time(on, [&] {
    losses.launch(many, out, d_out, lost);
    of_keys.launch(many, q, k, v, d_out, logs, lost, d_k, d_v);
    of_queries.launch(many, q, k, v, d_out, logs, lost, d_q);
  });
  const double product = 2.0 * double(heads) * double(n) * double(n) * Size * (Causal ? 0.5 : 1);
  const auto print = [&](const char* what, double seconds, int products) {
    std::printf("| %s, heads of %d%s, %d x %d | %.3f ms | %.1f TFLOP/s |\n", what, Size,
                Causal ? ", causal" : "", int(heads), int(n), seconds * 1e3,
                products * product / seconds * 1e-12);
    std::fflush(stdout);
  };
  print("forward", ahead, 2), print("gradients", back, 5);
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
