// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops from a thread's place by equal steps, in every type of index: lanes of a gang make as many trips, or not quite as many.
#include <limits>
#include <type_traits>

#include <fmt/core.h>

#include "fixture.h"

namespace krait::test {
namespace {

/// for (i = from + place * each; i < bound; i += step), or downwards, as a range is recorded: a hash of the i and the number of trips to
/// out, for a block a from, bound and step.
std::string range_kernel(const char* type, const char* count, const std::string& each, bool down, const char* place,
                         const char* inside) {
  return fmt::format(
      R"(kernel @f fp(strict) (%0: view<{0}, 1, const>, %1: view<{0}, 1, const>, %2: view<{1}, 1, const>, %3: view<u32, 1>) {{
  %70: i64 = block_idx {{0}}
  %71: {0} = load %0, %70
  %72: {0} = load %1, %70
  %73: {1} = load %2, %70
  %4: i64 = {3}
  %5: {0} = cast %4
  %6: {0} = const {2}
  %7: {0} = mul %5, %6
  %8: {0} = add %71, %7
  %9: {1} = cast %8
  %10: {1} = cast %72
  %11: {1} = sub {4}
  %12: {1} = const 1
  %13: {1} = sub %11, %12
  %15: {1} = div %13, %73
  %16: {1} = add %15, %12
  %17: {1} = const 0
  %18: bool = lt {5}
  %19: {1} = select %18, %16, %17
  %20: u32 = const 7
  %21: u32, %22: u32 = for %19, %20, %20 {{
  ^(%23: {1}, %24: u32, %25: u32):
    %26: {1} = mul %23, %73
    %27: {0} = cast %26
    %28: {0} = {6} %8, %27
    %29: u32 = cast %28
    %30: u32 = const 31
    %31: u32 = mul %24, %30
    %32: u32 = add %31, %29
    %33: u32 = const 1
    %34: u32 = add %25, %33
{7}    continue %32, %34
  }}
  %60: i64 = global_id {{0}}
  %61: i64 = const 2
  %62: i64 = mul %60, %61
  store.u32 %3, %62, %21
  %63: i64 = const 1
  %64: i64 = add %62, %63
  store.u32 %3, %64, %22
  return
}}
)",
      type, count, each, place, down ? "%9, %10" : "%10, %9", down ? "%72, %8" : "%8, %72", down ? "sub" : "add", inside);
}

template <class T>
struct Cases {
  std::vector<T> from, bound;
  std::vector<std::make_unsigned_t<T>> step;
  void add(T first, T end, std::make_unsigned_t<T> by) { from.push_back(first), bound.push_back(end), step.push_back(by); }
};

template <class T>
void check_cases(const char* type, const char* count, const Cases<T>& cases, int each, bool down, const char* inside = "") {
  SCOPED_TRACE(fmt::format("{}, {} a thread{}", type, each, down ? ", down" : ""));
  constexpr std::int64_t threads = 72;
  const ir::Launch launch = line(std::int64_t(cases.from.size()), threads);
  const std::vector<Arg> args{array(down ? cases.bound : cases.from), array(down ? cases.from : cases.bound), array(cases.step),
                              array(std::vector<std::uint32_t>(2 * threads * cases.from.size()))};
  check(range_kernel(type, count, fmt::format("{}", T(each)), down, "thread_idx {0}", inside), launch, args);
}

template <class T>
void check_type(const char* type, const char* count) {
  using U = std::make_unsigned_t<T>;
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  constexpr unsigned bits = sizeof(T) * 8;
  Cases<T> plain, far;
  for (U step : {U(1), U(3), U(32), U(64), U(100), U(1000)}) {
    for (T bound : {T(5), T(6), T(40), T(205), T(389)}) plain.add(5, bound, step);
    plain.add(100, 40, step);  // behind the end
    plain.add(most - 300, most, step);
    plain.add(least, least + 300, step);
  }
  // Some threads' starts begin again at the other end of the type.
  for (U step : {U(U(1) << (bits - 4)), U(U(1) << (bits - 1)), U(~U(0))}) {
    far.add(most - 20, most, step);
    far.add(most - 40, most - 10, step);
    far.add(least + 20, most, step);
    far.add(least, most, step);
    far.add(U(1) << (bits - 1), 0, step);
  }
  far.add(5, 300, 0);
  for (bool down : {false, true}) {
    for (int each : {0, 1, 3}) check_cases(type, count, plain, each, down);
    for (int each : {1, -1, 40}) check_cases(type, count, far, each, down);
  }
}

