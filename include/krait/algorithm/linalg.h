// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra, as numpy.linalg has it, by the library that a device has: LAPACK (libopenblas.so.0, liblapack.so.3, or what KRAIT_LAPACK
// names) on the CPU, cuSOLVER on CUDA, each opened at the first call.
//   kr::array<double> x = kr::solve(a, b);
//   auto [u, s, vh] = kr::svd(a, false);
//   auto [w, v] = kr::eigh(a);
#pragma once

#include <vector>

#include <krait/algorithm/detail/linalg_parts.h>

namespace krait {

/// x with a x = b, for a square matrix and a vector or the columns of a matrix. Results of all here lie in columns (Fortran's order). Throws error{usage}
/// in NumPy's words, as all: for a singular matrix, for one that is not square, and where the device has no library of linear algebra.
template <class Elem, class Other, int Rank>
auto solve(const array<Elem, 2>& a, const array<Other, Rank>& b) {
  static_assert(Rank <= 2, "krait: solve takes a vector or a matrix on the right");
  using type = typename detail::linalg_common<detail::linalg_t<Elem>, detail::linalg_t<Other>>::type;
  return detail::solve_square<type>(a, detail::by_columns<type>(b, a.device()), "solve");
}
/// The inverse.
template <class Elem>
auto inv(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  detail::check_square("inv", a.extent(0), a.extent(1));
  array<type, 2> one(a.extents(), storage_order::fortran, a.device());
  detail::set_to_identity(one);
  return detail::solve_square<type>(a, std::move(one), "inv");
}
/// The determinant, for which the call waits; 1 of no row.
template <class Elem>
auto det(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  detail::check_square("det", a.extent(0), a.extent(1));
  const auto f = detail::lu_of<type>(a, "det");
  const auto diagonal = f.both.diagonal().copy().to_host();
  const auto pivots = f.pivots.to_host();
  type product(1);
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    product *= diagonal.data()[i];
    if (pivots.data()[i] != int(i) + 1) product = -product;
  }
  return product;
}
/// a[rows] = l u: the rows of a in another order, a matrix whose diagonal is 1 and that is 0 above it, and one that is 0 below it.
template <class Elem>
auto lu(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  struct factors {
    array<std::int64_t> rows;
    array<type, 2> l, u;
  };
  const auto f = detail::lu_of<type>(a, "lu");
  const auto pivots = f.pivots.to_host();
  std::vector<std::int64_t> order(static_cast<std::size_t>(a.extent(0)));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::int64_t(i);
  for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(order[i], order[static_cast<std::size_t>(pivots.data()[i] - 1)]);
  const std::int64_t least = f.pivots.size();
  factors out{array<std::int64_t>(shape<1>(a.extent(0)), a.device()),
              array<type, 2>(shape<2>(a.extent(0), least), storage_order::fortran, a.device()),
              array<type, 2>(shape<2>(least, a.extent(1)), storage_order::fortran, a.device())};
  out.rows.copy_from(order);
  detail::copy_triangle(f.both, out.l, true, true), detail::copy_triangle(f.both, out.u, false, false);
  return out;
}
/// l with a = l l^H, of a matrix whose lower triangle is read; throws where it is not positive definite.
template <class Elem>
auto cholesky(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  detail::check_square("cholesky", a.extent(0), a.extent(1));
  const auto both = detail::by_columns<type>(a, a.device());
  array<type, 2> l(a.extents(), storage_order::fortran, a.device());
  if (a.size() == 0) return l;
  if (detail::factor_cholesky(detail::linalg_on<type>(a.device(), "cholesky"), a.extent(0), both.address()) > 0)
    detail::refuse_matrix("cholesky", "Matrix is not positive definite");
  detail::copy_triangle(both, l, true, false);
  return l;
}
/// a = q r: columns that are orthonormal, as many as a has rows or columns, and a triangle.
template <class Elem>
auto qr(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  struct factors {
    array<type, 2> q, r;
  };
  const std::int64_t rows = a.extent(0), columns = a.extent(1), least = std::min(rows, columns);
  const auto call = detail::linalg_on<type>(a.device(), "qr");
  auto both = detail::by_columns<type>(a, a.device());
  const array<type> tau(shape<1>(least), a.device());
  if (least > 0) detail::factor_qr(call, rows, columns, both.address(), tau.address());
  factors out{array<type, 2>(), array<type, 2>(shape<2>(least, columns), storage_order::fortran, a.device())};
  detail::copy_triangle(both, out.r, false, false);
  if (least > 0) detail::make_q(call, rows, least, both.address(), tau.address());
  // Columns behind the first `least` are R's alone.
  out.q = both(all, range(0, least));
  return out;
}
/// a = u diag(s) vh, s falling. With `full_matrices` u and vh are square, else they have as many columns, and rows, as s elements.
template <class Elem>
auto svd(const array<Elem, 2>& a, bool full_matrices = true) {
  using type = detail::linalg_t<Elem>;
  struct factors {
    array<type, 2> u;
    array<detail::linalg_part_t<type>> s;
    array<type, 2> vh;
  };
  const bool wide = a.extent(0) < a.extent(1);
  auto tall = detail::by_columns<type>(a, a.device());
  if (wide) tall = detail::conjugate_transposed(tall);
  const std::int64_t rows = tall.extent(0), columns = tall.extent(1), u_columns = full_matrices ? rows : columns;
  factors out{array<type, 2>(shape<2>(rows, u_columns), storage_order::fortran, a.device()),
              array<detail::linalg_part_t<type>>(shape<1>(columns), a.device()),
              array<type, 2>(shape<2>(columns, columns), storage_order::fortran, a.device())};
  if (columns == 0) detail::set_to_identity(out.u);
  else if (detail::decompose_singular(detail::linalg_on<type>(a.device(), "svd"), rows, columns, tall.address(), out.s.address(),
                                      out.u.address(), u_columns, out.vh.address()) != 0)
    detail::refuse_matrix("svd", "SVD did not converge");
  if (wide) {
    auto u = detail::conjugate_transposed(out.vh);
    out.vh = detail::conjugate_transposed(out.u), out.u = std::move(u);
  }
  return out;
}
/// The eigenvalues of a symmetric or Hermitian matrix, ascending, and in the columns of v its vectors, orthonormal. The lower triangle is
/// read.
template <class Elem>
auto eigh(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  struct pairs {
    array<detail::linalg_part_t<type>> w;
    array<type, 2> v;
  };
  detail::check_square("eigh", a.extent(0), a.extent(1));
  pairs out{array<detail::linalg_part_t<type>>(shape<1>(a.extent(0)), a.device()), detail::by_columns<type>(a, a.device())};
  if (a.size() > 0 && detail::decompose_symmetric(detail::linalg_on<type>(a.device(), "eigh"), a.extent(0), out.v.address(),
                                                  out.w.address()) != 0)
    detail::refuse_matrix("eigh", "Eigenvalues did not converge");
  return out;
}

}  // namespace krait
