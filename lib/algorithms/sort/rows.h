// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts of whole rows in one launch: a row a block in shared memory, or a row a thread of a CPU.
// The second argument of each kernel is the values, read where the payload is words, and the fourth
// the payload.
#pragma once

#include "algorithms/sort/ranks.h"
#include "algorithms/tuning.h"

namespace krait::host {

/// Rows of up to 2,048 keys by Batcher's bitonic network, on pairs of ordering number and place, so
/// that equal keys keep their order. `padded`: a power of two from the row's length.
template <class Word>
auto make_short_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted,
             view<unsigned, 2> moved, value<int> padded) {
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        auto numbers = shared<wide, short_row>();
        auto places = shared<int, short_row>();
        const value<std::int64_t> row = block_idx().x;
        const value<int> t = cast<int>(thread_idx().x), length = cast<int>(keys.extent(1));
        // The row in shared memory. What pads it is above every key, and stays behind all.
        for (auto i : range(t, padded, short_threads)) {
          places[i] = i;
          numbers[i] = wide(~wide(0));
          if_(i < length,
              [&] { numbers[i] = cast<wide>(ordered<Word>(kind.order, keys(row, i))); });
        }
        syncthreads();
        // Runs of 2, 4, … keys are bitonic: they rise and fall by turns. Within a run keys a step
        // apart are exchanged, for steps of half the run down to 1; each step needs those before.
        var<int> run = 2;
        while_([&] { return run <= padded; },
               [&] {
                 var<int> step = run / 2;
                 while_([&] { return step > 0; },
                        [&] {
                          for (auto pair : range(t, padded / 2, short_threads)) {
                            const value<int> low = (pair / step) * step * 2 + pair % step,
                                             high = low + step;
                            const value<wide> a = numbers[low], b = numbers[high];
                            const value<int> first = places[low], second = places[high];
                            const value<bool> above = a > b || (a == b && first > second),
                                              rises = (low & run) == 0;
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
        // Keys are read once more: the numbers that order them need not give them back.
        for (auto i : range(t, length, short_threads)) {
          const value<int> from = places[i];
          sorted(row, i) = value<Word>(keys(row, from));
          if (kind.payload == Payload::places) moved(row, i) = cast<unsigned>(from);
          if (kind.payload == Payload::words) moved(row, i) = value<unsigned>(values(row, from));
        }
      },
      {.name = "sort_short_rows"});
}

/// A row by a block of 4 or 8 warps of 32, by digits of 8 bits; each thread takes `rounds` keys.
/// Keys, and their places where something travels with them, move through shared memory. key_at(i)
/// is a key, put(i, key, place) takes the sorted ones.
template <class Word, int Items, class KeyAt, class Put>
void sort_by_digits(const SortKind& kind, const value<int>& length, const value<int>& rounds,
                    const KeyAt& key_at, const Put& put) {
  constexpr int digits = byte_digits, items = Items, row_length = digit_threads * Items,
                most_warps = digit_threads / 32;
  static_assert(row_length >= most_warps * digits);  // the lanes' marks lie where the keys will
  // threads that look after two values of the digit each
  constexpr int scanners = digits / 2;
  const bool pairs = kind.payload != Payload::none;
  const SharedWords<Word, row_length> numbers;
  const view<unsigned>& marks = numbers.low();
  auto places = shared<std::uint16_t, row_length>();
  auto counts = shared<unsigned, most_warps, digits>();
  const value<int> t = cast<int>(thread_idx().x), lane = t & 31, own_warp = t >> 5,
                   warps = cast<int>(block_dim().x) >> 5;
  var<Word> own[items];
  var<int> from[items];
  const auto place_of = [&](int r) { return own_warp * (32 * rounds) + r * 32 + lane; };
  const auto each = [&](const auto& what) {
    for (int r = 0; r < items; ++r) if_(r < rounds, [&] { what(r); });
  };
  each([&](int r) {
    from[r] = place_of(r);
    own[r] = last_key<Word>(kind.order);  // behind the end: after all that are there
    if_(from[r] < length, [&] { own[r] = value<Word>(key_at(value<int>(from[r]))); });
  });
  for (auto shift : range(0, 8 * int(sizeof(Word)), 8)) {
    for (int d = 0; d < digits; d += 32)
      counts(own_warp, d + lane) = 0u, marks[own_warp * digits + d + lane] = 0u;
    syncwarp();
    var<unsigned> ranks[items];
    const auto digit_at = [&](int r) {
      return digit_of<Word>(kind.order, value<Word>(own[r]), cast<unsigned>(shift), 8);
    };
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
        for (int w = 0; w < 4; ++w)
          counts(four + w, 2 * t + k) = value<unsigned>(before[k]), before[k] += found[w];
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
    if_(i < length, [&] { put(i, value<Word>(own[r]), at); });
  });
}

template <class Word, int Items>
auto make_digit_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted,
             view<unsigned, 2> moved, value<int> rounds) {
        const value<std::int64_t> row = block_idx().x;
        sort_by_digits<Word, Items>(
            kind, cast<int>(keys.extent(1)), rounds,
            [&](const value<int>& i) { return keys(row, i); },
            [&](const value<int>& i, const value<Word>& key, const value<int>& from) {
              sorted(row, i) = key;
              if (kind.payload == Payload::places) moved(row, i) = cast<unsigned>(from);
              if (kind.payload == Payload::words)
                moved(row, i) = value<unsigned>(values(row, from));
            });
      },
      {.name = "sort_digit_rows"});
}
/// Keys alone of one array, from each offset to before the next.
template <class Word, int Items>
auto make_digit_segments(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<Word> sorted, view<const std::int64_t> offsets) {
        const value<std::int64_t> begin = offsets[block_idx().x];
        const value<int> length = cast<int>(offsets[block_idx().x + 1] - begin),
                         threads = cast<int>(block_dim().x);
        if_(length > 0, [&] {
          sort_by_digits<Word, Items>(
              kind, length, (length + threads - 1) / threads,
              [&](const value<int>& i) { return keys[begin + i]; },
              [&](const value<int>& i, const value<Word>& key, const value<int>&) {
                sorted[begin + i] = key;
              });
        });
      },
      {.name = "sort_digit_segments"});
}

