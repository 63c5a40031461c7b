// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices: which way is best for which types on which device.
#include <algorithm>
#include <utility>

#include "algorithms/matmul_tensor.h"
#include "algorithms/tuning.h"
#include "devices/layout.h"
#include "ir/types.h"

namespace krait::host {

Number RecordedEnding::of(const Number& sum, const Index& batch, const Index& row,
                          const Index& column, const node* operands) const {
  if (record_) {
    const node place[] = {node_of(batch), node_of(row), node_of(column)};
    return {out_, record_(function_, sum.type, sum.at, operands, place)};
  }
  if (out_ == scalar::boolean)
    return {out_, detail::apply(detail::op::Ne, sum.type, sum.at, zero_of(sum.type).at)};
  return convert(out_, sum);
}

void launch_ended(const LibraryKernel& kernel, const dims& blocks, int threads,
                  LibraryKernel::Arguments arguments, const product_ending& ending) {
  if (ending.count == 0) return kernel.launch(blocks, threads, arguments);
  std::vector<detail::argument> all(arguments);
  all.insert(all.end(), ending.arguments, ending.arguments + ending.count);
  kernel.launch(blocks, threads, all.data());
}

any_array new_array(scalar type, std::uint32_t bytes, const detail::layout& at, void* on) {
  detail::check_shape(at.extents, at.rank, bytes);
  any_array made{type, bytes, at, {}, on};
  if (const std::int64_t size = size_of(at); size > 0)
    made.memory = detail::memory_share(detail::allocate(on, std::size_t(size) * bytes));
  return made;
}
any_array copied(const any_array& x) {
  const any_array made =
      new_array(x.type, x.bytes, detail::dense(x.at.extents, x.at.rank, false), x.on);
  detail::copy_elements({made.memory.get(), &made.at, made.bytes},
                        {x.memory.get(), &x.at, x.bytes});
  return made;
}
any_array reshaped(any_array x, const std::int64_t* extents, int rank) {
  detail::layout to;
  if (!detail::reshape(x.at, extents, rank, to)) {
    x = copied(x);
    detail::reshape(x.at, extents, rank, to);
  }
  x.at = to;
  return x;
}
any_array transposed(const any_array& x) {
  any_array turned = x;
  std::swap(turned.at.extents[x.at.rank - 2], turned.at.extents[x.at.rank - 1]);
  std::swap(turned.at.strides[x.at.rank - 2], turned.at.strides[x.at.rank - 1]);
  return turned;
}
std::uint64_t address_of(const any_array& x) {
  if (!x.memory.get() || size_of(x.at) == 0) return 0;
  return detail::address_of(x.memory.get()) + static_cast<std::uint64_t>(x.at.offset) * x.bytes;
}

namespace {

/// A matrix as a stack of one.
detail::layout stack_of_one(const detail::layout& of) {
  detail::layout stack;
  stack.rank = 3, stack.offset = of.offset, stack.extents[0] = 1;
  for (int d = 0; d < 2; ++d)
    stack.extents[d + 1] = of.extents[d], stack.strides[d + 1] = of.strides[d];
  return stack;
}

bool is_byte(scalar s) { return s == scalar::i8 || s == scalar::u8; }

/// Whether a number is the upper half of an f32, as op DotPairs takes two of them.
bool is_upper_half(scalar type) {
  const ir::ScalarInfo& of = ir::info(ir::Scalar(type));
  return of.bits == 16 && of.exponent == ir::info(ir::Scalar::F32).exponent;
}

void multiply_here(const Product& p, const detail::product_words& words, precision how) {
  const detail::algorithm_device on = detail::algorithm_device_of(detail::device_from(p.x.on));
  const scalar left = p.x.type, right = p.y.type;
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
  if (bytes || (pairs && on.dots_pairs)) return multiply_panels(p, true, panel_rows(p.word, false));
  multiply_panels(p, false, panel_rows(p.word, on.wide));
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

product_kernels* make_product_kernels() { return new product_kernels; }
void free_product_kernels(product_kernels* kernels) noexcept { delete kernels; }

any_array stack_of(const any_array& x, const std::int64_t* extents, int rank) {
  any_array out = x;
  out.at = broadcast_to(x.at, extents, rank);
  if (rank == 2) {
    out.at = host::stack_of_one(out.at);
  } else if (rank > 3) {
    std::int64_t size = 1;
    for (int d = 0; d < rank - 2; ++d) size *= extents[d];
    const std::int64_t three[] = {size, extents[rank - 2], extents[rank - 1]};
    out = host::reshaped(std::move(out), three, 3);
  }
  return out;
}
any_array batch_of(const any_array& x, const std::int64_t* batch, int count) {
  if (count == 0) return {x.type, x.bytes, host::stack_of_one(x.at), x.memory, x.on};
  std::int64_t extents[max_rank];
  std::copy(batch, batch + count, extents);
  extents[count] = x.at.extents[x.at.rank - 2], extents[count + 1] = x.at.extents[x.at.rank - 1];
  return stack_of(x, extents, count + 2);
}

bool is_small_product(const any_array& x, const any_array& y) {
  return x.at.extents[1] < host::least_side || y.at.extents[2] < host::least_side ||
         x.at.extents[2] < host::least_depth || x.at.extents[0] == 0;
}

void multiply(const any_array& x, const any_array& y, const any_array& out,
              const product_words& words, precision how, const product_ending& ending) {
  host::multiply_here({x, y, out, words.word, ending}, words, how);
}

}  // namespace krait::detail
