// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einstein summation, as in NumPy, with subscripts that are read while compiling.
//   kr::array<float, 2> c = kr::einsum<"ij,jk->ik">(a, b);   // a product of matrices
//   float trace = kr::einsum<"ii">(a);
//   auto rows = kr::einsum<"...j->...">(a);                  // sums of the last dimension
#pragma once

#include <krait/algorithm/matmul.h>

namespace krait {
namespace detail {

/// A sum of products of two operands as one of matrices.
struct product_plan {
  // all dimensions: those of the batch, of the rows, of the columns first, others, of extent 1,
  // last
  layout left, right;
  int lefts[3], rights[3];  // how many of them are the batch's, the rows' and the columns'
  std::int64_t batch, rows, columns;
  layout result;  // of the product's elements in C order
};
/// Whether the sum is a product of matrices that are large enough; operands as sum_operands gives
/// them.
KRAIT_API bool plan_product(const layout* operands, const int (*dimensions)[max_rank],
                            const int* ranks, int count, int results, product_plan& plan);
/// x in three dimensions: `at` has all, of which `groups` has the numbers. Its elements are copied
/// where strides cannot say it.
KRAIT_API any_array as_matrices(const any_array& x, const layout& at, const int* groups);

template <fixed_text Subscripts, class Output, class Left, int LeftRank, class Right, int RightRank>
auto sum_of_two(Output output, const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  using sum = einstein_sum<Subscripts>;
  layout at[2];
  int dimensions[2][max_rank]{};
  sum::prepare(at, dimensions, std::index_sequence_for<Left, Right>{}, x, y);
  constexpr sum_dimensions all = sum::template all<LeftRank, RightRank>;
  if constexpr (all.results >= 2 && all.count > all.results) {
    const int ranks[] = {LeftRank, RightRank};
    if (product_plan plan; plan_product(at, dimensions, ranks, all.count, all.results, plan)) {
      using elem = product_type<Left, Right>;
      auto out = result_in<elem, all.results>(output, plan.result, x.device(), x, y);
      array<elem, 3> to = with_extents(out.to, shape<3>(plan.batch, plan.rows, plan.columns));
      const any_array left = as_matrices(erased(x), plan.left, plan.lefts),
                      right = as_matrices(erased(y), plan.right, plan.rights);
      if constexpr (complex_number<elem>) {
        to.copy_from(multiply_complex([](const auto& a, const auto& b) { return matmul(a, b); },
                                      typed<const std::remove_const_t<Left>, 3>(left),
                                      typed<const std::remove_const_t<Right>, 3>(right)));
        return out.give();
      } else {
        with_ending<elem, std::remove_const_t<Left>, std::remove_const_t<Right>>(
            nullptr, 0,
            [&](const product_words& words, const product_ending& ending) {
              multiply(left, right, erased(to), words, precision::single, ending);
            },
            sum_alone());
        return out.give();
      }
    }
  }
  return sum::compute(output, at, std::index_sequence_for<Left, Right>{}, x, y);
}

}  // namespace detail

/// Einstein summation of any number of arrays, as numpy.einsum, with subscripts known when
/// compiling.
/// A letter is a dimension, with equal extents or 1 wherever it occurs; `...` stands for dimensions
/// that broadcast. Letters after -> are the result's dimensions, and the others are summed. Without
/// -> the result has the letters that occur once. The result is a new array, or a number that the
/// call waits for, of the common type. Products of two large matrices use kr::matmul; anything else
/// is one kernel. Wrong subscripts do not compile. Throws error{usage} for extents that differ.
/// kr::into(z) may follow.
/// \code
/// kr::array<float, 2> c = kr::einsum<"ij,jk->ik">(a, b);
/// float trace = kr::einsum<"ii">(a);
/// \endcode
template <detail::fixed_text Subscripts, class... Arguments>
  requires((detail::is_device_array<Arguments>::value || detail::into_option<Arguments>) && ...)
auto einsum(const Arguments&... arguments) {
  const auto output = detail::output_in(arguments...);
  return std::apply(
      [&](const auto&... operands) {
        static_assert(sizeof...(operands) > 0,
                      "krait: einsum needs as many operands as its subscripts have");
        if constexpr (sizeof...(operands) == 2)
          return detail::sum_of_two<Subscripts>(output, operands...);
        else return detail::sum_products<Subscripts>(output, operands...);
      },
      std::tuple_cat(detail::without_into(arguments)...));
}

/// Of expressions, too.
template <detail::fixed_text Subscripts, class... Arguments>
  requires detail::some_deferred<Arguments...>
auto einsum(const Arguments&... arguments) {
  return einsum<Subscripts>(detail::evaluated(arguments)...);
}

}  // namespace krait