TEST(CpuTrips, I32) { check_type<std::int32_t>("i32", "u32"); }
TEST(CpuTrips, U32) { check_type<std::uint32_t>("u32", "u32"); }
TEST(CpuTrips, I64) { check_type<std::int64_t>("i64", "u64"); }
TEST(CpuTrips, U64) { check_type<std::uint64_t>("u64", "u64"); }

/// As where the passes know that a range has few trips: their number is cut to 32 bits, also where it has more.
TEST(CpuTrips, CountsOfFewerBits) {
  constexpr std::int64_t threads = 72;
  for (const std::int64_t each : {std::int64_t(1), std::int64_t(3), std::int64_t(1) << 32, (std::int64_t(1) << 32) - 1}) {
    SCOPED_TRACE(each);
    Cases<std::int64_t> cases;
    for (const std::uint64_t step : {1u, 32u, 100u})
      for (const std::int64_t bound : {0, 40, 389}) cases.add(5, bound, step);
    if (each > 3) cases.add(5, 5 + each * threads + 300, 1);  // of the number 300 trips are left, or 300 and some by thread
    std::string text = range_kernel("i64", "u64", std::to_string(each), false, "thread_idx {0}", "");
    const auto put = [&](const char* from, const char* to) { text.replace(text.find(from), std::strlen(from), to); };
    put("%21: u32, %22: u32 = for %19,", "%74: u32 = cast %19\n  %21: u32, %22: u32 = for %74,");
    put("^(%23: u64,", "^(%75: u32,");
    put("    %26:", "    %23: u64 = cast %75\n    %26:");
    check(text, line(std::int64_t(cases.from.size()), threads),
          {array(cases.from), array(cases.bound), array(cases.step),
           array(std::vector<std::uint32_t>(2 * threads * cases.from.size()))});
  }
}

TEST(CpuTrips, BreakAndContinue) {
  const char* leaves = R"(    %40: u32 = const 13
    %41: u32 = rem %32, %40
    %42: u32 = const 3
    %43: bool = eq %41, %42
    if %43 {
      break %32, %34
    } else {
      yield
    }
)";
  const char* skips = R"(    %40: u32 = const 13
    %41: u32 = rem %32, %40
    %42: u32 = const 3
    %43: bool = lt %41, %42
    if %43 {
      continue %34, %32
    } else {
      yield
    }
)";
  const char* parts = R"(    %40: u32 = const 13
    %41: u32 = rem %32, %40
    %42: u32 = const 3
    %43: bool = lt %41, %42
    if %43 {
      %44: i64 = global_id {0}
      %45: i64 = const 2
      %46: i64 = mul %44, %45
      store.u32 %3, %46, %32
      yield
    } else {
      yield
    }
)";
  Cases<std::int64_t> cases;
  for (std::int64_t bound : {0, 40, 200, 389, 1000})
    for (std::uint64_t step : {1, 32, 100}) cases.add(3, bound, step);
  for (const char* inside : {leaves, skips, parts}) check_cases("i64", "u64", cases, 1, false, inside);
}

