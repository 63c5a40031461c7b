// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/tiles.h"

#include <algorithm>

#include <fmt/core.h>

namespace krait::ir {

std::optional<ThreadTile> ThreadTile::of(std::int64_t rows, std::int64_t columns,
                                         std::int64_t threads) {
  const std::int64_t warps = threads / warp;
  if (threads % warp != 0 || warps == 0 || (warps & (warps - 1)) != 0 || rows <= 0 ||
      columns <= 0 || rows % block_rows != 0 || columns % block_columns != 0)
    return std::nullopt;
  ThreadTile t{rows, columns, warps, 1};
  while (rows % (t.down * block_rows) != 0) t.down /= 2, t.across *= 2;
  if (columns % (t.across * block_columns) != 0) return std::nullopt;
  return t;
}

namespace {

constexpr std::int64_t left_bit = 1, right_bit = 2, overlapped_bit = 4, left_padded_bit = 8,
                       right_padded_bit = 16;

}  // namespace

Product::Product(const Inst& inst) {
  if (inst.list.size() != 6) return;
  rows = inst.list[0], columns = inst.list[1], depth = inst.list[2];
  left = Scalar(inst.list[3]), right = Scalar(inst.list[4]);
  left_transposed = inst.list[5] & left_bit, right_transposed = inst.list[5] & right_bit,
  overlapped = inst.list[5] & overlapped_bit;
  left_padded = inst.list[5] & left_padded_bit, right_padded = inst.list[5] & right_padded_bit;
}

std::vector<std::int64_t> Product::list() const {
  return {rows,
          columns,
          depth,
          std::int64_t(left),
          std::int64_t(right),
          (left_transposed ? left_bit : 0) | (right_transposed ? right_bit : 0) |
              (overlapped ? overlapped_bit : 0) | (left_padded ? left_padded_bit : 0) |
              (right_padded ? right_padded_bit : 0)};
}

Scalar Product::sums_of(Scalar left, Scalar right) {
  const auto eight = [](Scalar s) { return size_of(s) == 1; };
  if (is_float(left) && is_float(right)) {
    if (eight(left) && eight(right)) return Scalar::F32;
    if (left != right) return Scalar::Void;
    return left == Scalar::F64 ? Scalar::F64 : Scalar::F32;
  }
  return is_int(left) && is_int(right) && eight(left) && eight(right) ? Scalar::I32 : Scalar::Void;
}

std::string Product::misfit(std::int64_t threads) const {
  if (sums_of(left, right) == Scalar::Void)
    return fmt::format("there is no product of {} and {}", name_of(left), name_of(right));
  if (!ThreadTile::of(rows, columns, threads))
    return fmt::format(
        "{} threads cannot hold a product of {} rows and {} columns: "
        "use 32 times a power of two; warps share the rows in sixteens, "
        "then the columns in eights",
        threads, rows, columns);
  if (depth <= 0 || depth % least_depth(left) != 0)
    return fmt::format("the depth of a product of {} is a multiple of {}, not {}", name_of(left),
                       least_depth(left), depth);
  return {};
}

WordProduct::WordProduct(const Inst& inst) {
  if (inst.list.size() != numbers) return;
  rows = inst.list[0], columns = inst.list[1], step = inst.list[2];
  left = Scalar(inst.list[3]), right = Scalar(inst.list[4]);
  left_pitch = inst.list[5], left_strip = inst.list[6], right_pitch = inst.list[7];
  fresh = inst.list[8] != 0;
}

std::vector<std::int64_t> WordProduct::list() const {
  return {rows,       columns,     step, std::int64_t(left), std::int64_t(right), left_pitch,
          left_strip, right_pitch, fresh};
}

std::string WordProduct::misfit() const {
  constexpr std::int64_t side = 16, half = 8;
  const Scalar sum = Product::sums_of(left, right);
  const bool bytes = sum == Scalar::I32,
             halves = sum == Scalar::F32 && size_of(left) == 2 && left != Scalar::F16;
  if (!bytes && !halves)
    return fmt::format("there is no product of words of {} and {}", name_of(left), name_of(right));
  if (rows <= 0 || columns <= 0 || rows % side != 0 || columns % side != 0)
    return "rows and columns are multiples of 16";
  if (step != half && step != side) return "a step has 8 or 16 words";
  if (left_pitch < step * 4 || left_strip <= 0 || right_pitch < columns * 4)
    return "a row is shorter than its words";
  return {};
}

ProductChain product_chain(const Function& f, const std::vector<std::uint32_t>& uses,
                           const Inst& loop) {
  const Region& body = f.regions[loop.regions[0]];
  unsigned ways = 0;  // to the next trip, and out of the loop
  const auto count = [&](const auto& self, RegionId r) -> void {
    for (const InstId i : f.regions[r].insts) {
      const Inst& inst = f.insts[i];
      ways += inst.op == Op::Continue || inst.op == Op::Break;
      if (!is_loop(inst.op))
        for (const RegionId inner : inst.regions) self(self, inner);
    }
  };
  count(count, loop.regions[0]);
  if (ways != 1 || f.insts[body.insts.back()].op != Op::Continue) return {};
  ProductChain chain;
  for (const InstId i : body.insts) {
    const Inst& inst = f.insts[i];
    if (inst.op != Op::Product) continue;
    const std::vector<ValueId> from(product_sums(inst).begin(), product_sums(inst).end());
    if (chain.products.empty()) {
      for (const ValueId v : from) {
        const auto at = std::find(body.params.begin() + 1, body.params.end(), v);
        if (at == body.params.end()) break;
        chain.carried.push_back(std::size_t(at - body.params.begin()) - 1);
      }
      if (chain.carried.size() != from.size()) {
        chain.carried.clear();
        continue;
      }
    } else if (from != f.insts[chain.products.back()].results) {
      return {};
    }
    for (const ValueId v : from)
      if (uses[v] != 1) return {};
    chain.products.push_back(i);
  }
  if (chain.products.empty()) return {};
  const std::vector<ValueId>&next = f.insts[body.insts.back()].operands,
        &last = f.insts[chain.products.back()].results;
  for (std::size_t e = 0; e < last.size(); ++e)
    if (uses[last[e]] != 1 || next[chain.carried[e]] != last[e]) return {};
  return chain;
}

}  // namespace krait::ir
