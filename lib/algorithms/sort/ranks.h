// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of keys by one digit within a warp of 32.
#pragma once

#include "algorithms/sort/order.h"

namespace krait::host {

/// How many keys of the warp so far had this lane's digit, those of lower lanes among them;
/// `counts` has the numbers so far, by warp and digit. Lanes with equal digits find each other by
/// marks that they set in one word of `marks`, by warp and digit, zero before and after: an H200
/// takes half as long for that as for match_any. All lanes of the warp call it.
inline value<unsigned> rank_in_warp(const view<unsigned>& marks, const view<unsigned, 2>& counts,
                                    const value<int>& own_warp, const value<int>& lane,
                                    const value<int>& digit) {
  const value<unsigned> self = value<unsigned>(1u) << cast<unsigned>(lane);
  const value<int> mark = own_warp * byte_digits + digit;
  atomic(marks[mark]).or_(self);
  syncwarp();
  const value<unsigned> same = marks[mark];
  const value<unsigned> before = counts(own_warp, digit);
  syncwarp();
  if_((same >> cast<unsigned>(lane)) == 1u, [&] {
    counts(own_warp, digit) = before + cast<unsigned>(popcount(same));
    marks[mark] = 0u;
  });
  syncwarp();
  return before + cast<unsigned>(popcount(same & (self - 1u)));
}

/// The sum of x over the threads before this one in a block of `warps` warps of 32.
template <int Warps>
value<unsigned> sum_before(const value<unsigned>& x) {
  auto totals = shared<unsigned, Warps>();
  const value<int> t = cast<int>(thread_idx().x);
  const value<unsigned> inclusive = warp::inclusive_scan(x);
  if_((t & 31) == 31, [&] { totals[t >> 5] = inclusive; });
  syncthreads();
  var<unsigned> before = inclusive - x;
  for (int w = 0; w < Warps - 1; ++w) before += select(w < (t >> 5), totals[w], 0u);
  return value<unsigned>(before);
}

/// Words of up to 64 bits in shared memory, as halves: GPUs have no instruction that sets marks in
/// words of 64 bits there.
template <class Word, std::int64_t Count>
class SharedWords {
 public:
  using Wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;

  const view<unsigned>& low() const { return low_; }
  void set(const value<int>& at, const value<Wide>& x) const {
    low_[at] = cast<unsigned>(x);
    if constexpr (sizeof(Word) == 8) high_[at] = cast<unsigned>(x >> 32u);
  }
  value<Wide> get(const value<int>& at) const {
    if constexpr (sizeof(Word) == 8) return cast<Wide>(low_[at]) | cast<Wide>(high_[at]) << 32u;
    else return value<unsigned>(low_[at]);
  }

 private:
  view<unsigned> low_ = shared<unsigned, Count>(), high_ = make_high();
  view<unsigned> make_high() const {
    if constexpr (sizeof(Word) == 8) return shared<unsigned, Count>();
    else return low_;
  }
};

}  // namespace krait::host
