// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra on arrays of kr::dist: kr::solve and kr::eigh of krait/algorithm/linalg.h,
// by ScaLAPACK, which all ranks of an MPI compute with on their CPUs. It is opened at the first
// call.
//   auto x = kr::solve(a, b);
//   auto [w, v] = kr::eigh(a);
#pragma once

#include <krait/detail/dist/solvers.h>

namespace krait {

/// Solves a x = b for a square matrix; b is a vector or has right-hand sides as columns, and x is
/// distributed as b is. Throws error{usage} on all ranks for a singular or non-square matrix, and
/// for processes without ScaLAPACK.
/// \code
/// auto x = kr::solve(a, b);
/// \endcode
template <dist::detail::distributed Matrix, dist::detail::distributed Right>
  requires(Matrix::rank == 2 && Right::rank <= 2)
auto solve(const Matrix& a, const Right& b) {
  return dist::detail::solve(dist::detail::evaluated(a), dist::detail::evaluated(b));
}

/// Eigenvalues, ascending, and orthonormal eigenvectors of a symmetric or Hermitian matrix, as
/// kr::eigh. The vectors are the columns of v, which is distributed as a is; w is distributed as
/// the rows are. Throws error{usage} on all ranks for a matrix that is not square, and for
/// processes without ScaLAPACK.
/// \code
/// auto [w, v] = kr::eigh(a);
/// \endcode
template <dist::detail::distributed Matrix>
  requires(Matrix::rank == 2)
auto eigh(const Matrix& a) {
  return dist::detail::eigh(dist::detail::evaluated(a));
}

}  // namespace krait
