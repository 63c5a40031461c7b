// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of functions of linear algebra: the types that they compute in, their copies of
// operands, factors.
#pragma once

#include <vector>

#include <krait/algorithm/detail/linalg_calls.h>
#include <krait/algorithm/detail/result.h>
#include <krait/complex.h>
#include <krait/krait.h>

namespace krait::detail {

/// Integers are computed in double; narrow floats have no routines.
template <class Elem>
struct linalg_type {
  static_assert(
      std::is_integral_v<Elem> || std::is_same_v<Elem, float> || std::is_same_v<Elem, double> ||
          std::is_same_v<Elem, std::complex<float>> || std::is_same_v<Elem, std::complex<double>>,
      "krait: linear algebra needs elements of type float, double, std::complex of these, or an integer type");
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
  static_assert(std::is_same_v<Left, Right> ||
                    (std::is_floating_point_v<Left> && std::is_floating_point_v<Right>),
                "krait: both sides of a system of complex numbers must have the same type");
  using type = std::conditional_t<std::is_same_v<Left, Right>, Left, double>;
};

template <class T>
linalg_call linalg_on(const device& on, const char* function) {
  return {handle_of(on), linalg_number_of<T>, function};
}

// Inside, matrices are (count, rows, columns), each column-major, one after another.
template <class T>
array<T, 3> new_matrices(std::int64_t count, std::int64_t rows, std::int64_t columns,
                         const device& on) {
  return array<T, 3>({count, columns, rows}, on).permute(0, 2, 1);
}
template <class T>
std::uint64_t matrix_at(const array<T, 3>& of, std::int64_t number) {
  return of.address() + std::uint64_t(number * of.extent(1) * of.extent(2)) * sizeof(T);
}
template <class T>
std::uint64_t row_at(const array<T, 2>& of, std::int64_t number) {
  return of.address() + std::uint64_t(number * of.extent(1)) * sizeof(T);
}
/// Whether the matrices of a stack have elements.
template <class T>
std::int64_t matrices_in(const array<T, 3>& of) {
  return of.size() > 0 ? of.extent(0) : 0;
}
/// The extents before the last `core`.
template <int Rank>
std::int64_t batch_size(const shape<Rank>& of, int core) {
  std::int64_t count = 1;
  for (int d = 0; d < Rank - core; ++d) count *= of[d];
  return count;
}
/// Matrices with a stack's dimensions, those of `like` before its last two, in place of the first.
template <int Rank, class T>
array<T, Rank> as_stack(const array<T, 3>& matrices, const std::int64_t* like) {
  layout at;
  at.rank = Rank, at.offset = matrices.at().offset;
  const std::int64_t rows = matrices.extent(1), columns = matrices.extent(2);
  std::int64_t stride = rows * columns;
  for (int d = Rank - 2; d-- > 0; stride *= like[d])
    at.extents[d] = like[d], at.strides[d] = stride;
  at.extents[Rank - 2] = rows, at.strides[Rank - 2] = 1, at.extents[Rank - 1] = columns,
                    at.strides[Rank - 1] = rows;
  return {at, matrices.memory_owner(), handle_of(matrices.device())};
}
/// Rows, one per matrix, with a stack's dimensions in place of the first.
template <int Rank, class T>
array<T, Rank> as_vectors(const array<T, 2>& rows, const std::int64_t* like) {
  shape<Rank> extents;
  for (int d = 0; d < Rank - 1; ++d) extents.extents[d] = like[d];
  extents.extents[Rank - 1] = rows.extent(1);
  return with_extents(rows, extents);
}
/// Copies of the matrices of a stack.
template <class T, class Elem, int Rank>
array<T, 3> matrices_of(const array<Elem, Rank>& x, const device& on) {
  static_assert(Rank >= 2,
                "krait: linear algebra needs matrices: arrays of two dimensions or more");
  auto out =
      new_matrices<T>(batch_size(x.extents(), 2), x.extent(Rank - 2), x.extent(Rank - 1), on);
  auto to = as_stack<Rank>(out, x.extents().extents);
  if constexpr (std::is_same_v<T, std::remove_const_t<Elem>>) {
    to.copy_from(x);
  } else {
    const array<T, Rank> converted = make_expression<same_elements>(x);
    to.copy_from(converted);
  }
  return out;
}
template <class T>
value<T> linalg_constant(linalg_part_t<T> x) {
  if constexpr (std::is_same_v<T, linalg_part_t<T>>) return value<T>(x);
  else return value<T>(x, linalg_part_t<T>(0));
}

/// The elements on and below the diagonals, or on and above them, others are 0; as many rows and
/// columns as `to` has. `unit`: the diagonals are 1.
template <class T>
void copy_triangles(const array<T, 3>& from, array<T, 3>& to, bool lower, bool unit) {
  static auto& copy = lasting(kernel(
      [](view<const T, 3> in, view<T, 3> out, value<int> below, value<int> one) {
        for (auto i : grid_stride(out.size())) {
          const value<std::int64_t> row = i % out.extent(1), rest = i / out.extent(1),
                                    column = rest % out.extent(2), number = rest / out.extent(2);
          if_(row == column && one != 0, [&] { out(number, row, column) = linalg_constant<T>(1); })
              .elif_(select(below != 0, value<bool>(row >= column), value<bool>(row <= column)),
                     [&] { out(number, row, column) = value<T>(in(number, row, column)); })
              .else_([&] { out(number, row, column) = linalg_constant<T>(0); });
        }
      },
      {.name = "triangle"}));
  if (to.size() > 0) copy.forall(to.size())(from, to, int(lower), int(unit));
}
template <class T>
array<T, 3> conjugate_transposed(const array<T, 3>& x) {
  auto out = new_matrices<T>(x.extent(0), x.extent(2), x.extent(1), x.device());
  static auto& turn = lasting(kernel(
      [](view<const T, 3> in, view<T, 3> to) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i % to.extent(1), rest = i / to.extent(1),
                                    column = rest % to.extent(2), number = rest / to.extent(2);
          if constexpr (std::is_same_v<T, linalg_part_t<T>>)
            to(number, row, column) = value<T>(in(number, column, row));
          else to(number, row, column) = conj(value<T>(in(number, column, row)));
        }
      },
      {.name = "conjugate_transposed"}));
  if (out.size() > 0) turn.forall(out.size())(x, out);
  return out;
}

