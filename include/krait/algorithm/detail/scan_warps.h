// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans by warps of 32: in one pass where blocks may wait for each other, and sums by vectors of a
// CPU.
#pragma once

#include <krait/algorithm/detail/scan_kernels.h>

namespace krait::detail {

/// The operator of cumsum, whose scan a CPU has vectors for.
struct scan_sum {
  template <class Value>
  auto operator()(const Value& x, const Value& y) const {
    return x + y;
  }
};
template <class Types>
inline constexpr bool by_vectors = false;
template <class From, class To, bool Exclusive, bool Initial>
  requires(plain<To> && sizeof(To) >= 4)
inline constexpr bool by_vectors<scan_types<From, To, scan_sum, Exclusive, Initial>> = true;

/// As make_chunk_parts and make_chunk_scan, for blocks of one warp, which takes 32 neighbours per
/// iteration.
template <class Types>
auto make_vector_parts(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in, 2> x, view<out, 2> parts, value<std::int64_t> chunk) {
        const auto at = own_row_chunk(x.extent(1), chunk, parts.extent(1));
        var<out> own = out(0);
        for (auto i : range(at.begin + lane_id(), at.end, 32))
          own = types.of(value<out>(own), types.enter(x(at.row, i)));
        const value<out> all = warp::reduce(value<out>(own));
        if_(lane_id() == 0, [&] { parts(at.row, at.chunk) = all; });
      },
      {.name = "scan_vector_parts"});
}
template <class Types>
auto make_vector_scan(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in, 2> x, view<out, 2> to, view<const out, 2> parts, value<out> initial,
              value<std::int64_t> chunk, value<std::int64_t> chunks) {
        const auto at = own_row_chunk(x.extent(1), chunk, chunks);
        const value<int> lane = lane_id();
        var<out> before = Types::initial ? initial : value<out>(out(0));
        for (auto c : range(at.chunk)) before = types.of(value<out>(before), parts(at.row, c));
        const auto sums_of = [&](const value<out>& element) {
          const value<out> sums = warp::inclusive_scan(element);
          return Types::exclusive
                     ? std::pair{sums, value<out>(select(lane > 0, warp::shfl_up(sums, 1), out(0)))}
                     : std::pair{sums, sums};
        };
        var<std::int64_t> i = at.begin;
        while_([&] { return i + 32 <= at.end; },
               [&] {
                 const auto [sums, result] = sums_of(types.enter(x(at.row, i + lane)));
                 to(at.row, i + lane) = types.of(value<out>(before), result);
                 before = types.of(value<out>(before), value<out>(warp::shfl(sums, 31)));
                 i += 32;
               });
        if_(i + lane < at.end, [&] {
          to(at.row, i + lane) =
              types.of(value<out>(before), sums_of(types.enter(x(at.row, i + lane))).second);
        });
      },
      {.name = "scan_vectors"});
}

template <class Out>
// neighbours of a thread: 16 bytes at most
inline constexpr int look_back_items = sizeof(Out) <= 4 ? 4 : 2;
inline constexpr int look_back_rounds = 4, look_back_threads = 256;
template <class Out>
inline constexpr int look_back_tile = look_back_threads * look_back_rounds * look_back_items<Out>;

/// The messages of tiles to each other: nothing yet, the result of their own elements, or the
/// result of all elements up to their end.
template <class Out>
struct tile_states {
  enum kind_type : unsigned { none, own, whole };
  static constexpr bool in_word = sizeof(Out) <= 4;  // the value is in the lower half of the state
  view<std::uint64_t> states;
  view<Out, 2> values;  // by kind and tile, of larger types

