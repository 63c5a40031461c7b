// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices: which way is best for which types on which device.
#include <algorithm>
#include <utility>

#include "algorithms/matmul/tensor.h"
#include "algorithms/tuning.h"
#include "devices/devices.h"
#include "devices/layout.h"
#include "ir/types.h"

namespace krait::host {

Element RecordedEnding::of(const Element& sum, const Index& batch, const Index& row,
                           const Index& column, const node* operands) const {
  if (record) {
    const node place[] = {node_of(batch), node_of(row), node_of(column)};
    return {out, record(function, sum.type()->whole, sum.only(), operands, place)};
  }
  return total_as(type_of(out), sum);
}

namespace {

/// A matrix as a stack of one.
any_array stack_of_one(any_array x) {
  detail::layout& at = x.at;
  at.rank = 3;
  for (int d = 2; d > 0; --d) at.extents[d] = at.extents[d - 1], at.strides[d] = at.strides[d - 1];
  at.extents[0] = 1, at.strides[0] = 0;
  return x;
}

bool is_byte(scalar s) { return s == scalar::i8 || s == scalar::u8; }

/// Whether a number is the upper half of an f32, as op DotPairs takes two of them.
bool is_upper_half(scalar type) {
  const ir::ScalarInfo& of = ir::info(ir::Scalar(type));
  return of.bits == 16 && of.exponent == ir::info(ir::Scalar::F32).exponent;
}

/// Of the CPU.
bool has_tile_registers(const any_array& x) {
  const auto& handle = *static_cast<DeviceHandle*>(detail::handle_of(detail::device_from(x.on)));
  return handle.target.cpu.has_tile_registers();
}

void multiply_here(const Product& p, const detail::product_words& words, precision how) {
  const detail::algorithm_device on = detail::algorithm_device_of(detail::device_from(p.x.on));
  const scalar left = p.x.type->whole, right = p.y.type->whole;
  if (words.sums != scalar::none) {
    const bool rounds = (left != scalar::f32 || how == precision::tf32) &&
                        (bytes_of(left) == 2 || !on.halves_alone);
    if (rounds && on.tensor_shared >= least_tensor_memory(left))
      return multiply_tensor(p, words.sums);
  }
  if (on.form != detail::algorithm_form::chunks) return multiply_tiles(p);
  // Every processor multiplies bytes by kr::dot4; some have an instruction for pairs of bf16.
  const bool integers = !ir::is_float(ir::Scalar(p.word)),
             bytes = is_byte(left) && is_byte(right) && integers && bytes_of(p.word) == 4,
             pairs = is_upper_half(left) && left == right && p.word == scalar::f32;
  if ((bytes || pairs) && has_tile_registers(p.x))
    return multiply_panels(p,
                           {.dots = true, .tiles = true, .rows = tile_rows(p.out.at.extents[1])});
  if (bytes || (pairs && on.dots_pairs))
    return multiply_panels(p, {.dots = true, .rows = panel_rows(p.word, false)});
  multiply_panels(p, {.rows = panel_rows(p.word, on.wide)});
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

any_array stack_of(const any_array& x, const std::int64_t* extents, int rank) {
  any_array out = x;
  out.at = broadcast_to(x.at, extents, rank);
  if (rank == 2) {
    out = host::stack_of_one(std::move(out));
  } else if (rank > 3) {
    std::int64_t size = 1;
    for (int d = 0; d < rank - 2; ++d) size *= extents[d];
    const std::int64_t three[] = {size, extents[rank - 2], extents[rank - 1]};
    out = host::reshaped(std::move(out), three, 3);
  }
  return out;
}
any_array batch_of(any_array x, const std::int64_t* batch, int count) {
  if (count == 0) return host::stack_of_one(std::move(x));
  std::int64_t extents[max_rank];
  std::copy(batch, batch + count, extents);
  extents[count] = x.at.extents[x.at.rank - 2], extents[count + 1] = x.at.extents[x.at.rank - 1];
  return stack_of(x, extents, count + 2);
}

bool is_small_product(const any_array& x, const any_array& y) {
  return x.at.extents[1] < host::least_side || y.at.extents[2] < host::least_side ||
         x.at.extents[2] < host::least_depth || x.at.extents[0] == 0;
}

std::int64_t least_product_side() { return host::least_side; }

void multiply(const any_array& x, const any_array& y, const any_array& out,
              const product_words& words, precision how, const product_ending& ending) {
  host::multiply_here({x, y, out, words.word, ending}, words, how);
}

}  // namespace krait::detail