template <class T>
void set_to_identities(array<T, 3>& x) {
  x.fill(T(0)), x.diagonal(0, 1, 2).fill(T(1));
}

template <class T>
struct lu_factors {
  array<T, 3> both;
  array<int, 2> pivots;
  bool singular;
};
template <class T, class Elem, int Rank>
lu_factors<T> lu_of(const array<Elem, Rank>& a, const char* function) {
  const std::int64_t rows = a.extent(Rank - 2), columns = a.extent(Rank - 1);
  lu_factors<T> f{matrices_of<T>(a, a.device()), {}, false};
  f.pivots = array<int, 2>({f.both.extent(0), std::min(rows, columns)}, a.device());
  for (std::int64_t i = 0; i < matrices_in(f.both); ++i)
    if (factor_lu(linalg_on<T>(a.device(), function), rows, columns, matrix_at(f.both, i),
                  row_at(f.pivots, i)) > 0)
      f.singular = true;
  return f;
}
/// The matrices b, of a batch of these extents, become the solutions of the systems whose matrices
/// a broadcasts to.
template <class T, class Elem, int Rank>
void solve_matrices(const array<Elem, Rank>& a, array<T, 3>& b, const std::int64_t* batch,
                    int batch_rank, const char* function) {
  if (b.size() == 0) return;
  const lu_factors<T> f = lu_of<T>(a, function);
  if (f.singular) refuse_matrix(function, "Singular matrix");
  // The number of a's matrix for each of b's.
  const layout own = broadcast_to(dense(a.extents().extents, Rank - 2, false), batch, batch_rank);
  std::int64_t at[max_rank]{}, number = 0;
  for (std::int64_t i = 0; i < b.extent(0); ++i) {
    solve_lu(linalg_on<T>(a.device(), function), b.extent(1), b.extent(2),
             matrix_at(f.both, number), row_at(f.pivots, number), matrix_at(b, i));
    for (int d = batch_rank; d-- > 0; at[d] = 0) {
      number += own.strides[d];
      if (++at[d] < batch[d]) break;
      number -= own.strides[d] * batch[d];
    }
  }
}

}  // namespace krait::detail
