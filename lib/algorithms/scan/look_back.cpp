// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scan in one pass, by warps of 32, where blocks may wait for each other.
#include "algorithms/scan/scan.h"
#include "krait/atomic.h"
#include "krait/bits.h"
#include "krait/math.h"
#include "krait/warp.h"

namespace krait::host {
namespace {

constexpr int rounds = look_back_rounds, warps = look_back_threads / 32;

/// Neighbours of a thread.
int items_of(const ElementType* type) { return look_back_bytes / (type->bytes <= 4 ? 4 : 8); }

/// The messages of tiles to each other: nothing yet, the result of their own elements, or the
/// result of all elements up to their end.
struct TileStates {
  enum Kind : unsigned { None, Own, Whole };
  const ElementType* type;
  view<std::uint64_t> states;
  ElementView values;  // by kind and tile, of types that do not fit a state

  bool in_word() const { return look_back_in_word(type); }
  scalar bits_type() const { return scalar(ir::bits_type(ir::Scalar(type->whole))); }

  value<unsigned> bits_of_value(const Element& x) const {
    if (type->whole == scalar::boolean) return x.as<unsigned>();
    return value<unsigned>(
        detail::convert(scalar::u32, detail::bit_convert(bits_type(), x.only())));
  }
  Element value_of_bits(const value<unsigned>& x) const {
    if (type->whole == scalar::boolean) return x != 0u;
    return {type, {detail::bit_convert(type->whole, detail::convert(bits_type(), node_of(x)))}};
  }
  void publish(const Index& tile, Kind kind, const Element& x) const {
    const auto flag = std::uint64_t(kind) << 32;
    if (in_word()) {
      atomic(states[tile]).exchange(cast<std::uint64_t>(bits_of_value(x)) | flag);
    } else {
      values(int(kind) - 1, tile) = x;
      fence();
      atomic(states[tile]).exchange(flag, order::release);
    }
  }
  struct Found {
    value<unsigned> kind;
    Element x;  // any value if `kind` is None
  };
  /// Of a tile from 0 on, or below: then some value.
  Found look(const Index& tile) const {
    const Index there = max(tile, std::int64_t(0));
    const value<std::uint64_t> state = atomic(states[there]).load(order::acquire);
    const value<unsigned> kind = cast<unsigned>(state >> 32);
    if (in_word()) return {kind, value_of_bits(cast<unsigned>(state))};
    return {kind, values(max(cast<int>(kind), 1) - 1, there)};
  }
};

/// A thread's part of the recording.
class LookBack {
 public:
  LookBack(const Scan& scan, const Parameters& p)
      : scan_(scan),
        x_(p.array(0)),
        to_(p.array(1)),
        tiles_{scan.to, p.array<std::uint64_t>(2), p.array(3)},
        initial_(p.element(4)),
        items_(items_of(scan.to)),
        shared_number_(shared<std::uint64_t, 1>()),
        sums_(shared_elements(scan.to, warps)),
        prefix_(shared_elements(scan.to, 1)),
        t_(cast<int>(thread_idx().x)),
        lane_(t_ & 31),
        own_warp_(t_ >> 5) {}

  void run() {
    if_(t_ == 0, [&] {
      shared_number_[0] = atomic(tiles_.states[tiles_.states.size() - 1]).add(std::uint64_t(1));
    });
    syncthreads();
    const Index number = cast<std::int64_t>(shared_number_[0]), size = x_.size(),
                base = number * look_back_tile(scan_.to) + own_warp_ * (32 * items_ * rounds) +
                       lane_ * items_;
    const value<bool> full = (number + 1) * look_back_tile(scan_.to) <= size;
    const Variable carry = scan_rounds(base, size, full);
    if_(lane_ == 31, [&] { sums_(own_warp_) = carry; });
    syncthreads();
    if_(own_warp_ == 0, [&] { find_prefix(number); });
    syncthreads();
    store(number, base, size, full);
  }

 private:
  std::int64_t step(int r, int c) const { return r * 32 * items_ + c; }
  Variable& v(int r, int c) { return v_[std::size_t(r * items_ + c)]; }

