// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mathematical function keeps its bound (docs/numbers.md) at random and at hard arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "reference.h"
#include "ulp.h"

namespace krait::accuracy {
namespace {

class Accuracy : public testing::TestWithParam<Reference> {};

TEST_P(Accuracy, single_precision_keeps_its_bound) {
  const Reference& f = GetParam();
  const Worst<float> worst = measure32(f, 1'000'000);
  EXPECT_LE(worst.error, f.bound32)
      << f.name << " at " << std::hexfloat << worst.x << ", " << worst.y << ": "
      << f.f32(worst.x, worst.y) << ", exact " << exact_value(f, worst.x, worst.y);
}

TEST_P(Accuracy, double_precision_keeps_its_bound) {
  const Reference& f = GetParam();
  const Worst<double> worst = measure64(f, 100'000);
  EXPECT_LE(worst.error, f.bound64)
      << f.name << " at " << std::hexfloat << worst.x << ", " << worst.y << ": "
      << f.f64(worst.x, worst.y) << ", exact " << exact_value(f, worst.x, worst.y);
}

std::string name_of(const testing::TestParamInfo<Reference>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Functions, Accuracy,
                         testing::ValuesIn(references().begin(), references().end()), name_of);

/// Whole and half exponents, which pow takes by products: bases of any size, near 1, and those
/// whose powers are near either end of the range.
template <class Float>
void check_powers(int count) {
  using Limits = std::numeric_limits<Float>;
  const Reference& pow = *std::find_if(references().begin(), references().end(), [](const auto& f) {
    return std::string_view(f.name) == "pow";
  });
  const auto pow_of = [&](Float x, Float y) {
    if constexpr (sizeof(Float) == 4) return pow.f32(x, y);
    else return pow.f64(x, y);
  };
  const Float edges[] = {0,
                         1,
                         2,
                         Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min(),
                         Limits::min(),
                         Limits::max(),
                         Float(1e-20)};
  for (int twice = -33; twice <= 33; ++twice) {
    const Float y = Float(twice) / 2;
    Random random(std::uint64_t(twice + 100));
    Worst<Float> worst;
    const auto check = [&](Float x) {
      const Float power = pow_of(x, y);
      worst.note(ulp_error(power, exact_value(pow, x, y)), x, y);
      if (power == 0) {
        EXPECT_EQ(std::signbit(power), std::signbit(std::pow(x, y))) << x << ", " << y;
      }
    };
    for (const Float x : edges) check(x), check(-x);
    for (int i = 0; i < count; ++i) {
      const double end = i % 2 ? Limits::max_exponent : Limits::min_exponent - Limits::digits;
      const double size = i % 3 == 0   ? (random.unit() - 0.5) * 2 * Limits::max_exponent
                          : i % 3 == 1 ? random.unit() - 0.5
                          : twice      ? (end + 30 * random.unit() - 15) / double(y)
                                       : 0;
      check(Float(std::exp2(size)) * (i % 5 ? 1 : -1));
    }
    EXPECT_LE(worst.error, sizeof(Float) == 4 ? pow.bound32 : pow.bound64)
        << "pow " << std::hexfloat << worst.x << ", " << y << ": " << pow_of(worst.x, y);
  }
}
TEST(Powers, by_products_keep_the_bound_of_pow) {
  check_powers<float>(3000);
  check_powers<double>(3000);
}

TEST(UlpError, counts_units_of_the_exact_values_binade) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0);
  EXPECT_EQ(ulp_error(std::nextafter(1.0f, 2.0f), 1.0), 1);
  EXPECT_EQ(ulp_error(std::nextafter(1.0f, 0.0f), 1.0), 0.5);
  EXPECT_EQ(ulp_error(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulp_error(0.0f, double(std::numeric_limits<float>::denorm_min())), 1);
  EXPECT_EQ(ulp_error(HUGE_VALF, double(std::numeric_limits<float>::max())), 1);
  EXPECT_EQ(ulp_error(1.0f, double(NAN)), wrong);
  EXPECT_EQ(ulp_error(NAN, 1.0), wrong);
  EXPECT_EQ(ulp_error(-HUGE_VALF, double(HUGE_VAL)), wrong);
}

}  // namespace
}  // namespace krait::accuracy
