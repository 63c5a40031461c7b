// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that a kernel only updates by atomics: which of them workers have copies of, and that the sums are right.
#include <fmt/format.h>

#include "fixture.h"
#include "support/cpu_blob.h"

namespace krait::test {
namespace {

constexpr ir::Facts facts{true, false, true, true};

/// How many copies the code of a kernel allows for.
unsigned copies_of(const std::string& body, ir::Facts with = facts) {
  ir::ParseResult parsed = ir::parse("kir 1\n" + body);
  EXPECT_EQ(parsed.error, "");
  ir::Module& m = parsed.module;
  m.kernel().facts = with;
  EXPECT_EQ(ir::verify(m), "");
  const Compiled code = compile(ir::print(m), targets().back());
  EXPECT_EQ(code.status, 0) << code.log;
  CpuCode own;
  if (!code.envelope.get_own(own)) return ~0u;
  unsigned count = 0;
  for (const CpuCopy& c : own.copies) count += c.update != CpuCopy::Update::None;
  return count;
}

/// The same bits as the interpreter's.
void check_copied(const std::string& text, const ir::Launch& launch, const std::vector<Arg>& args, unsigned copies = 1) {
  SCOPED_TRACE(text);
  EXPECT_EQ(copies_of(text), copies);
  check(text, launch, args, {.pipeline = false, .facts = facts});
}

/// A kernel over i < n of %bins and %x, both of that type, around `updates`, which knows the values %bin (i64) and %v.
std::string kernel(std::string_view type, std::string_view updates) {
  return fmt::format(R"(kernel @f fp(strict) flat (%bins: view<{0}, 1>, %x: view<{0}, 1, const>, %out: view<{0}, 1>) {{
  %n: i64 = extent %x {{0}}
  %c37: i64 = const 37
  grid_stride %n {{
  ^(%i: i64):
    %v: {0} = load %x, %i
    %bin: i64 = rem %i, %c37
{1}
    continue
  }}
  return
}}
)",
                     type, updates);
}

std::vector<std::string> names() { return {"add", "and", "or", "xor", "min", "max"}; }

template <class T>
void check_type(const char* type) {
  std::vector<T> bins(37), x(20000);
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] = T(0x5a5a5a5a12345678 * (i + 1));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(0x9e3779b97f4a7c15 * (i + 3) >> 7);
  for (const std::string& name : names()) {
    const std::string text = kernel(type, fmt::format("    %o: {} = atomic_{} %bins, %bin, %v", type, name));
    check_copied(text, line(7, 96), {array(bins), array(x), array(bins)});
  }
}

TEST(CpuCopies, EveryUpdateOfI32) { check_type<std::int32_t>("i32"); }
TEST(CpuCopies, EveryUpdateOfU32) { check_type<std::uint32_t>("u32"); }
TEST(CpuCopies, EveryUpdateOfI64) { check_type<std::int64_t>("i64"); }
TEST(CpuCopies, EveryUpdateOfU64) { check_type<std::uint64_t>("u64"); }

TEST(CpuCopies, AllLanesOfOneElement) {
  std::vector<std::int32_t> bins(3), x(5000, 3);
  const std::string text = kernel("i32", "    %c1: i64 = const 1\n    %o: i32 = atomic_add %bins, %c1, %v");
  check_copied(text, line(2, 64), {array(bins), array(x), array(bins)});
}

TEST(CpuCopies, SomeLanes) {
  std::vector<std::int32_t> bins(37), x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::int32_t(i * 7919 % 101) - 50;
  const std::string text = kernel(
      "i32",
      "    %zero: i32 = const 0\n    %some: bool = lt %zero, %v\n    if %some {\n      %o: i32 = atomic_add %bins, %bin, %v\n"
      "      %p: i32 = atomic_max %out, %bin, %v\n      yield\n    } else {\n      yield\n    }");
  check_copied(text, line(2, 64), {array(bins), array(x), array(bins)}, 2);
}

TEST(CpuCopies, InBlocks) {
  std::vector<std::uint32_t> bins(8, 5), x(96 * 20, 3);
  const char* text = R"(kernel @f fp(strict) flat (%bins: view<u32, 1>, %x: view<u32, 1, const>) {
  %t: i64 = thread_idx {0}
  %i: i64 = global_id {0}
  %own: shared<u32, 1> = shared {96}
  %v: u32 = load %x, %i
  store.u32 %own, %t, %v
  barrier
  %c7: i64 = const 7
  %bin: i64 = and %t, %c7
  %w: u32 = load %own, %bin
  %o: u32 = atomic_add %bins, %bin, %w
  return
}
)";
  check_copied(text, line(20, 96), {array(bins), array(x)});
}

