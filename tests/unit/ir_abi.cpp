// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/abi.h"

#include <gtest/gtest.h>

#include "ir/text/text.h"

namespace krait::ir {
namespace {

using What = ArgumentSlot::What;

ArgumentLayout layout(const std::string& facts, const std::string& params) {
  const ParseResult r =
      parse("kir 1\nkernel fp(native) " + facts + " (" + params + ") {\n  return\n}\n");
  EXPECT_EQ(r.error, "");
  return argument_layout(r.module.kernel());
}

TEST(IrAbi, ScalarsAreAlignedToTheirSize) {
  const ArgumentLayout l = layout("", "%0: bool, %1: f32, %2: i16, %3: u8, %4: f64, %5: i8");
  EXPECT_EQ(l.find(What::Scalar, 0), 0u);
  EXPECT_EQ(l.find(What::Scalar, 1), 4u);
  EXPECT_EQ(l.find(What::Scalar, 2), 8u);
  EXPECT_EQ(l.find(What::Scalar, 3), 10u);
  EXPECT_EQ(l.find(What::Scalar, 4), 16u);
  EXPECT_EQ(l.find(What::Scalar, 5), 24u);
  EXPECT_EQ(l.size, 32u);
  EXPECT_EQ(l.slots[0].bytes, 1u);
}

TEST(IrAbi, AggregatesAreTheirBytesAlignedToSixteen) {
  const ArgumentLayout l = layout(
      "",
      "%0: f32, %1: argument<bytes(21), 1, const>, %2: u8, %3: argument<bytes(4096), 1, const>");
  EXPECT_EQ(l.find(What::Bytes, 1), 16u);
  EXPECT_EQ(l.slots[1].bytes, 21u);
  EXPECT_EQ(l.find(What::Scalar, 2), 37u);
  EXPECT_EQ(l.find(What::Bytes, 3), 48u);
  EXPECT_EQ(l.size, 48u + 4096u);
}

TEST(IrAbi, ViewsAreAddressExtentsStrides) {
  const ArgumentLayout l = layout("", "%0: f32, %1: view<f32, 2>");
  EXPECT_EQ(l.find(What::Address, 1), 8u);
  EXPECT_EQ(l.find(What::Extent, 1, 0), 16u);
  EXPECT_EQ(l.find(What::Extent, 1, 1), 24u);
  EXPECT_EQ(l.find(What::Stride, 1, 0), 32u);
  EXPECT_EQ(l.find(What::Stride, 1, 1), 40u);
  EXPECT_EQ(l.size, 48u);
  EXPECT_EQ(l.slots.size(), 6u);
}

TEST(IrAbi, FactsShrinkViews) {
  const ArgumentLayout contiguous = layout("facts(contiguous)", "%0: view<f32, 3>");
  EXPECT_EQ(contiguous.slots.size(), 4u);
  EXPECT_EQ(contiguous.size, 32u);
  const ArgumentLayout small = layout("facts(small)", "%0: view<f32, 1>, %1: f32");
  EXPECT_EQ(small.find(What::Extent, 0), 8u);
  EXPECT_EQ(small.find(What::Stride, 0), 16u);
  EXPECT_EQ(small.slots[2].bytes, 8u);
  const ArgumentLayout both =
      layout("facts(contiguous, small)", "%0: view<f32, 1>, %1: f32, %2: view<f32, 1>");
  EXPECT_EQ(both.find(What::Extent, 0), 8u);
  EXPECT_EQ(both.find(What::Scalar, 1), 12u);
  EXPECT_EQ(both.find(What::Address, 2), 16u);
  EXPECT_EQ(both.find(What::Extent, 2), 24u);
  EXPECT_EQ(both.size, 32u) << "a multiple of 8";
}

/// What passes added to code is laid out as its row says, whatever the recording has; the
/// recording's own come first.
TEST(IrAbi, GivenArgumentsAreThoseOfTheCodeOrDiffer) {
  const auto kernel = [](const std::string& params) {
    const ParseResult r = parse("kir 1\nkernel fp(native) (" + params + ") {\n  return\n}\n");
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(verify(r.module), "");
    return r.module.kernel();
  };
  const std::string own = "%0: f32, %1: view<f32, 1>",
                    table = own + ", %2: view<i16, 1, const> = table(0)";
  const std::string reports = ", %3: view<u32, 1> = reports, %4: u32 = kernel_number";
  Facts facts;
  facts.small = true;
  const auto wrong = [&](const std::string& code, const std::string& recorded) {
    Function lowered = kernel(code);
    lowered.facts = facts;
    const ArgumentLayout taken = argument_layout(lowered);
    return support::difference(taken, given_layout(kernel(recorded), facts, taken));
  };
  EXPECT_EQ(wrong(own, own), "");
  EXPECT_EQ(wrong(table, table), "");
  EXPECT_EQ(wrong(table + reports, table), "");
  EXPECT_EQ(wrong(table, own), "hidden parameter 0 is table(0), expected none");
  EXPECT_EQ(wrong(own, table), "hidden parameter 0 is missing, expected table(0)");
  EXPECT_EQ(wrong("%0: f32", own), "it takes 1 parameters of a call, expected 2");
  EXPECT_EQ(wrong(own + ", %2: u32 = kernel_number", table),
            "hidden parameter 0 is kernel_number, expected table(0)");
}

TEST(IrAbi, NoParametersNoBlock) {
  EXPECT_EQ(layout("", "").size, 0u);
  EXPECT_TRUE(layout("", "").slots.empty());
}

}  // namespace
}  // namespace krait::ir
