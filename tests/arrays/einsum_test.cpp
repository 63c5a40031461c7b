// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums by subscripts: types, launches, empty and broken operands. Against NumPy: numpy_cases.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/einsum.h>

#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;

template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

/// numpy.org, "numpy.einsum".
TEST(Einsum, DocumentedExamples) {
  const auto a = kr::arange(25).reshape(5, 5);
  const auto b = kr::arange(5);
  const auto c = kr::arange(6).reshape(2, 3);
  EXPECT_EQ(kr::einsum<"ii">(a), 60);
  EXPECT_EQ(host(kr::einsum<"ii->i">(a)), (Ints{0, 6, 12, 18, 24}));
  EXPECT_EQ(host(kr::einsum<"ij->i">(a)), (Ints{10, 35, 60, 85, 110}));
  EXPECT_EQ(host(kr::einsum<"...j->...">(a)), (Ints{10, 35, 60, 85, 110}));
  EXPECT_EQ(host(kr::einsum<"ji">(c)), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(kr::einsum<"i,i">(b, b), 30);
  EXPECT_EQ(host(kr::einsum<"ij,j">(a, b)), (Ints{30, 80, 130, 180, 230}));
  EXPECT_EQ(host(kr::einsum<"...j,j">(a, b)), (Ints{30, 80, 130, 180, 230}));
  EXPECT_EQ(host(kr::einsum<"i,j">(kr::arange(1, 3), b)), (Ints{0, 1, 2, 3, 4, 0, 2, 4, 6, 8}));
  const auto x = kr::arange(60.0).reshape(3, 4, 5);
  const auto y = kr::arange(24.0).reshape(4, 3, 2);
  EXPECT_EQ(host(kr::einsum<"ijk,jil->kl">(x, y)),
            (std::vector<double>{4400, 4730, 4532, 4874, 4664, 5018, 4796, 5162, 4928, 5306}));
  EXPECT_EQ(
      host(kr::einsum<"ki,jk->ij">(kr::arange(6).reshape(3, 2), kr::arange(12).reshape(4, 3))),
      (Ints{10, 28, 46, 64, 13, 40, 67, 94}));
  EXPECT_EQ(
      host(kr::einsum<"ki,...k->i...">(kr::arange(6).reshape(3, 2), kr::arange(12).reshape(4, 3))),
      (Ints{10, 28, 46, 64, 13, 40, 67, 94}));
}

TEST(Einsum, TypesAreTheOperands) {
  const auto bytes = kr::full<std::uint8_t>(2, 200);
  EXPECT_EQ(kr::einsum<"i->">(bytes), 144);  // as NumPy, and unlike kr::sum
  static_assert(std::is_same_v<decltype(kr::einsum<"i->">(bytes)), std::uint8_t>);
  static_assert(std::is_same_v<decltype(kr::einsum<"i,i">(bytes, kr::arange(2.0f))), float>);
  const auto yes = kr::full<bool>(300, true);
  EXPECT_EQ(kr::einsum<"i,i->">(yes, yes), true);
  EXPECT_EQ(kr::einsum<"i,i->">(yes, kr::zeros<bool>(300)), false);
  const auto halves = kr::full<kr::f16>(4096, kr::f16(1));
  // not 2048, where f16 stops counting
  EXPECT_EQ(float(kr::einsum<"i,i">(halves, halves)), 4096.0f);
  const auto brain = kr::full<kr::bf16>({2, 2}, kr::bf16(3));
  EXPECT_EQ(float(kr::bf16(kr::einsum<"ij,jk">(brain, brain)(1, 1))), 18.0f);
  EXPECT_EQ(
      kr::einsum<"i,i">(kr::full<std::int64_t>(2, std::int64_t(1) << 40), kr::full<int>(2, 4)),
      std::int64_t(1) << 43);
}

TEST(Einsum, IsOneKernel) {
  const auto a = kr::arange(300.0f).reshape(10, 30), b = kr::arange(600.0f).reshape(30, 20);
  const auto again = [&] { return kr::einsum<"ij,jk,k->i">(a, b, b(0)); };
  again();
  const auto launches = kr::stats().launches(), compiled = kr::stats().compiled();
  const auto peak = kr::device().memory_use().peak;
  const auto z = again();
  EXPECT_EQ(kr::stats().launches() - launches, 1u);
  EXPECT_EQ(kr::stats().compiled(), compiled);
  EXPECT_EQ(std::int64_t(kr::device().memory_use().peak), std::int64_t(peak));
}

/// Batches, rows, columns and summed dimensions of several letters in any order, and one operand's
/// that repeats; 0 to 6, exact in float.
TEST(Einsum, IsAProductOfMatrices) {
  const auto numbers = [](std::int64_t n) { return kr::array<float, 1>(kr::arange(n) % 7 * 1.0f); };
  const auto expect = [](const auto& z, const auto& slow) {
    EXPECT_TRUE(kr::array_equal(z, slow)) << kr::to_string(z).c_str();
  };
  const auto a = numbers(12 * 9 * 10).reshape(12, 9, 10),
             b = numbers(10 * 12 * 11).reshape(10, 12, 11);
  expect(kr::einsum<"ijk,kil->jl">(a, b),
         krait::detail::sum_products<"ijk,kil->jl">(nullptr, a, b));
  expect(kr::einsum<"ijk,kil->lj">(a, b),
         krait::detail::sum_products<"ijk,kil->lj">(nullptr, a, b));
  expect(kr::einsum<"ijk,kil->ilj">(a, b),
         krait::detail::sum_products<"ijk,kil->ilj">(nullptr, a, b));
  expect(kr::einsum<"ijk,lim->jlkm">(a, b),
         krait::detail::sum_products<"ijk,lim->jlkm">(nullptr, a, b));
  expect(kr::einsum<"ijk,kl->ijl">(a, b(kr::all, 0)),
         krait::detail::sum_products<"ijk,kl->ijl">(nullptr, a, b(kr::all, 0)));
  const auto one = numbers(9 * 1 * 20).reshape(9, 1, 20);  // summed over 10 with one element
  expect(kr::einsum<"ijk,jkm->im">(a, one),
         krait::detail::sum_products<"ijk,jkm->im">(nullptr, a, one));
  const auto square = numbers(9 * 9 * 10).reshape(9, 9, 10);
  expect(kr::einsum<"iik,kjl->ijl">(square, b),
         krait::detail::sum_products<"iik,kjl->ijl">(nullptr, square, b));
}

TEST(Einsum, OfNothing) {
  EXPECT_EQ(kr::einsum<"i,i">(kr::zeros<float>(0), kr::zeros<float>(0)), 0.0f);
  EXPECT_EQ(host(kr::einsum<"ij,jk">(kr::zeros<int>({2, 0}), kr::zeros<int>({0, 1}))),
            (Ints{0, 0}));
  EXPECT_EQ(kr::einsum<"ij->ji">(kr::zeros<int>({2, 0})).extent(1), 2);
}

TEST(Einsum, BadInput) {
  const auto a = kr::zeros<float>({2, 3}), b = kr::zeros<float>({4, 5});
  expect_usage(
      {"operands could not be broadcast together with remapped shapes [original->remapped]: (2,3)->(2,newaxis,3) (4,5)->(5,4)"},
      [&] { kr::einsum<"ij,jk->ik">(a, b); });
  expect_usage({"dimensions in single operand for collapsing index 'i' don't match (2 != 3)"},
               [&] { kr::einsum<"ii">(a); });
  krait::test::expect_library_works();
}

}  // namespace
