// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix sort as a CPU runs it: each block of one thread walks through a chunk of neighbours. For
// each digit of 8 bits the chunks count, one thread adds up, and the chunks move their keys. Keys
// lie in arrays of one dimension.
#pragma once

#include <algorithm>

#include "algorithms/sort/order.h"
#include "algorithms/tuning.h"

namespace krait::host {

/// The elements of this block, of n that the grid's blocks share out.
struct Chunk {
  value<std::int64_t> begin, end;
};
inline Chunk own_chunk(const value<std::int64_t>& n) {
  constexpr int grain = 4;
  const value<std::int64_t> blocks = grid_dim().x,
                            size = (n + (blocks * grain - 1)) / (blocks * grain) * grain;
  const value<std::int64_t> begin = min(block_idx().x * size, n);
  return {begin, min(begin + size, n)};
}

/// counts[d, b]: keys of block b's chunk with the digit d. Four tables, so that neighbours with
/// equal digits do not wait for each other.
template <class Word, class Count>
auto make_chunk_counts(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<Count, 2> counts, value<unsigned> shift) {
        constexpr int tables = 4;
        auto own = local<Count, tables, byte_digits>();
        const auto [begin, end] = own_chunk(keys.size());
        const auto digit = [&](const value<std::int64_t>& i) {
          return digit_of<Word>(kind.order, keys[i], shift, 8);
        };
        for (auto i : range((end - begin) / tables))
          for (int k = 0; k < tables; ++k) own(k, digit(begin + i * tables + k)) += Count(1);
        for (auto i : range(end - (end - begin) % tables, end)) own(0, digit(i)) += Count(1);
        for (auto d : range(byte_digits))
          counts(d, block_idx().x) = own(0, d) + own(1, d) + own(2, d) + own(3, d);
      },
      {.name = "sort_counts"});
}

/// Each count becomes the sum of those before it: where the keys of a digit and a chunk begin. One
/// thread.
template <class Count>
auto make_chunk_starts() {
  return kernel(
      [](view<Count, 2> counts) {
        var<Count> sum = Count(0);
        for (auto d : range(byte_digits))
          for (auto b : range(counts.extent(1))) {
            const value<Count> count = counts(d, b);
            counts(d, b) = value<Count>(sum);
            sum += count;
          }
      },
      {.name = "sort_starts"});
}

/// Keys to their digits' places, in order. The keys of a digit wait until a cache line of the
/// output is complete: 256 places far apart that take a key each would be as many misses.
/// `streams`: lines go past the cache.
template <class Word, class Count>
auto make_chunk_pass(const SortKind& kind, bool streams) {
  return kernel(
      [kind, streams](view<const Word> keys, view<Word> out, view<const unsigned> values,
                      view<unsigned> moved, view<const Count, 2> starts, value<unsigned> shift) {
        constexpr int line = cache_line / std::max<int>(sizeof(Word), 4);
        const bool pairs = kind.payload != Payload::none;
        auto waiting = local<Word, byte_digits, line>();
        auto carried = local<unsigned, byte_digits, line>();
        // places in the output
        auto first = local<Count, byte_digits>(), next = local<Count, byte_digits>();
        for (auto d : range(byte_digits)) {
          const value<Count> start = starts(d, block_idx().x);
          first[d] = start, next[d] = start;
        }
        const auto put_one = [&](const auto& d, const auto& p) {
          out[cast<std::int64_t>(p)] = value<Word>(waiting(d, cast<int>(p % Count(line))));
          if (pairs)
            moved[cast<std::int64_t>(p)] = value<unsigned>(carried(d, cast<int>(p % Count(line))));
        };
        const auto [begin, end] = own_chunk(keys.size());
        for (auto i : range(begin, end)) {
          const value<Word> key = keys[i];
          const value<int> d = digit_of<Word>(kind.order, key, shift, 8);
          const value<Count> place = next[d];
          next[d] = place + Count(1);
          const value<int> in_line = cast<int>(place % Count(line));
          waiting(d, in_line) = key;
          if (kind.payload == Payload::places) carried(d, in_line) = cast<unsigned>(i);
          if (kind.payload == Payload::words) carried(d, in_line) = value<unsigned>(values[i]);
          if_(in_line == line - 1, [&] {
            const value<Count> to = place - Count(line - 1);
            if_(to >= first[d], [&] {
              for (int k = 0; k < line; ++k) {
                const value<std::int64_t> at = cast<std::int64_t>(to) + k;
                if (streams) store_streaming(out[at], value<Word>(waiting(d, k)));
                else out[at] = value<Word>(waiting(d, k));
                if (!pairs) continue;
                if (streams) store_streaming(moved[at], value<unsigned>(carried(d, k)));
                else moved[at] = value<unsigned>(carried(d, k));
              }
            }).else_([&] {
              for (auto p : range(value<Count>(first[d]), place + Count(1))) put_one(d, p);
            });
          });
        }
        for (auto d : range(byte_digits)) {
          const value<Count> place = next[d];
          for (auto p : range(max(place - place % Count(line), value<Count>(first[d])), place))
            put_one(d, p);
        }
      },
      {.name = "sort_pass"});
}

}  // namespace krait::host
