// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts of whole rows in one launch: a row a block in shared memory, or a row a thread of a CPU. The second argument of each kernel is
// the values, read where the payload is words, and the fourth the payload.
#pragma once

#include "host/sort_order.h"

namespace krait::host {

inline constexpr int short_row = 2048, short_threads = 256;
/// Keys that a CPU sorts by counting, and the lanes that count.
inline constexpr int ranked_row = 128, rank_lanes = 32;

/// Rows of up to 2,048 keys by Batcher's bitonic network, on pairs of ordering number and place, so that equal keys keep their order. `padded`:
/// a power of two from the row's length.
template <class Word>
auto make_short_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted, view<unsigned, 2> moved,
             value<int> padded) {
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        auto numbers = shared<wide, short_row>();
        auto places = shared<int, short_row>();
        const value<std::int64_t> row = block_idx().x;
        const value<int> t = cast<int>(thread_idx().x), length = cast<int>(keys.extent(1));
        for (auto i : range(t, padded, short_threads)) {
          places[i] = i;
          numbers[i] = wide(~wide(0));
          if_(i < length, [&] { numbers[i] = cast<wide>(ordered<Word>(kind.order, keys(row, i))); });
        }
        syncthreads();
        var<int> run = 2;
        while_([&] { return run <= padded; },
               [&] {
                 var<int> step = run / 2;
                 while_([&] { return step > 0; },
                        [&] {
                          for (auto pair : range(t, padded / 2, short_threads)) {
                            const value<int> low = (pair / step) * step * 2 + pair % step, high = low + step;
                            const value<wide> a = numbers[low], b = numbers[high];
                            const value<int> first = places[low], second = places[high];
                            const value<bool> above = a > b || (a == b && first > second), rises = (low & run) == 0;
                            if_(above == rises, [&] {
                              numbers[low] = b, numbers[high] = a;
                              places[low] = second, places[high] = first;
                            });
                          }
                          syncthreads();
                          step = step / 2;
                        });
                 run = run * 2;
               });
        for (auto i : range(t, length, short_threads)) {
          const value<int> from = places[i];
          sorted(row, i) = value<Word>(keys(row, from));
          if (kind.payload == Payload::places) moved(row, i) = cast<unsigned>(from);
          if (kind.payload == Payload::words) moved(row, i) = value<unsigned>(values(row, from));
        }
      },
      {.name = "sort_short_rows"});
}

/// Few keys a row, on a CPU: the place of each is the number of keys before it, which vectors count.
template <class Word>
auto make_ranked_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted, view<unsigned, 2> moved) {
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        auto numbers = shared<wide, ranked_row>();
        const value<std::int64_t> row = block_idx().x;
        const value<int> t = cast<int>(thread_idx().x), length = cast<int>(keys.extent(1));
        for (auto i : range(t, length, rank_lanes)) numbers[i] = cast<wide>(ordered<Word>(kind.order, keys(row, i)));
        syncthreads();
        for (auto i : range(t, length, rank_lanes)) {
          const value<wide> own = numbers[i];
          var<int> place = 0;
          for (auto j : range(length)) {
            const value<wide> other = numbers[j];
            place += cast<int>((other < own) | ((other == own) & (j < i)));
          }
          sorted(row, place) = value<Word>(keys(row, i));
          if (kind.payload == Payload::places) moved(row, place) = cast<unsigned>(i);
          if (kind.payload == Payload::words) moved(row, place) = value<unsigned>(values(row, i));
        }
      },
      {.name = "sort_ranked_rows"});
}

/// A row a block of one thread, by digits of 8 bits. `other` and `carried` are as large as the outputs.
template <class Word>
auto make_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted, view<unsigned, 2> moved,
             view<Word, 2> other, view<unsigned, 2> carried) {
        constexpr int passes = sizeof(Word);
        const bool pairs = kind.payload != Payload::none;
        const value<std::int64_t> row = block_idx().x, length = keys.extent(1);
        const auto payload = [&](const value<std::int64_t>& i) -> value<unsigned> {
          if (kind.payload == Payload::places) return cast<unsigned>(i);
          return value<unsigned>(values(row, i));
        };
        auto counts = local<unsigned, passes, 256>();
        for (auto i : range(length)) {
          const value<Word> key = keys(row, i);
          for (int p = 0; p < passes; ++p) counts(p, digit_of<Word>(kind.order, key, 8 * p, 8)) += 1u;
        }
        const auto pass = [&](int p, const auto& from, const auto& to, const auto& payload_at, const auto& payload_to) {
          var<unsigned> sum = 0u;
          for (auto d : range(256)) {
            const value<unsigned> count = counts(p, d);
            counts(p, d) = value<unsigned>(sum);
            sum += count;
          }
          for (auto i : range(length)) {
            const value<Word> key = from(row, i);
            const value<int> d = digit_of<Word>(kind.order, key, 8 * p, 8);
            const value<unsigned> place = counts(p, d);
            counts(p, d) = place + 1u;
            to(row, place) = key;
            if (pairs) payload_to(row, place) = payload_at(i);
          }
        };
        const auto in_carried = [&](const auto& i) { return value<unsigned>(carried(row, i)); };
        const auto in_moved = [&](const auto& i) { return value<unsigned>(moved(row, i)); };
        if constexpr (passes == 1) {
          pass(0, keys, sorted, payload, moved);
        } else {
          pass(0, keys, other, payload, carried);
          for (int p = 1; p < passes; ++p) {
            if (p % 2) pass(p, other, sorted, in_carried, moved);
            else pass(p, sorted, other, in_moved, carried);
          }
        }
      },
      {.name = "sort_rows"});
}

}  // namespace krait::host
