// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices run code that was made elsewhere.
#include "support/fit.h"

#include <gtest/gtest.h>

namespace krait::support {
namespace {

Target target(std::string_view text) {
  const ParsedTarget parsed = parse_target(text);
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.target;
}
bool runs(std::string_view code, std::string_view device) {
  return support::runs(target(code), target(device));
}
bool is_better(std::string_view a, std::string_view b) {
  return support::is_better(target(a), target(b));
}

TEST(Fit, Processors) {
  const char* const zen4 = "cpu x86-64 lanes=16 cpu=x86-64-v4 tune=znver4";
  const char* const between =
      "cpu x86-64 lanes=8 parts=2 cpu=x86-64-v2 tune=znver4 features=+avx2,+fma";
  EXPECT_TRUE(runs("x86-64-v2", zen4) && runs("x86-64-v3", zen4) && runs("x86-64-v4", zen4));
  EXPECT_TRUE(runs("x86-64-v3", "x86-64-v3") && !runs("x86-64-v4", "x86-64-v3"));
  EXPECT_TRUE(runs("x86-64-v2", between) && !runs("x86-64-v3", between));
  EXPECT_TRUE(runs(between, between) && !runs(between, zen4))
      << "a list of features says of no other what it has";
  const std::string dots = std::string(zen4) + " features=+avx512vnni,+avx512bf16",
                    some = std::string(zen4) + " features=+avx512vnni";
  EXPECT_TRUE(runs("x86-64-v4", dots) && runs(zen4, dots) && runs(some, dots) &&
              !runs(dots, some) && !runs(some, zen4));
  EXPECT_TRUE(is_better(dots, some) && is_better(some, zen4));
  EXPECT_TRUE(is_better("x86-64-v4", "x86-64-v3") && !is_better("x86-64-v3", "x86-64-v4"));
  EXPECT_FALSE(runs("x86-64-v2", "sm_90") || runs("sm_90", "vulkan") ||
               runs("interpreter", "interpreter"));
}

TEST(Fit, ComputeCapabilities) {
  EXPECT_TRUE(runs("ptx sm=80 isa=80", "ptx sm=90 isa=80") &&
              !runs("ptx sm=90 isa=80", "ptx sm=80 isa=80"));
  EXPECT_FALSE(runs("ptx sm=80 isa=83", "ptx sm=90 isa=80")) << "an older driver";
  EXPECT_TRUE(runs("ptx sm=90a isa=80", "ptx sm=90a isa=80") &&
              !runs("ptx sm=90a isa=80", "ptx sm=100a isa=86"));
  EXPECT_TRUE(runs("ptx sm=90 isa=80", "ptx sm=90a isa=80") &&
              !runs("ptx sm=90a isa=80", "ptx sm=90 isa=80"));
  EXPECT_TRUE(is_better("ptx sm=90a isa=80", "ptx sm=90 isa=80") &&
              is_better("ptx sm=90 isa=80", "ptx sm=80 isa=80"));
}

TEST(Fit, FeaturesAndCures) {
  EXPECT_TRUE(runs("spirv features=i64 subgroup=0 push=128",
                   "spirv features=i64,f64 subgroup=32 push=256"));
  EXPECT_FALSE(
      runs("spirv features=f64 subgroup=0 push=128", "spirv features=i64 subgroup=32 push=128"));
  EXPECT_FALSE(
      runs("spirv features=i64 subgroup=32 push=128", "spirv features=i64 subgroup=8 push=128"))
      << "its warps differ";
  EXPECT_FALSE(
      runs("spirv features=i64 subgroup=0 push=256", "spirv features=i64 subgroup=0 push=128"));
  EXPECT_FALSE(runs("spirv features=i64 subgroup=0 push=128",
                    "spirv features=i64,hide0 subgroup=0 push=128"))
      << "the cure lacks";
  EXPECT_TRUE(runs("spirv features=i64,hide0 subgroup=0 push=128",
                   "spirv features=i64 subgroup=0 push=128"));
  const Target plain = target("vulkan");
  Target faulty = plain;
  faulty.spirv.features.set(Feature::Walks);
  EXPECT_TRUE(!support::runs(plain, faulty) && support::runs(for_all_drivers(plain), faulty));
}

}  // namespace
}  // namespace krait::support