  static value<unsigned> bits_of_value(const value<Out>& x) {
    if constexpr (std::is_same_v<Out, bool>) return cast<unsigned>(x);
    else if constexpr (sizeof(Out) == 4) return bitcast<unsigned>(x);
    else
      return cast<unsigned>(
          bitcast<std::conditional_t<sizeof(Out) == 2, std::uint16_t, std::uint8_t>>(x));
  }
  static value<Out> value_of_bits(const value<unsigned>& x) {
    if constexpr (std::is_same_v<Out, bool>) return x != 0u;
    else if constexpr (sizeof(Out) == 4) return bitcast<Out>(x);
    else
      return bitcast<Out>(value<std::conditional_t<sizeof(Out) == 2, std::uint16_t, std::uint8_t>>(
          cast<std::conditional_t<sizeof(Out) == 2, std::uint16_t, std::uint8_t>>(x)));
  }

  void publish(const value<std::int64_t>& tile, kind_type kind, const value<Out>& x) const {
    const auto flag = std::uint64_t(kind) << 32;
    if constexpr (in_word) {
      atomic(states[tile]).exchange(cast<std::uint64_t>(bits_of_value(x)) | flag);
    } else {
      values(kind - 1, tile) = x;
      fence();
      atomic(states[tile]).exchange(flag, order::release);
    }
  }
  struct found {
    value<unsigned> kind;
    value<Out> x;  // any value if `kind` is `kind_type::none`
  };
  /// Of a tile from 0 on, or below: then some value.
  found look(const value<std::int64_t>& tile) const {
    const value<std::int64_t> there = max(tile, std::int64_t(0));
    const value<std::uint64_t> state = atomic(states[there]).load(order::acquire);
    const value<unsigned> kind = cast<unsigned>(state >> 32);
    if constexpr (in_word) return {kind, value_of_bits(cast<unsigned>(state))};
    else return {kind, values(max(cast<int>(kind), 1) - 1, there)};
  }
};

