// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense linear algebra by residuals: what factors make again, and that they are what they should
// be. KRAIT_LAPACK is the library.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matrix_functions.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

/// Rows of doubles or complex numbers of them, on the host.
template <class T>
struct Matrix {
  std::int64_t rows, columns;
  std::vector<T> at;

  template <class Elem>
  static Matrix of(const kr::array<Elem, 2>& a) {
    const auto h = a.to_host();
    return {a.extent(0), a.extent(1), std::vector<T>(h.begin(), h.end())};
  }
  T operator()(std::int64_t i, std::int64_t j) const { return at[std::size_t(i * columns + j)]; }
  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    Matrix z{x.rows, y.columns, std::vector<T>(std::size_t(x.rows * y.columns))};
    for (std::int64_t i = 0; i < x.rows; ++i)
      for (std::int64_t j = 0; j < y.columns; ++j)
        for (std::int64_t k = 0; k < x.columns; ++k)
          z.at[std::size_t(i * y.columns + j)] += x(i, k) * y(k, j);
    return z;
  }
  Matrix turned() const {
    Matrix z{columns, rows, {}};
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i) {
        if constexpr (std::is_same_v<T, double>) z.at.push_back((*this)(i, j));
        else z.at.push_back(std::conj((*this)(i, j)));
      }
    return z;
  }
};
template <class T>
double distance(const Matrix<T>& x, const Matrix<T>& y) {
  EXPECT_EQ(x.rows, y.rows);
  EXPECT_EQ(x.columns, y.columns);
  double most = 0;
  for (std::size_t i = 0; i < x.at.size(); ++i) most = std::max(most, std::abs(x.at[i] - y.at[i]));
  return most;
}
template <class T>
Matrix<T> unit(std::int64_t n) {
  Matrix<T> one{n, n, std::vector<T>(std::size_t(n * n))};
  for (std::int64_t i = 0; i < n; ++i) one.at[std::size_t(i * n + i)] = 1;
  return one;
}

template <class T>
class Linalg : public testing::Test {
 protected:
  /// A library may round otherwise where the same numbers lie otherwise in memory.
  template <class X, class Y>
  bool alike(const X& x, const Y& y) const {
    if (x.extents() != y.extents()) return false;
    const auto a = x.copy().to_host(), b = y.copy().to_host();
    return std::equal(a.begin(), a.end(), b.begin(), [this](const auto& p, const auto& q) {
      return std::abs(p - q) <= 40 * near * (1 + std::abs(q));
    });
  }
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;
  using Part = kr::detail::linalg_part_t<T>;
  const double near = std::is_same_v<Part, float> ? 2e-5 : 1e-13;

  void SetUp() override {
    const std::string id = kr::device().id();
    if (id != "cpu" && id.substr(0, 4) != "cuda") GTEST_SKIP() << "no library for this device";
  }
  kr::array<T, 2> some(std::int64_t rows, std::int64_t columns) {
    std::vector<T> h;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const Part re = Part(random_.below(2001) - 1000) / 1000,
                 im = Part(random_.below(2001) - 1000) / 1000;
      if constexpr (std::is_floating_point_v<T>) h.push_back(re + im / 8);
      else h.push_back({re, im});
    }
    kr::array<T, 2> a(rows, columns);
    a.copy_from(h);
    return a;
  }
  using Wides = Matrix<Wide>;
  Random random_{5};
};
using Types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Linalg, Types);

TYPED_TEST(Linalg, SolveInverseAndDeterminant) {
  using M = typename TestFixture::Wides;
  const auto a = this->some(7, 7), b = this->some(7, 3);
  const M m = M::of(a);
  EXPECT_LE(distance(m * M::of(kr::solve(a, b)), M::of(b)), 40 * this->near);
  const kr::array<TypeParam> x = kr::solve(a.transpose(), b(kr::all, 1));  // a view, and a vector
  EXPECT_LE(
      distance(M::of(a.transpose()) * M::of(x.reshape(7, 1)), M::of(b(kr::all, kr::range(1, 2)))),
      40 * this->near);
  EXPECT_LE(distance(m * M::of(kr::inv(a)), unit<typename TestFixture::Wide>(7)), 40 * this->near);
  auto swapped = a.copy();
  swapped(0) = a(1), swapped(1) = a(0);
  const auto before = kr::det(a), after = kr::det(swapped);
  EXPECT_LE(std::abs(before + after), 40 * this->near);
  EXPECT_LE(std::abs(before * kr::det(kr::inv(a)) - TypeParam(1)), 40 * this->near);
}

