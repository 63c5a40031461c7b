// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices.
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/grouped_matmul.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/sparse.h>

#include "arrays/clean.h"

namespace krait::test::clean {

void matrices(Results& to) {
  const std::tuple<int, int, int> shapes[] = {{1, 1, 1},    {3, 5, 7},    {16, 16, 16},
                                              {17, 33, 15}, {64, 64, 64}, {65, 70, 129},
                                              {0, 3, 4},    {3, 0, 4}};
  for (const auto& [m, k, n] : shapes) {
    const std::string name = std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n);
    const auto x = matrix<float>(m, k), y = matrix<float>(k, n, false, 2);
    to.add("matmul " + name, [&] { return kr::matmul(x, y); });
    to.add("matmul transposed " + name, [&] { return kr::matmul(y.transpose(), x.transpose()); });
    to.add("matmul of numbers " + name,
           [&] { return kr::matmul(matrix<int>(m, k), matrix<int>(k, n, false, 2)); });
    to.add("matmul vector " + name, [&] { return kr::matmul(x, row<float>(k, false, 3)); });
    to.add("matmul with an ending " + name, [&] {
      return kr::matmul(
          x, y, [](auto sum, auto add) { return kr::max(sum + add, 0.0f); },
          row<float>(n, false, 4));
    });
    to.add("einsum " + name, [&] { return kr::einsum<"ij,jk->ik">(x, y); });
  }
  to.add("einsum of one", [&] {
    return std::tuple(kr::einsum<"ij->j">(matrix<float>(9, 40)),
                      kr::einsum<"ii->i">(matrix<float>(9, 9)));
  });
  to.add("stack", [&] {
    return kr::matmul(row<float>(2 * 9 * 5).reshape(2, 9, 5),
                      row<float>(2 * 5 * 6).reshape(2, 5, 6));
  });
  to.add("grouped", [&] {
    return kr::grouped_matmul(matrix<float>(40, 24), row<float>(3 * 24 * 18).reshape(3, 24, 18),
                              kr::to_device(std::vector<int>{0, 13, 40}));
  });
  const auto indptr = kr::to_device(std::vector<std::int64_t>{0, 2, 2, 3}),
             indices = kr::to_device(std::vector<std::int64_t>{0, 2, 1});
  const auto data = kr::to_device(std::vector<float>{1, 2, 3});
  const kr::csr_matrix<float> a(indptr, indices, data, {3, 3});
  to.add("sparse", [&] {
    return std::tuple(kr::matmul(a, row<float>(3)), kr::matmul(a, matrix<float>(3, 40)));
  });
  to.add("sparse of sparse", [&] { return kr::matmul(kr::matmul(a, a), row<float>(3)); });
}

}  // namespace krait::test::clean
