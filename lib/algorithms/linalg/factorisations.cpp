// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of linear algebra, for stacks of matrices, from the routines of one matrix. Inside,
// matrices are (count, rows, columns), each column-major, one after another.
#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/linalg/convert.h"
#include "algorithms/linalg/linalg.h"
#include "algorithms/matmul/products.h"
#include "devices/layout.h"
#include "krait/algorithm/detail/linalg_calls.h"
#include "krait/algorithm/detail/result.h"
#include "krait/complex.h"

namespace krait::detail {
namespace {

template <class T>
linalg_call call_on(const any_array& a, const char* function) {
  return {a.on, linalg_number_of<T>, function};
}
template <class T>
array<T, 3> new_matrices(std::int64_t count, std::int64_t rows, std::int64_t columns, void* on) {
  return array<T, 3>({count, columns, rows}, device_from(on)).permute(0, 2, 1);
}
template <class T>
std::uint64_t matrix_at(const array<T, 3>& of, std::int64_t number) {
  return of.address() + std::uint64_t(number * of.extent(1) * of.extent(2)) * sizeof(T);
}
template <class T>
std::uint64_t row_at(const array<T, 2>& of, std::int64_t number) {
  return of.address() + std::uint64_t(number * of.extent(1)) * sizeof(T);
}
/// Those that have elements.
template <class T>
std::int64_t matrices_in(const array<T, 3>& of) {
  return of.size() > 0 ? of.extent(0) : 0;
}
std::int64_t rows_of(const any_array& a) { return a.at.extents[a.at.rank - 2]; }
std::int64_t columns_of(const any_array& a) { return a.at.extents[a.at.rank - 1]; }
std::int64_t matrices_of_stack(const any_array& a) {
  std::int64_t count = 1;
  for (int d = 0; d < a.at.rank - 2; ++d) count *= a.at.extents[d];
  return count;
}

/// Matrices with a stack's dimensions, those of `like` before its last two, in place of the first.
template <class T>
any_array as_stack(const array<T, 3>& matrices, const std::int64_t* like, int rank) {
  any_array stack = erased(matrices);
  layout& at = stack.at;
  const std::int64_t rows = matrices.extent(1), columns = matrices.extent(2);
  at.rank = rank;
  std::int64_t stride = rows * columns;
  for (int d = rank - 2; d-- > 0; stride *= like[d])
    at.extents[d] = like[d], at.strides[d] = stride;
  at.extents[rank - 2] = rows, at.strides[rank - 2] = 1;
  at.extents[rank - 1] = columns, at.strides[rank - 1] = rows;
  return stack;
}
template <class T>
any_array as_stack(const array<T, 3>& matrices, const any_array& like) {
  return as_stack(matrices, like.at.extents, like.at.rank);
}
/// Rows, one per matrix, with a stack's dimensions in place of the first.
template <class T>
any_array as_vectors(const array<T, 2>& rows, const any_array& like) {
  any_array stack = erased(rows);
  std::int64_t extents[max_rank];
  const int rank = like.at.rank - 1;
  std::copy(like.at.extents, like.at.extents + rank - 1, extents);
  extents[rank - 1] = rows.extent(1);
  const std::int64_t offset = stack.at.offset;
  stack.at = dense(extents, rank, false), stack.at.offset = offset;
  return stack;
}

/// Copies of the matrices of a stack.
template <class T>
array<T, 3> matrices_of(const any_array& x, void* on) {
  auto out = new_matrices<T>(matrices_of_stack(x), rows_of(x), columns_of(x), on);
  const any_array to = as_stack(out, x);
  any_array from = x;
  if (x.type != element_type_of<T>()) {
    from = host::new_array(element_type_of<T>(), dense(x.at.extents, x.at.rank, false), x.on);
    if (from.size() > 0) host::convert_elements(x, from);
  }
  copy_elements(host::elements_of(to), host::elements_of(from));
  return out;
}
template <class T>
value<T> constant_of(linalg_part_t<T> x) {
  if constexpr (std::is_same_v<T, linalg_part_t<T>>) return value<T>(x);
  else return value<T>(x, linalg_part_t<T>(0));
}

/// The elements on and below the diagonals, or on and above them, others are 0; as many rows and
/// columns as `to` has. `unit`: the diagonals are 1.
template <class T>
void copy_triangles(const array<T, 3>& from, array<T, 3>& to, bool lower, bool unit) {
  static auto& copy = *new auto(kernel(
      [](view<const T, 3> in, view<T, 3> out, value<int> below, value<int> one) {
        for (auto i : grid_stride(out.size())) {
          const value<std::int64_t> row = i % out.extent(1), rest = i / out.extent(1),
                                    column = rest % out.extent(2), number = rest / out.extent(2);
          if_(row == column && one != 0, [&] { out(number, row, column) = constant_of<T>(1); })
              .elif_(select(below != 0, value<bool>(row >= column), value<bool>(row <= column)),
                     [&] { out(number, row, column) = value<T>(in(number, row, column)); })
              .else_([&] { out(number, row, column) = constant_of<T>(0); });
        }
      },
      {.name = "triangle"}));
  if (to.size() > 0) copy.forall(to.size())(from, to, int(lower), int(unit));
}
template <class T>
array<T, 3> conjugate_transposed(const array<T, 3>& x) {
  auto out = new_matrices<T>(x.extent(0), x.extent(2), x.extent(1), handle_of(x.device()));
  static auto& turn = *new auto(kernel(
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
struct Lu {
  array<T, 3> both;
  array<int, 2> pivots;
  bool singular = false;

  Lu(const any_array& a, const char* function)
      : both(matrices_of<T>(a, a.on)),
        pivots({both.extent(0), std::min(both.extent(1), both.extent(2))}, both.device()) {
    for (std::int64_t i = 0; i < matrices_in(both); ++i)
      if (factor_lu(call_on<T>(a, function), both.extent(1), both.extent(2), matrix_at(both, i),
                    row_at(pivots, i)) > 0)
        singular = true;
  }
};
/// The matrices b, of a batch of these extents, become the solutions of the systems whose matrices
/// a broadcasts to.
template <class T>
void solve_matrices(const any_array& a, array<T, 3>& b, const std::int64_t* batch, int batch_rank,
                    const char* function) {
  if (b.size() == 0) return;
  const Lu<T> f(a, function);
  if (f.singular) refuse_matrix(function, "Singular matrix");
  // The number of a's matrix for each of b's.
  const layout own = broadcast_to(dense(a.at.extents, a.at.rank - 2, false), batch, batch_rank);
  std::int64_t at[max_rank]{}, number = 0;
  for (std::int64_t i = 0; i < b.extent(0); ++i) {
    solve_lu(call_on<T>(a, function), b.extent(1), b.extent(2), matrix_at(f.both, number),
             row_at(f.pivots, number), matrix_at(b, i));
    for (int d = batch_rank; d-- > 0; at[d] = 0) {
      number += own.strides[d];
      if (++at[d] < batch[d]) break;
      number -= own.strides[d] * batch[d];
    }
  }
}

any_array returned(const any_array& x, void* on) { return host::copied_to(x, on); }
linalg_factors returned(const linalg_factors& x, void* on) {
  return {host::copied_to(x.first, on), host::copied_to(x.second, on),
          host::copied_to(x.third, on)};
}

}  // namespace

any_array solve_systems(const any_array& a, const any_array& b, linalg_number number) {
  check_square("solve", a.at);
  std::int64_t extents[max_rank];
  const int batch = std::max(a.at.rank, b.at.rank) - 2;
  solve_shape(a.at, b.at, b.at.rank == 1, batch, extents);
  if (host::computes_on_cpu(a.on, "solve"))
    return returned(solve_systems(host::on_cpu(a), host::on_cpu(b), number), a.on);
  if (b.at.rank == 1) {
    any_array columns = b;
    columns.at.rank = 2, columns.at.extents[1] = 1, columns.at.strides[1] = 0;
    any_array x = solve_systems(a, columns, number);
    --x.at.rank;  // the last dimension has one element
    return x;
  }
  any_array repeated = b;
  extents[batch] = rows_of(b), extents[batch + 1] = columns_of(b);
  repeated.at = broadcast_to(b.at, extents, batch + 2);
  return with_number(number, [&]<class T>(T) {
    auto x = matrices_of<T>(repeated, a.on);
    solve_matrices<T>(a, x, extents, batch, "solve");
    return as_stack(x, extents, batch + 2);
  });
}

any_array inverse_of(const any_array& a, linalg_number number) {
  check_square("inv", a.at);
  if (host::computes_on_cpu(a.on, "inv"))
    return returned(inverse_of(host::on_cpu(a), number), a.on);
  return with_number(number, [&]<class T>(T) {
    auto x = new_matrices<T>(matrices_of_stack(a), columns_of(a), columns_of(a), a.on);
    set_to_identities(x);
    solve_matrices<T>(a, x, a.at.extents, a.at.rank - 2, "inv");
    return as_stack(x, a);
  });
}

void determinants_of(const any_array& a, linalg_number number, void* out) {
  check_square("det", a.at);
  if (host::computes_on_cpu(a.on, "det")) return determinants_of(host::on_cpu(a), number, out);
  with_number(number, [&]<class T>(T) {
    T* const products = static_cast<T*>(out);
    const Lu<T> f(a, "det");
    const std::int64_t n = f.pivots.extent(1);
    const auto diagonals = f.both.diagonal(0, 1, 2).to_host();
    const auto pivots = f.pivots.to_host();
    std::fill(products, products + f.pivots.extent(0), T(1));
    for (std::size_t i = 0; i < std::size_t(f.pivots.size()); ++i) {
      T& product = products[i / std::size_t(n)];
      product *= diagonals.data()[i];
      if (pivots.data()[i] != int(i % std::size_t(n)) + 1) product = -product;
    }
  });
}

linalg_factors lu_of(const any_array& a, linalg_number number) {
  if (host::computes_on_cpu(a.on, "lu")) return returned(lu_of(host::on_cpu(a), number), a.on);
  return with_number(number, [&]<class T>(T) -> linalg_factors {
    const Lu<T> f(a, "lu");
    const auto pivots = f.pivots.to_host();
    const std::int64_t count = f.both.extent(0), rows = rows_of(a), columns = columns_of(a),
                       least = f.pivots.extent(1);
    std::vector<std::int64_t> order(static_cast<std::size_t>(count * rows));
    for (std::int64_t m = 0; m < count; ++m) {
      std::int64_t* const own = order.data() + m * rows;
      for (std::int64_t i = 0; i < rows; ++i) own[i] = i;
      for (std::int64_t i = 0; i < least; ++i)
        std::swap(own[i], own[pivots.data()[m * least + i] - 1]);
    }
    array<std::int64_t, 2> in_order({count, rows}, device_from(a.on));
    in_order.copy_from(order);
    auto l = new_matrices<T>(count, rows, least, a.on),
         u = new_matrices<T>(count, least, columns, a.on);
    copy_triangles(f.both, l, true, true), copy_triangles(f.both, u, false, false);
    return {as_vectors(in_order, a), as_stack(l, a), as_stack(u, a)};
  });
}

any_array cholesky_of(const any_array& a, linalg_number number) {
  check_square("cholesky", a.at);
  if (host::computes_on_cpu(a.on, "cholesky"))
    return returned(cholesky_of(host::on_cpu(a), number), a.on);
  return with_number(number, [&]<class T>(T) {
    const auto both = matrices_of<T>(a, a.on);
    for (std::int64_t i = 0; i < matrices_in(both); ++i)
      if (factor_cholesky(call_on<T>(a, "cholesky"), both.extent(1), matrix_at(both, i)) > 0)
        refuse_matrix("cholesky", "Matrix is not positive definite");
    auto l = new_matrices<T>(both.extent(0), both.extent(1), both.extent(2), a.on);
    copy_triangles(both, l, true, false);
    return as_stack(l, a);
  });
}

linalg_factors qr_of(const any_array& a, linalg_number number) {
  if (host::computes_on_cpu(a.on, "qr")) return returned(qr_of(host::on_cpu(a), number), a.on);
  return with_number(number, [&]<class T>(T) -> linalg_factors {
    const auto call = call_on<T>(a, "qr");
    const auto both = matrices_of<T>(a, a.on);
    const std::int64_t count = both.extent(0), rows = both.extent(1), columns = both.extent(2),
                       least = std::min(rows, columns);
    const array<T, 2> tau({count, least}, device_from(a.on));
    for (std::int64_t i = 0; i < matrices_in(both); ++i)
      factor_qr(call, rows, columns, matrix_at(both, i), row_at(tau, i));
    auto r = new_matrices<T>(count, least, columns, a.on);
    copy_triangles(both, r, false, false);
    for (std::int64_t i = 0; i < matrices_in(both); ++i)
      make_q(call, rows, least, matrix_at(both, i), row_at(tau, i));
    // Columns after the first `least` belong only to R.
    any_array q = as_stack(both, a);
    q.at.extents[q.at.rank - 1] = least;
    return {q, as_stack(r, a), {}};
  });
}

linalg_factors svd_of(const any_array& a, linalg_number number, bool full_matrices) {
  if (host::computes_on_cpu(a.on, "svd"))
    return returned(svd_of(host::on_cpu(a), number, full_matrices), a.on);
  return with_number(number, [&]<class T>(T) -> linalg_factors {
    const bool wide = rows_of(a) < columns_of(a);
    auto tall = matrices_of<T>(a, a.on);
    if (wide) tall = conjugate_transposed(tall);
    const std::int64_t count = tall.extent(0), rows = tall.extent(1), columns = tall.extent(2),
                       u_columns = full_matrices ? rows : columns;
    auto u = new_matrices<T>(count, rows, u_columns, a.on),
         vh = new_matrices<T>(count, columns, columns, a.on);
    const array<linalg_part_t<T>, 2> s({count, columns}, device_from(a.on));
    if (columns == 0) set_to_identities(u);
    for (std::int64_t i = 0; i < matrices_in(tall); ++i)
      if (decompose_singular(call_on<T>(a, "svd"), rows, columns, matrix_at(tall, i), row_at(s, i),
                             matrix_at(u, i), u_columns, matrix_at(vh, i)) != 0)
        refuse_matrix("svd", "SVD did not converge");
    if (wide) {
      auto turned = conjugate_transposed(vh);
      vh = conjugate_transposed(u), u = std::move(turned);
    }
    return {as_stack(u, a), as_vectors(s, a), as_stack(vh, a)};
  });
}

linalg_factors eigh_of(const any_array& a, linalg_number number) {
  check_square("eigh", a.at);
  if (host::computes_on_cpu(a.on, "eigh")) return returned(eigh_of(host::on_cpu(a), number), a.on);
  return with_number(number, [&]<class T>(T) -> linalg_factors {
    const auto v = matrices_of<T>(a, a.on);
    const array<linalg_part_t<T>, 2> w({v.extent(0), v.extent(1)}, device_from(a.on));
    for (std::int64_t i = 0; i < matrices_in(v); ++i)
      if (decompose_symmetric(call_on<T>(a, "eigh"), v.extent(1), matrix_at(v, i), row_at(w, i)) !=
          0)
        refuse_matrix("eigh", "Eigenvalues did not converge");
    return {as_vectors(w, a), as_stack(v, a), {}};
  });
}

}  // namespace krait::detail
