// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention and its gradients by tiles (attention.h has the kernels), beside sums in f64.
#include "attention.h"

#include <cmath>
#include <cstdio>
#include <random>

namespace kr = krait;

using numbers = std::vector<double>;

/// One head in f64: queries, keys, values and the result's gradient give the result and three gradients.
struct exact {
  numbers out, d_q, d_k, d_v;
  exact(const numbers& q, const numbers& k, const numbers& v, const numbers& d_out, int n, int size, bool causal)
      : out(q.size()), d_q(q.size()), d_k(q.size()), d_v(q.size()) {
    const auto dot = [&](const numbers& x, int i, const numbers& y, int j) {
      double sum = 0;
      for (int e = 0; e < size; ++e) sum += x[std::size_t(i * size + e)] * y[std::size_t(j * size + e)];
      return sum;
    };
    const auto add = [&](numbers& to, int i, double by, const numbers& x, int j) {
      for (int e = 0; e < size; ++e) to[std::size_t(i * size + e)] += by * x[std::size_t(j * size + e)];
    };
    const double root = 1 / std::sqrt(double(size));
    for (int i = 0; i < n; ++i) {
      const int end = causal ? i + 1 : n;
      numbers weights;
      double total = 0;
      for (int j = 0; j < end; ++j) total += weights.emplace_back(std::exp(dot(q, i, k, j) * root));
      for (int j = 0; j < end; ++j) add(out, i, weights[std::size_t(j)] /= total, v, j);
      const double loss = dot(out, i, d_out, i);
      for (int j = 0; j < end; ++j) {
        const double weight = weights[std::size_t(j)], change = weight * (dot(d_out, i, v, j) - loss) * root;
        add(d_v, j, weight, d_out, i), add(d_q, i, change, k, j), add(d_k, j, change, q, i);
      }
    }
  }
};

template <int Size, bool Causal>
double largest_difference(std::int64_t heads, std::int64_t n) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<kr::f16> h[4];
  kr::array<kr::f16, 3> in[4];
  for (int i = 0; i < 4; ++i) {
    for (std::int64_t e = 0; e < heads * n * Size; ++e) h[i].push_back(kr::f16(normal(random)));
    in[i] = kr::array<kr::f16, 3>(heads, n, Size);
    in[i].copy_from(h[i]);
  }
  const auto& [q, k, v, d_out] = in;
  kr::array<kr::f16, 3> out(heads, n, Size), trained(heads, n, Size), d_q(heads, n, Size), d_k(heads, n, Size), d_v(heads, n, Size);
  kr::array<float, 2> logs(heads, n), losses(heads, n);
  const kr::launch_config many{attention::blocks(heads, n), attention::threads};
  attention::make<Size, Causal>().launch(many, q, k, v, out);
  attention::make_for_training<Size, Causal>().launch(many, q, k, v, trained, logs);
  attention::make_losses<Size>().launch(many, trained, d_out, losses);
  attention::make_key_gradients<Size, Causal>().launch(many, q, k, v, d_out, logs, losses, d_k, d_v);
  attention::make_query_gradients<Size, Causal>().launch(many, q, k, v, d_out, logs, losses, d_q);

  double most = 0;
  const auto compare = [&](const auto& array, std::int64_t head, const numbers& right) {
    const auto got = array.to_host();
    for (std::size_t e = 0; e < right.size(); ++e) most = std::max(most, std::abs(double(float(got[std::size_t(head) * right.size() + e])) - right[e]));
  };
  for (std::int64_t head = 0; head < heads; ++head) {
    numbers of[4];
    for (int i = 0; i < 4; ++i)
      for (std::int64_t e = 0; e < n * Size; ++e) of[i].push_back(double(float(h[i][std::size_t(head * n * Size + e)])));
    const exact right(of[0], of[1], of[2], of[3], int(n), Size, Causal);
    compare(out, head, right.out), compare(trained, head, right.out);
    compare(d_q, head, right.d_q), compare(d_k, head, right.d_k), compare(d_v, head, right.d_v);
  }
  return most;
}

int main() {
  constexpr double allowed = 8e-3;  // weights and their gradients are rounded to f16
  const double differences[] = {largest_difference<64, false>(2, 130), largest_difference<64, true>(2, 130),
                                largest_difference<128, true>(1, 100)};
  bool good = true;
  for (const double d : differences) std::printf("largest difference from f64: %.2g\n", d), good = good && d < allowed;
  std::printf(good ? "attention: right\n" : "attention: wrong\n");
  return good ? 0 : 1;
}