TEST(CpuCopies, ArraysThatAreReadAreNotCopied) {
  EXPECT_EQ(copies_of(kernel(
                "i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    %r: i32 = load %bins, %bin\n    store.i32 %out, %i, %r")),
            0u);
  EXPECT_EQ(
      copies_of(kernel(
          "i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    %r: i32 = atomic_load %bins, %bin\n    store.i32 %out, %i, %r")),
      0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    store.i32 %out, %i, %o")), 0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    store.i32 %bins, %bin, %v")), 0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_exchange %bins, %bin, %v")), 0u);
  EXPECT_EQ(copies_of(kernel("u32", "    %o: u32 = atomic_inc %bins, %bin, %v")), 0u);
}

TEST(CpuCopies, UpdatesOfTwoKindsAreMadeInPlace) {
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    %p: i32 = atomic_max %bins, %bin, %v")), 0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    %p: i32 = atomic_add %bins, %i, %v")), 1u);
}

TEST(CpuCopies, FloatsAreUpdatedInPlace) {
  EXPECT_EQ(copies_of(kernel("f32", "    %o: f32 = atomic_add %bins, %bin, %v")), 0u);
  EXPECT_EQ(copies_of(kernel("f64", "    %o: f64 = atomic_max %bins, %bin, %v")), 0u);
}

TEST(CpuCopies, WhatOrdersMemoryKeepsUpdatesInPlace) {
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    fence {1}")), 0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add.release %bins, %bin, %v")), 0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v\n    %p: i32 = atomic_add.acquire %out, %bin, %v")),
            0u);
  EXPECT_EQ(copies_of(kernel("i32", "    %o: i32 = atomic_add.system %bins, %bin, %v")), 0u);
}

TEST(CpuCopies, ArraysThatMayOverlapOrHaveStridesAreUpdatedInPlace) {
  const std::string text = kernel("i32", "    %o: i32 = atomic_add %bins, %bin, %v");
  EXPECT_EQ(copies_of(text, {true, false, true, false}), 0u);
  EXPECT_EQ(copies_of(text, {false, false, true, true}), 0u);
  EXPECT_EQ(copies_of(text, {true, false, false, true}), 1u);
}

/// out[x[i]] += 1 for the i < n whose x is below a limit, behind operations that are as dear in scalars as in vectors, or dearer.
std::string counting(unsigned operations) {
  std::string text = R"(kernel @f fp(strict) flat (%bins: view<u32, 1>, %x: view<u8, 1, const>) {
  %n: i64 = extent %x {0}
  %one: u32 = const 1
  %c63: i64 = const 63
  grid_stride %n {
  ^(%i: i64):
    %b: u8 = load %x, %i
    %s0: i64 = cast %b
)";
  for (unsigned k = 0; k < operations; ++k) text += fmt::format("    %s{}: i64 = xor %s{}, %c63\n", k + 1, k);
  return text + fmt::format("    %u: u32 = atomic_add %bins, %s{}, %one\n    continue\n  }}\n  return\n}}\n", operations);
}

/// Where the target leaves it open, what is little more than updates of places that data choose takes no vectors.
TEST(CpuCopies, ScalarsWhereDataChoose) {
  for (const unsigned operations : {0u, 3u, 20u})
    for (std::string target : targets()) {
      if (const std::size_t parts = target.find(" parts="); parts != std::string::npos)
        target.erase(parts, std::string(" parts=1").size());
      if (target.find("lanes=1 ") != std::string::npos) continue;
      SCOPED_TRACE(fmt::format("{} operations, {}", operations, target));
      ir::ParseResult parsed = ir::parse("kir 1\n" + counting(operations));
      ASSERT_EQ(parsed.error, "");
      parsed.module.kernel().facts = facts;
      CpuCode own;
      ASSERT_TRUE(compile(ir::print(parsed.module), target).envelope.get_own(own));
      EXPECT_EQ(own.lanes == 1, operations < 20);
      for (const std::size_t count : {0u, 1u, 3u, 4u, 5u, 1000u, 40003u}) {
        std::vector<std::uint8_t> x(count);
        std::vector<std::uint32_t> expected(256, 5);
        for (std::size_t i = 0; i < count; ++i) x[i] = std::uint8_t(i * i >> 3), ++expected[operations % 2 ? x[i] ^ 63u : x[i]];
        std::vector<Arg> args{array(std::vector<std::uint32_t>(256, 5)), array(x)};
        ASSERT_EQ(run_once(parsed.module, target, line(40, 64), args), "");
        EXPECT_EQ(args[0].data, array(expected).data) << count;
      }
    }
}

}  // namespace
}  // namespace krait::test