/// A scan in one pass, by looking back: Merrill and Garland, "Single-pass parallel prefix scan with
/// decoupled look-back" (2016). Blocks of 256 take tiles in the order of a ticket, the last word of
/// `states`; all words are 0 before.
template <class Types>
auto make_look_back(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in> x, view<out> to, view<std::uint64_t> states, view<out, 2> values,
              value<out> initial) {
        constexpr int rounds = look_back_rounds, items = look_back_items<out>,
                      warps = look_back_threads / 32;
        const tile_states<out> tiles{states, values};
        auto shared_number = shared<std::uint64_t, 1>();
        auto sums = shared<out, warps>();
        auto prefix = shared<out, 1>();
        const value<int> t = cast<int>(thread_idx().x), lane = t & 31, own_warp = t >> 5;
        if_(t == 0,
            [&] { shared_number[0] = atomic(states[states.size() - 1]).add(std::uint64_t(1)); });
        syncthreads();
        const value<std::int64_t> number = cast<std::int64_t>(shared_number[0]);
        const value<std::int64_t> base =
            number * look_back_tile<out> + own_warp * (32 * items * rounds) + lane * items;
        const value<bool> full = (number + 1) * look_back_tile<out> <= x.size();
        const auto of = [&](const value<out>& a, const value<out>& b) { return types.of(a, b); };

        // Each round a warp scans neighbours, some per lane. `carry` is the result of the rounds
        // before, `ahead` the result of the elements before the lane's in the warp. After the end
        // there is any value, which no element before it uses.
        var<out> v[rounds][items], ahead[rounds], carry;
        const auto load = [&](int r, int c) {
          v[r][c] = types.enter(x[base + (r * 32 * items + c)]);
        };
        if_(full, [&] {
          for (int r = 0; r < rounds; ++r)
            for (int c = 0; c < items; ++c) load(r, c);
        }).else_([&] {
          for (int r = 0; r < rounds; ++r)
            for (int c = 0; c < items; ++c)
              if_(base + (r * 32 * items + c) < x.size(), [&] { load(r, c); });
        });
        for (int r = 0; r < rounds; ++r) {
          for (int c = 1; c < items; ++c) v[r][c] = of(v[r][c - 1], v[r][c]);
          var<out> through = v[r][items - 1];
          for (int d = 1; d < 32; d *= 2) {
            const value<out> below = warp::shfl_up(through, d);
            through = select(lane >= d, of(below, through), value<out>(through));
          }
          const value<out> below = warp::shfl_up(through, 1), all = warp::shfl(through, 31);
          if (r == 0) {
            ahead[r] = below;
            for (int c = 0; c < items; ++c)
              v[r][c] = select(lane > 0, of(below, v[r][c]), value<out>(v[r][c]));
            carry = all;
          } else {
            ahead[r] = select(lane > 0, of(carry, below), value<out>(carry));
            for (int c = 0; c < items; ++c) v[r][c] = of(ahead[r], v[r][c]);
            carry = of(carry, all);
          }
        }
        if_(lane == 31, [&] { sums[own_warp] = value<out>(carry); });
        syncthreads();

        if_(own_warp == 0, [&] {
          var<out> own = value<out>(sums[0]);
          for (int w = 1; w < warps; ++w) own = of(own, sums[w]);
          if_(number == 0, [&] {
            if (Types::initial) own = of(initial, own);
            if_(lane == 0, [&] {
              tiles.publish(number, tile_states<out>::whole, own);
              prefix[0] = initial;
            });
          }).else_([&] {
            if_(lane == 0, [&] { tiles.publish(number, tile_states<out>::own, own); });
            var<out> before;
            var<bool> some = false;
            var<std::int64_t> at = number - 1;
            while_([&] { return at >= 0; },
                   [&] {
                     const auto found = tiles.look(at - lane);
                     const value<bool> there = found.kind != 0u || at - lane < 0;
                     if_(warp::all(there), [&] {
                       const value<unsigned> whole =
                           cast<unsigned>(warp::ballot(found.kind == 2u && at - lane >= 0));
                       const value<int> last = select(whole != 0u, cast<int>(ctz(whole)), 31);
                       var<out> part = found.x;  // higher lanes are before lower ones
                       for (int step = 1; step < 32; step *= 2) {
                         const value<out> other = warp::shfl_down(part, step);
                         part = select(lane + step <= last, of(other, part), value<out>(part));
                       }
                       before = select(some, of(part, before), value<out>(part));
                       some = true;
                       at = select(whole != 0u, std::int64_t(-1), at - 32);
                     });
                   });
            if_(lane == 0, [&] {
              tiles.publish(number, tile_states<out>::whole, of(before, own));
              prefix[0] = value<out>(before);
            });
          });
        });
        syncthreads();
        // The result of the elements before the warp, if there are any.
        var<out> lead = value<out>(prefix[0]);
        var<bool> led = Types::initial || number > 0;
        for (int w = 0; w < warps - 1; ++w) {
          if_(w < own_warp, [&] {
            lead = select(led, of(lead, sums[w]), value<out>(sums[w]));
            led = true;
          });
        }
        const auto result = [&](int r, int c) -> value<out> {
          if constexpr (Types::exclusive) {
            if (c > 0) return of(lead, v[r][c - 1]);
            return r == 0 ? value<out>(select(lane > 0, of(lead, ahead[r]), value<out>(lead)))
                          : of(lead, ahead[r]);
          } else {
            return select(led, of(lead, v[r][c]), value<out>(v[r][c]));
          }
        };
        if_(full, [&] {
          for (int r = 0; r < rounds; ++r)
            for (int c = 0; c < items; ++c) to[base + (r * 32 * items + c)] = result(r, c);
        }).else_([&] {
          for (int r = 0; r < rounds; ++r)
            for (int c = 0; c < items; ++c)
              if_(base + (r * 32 * items + c) < x.size(),
                  [&] { to[base + (r * 32 * items + c)] = result(r, c); });
        });
      },
      {.name = "scan_look_back"});
}

}  // namespace krait::detail
