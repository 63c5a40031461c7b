// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of differences of bytes along rows of the threads' own, side by side or further apart, in every type that holds them, under masks,
// and of more and fewer than eight bytes.
#include <random>

#include <fmt/core.h>

#include "fixture.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

constexpr std::int64_t threads = 72, blocks = 2, all = threads * blocks;
constexpr ir::Facts facts{.contiguous = true, .aligned = false, .small = true, .disjoint = true};

struct Form {
  std::string type = "i32", first = "%10", second = "%10", size = "abs %15", sum = "add %12, %16";
  unsigned count = 8, step = 8, other = 8;
  bool guarded = false;
};

/// sum = 32700; for (k < count) sum += |a[step i + k] - b[other i + k]|, of thread i.
std::string kernel(const Form& form) {
  return fmt::format(R"(kernel @f fp(strict) (%0: view<u8, 1, const>, %1: view<u8, 1, const>, %2: view<{0}, 1>, %3: i64) {{
  %4: i64 = global_id {{0}}
  %5: i64 = const {1}
  %6: i64 = mul %4, %5
  %7: i64 = const {2}
  %8: i64 = mul %4, %7
  %20: {0} = const 32700
  %21: u32 = const {3}
  %30: bool = lt %4, %3
  {4}
  %22: {0} = for %21, %20 {{
  ^(%9: u32, %12: {0}):
    %10: i64 = cast %9
    %40: i64 = const 7
    %41: i64 = sub %40, %10
    %23: i64 = add %6, {5}
    %24: i64 = add %8, {6}
    %25: u8 = load %0, %23
    %26: u8 = load %1, %24
    %13: {0} = cast %25
    %14: {0} = cast %26
    %15: {0} = sub %13, %14
    %16: {0} = {7}
    %17: {0} = {8}
    continue %17
  }}
  store.{0} %2, %4, %22
  {9}
  return
}}
)",
                     form.type, form.step, form.other, form.count, form.guarded ? "if %30 {" : "", form.first, form.second,
                     form.size, form.sum, form.guarded ? "yield }" : "");
}

std::vector<std::uint8_t> bytes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> result(std::size_t(all * 24 + 32));
  for (std::uint8_t& b : result) b = random() % 4 == 0 ? (random() % 2 ? 255 : 0) : std::uint8_t(random());
  return result;
}

template <class T>
void check_form(Form form, const char* type) {
  form.type = type;
  SCOPED_TRACE(
      fmt::format("{} steps {} and {}, {} bytes{}", type, form.step, form.other, form.count, form.guarded ? ", guarded" : ""));
  check(kernel(form), line(blocks, threads),
        {array(bytes(1)), array(bytes(2)), array(std::vector<T>(std::size_t(all), T(1))), scalar<std::int64_t>(101)},
        {true, facts});
}

TEST(ByteDifferences, EveryForm) {
  for (const bool guarded : {false, true})
    for (const unsigned count : {8u, 13u, 24u})
      for (const unsigned other : {8u, 11u, 24u}) {
        const Form form{.count = count, .other = other, .guarded = guarded};
        check_form<std::int32_t>(form, "i32");
        if (count == 8) check_form<std::int16_t>(form, "i16"), check_form<std::int64_t>(form, "i64");
      }
  check_form<std::int32_t>({.second = "%41"}, "i32");
  check_form<std::int32_t>({.size = "max %15, %13"}, "i32");
  check_form<std::int32_t>({.sum = "sub %12, %16"}, "i32");
}

/// Whether the instruction for them is used, and not for one thread after another.
bool sums_bytes(const Form& form) {
  ir::ParseResult parsed = ir::parse("kir 1\n" + kernel(form));
  EXPECT_EQ(parsed.error, "");
  parsed.module.kernel().facts = facts;
  EXPECT_EQ(passes::run_pipeline(parsed.module, {support::TargetKind::Cpu}), "");
  const Compiled code = compile(ir::print(parsed.module), targets()[1], "llvm");
  EXPECT_EQ(code.status, 0) << code.log;
  return code.data.find("psad.bw") != std::string::npos;
}

TEST(ByteDifferences, WhatIsOne) {
  EXPECT_TRUE(sums_bytes({}));
  EXPECT_TRUE(sums_bytes({.other = 11, .guarded = true}));
  EXPECT_TRUE(sums_bytes({.count = 24}));
  EXPECT_FALSE(sums_bytes({.second = "%41"}));
  EXPECT_FALSE(sums_bytes({.size = "max %15, %13"}));
  EXPECT_FALSE(sums_bytes({.sum = "sub %12, %16"}));
}

}  // namespace
}  // namespace krait::test
