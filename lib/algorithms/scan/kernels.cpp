// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of scans by chunks and by blocks.
#include "algorithms/scan/scan.h"
#include "krait/math.h"
#include "krait/warp.h"

namespace krait::host {

RowChunk own_row_chunk(const Index& length, const Index& chunk, const Index& chunks) {
  const Index row = block_idx().x / chunks, own = block_idx().x % chunks, begin = own * chunk;
  return {row, own, begin, min(begin + chunk, length)};
}

const Kernel& chunk_parts(const Scan& scan) {
  return scan.kernel("scan_parts", {in(scan.from, 2), out(scan.to, 2), number()},
                     [scan](const Parameters& p) {
                       const ElementView x = p.array(0), parts = p.array(1);
                       const RowChunk at = own_row_chunk(x.extent(1), p.number(2), parts.extent(1));
                       Variable state(scan.enter(x(at.row, at.begin)));
                       for (auto i : range(at.begin + 1, at.end))
                         state = scan.of(state, scan.enter(x(at.row, i)));
                       parts(at.row, at.chunk) = state;
                     });
}

const Kernel& chunk_scan(const Scan& scan) {
  return scan.kernel(
      "scan_chunks",
      {in(scan.from, 2), out(scan.to, 2), in(scan.to, 2), number(scan.to), number(), number()},
      [scan](const Parameters& p) {
        const ElementView x = p.array(0), to = p.array(1), parts = p.array(2);
        const RowChunk at = own_row_chunk(x.extent(1), p.number(4), p.number(5));
        Variable state(scan.starts ? p.element(3) : scan.enter(x(at.row, at.begin)));
        const auto parts_before = [&](const Index& first) {
          for (auto c : range(first, at.chunk)) state = scan.of(state, parts(at.row, c));
        };
        if (scan.starts) {
          parts_before(Index(0));
        } else {
          if_(at.chunk > 0, [&] {
            state = parts(at.row, 0).get();
            parts_before(Index(1));
            state = scan.of(state, scan.enter(x(at.row, at.begin)));
          });
          to(at.row, at.begin) = state;
        }
        for (auto i : range(at.begin + (scan.starts ? 0 : 1), at.end)) {
          const Element element = scan.enter(x(at.row, i));
          if (scan.exclusive) to(at.row, i) = state;
          state = scan.of(state, element);
          if (!scan.exclusive) to(at.row, i) = state;
        }
      });
}

const Kernel& vector_parts(const Scan& scan) {
  return scan.kernel("scan_vector_parts", {in(scan.from, 2), out(scan.to, 2), number()},
                     [scan](const Parameters& p) {
                       const ElementView x = p.array(0), parts = p.array(1);
                       const RowChunk at = own_row_chunk(x.extent(1), p.number(2), parts.extent(1));
                       Variable own(zero_of(scan.to));
                       for (auto i : range(at.begin + lane_id(), at.end, 32))
                         own = scan.of(own, scan.enter(x(at.row, i)));
                       const Element all = combine_lanes(op::WarpReduce, own);
                       if_(lane_id() == 0, [&] { parts(at.row, at.chunk) = all; });
                     });
}

const Kernel& vector_scan(const Scan& scan) {
  return scan.kernel(
      "scan_vectors",
      {in(scan.from, 2), out(scan.to, 2), in(scan.to, 2), number(scan.to), number(), number()},
      [scan](const Parameters& p) {
        const ElementView x = p.array(0), to = p.array(1), parts = p.array(2);
        const RowChunk at = own_row_chunk(x.extent(1), p.number(4), p.number(5));
        const value<int> lane = lane_id();
        Variable before(scan.starts ? p.element(3) : zero_of(scan.to));
        for (auto c : range(at.chunk)) before = scan.of(before, parts(at.row, c));
        const auto sums_of = [&](const Element& element) {
          const Element sums = combine_lanes(op::WarpScan, element);
          return scan.exclusive
                     ? std::pair{sums, choose(lane > 0, shfl_up(sums, 1), zero_of(scan.to))}
                     : std::pair{sums, sums};
        };
        var<std::int64_t> i = at.begin;
        while_([&] { return i + 32 <= at.end; },
               [&] {
                 const auto [sums, result] = sums_of(scan.enter(x(at.row, i + lane)));
                 to(at.row, i + lane) = scan.of(before, result);
                 before = scan.of(before, shfl(sums, 31));
                 i += 32;
               });
        if_(i + lane < at.end, [&] {
          to(at.row, i + lane) = scan.of(before, sums_of(scan.enter(x(at.row, i + lane))).second);
        });
      });
}

const Kernel& block_scan(const Scan& scan, bool writes) {
  return scan.kernel(
      writes ? "scan_blocks" : "scan_block_parts",
      {in(scan.from, 2), out(scan.to, 2), in(scan.to, 2), number(scan.to), number(), number()},
      [scan, writes](const Parameters& p) {
        constexpr int items = scan_items, threads = scan_threads;
        const ElementView x = p.array(0), to = p.array(1), before = p.array(2);
        const Element initial = p.element(3);
        const ElementView sums = shared_elements(scan.to, threads);
        const RowChunk at = own_row_chunk(x.extent(1), p.number(4), p.number(5));
        const Index t = thread_idx().x;
        Variable carry(initial);  // the scan of the elements before the tile
        var<bool> carried = scan.starts && writes;
        if (writes)
          if_(at.chunk > 0, [&] {
            const Element parts = before(at.row, at.chunk - 1);
            carry = scan.starts ? scan.of(initial, parts) : parts;
            carried = true;
          });
        const auto after_carry = [&](const Element& y) -> Element {
          if (scan.starts && writes) return scan.of(carry, y);
          Variable all(y);
          if_(carried, [&] { all = scan.of(carry, y); });
          return all;
        };
        for (auto tile : range(at.begin, at.end, scan_tile)) {
          const Index first = tile + t * items;
          // any value after the end of the row: no element before it uses it
          std::vector<Variable> v;
          for (int k = 0; k < items; ++k) {
            Variable& own = v.emplace_back(zero_of(scan.to));
            if_(first + k < at.end, [&] { own = scan.enter(x(at.row, first + k)); });
            if (k > 0)
              if_(first + k < at.end, [&] {
                own = scan.of(v[std::size_t(k) - 1], own);
              }).else_([&] { own = v[std::size_t(k) - 1]; });
          }
          Variable own(v.back());
          sums(t) = own;
          syncthreads();
          for (int d = 1; d < threads; d *= 2) {
            if_(t >= d, [&] { own = scan.of(sums(t - d), own); });
            syncthreads();
            sums(t) = own;
            syncthreads();
          }
          if (writes) {
            Variable lead(carry);
            if_(t > 0, [&] { lead = after_carry(sums(t - 1)); });
            const value<bool> led = (carried | (t > 0)) != 0;
            for (int k = 0; k < items; ++k) {
              if_(first + k < at.end, [&] {
                if (!scan.exclusive) {
                  Variable all(v[std::size_t(k)]);
                  if_(led, [&] { all = scan.of(lead, v[std::size_t(k)]); });
                  to(at.row, first + k) = all;
                } else if (k == 0) {
                  to(at.row, first) = lead;
                } else {
                  to(at.row, first + k) = scan.of(lead, v[std::size_t(k) - 1]);
                }
              });
            }
          }
          carry = after_carry(sums((min(tile + scan_tile, at.end) - tile - 1) / items));
          carried = true;
          syncthreads();
        }
        if (!writes) if_(t == 0, [&] { to(at.row, at.chunk) = carry; });
      },
      writes);
}

}  // namespace krait::host
