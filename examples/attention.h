// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention: softmax(Q K^T / sqrt(d)) V and its gradients without the matrix of weights in memory, causal or not, for heads of 64 or
// 128. The maximum and the sum of a row's weights are carried along and corrected (Milakov and Gimelshein, 2018; Dao et al., 2022). For the
// gradients each row keeps the logarithm of its sum, and the weights are computed once more (Dao, 2023).
#pragma once

#include <krait/krait.h>
#include <krait/tile.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace attention {

namespace kr = krait;

constexpr int block = 64;     // queries of a block, and keys of a step
constexpr int threads = 128;  // a warpgroup, whose products and exponentials run beside those of other blocks

/// Scores are products times this.
template <int Size>
float root() {
  return float(1 / std::sqrt(double(Size)));
}
/// Exponents of 2 are products times this.
template <int Size>
float scale() {
  return float(std::numbers::log2e / std::sqrt(double(Size)));
}

/// One block's part of the result, 64 queries of a head; `ends(head, first, most, total)` gets the largest score and the sum of weights of each row.
template <int Size, bool Causal, class Ends>
void forward(kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<kr::f16, 3> out, const Ends& ends) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const auto head = kr::block_idx().y, first = (kr::grid_dim().x - 1 - kr::block_idx().x) * block;  // those with the most keys begin first
  const auto queries = kr::staged(kr::load<block, Size>(q, {head, first, 0}));
  kr::tile<float, block, 1> most(none), total;
  kr::tile<float, block, Size> sum;
  const auto keys = k.extent(1), steps = (Causal ? kr::min(first + block, keys) + block - 1 : keys + block - 1) / block;
  kr::pipelined<2>(
      steps,
      [&](auto step) {
        return std::tuple(kr::load<block, Size>(k, {head, step * block, 0}), kr::load<block, Size>(v, {head, step * block, 0}));
      },
      [&](auto step, const auto& key, const auto& value) {
        kr::tile<float, block, block> scores = kr::mma(queries, kr::transpose(key)) * scale<Size>();
        kr::if_((step + 1) * block > (Causal ? kr::min(first, keys) : keys), [&] {  // some are not to be seen
          const auto column = kr::columns<block>() + kr::cast<int>(step * block);
          const auto last = kr::rows<block>() * int(Causal) + kr::cast<int>(Causal ? first : keys - 1);  // key of a row
          scores = kr::where((column < kr::cast<int>(keys)) & (column <= last), scores, none);
        });
        const auto top = kr::max(most, kr::max<1>(scores));
        const auto weights = kr::exp2(scores - top);
        const auto kept = kr::exp2(most - top);
        total = total * kept + kr::sum<1>(weights);
        sum = kr::mma(weights.template cast<kr::f16>(), value, sum * kept);
        most = top;
      });
  kr::store(out, {head, first, 0}, sum / total);
  ends(head, first, most, total);
}

/// Queries, keys, values and the result by head, position and dimension.
template <int Size, bool Causal>
auto make() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<kr::f16, 3> out) {
        forward<Size, Causal>(q, k, v, out, [](auto...) {});
      },
      {.name = "attention", .fp = kr::fp::fast, .block = threads});
}

/// The same, and for each query (head, position) the base-2 logarithm of the sum of its weights, for the gradients.
template <int Size, bool Causal>
auto make_for_training() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<kr::f16, 3> out,
         kr::view<float, 2> logs) {
        forward<Size, Causal>(q, k, v, out, [&](auto head, auto first, const auto& most, const auto& total) {
          kr::store(logs, {head, first}, kr::transpose(most + kr::log2(total)));
        });
      },
      {.name = "attention_for_training", .fp = kr::fp::fast, .block = threads});
}

/// For each query the scalar product of the result and its gradient: what a weight's gradient loses, as all weights of a row sum to 1.
template <int Size>
auto make_losses() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> out, kr::view<const kr::f16, 3> d_out, kr::view<float, 2> losses) {
        const auto head = kr::block_idx().y, first = kr::block_idx().x * block;
        const kr::tile<kr::f16, block, Size> x = kr::load<block, Size>(out, {head, first, 0}), d = kr::load<block, Size>(d_out, {head, first, 0});
        kr::store(losses, {head, first}, kr::transpose(kr::sum<1>(x.template cast<float>() * d.template cast<float>())));
      },
      {.name = "attention_losses", .fp = kr::fp::fast, .block = threads});
}