TYPED_TEST(Linalg, Factors) {
  using M = typename TestFixture::Wides;
  for (const auto& [rows, columns] :
       {std::pair{6, 4}, std::pair{4, 6}, std::pair{5, 5}, std::pair{1, 3}}) {
    const auto a = this->some(rows, columns);
    const M m = M::of(a);
    const std::int64_t least = std::min(rows, columns);
    const auto [order, l, u] = kr::lu(a);
    M permuted{rows, columns, {}};
    for (const std::int64_t row : order.to_host())
      for (std::int64_t j = 0; j < columns; ++j) permuted.at.push_back(m(row, j));
    EXPECT_LE(distance(M::of(l) * M::of(u), permuted), 10 * this->near);
    for (std::int64_t i = 0; i < least; ++i) EXPECT_EQ(M::of(l)(i, i), 1.0);
    const auto [q, r] = kr::qr(a);
    EXPECT_LE(distance(M::of(q) * M::of(r), m), 10 * this->near);
    EXPECT_LE(distance(M::of(q).turned() * M::of(q), unit<typename TestFixture::Wide>(least)),
              10 * this->near);
    for (const bool full : {true, false}) {
      const auto [left, s, right] = kr::svd(a, full);
      EXPECT_EQ(left.extents(), kr::shape<2>(rows, full ? rows : least));
      EXPECT_EQ(right.extents(), kr::shape<2>(full ? columns : least, columns));
      const auto values = s.to_host();
      M scaled = M::of(left(kr::all, kr::range(0, least)));
      for (std::int64_t i = 0; i < rows * least; ++i)
        scaled.at[std::size_t(i)] *= double(values.data()[i % least]);
      EXPECT_LE(distance(scaled * M::of(right(kr::range(0, least))), m), 10 * this->near);
      EXPECT_LE(distance(M::of(left).turned() * M::of(left),
                         unit<typename TestFixture::Wide>(left.extent(1))),
                10 * this->near);
      for (std::int64_t i = 1; i < least; ++i) EXPECT_GE(values.data()[i - 1], values.data()[i]);
    }
  }
}

TYPED_TEST(Linalg, OfSymmetricMatrices) {
  using M = typename TestFixture::Wides;
  const M half = M::of(this->some(6, 6));
  M square = half * half.turned();
  for (int i = 0; i < 6; ++i) square.at[std::size_t(7 * i)] += 1.0;
  kr::array<TypeParam, 2> a(6, 6);
  std::vector<TypeParam> h;
  for (const auto& x : square.at) h.push_back(TypeParam(x));
  a.copy_from(h);
  const M l = M::of(kr::cholesky(a));
  EXPECT_LE(distance(l * l.turned(), square), 40 * this->near);
  EXPECT_EQ(l(0, 1), 0.0);
  const auto [w, v] = kr::eigh(a);
  const auto values = w.to_host();
  M scaled = M::of(v);
  for (std::size_t i = 0; i < 36; ++i) scaled.at[i] *= double(values.data()[i % 6]);
  EXPECT_LE(distance(M::of(a) * M::of(v), scaled), 40 * this->near);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_LE(values.data()[i - 1], values.data()[i]);
  a(3, 3) = TypeParam(-1);
  expect_usage({"kr::cholesky: Matrix is not positive definite"}, [&] { kr::cholesky(a); });
}

