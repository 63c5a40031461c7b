// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of groups of rows with one matrix per group, in one launch: the experts of a layer, or
// graphs of a batch.
//   kr::array<kr::bf16, 2> y = kr::grouped_matmul(x, experts, ends);
// As torch._grouped_mm and jax.lax.ragged_dot have it.
#pragma once

#include <krait/algorithm/matmul.h>

namespace krait {
namespace detail {

template <class Out, class Left, class Right, class Index, class Given, class Function = sum_alone,
          class... More>
auto multiply_groups_any(const array<Left, 2>& x, const array<Right, 3>& y,
                         const array<Index, 1>& ends, Given given, precision how,
                         const Function& f = {}, const More&... more) {
  static_assert(((ending_rank<More> <= 2) && ...),
                "krait: an operand of an ending must not have more dimensions than the product");
  check_grouped_matmul(layout_of(x), layout_of(y), layout_of(ends));
  const std::int64_t extents[] = {x.extent(0), y.extent(2)};
  auto out = result_in<Out, 2>(given, dense(extents, 2, false), x.device(), x, y, ends, more...);
  const array<Out, 3> to = with_extents(out.to, shape<3>(1, extents[0], extents[1]));
  if (to.size() > 0)
    with_ending<Out, std::remove_const_t<Left>, std::remove_const_t<Right>>(
        extents, 2,
        [&](const product_words& words, const product_ending& ending) {
          multiply_groups(batch_of(erased(x), nullptr, 0), erased(y), erased(ends), erased(to),
                          words, how, ending);
        },
        f, more...);
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
        return detail::multiply_groups_any<detail::product_out<Out, Left, Right>>(
            x, y, ends, detail::output_in(rest...), detail::precision_in(rest...), ending...);
      },
      std::tuple_cat(detail::of_ending(rest)...));
}

}  // namespace krait
