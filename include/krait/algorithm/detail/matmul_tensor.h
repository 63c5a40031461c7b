// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by tensor cores: a block has a tile of the result, and tiles of both operands are on their way while others are multiplied
// (krait/tile.h). Matrices have a first dimension more, that of the batch. Operands whose rows are columns in memory are read so.
#pragma once

#include <krait/algorithm/detail/matmul_tiles.h>
#include <krait/tile.h>

namespace krait::detail {

/// A block's tile, its threads, and the places of its pipeline.
template <int Rows, int Columns, int Depth, int Threads, int Slots>
struct tensor_form {
  static constexpr int rows = Rows, columns = Columns, depth = Depth, threads = Threads, slots = Slots;
};
/// Bytes of k in a step: a strip of shared memory.
template <class Elem>
inline constexpr int strip_depth = 128 / int(sizeof(Elem));

/// Element types of which tensor cores have products with sums that the result is rounded from.
template <class Elem>
inline constexpr bool has_tensor_products = is_float_v<Elem> && (sizeof(Elem) == 2 || sizeof(Elem) == 8);

/// Blocks go down by eights before they go on to the right, so that those that run together share rows and columns in the cache.
template <class Elem, class Out, class Form, bool LeftTurned, bool RightTurned>
auto make_tensor_product() {
  return kernel(
      [](view<const Elem, 3> x, view<const Elem, 3> y, view<Out, 3> out) {
        constexpr std::int64_t group = 8;
        const value<std::int64_t> down = (out.extent(1) + (Form::rows - 1)) / Form::rows,
                                  across = (out.extent(2) + (Form::columns - 1)) / Form::columns;
        const value<std::int64_t> block = block_idx().x, batch = block / (down * across), own = block % (down * across);
        const value<std::int64_t> first = own / (group * across) * group, rows = krait::min(down - first, group),
                                  in_group = own % (group * across);
        const value<std::int64_t> i = (first + in_group % rows) * Form::rows, j = in_group / rows * Form::columns;
        const value<std::int64_t> depth = x.extent(LeftTurned ? 1 : 2);
        using sums = typename sums_of<Elem, Elem>::type;
        tile<sums, Form::rows, Form::columns> sum;
        pipelined<Form::slots>((depth + (Form::depth - 1)) / Form::depth,
                               [&](auto step) {
                                 const value<std::int64_t> k = step * Form::depth;
                                 const auto left = [&] {
                                   if constexpr (LeftTurned) return load<Form::depth, Form::rows>(x, {batch, k, i});
                                   else return load<Form::rows, Form::depth>(x, {batch, i, k});
                                 };
                                 const auto right = [&] {
                                   if constexpr (RightTurned) return load<Form::columns, Form::depth>(y, {batch, j, k});
                                   else return load<Form::depth, Form::columns>(y, {batch, k, j});
                                 };
                                 return std::tuple(left(), right());
                               },
                               [&](auto, const auto& a, const auto& b) {
                                 const auto left = [&] {
                                   if constexpr (LeftTurned) return transpose(a);
                                   else return a;
                                 };
                                 const auto right = [&] {
                                   if constexpr (RightTurned) return transpose(b);
                                   else return b;
                                 };
                                 sum = mma(left(), right(), sum);
                               });
        store(out, {batch, i, j}, sum.template cast<Out>());
      },
      {.name = "matmul_tensor", .block = Form::threads});
}

/// An operand as the kernel reads it: with rows one behind the other, or columns, in pieces of 16 bytes.
template <class Elem>
struct tensor_operand {
  array<const Elem, 3> matrix;
  bool turned;
};
template <class Elem>
tensor_operand<Elem> tensor_operand_of(const array<const Elem, 3>& x) {
  constexpr std::int64_t piece = 16 / sizeof(Elem);
  const auto is_dense = [&](int row, int column) {
    return x.stride(column) == 1 && x.stride(row) == x.extent(column) && x.extent(column) % piece == 0 &&
           (x.extent(0) == 1 || x.stride(0) == x.extent(1) * x.extent(2)) && x.address() % 16 == 0;
  };
  if (is_dense(1, 2)) return {x.share(), false};
  if (is_dense(2, 1)) {
    layout at = x.at();
    std::swap(at.extents[1], at.extents[2]), std::swap(at.strides[1], at.strides[2]);
    return {array<const Elem, 3>(at, x.memory_owner(), handle_of(x.device())), true};
  }
  // Zeros behind rows add nothing, and where they are columns of the result they are not stored.
  static auto& copy = *new auto(make_pack_copy<Elem, Elem>());
  array<Elem, 3> made({x.extent(0), x.extent(1), divided_up(x.extent(2), piece) * piece}, x.device());
  copy.launch({divided_up(made.size(), 4 * tile_threads), tile_threads}, x.share(), made);
  return {array<const Elem, 3>(made.at(), made.memory_owner(), handle_of(made.device())), false};
}

template <class Elem, class Out, class Form>
void multiply_tensor_form(const tensor_operand<Elem>& x, const tensor_operand<Elem>& y, array<Out, 3>& out) {
  const dims blocks = out.extent(0) * divided_up(out.extent(1), Form::rows) * divided_up(out.extent(2), Form::columns);
  const auto launch = [&](auto& multiply) { multiply.launch({blocks, Form::threads}, x.matrix, y.matrix, out); };
  if (x.turned && y.turned) {
    static auto& multiply = *new auto(make_tensor_product<Elem, Out, Form, true, true>());
    launch(multiply);
  } else if (x.turned) {
    static auto& multiply = *new auto(make_tensor_product<Elem, Out, Form, true, false>());
    launch(multiply);
  } else if (y.turned) {
    static auto& multiply = *new auto(make_tensor_product<Elem, Out, Form, false, true>());
    launch(multiply);
  } else {
    static auto& multiply = *new auto(make_tensor_product<Elem, Out, Form, false, false>());
    launch(multiply);
  }
}

template <class Elem, class Out>
void multiply_tensor(const array<const Elem, 3>& x, const array<const Elem, 3>& y, array<Out, 3>& out) {
  constexpr int depth = strip_depth<Elem>;
  const auto left = tensor_operand_of(x), right = tensor_operand_of(y);
  const auto blocks = [&](std::int64_t rows, std::int64_t columns) {
    return out.extent(0) * divided_up(out.extent(1), rows) * divided_up(out.extent(2), columns);
  };
  constexpr std::int64_t busy = 128;  // blocks of a large GPU, one a multiprocessor
  if constexpr (sizeof(Elem) == 2)
    if (blocks(256, 128) >= busy) return multiply_tensor_form<Elem, Out, tensor_form<256, 128, depth, 256, 4>>(left, right, out);
  if (blocks(128, 128) >= busy) return multiply_tensor_form<Elem, Out, tensor_form<128, 128, depth, 256, 4>>(left, right, out);
  multiply_tensor_form<Elem, Out, tensor_form<64, 64, depth, 128, 4>>(left, right, out);
}

}  // namespace krait::detail
