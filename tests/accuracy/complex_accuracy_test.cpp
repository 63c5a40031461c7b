// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of complex numbers keeps its bound (docs/numbers.md) at random arguments over the
// whole range.
#include <gtest/gtest.h>

#include <string>

#include "complex_reference.h"

namespace krait::accuracy {
namespace {

template <class Float>
ComplexWorst<Float> measure(const ComplexReference& f,
                            std::complex<Float> (*function)(std::complex<Float>,
                                                            std::complex<Float>),
                            unsigned count) {
  ComplexWorst<Float> worst;
  const ComplexArguments<Float> at = complex_arguments<Float>(f, count);
  for (std::size_t i = 0; i < at.z.size(); ++i)
    worst.note(complex_error(f, at.z[i], at.w[i], function(at.z[i], at.w[i])), at.z[i], at.w[i]);
  return worst;
}
template <class Float>
void expect_bounds(const ComplexReference& f, const ComplexWorst<Float>& worst) {
  EXPECT_LE(worst.error.whole, f.bound)
      << std::hexfloat << f.name << " of " << worst.z << ", " << worst.w;
  if (f.part > 0) {
    EXPECT_LE(worst.error.part, f.part) << std::hexfloat << "a part of " << f.name << " of "
                                        << worst.part_z << ", " << worst.part_w;
  }
}

class ComplexAccuracy : public testing::TestWithParam<ComplexReference> {};

TEST_P(ComplexAccuracy, single_precision_keeps_its_bound) {
  expect_bounds(GetParam(), measure<float>(GetParam(), GetParam().f32, 40'000));
}
TEST_P(ComplexAccuracy, double_precision_keeps_its_bound) {
  expect_bounds(GetParam(), measure<double>(GetParam(), GetParam().f64, 40'000));
}

std::string name_of(const testing::TestParamInfo<ComplexReference>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Functions, ComplexAccuracy,
                         testing::ValuesIn(complex_references().begin(),
                                           complex_references().end()),
                         name_of);

TEST(ComplexError, counts_units_of_the_magnitude_and_of_each_part) {
  const ComplexReference& square_root =
      *std::find_if(complex_references().begin(), complex_references().end(),
                    [](const ComplexReference& f) { return std::string(f.name) == "sqrt"; });
  const auto error = [&](std::complex<float> z, std::complex<float> got) {
    return complex_error(square_root, z, {}, got);
  };
  EXPECT_EQ(error({-4, 0}, {0, 2}).whole, 0);
  EXPECT_EQ(error({-4, 0}, {0, 2 + 0x1p-22f}).whole, 1);
  EXPECT_EQ(error({-4, 0}, {0x1p-22f, 2}).whole, 1);
  EXPECT_EQ(error({-4, 0}, {0x1p-149f, 2}).part, 1);
  EXPECT_EQ(error({4, 0}, {NAN, 0}).whole, HUGE_VAL);
  EXPECT_GT(error({4, 0}, {HUGE_VALF, 0}).whole, 1e30);
}

}  // namespace
}  // namespace krait::accuracy
