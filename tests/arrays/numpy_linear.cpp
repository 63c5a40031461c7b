// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of cases.py, dense and sparse, and convolutions.
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/sparse.h>

#include "arrays/numpy_order.h"

namespace krait::test {
namespace {

/// Where there is a library: the default device if that is CUDA's, else the CPU.
kr::device library_device() {
  const kr::device on;
  return std::string(on.id()).starts_with("cuda") ? on : kr::device::cpu();
}
/// Rows and columns, and the elements; `turned`: those of the transposed matrix.
kr::array<double, 2> read_matrix(std::istream& in, bool turned) {
  std::int64_t rows = 0, columns = 0;
  in >> rows >> columns;
  const kr::array<double> flat =
      kr::to_device(read_elements<double>(in, std::size_t(rows * columns)), library_device());
  return turned ? flat.reshape(columns, rows).transpose().copy()
                : flat.reshape(rows, columns).copy();
}

kr::csr_matrix<double> read_csr(std::istream& in) {
  std::int64_t rows = 0, columns = 0, elements = 0;
  in >> rows >> columns >> elements;
  const kr::array<std::int64_t> starts = kr::to_device(
                                    read_elements<std::int64_t>(in, std::size_t(rows + 1))),
                                indices = kr::to_device(
                                    read_elements<std::int64_t>(in, std::size_t(elements)));
  return {starts,
          indices,
          kr::to_device(read_elements<double>(in, std::size_t(elements))),
          {rows, columns}};
}

}  // namespace

Any<double> run_linear(std::istream& in) {
  std::string name;
  int turned = 0;
  double largest = 1;
  in >> name >> turned >> largest;
  const kr::array<double, 2> a = read_matrix(in, turned != 0);
  std::int64_t rows = 0;
  in >> rows;
  const kr::array<double> right =
      kr::to_device(read_elements<double>(in, std::size_t(2 * rows)), library_device());
  const auto part = [&](const auto& x) {
    const kr::array<double, std::remove_cvref_t<decltype(x)>::rank> of = x / largest;
    return as_doubles(of);
  };
  if (name == "solve") return part(kr::solve(a, right.reshape(rows, 2)));
  if (name == "inv") return part(kr::inv(a));
  if (name == "cholesky") return part(kr::cholesky(a));
  if (name == "eigh") return part(kr::eigh(a).w);
  if (name == "svd") return part(kr::svd(a).s);
  if (name == "det") return part(kr::full({1}, kr::det(a), a.device()));
  if (name == "qr") {
    const auto f = kr::qr(a);
    return part(kr::matmul(f.q, f.r));
  }
  throw std::runtime_error("nothing of linear algebra is called " + name);
}

Any<double> run_stacks(std::istream& in) {
  std::string name;
  double largest = 1;
  in >> name >> largest;
  const auto read = [&]<int Rank>(std::integral_constant<int, Rank>) {
    int rank = 0;
    in >> rank;
    kr::shape<Rank> extents;
    for (std::int64_t& e : extents.extents) in >> e;
    kr::array<double, Rank> a(extents, library_device());
    a.copy_from(read_elements<double>(in, std::size_t(extents.size())));
    return a;
  };
  const auto a = read(std::integral_constant<int, 4>());
  const auto part = [&](const auto& x) {
    const kr::array<double, std::remove_cvref_t<decltype(x)>::rank> of = x / largest;
    return as_doubles(of);
  };
  if (name == "vector") return part(kr::solve(a, read(std::integral_constant<int, 1>())));
  const auto right = read(std::integral_constant<int, 4>());
  if (name == "solve") return part(kr::solve(a, right));
  if (name == "inv") return part(kr::inv(a));
  if (name == "cholesky") return part(kr::cholesky(a));
  if (name == "eigh") return part(kr::eigh(a).w);
  if (name == "svd") return part(kr::svd(a).s);
  if (name == "det") return part(kr::det(a));
  if (name == "qr") {
    const auto f = kr::qr(a);
    return part(kr::matmul(f.q, f.r));
  }
  throw std::runtime_error("nothing of linear algebra is called " + name);
}

Any<double> run_sparse(std::istream& in) {
  const auto a = read_csr(in), b = read_csr(in);
  return as_doubles(kr::matmul(kr::matmul(a, b), kr::eye<double>(b.extent(1))));
}

Any<double> run_convolve(std::istream& in) {
  std::string mode;
  in >> mode;
  const kr::array<double> a = read_some<double>(in), b = read_some<double>(in);
  return as_doubles(kr::convolve(a, b, mode.c_str()));
}

}  // namespace krait::test
