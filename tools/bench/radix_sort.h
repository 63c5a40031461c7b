// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A radix sort of u32 keys in four passes over them, each of which reads and writes a key once:
// Adinets, Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (2022). For
// warps of 32.
#pragma once

#include <krait/krait.h>

namespace bench {
namespace kr = krait;

namespace sort {
constexpr int block = 256, warps = block / 32, digits = 256, passes = 4;

/// The sum of x over the threads before this one in a block of 256.
inline kr::value<unsigned> sum_before(kr::value<unsigned> x) {
  auto totals = kr::shared<unsigned, warps>();
  auto t = kr::cast<int>(kr::thread_idx().x);
  auto inclusive = kr::warp::inclusive_scan(x);
  kr::if_((t & 31) == 31, [&] { totals[t >> 5] = inclusive; });
  kr::syncthreads();
  kr::var before = inclusive - x;
  for (int w = 0; w < warps - 1; ++w) before += kr::select(w < (t >> 5), totals[w], 0u);
  return before;
}

/// Zeroes all three.
inline constexpr auto clear_all = [](kr::view<unsigned> states, kr::view<unsigned> counts,
                                     kr::view<unsigned> tickets) {
  for (auto i : kr::grid_stride(states.size())) states[i] = 0u;
  for (auto i : kr::grid_stride(counts.size())) counts[i] = 0u;
  for (auto i : kr::grid_stride(tickets.size())) tickets[i] = 0u;
};
inline auto make_clear() { return kr::kernel(clear_all, {.name = "sort_clear"}); }

/// How often each of the four digits has each value: counts[pass * 256 + value], 0 before. Blocks
/// of 256; the keys are a multiple of 4.
inline constexpr auto count_digits = [](kr::view<const unsigned> keys, kr::view<unsigned> counts) {
  auto own = kr::shared<unsigned, passes * digits>();
  auto t = kr::thread_idx().x;
  for (int p = 0; p < passes; ++p) own[t + p * digits] = 0u;
  kr::syncthreads();
  for (auto i : kr::grid_stride(keys.size() / 4)) {
    kr::value<unsigned> k[] = {keys[i * 4], keys[i * 4 + 1], keys[i * 4 + 2], keys[i * 4 + 3]};
    for (auto& key : k)
      for (int p = 0; p < passes; ++p)
        kr::atomic(own[kr::cast<int>(key >> (8 * p) & 255u) + p * digits]).add(1u);
  }
  kr::syncthreads();
  for (int p = 0; p < passes; ++p) kr::atomic(counts[t + p * digits]).add(own[t + p * digits]);
};
inline auto make_counts() { return kr::kernel(count_digits, {.name = "sort_counts"}); }

/// Where each value of a digit begins in the output; a block of 256 a pass.
inline constexpr auto find_starts = [](kr::view<const unsigned> counts, kr::view<unsigned> starts) {
  starts[kr::grid()] = sum_before(counts[kr::grid()]);
};
inline auto make_starts() { return kr::kernel(find_starts, {.name = "sort_starts"}); }

/// One pass. Blocks take tiles in the order of their tickets. A word of `states`, for a tile and a
/// value of the digit, says in its upper two bits what the others are: 0 nothing yet, 1 the tile's
/// own count, 2 the count up to the tile's end.
template <int per_thread>
inline constexpr auto one_pass = [](kr::view<const unsigned> in, kr::view<unsigned> out,
                                    kr::view<const unsigned> starts, kr::view<unsigned> states,
                                    kr::view<unsigned> tickets, kr::value<int> pass) {
  constexpr int tile = block * per_thread;
  static_assert(tile >= warps * digits, "the lanes' marks lie where the sorted tile will");
  constexpr unsigned own_count = 1u << 30, whole_count = 2u << 30, count_bits = own_count - 1;
  auto ticket = kr::shared<unsigned, 1>();
  auto counts = kr::shared<unsigned, warps, digits>();
  auto to_output = kr::shared<unsigned, digits>();
  auto sorted = kr::shared<unsigned, tile>();
  auto t = kr::cast<int>(kr::thread_idx().x);
  auto lane = t & 31, warp = t >> 5;
  auto self = 1u << kr::cast<unsigned>(lane);
  kr::if_(t == 0, [&] { ticket[0] = kr::atomic(tickets[pass]).add(1u); });
  for (int w = 0; w < warps; ++w) counts(w, t) = 0u, sorted[w * digits + t] = 0u;
  kr::syncthreads();
  auto number = kr::cast<int>(ticket[0]);
  auto digit_of = [&](auto key) {
    return kr::cast<int>(key >> kr::cast<unsigned>(pass * 8) & 255u);
  };

  // A key's rank among the keys of its warp with the same digit. Lanes with equal digits find each
  // other by marks that they set in one word: an H200 takes half as long for that as for match_any.
  kr::var<unsigned> keys[per_thread], ranks[per_thread];
  for (int r = 0; r < per_thread; ++r)
    keys[r] = in[number * tile + warp * (32 * per_thread) + r * 32 + lane];
  for (int r = 0; r < per_thread; ++r) {
    auto digit = digit_of(keys[r]);
    auto mark = warp * digits + digit;
    kr::atomic(sorted[mark]).or_(self);
    kr::syncwarp();
    kr::value<unsigned> same = sorted[mark], before = counts(warp, digit);
    kr::syncwarp();
    kr::if_(same >> kr::cast<unsigned>(lane) == 1u, [&] {
      counts(warp, digit) = before + kr::cast<unsigned>(kr::popcount(same));
      sorted[mark] = 0u;
    });
    kr::syncwarp();
    ranks[r] = before + kr::cast<unsigned>(kr::popcount(same & (self - 1u)));
  }
  kr::syncthreads();

  // From here on a thread looks after the digit's value t.
  kr::var own = 0u;
  for (int w = 0; w < warps; ++w) own += counts(w, t);
  auto state_of = [&](auto which) {
    return (kr::cast<std::int64_t>(pass) * kr::grid_dim().x + which) * digits + t;
  };
  kr::atomic(states[state_of(number)])
      .exchange(own | kr::select(number == 0, whole_count, own_count));
  auto in_tile = sum_before(own);
  kr::var running = in_tile;
  for (int w = 0; w < warps; ++w) {
    kr::value<unsigned> count = counts(w, t);
    counts(w, t) = running;
    running += count;
  }
  kr::syncthreads();
  // Through shared memory, so that neighbours write neighbours.
  for (int r = 0; r < per_thread; ++r)
    sorted[kr::cast<int>(counts(warp, digit_of(keys[r])) + ranks[r])] = keys[r];

  // The counts of the tiles before, four at a time: they are far away, and mostly there.
  kr::var before = 0u;
  kr::var at = number - 1;
  kr::while_([&] { return at >= 0; },
             [&] {
               kr::value<int> last = at;
               const auto fetch = [&](int k) -> kr::value<unsigned> {
                 return kr::atomic(states[state_of(kr::max(last - k, 0))]).load();
               };
               const kr::value<unsigned> found[] = {fetch(0), fetch(1), fetch(2), fetch(3)};
               kr::var go_on = true;
               for (const kr::value<unsigned>& state : found) {
                 auto use = go_on && at >= 0 && state >= own_count;
                 before += kr::select(use, state & count_bits, 0u);
                 at = kr::select(use, kr::select(state >= whole_count, -1, at - 1), at);
                 go_on = use;
               }
             });
  kr::if_(number > 0,
          [&] { kr::atomic(states[state_of(number)]).exchange(before + own | whole_count); });
  to_output[t] = starts[pass * digits + t] + before - in_tile;
  kr::syncthreads();
  for (int r = 0; r < per_thread; ++r) {
    auto place = r * block + t;
    kr::value<unsigned> key = sorted[place];
    out[kr::cast<std::int64_t>(to_output[digit_of(key)] + kr::cast<unsigned>(place))] = key;
  }
};
template <int per_thread>
auto make_pass() {
  return kr::kernel(one_pass<per_thread>, {.name = "sort_pass"});
}
}  // namespace sort

/// Sorts a fixed number of keys, a multiple of 256 * per_thread below 2^30. An H200 is fastest with
/// 32 keys a thread.
template <int per_thread>
class RadixSort {
 public:
  RadixSort(std::int64_t n, kr::device on)
      : tiles_(n / (sort::block * per_thread)),
        between_(kr::shape<1>(n), on),
        states_(kr::shape<1>(tiles_ * sort::digits * sort::passes), on),
        counts_(kr::shape<1>(sort::digits * sort::passes), on),
        starts_(kr::shape<1>(sort::digits * sort::passes), on),
        tickets_(kr::shape<1>(sort::passes), on) {}

  void operator()(const kr::array<unsigned>& keys, kr::array<unsigned>& out) {
    clear_.launch({256, 256}, states_, counts_, tickets_);
    count_.launch({528, sort::block}, keys, counts_);
    start_.launch({sort::passes, sort::digits}, counts_, starts_);
    pass_.launch({tiles_, sort::block}, keys, between_, starts_, states_, tickets_, 0);
    pass_.launch({tiles_, sort::block}, between_, out, starts_, states_, tickets_, 1);
    pass_.launch({tiles_, sort::block}, out, between_, starts_, states_, tickets_, 2);
    pass_.launch({tiles_, sort::block}, between_, out, starts_, states_, tickets_, 3);
  }

 private:
  std::int64_t tiles_;
  kr::array<unsigned> between_, states_, counts_, starts_, tickets_;
  decltype(sort::make_clear()) clear_ = sort::make_clear();
  decltype(sort::make_counts()) count_ = sort::make_counts();
  decltype(sort::make_starts()) start_ = sort::make_starts();
  decltype(sort::make_pass<per_thread>()) pass_ = sort::make_pass<per_thread>();
};

}  // namespace bench
