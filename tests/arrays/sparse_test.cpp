// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices of all formats: conversions, and products with vectors, dense matrices and each
// other.
#include <krait/algorithm/sparse.h>

#include <array>
#include <string>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

using Ints = std::vector<int>;
using Longs = std::vector<std::int64_t>;

/// Elements with rows and columns, on the host.
struct Elements {
  std::int64_t rows, columns;
  Ints row, col;
  std::vector<float> data;

  void add(std::int64_t r, std::int64_t c, float x) {
    row.push_back(int(r)), col.push_back(int(c)), data.push_back(x);
  }
  template <class Elem = float, class Index = std::int32_t>
  kr::coo_matrix<Elem, Index> matrix() const {
    return {kr::to_device(row),
            kr::to_device(col),
            kr::to_device(std::vector<Elem>(data.begin(), data.end())),
            {rows, columns}};
  }
};

/// Small integers, so that sums are exact in any order.
float number(Random& random) { return float(random.below(9) - 4); }

Elements uniform(std::int64_t rows, std::int64_t columns, std::int64_t of_row, Random& random) {
  Elements e{rows, columns, {}, {}, {}};
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < of_row; ++k) e.add(r, random.below(columns), number(random));
  return e;
}
/// Few rows have most of the elements; others have none.
Elements power_law(std::int64_t rows, std::int64_t columns, std::int64_t longest, Random& random) {
  Elements e{rows, columns, {}, {}, {}};
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t n = longest / ((r * 7919) % rows + 1); n > 0; --n)
      e.add(r, random.below(columns), number(random));
  return e;
}
Elements banded(std::int64_t n, std::int64_t width, Random& random) {
  Elements e{n, n, {}, {}, {}};
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = std::max<std::int64_t>(r - width, 0); c < std::min(n, r + width + 1); ++c)
      e.add(r, c, number(random));
  return e;
}
/// Blocks of 3 x 3 between neighbours.
Elements blocks(std::int64_t n, Random& random) {
  Elements e{3 * n, 3 * n, {}, {}, {}};
  for (std::int64_t r = 0; r < 3 * n; ++r)
    for (const std::int64_t other : {r / 3, (r / 3 * 5 + 1) % n, (r / 3 + n / 2) % n})
      for (std::int64_t c = 0; c < 3; ++c) e.add(r, 3 * other + c, number(random));
  return e;
}
/// In no order of rows.
Elements shuffled(Elements e, Random& random) {
  for (std::size_t k = e.row.size(); k > 1; --k) {
    const std::size_t other = std::size_t(random.below(std::int64_t(k)));
    std::swap(e.row[k - 1], e.row[other]), std::swap(e.col[k - 1], e.col[other]);
    std::swap(e.data[k - 1], e.data[other]);
  }
  return e;
}

/// The products with a vector (columns = 0) or a matrix, by all formats beside loops of the host.
template <class Elem, class Index>
void expect_products(const Elements& e, std::int64_t columns,
                     const std::vector<kr::shape<2>>& blocks) {
  const std::int64_t width = std::max<std::int64_t>(columns, 1);
  std::vector<Elem> b(std::size_t(e.columns * width));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = Elem(int(i * 7 % 11) - 5);
  std::vector<Elem> expected(std::size_t(e.rows * width));
  for (std::size_t k = 0; k < e.data.size(); ++k)
    for (std::int64_t c = 0; c < width; ++c) {
      Elem& sum = expected[std::size_t(e.row[k] * width + c)];
      sum = Elem(sum + Elem(e.data[k]) * b[std::size_t(e.col[k] * width + c)]);
    }
  const kr::array<Elem> x = kr::to_device(b);
  const auto expect = [&](const auto& a, const std::string& format) {
    SCOPED_TRACE(format + " " + std::to_string(e.rows) + " x " + std::to_string(e.columns) + ", " +
                 std::to_string(e.data.size()) + " elements, " + std::to_string(columns));
    if (columns == 0) {
      EXPECT_EQ(std::vector<Elem>(kr::matmul(a, x).to_host()), expected);
    } else {
      EXPECT_EQ(std::vector<Elem>(kr::matmul(a, x.reshape(e.columns, columns)).to_host()),
                expected);
    }
  };
  const auto coo = e.matrix<Elem, Index>();
  expect(coo, "coo"), expect(coo.to_csr(), "csr"), expect(coo.to_ell(), "ell");
  for (const auto& block : blocks) {
    expect(coo.to_bsr(block), "bsr " + std::to_string(block[0]));
    if (krait::test::cases() < 2) break;  // a device that compiles long
  }
}

