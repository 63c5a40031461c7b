// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of groups of rows: small integers, whose sums are exact in every type and order.
#include <krait/algorithm/grouped_matmul.h>

#include <vector>

#include "algorithms/matmul/tensor.h"
#include "arrays/algorithm_cases.h"

namespace {

using krait::test::expect_usage;
using krait::test::Random;

template <class Elem, int Rank>
kr::array<Elem, Rank> small_integers(const kr::shape<Rank>& extents, Random& random) {
  kr::array<Elem, Rank> a(extents);
  std::vector<Elem> x(std::size_t(a.size()));
  for (Elem& e : x) e = Elem(float(int(random.below(5)) - (std::is_unsigned_v<Elem> ? 0 : 2)));
  a.copy_from(x);
  return a;
}

/// What group each row is of; groups: none.
std::vector<int> groups_of(const std::vector<int>& ends, int rows) {
  std::vector<int> of(std::size_t(rows), int(ends.size()));
  int begin = 0;
  for (std::size_t g = 0; g < ends.size(); ++g) {
    const int end = std::max(std::min(ends[g], rows), begin);
    for (int i = begin; i < end; ++i) of[std::size_t(i)] = int(g);
    begin = end;
  }
  return of;
}

template <class Got, class Elem, class Ending>
void expect_grouped(const Got& z, const kr::array<Elem, 2>& x, const kr::array<Elem, 3>& y,
                    const std::vector<int>& ends, const Ending& ending) {
  const std::int64_t m = x.extent(0), k = x.extent(1), n = y.extent(2);
  const std::vector<Elem> left = x.to_host(), right = y.to_host();
  const std::vector<typename Got::value_type> got = z.to_host();
  const std::vector<int> of = groups_of(ends, int(m));
  ASSERT_EQ(got.size(), std::size_t(m * n));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      const std::int64_t g = of[std::size_t(i)];
      if (g < y.extent(0))
        for (std::int64_t p = 0; p < k; ++p)
          sum += double(float(left[std::size_t(i * k + p)])) *
                 double(float(right[std::size_t((g * k + p) * n + j)]));
      ASSERT_EQ(double(float(got[std::size_t(i * n + j)])), double(float(ending(sum, j))))
          << i << ", " << j << ", group " << g;
    }
}

const std::vector<std::vector<int>> all_ends = {{40, 100, 150}, {0, 0, 150}, {150, 150, 150},
                                                {37, 37, 120},  {-5, 20, 7}, {1, 2, 3},
                                                {0, 0, 0},      {500, 1, 2}};

template <class Elem>
void expect_all(unsigned seed) {
  Random random(seed);
  for (const std::int64_t k : {70, 1, 128})
    for (const std::vector<int>& ends : all_ends) {
      const auto x = small_integers<Elem, 2>({150, k}, random);
      const auto y = small_integers<Elem, 3>({3, k, 90}, random);
      kr::array<int, 1> at({3});
      at.copy_from(ends);
      expect_grouped(kr::grouped_matmul(x, y, at), x, y, ends,
                     [](double sum, std::int64_t) { return sum; });
    }
}
TEST(GroupedMatmul, Types) {
  expect_all<kr::bf16>(1);
  expect_all<float>(2);
}

TEST(GroupedMatmul, EndingsPrecisionAndResults) {
  Random random(3);
  const std::vector<int> ends{10, 60};
  const auto x = small_integers<float, 2>({77, 40}, random);
  const auto y = small_integers<float, 3>({2, 40, 33}, random);
  const auto bias = small_integers<float, 1>({33}, random);
  const std::vector<float> b = bias.to_host();
  kr::array<std::int64_t, 1> at({2});
  at.copy_from(std::vector<std::int64_t>(ends.begin(), ends.end()));
  kr::array<double, 2> z({77, 33});
  kr::grouped_matmul<double>(
      x, y, at, kr::precision::tf32,
      [](auto sum, auto add, auto factor) { return kr::max(sum + add, 0.0f) * factor; }, bias, 2,
      kr::into(z));
  expect_grouped(z, x, y, ends, [&](double sum, std::int64_t j) {
    return std::max(sum + double(b[std::size_t(j)]), 0.0) * 2;
  });
}

