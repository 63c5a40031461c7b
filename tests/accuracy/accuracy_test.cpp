// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every mathematical function keeps its bound (docs/numbers.md) at random and at hard arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

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