TEST(Sparse, Products) {
  // SciPy's documented example, {{1, 0, 2}, {0, 0, 3}, {4, 5, 6}}, with one element as a sum of
  // two, and an empty row.
  const kr::array<std::int64_t> indptr = kr::to_device(Longs{0, 2, 4, 4, 7}),
                                indices = kr::to_device(Longs{2, 0, 2, 2, 0, 1, 2});
  const kr::array<float> data = kr::to_device(std::vector<float>{2, 1, 1, 2, 4, 5, 6});
  const kr::csr_matrix<float> a(indptr, indices, data, {4, 3});
  const kr::array<int> x = kr::to_device(Ints{1, 2, 3});
  EXPECT_EQ(std::vector<float>(kr::matmul(a, x).to_host()), (std::vector<float>{7, 9, 0, 32}));
  const kr::csr_matrix wide(indptr, indices, data, {4, 3});
  static_assert(std::is_same_v<decltype(wide), const kr::csr_matrix<float, std::int64_t>>);
  EXPECT_EQ(std::vector<float>(kr::matmul(wide, x).to_host()), (std::vector<float>{7, 9, 0, 32}));
  const kr::csr_matrix narrow(kr::to_device(Ints{0, 2, 4, 4, 7}),
                              kr::to_device(Ints{2, 0, 2, 2, 0, 1, 2}), data, {4, 3});
  static_assert(std::is_same_v<decltype(narrow), const kr::csr_matrix<float>>);
  EXPECT_EQ(std::vector<float>(kr::matmul(narrow, x).to_host()), (std::vector<float>{7, 9, 0, 32}));
  EXPECT_EQ(narrow.nnz(), 7);
  const kr::array<double, 2> b = kr::eye<double>(3);
  EXPECT_EQ(std::vector<double>(kr::matmul(a, b.transpose()).to_host()),
            (std::vector<double>{1, 0, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6}));
  const kr::csr_matrix<float> none(kr::zeros<std::int64_t>({1}), kr::zeros<std::int64_t>({0}),
                                   kr::zeros<float>({0}), {0, 3});
  EXPECT_EQ(kr::matmul(none, x).size(), 0);
  // The elements are shared.
  kr::array<float> changed = kr::to_device(std::vector<float>{1, 1});
  const kr::csr_matrix<float> shared(kr::to_device(Ints{0, 1, 2}), kr::to_device(Ints{0, 1}),
                                     changed, {2, 2});
  changed.fill(3);
  EXPECT_EQ(std::vector<float>(kr::matmul(shared, x(kr::range(0, 2))).to_host()),
            (std::vector<float>{3, 6}));
}