/// Few keys a row, on a CPU: the place of each is the number of keys before it, which vectors
/// count.
template <class Word>
auto make_ranked_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted,
             view<unsigned, 2> moved) {
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        auto numbers = shared<wide, ranked_row>();
        const value<std::int64_t> row = block_idx().x;
        const value<int> t = cast<int>(thread_idx().x), length = cast<int>(keys.extent(1));
        for (auto i : range(t, length, rank_lanes))
          numbers[i] = cast<wide>(ordered<Word>(kind.order, keys(row, i)));
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

/// A row by one thread, by digits of 8 bits. The functions give keys, the places where they go,
/// twice, and the payload and its places likewise; `other_at` and `carried_at` are of memory as
/// large as the outputs.
template <class Word, class KeyAt, class SortedAt, class OtherAt, class PayloadAt, class MovedAt,
          class CarriedAt>
void sort_by_one(const SortKind& kind, const value<std::int64_t>& length, const KeyAt& key_at,
                 const SortedAt& sorted_at, const OtherAt& other_at, const PayloadAt& payload,
                 const MovedAt& moved_at, const CarriedAt& carried_at) {
  constexpr int passes = sizeof(Word);
  auto counts = local<unsigned, passes, byte_digits>();
  for (auto i : range(length)) {
    const value<Word> key = key_at(i);
    for (int p = 0; p < passes; ++p) counts(p, digit_of<Word>(kind.order, key, 8 * p, 8)) += 1u;
  }
  const auto pass = [&](int p, const auto& from, const auto& to, const auto& payload_at,
                        const auto& payload_to) {
    var<unsigned> sum = 0u;
    for (auto d : range(byte_digits)) {
      const value<unsigned> count = counts(p, d);
      counts(p, d) = value<unsigned>(sum);
      sum += count;
    }
    for (auto i : range(length)) {
      const value<Word> key = from(i);
      const value<int> d = digit_of<Word>(kind.order, key, 8 * p, 8);
      const value<unsigned> place = counts(p, d);
      counts(p, d) = place + 1u;
      to(place) = key;
      if (kind.payload != Payload::none) payload_to(place) = value<unsigned>(payload_at(i));
    }
  };
  if constexpr (passes == 1) {
    pass(0, key_at, sorted_at, payload, moved_at);
  } else {
    pass(0, key_at, other_at, payload, carried_at);
    for (int p = 1; p < passes; ++p) {
      if (p % 2) pass(p, other_at, sorted_at, carried_at, moved_at);
      else pass(p, sorted_at, other_at, moved_at, carried_at);
    }
  }
}

/// A row a block of one thread. `other` and `carried` are as large as the outputs.
template <class Word>
auto make_rows(const SortKind& kind) {
  return kernel(
      [kind](view<const Word, 2> keys, view<const unsigned, 2> values, view<Word, 2> sorted,
             view<unsigned, 2> moved, view<Word, 2> other, view<unsigned, 2> carried) {
        const value<std::int64_t> row = block_idx().x;
        const auto of_row = [&](const auto& of) {
          return [&](const auto& i) { return of(row, i); };
        };
        sort_by_one<Word>(
            kind, keys.extent(1), of_row(keys), of_row(sorted), of_row(other),
            [&](const value<std::int64_t>& i) -> value<unsigned> {
              if (kind.payload == Payload::places) return cast<unsigned>(i);
              return value<unsigned>(values(row, i));
            },
            of_row(moved), of_row(carried));
      },
      {.name = "sort_rows"});
}

/// Keys alone of one array, from each offset to before the next, a segment a block of one thread.
/// `other` is as large as the keys.
template <class Word>
auto make_segments(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<Word> sorted, view<const std::int64_t> offsets,
             view<Word> other) {
        const value<std::int64_t> begin = offsets[block_idx().x],
                                  length = offsets[block_idx().x + 1] - begin;
        const auto within = [&](const auto& of) {
          return [&](const auto& i) { return of[begin + cast<std::int64_t>(i)]; };
        };
        if_(length <= inserted_row, [&] {
          for (auto i : range(length)) {
            const value<Word> key = keys[begin + i], number = ordered<Word>(kind.order, key);
            var<std::int64_t> at = value<std::int64_t>(i);
            const auto before = [&] {
              return value<Word>(sorted[begin + max(at - 1, std::int64_t(0))]);
            };
            while_([&] { return at > 0 && ordered<Word>(kind.order, before()) > number; },
                   [&] { sorted[begin + at] = before(), at -= 1; });
            sorted[begin + at] = key;
          }
        }).else_([&] {
          auto none = local<unsigned, 1>();
          const auto nothing = [&](const auto&) { return none[0]; };
          sort_by_one<Word>(kind, length, within(keys), within(sorted), within(other), nothing,
                            nothing, nothing);
        });
      },
      {.name = "sort_segments"});
}

}  // namespace krait::host
