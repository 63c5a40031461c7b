// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by tensor cores: a block has a tile of the result, and tiles of both
// operands are on their way while others are multiplied (krait/tile.h). Operands whose rows are
// columns in memory are read so.
#include "algorithms/matmul/tensor.h"

#include "algorithms/tuning.h"
#include "devices/layout.h"

namespace krait::host {

TilePart part_of(scalar type, int rows, int columns, node view,
                 std::initializer_list<detail::operand> first, edges how) {
  return {{type, rows, columns}, detail::tile_place_of(view, 3, first, how)};
}

namespace {

/// Places in shared memory for the tiles of a factor.
struct Slots {
  detail::tile_shape shape;
  detail::factor at;
  Slots(const detail::tile_shape& of, int count) : shape(of), at(detail::make_factor(of, count)) {}
  void fetch(node slot, const TilePart& from) const {
    detail::fetch_factor(shape, at, slot, from.place);
  }
  detail::factor tile(node slot, bool turned) const {
    detail::factor f = detail::factor_at(shape, at, slot);
    if (turned) f.transposed = !f.transposed;
    return f;
  }
};

detail::tile_shape factor_shape(scalar type, int across, int depth, bool turned) {
  return turned ? detail::tile_shape{type, depth, across} : detail::tile_shape{type, across, depth};
}

}  // namespace

// With one slot the first steps have a loop of their own, without tests: together with the code for
// edges it took 1.3 times as long (Vulkan on an H100, bf16, 4096).
void record_steps(
    const TensorSteps& with, const Index& steps, const Index& whole,
    const std::function<std::pair<TilePart, TilePart>(const Index&, edges)>& sources) {
  const TensorForm& form = with.form;
  const int depth = TensorForm::depth(with.left);
  const Slots left(factor_shape(with.left, form.rows, depth, with.left_turned), form.slots),
      right(factor_shape(with.right, form.columns, depth, !with.right_turned), form.slots);
  const auto fetch = [&](const Index& step, node slot, edges how) {
    const auto [of_left, of_right] = sources(step, how);
    left.fetch(slot, of_left), right.fetch(slot, of_right);
  };
  const auto multiply = [&](node slot) {
    detail::tile_nodes nodes = with.sums;
    const detail::factor x = left.tile(slot, with.left_turned),
                         y = right.tile(slot, with.right_turned);
    detail::multiply({form.rows, form.columns, depth, true, detail::in_overlapped_pipeline()}, x, y,
                     nodes.data(), unsigned(nodes.size()));
    detail::assign_tile(with.sums, detail::copy_tile(with.sum, nodes));
  };
  if (form.slots > 1) {
    detail::pipeline(
        unsigned(form.slots), form.slots >= 3, node_of(steps),
        [&](node step, node slot) { fetch(Index(step), slot, edges::masked); },
        [&](node, node slot) { multiply(slot); }, detail::location::here());
    return;
  }
  const node only = detail::node_of(0);
  const auto steps_between = [&](const Index& first, const Index& end, edges how) {
    for (auto step : range(first, end)) {
      const auto [of_left, of_right] = sources(step, how);
      detail::meet();  // the last step's factors have been read
      left.fetch(only, of_left), right.fetch(only, of_right);
      detail::end_copies(), detail::wait_for_copies(0);
      detail::meet();
      multiply(only);
    }
  };
  steps_between(Index(std::int64_t(0)), whole, edges::pieces);
  steps_between(whole, steps, edges::masked);
}

detail::tile_nodes ended_tile(
    const detail::tile_shape& sum, const detail::tile_nodes& sums, scalar out,
    const std::function<Element(const Element&, const value<int>&, const value<int>&)>& end) {
  const auto numbers = [&](const detail::tile_shape& shape, int axis) {
    return detail::spread_tile(shape, detail::index_tile(shape, axis), sum);
  };
  const detail::tile_nodes all = detail::spread_tile(sum, sums, sum),
                           rows = numbers({scalar::i32, sum.rows, 1}, 0),
                           columns = numbers({scalar::i32, 1, sum.columns}, 1);
  return detail::map_tile({out, sum.rows, sum.columns}, [&](unsigned e) {
    const Element x{sum.type, detail::convert(sum.type, all[e])};
    const value<int> r(detail::convert(scalar::i32, rows[e])),
        c(detail::convert(scalar::i32, columns[e]));
    return detail::convert(out, end(x, r, c).only());
  });
}

namespace {

struct TensorTypes {
  scalar left, right, out, sums;
  bool left_turned, right_turned;
  bool parts = false;  // the sums are parts, which a second kernel adds up
};

/// Blocks go down by eights before they go on to the right, so that those that run together share
/// rows and columns in the cache. The sums over k are cut into `parts` of `part_depth` each, which
/// are consecutive matrices of `out`.
void record_product(const TensorTypes& t, const TensorForm& f, const RecordedEnding& ending,
                    const Parameters& p) {
  if (t.parts) detail::overlap_launches(false);
  const ElementView x = p.array(0), y = p.array(1), out = p.array(2);
  const node left_array = node_of(x), right_array = node_of(y);
  const Index parts = p.number(3), part_depth = p.number(4);
  const int step_depth = TensorForm::depth(t.left);
  const std::int64_t group = tile_group;
  const Index m = out.extent(1), n = out.extent(2);
  const Index down = (m + (f.rows - 1)) / f.rows, across = (n + (f.columns - 1)) / f.columns;
  const Index block = block_idx().x, matrix = block / (down * across),
              own = block % (down * across);
  const Index first = own / (group * across) * group,
              rows_of_group = krait::min(down - first, group), in_group = own % (group * across);
  const Index i = (first + in_group % rows_of_group) * f.rows,
              j = in_group / rows_of_group * f.columns;
  const Index batch = matrix / parts, from = matrix % parts * part_depth,
              depth = krait::min(x.extent(t.left_turned ? 1 : 2) - from, part_depth);
  const detail::tile_shape sum{t.sums, f.rows, f.columns};
  detail::tile_nodes sums = detail::make_tile(sum, zero_of(t.sums).only());
  const Index steps = (depth + (step_depth - 1)) / step_depth;
  const auto sources = [&](const Index& step, edges how) {
    const Index k = from + step * step_depth;
    const auto left = [&] {
      if (t.left_turned) return part_of(t.left, step_depth, f.rows, left_array, {batch, k, i}, how);
      return part_of(t.left, f.rows, step_depth, left_array, {batch, i, k}, how);
    };
    const auto right = [&] {
      if (t.right_turned)
        return part_of(t.right, f.columns, step_depth, right_array, {batch, j, k}, how);
      return part_of(t.right, step_depth, f.columns, right_array, {batch, k, j}, how);
    };
    return std::pair(left(), right());
  };
  const value<bool> inside = i + f.rows <= m && j + f.columns <= n;
  // The last parts of the depth may begin after its end.
  const Index whole = select(inside, krait::max(depth, 0) / step_depth, std::int64_t(0));
  record_steps({f, t.left, t.right, t.left_turned, t.right_turned, sum, sums}, steps, whole,
               sources);
  // Operands of the ending are read element by element where they are used: a tile of them would
  // not fit beside the sums.
  const auto ended = [&](const Element& s, const value<int>& r, const value<int>& c) {
    const Index row = krait::min(i + r, m - 1), column = krait::min(j + c, n - 1);
    return ending.of(s, matrix, row, column, p.others());
  };
  detail::store_tile({t.out, f.rows, f.columns}, ended_tile(sum, sums, t.out, ended),
                     detail::tile_place_of(node_of(out), 3, {matrix, i, j}, edges::masked));
}

const Kernel& product_kernel(const TensorTypes& t, const TensorForm& f,
                             const product_ending& ending) {
  return kernel_of(
      ending, t.out, "matmul_tensor",
      {t.left, t.right, t.out, t.sums, t.left_turned, t.right_turned, t.parts, f.rows, f.columns,
       f.threads, f.slots},
      {in(t.left, 3), in(t.right, 3), out(t.out, 3), number(), number()},
      [t, f](const Parameters& p, const RecordedEnding& ended) { record_product(t, f, ended, p); },
      {.block = f.threads});
}

/// The sums of the parts, in their order, and the ending.
void record_sum(const Parameters& p, const RecordedEnding& ending) {
  detail::overlap_launches(true);
  const ElementView sums = p.array(0), out = p.array(1);
  const Index parts = p.number(2), columns = out.extent(2), rows = out.extent(1);
  for (auto i : grid_stride(out.size())) {
    const Index column = i % columns, line = i / columns, row = line % rows, batch = line / rows;
    Variable sum(zero_of(sums.type()));
    for (auto part : range(std::int64_t(0), parts))
      sum.add(sums(batch * parts + part, row, column));
    out(batch, row, column) = ending.of(sum, batch, row, column, p.others());
  }
}

void multiply_parts(const TensorForm& f, scalar sums, const TensorOperand& x,
                    const TensorOperand& y, const any_array& out, std::int64_t parts,
                    std::int64_t part_depth, const product_ending& ending) {
  const TensorTypes t{x.matrix.type->whole,
                      y.matrix.type->whole,
                      out.type->whole,
                      sums,
                      x.turned,
                      y.turned,
                      parts > 1};
  const std::int64_t blocks = out.at.extents[0] * divided_up(out.at.extents[1], f.rows) *
                              divided_up(out.at.extents[2], f.columns);
  product_kernel(t, f, ending)
      .launch({blocks, f.threads}, x.matrix, y.matrix, out, parts, part_depth, operands_of(ending));
}

}  // namespace

text tensor_kernel_text(const TensorForm& f, scalar factor, scalar sums) {
  return product_kernel({factor, factor, sums, sums, false, true}, f, {}).ir();
}

void multiply_tensor_form(const TensorForm& f, scalar sums, const TensorOperand& x,
                          const TensorOperand& y, const any_array& out, std::int64_t parts,
                          const product_ending& ending) {
  const std::int64_t depth = x.matrix.at.extents[x.turned ? 1 : 2];
  if (parts <= 1) return multiply_parts(f, sums, x, y, out, 1, depth, ending);
  const any_array all =
      new_array(sums, {out.at.extents[0] * parts, out.at.extents[1], out.at.extents[2]}, out.on);
  const int step = TensorForm::depth(x.matrix.type->whole);
  multiply_parts(f, sums, x, y, all, parts, divided_up(divided_up(depth, parts), step) * step, {});
  kernel_of(ending, out.type->whole, "matmul_parts", {sums, out.type},
            {in(sums, 3), host::out(out.type, 3), number()},
            [](const Parameters& p, const RecordedEnding& ended) { record_sum(p, ended); })
      .launch({divided_up(out.size(), summed_elements * tile_threads), tile_threads}, all, out,
              parts, operands_of(ending));
}

TensorOperand tensor_operand_of(const any_array& x, bool turned) {
  const std::int64_t piece = 16 / x.type->bytes;
  const detail::layout& at = x.at;
  const auto is_dense = [&](int row, int column) {
    return at.strides[column] == 1 && at.strides[row] == at.extents[column] &&
           at.extents[column] % piece == 0 &&
           (at.extents[0] == 1 || at.strides[0] == at.extents[1] * at.extents[2]) &&
           address_of(x) % 16 == 0;
  };
  const bool either = lies_either_way(x.type->whole);
  if ((either || !turned) && is_dense(1, 2)) return {x, false};
  if ((either || turned) && is_dense(2, 1)) return {transposed(x), true};
  const bool over = !either && turned;
  const any_array from = over ? transposed(x) : x;
  if (from.at.extents[2] % piece == 0) return {copied(from), over};
  // Zeros after rows add nothing, and where they are columns of the result they are not stored.
  const any_array made = new_array(
      x.type,
      {from.at.extents[0], from.at.extents[1], divided_up(from.at.extents[2], piece) * piece},
      x.on);
  copy_padded(from, made);
  return {made, over};
}

void multiply_tensor(const Product& p, scalar sums) {
  const TensorOperand left = tensor_operand_of(p.x, false), right = tensor_operand_of(p.y, true);
  const std::int64_t* const extents = p.out.at.extents;
  const ProductSize size{extents[0], extents[1], extents[2],
                         divided_up(p.x.at.extents[2], TensorForm::depth(p.x.type->whole))};
  const TensorChoice choice = choose_form(p.x.type->whole, size, tensor_device_of(p.x.on));
  multiply_tensor_form(*choice.form, sums, left, right, p.out, choice.parts, p.ending);
}

}  // namespace krait::host
