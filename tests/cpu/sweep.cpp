// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that the threads of a block share out by steps of its width: in every type of index, from places before and behind the first
// thread's, to bounds that leave nothing, a part of a gang or several rows of blocks.
#include <limits>

#include <fmt/core.h>

#include "fixture.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

constexpr ir::Facts whole_rows{.contiguous = true, .aligned = false, .small = true, .disjoint = true, .whole_rows = true};

/// for (i = thread + first; i < bound[block]; i += width) body, as a range is recorded. %24 is i, %25 the cell of the thread's row in %1 that
/// holds i - first modulo the width, %29 the body's value, a function of both.
std::string strided(const char* type, const char* count, std::int64_t first, const char* guard = "", const char* end = "") {
  return fmt::format(R"(kernel @f fp(strict) (%0: view<{0}, 1, const>, %1: view<u32, 2>) {{
  %3: i64 = block_idx {{0}}
  %4: {0} = load %0, %3
  %5: i64 = thread_idx {{0}}
  %6: {0} = cast %5
  %7: {0} = const {2}
  %8: {0} = add %6, %7
  %9: bool = lt %8, %4
  %10: {1} = cast %4
  %11: {1} = cast %8
  %12: {1} = sub %10, %11
  %13: {1} = const 1
  %14: {1} = sub %12, %13
  %15: i64 = block_dim {{0}}
  %16: {1} = cast %15
  %17: {1} = div %14, %16
  %18: {1} = add %17, %13
  %19: {1} = const 0
  %20: {1} = select %9, %18, %19
{3}
  for %20 {{
  ^(%21: {1}):
    %22: {0} = cast %21
    %40: {0} = cast %15
    %23: {0} = mul %22, %40
    %24: {0} = add %8, %23
    %41: {0} = sub %24, %7
    %42: i64 = cast %41
    %25: i64 = rem %42, %15
    %43: i64 = thread_idx {{1}}
    %44: i64 = block_dim {{1}}
    %45: i64 = mul %3, %44
    %46: i64 = add %45, %43
    %26: u32 = load %1, %46, %25
    %27: u32 = const 31
    %28: u32 = mul %26, %27
    %30: u32 = cast %24
    %29: u32 = add %28, %30
    store.u32 %1, %46, %25, %29
    continue
  }}
{4}
  return
}}
)",
                     type, count, first, guard, end);
}

template <class T>
std::vector<Arg> rows_of(const std::vector<T>& bounds, std::int64_t width, std::int64_t height) {
  const std::int64_t rows = std::int64_t(bounds.size()) * height;
  return {array(bounds), array(std::vector<std::uint32_t>(std::size_t(rows * width), 7), {rows, width})};
}

template <class T>
void check_bounds(const char* type, const char* count, std::vector<T> bounds) {
  for (const std::int64_t first : {0, 1, 45, -3}) {
    if (first < 0 && !std::is_signed_v<T>) continue;
    SCOPED_TRACE(fmt::format("{} from {}", type, first));
    const std::int64_t blocks = std::int64_t(bounds.size());
    check(strided(type, count, first), line(blocks, 32), rows_of(bounds, 32, 1), {true, whole_rows});
    check(strided(type, count, first), line(blocks, 64), rows_of(bounds, 64, 1), {true, whole_rows});
    check(strided(type, count, first), grid({blocks, 1, 1}, {32, 3, 1}), rows_of(bounds, 32, 3), {true, whole_rows});
    check(strided(type, count, first), line(blocks, 20), rows_of(bounds, 20, 1));
  }
}

TEST(Sweep, EveryIndex) {
  check_bounds<std::int32_t>(
      "i32", "u32", {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 190, 192, 1000, -1, -40, std::numeric_limits<std::int32_t>::min()});
  check_bounds<std::uint32_t>("u32", "u32", {0, 1, 2, 31, 46, 64, 77, 191, 1000});
  check_bounds<std::int64_t>("i64", "u64", {0, 1, 2, 31, 46, 64, 77, 191, 1000, -1, std::numeric_limits<std::int64_t>::min()});
  check_bounds<std::uint64_t>("u64", "u64", {0, 1, 2, 31, 46, 64, 77, 191, 1000});
}

TEST(Sweep, UnderACondition) {
  const std::string guarded = strided("i64", "u64", 2, R"(  %50: i64 = const 2
  %51: bool = lt %3, %50
  if %51 {)",
                                      "    yield\n  }");
  check(guarded, line(4, 32), rows_of<std::int64_t>({70, 5, 80, 90}, 32, 1), {true, whole_rows});
}

/// Whether no loop of a thread is left.
bool sweeps(const std::string& kernel) {
  ir::ParseResult parsed = ir::parse("kir 1\n" + kernel);
  EXPECT_EQ(parsed.error, "");
  ir::Module& module = parsed.module;
  module.kernel().facts = whole_rows;
  EXPECT_EQ(passes::run_pipeline(module, {support::TargetKind::Cpu}), "");
  const Compiled code = compile(ir::print(module), targets()[1], "llvm");
  EXPECT_EQ(code.status, 0) << code.log;
  return code.data.find("\nleft") == std::string::npos && code.data.find("\ncommon") == std::string::npos;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Sweep, WhatIsOne) {
  const std::string plain = strided("i64", "u64", 1);
  EXPECT_TRUE(sweeps(plain));
  // The trip's number, or the thread's place, shows by itself.
  EXPECT_FALSE(sweeps(replaced(plain, "%30: u32 = cast %24", "%30: u32 = cast %21")));
  EXPECT_FALSE(sweeps(replaced(plain, "%30: u32 = cast %24", "%30: u32 = cast %8")));
  // Steps of something else.
  EXPECT_FALSE(sweeps(replaced(plain, "%15: i64 = block_dim {0}", "%15: i64 = grid_dim {0}")));
  // A condition of the thread's, an effect of its own, and a bound of its own.
  EXPECT_FALSE(sweeps(strided("i64", "u64", 1, "  %50: i64 = const 20\n  %51: bool = lt %5, %50\n  if %51 {", "    yield\n  }")));
  EXPECT_FALSE(sweeps(replaced(plain, "  return", "  %60: u32 = const 5\n  store.u32 %1, %3, %5, %60\n  return")));
  EXPECT_FALSE(sweeps(replaced(plain, "%4: i64 = load %0, %3", "%47: i64 = thread_idx {0}\n  %4: i64 = load %0, %47")));
  // A thread's array.
  EXPECT_FALSE(sweeps(replaced(plain, "    continue",
                               "    %60: local<u32, 1> = local {4}\n    %61: i64 = const 0\n    %62: u32 = load %60, %61\n    "
                               "store.u32 %1, %46, %25, %62\n    store.u32 %60, %61, %29\n    continue")));
}

TEST(Sweep, WhatIsNoneStaysRight) {
  const std::string plain = strided("i64", "u64", 1);
  const auto args = rows_of<std::int64_t>({70, 5, 80, 90}, 32, 1);
  for (const char* shown : {"%21", "%8"})
    check(replaced(plain, "%30: u32 = cast %24", fmt::format("%30: u32 = cast {}", shown)), line(4, 32), args,
          {true, whole_rows});
}

}  // namespace
}  // namespace krait::test
