// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices and vectors, as in NumPy.
//   kr::array<float, 2> c = kr::matmul(a, b);
//   kr::array<double, 3> z = kr::matmul(batch, one);   // dimensions before the last two broadcast
//   auto v = kr::matmul(a, x);                         // of a vector
//   auto ending = [](auto sum, auto b) { return kr::max(sum + b, 0.0f); };
//   auto y = kr::matmul<kr::bf16>(x, w, ending, bias);
#pragma once

#include <krait/algorithm/detail/complex_product.h>
#include <krait/algorithm/detail/einstein_sum.h>
#include <krait/algorithm/detail/product.h>

namespace krait {
namespace detail {

template <class Left, class Right>
using product_type =
    typename common_number<std::remove_const_t<Left>, std::remove_const_t<Right>>::type;
/// Of floats of 8 bits, which are made from sums by a program that has scaled them, the sums.
template <class Left, class Right>
struct default_product {
  using type = product_type<Left, Right>;
};
template <class Left, class Right>
  requires(is_float_v<std::remove_const_t<Left>> && sizeof(Left) == 1 &&
           is_float_v<std::remove_const_t<Right>> && sizeof(Right) == 1)
struct default_product<Left, Right> {
  using type = float;
};

/// The sum as it is.
struct sum_alone {};

/// use(words, ending) for a product of these types, whose result has these extents.
template <class Out, class Left, class Right, class Use, class Function, class... More>
void with_ending(const std::int64_t* extents, int rank, const Use& use, const Function& f,
                 const More&... more) {
  using word = product_word<typename common_number<Left, Right, Out>::type>;
  using sums = typename sums_of<Left, Right>::type;
  product_words words{scalar_of<word>, scalar::none};
  if constexpr (!std::is_void_v<sums>) words.sums = scalar_of<sums>;
  if constexpr (std::is_same_v<Function, sum_alone>) use(words, product_ending{});
  else
    ending_of<Out, word, sums, Function, More...>::with(
        f, extents, rank, [&](const product_ending& ending) { use(words, ending); }, more...);
}

template <class Operand>
inline constexpr int ending_rank = 0;
template <class Elem, int Rank>
inline constexpr int ending_rank<array<Elem, Rank>> = Rank;

/// Products of two matrices, or of stacks of them; `extents` has the extents of the batch.
template <class Out, class Left, int LeftRank, class Right, int RightRank, class Given,
          class Function, class... More>
auto multiply_matrices(const array<Left, LeftRank>& x, const array<Right, RightRank>& y,
                       std::int64_t* extents, Given given, precision how, const Function& f,
                       const More&... more) {
  constexpr int batch = largest({LeftRank - 2, RightRank - 2, 0});
  static_assert(((ending_rank<More> <= batch + 2) && ...),
                "krait: an operand of an ending must not have more dimensions than the product");
  using left_type = std::remove_const_t<Left>;
  using right_type = std::remove_const_t<Right>;
  const any_array left = batch_of(erased(x), extents, batch),
                  right = batch_of(erased(y), extents, batch);
  const std::int64_t m = left.at.extents[1], n = right.at.extents[2];
  extents[batch] = m, extents[batch + 1] = n;
  const layout at = dense(extents, batch + 2, false);
  if constexpr (std::is_same_v<Function, sum_alone> &&
                std::is_same_v<Out, product_type<Left, Right>>)
    if (is_small_product(left, right)) {
      const auto sums = sum_products<"bij,bjk->bik">(nullptr, typed<const left_type, 3>(left),
                                                     typed<const right_type, 3>(right));
      return give_result(given, array<Out, batch + 2>(view_at(at, sums)));
    }
  auto out = result_in<Out, batch + 2>(given, at, x.device(), x, y, more...);
  const array<Out, 3> to = with_extents(out.to, shape<3>(left.at.extents[0], m, n));
  if (to.size() > 0)
    with_ending<Out, left_type, right_type>(
        extents, batch + 2,
        [&](const product_words& words, const product_ending& ending) {
          multiply(left, right, erased(to), words, how, ending);
        },
        f, more...);
  return out.give();
}

/// The same of vectors, which are rows on the left and columns on the right.
template <class Out, class Left, int LeftRank, class Right, int RightRank, class Given,
          class Function = sum_alone, class... More>
auto multiply_any(const array<Left, LeftRank>& x, const array<Right, RightRank>& y, Given given,
                  precision how, const Function& f = {}, const More&... more) {
  std::int64_t extents[max_rank];
  matmul_shape(layout_of(x), layout_of(y), largest({LeftRank - 2, RightRank - 2, 0}), extents);
  if constexpr (LeftRank > 1 && RightRank > 1) {
    return multiply_matrices<Out>(x, y, extents, given, how, f, more...);
  } else {
    static_assert(
        std::is_same_v<Function, sum_alone> && std::is_same_v<Out, product_type<Left, Right>>,
        "krait: a product with an ending or with a result type needs two matrices");
    if constexpr (RightRank > 1) {
      return sum_products<"i,...ij->...j">(given, x, y);
    } else if constexpr (LeftRank > 1) {
      return sum_products<"...ij,j->...i">(given, x, y);
    } else {
      static_assert(std::is_null_pointer_v<Given>,
                    "krait: matmul of two vectors returns a number: call it without into()");
      return sum_products<"i,i->">(given, x, y);
    }
  }
}

template <class Out, class Left, class Right>
using product_out =
    std::conditional_t<std::is_void_v<Out>, typename default_product<Left, Right>::type, Out>;

inline precision precision_in() { return precision::single; }
template <class First, class... Rest>
precision precision_in(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<First, precision>) return first;
  else return precision_in(rest...);
}
/// Nothing, or an argument that belongs to an ending.
template <class Option>
auto of_ending(const Option& x) {
  if constexpr (std::is_same_v<Option, precision> || into_option<Option>) return std::tuple<>();
  else return std::tuple<const Option&>(x);
}

/// A product of complex numbers: the number of two vectors, else an array.
template <class Out, class Output, class Made>
auto give_product(const Output& output, const Made& made) {
  if constexpr (complex_number<Made>) {
    static_assert(std::is_null_pointer_v<Output>,
                  "krait: matmul of two vectors returns a number: call it without into()");
    return made;
  } else {
    return give_result(output, array<Out, Made::rank>(view_at(layout_of(made), made)));
  }
}

}  // namespace detail

