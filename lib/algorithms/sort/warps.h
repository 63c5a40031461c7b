// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix sort that reads and writes each key once for a digit of 8 bits: Adinets and Merrill,
// "Onesweep: a faster least significant digit radix sort for GPUs" (2022). For warps of 32, and
// blocks that may wait for those with lower tickets. Fewer than 2^30 keys, in arrays of one
// dimension.
#pragma once

#include "algorithms/sort/ranks.h"
#include "algorithms/tuning.h"

namespace krait::host {

inline constexpr int sweep_warps = sweep_block / 32, sweep_digits = byte_digits;

/// How often each digit has each value: counts[pass * 256 + value], 0 before; blocks of 256.
template <class Word>
auto make_sweep_counts(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<unsigned> counts) {
        constexpr int passes = sizeof(Word);
        auto own = shared<unsigned, passes * sweep_digits>();
        const value<std::int64_t> t = thread_idx().x;
        for (int p = 0; p < passes; ++p) own[t + p * sweep_digits] = 0u;
        syncthreads();
        const auto count = [&](const value<Word>& key) {
          for (int p = 0; p < passes; ++p)
            atomic(own[digit_of<Word>(kind.order, key, unsigned(8 * p), 8) + p * sweep_digits])
                .add(1u);
        };
        for (auto i : grid_stride(keys.size() / 4)) {
          const value<Word> k[] = {keys[i * 4], keys[i * 4 + 1], keys[i * 4 + 2], keys[i * 4 + 3]};
          for (const value<Word>& key : k) count(key);
        }
        const value<std::int64_t> rest = keys.size() / 4 * 4 + grid();
        if_(rest < keys.size(), [&] { count(keys[rest]); });
        syncthreads();
        for (int p = 0; p < passes; ++p)
          atomic(counts[t + p * sweep_digits]).add(own[t + p * sweep_digits]);
      },
      {.name = "sort_counts"});
}

/// Where each value of a digit begins in the output; a block of 256 a pass.
inline auto make_sweep_starts() {
  return kernel(
      [](view<const unsigned> counts, view<unsigned> starts) {
        starts[grid()] = sum_before<sweep_warps>(counts[grid()]);
      },
      {.name = "sort_starts"});
}

template <class Word, bool Pairs>
inline constexpr int sweep_tile = sweep_block * sweep_items<Word, Pairs>;

