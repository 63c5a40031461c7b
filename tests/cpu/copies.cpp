// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a kernel only updates by atomics: which of them workers have copies of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/text/text.h"
#include "support/checks.h"
#include "support/cpu_blob.h"
#include "support/meaning.h"
#include "targets.h"

namespace krait::test {
namespace {

constexpr ir::Facts facts{true, false, true, true};

/// How many copies the code allows for where `updates` are made.
unsigned copies_of(const char* type, const std::string& updates, ir::Facts with = facts,
                   const char* name = "copied_updates") {
  const Compiled code =
      compile(ir::print(lowered(name, {{"T", type}, {"UPDATE", updates}}, with)), targets().back());
  EXPECT_EQ(code.status, 0) << code.log;
  CpuCode own;
  if (!code.envelope.get_own(own)) return ~0u;
  unsigned count = 0;
  for (const CpuCopy& c : own.copies) count += c.update != CpuCopy::Update::None;
  return count;
}

/// An update by its name and type.
std::string update(const char* type, const char* name) {
  return fmt::format("%o: {} = atomic_{} %bins, %bin, %v", type, name);
}

TEST(CpuCopies, EveryUpdateOfIntegers) {
  for (const char* type : {"i32", "u32", "i64", "u64"})
    for (const char* name : {"add", "and", "or", "xor", "min", "max"})
      EXPECT_EQ(copies_of(type, update(type, name)), 1u) << type;
  EXPECT_EQ(copies_of("i32", "$ONE"), 1u);
  EXPECT_EQ(copies_of("i32", "$SOME"), 2u) << "of some lanes, two arrays";
  EXPECT_EQ(copies_of("u32", "", facts, "copied_updates_in_blocks"), 1u);
}

TEST(CpuCopies, ArraysThatAreReadAreNotCopied) {
  EXPECT_EQ(
      copies_of(
          "i32",
          "%o: i32 = atomic_add %bins, %bin, %v %r: i32 = load %bins, %bin store.i32 %out, %i, %r"),
      0u);
  EXPECT_EQ(
      copies_of(
          "i32",
          "%o: i32 = atomic_add %bins, %bin, %v %r: i32 = atomic_load %bins, %bin store.i32 %out, %i, %r"),
      0u);
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_add %bins, %bin, %v store.i32 %out, %i, %o"), 0u);
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_add %bins, %bin, %v store.i32 %bins, %bin, %v"), 0u);
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_exchange %bins, %bin, %v"), 0u);
  EXPECT_EQ(copies_of("u32", "%o: u32 = atomic_inc %bins, %bin, %v"), 0u);
}

TEST(CpuCopies, UpdatesOfTwoKindsAreMadeInPlace) {
  EXPECT_EQ(
      copies_of("i32", "%o: i32 = atomic_add %bins, %bin, %v %p: i32 = atomic_max %bins, %bin, %v"),
      0u);
  EXPECT_EQ(
      copies_of("i32", "%o: i32 = atomic_add %bins, %bin, %v %p: i32 = atomic_add %bins, %i, %v"),
      1u);
}

TEST(CpuCopies, FloatsAreUpdatedInPlace) {
  EXPECT_EQ(copies_of("f32", "%o: f32 = atomic_add %bins, %bin, %v"), 0u);
  EXPECT_EQ(copies_of("f64", "%o: f64 = atomic_max %bins, %bin, %v"), 0u);
}

TEST(CpuCopies, WhatOrdersMemoryKeepsUpdatesInPlace) {
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_add %bins, %bin, %v fence {1}"), 0u);
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_add.release %bins, %bin, %v"), 0u);
  EXPECT_EQ(
      copies_of("i32",
                "%o: i32 = atomic_add %bins, %bin, %v %p: i32 = atomic_add.acquire %out, %bin, %v"),
      0u);
  EXPECT_EQ(copies_of("i32", "%o: i32 = atomic_add.system %bins, %bin, %v"), 0u);
}

TEST(CpuCopies, ArraysThatMayOverlapOrHaveStridesAreUpdatedInPlace) {
  const std::string add = update("i32", "add");
  EXPECT_EQ(copies_of("i32", add, {true, false, true, false}), 0u);
  EXPECT_EQ(copies_of("i32", add, {false, false, true, true}), 0u);
  EXPECT_EQ(copies_of("i32", add, {true, false, false, true}), 1u);
}

/// Where the target leaves it open, updates of places that data choose take no vectors: a lane's
/// update costs as much as twenty operations.
TEST(CpuCopies, ScalarsWhereDataChoose) {
  std::string why;
  runtime::Device& device = *find_device("cpu", why);
  const KernelFile file = kernel_file("counted_bytes");
  for (const Choice& choice : file.choices())
    for (std::string target : targets()) {
      if (const std::size_t parts = target.find(" parts="); parts != std::string::npos)
        target.erase(parts, std::string(" parts=1").size());
      if (target.find("lanes=1 ") != std::string::npos) continue;
      SCOPED_TRACE(fmt::format("{}, {}", choice.at("BIN"), target));
      const ir::Module module = lowered("counted_bytes", choice, facts);
      CpuCode own;
      ASSERT_TRUE(compile(ir::print(module), target).envelope.get_own(own));
      EXPECT_EQ(own.lanes, 1u);
      for (const Case& c : file.cases(choice)) {
        test::Kernel kernel = c.kernel;
        set_facts(kernel.module, facts);
        EXPECT_EQ(check(kernel, &device,
                        {.passes = false, .target = support::parse_target(target).target}),
                  "")
            << c.name;
      }
    }
}

}  // namespace
}  // namespace krait::test