/// The gradients by keys and values. A block has 64 keys of a head, and goes over the queries that see them. Rows are keys, so that the weights
/// and their changes are left factors where they lie.
template <int Size, bool Causal>
auto make_key_gradients() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<const kr::f16, 3> d_out,
         kr::view<const float, 2> logs, kr::view<const float, 2> losses, kr::view<kr::f16, 3> d_k, kr::view<kr::f16, 3> d_v) {
        const auto head = kr::block_idx().y, first = kr::block_idx().x * block, begin = Causal ? first : first * 0;
        const auto keys = kr::staged(kr::load<block, Size>(k, {head, first, 0})), values = kr::staged(kr::load<block, Size>(v, {head, first, 0}));
        kr::tile<float, block, Size> by_key, by_value;
        kr::pipelined<2>(
            (q.extent(1) - begin + block - 1) / block,
            [&](auto step) {
              const auto row = begin + step * block;
              return std::tuple(kr::load<block, Size>(q, {head, row, 0}), kr::load<block, Size>(d_out, {head, row, 0}));
            },
            [&](auto step, const auto& query, const auto& d) {
              const auto row = begin + step * block;
              const kr::tile<float, 1, block> log = kr::load<1, block>(logs, {head, row}), loss = kr::load<1, block>(losses, {head, row});
              kr::tile<float, block, block> weights = kr::exp2(kr::mma(keys, kr::transpose(query)) * scale<Size>() - log);
              if (Causal) kr::if_(step == 0, [&] { weights = kr::where(kr::rows<block>() <= kr::columns<block>(), weights, 0.0f); });
              by_value = kr::mma(weights.template cast<kr::f16>(), d, by_value);
              const auto changes = weights * (kr::mma(values, kr::transpose(d)) - loss);
              by_key = kr::mma(changes.template cast<kr::f16>(), query, by_key);
            });
        kr::store(d_k, {head, first, 0}, by_key * root<Size>());
        kr::store(d_v, {head, first, 0}, by_value);
      },
      {.name = "attention_key_gradients", .fp = kr::fp::fast, .block = threads});
}

/// The gradients by queries. A block has 64 of them, and goes over the keys that they see.
template <int Size, bool Causal>
auto make_query_gradients() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<const kr::f16, 3> d_out,
         kr::view<const float, 2> logs, kr::view<const float, 2> losses, kr::view<kr::f16, 3> d_q) {
        const auto head = kr::block_idx().y, first = (kr::grid_dim().x - 1 - kr::block_idx().x) * block, keys = k.extent(1);
        const auto queries = kr::staged(kr::load<block, Size>(q, {head, first, 0})), d = kr::staged(kr::load<block, Size>(d_out, {head, first, 0}));
        const kr::tile<float, 1, block> log_row = kr::load<1, block>(logs, {head, first}), loss_row = kr::load<1, block>(losses, {head, first});
        const auto log = kr::transpose(log_row), loss = kr::transpose(loss_row);
        kr::tile<float, block, Size> by_query;
        kr::pipelined<2>(
            (Causal ? kr::min(first + block, keys) + block - 1 : keys + block - 1) / block,
            [&](auto step) {
              return std::tuple(kr::load<block, Size>(k, {head, step * block, 0}), kr::load<block, Size>(v, {head, step * block, 0}));
            },
            [&](auto step, const auto& key, const auto& value) {
              kr::tile<float, block, block> weights = kr::exp2(kr::mma(queries, kr::transpose(key)) * scale<Size>() - log);
              if (Causal) kr::if_(step * block == first, [&] { weights = kr::where(kr::columns<block>() <= kr::rows<block>(), weights, 0.0f); });
              const auto changes = weights * (kr::mma(d, kr::transpose(value)) - loss);
              by_query = kr::mma(changes.template cast<kr::f16>(), key, by_query);
            });
        kr::store(d_q, {head, first, 0}, by_query * root<Size>());
      },
      {.name = "attention_query_gradients", .fp = kr::fp::fast, .block = threads});
}

/// Of so many heads and queries.
inline kr::dims blocks(std::int64_t heads, std::int64_t queries) { return {(queries + block - 1) / block, heads}; }

}  // namespace attention