TEST(GroupedMatmul, MatricesThatLieOtherwise) {
  Random random(4);
  const std::vector<int> ends{64, 100};
  const auto x = small_integers<kr::bf16, 2>({48, 100}, random).transpose().copy();
  const auto y = small_integers<kr::bf16, 3>({2, 56, 48}, random);
  const kr::array<kr::bf16, 3> turned = y.permute(0, 2, 1).copy();
  kr::array<int, 1> at({2});
  at.copy_from(ends);
  expect_grouped(kr::grouped_matmul(x, y.permute(0, 2, 1), at), x, turned, ends,
                 [](double sum, std::int64_t) { return sum; });
}

TEST(GroupedMatmul, Nothing) {
  kr::array<int, 1> at({2});
  at.copy_from(std::vector<int>{1, 2});
  EXPECT_EQ(kr::grouped_matmul(kr::zeros<float>({0, 4}), kr::ones<float>({2, 4, 5}), at).size(), 0);
  const std::vector<float> zeros(15, 0.0f);
  const auto no_depth = kr::grouped_matmul(kr::ones<float>({3, 0}), kr::ones<float>({2, 0, 5}), at);
  EXPECT_EQ(std::vector<float>(no_depth.to_host()), zeros);
  const auto no_groups = kr::grouped_matmul(kr::ones<float>({3, 4}), kr::ones<float>({0, 4, 5}),
                                            kr::array<int, 1>({0}));
  EXPECT_EQ(std::vector<float>(no_groups.to_host()), zeros);
}

/// What tensor cores are given, wherever the tests run.
template <class Elem, class Out>
void expect_form(unsigned seed) {
  using namespace krait::detail;
  constexpr krait::host::TensorForm form{32, 32, 64, 4};
  Random random(seed);
  for (const std::vector<int>& ends : all_ends) {
    const auto x = small_integers<Elem, 2>({150, 70}, random);
    const auto y = small_integers<Elem, 3>({3, 70, 40}, random);
    kr::array<int, 1> at({3});
    at.copy_from(ends);
    const kr::array<Out, 3> z({1, 150, 40});
    const auto left = krait::host::tensor_operand_of(erased(x(kr::newaxis)), false),
               right = krait::host::tensor_operand_of(erased(y), true);
    const auto end = [](auto sum) { return sum + Out(1); };
    try {
      with_ending<Out, Elem, Elem>(
          nullptr, 0,
          [&](const product_words& words, const product_ending& ending) {
            multiply_groups_form(form, words.sums, left.matrix, right, erased(at), erased(z),
                                 ending);
          },
          end);
    } catch (const kr::error& e) {
      if (std::string(e.what()).find("bytes of shared memory requested") == std::string::npos)
        throw;
      GTEST_SKIP() << e.what();
    }
    expect_grouped(z, x, y, ends, [](double sum, std::int64_t) { return sum + 1; });
  }
}
TEST(GroupedMatmul, FormsOfTensorCores) {
  expect_form<kr::bf16, float>(5);
  expect_form<std::int8_t, std::int32_t>(6);
}

TEST(GroupedMatmul, BadInput) {
  kr::array<int, 1> at({2});
  expect_usage({"grouped_matmul: the rows have {} elements, but the matrices have {} rows"}, [&] {
    kr::grouped_matmul(kr::zeros<float>({3, 4}), kr::zeros<float>({2, 5, 6}), at);
  });
  expect_usage({"grouped_matmul: {} ends of groups for {} matrices"}, [&] {
    kr::grouped_matmul(kr::zeros<float>({3, 4}), kr::zeros<float>({3, 4, 6}), at);
  });
  krait::test::expect_library_works();
}

}  // namespace