// What each matrix of a stack gives by itself; the stack's elements may lie anyhow.
TYPED_TEST(Linalg, Stacks) {
  using M = typename TestFixture::Wides;
  const auto many = this->some(2 * 3 * 4, 4).reshape(2, 3, 4, 4);
  const kr::array<TypeParam, 4> turned = many.permute(1, 0, 3, 2).copy();
  const auto a = turned.permute(1, 0, 3, 2);
  const auto right = this->some(3 * 4, 2).reshape(3, 4, 2);  // broadcasts along the first dimension
  const kr::array<TypeParam, 4> x = kr::solve(a, right), inverse = kr::inv(a),
                                of_one = kr::solve(a(1, 2), right(kr::newaxis));
  const kr::array<TypeParam, 3> of_vector = kr::solve(a, right(0, kr::all, 1));
  const kr::array<TypeParam, 2> determinants = kr::det(a);
  const auto [order, l, u] = kr::lu(a);
  const auto [q, r] = kr::qr(a(kr::all, kr::all, kr::all, kr::range(0, 3)));
  const auto [left, s, vh] = kr::svd(a(kr::all, kr::all, kr::range(0, 3)), false);
  EXPECT_EQ(x.extents(), kr::shape<4>(2, 3, 4, 2));
  EXPECT_EQ(of_one.extents(), kr::shape<4>(1, 3, 4, 2));
  EXPECT_EQ(of_vector.extents(), kr::shape<3>(2, 3, 4));
  EXPECT_EQ(s.extents(), kr::shape<3>(2, 3, 3));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto own = a(i, j);
      EXPECT_TRUE(this->alike(x(i, j), kr::solve(own, right(j))));
      EXPECT_TRUE(this->alike(of_one(0, j), kr::solve(a(1, 2), right(j))));
      EXPECT_TRUE(this->alike(of_vector(i, j), kr::solve(own, right(0, kr::all, 1))));
      EXPECT_TRUE(this->alike(inverse(i, j), kr::inv(own)));
      EXPECT_LE(std::abs(TypeParam(determinants(i, j)) - kr::det(own)), 40 * this->near);
      const auto f = kr::lu(own);
      EXPECT_TRUE(kr::array_equal(order(i, j), f.rows) && this->alike(l(i, j), f.l) &&
                  this->alike(u(i, j), f.u));
      EXPECT_LE(distance(M::of(q(i, j)) * M::of(r(i, j)), M::of(own(kr::all, kr::range(0, 3)))),
                10 * this->near);
      M scaled = M::of(left(i, j));
      const auto values = s(i, j).copy().to_host();
      for (std::size_t k = 0; k < 9; ++k) scaled.at[k] *= double(values.data()[k % 3]);
      EXPECT_LE(distance(scaled * M::of(vh(i, j)), M::of(own(kr::range(0, 3)))), 10 * this->near);
    }
}
TYPED_TEST(Linalg, StacksOfSymmetricMatrices) {
  using M = typename TestFixture::Wides;
  kr::array<TypeParam, 3> a(3, 5, 5);
  for (int i = 0; i < 3; ++i) {
    const M half = M::of(this->some(5, 5));
    M square = half * half.turned();
    std::vector<TypeParam> h;
    for (int k = 0; k < 25; ++k)
      h.push_back(TypeParam(square.at[std::size_t(k)] + (k % 6 == 0 ? 1.0 : 0.0)));
    a(i) = kr::to_device(h).reshape(5, 5);
  }
  const auto l = kr::cholesky(a);
  const auto [w, v] = kr::eigh(a);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(this->alike(l(i), kr::cholesky(a(i))));
    EXPECT_TRUE(this->alike(w(i), kr::eigh(a(i)).w));
    M scaled = M::of(v(i));
    const auto values = w(i).copy().to_host();
    for (std::size_t k = 0; k < 25; ++k) scaled.at[k] *= double(values.data()[k % 5]);
    EXPECT_LE(distance(M::of(a(i)) * M::of(v(i)), scaled), 40 * this->near);
  }
}
TYPED_TEST(Linalg, IntoArrays) {
  const auto a = this->some(2 * 4, 4).reshape(2, 4, 4).copy();
  const auto b = this->some(4, 3);
  const auto expect = [this](const auto& f) {
    const auto wanted = f();
    std::remove_cvref_t<decltype(wanted)> straight(wanted.extents()),
        columns(wanted.extents(), kr::storage_order::fortran);
    f(kr::into(straight)), f(kr::into(columns));
    EXPECT_TRUE(this->alike(straight, wanted) && this->alike(columns, wanted));
  };
  expect([&](const auto&... o) { return kr::solve(a, b, o...); });
  expect([&](const auto&... o) { return kr::solve(a(0), b(kr::all, 0), o...); });
  expect([&](const auto&... o) { return kr::inv(a, o...); });
  expect([&](const auto&... o) { return kr::det(a, o...); });
  const kr::array<TypeParam, 3> none(0, 4, 4);
  expect([&](const auto&... o) { return kr::cholesky(none, o...); });
  auto over = a.copy();  // over what is read
  kr::inv(over, kr::into(over));
  EXPECT_TRUE(this->alike(over, kr::inv(a)));
  kr::array<TypeParam, 3> narrow(2, 4, 2);
  expect_usage({"kr::into: the output has shape (2,4,2), but the result has shape (2,4,3)"},
               [&] { kr::solve(a, b, kr::into(narrow)); });
}

