// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix sort for GPUs of any width of warps: for each digit of 4 bits blocks count the keys of
// their chunks, and move them by tiles, after Satish, Harris and Garland, "Designing efficient
// sorting algorithms for manycore GPUs" (2009). Keys lie in arrays of one dimension.
#pragma once

#include "algorithms/sort/order.h"
#include "algorithms/tuning.h"

namespace krait::host {

inline constexpr int block_digits = 1 << block_bits;
inline constexpr int block_tile = block_threads * block_items;

/// counts[d * grid + b]: keys of block b's chunk with the digit d.
template <class Word>
auto make_block_counts(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<std::int64_t> counts, value<unsigned> shift,
             value<std::int64_t> chunk) {
        auto own = shared<unsigned, block_digits>();
        const value<std::int64_t> t = thread_idx().x, begin = block_idx().x * chunk,
                                  end = min(begin + chunk, keys.size());
        if_(t < block_digits, [&] { own[t] = 0u; });
        syncthreads();
        for (auto i : range(begin + t, end, block_threads))
          atomic(own[digit_of<Word>(kind.order, keys[i], shift, block_bits)]).add(1u);
        syncthreads();
        if_(t < block_digits,
            [&] { counts[t * grid_dim().x + block_idx().x] = cast<std::int64_t>(own[t]); });
      },
      {.name = "sort_block_counts"});
}

/// Moves the keys, whose digits and chunks begin at starts[d * grid + b].
template <class Word>
auto make_block_pass(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<Word> out, view<const unsigned> values,
             view<unsigned> moved, view<const std::int64_t> starts, value<unsigned> shift,
             value<std::int64_t> chunk) {
        // where the tile's keys of a digit go
        auto next = shared<std::int64_t, block_digits>();
        // by digit, then by thread: of the tile's keys in sorted order
        auto ranks = shared<int, block_digits * block_threads>();
        auto sums = shared<int, block_threads>();
        const value<std::int64_t> begin = block_idx().x * chunk,
                                  end = min(begin + chunk, keys.size());
        const value<int> t = cast<int>(thread_idx().x);
        if_(t < block_digits,
            [&] { next[t] = value<std::int64_t>(starts[t * grid_dim().x + block_idx().x]); });
        for (auto tile : range(begin, end, block_tile)) {
          const value<std::int64_t> first = tile + t * block_items;
          for (int d = 0; d < block_digits; ++d) ranks[d * block_threads + t] = 0;
          var<Word> key[block_items];
          var<int> digit[block_items];
          for (int k = 0; k < block_items; ++k) {
            if_(first + k < end, [&] {
              key[k] = value<Word>(keys[first + k]);
              digit[k] = digit_of<Word>(kind.order, value<Word>(key[k]), shift, block_bits);
              ranks[digit[k] * block_threads + t] += 1;
            });
          }
          syncthreads();
          // Each thread adds up neighbours, and the threads what they found.
          var<int> own = 0;
          for (int k = 0; k < block_digits; ++k) own += ranks[t * block_digits + k];
          sums[t] = value<int>(own);
          syncthreads();
          for (int d = 1; d < block_threads; d *= 2) {
            var<int> sum = value<int>(sums[t]);
            if_(t >= d, [&] { sum += sums[t - d]; });
            syncthreads();
            sums[t] = value<int>(sum);
            syncthreads();
          }
          var<int> before = sums[t] - own;
          for (int k = 0; k < block_digits; ++k) {
            const value<int> count = ranks[t * block_digits + k];
            ranks[t * block_digits + k] = value<int>(before);
            before += count;
          }
          syncthreads();
          var<int> digit_start = 0, digit_end = 0;
          if_(t < block_digits, [&] {
            digit_start = value<int>(ranks[t * block_threads]);
            digit_end = value<int>(sums[block_threads - 1]);
            if_(t < block_digits - 1,
                [&] { digit_end = value<int>(ranks[(t + 1) * block_threads]); });
          });
          syncthreads();
          if_(t < block_digits, [&] { next[t] -= cast<std::int64_t>(digit_start); });
          syncthreads();
          for (int k = 0; k < block_items; ++k) {
            if_(first + k < end, [&] {
              const value<int> rank = ranks[digit[k] * block_threads + t];
              ranks[digit[k] * block_threads + t] = rank + 1;
              const value<std::int64_t> place = next[digit[k]] + rank;
              out[place] = value<Word>(key[k]);
              if (kind.payload == Payload::places) moved[place] = cast<unsigned>(first + k);
              if (kind.payload == Payload::words) moved[place] = value<unsigned>(values[first + k]);
            });
          }
          syncthreads();
          if_(t < block_digits, [&] { next[t] += cast<std::int64_t>(digit_end); });
        }
      },
      {.name = "sort_block_pass"});
}

}  // namespace krait::host
