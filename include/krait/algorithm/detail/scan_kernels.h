// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of scans over rows of elements, for any operator: nothing needs an identity or swaps
// operands. Blocks are numbered by row, then by chunk of the row.
#pragma once

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// The types and properties of a scan's kernels.
template <class From, class To, class Function, bool Exclusive, bool Initial>
struct scan_types {
  static_assert(Initial || !Exclusive);
  using in = From;
  using out = To;
  static constexpr bool exclusive = Exclusive, initial = Initial;
  Function function;

  value<To> of(const value<To>& x, const value<To>& y) const {
    return as_value<To>(function(x, y));
  }
  template <class Element>
  static value<To> enter(const Element& x) {
    return as_value<To>(x);
  }
};

/// This block's row and the part of it that is its chunk.
struct row_chunk {
  value<std::int64_t> row, chunk, begin, end;
};
inline row_chunk own_row_chunk(const value<std::int64_t>& length, const value<std::int64_t>& chunk,
                               const value<std::int64_t>& chunks) {
  const value<std::int64_t> row = block_idx().x / chunks, own = block_idx().x % chunks,
                            begin = own * chunk;
  return {row, own, begin, min(begin + chunk, length)};
}

/// parts(row, c) = what chunk c makes, of all but the last; blocks of one thread.
template <class Types>
auto make_chunk_parts(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in, 2> x, view<out, 2> parts, value<std::int64_t> chunk) {
        const auto at = own_row_chunk(x.extent(1), chunk, parts.extent(1));
        var<out> state = types.enter(x(at.row, at.begin));
        for (auto i : range(at.begin + 1, at.end))
          state = types.of(value<out>(state), types.enter(x(at.row, i)));
        parts(at.row, at.chunk) = value<out>(state);
      },
      {.name = "scan_parts"});
}

/// The same chunks scanned, by one thread each. A row has a part for all chunks but the last.
template <class Types>
auto make_chunk_scan(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in, 2> x, view<out, 2> to, view<const out, 2> parts, value<out> initial,
              value<std::int64_t> chunk, value<std::int64_t> chunks) {
        const auto at = own_row_chunk(x.extent(1), chunk, chunks);
        var<out> state = Types::initial ? initial : types.enter(x(at.row, at.begin));
        const auto parts_before = [&](const value<std::int64_t>& first) {
          for (auto c : range(first, at.chunk))
            state = types.of(value<out>(state), parts(at.row, c));
        };
        if constexpr (Types::initial) {
          parts_before(value<std::int64_t>(0));
        } else {
          if_(at.chunk > 0, [&] {
            state = parts(at.row, 0);
            parts_before(value<std::int64_t>(1));
            state = types.of(value<out>(state), types.enter(x(at.row, at.begin)));
          });
          to(at.row, at.begin) = value<out>(state);
        }
        for (auto i : range(at.begin + (Types::initial ? 0 : 1), at.end)) {
          const value<out> element = types.enter(x(at.row, i));
          if constexpr (Types::exclusive) to(at.row, i) = value<out>(state);
          state = types.of(value<out>(state), element);
          if constexpr (!Types::exclusive) to(at.row, i) = value<out>(state);
        }
      },
      {.name = "scan_chunks"});
}

inline constexpr int scan_threads = 256, scan_items = 4, scan_tile = scan_threads * scan_items;

/// Blocks that walk through their chunks by tiles. Writes: the scan, where a row has `before` for
/// each chunk, what the chunks before it make; otherwise parts(row, c), what chunk c makes.
template <bool Writes, class Types>
auto make_block_scan(const Types& types) {
  using in = typename Types::in;
  using out = typename Types::out;
  return kernel(
      [types](view<const in, 2> x, view<out, 2> to, view<const out, 2> before, value<out> initial,
              value<std::int64_t> chunk, value<std::int64_t> chunks) {
        constexpr int items = scan_items, threads = scan_threads;
        auto sums = shared<out, threads>();
        const auto at = own_row_chunk(x.extent(1), chunk, chunks);
        const value<std::int64_t> t = thread_idx().x;
        var<out> carry = initial;  // the scan of the elements before the tile
        var<bool> carried = Types::initial && Writes;
        if constexpr (Writes) {
          if_(at.chunk > 0, [&] {
            carry = Types::initial ? types.of(initial, before(at.row, at.chunk - 1))
                                   : before(at.row, at.chunk - 1);
            carried = true;
          });
        }
        const auto after_carry = [&](const value<out>& y) {
          if constexpr (Types::initial && Writes) {
            return types.of(value<out>(carry), y);
          } else {
            var<out> all = y;
            if_(carried, [&] { all = types.of(value<out>(carry), y); });
            return value<out>(all);
          }
        };
        for (auto tile : range(at.begin, at.end, scan_tile)) {
          const value<std::int64_t> first = tile + t * items;
          var<out> v[items];  // any value after the end of the row: no element before it uses it
          for (int k = 0; k < items; ++k) {
            if_(first + k < at.end, [&] { v[k] = types.enter(x(at.row, first + k)); });
            if (k > 0) {
              if_(first + k < at.end, [&] {
                v[k] = types.of(value<out>(v[k - 1]), value<out>(v[k]));
              }).else_([&] { v[k] = v[k - 1]; });
            }
          }
          var<out> own = v[items - 1];
          sums[t] = value<out>(own);
          syncthreads();
          for (int d = 1; d < threads; d *= 2) {
            if_(t >= d, [&] { own = types.of(sums[t - d], value<out>(own)); });
            syncthreads();
            sums[t] = value<out>(own);
            syncthreads();
          }
          if constexpr (Writes) {
            var<out> lead = carry;
            if_(t > 0, [&] { lead = after_carry(sums[t - 1]); });
            const value<bool> led = (carried | (t > 0)) != 0;
            for (int k = 0; k < items; ++k) {
              if_(first + k < at.end, [&] {
                if constexpr (Types::exclusive) {
                  if (k == 0) to(at.row, first) = value<out>(lead);
                  else to(at.row, first + k) = types.of(value<out>(lead), value<out>(v[k - 1]));
                } else {
                  var<out> all = v[k];
                  if_(led, [&] { all = types.of(value<out>(lead), value<out>(v[k])); });
                  to(at.row, first + k) = value<out>(all);
                }
              });
            }
          }
          carry = after_carry(sums[(min(tile + scan_tile, at.end) - tile - 1) / items]);
          carried = true;
          syncthreads();
        }
        if constexpr (!Writes) {
          if_(t == 0, [&] { to(at.row, at.chunk) = value<out>(carry); });
        }
      },
      {.name = Writes ? "scan_blocks" : "scan_block_parts"});
}

}  // namespace krait::detail
