// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention, forward: softmax(Q K^T / sqrt(d)) V without the matrix of weights in memory, causal or not, for heads of 64 or 128. The
// maximum and the sum of a row's weights are carried along and corrected (Milakov and Gimelshein, 2018; Dao et al., 2022).
#include <krait/krait.h>
#include <krait/tile.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace kr = krait;

constexpr int block = 64;  // queries of a block, and keys of a step

/// Queries, keys and values by head, position and dimension; a block has 64 queries of a head.
template <int Size, bool Causal>
auto make_attention() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<float, 3> out) {
        constexpr float none = -std::numeric_limits<float>::infinity();
        const auto head = kr::block_idx().y, first = kr::block_idx().x * block;
        const auto queries = kr::staged(kr::load<block, Size>(q, {head, first, 0}));
        kr::tile<float, block, 1> most(none), total;
        kr::tile<float, block, Size> sum;
        const auto keys = k.extent(1), steps = (Causal ? kr::min(first + block, keys) + block - 1 : keys + block - 1) / block;
        kr::pipelined<2>(
            steps,
            [&](auto step) {
              return std::tuple(kr::load<block, Size>(k, {head, step * block, 0}),
                                kr::load<block, Size>(v, {head, step * block, 0}));
            },
            [&](auto step, const auto& key, const auto& value) {
              const auto column = kr::columns<block>() + kr::cast<int>(step * block);
              const auto last = kr::rows<block>() * int(Causal) + kr::cast<int>(Causal ? first : keys - 1);  // key of a row
              const auto scores = kr::mma(queries, kr::transpose(key)) * float(1 / std::sqrt(double(Size)));
              const auto seen = kr::where((column < kr::cast<int>(keys)) & (column <= last), scores, none);
              const auto top = kr::max(most, kr::max<1>(seen));
              const auto weights = kr::exp(seen - top);
              const auto kept = kr::exp(most - top);
              total = total * kept + kr::sum<1>(weights);
              sum = kr::mma(weights.template cast<kr::f16>(), value, sum * kept);
              most = top;
            });
        kr::store(out, {head, first, 0}, sum / total);
      },
      {.name = "attention", .block = 128});
}

template <int Size, bool Causal>
double largest_difference(std::int64_t heads, std::int64_t n) {
  static const auto attention = make_attention<Size, Causal>();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<kr::f16> h[3];
  kr::array<kr::f16, 3> in[3];
  for (int i = 0; i < 3; ++i) {
    for (std::int64_t e = 0; e < heads * n * Size; ++e) h[i].push_back(kr::f16(normal(random)));
    in[i] = kr::array<kr::f16, 3>(heads, n, Size);
    in[i].copy_from(h[i]);
  }
  kr::array<float, 3> out(heads, n, Size);
  attention.launch({kr::dims((n + block - 1) / block, heads), 128}, in[0], in[1], in[2], out);

  const std::vector<float> got = out.to_host();
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
        most = std::max(most, std::abs(x - double(got[std::size_t((head * n + p) * Size + d)])));
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
