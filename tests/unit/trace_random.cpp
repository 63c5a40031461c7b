// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10: its authors' vectors, and numbers made of its words, on plain values and in a kernel.
#include <cmath>

#include "trace_fixture.h"

namespace {

using namespace trace_test;

struct Vector {
  std::uint64_t low, high, key;
  std::uint32_t words[4];
};
// Random123 1.14, tests/kat_vectors, the lines "philox4x32 10".
constexpr Vector vectors[] = {
    {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(trace_random, known_answers) {
  for (const Vector& v : vectors) {
    const auto plain = kr::philox(v.key, v.low, v.high);
    std::vector<std::uint32_t> out(4);
    run_one(
        [](kr::view<std::uint32_t> y, kr::value<std::uint64_t> key, kr::value<std::uint64_t> low, kr::value<std::uint64_t> high) {
          const auto words = kr::philox(key, low, high);
          for (int i = 0; i < 4; ++i) y[i] = words[i];
        },
        out, v.key, v.low, v.high);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(plain[i], v.words[i]);
      EXPECT_EQ(out[std::size_t(i)], v.words[i]);
    }
  }
}

/// All numbers of a draw, as doubles.
constexpr auto numbers = [](const auto& words, const auto& out) {
  for (int i = 0; i < 4; ++i) out(words.uniform_float(i)), out(words.below(i, 1000));
  for (int i = 0; i < 2; ++i) {
    out(words.uniform_double(i)), out(words.long_below(i, 1'000'000'000'000));
    const auto [a, b] = words.normal_float(i);
    out(a), out(b);
  }
  const auto [a, b] = words.normal_double();
  out(a), out(b);
};
constexpr int numbers_of_a_draw = 18;

TEST(trace_random, plain_and_traced_numbers_have_the_same_bits) {
  constexpr int draws = 64;
  std::vector<double> expected, got(draws * numbers_of_a_draw);
  for (int i = 0; i < draws; ++i) numbers(kr::philox(7, i, 3), [&](auto x) { expected.push_back(double(x)); });
  ASSERT_EQ(expected.size(), got.size());
  const auto recorded = record([](kr::view<double> y) {
    const auto i = kr::thread_idx().x;
    int at = 0;
    numbers(kr::philox(7, i, 3), [&](const auto& x) { y[i * numbers_of_a_draw + at++] = kr::cast<double>(x); });
  });
  krait::ir::Module m = recorded->module;
  m.kernel().fp = krait::ir::FpMode::Strict;
  ASSERT_EQ(krait::passes::run_pipeline(m, {krait::support::TargetKind::Interpreter}), "");
  krait::ir::Launch launch;
  launch.block[0] = draws;
  const krait::ir::Argument out[] = {argument(got)};
  ASSERT_EQ(krait::ir::interpret(m, launch, out), "");
  EXPECT_TRUE(same_value(expected, got));
}

TEST(trace_random, moments) {
  double sum = 0, squares = 0, normals = 0, normal_squares = 0, normal_fourths = 0;
  constexpr int draws = 50'000;
  unsigned counts[6] = {};
  for (int i = 0; i < draws; ++i) {
    const auto words = kr::philox(2026, i);
    for (int w = 0; w < 4; ++w) {
      const double u = words.uniform_float(w);
      ASSERT_TRUE(u >= 0 && u < 1);
      sum += u, squares += u * u;
      ++counts[words.below(w, 6)];
    }
    for (int p = 0; p < 2; ++p) {
      const auto [a, b] = words.normal_float(p);
      for (const double x : {double(a), double(b)}) normals += x, normal_squares += x * x, normal_fourths += x * x * x * x;
    }
  }
  const double n = 4.0 * draws;  // five standard deviations of each mean
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  EXPECT_NEAR(normals / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(normal_squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(normal_fourths / n, 3, 5 * std::sqrt(96 / n));
  for (const unsigned c : counts) EXPECT_NEAR(c / n, 1.0 / 6, 5 * std::sqrt(5.0 / 36 / n));
}

TEST(trace_random, extreme_words) {
  const kr::random_words<std::uint32_t> zeros{{0, 0, 0, 0}}, ones{{~0u, ~0u, ~0u, ~0u}};
  EXPECT_EQ(zeros.uniform_float(0), 0.0f);
  EXPECT_EQ(ones.uniform_float(0), 1 - 0x1p-24f);
  EXPECT_EQ(ones.uniform_double(1), 1 - 0x1p-53);
  EXPECT_EQ(ones.below(2, 10), 9u);
  EXPECT_EQ(ones.below(2, 0), 0u);
  EXPECT_EQ(ones.long_below(0, ~0ull), ~0ull - 1);
  EXPECT_EQ(zeros.normal_float(0).first, 0);
  const auto [a, b] = ones.normal_double();
  EXPECT_TRUE(std::abs(a) < 8.6 && std::abs(b) < 8.6);
  const auto [c, d] = ones.normal_float(1);
  EXPECT_TRUE(std::abs(c) < 5.8f && std::abs(d) < 5.8f);
}

}  // namespace
