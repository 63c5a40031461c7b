// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on a CPU: operands are packed into panels, so that a core reads them in order, and a thread has 6 rows of a column, so
// that the sums of two vectors of threads stay in 12 registers; of doubles it has 4 (3 took twice the time; 6 and 8 lie between). Matrices have
// a first dimension more, that of the batch.
#pragma once

#include <algorithm>
#include <array>

#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/product_ending.h>

namespace krait::detail {

/// Of smaller matrices tiles and panels would be empty for the most part.
inline constexpr std::int64_t least_side = 8, least_depth = 4;

/// What the kernels are made for. Sums are Words.
template <class Left, class Right, class Out, class Word>
struct product_types {
  using left = Left;
  using right = Right;
  using out = Out;
  using word = Word;

  template <class From>
  static value<Word> enter(const From& x) {
    return cast<Word>(x);
  }
};

// ---- a CPU ---------------------------------------------------------------------------------------------------------------------------
inline constexpr int panel_columns = 32;  // and threads of a block
template <class Types>
inline constexpr int panel_rows = sizeof(typename Types::word) == 8 ? 4 : 6;
/// Elements of a row that are multiplied before the next, and panels of rows that a block has at most: so much of a panel of columns fits into a
/// core's first cache, and of the rows into its second, where the next block finds them.
inline constexpr std::int64_t panel_depth = 256, panel_group = 40;

/// out[((batch, panel), k), row]: rows of x, of which those behind the last are 0. A block a panel.
template <class Types>
auto make_pack_rows() {
  using word = typename Types::word;
  static constexpr int own_rows = panel_rows<Types>;
  return kernel(
      [](view<const typename Types::left, 3> x, view<word> out, value<std::int64_t> panels) {
        const value<std::int64_t> block = block_idx().x, batch = block / panels, first = block % panels * own_rows,
                                  depth = x.extent(2), to = block * depth * own_rows;
        for (auto k : range(cast<std::int64_t>(thread_idx().x), depth, panel_columns))
          for (int r = 0; r < own_rows; ++r) {
            const auto inside = [&] { return Types::enter(x(batch, first + r, k)); };
            out[to + k * own_rows + r] = select(first + r < x.extent(1), inside, value<word>(word(0)));
          }
      },
      {.name = "matmul_rows"});
}
/// out[((batch, panel), k), column].
template <class Types>
auto make_pack_columns() {
  using word = typename Types::word;
  return kernel(
      [](view<const typename Types::right, 3> y, view<word> out, value<std::int64_t> panels) {
        const value<std::int64_t> own = cast<std::int64_t>(thread_idx().x), block = block_idx().x, batch = block / panels,
                                  depth = y.extent(1), column = block % panels * panel_columns + own,
                                  to = block * depth * panel_columns + own;
        for (auto k : range(std::int64_t(0), depth)) {
          const auto inside = [&] { return Types::enter(y(batch, k, column)); };
          out[to + k * panel_columns] = select(column < y.extent(2), inside, value<word>(word(0)));
        }
      },
      {.name = "matmul_columns"});
}
/// A block has some panels of rows times one of columns, for elements of a row from `begin` to before `end`. Sums go on where begin is not 0, and
/// end where `end` is the depth. A batch of one panel repeats.
template <class Types, class Function, class... More>
auto make_panel_product(const Function& f) {
  using word = typename Types::word;
  using out_type = typename Types::out;
  static constexpr int own_rows = panel_rows<Types>;
  return kernel(
      [f](view<const word> rows, view<const word> columns, view<out_type, 3> out, value<std::int64_t> depth,
          value<std::int64_t> begin, value<std::int64_t> end, value<std::int64_t> groups, value<std::int64_t> row_batch,
          value<std::int64_t> column_batch, ending_parameter<More>... more) {
        const value<std::int64_t> m = out.extent(1), n = out.extent(2);
        const value<std::int64_t> row_panels = (m + (own_rows - 1)) / own_rows,
                                  column_panels = (n + (panel_columns - 1)) / panel_columns;
        const value<std::int64_t> block = block_idx().x, column_panel = block % column_panels, rest = block / column_panels,
                                  group = rest % groups, batch = rest / groups;
        const value<std::int64_t> own = cast<std::int64_t>(thread_idx().x), column = column_panel * panel_columns + own;
        const value<std::int64_t> right = (batch * column_batch + column_panel) * depth * panel_columns + own;
        for (auto row_panel : range(group * row_panels / groups, (group + 1) * row_panels / groups)) {
          const value<std::int64_t> left = (batch * row_batch + row_panel) * depth * own_rows;
          var<word> sums[own_rows];
          for (auto k : range(begin, end)) {
            const value<word> y = columns[right + k * panel_columns];
            for (int r = 0; r < own_rows; ++r) sums[r] += value<word>(rows[left + k * own_rows + r]) * y;
          }
          for (int r = 0; r < own_rows; ++r) {
            const value<std::int64_t> row = row_panel * own_rows + r;
            if_(row < m && column < n, [&] {
              const auto ended = [&](const value<word>& sum) {
                return product_ending<Function, More...>::template of<out_type, word>(f, sum, batch, row, column, more...);
              };
              if constexpr (!std::is_same_v<word, out_type>) {  // one step
                out(batch, row, column) = ended(value<word>(sums[r]));
              } else {
                const value<word> sum = select(
                    begin == 0, [&] { return value<word>(sums[r]); },
                    [&] { return value<word>(out(batch, row, column) + sums[r]); });
                if_(end == depth, [&] { out(batch, row, column) = ended(sum); }).else_([&] { out(batch, row, column) = sum; });
              }
            });
          }
        }
      },
      {.name = "matmul_panels"});
}

template <class Types, class Function = sum_alone, class... More>
void multiply_panels(const array<const typename Types::left, 3>& x, const array<const typename Types::right, 3>& y,
                     array<typename Types::out, 3>& out, const product_ending<Function, More...>& ending = {}) {
  using word = typename Types::word;
  static auto& pack_rows = *new auto(make_pack_rows<Types>());
  static auto& pack_columns = *new auto(make_pack_columns<Types>());
  const std::int64_t depth = x.extent(2), m = out.extent(1), n = out.extent(2), batch = out.extent(0);
  constexpr int own_rows = panel_rows<Types>;
  const std::int64_t row_panels = divided_up(m, own_rows), column_panels = divided_up(n, panel_columns);
  // A matrix that repeats is packed once.
  const std::int64_t lefts = x.stride(0) == 0 ? 1 : batch, rights = y.stride(0) == 0 ? 1 : batch;
  array<word> rows(shape<1>(lefts * row_panels * depth * own_rows), x.device());
  array<word> columns(shape<1>(rights * column_panels * depth * panel_columns), x.device());
  pack_rows.launch({lefts * row_panels, panel_columns}, x, rows, row_panels);
  pack_columns.launch({rights * column_panels, panel_columns}, y, columns, column_panels);
  const std::int64_t workers = algorithm_device_of(x.device()).workers, tiles = batch * column_panels;
  const std::int64_t groups = std::min(row_panels, std::max(divided_up(row_panels, panel_group), workers / tiles));
  const std::int64_t step = std::is_same_v<word, typename Types::out> ? panel_depth : depth;
  with_kernel(
      ending.f, [](const Function& f) { return make_panel_product<Types, Function, More...>(f); },
      [&](const auto& multiply) {
        std::int64_t begin = 0;
        do {  // once where there is nothing to add
          const std::int64_t end = std::min(begin + step, depth);
          ending.launch([&](const auto&... more) {
            multiply.launch({tiles * groups, panel_columns}, rows, columns, out, depth, begin, end, groups,
                            lefts > 1 ? row_panels : 0, rights > 1 ? column_panels : 0, more...);
          });
          begin += step;
        } while (begin < depth);
      });
}

}  // namespace krait::detail
