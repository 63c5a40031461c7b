// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra, as in numpy.linalg, by the library of each device: LAPACK on the CPU
// (libopenblas.so.0, liblapack.so.3, or the one that KRAIT_LAPACK names), cuSOLVER on CUDA. Each is
// opened at the first call.
//   kr::array<double> x = kr::solve(a, b);
//   auto [u, s, vh] = kr::svd(a, false);
//   auto [w, v] = kr::eigh(a);
#pragma once

#include <krait/algorithm/detail/linalg_calls.h>
#include <krait/algorithm/detail/numbers.h>
#include <krait/algorithm/detail/result.h>
#include <krait/complex.h>

namespace krait {
namespace detail {

/// Integers are computed in double; narrow floats have no routines.
template <class Elem>
struct linalg_type {
  static_assert(
      std::is_integral_v<Elem> || std::is_same_v<Elem, float> || std::is_same_v<Elem, double> ||
          std::is_same_v<Elem, std::complex<float>> || std::is_same_v<Elem, std::complex<double>>,
      "krait: linear algebra needs elements of type float, double, std::complex of these, or an "
      "integer type");
  using type = std::conditional_t<std::is_integral_v<Elem>, double, Elem>;
};
template <class Elem>
using linalg_t = typename linalg_type<std::remove_const_t<Elem>>::type;

/// Of both sides of a system.
template <class Left, class Right>
using linalg_common_t = linalg_t<common_of_numbers<Left, Right>>;

template <class T, int Rank>
constexpr linalg_number linalg_number_for() {
  static_assert(Rank >= 2,
                "krait: linear algebra needs matrices: arrays of two dimensions or more");
  return linalg_number_of<T>;
}

}  // namespace detail

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
  using type = detail::linalg_common_t<Elem, Other>;
  static_assert(Rank >= 2, "krait: solve takes matrices: arrays of two dimensions or more");
  constexpr int rank = OtherRank == 1 ? Rank - 1 : Rank > OtherRank ? Rank : OtherRank;
  const auto x = detail::solve_systems(detail::erased(detail::as_type<type>(a)),
                                       detail::erased(detail::as_type<type>(b)),
                                       detail::linalg_number_of<type>);
  return detail::give_result(detail::output_in(options...), detail::typed<type, rank>(x));
}
/// The inverse of a square matrix or of each matrix of a stack.
/// \code
/// kr::array<float, 2> inverse = kr::inv(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto inv(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  static_assert(Rank >= 2, "krait: inv takes matrices: arrays of two dimensions or more");
  const auto x = detail::inverse_of(detail::erased(a), detail::linalg_number_of<type>);
  return detail::give_result(detail::output_in(options...), detail::typed<type, Rank>(x));
}
/// The determinant, as a number that the call waits for; for a stack an array. No row gives 1.
/// \code
/// float determinant = kr::det(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto det(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  static_assert(Rank >= 2, "krait: det takes matrices: arrays of two dimensions or more");
  if constexpr (Rank == 2) {
    static_assert(sizeof...(Options) == 0,
                  "krait: det of one matrix returns a number: call it without into()");
    type product;
    detail::determinants_of(detail::erased(a), detail::linalg_number_of<type>, &product);
    return product;
  } else {
    shape<Rank - 2> stack;
    for (int d = 0; d < Rank - 2; ++d) stack.extents[d] = a.extent(d);
    host_array<type> products(std::size_t(stack.size()));
    detail::determinants_of(detail::erased(a), detail::linalg_number_of<type>, products.data());
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
  const auto f = detail::lu_of(detail::erased(a), detail::linalg_number_for<type, Rank>());
  return factors{detail::typed<std::int64_t, Rank - 1>(f.first),
                 detail::typed<type, Rank>(f.second), detail::typed<type, Rank>(f.third)};
}
/// The Cholesky factor l with a = l l^H; the lower triangle of a is read.
/// Throws if a is not positive definite.
/// \code
/// kr::array<float, 2> l = kr::cholesky(a);
/// \endcode
template <class Elem, int Rank, detail::into_option... Options>
auto cholesky(const array<Elem, Rank>& a, const Options&... options) {
  using type = detail::linalg_t<Elem>;
  const auto l = detail::cholesky_of(detail::erased(a), detail::linalg_number_for<type, Rank>());
  return detail::give_result(detail::output_in(options...), detail::typed<type, Rank>(l));
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
  const auto f = detail::qr_of(detail::erased(a), detail::linalg_number_for<type, Rank>());
  return factors{detail::typed<type, Rank>(f.first), detail::typed<type, Rank>(f.second)};
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
  const auto f =
      detail::svd_of(detail::erased(a), detail::linalg_number_for<type, Rank>(), full_matrices);
  return factors{detail::typed<type, Rank>(f.first), detail::typed<part, Rank - 1>(f.second),
                 detail::typed<type, Rank>(f.third)};
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
  const auto f = detail::eigh_of(detail::erased(a), detail::linalg_number_for<type, Rank>());
  return pairs{detail::typed<part, Rank - 1>(f.first), detail::typed<type, Rank>(f.second)};
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(solve, inv, det, lu, cholesky, qr, svd, eigh)
KRAIT_TAKES_LISTS(solve)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
