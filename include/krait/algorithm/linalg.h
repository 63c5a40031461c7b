// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra, as in numpy.linalg, by the library of each device: LAPACK on the CPU
// (libopenblas.so.0, liblapack.so.3, or the one that KRAIT_LAPACK names), cuSOLVER on CUDA. Each is
// opened at the first call.
//   kr::array<double> x = kr::solve(a, b);
//   auto [u, s, vh] = kr::svd(a, false);
//   auto [w, v] = kr::eigh(a);
#pragma once

#include <vector>

#include <krait/algorithm/detail/linalg_parts.h>

namespace krait {

// All take stacks of matrices, too, of shape (…, rows, columns), and give one result per matrix;
// the first dimensions are the stack's. Matrices of results have Fortran order. All throw
// error{usage} for a singular matrix, for one that is not square, and if the device has no library
// of linear algebra. Functions that give one array take kr::into(y), and write it when all systems
// are solved.

/// Solves a x = b for square matrices; b is a vector or has right-hand sides as columns.
/// Stacks of matrices broadcast; matrices of results have Fortran order. kr::into(x) may follow.
/// Throws error{usage} for a singular or non-square matrix, and if the device has no library of
/// linear algebra; so do the functions below.
/// \code
/// kr::array<float, 2> solution = kr::solve(a, b);
/// \endcode
template <class Elem, int Rank, class Other, int OtherRank, detail::into_option... Options>
auto solve(const array<Elem, Rank>& a, const array<Other, OtherRank>& b,
           const Options&... options) {
  using type =
      typename detail::linalg_common<detail::linalg_t<Elem>, detail::linalg_t<Other>>::type;
  static_assert(Rank >= 2, "krait: solve takes matrices: arrays of two dimensions or more");
  constexpr int batch = std::max(Rank, OtherRank) - 2;
  detail::check_square("solve", a.at());
  std::int64_t extents[detail::max_rank];
  detail::solve_shape(a.at(), b.at(), OtherRank == 1, batch, extents);
  if constexpr (OtherRank == 1) {
    const auto columns = b(all, newaxis);
    auto x = solve(a, columns);
    return detail::give_result(detail::output_in(options...), x.squeeze(-1));
  } else {
    shape<batch + 2> whole;
    for (int d = 0; d < batch; ++d) whole.extents[d] = extents[d];
    whole.extents[batch] = b.extent(OtherRank - 2),
    whole.extents[batch + 1] = b.extent(OtherRank - 1);
    const array<const std::remove_const_t<Other>, batch + 2> repeated(
        detail::broadcast_to(b.at(), whole.extents, batch + 2), b.memory_owner(),
        detail::handle_of(b.device()));
    auto x = detail::matrices_of<type>(repeated, a.device());
    detail::solve_matrices(a, x, extents, batch, "solve");
    return detail::give_result(detail::output_in(options...),
                               detail::as_stack<batch + 2>(x, extents));
  }
}
/// The inverse of a square matrix or of each matrix of a stack.
/// \code
/// kr::array<float, 2> inverse = kr::inv(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto inv(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  static_assert(Rank >= 2, "krait: inv takes matrices: arrays of two dimensions or more");
  detail::check_square("inv", a.at());
  const std::int64_t* const extents = a.extents().extents;
  auto x = detail::new_matrices<type>(detail::batch_size(a.extents(), 2), a.extent(Rank - 1),
                                      a.extent(Rank - 1), a.device());
  detail::set_to_identities(x);
  detail::solve_matrices(a, x, extents, Rank - 2, "inv");
  return detail::give_result(detail::output_in(options...), detail::as_stack<Rank>(x, extents));
}
/// The determinant, as a number that the call waits for; for a stack an array. No row gives 1.
/// \code
/// float determinant = kr::det(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto det(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  static_assert(Rank >= 2, "krait: det takes matrices: arrays of two dimensions or more");
  detail::check_square("det", a.at());
  const auto f = detail::lu_of<type>(a, "det");
  const std::int64_t n = f.pivots.extent(1);
  const auto diagonals = f.both.diagonal(0, 1, 2).to_host();
  const auto pivots = f.pivots.to_host();
  std::vector<type> products(std::size_t(f.pivots.extent(0)), type(1));
  for (std::size_t i = 0; i < std::size_t(f.pivots.size()); ++i) {
    type& product = products[i / std::size_t(n)];
    product *= diagonals.data()[i];
    if (pivots.data()[i] != int(i % std::size_t(n)) + 1) product = -product;
  }
  if constexpr (Rank == 2) {
    static_assert(sizeof...(Options) == 0,
                  "krait: det of one matrix returns a number: call it without into()");
    return products[0];
  } else {
    shape<Rank - 2> stack;
    for (int d = 0; d < Rank - 2; ++d) stack.extents[d] = a.extent(d);
    array<type, Rank - 2> out(stack, a.device());
    out.copy_from(products);
    return detail::give_result(detail::output_in(options...), std::move(out));
  }
}
/// The LU decomposition a[rows] = l u with a permutation of the rows.
/// l is lower triangular with ones on the diagonal, u is upper triangular.
/// \code
/// auto [rows, l, u] = kr::lu(a);
/// \endcode
template <class Elem, int Rank>
auto lu(const array<Elem, Rank>& a) {
  using type = detail::linalg_t<Elem>;
  struct factors {
    array<std::int64_t, Rank - 1> rows;
    array<type, Rank> l, u;
  };
  const auto f = detail::lu_of<type>(a, "lu");
  const auto pivots = f.pivots.to_host();
  const std::int64_t count = f.both.extent(0), rows = a.extent(Rank - 2),
                     columns = a.extent(Rank - 1), least = f.pivots.extent(1);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count * rows));
  for (std::int64_t m = 0; m < count; ++m) {
    std::int64_t* const own = order.data() + m * rows;
    for (std::int64_t i = 0; i < rows; ++i) own[i] = i;
    for (std::int64_t i = 0; i < least; ++i)
      std::swap(own[i], own[pivots.data()[m * least + i] - 1]);
  }
  array<std::int64_t, 2> in_order({count, rows}, a.device());
  in_order.copy_from(order);
  auto l = detail::new_matrices<type>(count, rows, least, a.device()),
       u = detail::new_matrices<type>(count, least, columns, a.device());
  detail::copy_triangles(f.both, l, true, true), detail::copy_triangles(f.both, u, false, false);
  const std::int64_t* const like = a.extents().extents;
  return factors{detail::as_vectors<Rank - 1>(in_order, like), detail::as_stack<Rank>(l, like),
                 detail::as_stack<Rank>(u, like)};
}
/// The Cholesky factor l with a = l l^H; the lower triangle of a is read.
/// Throws if a is not positive definite.
/// \code
/// kr::array<float, 2> l = kr::cholesky(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto cholesky(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  detail::check_square("cholesky", a.at());
  const auto both = detail::matrices_of<type>(a, a.device());
  for (std::int64_t i = 0; i < detail::matrices_in(both); ++i)
    if (detail::factor_cholesky(detail::linalg_on<type>(a.device(), "cholesky"), both.extent(1),
                                detail::matrix_at(both, i)) > 0)
      detail::refuse_matrix("cholesky", "Matrix is not positive definite");
  auto l = detail::new_matrices<type>(both.extent(0), both.extent(1), both.extent(2), a.device());
  detail::copy_triangles(both, l, true, false);
  return detail::give_result(detail::output_in(options...),
                             detail::as_stack<Rank>(l, a.extents().extents));
}
/// The QR decomposition a = q r, with orthonormal columns and an upper triangle.
/// q has as many columns as the smaller extent of a.
/// \code
/// auto [q, r] = kr::qr(a);
/// \endcode
template <class Elem, int Rank>
auto qr(const array<Elem, Rank>& a) {
  using type = detail::linalg_t<Elem>;
  struct factors {
    array<type, Rank> q, r;
  };
  const auto call = detail::linalg_on<type>(a.device(), "qr");
  const auto both = detail::matrices_of<type>(a, a.device());
  const std::int64_t count = both.extent(0), rows = both.extent(1), columns = both.extent(2),
                     least = std::min(rows, columns);
  const array<type, 2> tau({count, least}, a.device());
  for (std::int64_t i = 0; i < detail::matrices_in(both); ++i)
    detail::factor_qr(call, rows, columns, detail::matrix_at(both, i), detail::row_at(tau, i));
  auto r = detail::new_matrices<type>(count, least, columns, a.device());
  detail::copy_triangles(both, r, false, false);
  for (std::int64_t i = 0; i < detail::matrices_in(both); ++i)
    detail::make_q(call, rows, least, detail::matrix_at(both, i), detail::row_at(tau, i));
  // Columns after the first `least` belong only to R.
  detail::layout first = detail::as_stack<Rank>(both, a.extents().extents).at();
  first.extents[Rank - 1] = least;
  return factors{array<type, Rank>(first, both.memory_owner(), detail::handle_of(a.device())),
                 detail::as_stack<Rank>(r, a.extents().extents)};
}
/// The singular value decomposition a = u diag(s) vh, with s falling.
/// With `full_matrices` u and vh are square; without it they have one column or row per singular
/// value.
/// \code
/// auto [u, s, vh] = kr::svd(a, false);
/// \endcode
template <class Elem, int Rank>
auto svd(const array<Elem, Rank>& a, bool full_matrices = true) {
  using type = detail::linalg_t<Elem>;
  using part = detail::linalg_part_t<type>;
  struct factors {
    array<type, Rank> u;
    array<part, Rank - 1> s;
    array<type, Rank> vh;
  };
  const bool wide = a.extent(Rank - 2) < a.extent(Rank - 1);
  auto tall = detail::matrices_of<type>(a, a.device());
  if (wide) tall = detail::conjugate_transposed(tall);
  const std::int64_t count = tall.extent(0), rows = tall.extent(1), columns = tall.extent(2),
                     u_columns = full_matrices ? rows : columns;
  auto u = detail::new_matrices<type>(count, rows, u_columns, a.device()),
       vh = detail::new_matrices<type>(count, columns, columns, a.device());
  const array<part, 2> s({count, columns}, a.device());
  if (columns == 0) detail::set_to_identities(u);
  for (std::int64_t i = 0; i < detail::matrices_in(tall); ++i)
    if (detail::decompose_singular(detail::linalg_on<type>(a.device(), "svd"), rows, columns,
                                   detail::matrix_at(tall, i), detail::row_at(s, i),
                                   detail::matrix_at(u, i), u_columns,
                                   detail::matrix_at(vh, i)) != 0)
      detail::refuse_matrix("svd", "SVD did not converge");
  if (wide) {
    auto turned = detail::conjugate_transposed(vh);
    vh = detail::conjugate_transposed(u), u = std::move(turned);
  }
  const std::int64_t* const like = a.extents().extents;
  return factors{detail::as_stack<Rank>(u, like), detail::as_vectors<Rank - 1>(s, like),
                 detail::as_stack<Rank>(vh, like)};
}
/// Eigenvalues, ascending, and orthonormal eigenvectors of a symmetric or Hermitian matrix.
/// The lower triangle is read. The vectors are the columns.
/// \code
/// auto [values, vectors] = kr::eigh(a);
/// \endcode
template <class Elem, int Rank>
auto eigh(const array<Elem, Rank>& a) {
  using type = detail::linalg_t<Elem>;
  using part = detail::linalg_part_t<type>;
  struct pairs {
    array<part, Rank - 1> w;
    array<type, Rank> v;
  };
  detail::check_square("eigh", a.at());
  const auto v = detail::matrices_of<type>(a, a.device());
  const array<part, 2> w({v.extent(0), v.extent(1)}, a.device());
  for (std::int64_t i = 0; i < detail::matrices_in(v); ++i)
    if (detail::decompose_symmetric(detail::linalg_on<type>(a.device(), "eigh"), v.extent(1),
                                    detail::matrix_at(v, i), detail::row_at(w, i)) != 0)
      detail::refuse_matrix("eigh", "Eigenvalues did not converge");
  const std::int64_t* const like = a.extents().extents;
  return pairs{detail::as_vectors<Rank - 1>(w, like), detail::as_stack<Rank>(v, like)};
}

}  // namespace krait