/// One pass. Blocks take tiles in the order of their tickets, tickets[pass]. A word of `states`,
/// for a tile and a value of the digit, says in its upper two bits what the others are: 0 nothing
/// yet, 1 the tile's own count, 2 the count up to the tile's end.
template <class Word, bool Pairs>
auto make_sweep(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> in, view<Word> out, view<const unsigned> values, view<unsigned> moved,
             view<const unsigned> starts, view<unsigned> states, view<unsigned> tickets,
             value<int> pass) {
        constexpr int items = sweep_items<Word, Pairs>, tile = sweep_tile<Word, Pairs>,
                      digits = sweep_digits, warps = sweep_warps;
        static_assert(tile >= warps * digits);  // the lanes' marks lie where the sorted tile will
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        constexpr unsigned own_count = 1u << 30, whole_count = 2u << 30, count_bits = own_count - 1;
        auto ticket = shared<unsigned, 1>();
        auto counts = shared<unsigned, warps, digits>();
        auto to_output = shared<unsigned, digits>();
        const SharedWords<Word, tile> sorted;
        const view<unsigned>& marks = sorted.low();
        const value<int> t = cast<int>(thread_idx().x), lane = t & 31, own_warp = t >> 5;
        if_(t == 0, [&] { ticket[0] = atomic(tickets[pass]).add(1u); });
        for (int w = 0; w < warps; ++w) counts(w, t) = 0u, marks[w * digits + t] = 0u;
        syncthreads();
        const value<int> number = cast<int>(ticket[0]);
        const value<std::int64_t> begin = cast<std::int64_t>(number) * tile;
        // keys; only the last tile has fewer
        const value<int> there = cast<int>(min(in.size() - begin, std::int64_t(tile)));
        const value<bool> full = there == tile;
        const value<unsigned> shift = cast<unsigned>(pass * 8);

        // What is behind the end has the last digit, after all that are there.
        var<Word> keys[items];
        // and in the upper half the digit, so that it takes no register
        var<unsigned> ranks[items];
        const auto digit_at = [&](int r) { return cast<int>(ranks[r] >> 16); };
        const auto place_of = [&](int r) { return own_warp * (32 * items) + r * 32 + lane; };
        for (int r = 0; r < items; ++r) keys[r] = last_key<Word>(kind.order);
        if_(full, [&] {
          for (int r = 0; r < items; ++r) keys[r] = value<Word>(in[begin + place_of(r)]);
        }).else_([&] {
          for (int r = 0; r < items; ++r)
            if_(place_of(r) < there, [&] { keys[r] = value<Word>(in[begin + place_of(r)]); });
        });
        for (int r = 0; r < items; ++r) {
          const value<int> digit = digit_of<Word>(kind.order, value<Word>(keys[r]), shift, 8);
          ranks[r] = rank_in_warp(marks, counts, own_warp, lane, digit) | cast<unsigned>(digit)
                                                                              << 16;
        }
        syncthreads();

        // From here on a thread looks after the digit's value t.
        var<unsigned> own = 0u;
        for (int w = 0; w < warps; ++w) own += counts(w, t);
        const auto state_of = [&](const auto& which) {
          return (cast<std::int64_t>(pass) * grid_dim().x + which) * digits + t;
        };
        atomic(states[state_of(number)])
            .exchange(own | select(number == 0, whole_count, own_count));
        const value<unsigned> in_tile = sum_before<sweep_warps>(value<unsigned>(own));
        var<unsigned> running = in_tile;
        for (int w = 0; w < warps; ++w) {
          const value<unsigned> count = counts(w, t);
          counts(w, t) = value<unsigned>(running);
          running += count;
        }
        syncthreads();
        // Through shared memory, so that neighbours write neighbours.
        for (int r = 0; r < items; ++r) {
          ranks[r] = (ranks[r] & 0xffffu) + counts(own_warp, digit_at(r));
          sorted.set(cast<int>(ranks[r]), cast<wide>(keys[r]));
        }
        // What travels along is under way while the block waits for the tiles before.
        var<unsigned> carried[Pairs ? items : 1];
        if constexpr (Pairs) {
          for (int r = 0; r < items; ++r)
            carried[r] = kind.payload == Payload::places ? cast<unsigned>(begin + place_of(r)) : 0u;
          if (kind.payload == Payload::words)
            if_(full, [&] {
              for (int r = 0; r < items; ++r)
                carried[r] = value<unsigned>(values[begin + place_of(r)]);
            }).else_([&] {
              for (int r = 0; r < items; ++r)
                if_(place_of(r) < there,
                    [&] { carried[r] = value<unsigned>(values[begin + place_of(r)]); });
            });
        }

        // The counts of the tiles before, four at a time: they are far away, and mostly there.
        var<unsigned> before = 0u;
        var<int> at = number - 1;
        while_([&] { return at >= 0; },
               [&] {
                 const value<int> last = at;
                 const auto fetch = [&](int k) -> value<unsigned> {
                   return atomic(states[state_of(max(last - k, 0))]).load();
                 };
                 const value<unsigned> found[] = {fetch(0), fetch(1), fetch(2), fetch(3)};
                 var<bool> go_on = true;
                 for (const value<unsigned>& state : found) {
                   const value<bool> use = go_on && at >= 0 && state >= own_count;
                   before += select(use, state & count_bits, 0u);
                   at = select(use, select(state >= whole_count, -1, at - 1), value<int>(at));
                   go_on = use;
                 }
               });
        if_(number > 0,
            [&] { atomic(states[state_of(number)]).exchange(before + own | whole_count); });
        to_output[t] = starts[pass * digits + t] + before - in_tile;
        syncthreads();
        var<unsigned> target[Pairs ? items : 1];
        for (int r = 0; r < items; ++r) {
          const value<int> place = r * sweep_block + t;
          const value<Word> key = cast<Word>(sorted.get(place));
          const value<unsigned> to =
              to_output[digit_of<Word>(kind.order, key, shift, 8)] + cast<unsigned>(place);
          if (Pairs) target[r] = to;
          if_(full || place < there, [&] { out[cast<std::int64_t>(to)] = key; });
        }
        if constexpr (Pairs) {
          syncthreads();
          for (int r = 0; r < items; ++r) marks[cast<int>(ranks[r])] = value<unsigned>(carried[r]);
          syncthreads();
          for (int r = 0; r < items; ++r) {
            const value<int> place = r * sweep_block + t;
            if_(full || place < there,
                [&] { moved[cast<std::int64_t>(target[r])] = value<unsigned>(marks[place]); });
          }
        }
      },
      {.name = "sort_pass", .block = {sweep_block, 1, 1}, .min_blocks = sweep_blocks<Word, Pairs>});
}

}  // namespace krait::host
