// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of floats: NaN, zeros, intervals; at joins and in loops.
#include "passes/analysis/float_facts.h"

#include <gtest/gtest.h>

#include "ir/text/text.h"

namespace krait::passes {
namespace {

using namespace ir;

/// The facts of %n of a kernel with the parameters %0: f32, %1: view<f32, 1>, %2: i32, %3: bool.
/// Every text ends with a minimum, as nothing is computed for a function that asks for nothing.
struct Kernel {
  explicit Kernel(const std::string& body)
      : parsed(
            parse("kir 1\nkernel @k fp(strict) (%0: f32, %1: view<f32, 1>, %2: i32, %3: bool) {\n" +
                  body + "%90: f32 = min %0, %0\nreturn\n}\n")),
        ranges(parsed.module.kernel()) {
    EXPECT_EQ(parsed.error, "");
  }
  /// Of the n-th float that is computed.
  const FloatFacts& of(unsigned n) const {
    const Function& f = parsed.module.kernel();
    for (ValueId v = 0; v < f.values.size(); ++v)
      if (f.values[v].def != none && f.type_of(v).scalar == Scalar::F32 && n-- == 0)
        return ranges.of(v);
    throw "no such value";
  }
  ParseResult parsed;
  FloatRanges ranges;
};

TEST(FloatFacts, arithmetic_is_quiet_and_rounds_its_interval) {
  const Kernel k(
      "%4: f32 = cast %2\n"     // 0
      "%5: f32 = const 3\n"     // 1
      "%6: f32 = mul %4, %5\n"  // 2
      "%7: f32 = add %0, %6\n"  // 3
      "%8: f32 = mul %0, %0\n"  // 4
      "%9: f32 = sqrt %6\n"     // 5
      "%10: f32 = neg %4\n");   // 6
  EXPECT_TRUE(k.of(0).inside(-0x1p31, 0x1p31));
  EXPECT_FALSE(k.of(0).minus_zero);
  EXPECT_TRUE(k.of(2).inside(-0x1.8p32, 0x1.8p32));
  EXPECT_TRUE(k.of(2).minus_zero);  // a product of a negative number may underflow
  EXPECT_TRUE(k.of(3).nan);         // of the parameter
  EXPECT_FALSE(k.of(3).signals);
  EXPECT_FALSE(k.of(4).minus_zero);
  EXPECT_EQ(k.of(4).low, 0);
  EXPECT_TRUE(k.of(5).nan);
  EXPECT_TRUE(k.of(6).minus_zero);
}

TEST(FloatFacts, a_minimum_with_a_number_is_one) {
  const Kernel k(
      "%4: f32 = const 0\n"       // 0
      "%5: f32 = const 255\n"     // 1
      "%6: f32 = max %0, %4\n"    // 2
      "%7: f32 = min %6, %5\n"    // 3
      "%8: f32 = min %0, %5\n");  // 4
  EXPECT_TRUE(k.of(3).inside(0, 255));
  EXPECT_FALSE(k.of(4).nan);
  EXPECT_EQ(k.of(4).high, 255);
  EXPECT_EQ(k.of(4).low, -std::numeric_limits<double>::infinity());
}

TEST(FloatFacts, joins_have_the_facts_of_all_ways) {
  const Kernel k(
      "%4: f32 = const 1\n"                                     // 0
      "%5: f32 = const -0x0p+0\n"                               // 1
      "%6: f32 = select %3, %4, %5\n"                           // 2
      "%7: f32 = if %3 {\nyield %0\n} else {\nyield %4\n}\n");  // 3
  EXPECT_TRUE(k.of(2).inside(0, 1));
  EXPECT_TRUE(k.of(2).minus_zero);
  EXPECT_TRUE(k.of(3).nan);
}

/// A sum that begins with a number is one of any size, or a NaN; one that begins with a parameter
/// may signal.
TEST(FloatFacts, carried_values_may_be_any_size) {
  const Kernel k(
      "%4: f32 = const 1\n"                                                   // 0
      "%5: f32, %6: f32 = for %2, %4, %0 {\n^(%7: i32, %8: f32, %9: f32):\n"  // 1, 2
      "%10: f32 = abs %8\n%11: f32 = min %10, %4\ncontinue %11, %9\n}\n");    // 3, 4
  EXPECT_FALSE(k.of(1).nan);
  EXPECT_FALSE(k.of(1).signals);
  EXPECT_FALSE(k.of(1).minus_zero);
  EXPECT_EQ(k.of(1).high, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(k.of(2).signals);
  EXPECT_TRUE(k.of(4).inside(0, 1));
}

}  // namespace
}  // namespace krait::passes