// The values that NumPy's documentation has.
TEST(LinalgValues, DocumentedExamples) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  const auto a = kr::to_device(std::vector<int>{1, 2, 3, 5}).reshape(2, 2);
  const kr::array<double> x = kr::solve(a, kr::to_device(std::vector<int>{1, 2}));
  EXPECT_NEAR(double(x(0)), -1, 1e-14);
  EXPECT_NEAR(double(x(1)), 1, 1e-14);
  EXPECT_NEAR(kr::det(kr::to_device(std::vector<double>{1, 2, 3, 4}).reshape(2, 2)), -2, 1e-14);
  EXPECT_EQ(kr::det(kr::array<double, 2>(0, 0)), 1.0);
}

// Factors of matrices without elements have NumPy's shapes.
TEST(LinalgValues, NoElements) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  for (const auto& [rows, columns] : {std::pair{0, 3}, std::pair{3, 0}, std::pair{0, 0}}) {
    const kr::array<double, 2> a(rows, columns);
    const auto [q, r] = kr::qr(a);
    EXPECT_EQ(q.extents(), kr::shape<2>(rows, 0));
    EXPECT_EQ(r.extents(), kr::shape<2>(0, columns));
    for (const bool full : {true, false}) {
      const auto [left, s, right] = kr::svd(a, full);
      EXPECT_EQ(s.size(), 0);
      EXPECT_EQ(left.extents(), kr::shape<2>(rows, full ? rows : 0));
      EXPECT_EQ(right.extents(), kr::shape<2>(full ? columns : 0, columns));
      if (full) {
        EXPECT_TRUE(kr::array_equal(left, kr::eye<double>(rows)));
        EXPECT_TRUE(kr::array_equal(right, kr::eye<double>(columns)));
      }
    }
    const auto [order, l, u] = kr::lu(a);
    EXPECT_TRUE(kr::array_equal(order, kr::arange<std::int64_t>(0, rows, 1)));
    EXPECT_EQ(l.extents(), kr::shape<2>(rows, 0));
    EXPECT_EQ(u.extents(), kr::shape<2>(0, columns));
  }
  const kr::array<double, 2> none(0, 0);
  EXPECT_EQ(kr::inv(none).size(), 0);
  EXPECT_EQ(kr::cholesky(none).size(), 0);
  EXPECT_EQ(kr::eigh(none).w.size(), 0);
  // Stacks of no matrices, or of matrices without elements.
  EXPECT_EQ(kr::inv(kr::array<double, 3>(0, 3, 3)).extents(), kr::shape<3>(0, 3, 3));
  EXPECT_EQ(kr::solve(kr::array<double, 3>(2, 0, 0), kr::array<double, 2>(0, 3)).extents(),
            kr::shape<3>(2, 0, 3));
  EXPECT_TRUE(kr::array_equal(kr::det(kr::array<double, 3>(4, 0, 0)), kr::ones<double>(4)));
  EXPECT_EQ(kr::svd(kr::array<double, 3>(0, 2, 3)).vh.extents(), kr::shape<3>(0, 3, 3));
  EXPECT_EQ(kr::lu(kr::array<double, 3>(2, 0, 3)).u.extents(), kr::shape<3>(2, 0, 3));
}

