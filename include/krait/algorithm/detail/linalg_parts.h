// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of linear algebra share: the types they compute in, their copies of operands, factors.
#pragma once

#include <vector>

#include <krait/algorithm/detail/linalg_calls.h>
#include <krait/complex.h>
#include <krait/krait.h>

namespace krait::detail {

/// Integers are computed in double; narrow floats have no routines.
template <class Elem>
struct linalg_type {
  static_assert(std::is_integral_v<Elem> || std::is_same_v<Elem, float> || std::is_same_v<Elem, double> ||
                    std::is_same_v<Elem, std::complex<float>> || std::is_same_v<Elem, std::complex<double>>,
                "krait: linear algebra takes float, double, complex numbers of them, and integers");
  using type = std::conditional_t<std::is_integral_v<Elem>, double, Elem>;
};
template <class Elem>
using linalg_t = typename linalg_type<std::remove_const_t<Elem>>::type;
template <class T>
struct linalg_part {
  using type = T;
};
template <class Real>
struct linalg_part<std::complex<Real>> {
  using type = Real;
};
template <class T>
using linalg_part_t = typename linalg_part<T>::type;

/// Of both sides of a system.
template <class Left, class Right>
struct linalg_common {
  static_assert(std::is_same_v<Left, Right> || (std::is_floating_point_v<Left> && std::is_floating_point_v<Right>),
                "krait: a system of complex numbers has both sides of one type");
  using type = std::conditional_t<std::is_same_v<Left, Right>, Left, double>;
};

template <class T>
linalg_call linalg_on(const device& on, const char* function) {
  return {handle_of(on), linalg_number_of<T>, function};
}

/// A column-major copy.
template <class T, class Elem, int Rank>
array<T, Rank> by_columns(const array<Elem, Rank>& x, device on) {
  array<T, Rank> out(x.extents(), storage_order::fortran, on);
  if constexpr (std::is_same_v<T, std::remove_const_t<Elem>>) {
    out.copy_from(x);
  } else {
    const array<T, Rank> converted = make_expression<same_elements>(x);
    out.copy_from(converted);
  }
  return out;
}
template <class T>
value<T> linalg_constant(linalg_part_t<T> x) {
  if constexpr (std::is_same_v<T, linalg_part_t<T>>) return value<T>(x);
  else return value<T>(x, linalg_part_t<T>(0));
}

/// The elements on and below the diagonal, or on and above it, others are 0; as many rows and columns as `to` has. `unit`: the diagonal is 1.
template <class T>
void copy_triangle(const array<T, 2>& from, array<T, 2>& to, bool lower, bool unit) {
  static auto& copy = *new auto(kernel(
      [](view<const T, 2> in, view<T, 2> out, value<int> below, value<int> one) {
        for (auto i : grid_stride(out.size())) {
          const value<std::int64_t> row = i % out.extent(0), column = i / out.extent(0);
          if_(row == column && one != 0, [&] { out(row, column) = linalg_constant<T>(1); })
              .elif_(select(below != 0, value<bool>(row >= column), value<bool>(row <= column)),
                     [&] { out(row, column) = value<T>(in(row, column)); })
              .else_([&] { out(row, column) = linalg_constant<T>(0); });
        }
      },
      {.name = "triangle"}));
  if (to.size() > 0) copy.forall(to.size())(from, to, int(lower), int(unit));
}
template <class T>
array<T, 2> conjugate_transposed(const array<T, 2>& x) {
  array<T, 2> out(shape<2>(x.extent(1), x.extent(0)), storage_order::fortran, x.device());
  static auto& turn = *new auto(kernel(
      [](view<const T, 2> in, view<T, 2> to) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i % to.extent(0), column = i / to.extent(0);
          if constexpr (std::is_same_v<T, linalg_part_t<T>>) to(row, column) = value<T>(in(column, row));
          else to(row, column) = conj(value<T>(in(column, row)));
        }
      },
      {.name = "conjugate_transposed"}));
  if (out.size() > 0) turn.forall(out.size())(x, out);
  return out;
}

template <class T>
void set_to_identity(array<T, 2>& x) {
  x.fill(T(0)), x.diagonal().fill(T(1));
}

template <class T>
struct lu_factors {
  array<T, 2> both;
  array<int> pivots;
  int info;
};
template <class T, class Elem>
lu_factors<T> lu_of(const array<Elem, 2>& a, const char* function) {
  lu_factors<T> f{by_columns<T>(a, a.device()), array<int>(shape<1>(std::min(a.extent(0), a.extent(1))), a.device()), 0};
  if (a.size() > 0)
    f.info = factor_lu(linalg_on<T>(a.device(), function), a.extent(0), a.extent(1), f.both.address(), f.pivots.address());
  return f;
}
template <class T, class Elem, int Rank>
array<T, Rank> solve_square(const array<Elem, 2>& a, array<T, Rank> b, const char* function) {
  check_square(function, a.extent(0), a.extent(1));
  check_right_side(function, b.extent(0), a.extent(0));
  if (b.size() == 0) return b;
  const lu_factors<T> f = lu_of<T>(a, function);
  if (f.info > 0) refuse_matrix(function, "Singular matrix");
  solve_lu(linalg_on<T>(a.device(), function), a.extent(0), b.size() / b.extent(0), f.both.address(), f.pivots.address(),
           b.address());
  return b;
}

}  // namespace krait::detail