/// By steps of the block's size, whose two directions are told apart at run time.
TEST(CpuTrips, StepsOfABlock) {
  for (std::int32_t n : {-5, 0, 40, 96, 200, 1000})
    for (std::int64_t threads : {1, 48, 64, 96})
      check(R"(kernel @f fp(strict) (%0: i32, %1: view<u32, 1>) {
  %2: i64 = block_dim {0}
  %3: i32 = cast %2
  %4: i32 = const 0
  %5: bool = gt %3, %4
  %6: i64 = thread_idx {0}
  %7: i32 = cast %6
  %8: bool = lt %7, %0
  %9: u32 = cast %0
  %10: u32 = cast %7
  %11: u32 = sub %9, %10
  %12: u32 = const 1
  %13: u32 = sub %11, %12
  %14: i32 = abs %3
  %15: u32 = cast %14
  %16: u32 = div %13, %15
  %17: u32 = add %16, %12
  %18: u32 = const 0
  %19: u32 = select %8, %17, %18
  %20: bool = lt %3, %4
  %21: bool = lt %0, %7
  %22: u32 = sub %10, %9
  %23: u32 = div %22, %15
  %24: u32 = select %21, %23, %18
  %25: u32 = select %20, %24, %18
  %26: u32 = select %5, %19, %25
  %27: u32 = for %26, %10 {
  ^(%28: u32, %29: u32):
    %30: u32 = const 7
    %31: u32 = mul %29, %30
    %32: u32 = add %31, %28
    continue %32
  }
  %33: i64 = global_id {0}
  store.u32 %1, %33, %27
  return
}
)",
            line(2, threads), {scalar(n), array(std::vector<std::uint32_t>(192))});
}

/// Rows of a triangle, and a loop within a loop.
TEST(CpuTrips, Nested) {
  for (std::int32_t n : {0, 1, 20, 70})
    check(R"(kernel @f fp(strict) (%0: i32, %1: view<u32, 1>) {
  %2: i64 = global_id {0}
  %3: i32 = cast %2
  %4: i32 = add %3, %0
  %5: u32 = cast %4
  %6: u32 = const 1
  %7: u32 = for %5, %6 {
  ^(%8: u32, %9: u32):
    %10: u32 = cast %2
    %11: u32 = add %8, %10
    %12: u32 = const 37
    %13: u32 = div %11, %12
    %14: u32 = for %13, %9 {
    ^(%15: u32, %16: u32):
      %17: u32 = const 5
      %18: u32 = mul %16, %17
      %19: u32 = add %18, %15
      continue %19
    }
    %20: u32 = add %14, %8
    continue %20
  }
  store.u32 %1, %2, %7
  return
}
)",
          line(2, 48), {scalar(n), array(std::vector<std::uint32_t>(96))});
}

/// Pieces between barriers: the number of trips is made in one and used in another.
TEST(CpuTrips, Barriers) {
  for (std::int64_t n : {0, 40, 192, 1000})
    for (std::uint64_t step : {32, 96})
      check(R"(kernel @f fp(strict) (%0: i64, %1: u64, %2: view<u32, 1>) {
  %3: shared<u32, 1> = shared {96}
  %4: i64 = thread_idx {0}
  %5: u64 = cast %0
  %6: u64 = cast %4
  %7: u64 = sub %5, %6
  %8: u64 = const 1
  %9: u64 = sub %7, %8
  %10: u64 = div %9, %1
  %11: u64 = add %10, %8
  %12: u64 = const 0
  %13: bool = lt %4, %0
  %14: u64 = select %13, %11, %12
  %15: u32 = const 1
  %16: u32 = for %14, %15 {
  ^(%17: u64, %18: u32):
    %19: u32 = cast %17
    %20: u32 = const 7
    %21: u32 = mul %18, %20
    %22: u32 = add %21, %19
    continue %22
  }
  store.u32 %3, %4, %16
  barrier
  %23: i64 = const 95
  %24: i64 = sub %23, %4
  %25: u32 = for %14, %16 {
  ^(%26: u64, %27: u32):
    %28: u32 = load %3, %24
    %29: u32 = add %28, %27
    continue %29
  }
  %30: i64 = global_id {0}
  store.u32 %2, %30, %25
  return
}
)",
            line(2, 96), {scalar(n), scalar(step), array(std::vector<std::uint32_t>(192))});
}

}  // namespace
}  // namespace krait::test