/// The matrix product x @ y, as numpy.matmul.
/// Dimensions before the last two broadcast. A vector is a row on the left and a column on the
/// right, and adds no dimension; two vectors give a number. The result has the common type (float
/// for 8-bit floats); `kr::matmul<float>(x, y)` names another for two matrices. Sums of narrow
/// floats are in float, those of integers wrap. Options follow the operands:
/// - an ending of two matrices, f(sum, elements…), with operands that broadcast to the result
/// - kr::precision::tf32, with which tensor cores may round f32 factors (docs/tiles.md has the
///   bound)
/// - kr::into(z), which writes the result to z Throws error{usage} for extents that differ,
///   error{device} if memory is short.
/// \code
/// kr::array<float, 2> c = kr::matmul(a, b);
/// auto relu = kr::matmul(a, b, [](auto sum, auto v) { return kr::max(sum + v, 0.0f); }, bias);
/// \endcode
template <class Out = void, class Left, int LeftRank, class Right, int RightRank, class... Rest>
auto matmul(const array<Left, LeftRank>& x, const array<Right, RightRank>& y, const Rest&... rest) {
  return std::apply(
      [&](const auto&... ending) {
        const auto output = detail::output_in(rest...);
        const precision how = detail::precision_in(rest...);
        using out = detail::product_out<Out, Left, Right>;
        if constexpr (detail::complex_number<out>) {
          static_assert(sizeof...(ending) == 0 && std::is_void_v<Out>,
                        "krait: a product of complex numbers has no ending and no other type");
          return detail::give_product<out>(
              output, detail::multiply_complex(
                          [&](const auto& a, const auto& b) { return matmul(a, b, how); }, x, y));
        } else {
          return detail::multiply_any<out>(x, y, output, how, ending...);
        }
      },
      std::tuple_cat(detail::of_ending(rest)...));
}

/// numpy.dot for operands of more than one dimension.
/// It sums over the last dimension of x and the last but one (or only one) of y. The result has the
/// other dimensions of x and then those of y. Types as for kr::matmul; y is copied if it has more
/// than two dimensions. Throws error{usage} for extents that differ.
template <class Left, int LeftRank, class Right, int RightRank, detail::into_option... Options>
  requires(LeftRank > 1 || RightRank > 1)
auto dot(const array<Left, LeftRank>& x, const array<Right, RightRank>& y,
         const Options&... options) {
  const int summed = detail::dot_dimension(detail::layout_of(x), detail::layout_of(y));
  if constexpr (RightRank == 1 || (LeftRank <= 2 && RightRank == 2)) {
    return matmul(x, y, options...);
  } else {
    static_assert(LeftRank + RightRank - 2 <= detail::max_rank,
                  "krait: the result of dot has more than 6 dimensions");
    std::int64_t order[RightRank] = {summed}, extents[LeftRank + RightRank - 2], rows = 1,
                 columns = 1;
    for (int d = 0; d < LeftRank - 1; ++d) rows *= extents[d] = x.extent(d);
    for (int d = 0, to = 1; d < RightRank; ++d) {
      if (d == summed) continue;
      columns *= extents[LeftRank - 2 + to] = y.extent(d);
      order[to++] = d;
    }
    const array<const Right, RightRank> turned(
        detail::view_at(detail::permute(detail::layout_of(y), order, RightRank), y));
    const auto z = matmul(x.share().reshape(rows, y.extent(summed)),
                          turned.reshape(y.extent(summed), columns));
    return detail::give_result(
        detail::output_in(options...),
        array<detail::product_type<Left, Right>, LeftRank + RightRank - 2>(
            detail::view_at(detail::dense(extents, LeftRank + RightRank - 2, false), z)));
  }
}

// Of expressions, too.
template <class Out = void, class... Args>
  requires detail::some_deferred<Args...>
auto matmul(const Args&... args) {
  return matmul<Out>(detail::evaluated(args)...);
}
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_LISTS(matmul)
#include <krait/detail/takes_expressions.h>

namespace detail {
/// kr::dot of expressions that have more than one dimension.
template <class Left, int LeftRank, class Right, int RightRank>
auto dot_of_more(all_tag, const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  return dot(x, y);
}
}  // namespace detail

}  // namespace krait
