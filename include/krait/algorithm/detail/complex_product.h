// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices of complex numbers, as products of real ones.
#pragma once

#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/result.h>
#include <krait/algorithm/reduce.h>

namespace krait::detail {

/// The parts of complex numbers as real numbers, re and im in turn along the last dimension: shared
/// where that is contiguous, else copied.
template <class Number, int Rank>
auto parts_in_turn(const array<Number, Rank>& x) {
  using complex = std::remove_const_t<Number>;
  const auto parts_of = [](const auto& of) {
    layout at = layout_of(of);
    at.offset *= 2;
    for (int d = 0; d < Rank - 1; ++d) at.strides[d] *= 2;
    at.extents[Rank - 1] *= 2, at.strides[Rank - 1] = 1;
    return array<const typename complex::value_type, Rank>(view_at(at, of));
  };
  return x.stride(Rank - 1) == 1 || x.extent(Rank - 1) == 1 ? parts_of(x) : parts_of(x.copy());
}
/// The opposite, of a dense array of parts.
template <class Number, int Rank, class Real>
array<Number, Rank> numbers_in_turn(const array<Real, Rank>& parts) {
  shape<Rank> extents = parts.extents();
  extents.extents[Rank - 1] /= 2;
  layout at = dense(extents.extents, Rank, false);
  at.offset = layout_of(parts).offset / 2;
  return view_at(at, parts);
}
struct times_i {
  template <class Type>
  auto operator()(const Type& z) const {
    return value<held_t<Type>>(-z.imag(), z.real());
  }
};
/// Each row of y, and i times it: times the parts of x in turn they add up to the product.
template <class Number, class Elem, int Rank>
array<Number, Rank> rows_and_turned(const array<Elem, Rank>& y) {
  shape<Rank> extents = y.extents();
  extents.extents[Rank - 2] *= 2;
  array<Number, Rank> rows(extents, y.device());
  layout at = layout_of(rows);
  const std::int64_t next = at.strides[Rank - 2];
  at.extents[Rank - 2] /= 2, at.strides[Rank - 2] *= 2;
  const auto part = [&] { return array<Number, Rank>(view_at(at, rows)); };
  array<Number, Rank> even = part();
  at.offset += next;
  array<Number, Rank> odd = part();
  make_expression<cast_elements<Number>>(y).into(even);
  make_expression<times_i>(even).into(odd);
  return rows;
}
/// multiply(x, y) of matrices and vectors of which one has complex numbers; `multiply` is of real
/// ones.
template <class Multiply, class Left, int LeftRank, class Right, int RightRank>
auto multiply_complex(const Multiply& multiply, const array<Left, LeftRank>& x,
                      const array<Right, RightRank>& y) {
  using number = complex_of_both<std::remove_const_t<Left>, std::remove_const_t<Right>>;
  using real = typename number::value_type;
  if constexpr (LeftRank == 1 && RightRank == 1) {
    return krait::sum(x * y);
  } else if constexpr (RightRank == 1) {
    const auto column = multiply_complex(multiply, x, y.share()(all, newaxis));
    layout at = layout_of(column);
    --at.rank;
    return array<number, LeftRank - 1>(view_at(at, column));
  } else if constexpr (!complex_number<std::remove_const_t<Left>>) {
    return numbers_in_turn<number>(multiply(as_type<real>(x), parts_in_turn(as_type<number>(y))));
  } else {
    const auto rows = rows_and_turned<number>(y);
    return numbers_in_turn<number>(
        multiply(parts_in_turn(as_type<number>(x)), parts_in_turn(rows)));
  }
}

}  // namespace krait::detail
