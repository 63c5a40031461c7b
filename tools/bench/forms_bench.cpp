// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bench_forms [DEVICE]
// What each form of products by tensor cores takes for some shapes, as the constants of
// lib/algorithms/tuning.h say of an H100: bf16, the host's clock, in microseconds a call, beside
// what time_of predicts.
#include <krait/algorithm/matmul.h>
#include <krait/krait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "algorithms/matmul/tensor.h"

namespace {

namespace kr = krait;
using namespace kr::host;
using factor_type = kr::bf16;
using matrix = kr::array<factor_type, 3>;

matrix some(std::int64_t rows, std::int64_t columns, kr::device on) {
  std::vector<factor_type> h(std::size_t(rows * columns));
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = factor_type(float((i * 2654435761u >> 7) % 1000) / 500 - 1);
  return kr::to_device(h, on).reshape(1, rows, columns);
}

/// The median of seven rounds of ten calls.
template <class Call>
double microseconds(const Call& call) {
  using clock = std::chrono::steady_clock;
  call(), call(), kr::synchronize();
  std::vector<double> rounds;
  for (int r = 0; r < 7; ++r) {
    const auto start = clock::now();
    for (int i = 0; i < 10; ++i) call();
    kr::synchronize();
    rounds.push_back(std::chrono::duration<double, std::micro>(clock::now() - start).count() / 10);
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[3];
}

struct shape {
  std::int64_t m, n, k;
};
constexpr shape shapes[] = {{4096, 4096, 4096},  {2048, 2048, 2048}, {1024, 1024, 1024},
                            {16384, 4096, 1024}, {8192, 1024, 1024}, {384, 1536, 6144},
                            {512, 2048, 8192},   {768, 768, 3072},   {4096, 4096, 64},
                            {64, 4096, 4096},    {128, 4096, 4096},  {128, 11008, 4096},
                            {8192, 128, 8192},   {16384, 64, 4096},  {256, 256, 16384}};

void measure(const TensorForm& f, kr::device on) {
  std::printf("%d x %d, %d threads, %d places\n", f.rows, f.columns, f.threads, f.slots);
  const TensorDevice device = tensor_device_of(kr::detail::handle_of(on));
  const scalar type = kr::detail::scalar_of<factor_type>;
  for (const shape& s : shapes) {
    const matrix a = some(s.m, s.k, on), b = some(s.k, s.n, on), out({1, s.m, s.n}, on);
    const TensorOperand x{kr::detail::erased(a), false}, y{kr::detail::erased(b), false};
    const ProductSize size{1, s.m, s.n, divided_up(s.k, TensorForm::depth(type))};
    std::printf("  %lld x %lld x %lld:", static_cast<long long>(s.m), static_cast<long long>(s.n),
                static_cast<long long>(s.k));
    std::int64_t last = 0;
    for (const std::int64_t parts : {std::int64_t(1), most_parts(f, size, device)}) {
      if (std::exchange(last, parts) == parts) continue;
      const double us = microseconds(
          [&] { multiply_tensor_form(f, scalar::f32, x, y, kr::detail::erased(out), parts); });
      std::printf(" %lld parts %.1f (%.1f)", static_cast<long long>(parts), us,
                  time_of(f, size, parts, device));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const kr::device on = argc > 1 ? kr::device::find(argv[1]) : kr::device();
  std::printf("%s (%s)\n", on.id(), on.name());
  for (const TensorForm& f : tensor_forms(kr::detail::scalar_of<factor_type>)) measure(f, on);
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 1;
}
