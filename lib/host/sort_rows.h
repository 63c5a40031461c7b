// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts of whole rows in one launch: a row a block in shared memory, or a row a thread of a CPU. The second argument of each kernel is
// the values, read where the payload is words, and the fourth the payload.
#pragma once

#include "host/sort_ranks.h"

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

/// Threads of a block at most, of rows by digits, and keys of a thread at most: a few, or as many as 48 KiB of shared memory hold.
inline constexpr int digit_threads = 256, few_keys = 8;
template <class Word>
inline constexpr int many_keys = sizeof(Word) == 8 ? 14 : 20;

/// A row a block of 4 or 8 warps of 32, by digits of 8 bits; each thread takes `rounds` keys. Keys, and their places where something
/// travels with them, move through shared memory.
template <class Word, int Items>
auto make_digit_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted, view<unsigned, 2> moved,
             value<int> rounds) {
        constexpr int digits = rank_digits, items = Items, row_length = digit_threads * Items, most_warps = digit_threads / 32;
        static_assert(row_length >= most_warps * digits);  // the lanes' marks lie where the keys will
        constexpr int scanners = digits / 2;               // threads that look after two values of the digit each
        const bool pairs = kind.payload != Payload::none;
        const SharedWords<Word, row_length> numbers;
        const view<unsigned>& marks = numbers.low();
        auto places = shared<std::uint16_t, row_length>();
        auto counts = shared<unsigned, most_warps, digits>();
        const value<std::int64_t> row = block_idx().x;
        const value<int> t = cast<int>(thread_idx().x), lane = t & 31, own_warp = t >> 5, warps = cast<int>(block_dim().x) >> 5,
                         length = cast<int>(keys.extent(1));
        var<Word> own[items];
        var<int> from[items];
        const auto place_of = [&](int r) { return own_warp * (32 * rounds) + r * 32 + lane; };
        const auto each = [&](const auto& what) {
          for (int r = 0; r < items; ++r) if_(r < rounds, [&] { what(r); });
        };
        each([&](int r) {
          from[r] = place_of(r);
          own[r] = last_key<Word>(kind.order);  // behind the end: after all that are there
          if_(from[r] < length, [&] { own[r] = value<Word>(keys(row, from[r])); });
        });
        for (auto shift : range(0, 8 * int(sizeof(Word)), 8)) {
          for (int d = 0; d < digits; d += 32) counts(own_warp, d + lane) = 0u, marks[own_warp * digits + d + lane] = 0u;
          syncwarp();
          var<unsigned> ranks[items];
          const auto digit_at = [&](int r) { return digit_of<Word>(kind.order, value<Word>(own[r]), cast<unsigned>(shift), 8); };
          each([&](int r) { ranks[r] = rank_in_warp(marks, counts, own_warp, lane, digit_at(r)); });
          syncthreads();
          const auto by_four = [&](const auto& what) {
            if_(t < scanners, [&] {
              for (auto four : range(0, warps, 4)) what(four);
            });
          };
          var<unsigned> sums[2];
          by_four([&](const auto& four) {
            for (int w = 0; w < 4; ++w)
              for (int k = 0; k < 2; ++k) sums[k] += counts(four + w, 2 * t + k);
          });
          var<unsigned> before[2];
          before[0] = sum_before<most_warps>(sums[0] + sums[1]);
          before[1] = before[0] + sums[0];
          by_four([&](const auto& four) {
            for (int k = 0; k < 2; ++k) {
              var<unsigned> found[4];
              for (int w = 0; w < 4; ++w) found[w] = value<unsigned>(counts(four + w, 2 * t + k));
              for (int w = 0; w < 4; ++w) counts(four + w, 2 * t + k) = value<unsigned>(before[k]), before[k] += found[w];
            }
          });
          syncthreads();
          each([&](int r) {
            const value<int> to = cast<int>(counts(own_warp, digit_at(r)) + ranks[r]);
            numbers.set(to, cast<typename SharedWords<Word, row_length>::Wide>(own[r]));
            if (pairs) places[to] = cast<std::uint16_t>(from[r]);
          });
          syncthreads();
          each([&](int r) {
            own[r] = cast<Word>(numbers.get(place_of(r)));
            if (pairs) from[r] = cast<int>(places[place_of(r)]);
          });
          syncthreads();
        }
        each([&](int r) {
          const value<int> i = place_of(r), at = from[r];
          if_(i < length, [&] {
            sorted(row, i) = value<Word>(own[r]);
            if (kind.payload == Payload::places) moved(row, i) = cast<unsigned>(at);
            if (kind.payload == Payload::words) moved(row, i) = value<unsigned>(values(row, at));
          });
        });
      },
      {.name = "sort_digit_rows"});
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
