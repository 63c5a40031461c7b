// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses: strided ones, aggregates, bytes that hold bools, several elements at once.
#include <fmt/core.h>

#include "fixture.h"

namespace krait::test {
namespace {

std::vector<std::int32_t> numbers(std::size_t n) {
  std::vector<std::int32_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::int32_t((i * 2654435761u) >> 9) % 1000 - 300;
  return v;
}

TEST(CpuMemory, BoolsAreBytes) {
  std::vector<std::uint8_t> in(70);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::uint8_t(i % 3 == 0);
  Arg bools = array(in), out = array(std::vector<std::uint8_t>(70));
  bools.type = out.type = ir::Scalar::Bool;
  check(R"(kernel @f fp(strict) (%0: view<bool, 1, const>, %1: view<bool, 1>) {
  %2: i64 = extent %0 {0}
  grid_stride %2 {
  ^(%3: i64):
    %4: bool = load %0, %3
    %5: bool = not %4
    store.bool %1, %3, %5
    continue
  }
  return
}
)",
        line(1, 32), {bools, out});
}

TEST(CpuMemory, AMaskedLoadStaysBeforeTheStoreBehindIt) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1>, %1: view<i32, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = extent %0 {0}
  %4: bool = lt %2, %3
  %5: i32 = cast %2
  %6: i32 = const 0
  %7: i32 = if %4 {
    %8: i32 = load %0, %2
    store.i32 %0, %2, %6
    yield %8
  } else {
    yield %5
  }
  store.i32 %1, %2, %7
  return
}
)",
        line(2, 32), {array(numbers(50)), array(std::vector<std::int32_t>(64))});
}

// The mask of the gang is known: it has the block's one thread, and what lies behind the last element is not the kernel's.
TEST(CpuMemory, ANarrowStoreOfOneThreadOfABlock) {
  check(R"(kernel @f fp(strict) facts(contiguous, aligned, disjoint, bricks(1, 1)) (%0: view<i32, 1, const>, %1: view<i16, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = thread_idx {0}
  %4: i64 = warp_reduce %2 {4}
  %5: i64 = const 7
  %6: i64 = and %3, %5
  %7: i64 = add %4, %6
  %8: i32 = load %0, %7
  %9: i16 = cast %8
  store.i16 %1, %2, %9
  return
}
)",
        line(40, 1), {array(numbers(50)), array(std::vector<std::int16_t>(64, 7))});
}

// Between barriers, in a loop of its own: a small array, and one that is too large for the stack.
TEST(CpuMemory, LocalArraysWithinASegment) {
  for (const int extent : {3, 2000})
    check(fmt::format(R"(kernel @f fp(strict) block(64, 1, 1) (%0: view<i32, 1>) {{
  %2: i64 = global_id {{0}}
  %3: shared<i32, 1> = shared {{64}}
  %4: i32 = load %0, %2
  store.i32 %3, %2, %4
  barrier
  %5: u32 = const 3
  %6: u32 = cast %4
  %7: u32 = rem %6, %5
  %8: i32 = const 0
  %9: i32 = for %7, %8 {{
  ^(%10: u32, %11: i32):
    %12: local<i32, 1> = local {{{}}}
    %13: i32 = load %12, %10
    store.i32 %12, %10, %4
    %14: i32 = load %12, %7
    %15: i32 = add %11, %13
    %16: i32 = add %15, %14
    %17: i32 = load %12, %10
    %18: i32 = add %16, %17
    continue %18
  }}
  barrier
  store.i32 %0, %2, %9
  return
}}
)",
                      extent),
          line(1, 64), {array(numbers(64))});
}

TEST(CpuMemory, StridesAndReversal) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = extent %1 {0}
  grid_stride %2 {
  ^(%3: i64):
    %4: i64 = const 3
    %5: i64 = mul %3, %4
    %6: i32 = load %0, %5
    %7: i64 = const 1
    %8: i64 = sub %2, %7
    %9: i64 = sub %8, %3
    %10: i32 = load %0, %9
    %11: i32 = sub %6, %10
    store.i32 %1, %9, %11
    continue
  }
  return
}
)",
        line(1, 32), {array(numbers(300)), array(std::vector<std::int32_t>(100))});
}

TEST(CpuMemory, Transposed) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 2, const>, %1: view<i32, 2>) {
  %2: i64 = global_id {0}
  %3: i64 = global_id {1}
  %4: i64 = extent %1 {0}
  %5: i64 = extent %1 {1}
  %6: bool = lt %2, %5
  %7: bool = lt %3, %4
  %8: bool = and %6, %7
  if %8 {
    %9: i32 = load %0, %2, %3
    store.i32 %1, %3, %2, %9
    yield
  }
  return
}
)",
        grid({3, 5, 1}, {16, 4, 1}), {array(numbers(40 * 18), {40, 18}), array(std::vector<std::int32_t>(18 * 40), {18, 40})});
}

TEST(CpuMemory, SmallTypes) {
  std::vector<std::int8_t> bytes(90);
  std::vector<std::uint16_t> words(90);
  for (std::size_t i = 0; i < 90; ++i) bytes[i] = std::int8_t(i * 7), words[i] = std::uint16_t(i * 999);
  check(R"(kernel @f fp(strict) (%0: view<i8, 1, const>, %1: view<u16, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = extent %0 {0}
  %4: bool = lt %2, %3
  if %4 {
    %5: i8 = load %0, %2
    %6: i8 = const 0
    %7: bool = gt %5, %6
    if %7 {
      %8: u16 = cast %5
      %9: u16 = load %1, %2
      %10: u16 = add %8, %9
      store.u16 %1, %2, %10
      yield
    }
    yield
  }
  return
}
)",
        line(3, 40), {array(bytes), array(words)});
}

// Lanes that are not active have indices far outside, of every size of element that a processor gathers or does not.
TEST(CpuMemory, ScatteredUnderAMask) {
  for (const char* type : {"u8", "u16", "i32", "f32", "f64"}) {
    SCOPED_TRACE(type);
    std::vector<std::int32_t> order(90);
    for (int i = 0; i < 90; ++i) order[std::size_t(i)] = i % 3 ? i * 37 % 90 : i * 1'000'003 - 40'000'000;
    const auto arrays = [&](auto zero) -> std::vector<Arg> {
      using T = decltype(zero);
      std::vector<T> from(90), to(90, T(7));
      for (std::size_t i = 0; i < 90; ++i) from[i] = T(i * 5 % 100);
      return {array(order), array(from), array(to)};
    };
    const std::string t = type;
    const std::string text =
        fmt::format(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<{0}, 1, const>, %2: view<{0}, 1>) {{
  %3: i64 = extent %2 {{0}}
  grid_stride %3 {{
  ^(%4: i64):
    %5: i32 = load %0, %4
    %6: i32 = const 0
    %7: i32 = const 90
    %8: bool = ge %5, %6
    %9: bool = lt %5, %7
    %10: bool = and %8, %9
    if %10 {{
      %11: {0} = load %1, %5
      %12: {0} = add %11, %11
      store.{0} %2, %5, %12
      yield
    }}
    continue
  }}
  return
}}
)",
                    t);
    check(text, line(2, 24),
          t == "u8"    ? arrays(std::uint8_t())
          : t == "u16" ? arrays(std::uint16_t())
          : t == "i32" ? arrays(std::int32_t())
          : t == "f32" ? arrays(float())
                       : arrays(double()));
  }
}

}  // namespace
}  // namespace krait::test
