// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of numpy.linalg, for one matrix each, from the factors of krait/algorithm/linalg.h:
//   auto [x, residuals, rank, s] = kr::lstsq(a, b);
//   auto [w, v] = kr::eig(a);                          // complex eigenvalues and vectors
//   auto e = kr::expm(a);                              // scipy.linalg's
#pragma once

#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>

namespace krait {
namespace detail {

template <class T>
constexpr double epsilon_of = sizeof(linalg_part_t<T>) == 4 ? 0x1p-23 : 0x1p-52;
/// On the host.
template <class Elem>
auto singular_values(const array<Elem, 2>& a) {
  return svd(a, false).s.to_host();
}

}  // namespace detail

/// The complex eigenvalues of a square matrix, and its eigenvectors as columns, as
/// numpy.linalg.eig.
/// It is computed by LAPACK on the CPU; arrays of other devices are copied there and back, which a
/// hint says. Throws error{usage} for a matrix that is not square.
/// \code
/// auto [w, v] = kr::eig(a);
/// \endcode
template <class Elem>
auto eig(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  using complex = std::complex<detail::linalg_part_t<type>>;
  struct eigen {
    array<complex, 1> w;
    array<complex, 2> v;
  };
  const auto f =
      detail::eig_of(detail::erased(detail::as_type<type>(a)), detail::linalg_number_of<type>);
  return eigen{detail::typed<complex, 1>(f.first), detail::typed<complex, 2>(f.second)};
}
/// The complex eigenvalues of a square matrix.
/// \code
/// auto w = kr::eigvals(a);
/// \endcode
template <class Elem>
auto eigvals(const array<Elem, 2>& a) {
  return std::move(eig(a).w);
}
/// The eigenvalues of a symmetric or Hermitian matrix, ascending, or of each of a stack.
/// \code
/// auto w = kr::eigvalsh(a);
/// \endcode
template <class Elem, int Rank>
auto eigvalsh(const array<Elem, Rank>& a) {
  return std::move(eigh(a).w);
}
/// The pseudo-inverse of a matrix (Moore and Penrose), by its singular values.
/// Those up to `part` of the largest are taken for 0.
/// \code
/// auto inverse = kr::pinv(a);
/// \endcode
template <class Elem>
auto pinv(const array<Elem, 2>& a, double part = 1e-15) {
  using type = detail::linalg_t<Elem>;
  const auto x = detail::as_type<type>(a);
  return detail::typed<type, 2>(
      detail::pseudo_inverse_of(detail::erased(x), detail::linalg_number_of<type>, part));
}
/// The least-squares solution of a x = b, as numpy.linalg.lstsq: x, the sums of squares of
/// b - a x, the rank and the singular values.
/// b is a vector or has right sides as columns. Sums are there if a has full rank and more rows
/// than columns. Singular values up to `part` of the largest are taken for 0; below 0 it is the
/// rounding unit times the larger extent.
/// \code
/// auto [x, residuals, rank, s] = kr::lstsq(a, b);
/// \endcode
template <class Elem, class Other, int Rank>
auto lstsq(const array<Elem, 2>& a, const array<Other, Rank>& b, double part = -1) {
  static_assert(Rank <= 2, "krait: the right side of lstsq is a vector or a matrix");
  using type = detail::linalg_common_t<Elem, Other>;
  using real = detail::linalg_part_t<type>;
  struct solution {
    array<type, Rank> x;
    array<real, 1> residuals;
    std::int64_t rank;
    array<real, 1> s;
  };
  const std::int64_t larger = a.extent(0) > a.extent(1) ? a.extent(0) : a.extent(1);
  if (part < 0) part = detail::epsilon_of<type> * double(larger);
  std::int64_t rank = 0;
  const auto f = detail::least_squares_of(detail::erased(detail::as_type<type>(a)),
                                          detail::erased(detail::as_type<type>(b)),
                                          detail::linalg_number_of<type>, part, rank);
  return solution{detail::typed<type, Rank>(f.first), detail::typed<real, 1>(f.second), rank,
                  detail::typed<real, 1>(f.third)};
}
/// The condition number: the largest singular value divided by the smallest.
/// \code
/// double c = kr::cond(a);
/// \endcode
template <class Elem>
auto cond(const array<Elem, 2>& a) {
  const auto s = detail::singular_values(a);
  return s[0] / s[s.size() - 1];
}
/// The rank of a matrix: how many singular values are above a part of the largest.
/// Unless it is given, the part is the rounding unit times the larger extent, as in NumPy.
/// \code
/// auto rank = kr::matrix_rank(a);
/// \endcode
template <class Elem>
std::int64_t matrix_rank(const array<Elem, 2>& a, double part = -1) {
  const auto s = detail::singular_values(a);
  const std::int64_t larger = a.extent(0) > a.extent(1) ? a.extent(0) : a.extent(1);
  if (part < 0) part = detail::epsilon_of<detail::linalg_t<Elem>> * double(larger);
  std::int64_t rank = 0;
  for (const auto each : s) rank += double(each) > part * double(s[0]);
  return rank;
}
/// The sign, or direction, of a determinant and the logarithm of its size, as numpy.linalg.slogdet.
/// \code
/// auto [sign, logdet] = kr::slogdet(a);
/// \endcode
template <class Elem>
auto slogdet(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  using real = detail::linalg_part_t<type>;
  struct determinant {
    type sign;
    real logdet;
  };
  detail::check_square("slogdet", detail::layout_of(a));
  const auto f = lu(a);
  const auto diagonal = f.u.diagonal().to_host();
  auto rows = f.rows.to_host();
  determinant d{type(1), real(0)};
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const real size = real(abs(diagonal[i]));
    d.logdet += real(__builtin_log(double(size)));
    d.sign = size == 0 ? type(0) : d.sign * (diagonal[i] / size);
    while (rows[i] != std::int64_t(i)) {  // each exchange turns the sign
      std::swap(rows[i], rows[std::size_t(rows[i])]);
      d.sign = -d.sign;
    }
  }
  return d;
}
/// The exponential of a square matrix, as scipy.linalg.expm.
/// \code
/// auto e = kr::expm(a);
/// \endcode
template <class Elem>
auto expm(const array<Elem, 2>& a) {
  using type = detail::linalg_t<Elem>;
  const auto x = detail::as_type<type>(a);
  return detail::typed<type, 2>(
      detail::exponential_of(detail::erased(x), detail::linalg_number_of<type>));
}
/// A square matrix to a whole power; negative powers are of its inverse.
/// \code
/// auto cube = kr::matrix_power(a, 3);
/// \endcode
template <class Elem>
auto matrix_power(const array<Elem, 2>& a, std::int64_t power) {
  using type = detail::linalg_t<Elem>;
  detail::check_square("matrix_power", detail::layout_of(a));
  array<type, 2> base = power < 0 ? inv(a) : detail::as_type<type>(a).copy();
  array<type, 2> made = eye<type>(a.extent(0), placement(a.device()));
  for (std::uint64_t rest = power < 0 ? std::uint64_t(-power) : std::uint64_t(power); rest > 0;
       rest >>= 1) {
    if (rest & 1) made = matmul(made, base);
    if (rest > 1) base = matmul(base, base);
  }
  return made;
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(eig, eigvals, eigvalsh, pinv, lstsq, cond, matrix_rank, slogdet, expm,
                        matrix_power)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
