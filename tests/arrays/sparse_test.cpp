// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse matrices with vectors, dense matrices and each other.
#include <krait/algorithm/sparse.h>

#include <array>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

using Ints = std::vector<int>;
using Longs = std::vector<std::int64_t>;

TEST(Sparse, Products) {
  // SciPy's documented example, {{1, 0, 2}, {0, 0, 3}, {4, 5, 6}}, with one element as a sum of
  // two, and an empty row.
  const kr::array<std::int64_t> indptr = kr::to_device(Longs{0, 2, 4, 4, 7}),
                                indices = kr::to_device(Longs{2, 0, 2, 2, 0, 1, 2});
  const kr::array<float> data = kr::to_device(std::vector<float>{2, 1, 1, 2, 4, 5, 6});
  const kr::csr_matrix<float> a(indptr, indices, data, {4, 3});
  const kr::array<int> x = kr::to_device(Ints{1, 2, 3});
  EXPECT_EQ(std::vector<float>(kr::matmul(a, x).to_host()), (std::vector<float>{7, 9, 0, 32}));
  const kr::csr_matrix<float> narrow(kr::to_device(Ints{0, 2, 4, 4, 7}),
                                     kr::to_device(Ints{2, 0, 2, 2, 0, 1, 2}), data, {4, 3});
  EXPECT_EQ(std::vector<float>(kr::matmul(narrow, x).to_host()), (std::vector<float>{7, 9, 0, 32}));
  const kr::array<double, 2> b = kr::eye<double>(3);
  EXPECT_EQ(std::vector<double>(kr::matmul(a, b.transpose()).to_host()),
            (std::vector<double>{1, 0, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6}));
  const kr::csr_matrix<float> none(kr::zeros<std::int64_t>({1}), kr::zeros<std::int64_t>({0}),
                                   kr::zeros<float>({0}), {0, 3});
  EXPECT_EQ(kr::matmul(none, x).size(), 0);
}

TEST(Sparse, ProductsOfTwo) {
  Random random(9);
  const auto make = [&](std::int64_t rows, std::int64_t columns) {
    Longs indptr{0}, indices;
    std::vector<float> data;
    for (std::int64_t r = 0; r < rows; indptr.push_back(std::int64_t(indices.size())), ++r)
      // in any order, some twice
      for (std::int64_t n = random.below(2) * random.below(9); n > 0; --n)
        indices.push_back(random.below(columns)), data.push_back(float(random.below(9) - 4));
    return kr::csr_matrix<float>(kr::to_device(indptr), kr::to_device(indices), kr::to_device(data),
                                 {rows, columns});
  };
  for (const auto& [n, m, k] : {std::array<std::int64_t, 3>{40, 30, 50}, {1, 7, 1}, {5, 3, 4}}) {
    const auto a = make(n, m), b = make(m, k);
    const auto c = kr::matmul(a, b);
    const auto dense = kr::matmul(a, kr::matmul(b, kr::eye<float>(k)));
    EXPECT_EQ(std::vector<float>(kr::matmul(c, kr::eye<float>(k)).to_host()),
              std::vector<float>(dense.to_host()));
    const Longs indptr = c.indptr().to_host(), indices = c.indices().to_host();
    ASSERT_EQ(indptr.size(), std::size_t(n + 1));
    for (std::int64_t r = 0; r < n; ++r)
      for (std::int64_t at = indptr[std::size_t(r)] + 1; at < indptr[std::size_t(r) + 1]; ++at)
        EXPECT_LT(indices[std::size_t(at - 1)], indices[std::size_t(at)]);
  }
  const kr::csr_matrix<double> none(kr::zeros<std::int64_t>({3}), kr::zeros<std::int64_t>({0}),
                                    kr::zeros<double>({0}), {2, 30});
  const auto empty = kr::matmul(none, make(30, 4));
  EXPECT_EQ(Longs(empty.indptr().to_host()), (Longs{0, 0, 0}));
}

TEST(Sparse, BadInput) {
  const kr::array<float> data = kr::to_device(std::vector<float>{1, 2});
  const auto make = [&](const Longs& indptr, const Longs& indices, std::int64_t rows) {
    return kr::csr_matrix<float>(kr::to_device(indptr), kr::to_device(indices), data, {rows, 2});
  };
  expect_usage({"csr_matrix: indptr has 2 elements; a matrix of 2 rows needs 3"}, [&] {
    make({0, 2}, {0, 1}, 2);
  });
  expect_usage({"csr_matrix: negative dimensions are not allowed: (-1,2)"}, [&] {
    make({}, {0, 1}, -1);
  });
  expect_usage(
      {"csr_matrix: there are 1 indices and 2 elements of data; each element has one index"}, [&] {
        make({0, 2}, {0}, 1);
      });
  expect_usage(
      {"csr_matrix: indptr goes from 0 to 3; it must go from 0 to the number of elements, 2"}, [&] {
        make({0, 3}, {0, 1}, 1);
      });
  expect_usage({"csr_matrix: indptr(1) is 3 and indptr(2) is 2; it must not decrease"}, [&] {
    make({0, 3, 2}, {0, 1}, 2);
  });
  expect_usage({"csr_matrix: indices(1) is 2, which is out of range for 2 columns, counted from 0"},
               [&] {
                 make({0, 2}, {0, 2}, 1);
               });
  expect_usage(
      {"matmul: the sparse matrix has 2 columns and the other operand 3 rows: they must be equal"},
      [&] {
        kr::matmul(make({0, 2}, {0, 1}, 1), kr::zeros<float>({3}));
      });
  expect_usage(
      {"matmul: the sparse matrix has 2 columns and the other operand 1 rows: they must be equal"},
      [&] {
        kr::matmul(make({0, 2}, {0, 1}, 1), make({0, 2}, {0, 1}, 1));
      });
  // No matrix that fits memory has so many places.
  expect_usage(
      {"matmul: a product of 4294967296 rows and 2147483648 columns has more than 2^63 - 1 places"},
      [&] { kr::detail::check_sparse_product(std::int64_t(1) << 32, std::int64_t(1) << 31); });
}

}  // namespace
