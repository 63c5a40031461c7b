// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention, forward: softmax(Q K^T / sqrt(d)) V without the matrix of weights in memory, causal or not, for heads of 64 or 128. The
// maximum and the sum of a row's weights are carried along and corrected (Milakov and Gimelshein, 2018; Dao et al., 2022).
#pragma once

#include <krait/krait.h>
#include <krait/tile.h>

#include <cmath>
#include <limits>

namespace attention {

namespace kr = krait;

constexpr int block = 64;     // queries of a block, and keys of a step
constexpr int threads = 128;  // a warpgroup, whose products and exponentials run beside those of other blocks

/// Queries, keys, values and the result by head, position and dimension; a block has 64 queries of a head. Blocks with the most keys begin first.
template <int Size, bool Causal>
auto make() {
  return kr::kernel(
      [](kr::view<const kr::f16, 3> q, kr::view<const kr::f16, 3> k, kr::view<const kr::f16, 3> v, kr::view<kr::f16, 3> out) {
        constexpr float none = -std::numeric_limits<float>::infinity();
        const float scale = float(std::log2(std::exp(1.0)) / std::sqrt(double(Size)));  // weights are powers of 2
        const auto head = kr::block_idx().y, first = (kr::grid_dim().x - 1 - kr::block_idx().x) * block;
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
              kr::tile<float, block, block> scores = kr::mma(queries, kr::transpose(key)) * scale;
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
      },
      {.name = "attention", .fp = kr::fp::fast, .block = threads});
}

/// Of so many heads and queries.
inline kr::dims blocks(std::int64_t heads, std::int64_t queries) { return {(queries + block - 1) / block, heads}; }

}  // namespace attention
