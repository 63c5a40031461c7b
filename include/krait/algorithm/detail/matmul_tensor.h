// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices by tensor cores: a block has a tile of the result, and tiles of both
// operands are on their way while others are multiplied (krait/tile.h). Matrices have a first
// dimension more, that of the batch. Operands whose rows are columns in memory are read so.
#pragma once

#include <limits>
#include <tuple>

#include <krait/algorithm/detail/matmul_tiles.h>
#include <krait/tile.h>

namespace krait::detail {

/// A strip of a tile in shared memory (lib/ir/tiles.h).
inline constexpr int strip_bytes = 128;

/// A block's tile, its threads, and the places of its pipeline; with one place copies and products
/// take turns.
template <int Rows, int Columns, int Depth, int Threads, int Slots>
struct tensor_form {
  static constexpr int rows = Rows, columns = Columns, depth = Depth, threads = Threads,
                       slots = Slots;
  /// The shared memory of a block: the slots, and a piece of 16 rows of the result for each warp.
  template <class Elem>
  static constexpr std::int64_t shared_bytes =
      std::int64_t(Slots) * (Rows + Columns) * Depth * std::int64_t(sizeof(Elem)) +
      Threads / 32 * 16 * (strip_bytes + 16);
};
/// Elements of k in a step: a strip of shared memory.
template <class Elem>
inline constexpr int strip_depth = strip_bytes / int(sizeof(Elem));

/// Types with products on tensor cores, as sums that are rounded to the result.
template <class Left, class Right>
inline constexpr bool has_tensor_products = !std::is_void_v<typename sums_of<Left, Right>::type>;
/// Factors that tensor cores take with k along rows or along columns; of others k runs along
/// memory.
template <class Elem>
inline constexpr bool lies_either_way = sizeof(Elem) == 2 || sizeof(Elem) == 8;

/// body(step, left, right) for each step of k; sources(step, edges) names the tiles to load. The
/// first `whole` steps leave no operand. With one slot they have a loop of their own, without
/// tests: together with the code for edges it took 1.3 times as long (Vulkan on an H100, bf16,
/// 4096).
template <class Form, class Sources, class Body>
void each_step(const value<std::int64_t>& steps, const value<std::int64_t>& whole,
               const Sources& sources, const Body& body) {
  if constexpr (Form::slots == 1) {
    const auto places = slots_for<decltype(sources(whole, edges::masked))>::make(1);
    const auto& [left, right] = places;
    const node only = node_of(0);
    const auto steps_between = [&](const value<std::int64_t>& first, const value<std::int64_t>& end,
                                   edges how) {
      for (auto step : range(first, end)) {
        const auto both = sources(step, how);
        meet();  // the last step's factors have been read
        left.fetch(only, std::get<0>(both)), right.fetch(only, std::get<1>(both));
        end_copies(), wait_for_copies(0);
        meet();
        body(step, left[only], right[only]);
      }
    };
    steps_between(value<std::int64_t>(std::int64_t(0)), whole, edges::pieces);
    steps_between(whole, steps, edges::masked);
  } else {
    pipelined<Form::slots>(
        steps, [&](const auto& step) { return sources(step, edges::masked); }, body);
  }
}

/// Blocks go down by eights before they go on to the right, so that those that run together share
/// rows and columns in the cache. The sums over k are cut into `parts` of `part_depth` each, which
/// are consecutive matrices of `out`.
template <class Left, class Right, class Out, class Form, bool LeftTurned, bool RightTurned,
          class Function, class... More>
auto make_tensor_product(const Function& f) {
  return kernel(
      [f](view<const Left, 3> x, view<const Right, 3> y, view<Out, 3> out,
          value<std::int64_t> parts, value<std::int64_t> part_depth,
          ending_parameter<More>... more) {
        constexpr std::int64_t group = 8;
        const value<std::int64_t> m = out.extent(1), n = out.extent(2);
        const value<std::int64_t> down = (m + (Form::rows - 1)) / Form::rows,
                                  across = (n + (Form::columns - 1)) / Form::columns;
        const value<std::int64_t> block = block_idx().x, matrix = block / (down * across),
                                  own = block % (down * across);
        const value<std::int64_t> first = own / (group * across) * group,
                                  rows_of_group = krait::min(down - first, group),
                                  in_group = own % (group * across);
        const value<std::int64_t> i = (first + in_group % rows_of_group) * Form::rows,
                                  j = in_group / rows_of_group * Form::columns;
        const value<std::int64_t> batch = matrix / parts, from = matrix % parts * part_depth,
                                  depth =
                                      krait::min(x.extent(LeftTurned ? 1 : 2) - from, part_depth);
        using sums = typename sums_of<Left, Right>::type;
        tile<sums, Form::rows, Form::columns> sum;
        const value<std::int64_t> steps = (depth + (Form::depth - 1)) / Form::depth;
        const auto sources = [&](const value<std::int64_t>& step, edges how) {
          const value<std::int64_t> k = from + step * Form::depth;
          const auto left = [&] {
            if constexpr (LeftTurned) return load<Form::depth, Form::rows>(x, {batch, k, i}, how);
            else return load<Form::rows, Form::depth>(x, {batch, i, k}, how);
          };
          const auto right = [&] {
            if constexpr (RightTurned)
              return load<Form::columns, Form::depth>(y, {batch, j, k}, how);
            else return load<Form::depth, Form::columns>(y, {batch, k, j}, how);
          };
          return std::tuple(left(), right());
        };
        const value<bool> inside = i + Form::rows <= m && j + Form::columns <= n;
        const auto multiply = [&](const auto& a, const auto& b) {
          const auto left = [&] {
            if constexpr (LeftTurned) return transpose(a);
            else return a;
          };
          const auto right = [&] {
            if constexpr (RightTurned) return transpose(b);
            else return b;
          };
          sum = mma(left(), right(), sum, precision::tf32);
        };
        // The last parts of the depth may begin after its end.
        const value<std::int64_t> whole =
            select(inside, krait::max(depth, 0) / Form::depth, std::int64_t(0));
        each_step<Form>(steps, whole, sources,
                        [&](auto, const auto& a, const auto& b) { multiply(a, b); });
        // Operands of the ending are read element by element where they are used: a tile of them
        // would not fit beside the sums.
        const auto ended = [&](const value<sums>& s, const value<int>& r, const value<int>& c) {
          const value<std::int64_t> row = krait::min(i + r, m - 1),
                                    column = krait::min(j + c, n - 1);
          return product_ending<Function, More...>::template of<Out, sums>(f, s, matrix, row,
                                                                           column, more...);
        };
        store(out, {matrix, i, j}, map(ended, sum, rows<Form::rows>(), columns<Form::columns>()));
      },
      {.name = "matmul_tensor", .block = Form::threads});
}

/// The sums of the parts, in their order, and the ending.
template <class Sums, class Out, class Function, class... More>
auto make_sum_of_parts(const Function& f) {
  return kernel(
      [f](view<const Sums, 3> sums, view<Out, 3> out, value<std::int64_t> parts,
          ending_parameter<More>... more) {
        const value<std::int64_t> columns = out.extent(2), rows = out.extent(1);
        for (auto i : grid_stride(out.size())) {
          const value<std::int64_t> column = i % columns, line = i / columns, row = line % rows,
                                    batch = line / rows;
          var<Sums> sum;
          for (auto p : range(std::int64_t(0), parts)) sum += sums(batch * parts + p, row, column);
          out(batch, row, column) = product_ending<Function, More...>::template of<Out, Sums>(
              f, value<Sums>(sum), batch, row, column, more...);
        }
      },
      {.name = "matmul_parts"});
}

/// An operand as the kernel reads it: with contiguous rows, or columns, in pieces of 16 bytes.
template <class Elem>
struct tensor_operand {
  array<const Elem, 3> matrix;
  bool turned;
};
/// `turned`: k runs along columns in memory, if that matters to the type.
template <class Elem>
tensor_operand<Elem> tensor_operand_of(const array<const Elem, 3>& x, bool turned) {
  constexpr std::int64_t piece = 16 / sizeof(Elem);
  const auto is_dense = [&](int row, int column) {
    return x.stride(column) == 1 && x.stride(row) == x.extent(column) &&
           x.extent(column) % piece == 0 &&
           (x.extent(0) == 1 || x.stride(0) == x.extent(1) * x.extent(2)) && x.address() % 16 == 0;
  };
  if ((lies_either_way<Elem> || !turned) && is_dense(1, 2)) return {x.share(), false};
  if ((lies_either_way<Elem> || turned) && is_dense(2, 1))
    return {x.permute(0, 2, 1).share(), true};
  const bool over = !lies_either_way<Elem> && turned;
  const array<const Elem, 3> from = over ? x.permute(0, 2, 1).share() : x.share();
  if (from.extent(2) % piece == 0) return {from.copy().share(), over};
  // Zeros behind rows add nothing, and where they are columns of the result they are not stored.
  static auto& copy = lasting(make_pack_copy<Elem, Elem>());
  array<Elem, 3> made({from.extent(0), from.extent(1), divided_up(from.extent(2), piece) * piece},
                      x.device());
  copy.launch({divided_up(made.size(), 4 * tile_threads), tile_threads}, from, made);
  return {made.share(), over};
}

template <class Form, class Left, class Right, class Out, class Function, class... More>
void multiply_parts(const tensor_operand<Left>& x, const tensor_operand<Right>& y,
                    array<Out, 3>& out, std::int64_t parts, std::int64_t part_depth,
                    const product_ending<Function, More...>& ending) {
  const dims blocks = out.extent(0) * divided_up(out.extent(1), Form::rows) *
                      divided_up(out.extent(2), Form::columns);
  const auto run = [&]<bool LeftTurned, bool RightTurned>(std::bool_constant<LeftTurned>,
                                                          std::bool_constant<RightTurned>) {
    // Factors that are read in one layout only have been copied to it.
    if constexpr ((lies_either_way<Left> || !LeftTurned) && (lies_either_way<Right> || RightTurned))
      with_kernel(
          ending.f,
          [](const Function& f) {
            return make_tensor_product<Left, Right, Out, Form, LeftTurned, RightTurned, Function,
                                       More...>(f);
          },
          [&](const auto& multiply) {
            ending.launch([&](const auto&... more) {
              multiply.launch({blocks, Form::threads}, x.matrix, y.matrix, out, parts, part_depth,
                              more...);
            });
          });
  };
  const std::true_type yes;
  const std::false_type no;
  if (x.turned && y.turned) run(yes, yes);
  else if (x.turned) run(yes, no);
  else if (y.turned) run(no, yes);
  else run(no, no);
}

/// In so many parts of the depth, which are summed up after.
template <class Form, class Left, class Right, class Out, class Function = sum_alone, class... More>
void multiply_tensor_form(const tensor_operand<Left>& x, const tensor_operand<Right>& y,
                          array<Out, 3>& out, std::int64_t parts,
                          const product_ending<Function, More...>& ending = {}) {
  const std::int64_t depth = x.matrix.extent(x.turned ? 1 : 2);
  if (parts > 1) {
    using sums = typename sums_of<Left, Right>::type;
    array<sums, 3> all({out.extent(0) * parts, out.extent(1), out.extent(2)}, out.device());
    multiply_parts<Form>(x, y, all, parts,
                         divided_up(divided_up(depth, parts), Form::depth) * Form::depth,
                         product_ending<>());
    with_kernel(
        ending.f,
        [](const Function& f) { return make_sum_of_parts<sums, Out, Function, More...>(f); },
        [&](const auto& sum) {
          ending.launch([&](const auto&... more) {
            sum.launch({divided_up(out.size(), 2 * tile_threads), tile_threads}, all, out, parts,
                       more...);
          });
        });
  } else {
    multiply_parts<Form>(x, y, out, 1, depth, ending);
  }
}

/// The times of a form in microseconds on an H100 (bench_forms). `step` is a step of a block while
/// a multiprocessor holds as many blocks as it can, `least` the least time of a step. `tile` is the
/// work before and after the steps.
struct tensor_cost {
  int together;
  double step, least, tile;
};
template <class Form>
struct costed {
  using form = Form;
  tensor_cost cost;
};
/// The forms of a type. A step is a strip of k for every type, and takes the same time, except for
/// f64. There the larger form has the time of a product of 4096 in bench_matmul. The smaller form
/// is not measured: it has a quarter of that and a seventh more.
template <class Elem, int Depth = strip_depth<Elem>>
constexpr auto tensor_forms() {
  if constexpr (sizeof(Elem) == 8)
    return std::tuple(costed<tensor_form<128, 128, Depth, 256, 4>>{{1, 1.46, 1.46, 3.5}},
                      costed<tensor_form<64, 64, Depth, 128, 4>>{{3, 0.42, 0.5, 2.1}});
  else if constexpr (sizeof(Elem) == 2)
    // The last two are for the 48 KiB of Vulkan on NVIDIA, and slower than the others where these
    // fit.
    return std::tuple(costed<tensor_form<128, 256, Depth, 256, 4>>{{1, 0.65, 0.65, 4.6}},
                      costed<tensor_form<128, 128, Depth, 256, 6>>{{1, 0.37, 0.37, 3.5}},
                      costed<tensor_form<64, 128, Depth, 128, 8>>{{1, 0.265, 0.265, 2.5}},
                      costed<tensor_form<64, 64, Depth, 128, 4>>{{3, 0.17, 0.3, 2.1}},
                      costed<tensor_form<128, 128, Depth, 128, 1>>{{2, 0.9, 1.4, 5.5}},
                      costed<tensor_form<64, 64, Depth, 128, 1>>{{4, 0.35, 1.0, 4}});
  else
    return std::tuple(costed<tensor_form<128, 256, Depth, 256, 4>>{{1, 0.65, 0.65, 4.6}},
                      costed<tensor_form<128, 128, Depth, 256, 6>>{{1, 0.37, 0.37, 3.5}},
                      costed<tensor_form<64, 128, Depth, 128, 8>>{{1, 0.265, 0.265, 2.5}},
                      costed<tensor_form<64, 64, Depth, 128, 4>>{{3, 0.17, 0.3, 2.1}});
}
struct tensor_product_size {
  std::int64_t batch, rows, columns, steps;
};
template <class Form>
std::int64_t blocks_of(const tensor_product_size& of) {
  return of.batch * divided_up(of.rows, Form::rows) * divided_up(of.columns, Form::columns);
}
/// Multiprocessors of an H100 and an H200.
inline constexpr std::int64_t multiprocessors = 132;
/// Where a form leaves multiprocessors idle they share the depth, if a part has as many steps as
/// hide what a block costs.
template <class Form>
std::int64_t most_parts(const tensor_product_size& of) {
  constexpr std::int64_t least_steps = 16;
  return larger(smaller(multiprocessors / blocks_of<Form>(of), of.steps / least_steps), 1);
}
/// In microseconds. Parts are summed up by a second kernel, which reads at 2 TB/s what the first
/// has written.
template <class Form>
double time_of(const tensor_cost& c, const tensor_product_size& of, std::int64_t parts) {
  constexpr double kernel = 4, bytes_per_microsecond = 2e6;
  const std::int64_t blocks = blocks_of<Form>(of) * parts, wave = multiprocessors * c.together,
                     rest = blocks % wave;
  const double steps = double(divided_up(of.steps, parts));
  const auto of_step = [&](std::int64_t on_each) {
    const double time = double(on_each) * c.step;
    return time < c.least ? c.least : time;
  };
  const double all = double(blocks / wave) * of_step(c.together) +
                     (rest ? of_step(divided_up(rest, multiprocessors)) : 0);
  const double written = double(of.batch * of.rows * of.columns * parts) * 2 * sizeof(float);
  return steps * all + double(divided_up(blocks, wave)) * c.tile +
         (parts > 1 ? kernel + written / bytes_per_microsecond : 0);
}

/// By the form that is predicted to be the fastest of those that fit the device's shared memory; of
/// nearly equal ones by the largest, which copies least.
template <class Left, class Right, class Out, class Function, class... More>
void multiply_tensor(const array<const Left, 3>& x, const array<const Right, 3>& y,
                     array<Out, 3>& out, std::int64_t shared,
                     const product_ending<Function, More...>& ending) {
  const auto left = tensor_operand_of(x, false);
  const auto right = tensor_operand_of(y, true);
  const tensor_product_size size{out.extent(0), out.extent(1), out.extent(2),
                                 divided_up(x.extent(2), strip_depth<Left>)};
  const auto forms = tensor_forms<Left>();
  constexpr double near = 0.97;
  double least = std::numeric_limits<double>::infinity();
  int number = 0, best = 0;
  std::int64_t parts = 1;
  const auto consider = [&]<class Form>(const costed<Form>& f) {
    const bool fits = Form::template shared_bytes<Left> <= shared;
    for (const std::int64_t p : {std::int64_t(1), most_parts<Form>(size)})
      if (const double time = time_of<Form>(f.cost, size, p); fits && time < near * least)
        least = time, best = number, parts = p;
    ++number;
  };
  std::apply([&](const auto&... f) { (consider(f), ...); }, forms);
  number = 0;
  const auto run = [&]<class Form>(const costed<Form>&) {
    if (number++ == best) multiply_tensor_form<Form>(left, right, out, parts, ending);
  };
  std::apply([&](const auto&... f) { (run(f), ...); }, forms);
}
/// The least shared memory of a block that has tensor cores at work.
template <class Elem>
inline constexpr std::int64_t least_tensor_memory =
    (sizeof(Elem) == 2
         ? tensor_form<128, 128, strip_depth<Elem>, 128, 1>::template shared_bytes<Elem>
         : tensor_form<64, 64, strip_depth<Elem>, 128, 4>::template shared_bytes<Elem>);

}  // namespace krait::detail
