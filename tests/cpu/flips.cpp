// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges with the thread whose place has some bits flipped: within a gang, beyond it and both, in shared and in global arrays, of every
// size of element, by all threads and by some.
#include <fmt/core.h>

#include "fixture.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

/// A step of a sorting network among threads of a block, then an exchange through the arrays, among those below the count.
std::string exchange(const char* type, unsigned flip, const char* compare = "gt") {
  return fmt::format(R"(kernel @f fp(strict) (%0: view<{0}, 1, const>, %1: view<{0}, 1>, %2: view<{0}, 1>) {{
  %3: shared<{0}, 1> = shared {{256}}
  %4: i64 = thread_idx {{0}}
  %5: i32 = cast %4
  %6: i64 = global_id {{0}}
  %7: i64 = extent %0 {{0}}
  %8: {0} = load %0, %6
  store.{0} %3, %5, %8
  barrier
  %10: i32 = const {1}
  %11: i32 = xor %5, %10
  %12: i64 = block_dim {{0}}
  %13: i32 = cast %12
  %14: bool = {2} %11, %5
  %15: bool = lt %11, %13
  %16: bool = and %14, %15
  if %16 {{
    %20: {0} = load %3, %5
    %21: {0} = load %3, %11
    %22: bool = gt %20, %21
    if %22 {{
      store.{0} %3, %5, %21
      store.{0} %3, %11, %20
      yield
    }}
    yield
  }}
  barrier
  %30: {0} = load %3, %5
  store.{0} %1, %6, %30
  %31: i64 = const {1}
  %32: i64 = xor %6, %31
  %33: bool = lt %32, %7
  if %33 {{
    %34: {0} = load %0, %32
    %35: {0} = add %34, %8
    store.{0} %2, %32, %35
    yield
  }}
  return
}}
)",
                     type, flip, compare);
}

constexpr ir::Facts whole_rows{.contiguous = true, .aligned = false, .small = true, .disjoint = true, .whole_rows = true};

template <class T>
void check_type(const char* type, std::initializer_list<unsigned> flips) {
  for (const unsigned flip : flips)
    for (const std::int64_t threads : {32, 64, 256, 40}) {
      SCOPED_TRACE(fmt::format("{}, {} flipped, {} threads", type, flip, threads));
      std::vector<T> x(std::size_t(3 * threads));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = T((i * 2654435761u >> 7) % 251);
      const std::vector<T> none(x.size(), T(3));
      check(exchange(type, flip), line(3, threads), {array(x), array(none), array(none)},
            {true, threads % 32 == 0 ? whole_rows : ir::Facts{true, false, true, true}});
    }
}

TEST(CpuFlips, EveryDistance) { check_type<float>("f32", {1, 2, 3, 7, 8, 12, 15, 16, 17, 31, 32, 37, 128, 255}); }
TEST(CpuFlips, EverySize) {
  check_type<std::uint8_t>("u8", {1, 9, 16});
  check_type<std::int16_t>("i16", {2, 17});
  check_type<std::int64_t>("i64", {1, 5, 8, 24});
  check_type<double>("f64", {4, 11, 64});
}
TEST(CpuFlips, EveryComparison) {
  for (const char* compare : {"lt", "le", "gt", "ge"}) {
    std::vector<float> x(96), none(96, 3);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = float((i * 2654435761u >> 7) % 251);
    check(exchange("f32", 6, compare), line(3, 32), {array(x), array(none), array(none)}, {true, whole_rows});
  }
}

/// Whether partners are found without a gather.
TEST(CpuFlips, WithoutGathers) {
  for (const unsigned flip : {1u, 6u, 8u, 16u, 40u}) {
    ir::ParseResult parsed = ir::parse("kir 1\n" + exchange("f32", flip));
    ASSERT_EQ(parsed.error, "");
    parsed.module.kernel().facts = whole_rows;
    ASSERT_EQ(passes::run_pipeline(parsed.module, {support::TargetKind::Cpu}), "");
    for (const std::string& target : targets()) {
      if (target.ends_with("v2")) continue;
      const Compiled code = compile(ir::print(parsed.module), target, "llvm");
      ASSERT_EQ(code.status, 0) << code.log;
      EXPECT_EQ(code.data.find("masked.gather"), std::string::npos) << flip << ", " << target;
    }
  }
}

}  // namespace
}  // namespace krait::test
