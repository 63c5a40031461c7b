// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigen and Krait on the same memory: Eigen's matrices as arrays, and arrays as Eigen's maps, without a copy. Kernels and expressions do what
// is element by element, Eigen the linear algebra.
#include <krait/algorithm/reduce.h>
#include <krait/krait.h>
#include <krait/span.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

namespace kr = krait;

namespace {

/// A matrix of Eigen as an array that shares its memory; Eigen's order is Fortran's unless a matrix says otherwise.
template <class Matrix>
auto as_array(Matrix& m) {
  return kr::wrap(m.data(), {m.rows(), m.cols()}, Matrix::IsRowMajor ? kr::storage_order::c : kr::storage_order::fortran);
}
/// An array of the CPU as a matrix of Eigen, with the strides that it has.
template <class Elem>
auto as_matrix(kr::array<Elem, 2>& a) {
  using matrix = Eigen::Matrix<Elem, Eigen::Dynamic, Eigen::Dynamic>;
  using strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  return Eigen::Map<matrix, 0, strides>(reinterpret_cast<Elem*>(a.address()), a.extent(0), a.extent(1),
                                        strides(a.stride(1), a.stride(0)));
}

}  // namespace

int main() {
  // A kernel matrix of 40 points on a line, by an expression that broadcasts, in memory of Eigen's.
  const int n = 40;
  Eigen::MatrixXd covariance(n, n);
  const kr::array<double> points = kr::linspace(0, 4, n, true, kr::device::cpu());
  const auto rows = points(kr::all, kr::newaxis), columns = points(kr::newaxis, kr::all);
  auto k = as_array(covariance);
  k() = kr::exp((rows - columns) * (columns - rows) * 2.0);
  k.diagonal() += 0.01;

  // Weights of a Gaussian process by Eigen; the curve through the points by Krait.
  kr::array<double, 2> values({n, 1}, kr::device::cpu());
  values(kr::all, 0) = kr::sin(points * 1.5);
  kr::array<double, 2> weights({n, 1}, kr::device::cpu());
  as_matrix(weights) = covariance.llt().solve(as_matrix(values));
  const double at = 1.23;
  const double curve = kr::sum(kr::exp((points - at) * (at - points) * 2.0) * weights(kr::all, 0));
  std::printf("sin(1.5 * %.2f) = %.4f, from the points %.4f\n", at, std::sin(1.5 * at), curve);

  // Views too: every second row, backwards.
  auto some = k(kr::range(kr::none, kr::none, -2));
  const bool same = as_matrix(some)(0, 3) == covariance(n - 1, 3) && as_matrix(some)(1, 0) == covariance(n - 3, 0);
  return std::abs(curve - std::sin(1.5 * at)) < 0.01 && same ? 0 : 1;
}
