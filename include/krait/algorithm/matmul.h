// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices and vectors, as NumPy's.
//   kr::array<float, 2> c = kr::matmul(a, b);
//   kr::array<double, 3> z = kr::matmul(batch, one);   // dimensions before the last two broadcast
//   auto v = kr::matmul(a, x);                         // of a vector
#pragma once

#include <algorithm>

#include <krait/algorithm/detail/matmul_tensor.h>

namespace krait {
namespace detail {

/// Extents of the batch of a product. Throws error{usage} in NumPy's words.
KRAIT_API void matmul_shape(const layout& x, const layout& y, int batch, std::int64_t* extents);
/// The dimension of y that dot sums over with the last one of x. Throws error{usage} in NumPy's words where their extents differ.
KRAIT_API int dot_dimension(const layout& x, const layout& y);

/// A matrix for each element of a batch, in one dimension: shared where strides can say it, else copied.
template <class Elem, int Rank, int Batch>
array<const Elem, 3> with_batch(const array<const Elem, Rank>& x, const std::int64_t* batch) {
  if constexpr (Batch == 0) {
    return x(newaxis).share();
  } else {
    std::int64_t extents[max_rank], size = 1;
    for (int d = 0; d < Batch; ++d) extents[d] = batch[d], size *= batch[d];
    extents[Batch] = x.extent(Rank - 2), extents[Batch + 1] = x.extent(Rank - 1);
    const array<const Elem, Batch + 2> repeated(broadcast_to(x.at(), extents, Batch + 2), x.memory_owner(),
                                                handle_of(x.device()));
    if constexpr (Batch == 1) return repeated.share();
    else return repeated.reshape(size, x.extent(Rank - 2), x.extent(Rank - 1)).share();
  }
}

template <class Left, class Right>
using product_type = typename common_number<std::remove_const_t<Left>, std::remove_const_t<Right>>::type;

template <class Left, class Right>
void multiply(const array<const Left, 3>& x, const array<const Right, 3>& y, array<product_type<Left, Right>, 3>& out) {
  using types = product_types<Left, Right, product_type<Left, Right>, product_word<product_type<Left, Right>>>;
  const algorithm_device on = algorithm_device_of(x.device());
  if constexpr (std::is_same_v<Left, Right> && has_tensor_products<Left>)
    if (on.tensor_cores) return multiply_tensor(x, y, out);
  if (on.form == algorithm_form::chunks) multiply_panels<types>(x, y, out);
  else multiply_tiles<types>(x, y, out);
}

}  // namespace detail

/// x @ y: of matrices, whose dimensions before the last two broadcast; a vector is a row on the left, a column on the right, and leaves no dimension.
/// The result has the operands' common type; sums of integers wrap in it, those of narrow floats are float's. Two vectors give a number, for
/// which the call waits. Throws error{usage} in NumPy's words for extents that differ, error{device} when memory is short.
template <class Left, int LeftRank, class Right, int RightRank, detail::into_option... Options>
auto matmul(const array<Left, LeftRank>& x, const array<Right, RightRank>& y, const Options&... options) {
  constexpr int batch = std::max({LeftRank - 2, RightRank - 2, 0});
  std::int64_t extents[detail::max_rank];
  detail::matmul_shape(x.at(), y.at(), batch, extents);
  if constexpr (LeftRank == 1 && RightRank == 1) {
    static_assert(sizeof...(Options) == 0, "krait: the product of two vectors is a number, which is returned");
    return detail::sum_products<"i,i->">(x, y);
  } else if constexpr (LeftRank == 1) {
    return detail::give_result(detail::output_in(options...), detail::sum_products<"i,...ij->...j">(x, y));
  } else if constexpr (RightRank == 1) {
    return detail::give_result(detail::output_in(options...), detail::sum_products<"...ij,j->...i">(x, y));
  } else {
    using elem = detail::product_type<Left, Right>;
    const auto left = detail::with_batch<std::remove_const_t<Left>, LeftRank, batch>(x.share(), extents);
    const auto right = detail::with_batch<std::remove_const_t<Right>, RightRank, batch>(y.share(), extents);
    const std::int64_t m = left.extent(1), n = right.extent(2);
    extents[batch] = m, extents[batch + 1] = n;
    const detail::layout at = detail::dense(extents, batch + 2, false);
    const auto with_extents = [&](const array<elem, 3>& made) {
      return array<elem, batch + 2>(at, made.memory_owner(), detail::handle_of(made.device()));
    };
    const auto given = detail::output_in(options...);
    if (m < detail::least_side || n < detail::least_side || left.extent(2) < detail::least_depth || left.extent(0) == 0)
      return detail::give_result(given, with_extents(detail::sum_products<"bij,bjk->bik">(left, right)));
    auto out = detail::result_in<elem, batch + 2>(given, at, x.device(), x, y);
    detail::layout matrices = detail::dense(shape<3>(left.extent(0), m, n).extents, 3, false);
    matrices.offset = out.to.at().offset;
    array<elem, 3> to(matrices, out.to.memory_owner(), detail::handle_of(x.device()));
    detail::multiply<std::remove_const_t<Left>, std::remove_const_t<Right>>(left, right, to);
    return out.give();
  }
}

/// NumPy's dot where one operand has more than one dimension: sums of products over the last dimension of x and the last but one of y, or its only one, for each of
/// the other elements of x with each of y, in that order of dimensions. Types as matmul's, of which it is one: y is copied where it has more than two
/// dimensions. Throws error{usage} in NumPy's words for extents that differ.
template <class Left, int LeftRank, class Right, int RightRank>
requires(LeftRank > 1 || RightRank > 1) auto dot(const array<Left, LeftRank>& x, const array<Right, RightRank>& y) {
  const int summed = detail::dot_dimension(x.at(), y.at());
  if constexpr (RightRank == 1 || (LeftRank <= 2 && RightRank == 2)) {
    return matmul(x, y);
  } else {
    static_assert(LeftRank + RightRank - 2 <= detail::max_rank, "krait: the result of dot has more than 6 dimensions");
    std::int64_t order[RightRank] = {summed}, extents[LeftRank + RightRank - 2], rows = 1, columns = 1;
    for (int d = 0; d < LeftRank - 1; ++d) rows *= extents[d] = x.extent(d);
    for (int d = 0, to = 1; d < RightRank; ++d) {
      if (d == summed) continue;
      columns *= extents[LeftRank - 2 + to] = y.extent(d);
      order[to++] = d;
    }
    const array<const Right, RightRank> turned(detail::permute(y.at(), order, RightRank), y.memory_owner(),
                                               detail::handle_of(y.device()));
    const auto z = matmul(x.share().reshape(rows, y.extent(summed)), turned.reshape(y.extent(summed), columns));
    return array<detail::product_type<Left, Right>, LeftRank + RightRank - 2>(
        detail::dense(extents, LeftRank + RightRank - 2, false), z.memory_owner(), detail::handle_of(z.device()));
  }
}

}  // namespace krait