TEST(Sparse, Formats) {
  // {{1, 0, 2, 0}, {0, 0, 0, 0}, {0, 3, 0, 0}, {4, 5, 0, 6}}
  const std::vector<float> all{1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4, 5, 0, 6};
  const auto dense = kr::to_device(all).reshape(4, 4);
  const kr::csr_matrix<float> csr(dense);
  EXPECT_EQ(Ints(csr.indptr().to_host()), (Ints{0, 2, 2, 3, 6}));
  EXPECT_EQ(Ints(csr.indices().to_host()), (Ints{0, 2, 1, 0, 1, 3}));
  EXPECT_EQ(std::vector<float>(csr.data().to_host()), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const kr::coo_matrix coo(dense);
  EXPECT_EQ(Ints(coo.row().to_host()), (Ints{0, 0, 2, 3, 3, 3}));
  EXPECT_EQ(Ints(coo.col().to_host()), (Ints{0, 2, 1, 0, 1, 3}));
  const kr::ell_matrix ell(dense);
  EXPECT_EQ(ell.indices().extent(0), 3);
  EXPECT_EQ(Ints(ell.indices().to_host()), (Ints{0, -1, 1, 0, 2, -1, -1, 1, -1, -1, -1, 3}));
  EXPECT_EQ(ell.nnz(), 6);
  const kr::bsr_matrix bsr(dense, {2, 2});
  EXPECT_EQ(Ints(bsr.indptr().to_host()), (Ints{0, 2, 4}));
  EXPECT_EQ(Ints(bsr.indices().to_host()), (Ints{0, 1, 0, 1}));
  EXPECT_EQ(std::vector<float>(bsr.data().to_host()),
            (std::vector<float>{1, 0, 0, 0, 2, 0, 0, 0, 0, 3, 4, 5, 0, 0, 0, 6}));
  EXPECT_EQ(bsr.nnz(), 16);
  EXPECT_EQ(bsr.block_extent(1), 2);
  EXPECT_EQ(std::vector<float>(bsr.to_csr().to_bsr({1, 4}).to_dense().to_host()), all);
  for (const auto& made : {csr.to_dense(), coo.to_dense(), ell.to_dense(), bsr.to_dense(),
                           coo.to_ell().to_coo().to_dense(), ell.to_bsr({4, 1}).to_dense()})
    EXPECT_EQ(std::vector<float>(made.to_host()), all);
  // Elements of one place, in no order of rows.
  const kr::coo_matrix<int> twice(kr::to_device(Ints{1, 0, 1, 1}), kr::to_device(Ints{1, 0, 1, 0}),
                                  kr::to_device(Ints{2, 3, 4, 5}), {2, 2});
  EXPECT_EQ(Ints(twice.row().to_host()), (Ints{0, 1, 1, 1}));
  EXPECT_EQ(Ints(twice.data().to_host()), (Ints{3, 2, 4, 5}));
  for (const auto& made :
       {twice.to_dense(), twice.to_ell().to_dense(), twice.to_bsr({2, 2}).to_dense()})
    EXPECT_EQ(Ints(made.to_host()), (Ints{3, 0, 5, 6}));
}

TEST(Sparse, ProductsOfShapes) {
  Random random(5);
  for (const std::int64_t columns : {0, 40, 7}) {
    if (columns == 7 && krait::test::cases() < 2) break;
    expect_products<float, std::int32_t>(uniform(60, 60, 16, random), columns, {{3, 3}, {4, 2}});
    expect_products<float, std::int32_t>(shuffled(power_law(100, 200, 900, random), random),
                                         columns, {{5, 5}, {1, 20}});
    expect_products<double, std::int64_t>(banded(60, 13, random), columns, {{3, 3}, {20, 20}});
    expect_products<float, std::int32_t>(blocks(30, random), columns, {{3, 3}, {1, 1}});
  }
}

/// Rows of several parts, of blocks, too; 1 x n, n x 1, and matrices without elements.
TEST(Sparse, LongRowsAndNone) {
  Random random(7);
  expect_products<float, std::int32_t>(uniform(2, 40, 9000, random), 0, {{2, 2}, {1, 1}});
  expect_products<float, std::int32_t>(uniform(2, 40, 9000, random), 5, {{1, 1}});
  expect_products<float, std::int32_t>(uniform(2, 3000, 9000, random), 0, {{2, 3}});
  expect_products<float, std::int64_t>(uniform(2, 3000, 9000, random), 3, {{2, 3}});
  for (const std::int64_t columns : {0, 9}) {
    expect_products<float, std::int32_t>(uniform(1, 500, 300, random), columns, {{1, 5}});
    expect_products<float, std::int32_t>(uniform(500, 1, 1, random), columns, {{5, 1}});
    expect_products<float, std::int32_t>(uniform(1500, 9, 0, random), columns, {{3, 3}});
    expect_products<float, std::int32_t>({5, 0, {}, {}, {}}, columns, {{5, 5}});
    expect_products<float, std::int32_t>({0, 5, {}, {}, {}}, columns, {{5, 5}});
  }
}

TEST(Sparse, TypesOfElements) {
  Random random(6);
  const Elements e = uniform(60, 50, 9, random);
  const auto check = [&]<class Elem>(Elem) {
    expect_products<Elem, std::int32_t>(e, 0, {{3, 5}});
    expect_products<Elem, std::int32_t>(e, 3, {{3, 5}});
  };
  check(std::int8_t()), check(double());
  if (krait::test::cases() > 1) check(std::int32_t()), check(std::int64_t());
  const kr::coo_matrix<bool> marks(kr::to_device(Ints{0, 0, 1}), kr::to_device(Ints{0, 0, 1}),
                                   kr::array<bool>(kr::to_device(Ints{1, 1, 0}) > 0), {2, 2});
  EXPECT_EQ(Ints(kr::matmul(marks, kr::to_device(Ints{5, 6})).to_host()), (Ints{10, 0}));
}

/// Sums of floats have one order.
TEST(Sparse, SameBits) {
  Random random(8);
  Elements e = power_law(300, 400, 9000, random);
  for (float& x : e.data) x = float(random.below(1 << 20)) / 3e5f;
  const auto a = e.matrix();
  kr::array<float> x = kr::to_device(std::vector<float>(400, 1.0f / 3));
  const auto first = std::vector<float>(kr::matmul(a, x).to_host());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(std::vector<float>(kr::matmul(a.to_csr(), x).to_host()), first);
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
    const Ints indptr = c.indptr().to_host(), indices = c.indices().to_host();
    ASSERT_EQ(indptr.size(), std::size_t(n + 1));
    for (std::int64_t r = 0; r < n; ++r)
      for (int at = indptr[std::size_t(r)] + 1; at < indptr[std::size_t(r) + 1]; ++at)
        EXPECT_LT(indices[std::size_t(at - 1)], indices[std::size_t(at)]);
  }
  const kr::csr_matrix<double, std::int64_t> none(
      kr::zeros<std::int64_t>({3}), kr::zeros<std::int64_t>({0}), kr::zeros<double>({0}), {2, 30});
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
      {"csr_matrix: 4294967296 rows, columns or elements are too many for indices of 32 bits: take "
       "kr::csr_matrix<T, std::int64_t>"},
      [&] {
        kr::csr_matrix<float>(kr::to_device(Longs{0, 2}), kr::to_device(Longs{0, 1}), data,
                              {1, std::int64_t(1) << 32});
      });
  const kr::array<int> zero = kr::to_device(Ints{0, 0}), two = kr::to_device(Ints{0, 2});
  expect_usage({"coo_matrix: row(1) is 2, which is out of range for 2 rows, counted from 0"}, [&] {
    kr::coo_matrix<float>(two, zero, data, {2, 2});
  });
  expect_usage({"coo_matrix: col(1) is 2, which is out of range for 2 columns, counted from 0"},
               [&] {
                 kr::coo_matrix<float>(zero, two, data, {2, 2});
               });
  expect_usage({"ell_matrix: indices have shape (1,2) and data (2,1); both must have (slots,2), a "
                "column for each row"},
               [&] {
                 kr::ell_matrix<float>(zero.reshape(1, 2), data.reshape(2, 1), {2, 2});
               });
  expect_usage(
      {"ell_matrix: indices(0) is -2, which is out of range for 2 columns, counted from 0"}, [&] {
        kr::ell_matrix<float>(kr::to_device(Ints{-2, 0}).reshape(1, 2), data.reshape(1, 2), {2, 2});
      });
  expect_usage({"bsr_matrix: blocks of 1 x 2 do not fill a matrix of 1 x 3: its extents must be "
                "multiples of theirs"},
               [&] {
                 kr::bsr_matrix<float>(two, kr::to_device(Ints{0}), data.reshape(1, 1, 2), {1, 3});
               });
  expect_usage({"bsr_matrix: indices(0) is 1, which is out of range for 1 columns of blocks"}, [&] {
    kr::bsr_matrix<float>(two, kr::to_device(Ints{1}), data.reshape(1, 1, 2), {1, 2});
  });
  expect_usage(
      {"to_bsr: blocks of 3 x 2 do not fill a matrix of 1 x 2: its extents must be multiples of "
       "theirs"},
      [&] {
        make({0, 2}, {0, 1}, 1).to_bsr({3, 2});
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
