// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of groups of rows with one matrix per group, in one launch: the experts of a layer, or
// graphs of a batch.
//   kr::array<kr::bf16, 2> y = kr::grouped_matmul(x, experts, ends);
// As torch._grouped_mm and jax.lax.ragged_dot have it.
#pragma once

#include <krait/algorithm/matmul.h>
#include <krait/slice.h>

namespace krait {
namespace detail {

/// Blocks have tiles of rows of one group, which they find by the ends. Blocks of a column of tiles
/// follow each other, so that those of a group share its matrix in the cache. The number of blocks
/// is an upper bound, and the last ones may find no rows.
template <class Left, class Right, class Out, class Index, class Form, bool RightTurned,
          class Function, class... More>
auto make_grouped_product(const Function& f) {
  return kernel(
      [f](view<const Left, 3> x, view<const Right, 3> y, view<const Index> ends, view<Out, 3> out,
          ending_parameter<More>... more) {
        using index = value<std::int64_t>;
        const index m = out.extent(1), n = out.extent(2), depth = x.extent(2), groups = ends.size();
        const index down = m / Form::rows + groups + 1, block = block_idx().x,
                    row_of_tiles = block % down, j = block / down * Form::columns;
        // Rows after the last group form one more group, without products.
        var<std::int64_t> begin, tiles, group = -1, i, last;
        for (auto g : range(groups + 1)) {
          const index end = select(
              g < groups,
              [&] {
                return krait::max(
                    krait::min(cast<std::int64_t>(ends[krait::min(g, groups - 1)]), m), begin);
              },
              m);
          const index own = (end - begin + (Form::rows - 1)) / Form::rows;
          if_(row_of_tiles >= tiles && row_of_tiles < tiles + own,
              [&] { group = g, i = begin + (row_of_tiles - tiles) * Form::rows, last = end; });
          tiles += own;
          begin = end;
        }
        const value<bool> multiplies = group >= 0 && group < groups;
        const index matrix = krait::max(krait::min(group, groups - 1), 0), first = i;
        using sums = typename sums_of<Left, Right>::type;
        tile<sums, Form::rows, Form::columns> sum;
        each_step<Form>(
            select(multiplies, (depth + (Form::depth - 1)) / Form::depth, std::int64_t(0)),
            std::int64_t(0),
            [&](auto step, edges how) {
              const index k = step * Form::depth;
              const auto right = [&] {
                if constexpr (RightTurned)
                  return load<Form::columns, Form::depth>(y, {matrix, j, k}, how);
                else return load<Form::depth, Form::columns>(y, {matrix, k, j}, how);
              };
              return std::tuple(load<Form::rows, Form::depth>(x, {0, first, k}, how), right());
            },
            [&](auto, const auto& a, const auto& b) {
              if constexpr (RightTurned) sum = mma(a, transpose(b), sum, precision::tf32);
              else sum = mma(a, b, sum, precision::tf32);
            });
        const auto ended = [&](const value<sums>& s, const value<int>& r, const value<int>& c) {
          const index row = krait::min(first + r, m - 1), column = krait::min(j + c, n - 1);
          return product_ending<Function, More...>::template of<Out, sums>(f, s, index(0), row,
                                                                           column, more...);
        };
        store(out, {0, first, j}, map(ended, sum, rows<Form::rows>(), columns<Form::columns>()),
              rows_before(last));
      },
      {.name = "grouped_matmul", .block = Form::threads});
}

template <class Form, class Left, class Right, class Out, class Index, class Function,
          class... More>
void multiply_groups_form(const array<const Left, 3>& x, const tensor_operand<Right>& y,
                          const array<const Index, 1>& ends, array<Out, 3>& out,
                          const product_ending<Function, More...>& ending) {
  const dims blocks =
      (out.extent(1) / Form::rows + ends.size() + 1) * divided_up(out.extent(2), Form::columns);
  const auto run = [&]<bool RightTurned>(std::bool_constant<RightTurned>) {
    if constexpr (lies_either_way<Right> || RightTurned)
      with_kernel(
          ending.f,
          [](const Function& f) {
            return make_grouped_product<Left, Right, Out, Index, Form, RightTurned, Function,
                                        More...>(f);
          },
          [&](const auto& multiply) {
            ending.launch([&](const auto&... more) {
              multiply.launch({blocks, Form::threads}, x, y.matrix, ends, out, more...);
            });
          });
  };
  if (y.turned) run(std::true_type());
  else run(std::false_type());
}

/// By tensor cores, with the ends where they are. The form is the fastest that is predicted for as
/// many tiles as groups of equal sizes have.
template <class Left, class Right, class Out, class Index, class Function, class... More>
void multiply_groups_tensor(const array<const Left, 3>& x, const array<const Right, 3>& y,
                            const array<const Index, 1>& ends, array<Out, 3>& out,
                            std::int64_t shared, const product_ending<Function, More...>& ending) {
  const auto left = tensor_operand_of(x.stride(2) == 1 ? x.share() : x.copy().share(), false);
  const auto right = tensor_operand_of(y, true);
  const std::int64_t groups = ends.size();
  const tensor_product_size size{groups, divided_up(out.extent(1), groups), out.extent(2),
                                 divided_up(x.extent(2), strip_depth<Left>)};
  const auto forms = tensor_forms<Left>();
  double least = std::numeric_limits<double>::infinity();
  int number = 0, best = 0;
  const auto consider = [&]<class Form>(const costed<Form>& c) {
    const double time = time_of<Form>(c.cost, size, 1);
    if (Form::template shared_bytes<Left> <= shared && time < least) least = time, best = number;
    ++number;
  };
  std::apply([&](const auto&... c) { (consider(c), ...); }, forms);
  number = 0;
  const auto run = [&]<class Form>(const costed<Form>&) {
    if (number++ == best) multiply_groups_form<Form>(left.matrix, right, ends, out, ending);
  };
  std::apply([&](const auto&... c) { (run(c), ...); }, forms);
}

/// Rows of an operand of an ending, or a number.
template <class Operand>
Operand rows_of_ending(const Operand& x, std::int64_t, std::int64_t) {
  return x;
}
template <class Elem>
array<const Elem, 3> rows_of_ending(const array<const Elem, 3>& x, std::int64_t begin,
                                    std::int64_t end) {
  return x(all, range(begin, end), all).share();
}

/// A product for each group, whose ends the host reads.
template <class Left, class Right, class Out, class Index, class Function, class... More>
void multiply_groups_apart(const array<const Left, 3>& x, const array<const Right, 3>& y,
                           const array<const Index, 1>& ends, array<Out, 3>& out, precision how,
                           const product_ending<Function, More...>& ending) {
  const std::vector<Index> at = ends.to_host();
  const std::int64_t m = out.extent(1);
  const array<Left, 3> no_columns({1, m, 0}, x.device());
  const array<Right, 3> no_rows({1, 0, out.extent(2)}, x.device());
  std::int64_t begin = 0;
  for (std::size_t g = 0; g <= at.size(); ++g) {
    const std::int64_t end =
        g < at.size() ? detail::larger(detail::smaller(std::int64_t(at[g]), m), begin) : m;
    if (end > begin) {
      array<Out, 3> to = out(all, range(begin, end), all);
      const bool multiplies = g < at.size();
      const array<const Left, 3> rows =
          (multiplies ? x.share() : no_columns.share())(all, range(begin, end), all).share();
      const array<const Right, 3> matrix =
          multiplies ? y(range(std::int64_t(g), std::int64_t(g) + 1), all, all).share()
                     : no_rows.share();
      std::apply(
          [&](const auto&... more) {
            multiply<Left, Right>(
                rows, matrix, to, how,
                product_ending<Function, More...>{ending.f, {rows_of_ending(more, begin, end)...}});
          },
          ending.more);
    }
    begin = end;
  }
}

/// Throws error{usage} where extents do not go together.
KRAIT_API void check_grouped_matmul(const layout& x, const layout& y, const layout& ends);

template <class Out, class Left, class Right, class Index, class Given, class Function = sum_alone,
          class... More>
auto multiply_groups(const array<Left, 2>& x, const array<Right, 3>& y, const array<Index, 1>& ends,
                     Given given, precision how, const Function& f = {}, const More&... more) {
  using left_type = std::remove_const_t<Left>;
  using right_type = std::remove_const_t<Right>;
  check_grouped_matmul(x.at(), y.at(), ends.at());
  std::int64_t extents[] = {x.extent(0), y.extent(2)};
  auto out = result_in<Out, 2>(given, dense(extents, 2, false), x.device(), x, y, ends, more...);
  array<Out, 3> to = with_extents(out.to, shape<3>(1, extents[0], extents[1]));
  if (to.size() == 0) return out.give();
  const array<const left_type, 3> left = x(newaxis).share();
  const array<const right_type, 3> right = y.share();
  const array<const std::remove_const_t<Index>, 1> at = ends.share();
  const product_ending<Function, decltype(ending_of<0>(more, extents))...> ending{
      f, {ending_of<0>(more, extents)...}};
  if constexpr (has_tensor_products<left_type, right_type>) {
    const algorithm_device on = algorithm_device_of(x.device());
    const bool rounds = !std::is_same_v<left_type, float> || how == precision::tf32;
    if (rounds && !on.halves_alone && on.tensor_shared >= least_tensor_memory<left_type> &&
        at.size() > 0 && x.extent(1) > 0) {
      multiply_groups_tensor(left, right, at, to, on.tensor_shared, ending);
      return out.give();
    }
  }
  multiply_groups_apart(left, right, at, to, how, ending);
  return out.give();
}

}  // namespace detail

/// Multiplies groups of rows with one matrix per group, as torch._grouped_mm and
/// jax.lax.ragged_dot.
/// x is (m, k), y is (groups, k, n); group g has the rows from ends[g - 1] to before ends[g]. Ends
/// ascend, in int or std::int64_t; larger ones count as m, and one below its predecessor makes an
/// empty group. Rows after the last group are 0 before an ending. With tensor cores it is one
/// launch; elsewhere the host waits for the ends. Types, an ending, kr::precision::tf32 and
/// kr::into(z) as for kr::matmul. Throws error{usage} for extents that do not fit, error{device} if
/// memory is short.
/// \code
/// kr::array<float, 3> experts({8, 64, 32});
/// auto z = kr::grouped_matmul(a, experts, offsets);
/// \endcode
template <class Out = void, class Left, class Right, class Index, class... Rest>
auto grouped_matmul(const array<Left, 2>& x, const array<Right, 3>& y, const array<Index, 1>& ends,
                    const Rest&... rest) {
  static_assert(std::is_same_v<std::remove_const_t<Index>, int> ||
                    std::is_same_v<std::remove_const_t<Index>, std::int64_t>,
                "krait: the ends of groups must be int or std::int64_t");
  return std::apply(
      [&](const auto&... ending) {
        return detail::multiply_groups<detail::product_out<Out, Left, Right>>(
            x, y, ends, detail::output_in(rest...), detail::precision_in(rest...), ending...);
      },
      std::tuple_cat(detail::of_ending(rest)...));
}

}  // namespace krait