TEST(LinalgValues, BadInput) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  const auto a = kr::ones<double>({3, 3}), wide = kr::ones<double>({2, 3});
  expect_usage({"kr::solve: Singular matrix"}, [&] { kr::solve(a, kr::ones<double>(3)); });
  expect_usage({"kr::inv: Singular matrix"}, [&] { kr::inv(a); });
  EXPECT_EQ(kr::det(a), 0);
  expect_usage(
      {"kr::cholesky: a matrix has fewer than 2^31 rows and columns, not 2147483648"}, [&] {
        kr::detail::factor_cholesky(
            {kr::detail::handle_of(kr::device()), kr::detail::linalg_number::f32, "cholesky"},
            std::int64_t(1) << 31, 0);
      });
  expect_usage({"kr::det: the last two dimensions must be square, but the array has shape (2,3)"},
               [&] { kr::det(wide); });
  expect_usage(
      {"kr::eigh: the last two dimensions must be square, but the array has shape (5,2,3)"}, [&] {
        kr::eigh(kr::ones<double>({5, 2, 3}));
      });
  expect_usage(
      {"solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m)->(m) (size 2 is "
       "different from 3)"},
      [&] { kr::solve(a, kr::ones<double>(2)); });
  expect_usage(
      {"solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) (size 2 is "
       "different from 3)"},
      [&] {
        kr::solve(a, kr::ones<double>({2, 1}));
      });
  expect_usage(
      {"solve: operands could not be broadcast together with remapped shapes [original->remapped]: "
       "(2,3,3)->(2,newaxis,newaxis) (4,3,1)->(4,newaxis,newaxis)"},
      [&] {
        kr::solve(kr::ones<double>({2, 3, 3}), kr::ones<double>({4, 3, 1}));
      });
  // One of a stack is enough, and the output is as it was.
  auto some = kr::zeros<double>({2, 3, 3});
  some(0) = kr::eye<double>(3);
  auto kept = kr::full({2, 3, 3}, 7.0);
  expect_usage({"kr::inv: Singular matrix"}, [&] { kr::inv(some, kr::into(kept)); });
  expect_usage({"kr::cholesky: Matrix is not positive definite"},
               [&] { kr::cholesky(some, kr::into(kept)); });
  EXPECT_TRUE(kr::array_equal(kept, kr::full({2, 3, 3}, 7.0)));
  auto nan = a.copy();
  nan(1, 1) = std::nan("");
  expect_usage({"kr::svd: SVD did not converge"}, [&] { kr::svd(nan); });
  expect_usage({"kr::eigh: Eigenvalues did not converge"}, [&] { kr::eigh(nan); });
}

TEST(LinalgValues, OnOtherDevices) {
  const std::string id = kr::device().id();
  if (id == "cpu" || id.substr(0, 4) == "cuda") GTEST_SKIP() << "it has a library";
  // The CPU computes, and the results come back.
  kr::array<float, 2> a({2, 2});
  a.copy_from({4.0f, 1.0f, 1.0f, 3.0f});
  EXPECT_NEAR(kr::det(a), 11, 1e-5);
  const auto x = kr::solve(a, kr::to_device({1.0f, 2.0f}));
  EXPECT_EQ(std::string(x.device().id()), id);
  EXPECT_NEAR(float(x(1)), 7.0f / 11, 1e-6f);
  const auto f = kr::svd(a);
  EXPECT_EQ(std::string(f.u.device().id()), id);
  testing::internal::CaptureStderr();
  const auto general = kr::eig(a);  // no other test calls it: a process gives a hint once
  EXPECT_EQ(std::string(general.v.device().id()), id);
  const std::string hint =
      "{} ({}) has no library for it: the arrays are copied to the CPU, where LAPACK computes, and the results back. Keep "
      "them on kr::device::cpu()";
  EXPECT_NE(testing::internal::GetCapturedStderr().find(hint.substr(7)), std::string::npos);
}

/// KRAIT_LAPACK is read once in a process: a child looks for one that is not there, or is none.
void expect_of_library(const char* name, const std::string& why) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto look = [&] {
    setenv("KRAIT_LAPACK", name, 1);
    expect_usage(
        {why, "; install LAPACK (Debian: libopenblas0 or liblapack3), or name one in KRAIT_LAPACK"},
        [&] {
          kr::det(kr::ones<float>({2, 2}));
        });
    std::_Exit(testing::Test::HasFailure() ? 0 : 3);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(3), "");
}
TEST(LinalgValues, NoLibrary) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  expect_of_library(
      "/nowhere/liblapack.so.3",
      "kr::det: cpu ({}) has no library of linear algebra: /nowhere/liblapack.so.3: cannot open shared object file: No such file or directory");
}
TEST(LinalgValues, AnotherLibrary) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  expect_of_library("libm.so.6",
                    "has no library of linear algebra: libm.so.6 has no routine sgetrf");
}

}  // namespace
