// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention by tiles (attention.h has the kernel), beside sums in f64.
#include "attention.h"

#include <cstdio>
#include <random>

namespace kr = krait;

template <int Size, bool Causal>
double largest_difference(std::int64_t heads, std::int64_t n) {
  static const auto kernel = attention::make<Size, Causal>();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<kr::f16> h[3];
  kr::array<kr::f16, 3> in[3];
  for (int i = 0; i < 3; ++i) {
    for (std::int64_t e = 0; e < heads * n * Size; ++e) h[i].push_back(kr::f16(normal(random)));
    in[i] = kr::array<kr::f16, 3>(heads, n, Size);
    in[i].copy_from(h[i]);
  }
  kr::array<kr::f16, 3> out(heads, n, Size);
  kernel.launch({attention::blocks(heads, n), attention::threads}, in[0], in[1], in[2], out);

  const std::vector<kr::f16> got = out.to_host();
  double most = 0;
  const auto at = [&](int i, std::int64_t head, std::int64_t p, std::int64_t d) {
    return double(float(h[i][std::size_t((head * n + p) * Size + d)]));
  };
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t p = 0; p < n; p += 7) {  // some rows
      const std::int64_t end = Causal ? p + 1 : n;
      std::vector<double> weight;
      double total = 0;
      for (std::int64_t other = 0; other < end; ++other) {
        double score = 0;
        for (int d = 0; d < Size; ++d) score += at(0, head, p, d) * at(1, head, other, d);
        total += weight.emplace_back(std::exp(score / std::sqrt(double(Size))));
      }
      for (int d = 0; d < Size; ++d) {
        double x = 0;
        for (std::int64_t other = 0; other < end; ++other) x += weight[std::size_t(other)] / total * at(2, head, other, d);
        most = std::max(most, std::abs(x - double(float(got[std::size_t((head * n + p) * Size + d)]))));
      }
    }
  return most;
}

int main() {
  constexpr double allowed = 4e-3;  // weights are rounded to f16
  const double differences[] = {largest_difference<64, false>(2, 130), largest_difference<64, true>(2, 130),
                                largest_difference<128, true>(1, 100)};
  bool good = true;
  for (const double d : differences) std::printf("largest difference from f64: %.2g\n", d), good = good && d < allowed;
  std::printf(good ? "attention: right\n" : "attention: wrong\n");
  return good ? 0 : 1;
}
