// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of groups of rows with one matrix per group: by tensor cores in one launch, elsewhere
// one product per group.
#include <algorithm>

#include "algorithms/matmul/tensor.h"

namespace krait::host {
namespace {

struct GroupTypes {
  scalar left, right, out, ends, sums;
  bool right_turned;
};

/// Blocks have tiles of rows of one group, which they find by the ends. Blocks of a column of tiles
/// follow each other, so that those of a group share its matrix in the cache. The number of blocks
/// is an upper bound, and the last ones may find no rows.
void record_groups(const GroupTypes& t, const TensorForm& f, const RecordedEnding& ending,
                   const Parameters& p) {
  const ElementView x = p.array(0), y = p.array(1), ends = p.array(2), out = p.array(3);
  const node left = node_of(x), right_array = node_of(y);
  const int step_depth = TensorForm::depth(t.left);
  const Index m = out.extent(1), n = out.extent(2), depth = x.extent(2), groups = ends.extent(0);
  const Index down = m / f.rows + groups + 1, block = block_idx().x, row_of_tiles = block % down,
              j = block / down * f.columns;
  // Rows after the last group form one more group, without products.
  var<std::int64_t> begin, tiles, group = -1, i, last;
  for (auto g : range(groups + 1)) {
    const Index end = select(
        g < groups,
        [&] {
          const Element given = ends(krait::min(g, groups - 1));
          const Index at = given.as<std::int64_t>();
          return krait::max(krait::min(at, m), begin);
        },
        m);
    const Index own = (end - begin + (f.rows - 1)) / f.rows;
    if_(row_of_tiles >= tiles && row_of_tiles < tiles + own,
        [&] { group = g, i = begin + (row_of_tiles - tiles) * f.rows, last = end; });
    tiles += own;
    begin = end;
  }
  const value<bool> multiplies = group >= 0 && group < groups;
  const Index matrix = krait::max(krait::min(group, groups - 1), 0), first = i;
  const detail::tile_shape sum{t.sums, f.rows, f.columns};
  detail::tile_nodes sums = detail::make_tile(sum, zero_of(t.sums).only());
  record_steps(
      {f, t.left, t.right, false, t.right_turned, sum, sums},
      Index(select(multiplies, (depth + (step_depth - 1)) / step_depth, std::int64_t(0))),
      Index(std::int64_t(0)), [&](const Index& step, edges how) {
        const Index k = step * step_depth;
        const auto right = [&] {
          if (t.right_turned)
            return part_of(t.right, f.columns, step_depth, right_array, {matrix, j, k}, how);
          return part_of(t.right, step_depth, f.columns, right_array, {matrix, k, j}, how);
        };
        return std::pair(part_of(t.left, f.rows, step_depth, left, {0, first, k}, how), right());
      });
  const auto ended = [&](const Element& s, const value<int>& r, const value<int>& c) {
    const Index row = krait::min(first + r, m - 1), column = krait::min(j + c, n - 1);
    return ending.of(s, Index(0), row, column, p.others());
  };
  const detail::tile_nodes stored = ended_tile(sum, sums, t.out, ended);
  detail::tile_place to = detail::tile_place_of(node_of(out), 3, {0, first, j}, edges::masked);
  to.ends = true, to.rows_end = detail::convert(scalar::i64, node_of(last));
  detail::store_tile({t.out, f.rows, f.columns}, stored, to);
}

void multiply_by_tensor_cores(const Product& p, const any_array& ends, scalar sums,
                              const TensorDevice& on) {
  const any_array left = p.x.at.strides[2] == 1 ? p.x : copied(p.x);
  const std::int64_t groups = ends.at.extents[0];
  const ProductSize size{groups, divided_up(p.out.at.extents[1], groups), p.out.at.extents[2],
                         divided_up(p.x.at.extents[2], TensorForm::depth(p.x.type->whole))};
  multiply_groups_form(*choose_group_form(p.x.type->whole, size, on).form, sums,
                       tensor_operand_of(left, false).matrix, tensor_operand_of(p.y, true), ends,
                       p.out, p.ending);
}

/// The rows from `begin` to before `end` of a stack of one matrix.
any_array rows_of(const any_array& x, std::int64_t begin, std::int64_t end) {
  any_array part = x;
  part.at.offset += begin * part.at.strides[1], part.at.extents[1] = end - begin;
  return part;
}
/// An ending with those rows of its operands.
std::vector<detail::argument> rows_of_operands(const product_ending& ending, std::int64_t begin,
                                               std::int64_t end) {
  std::vector<detail::argument> own(ending.arguments, ending.arguments + ending.count);
  for (std::size_t i = 0; i < own.size(); ++i) {
    detail::argument& a = own[i];
    if (a.kind != detail::argument::device_array) continue;
    a.offset += static_cast<std::uint64_t>(begin * a.strides[1]) * ending.parameters[i].elem_bytes;
    a.extents[1] = end - begin;
  }
  return own;
}
std::vector<std::int64_t> on_host(const any_array& ends) {
  const auto read = [&]<class Number>(Number) {
    const auto at = detail::typed<const Number, 1>(ends).to_host();
    return std::vector<std::int64_t>(at.begin(), at.end());
  };
  return ends.type->whole == scalar::i32 ? read(std::int32_t()) : read(std::int64_t());
}

/// A product for each group, whose ends the host reads.
void multiply_apart(const Product& p, const any_array& ends, const detail::product_words& words,
                    precision how) {
  const std::vector<std::int64_t> at = on_host(ends);
  const std::int64_t m = p.out.at.extents[1];
  const any_array no_columns = new_array(p.x.type, {1, m, 0}, p.x.on),
                  no_rows = new_array(p.y.type, {1, 0, p.out.at.extents[2]}, p.x.on);
  std::int64_t begin = 0;
  for (std::size_t g = 0; g <= at.size(); ++g) {
    const bool multiplies = g < at.size();
    const std::int64_t end = multiplies ? std::max(std::min(at[g], m), begin) : m;
    if (end > begin) {
      any_array matrix = multiplies ? p.y : no_rows;
      if (multiplies)
        matrix.at.offset += std::int64_t(g) * matrix.at.strides[0], matrix.at.extents[0] = 1;
      const std::vector<detail::argument> operands = rows_of_operands(p.ending, begin, end);
      product_ending ending = p.ending;
      ending.arguments = operands.data();
      detail::multiply(rows_of(multiplies ? p.x : no_columns, begin, end), matrix,
                       rows_of(p.out, begin, end), words, how, ending);
    }
    begin = end;
  }
}

}  // namespace

void multiply_groups_form(const TensorForm& f, scalar sums, const any_array& x,
                          const TensorOperand& y, const any_array& ends, const any_array& out,
                          const product_ending& ending) {
  const GroupTypes t{x.type->whole, y.matrix.type->whole, out.type->whole, ends.type->whole, sums,
                     y.turned};
  const std::int64_t blocks = (out.at.extents[1] / f.rows + ends.at.extents[0] + 1) *
                              divided_up(out.at.extents[2], f.columns);
  kernel_of(
      ending, t.out, "grouped_matmul",
      {t.left, t.right, t.out, t.ends, t.sums, t.right_turned, f.rows, f.columns, f.threads,
       f.slots},
      {in(t.left, 3), in(t.right, 3), in(t.ends, 1), host::out(t.out, 3)},
      [t, f](const Parameters& p, const RecordedEnding& ended) { record_groups(t, f, ended, p); },
      {.block = f.threads})
      .launch({blocks, f.threads}, x, y.matrix, ends, out, operands_of(ending));
}

}  // namespace krait::host

namespace krait::detail {

void multiply_groups(const any_array& x, const any_array& y, const any_array& ends,
                     const any_array& out, const product_words& words, precision how,
                     const product_ending& ending) {
  const host::Product p{x, y, out, words.word, ending};
  if (words.sums != scalar::none) {
    const algorithm_device on = algorithm_device_of(device_from(x.on));
    const bool rounds = x.type->whole != scalar::f32 || how == precision::tf32;
    if (rounds && !on.halves_alone &&
        on.tensor_shared >= host::least_tensor_memory(x.type->whole) && ends.at.extents[0] > 0 &&
        x.at.extents[2] > 0)
      return host::multiply_by_tensor_cores(p, ends, words.sums, host::tensor_device_of(x.on));
  }
  host::multiply_apart(p, ends, words, how);
}

}  // namespace krait::detail
