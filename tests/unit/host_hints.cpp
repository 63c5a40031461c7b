// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of hints, without a code generator or a device.
#include "host/hints.h"

#include <gtest/gtest.h>

namespace krait::host {
namespace {

TEST(DriverHints, AsTheCodeGeneratorTellsThem) {
  const std::vector<Hint> all =
      read_hints("gather\t12\ta b.cpp\tgather: one; two\nlocal\t0\t\tlocal array\n");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(text_of(all, "kernel k (a b.cpp:3)"),
            "a b.cpp:12: krait: hint: gather: one; two\n"
            "krait: hint: kernel k (a b.cpp:3): local array\n");
  EXPECT_TRUE(read_hints("").empty());
  EXPECT_TRUE(read_hints("half a line\t7").empty());
}

/// As CUDA's driver gives them of loaded code.
TEST(DriverHints, SpillsAreLocalBytes) {
  EXPECT_TRUE(hints_of({.registers = 255}, "k.cpp:3").empty());
  const std::vector<Hint> spilled = hints_of({.registers = 255, .local_bytes = 96}, "k.cpp:3");
  ASSERT_EQ(spilled.size(), 1u);
  const std::string head =
      "k.cpp:3: krait: hint: local memory: 255 registers are not enough, or arrays are indexed at run time: 96 bytes per thread are in memory. Use smaller arrays and blocks, index arrays by constants, or split the kernel\n";
  EXPECT_EQ(text_of(spilled, "kernel k"), head);
  EXPECT_EQ(text_of(hints_of({.local_bytes = 8}, ""), "kernel k").substr(0, 36),
            "krait: hint: kernel k: local memory:");
}

TEST(DriverHints, RemarksOfTheCompiler) {
  const std::vector<Hint> said = hints_of(
      {.remarks = {"Potential Performance Loss: wgmma.mma_async instructions are serialized"}},
      "k.cpp:3");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(
      text_of(said, "kernel k"),
      "k.cpp:3: krait: hint: the driver's compiler: Potential Performance Loss: wgmma.mma_async instructions are "
      "serialized. Use smaller tiles, and do not use sums of products before their loop ends\n");
}

TEST(DriverHints, OncePerKindAndLine) {
  testing::internal::CaptureStderr();
  for (int kernel = 0; kernel < 2; ++kernel)
    give({{"gather", "k.cpp", 5, "one"}, {"mask", "k.cpp", 5, "two"}}, "kernel k");
  give({{"gather", "k.cpp", 6, "three"}}, "kernel k");
  for (const char* what : {"kernel a", "kernel b", "kernel a"})
    give({{"gather", "", 0, "four"}}, what);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "k.cpp:5: krait: hint: one\nk.cpp:5: krait: hint: two\nk.cpp:6: krait: hint: three\n"
            "krait: hint: kernel a: four\nkrait: hint: kernel b: four\n");
}

}  // namespace
}  // namespace krait::host