  /// Each round a warp scans neighbours, some per lane. The result is that of all rounds; `ahead_`
  /// is the result of the elements before the lane's in the warp. After the end there is any value,
  /// which no element before it uses.
  Variable scan_rounds(const Index& base, const Index& size, const value<bool>& full) {
    const Element zero = zero_of(scan_.to);
    for (int k = 0; k < rounds * items_; ++k) v_.emplace_back(zero);
    for (int r = 0; r < rounds; ++r) ahead_.emplace_back(zero);
    Variable carry(zero);
    const auto load = [&](int r, int c) { v(r, c) = scan_.enter(x_(base + step(r, c))); };
    if_(full, [&] {
      for (int r = 0; r < rounds; ++r)
        for (int c = 0; c < items_; ++c) load(r, c);
    }).else_([&] {
      for (int r = 0; r < rounds; ++r)
        for (int c = 0; c < items_; ++c) if_(base + step(r, c) < size, [&] { load(r, c); });
    });
    for (int r = 0; r < rounds; ++r) {
      for (int c = 1; c < items_; ++c) v(r, c) = scan_.of(v(r, c - 1), v(r, c));
      Variable through(v(r, items_ - 1));
      for (int d = 1; d < 32; d *= 2) {
        const Element below = shfl_up(through, d);
        through = choose(lane_ >= d, scan_.of(below, through), through);
      }
      const Element below = shfl_up(through, 1), all = shfl(through, value<int>(31));
      Variable& ahead = ahead_[std::size_t(r)];
      if (r == 0) {
        ahead = below;
        for (int c = 0; c < items_; ++c)
          v(r, c) = choose(lane_ > 0, scan_.of(below, v(r, c)), v(r, c));
        carry = all;
      } else {
        ahead = choose(lane_ > 0, scan_.of(carry, below), carry);
        for (int c = 0; c < items_; ++c) v(r, c) = scan_.of(ahead, v(r, c));
        carry = scan_.of(carry, all);
      }
    }
    return carry;
  }

  /// By the first warp: what the tiles before this one make, in `prefix_`, and this one's messages.
  void find_prefix(const Index& number) {
    Variable own(sums_(0).get());
    for (int w = 1; w < warps; ++w) own = scan_.of(own, sums_(w));
    if_(number == 0, [&] {
      if (scan_.starts) own = scan_.of(initial_, own);
      if_(lane_ == 0, [&] {
        tiles_.publish(number, TileStates::Whole, own);
        prefix_(0) = initial_;
      });
    }).else_([&] {
      if_(lane_ == 0, [&] { tiles_.publish(number, TileStates::Own, own); });
      Variable before(zero_of(scan_.to));
      var<bool> some = false;
      var<std::int64_t> at = number - 1;
      while_([&] { return at >= 0; },
             [&] {
               const TileStates::Found found = tiles_.look(at - lane_);
               const value<bool> there = found.kind != 0u || at - lane_ < 0;
               if_(warp::all(there), [&] {
                 const value<unsigned> whole =
                     cast<unsigned>(warp::ballot(found.kind == 2u && at - lane_ >= 0));
                 const value<int> last = select(whole != 0u, cast<int>(ctz(whole)), 31);
                 Variable part(found.x);  // higher lanes are before lower ones
                 for (int distance = 1; distance < 32; distance *= 2) {
                   const Element other = shfl_down(part, distance);
                   part = choose(lane_ + distance <= last, scan_.of(other, part), part);
                 }
                 before = choose(some != 0, scan_.of(part, before), part);
                 some = true;
                 at = select(whole != 0u, std::int64_t(-1), at - 32);
               });
             });
      if_(lane_ == 0, [&] {
        tiles_.publish(number, TileStates::Whole, scan_.of(before, own));
        prefix_(0) = before;
      });
    });
  }

  void store(const Index& number, const Index& base, const Index& size, const value<bool>& full) {
    // The result of the elements before the warp, if there are any.
    Variable lead(prefix_(0).get());
    var<bool> led = scan_.starts || number > 0;
    for (int w = 0; w < warps - 1; ++w) {
      if_(w < own_warp_, [&] {
        lead = choose(led != 0, scan_.of(lead, sums_(w)), sums_(w));
        led = true;
      });
    }
    const auto result = [&](int r, int c) -> Element {
      if (!scan_.exclusive) return choose(led != 0, scan_.of(lead, v(r, c)), v(r, c));
      if (c > 0) return scan_.of(lead, v(r, c - 1));
      const Variable& ahead = ahead_[std::size_t(r)];
      return r == 0 ? choose(lane_ > 0, scan_.of(lead, ahead), lead) : scan_.of(lead, ahead);
    };
    if_(full, [&] {
      for (int r = 0; r < rounds; ++r)
        for (int c = 0; c < items_; ++c) to_(base + step(r, c)) = result(r, c);
    }).else_([&] {
      for (int r = 0; r < rounds; ++r)
        for (int c = 0; c < items_; ++c)
          if_(base + step(r, c) < size, [&] { to_(base + step(r, c)) = result(r, c); });
    });
  }

  const Scan& scan_;
  const ElementView x_, to_;
  const TileStates tiles_;
  const Element initial_;
  const int items_;
  const view<std::uint64_t> shared_number_;
  const ElementView sums_, prefix_;
  const value<int> t_, lane_, own_warp_;
  std::vector<Variable> v_, ahead_;
};

}  // namespace

std::int64_t look_back_tile(const ElementType* type) {
  return look_back_threads * rounds * items_of(type);
}
bool look_back_in_word(const ElementType* type) { return type->bytes <= 4; }

const Kernel& look_back_scan(const Scan& scan) {
  return scan.kernel(
      "scan_look_back",
      {in(scan.from), out(scan.to), out<std::uint64_t>(), out(scan.to, 2), number(scan.to)},
      [scan](const Parameters& p) { LookBack(scan, p).run(); });
}

}  // namespace krait::host
