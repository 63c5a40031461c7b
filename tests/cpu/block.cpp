// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of a block share: positions, shared arrays, barriers, atomics and warps, in blocks of several shapes.
#include <bit>

#include <fmt/core.h>

#include "fixture.h"
#include "passes/passes.h"

namespace krait::test {
namespace {

std::vector<std::int32_t> numbers(std::size_t n) {
  std::vector<std::int32_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::int32_t((i * 2654435761u) >> 9) % 1000 - 300;
  return v;
}
std::vector<float> reals(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = float(int(i * 37 % 101) - 50) * 0.125f;
  return v;
}

const std::array<std::int64_t, 3> shapes[] = {{64, 1, 1}, {50, 1, 1}, {16, 4, 1}, {8, 3, 2}, {5, 7, 1}, {100, 2, 1}};

TEST(CpuBlock, Positions) {
  for (auto& shape : shapes)
    check(R"(kernel @f fp(strict) (%0: view<i32, 1>) {
  %1: i64 = thread_idx {0}
  %2: i64 = thread_idx {1}
  %3: i64 = thread_idx {2}
  %4: i64 = block_dim {0}
  %5: i64 = block_dim {1}
  %6: i64 = mul %3, %5
  %7: i64 = add %6, %2
  %8: i64 = mul %7, %4
  %9: i64 = add %8, %1
  %10: i64 = block_dim {2}
  %11: i64 = mul %4, %5
  %12: i64 = mul %11, %10
  %13: i64 = block_idx {0}
  %14: i64 = block_idx {1}
  %15: i64 = grid_dim {0}
  %16: i64 = mul %14, %15
  %17: i64 = add %16, %13
  %18: i64 = mul %17, %12
  %19: i64 = add %18, %9
  %20: i64 = global_id {1}
  %21: i64 = const 1000
  %22: i64 = mul %20, %21
  %23: i64 = global_id {0}
  %24: i64 = add %22, %23
  %25: i32 = cast %24
  store.i32 %0, %19, %25
  return
}
)",
          grid({2, 2, 1}, shape), {array(std::vector<std::int32_t>(std::size_t(4 * shape[0] * shape[1] * shape[2]), -1))});
}

// Without x and barriers: rows of the grid, through as many blocks as there are.
constexpr const char* places_in_rows = R"(kernel @f fp(strict) FACTS(%0: view<i32, 1>) {
  %1: i64 = thread_idx {1}
  %2: i64 = thread_idx {2}
  %3: i64 = block_idx {1}
  %4: i64 = block_idx {2}
  %5: i64 = const 7
  %6: i64 = mul %1, %5
  %7: i64 = add %6, %2
  %8: i64 = mul %7, %5
  %9: i64 = add %8, %3
  %10: i64 = mul %9, %5
  %11: i64 = add %10, %4
  %12: i64 = global_id {1}
  %13: i64 = global_id {2}
  %14: i64 = global_size {1}
  %15: i64 = mul %13, %14
  %16: i64 = add %15, %12
  %17: i64 = global_size {0}
  %18: i64 = mul %16, %17
  %19: i64 = global_id {0}
  %20: i64 = add %18, %19
  %21: i32 = cast %11
  store.i32 %0, %20, %21
  return
}
)";
std::string with_facts(std::string kernel, const char* facts) { return kernel.replace(kernel.find("FACTS"), 5, facts); }

TEST(CpuBlock, PlacesAlongYAndZ) {
  for (auto& shape : shapes)
    check(with_facts(places_in_rows, ""), grid({3, 2, 2}, shape),
          {array(std::vector<std::int32_t>(std::size_t(12 * shape[0] * shape[1] * shape[2]), -1))});
}

// A block that is narrower than a vector costs no gathers and scatters where threads do not meet.
TEST(CpuBlock, RowsOfNarrowBlocksAreWholeVectors) {
  ir::ParseResult parsed =
      ir::parse("kir 1\n" + with_facts(places_in_rows, "facts(contiguous, small, disjoint, whole_bricks(1, 32), warp(32)) "));
  ASSERT_EQ(parsed.error, "");
  ASSERT_EQ(passes::run_pipeline(parsed.module, {support::TargetKind::Cpu}), "");
  for (const std::string& target : targets()) {
    const Compiled code = compile(ir::print(parsed.module), target, "llvm");
    ASSERT_EQ(code.status, 0) << code.log;
    EXPECT_EQ(code.data.find("@llvm.masked.scatter"), std::string::npos) << target << code.data;
  }
}

// A tree reduction: the values that live across the barriers are the thread's number and the distance.
const char* reduction(const char* block) {
  static std::string text;
  text = std::string("kernel @sum fp(strict) ") + block + R"( (%0: view<f32, 1, const>, %1: view<f32, 1>) {
  %2: shared<f32, 1> = shared {128}
  %3: i64 = thread_idx {0}
  %4: i64 = block_idx {0}
  %5: i64 = block_dim {0}
  %6: i64 = mul %4, %5
  %7: i64 = add %6, %3
  %8: f32 = load %0, %7
  store.f32 %2, %3, %8
  barrier
  %9: i64 = const 2
  %10: i64 = div %5, %9
  %11: i64 = const 0
  %12: i64 = loop %10 {
  ^(%13: i64):
    %14: bool = gt %13, %11
    if %14 {
      yield
    } else {
      break %13
    }
    %15: bool = lt %3, %13
    if %15 {
      %16: i64 = add %3, %13
      %17: f32 = load %2, %16
      %18: f32 = load %2, %3
      %19: f32 = add %18, %17
      store.f32 %2, %3, %19
      yield
    } else {
      yield
    }
    barrier
    %20: i64 = div %13, %9
    continue %20
  }
  %21: bool = eq %3, %11
  if %21 {
    %22: f32 = load %2, %11
    store.f32 %1, %4, %22
    yield
  } else {
    yield
  }
  return
}
)";
  return text.c_str();
}

TEST(CpuBlock, TreeReduction) {
  for (std::int64_t width : {16, 64, 128})
    check(reduction(""), line(3, width), {array(reals(std::size_t(3 * width))), array(std::vector<float>(3))});
  check(reduction("block(64, 1, 1)"), line(3, 64), {array(reals(192)), array(std::vector<float>(3))});
  check(reduction("block(128, 1, 1)"), line(3, 128), {array(reals(384)), array(std::vector<float>(3))});
}

const char* product(const char* block) {
  static std::string text;
  text = std::string("kernel @product fp(reproducible) ") + block +
         R"( (%0: view<f32, 2, const>, %1: view<f32, 2, const>, %2: view<f32, 2>) {
  %3: shared<f32, 2> = shared {8, 8}
  %4: shared<f32, 2> = shared {8, 8}
  %5: i64 = thread_idx {0}
  %6: i64 = thread_idx {1}
  %7: i64 = global_id {0}
  %8: i64 = global_id {1}
  %9: i64 = extent %0 {1}
  %10: i64 = const 8
  %11: i64 = div %9, %10
  %12: u64 = cast %11
  %13: f32 = const 0
  %14: f32 = for %12, %13 {
  ^(%15: u64, %16: f32):
    %17: i64 = cast %15
    %18: i64 = mul %17, %10
    %19: i64 = add %18, %5
    %20: f32 = load %0, %8, %19
    store.f32 %3, %6, %5, %20
    %21: i64 = add %18, %6
    %22: f32 = load %1, %21, %7
    store.f32 %4, %6, %5, %22
    barrier
    %23: u64 = const 8
    %24: f32 = for %23, %16 {
    ^(%25: u64, %26: f32):
      %27: i64 = cast %25
      %28: f32 = load %3, %6, %27
      %29: f32 = load %4, %27, %5
      %30: f32 = mul %28, %29
      %31: f32 = add %26, %30
      continue %31
    }
    barrier
    continue %24
  }
  store.f32 %2, %8, %7, %14
  return
}
)";
  return text.c_str();
}

TEST(CpuBlock, TiledProduct) {
  std::vector<float> a = reals(24 * 16), b = reals(16 * 32);
  for (const char* block : {"", "block(8, 8, 1)"})
    check(product(block), grid({4, 3, 1}, {8, 8, 1}),
          {array(a, {24, 16}), array(b, {16, 32}), array(std::vector<float>(24 * 32), {24, 32})});
}

TEST(CpuBlock, BarrierVotes) {
  for (auto& shape : shapes)
    check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = thread_idx {0}
  %3: i32 = load %0, %2
  %4: i32 = const 0
  %5: bool = gt %3, %4
  %6: i32 = barrier_count %5
  %7: bool = barrier_or %5
  %8: bool = barrier_and %5
  %9: i32 = cast %7
  %10: i32 = cast %8
  %11: i32 = add %6, %9
  %12: i32 = add %11, %10
  %13: i64 = thread_idx {1}
  %14: i64 = block_dim {0}
  %15: i64 = mul %13, %14
  %16: i64 = add %15, %2
  %17: i32 = add %12, %3
  store.i32 %1, %16, %17
  return
}
)",
          grid({1, 1, 1}, {shape[0], shape[1], 1}), {array(numbers(128)), array(std::vector<std::int32_t>(256))});
}

/// A branch with stores, which the gangs run, makes one value for the block: carried by a loop with a barrier, the loop's result, and
/// the result of a branch with a barrier.
TEST(CpuBlock, GangsMakeValuesOfTheBlock) {
  for (std::int64_t width : {24, 64})
    check(
        R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 2>, %2: i32) {
  %t: i64 = thread_idx {0}
  %zero: i64 = const 0
  %one: i64 = const 1
  %two: i64 = const 2
  %first: i32 = load %0, %zero
  %limit: i32 = const 40
  %trips: u32 = const 8
  %r: i32 = for %trips, %2 {
  ^(%trip: u32, %carried: i32):
    barrier
    %more: bool = lt %carried, %limit
    %next: i32 = if %more {
      store.i32 %1, %t, %zero, %carried
      %sum: i32 = add %carried, %first
      yield %sum
    } else {
      store.i32 %1, %t, %one, %carried
      yield %carried
    }
    continue %next
  }
  %odd: bool = gt %r, %limit
  %s: i32 = if %odd {
    barrier
    %last: i32 = if %odd {
      store.i32 %1, %t, %one, %first
      yield %first
    } else {
      yield %r
    }
    yield %last
  } else {
    yield %r
  }
  %u: i32 = add %s, %r
  store.i32 %1, %t, %two, %u
  return
}
)",
        line(1, width),
        {array(std::vector<std::int32_t>{7, 1}), array(std::vector<std::int32_t>(std::size_t(width) * 3), {width, 3}), scalar(3)},
        {.facts = {true, false, true, true}});
}

TEST(CpuBlock, LocalArraysAcrossBarriers) {
  for (std::int64_t width : {24, 64})
    check(R"(kernel @f fp(strict) (%0: view<i32, 1>) {
  %1: local<i32, 1> = local {5}
  %2: shared<i32, 1> = shared {64}
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  %5: i64 = const 5
  %6: i64 = rem %3, %5
  store.i32 %1, %6, %4
  store.i32 %2, %3, %4
  barrier
  %7: i64 = block_dim {0}
  %8: i64 = const 1
  %9: i64 = sub %7, %8
  %10: i64 = sub %9, %3
  %11: i32 = load %2, %10
  %12: i64 = const 2
  %13: i32 = load %1, %12
  %14: i32 = load %1, %6
  %15: i32 = add %13, %14
  %16: i32 = mul %15, %11
  store.i32 %0, %3, %16
  return
}
)",
          line(1, width), {array(std::vector<std::int32_t>(std::size_t(width)))});
}

TEST(CpuBlock, DynamicSharedArrays) {
  ir::Launch launch = line(2, 40);
  check(R"(kernel @f fp(strict) (%0: view<i32, 1>) {
  %a: i64 = block_dim {0}
  %1: shared<i32, 1> = shared %a {0}
  %b: i64 = const 3
  %c: i64 = add %a, %b
  %2: shared<i32, 1> = shared %c {0}
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  %5: i32 = const 7
  %6: i32 = mul %4, %5
  store.i32 %1, %3, %4
  store.i32 %2, %3, %6
  barrier
  %7: i64 = extent %1 {0}
  %8: i64 = const 1
  %9: i64 = sub %7, %8
  %10: i64 = sub %9, %3
  %11: i32 = load %1, %10
  %12: i32 = load %2, %10
  %13: i32 = sub %12, %11
  %14: i64 = global_id {0}
  store.i32 %0, %14, %13
  return
}
)",
        launch, {array(std::vector<std::int32_t>(80))});
}

TEST(CpuBlock, AtomicsOfIntegers) {
  for (const char* op : {"add", "min", "max", "and", "or", "xor"})
    check(std::string("kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {\n  %2: i64 = extent %0 {0}\n  "
                      "grid_stride %2 {\n  ^(%3: i64):\n") +
              "    %4: i32 = load %0, %3\n    %5: i64 = const 7\n    %6: i64 = rem %3, %5\n    %7: i32 = atomic_" + op +
              " %1, %6, %4\n    %8: i64 = const 8\n    %9: i32 = atomic_" + op + " %1, %8, %4\n    continue\n  }\n  return\n}\n",
          line(1, 32), {array(numbers(100)), array(std::vector<std::int32_t>(9, 77))});
}

TEST(CpuBlock, AtomicsOfFloats) {
  for (const char* op : {"add", "min", "max", "exchange"})
    check(std::string("kernel @f fp(strict) (%0: view<f32, 1, const>, %1: view<f32, 1>) {\n  %2: i64 = global_id {0}\n  %3: f32 "
                      "= load %0, %2\n") +
              "  %4: i64 = const 3\n  %5: i64 = div %2, %4\n  %6: f32 = atomic_" + op + " %1, %5, %3\n  return\n}\n",
          line(1, 24), {array(reals(24)), array(std::vector<float>(8, 1.5f))});
}

TEST(CpuBlock, OldValuesOfAtomics) {
  check(R"(kernel @f fp(strict) (%0: view<i32, 1>, %1: view<i32, 1>) {
  %2: i64 = global_id {0}
  %3: i64 = const 0
  %4: i32 = const 1
  %5: i32 = atomic_add %0, %3, %4
  store.i32 %1, %2, %5
  %6: i64 = const 1
  %7: i32 = cast %2
  %8: i32 = const 5
  %9: i32 = atomic_cas %0, %6, %8, %7
  return
}
)",
        line(1, 24), {array(std::vector<std::int32_t>{0, 5}), array(std::vector<std::int32_t>(24))});
}

TEST(CpuBlock, WarpVotesAndShuffles) {
  for (auto& shape : {shapes[0], shapes[1], shapes[3]})
    check(R"(kernel @f fp(strict) (%0: view<i32, 1, const>, %1: view<u64, 1>, %2: view<i32, 1>) {
  %3: i64 = thread_idx {0}
  %4: i64 = thread_idx {1}
  %5: i64 = thread_idx {2}
  %6: i64 = block_dim {0}
  %7: i64 = block_dim {1}
  %8: i64 = mul %5, %7
  %9: i64 = add %8, %4
  %10: i64 = mul %9, %6
  %11: i64 = add %10, %3
  %12: i32 = load %0, %11
  %13: i32 = const 100
  %14: bool = gt %12, %13
  %15: u64 = ballot %14
  %16: i32 = lane_id
  %17: i32 = const 5
  %18: i32 = add %16, %17
  %19: i32 = shuffle %12, %18
  %20: bool = warp_any %14
  %21: bool = warp_all %14
  %22: i32 = cast %20
  %23: i32 = cast %21
  %24: i32 = const 1000
  %25: i32 = mul %22, %24
  %26: i32 = mul %23, %24
  %27: i32 = mul %26, %24
  %28: i32 = add %25, %27
  %29: i32 = add %28, %19
  if %14 {
    %30: u64 = ballot %14
    %31: u64 = add %30, %15
    store.u64 %1, %11, %31
    yield
  } else {
    %32: i32 = const 0
    %33: i32 = shuffle %12, %32
    %34: u64 = cast %33
    store.u64 %1, %11, %34
    yield
  }
  store.i32 %2, %11, %29
  return
}
)",
          grid({1, 1, 1}, shape),
          {array(numbers(256)), array(std::vector<std::uint64_t>(256)), array(std::vector<std::int32_t>(256))});
}

// What is below and above a gang's bits in the thread's place: known for each lane, and equal in the gang.
TEST(CpuBlock, PartsOfThePlaceInARow) {
  for (const char* type : {"i32", "i64", "u32"})
    for (const int size : {2, 8, 16, 32, 64, 24}) {
      std::string text = "kernel @f fp(strict) (%out: view<i64, 2>) {\n %t: i64 = thread_idx {0}\n %g: i64 = global_id {0}\n";
      text += fmt::format(" %p: {0} = cast %t\n %size: {0} = const {1}\n %low: {0} = const {2}\n %bits: {0} = const {3}\n", type,
                          size, size - 1, std::bit_width(unsigned(size)) - 1);
      text += fmt::format(
          " %a: {0} = rem %p, %size\n %b: {0} = div %p, %size\n %c: {0} = and %p, %low\n %d: {0} = shr %p, %bits\n", type);
      int row = 0;
      for (const char* v : {"a", "b", "c", "d"})
        text += fmt::format(" %r{0}: i64 = const {0}\n %v{0}: i64 = cast %{1}\n store.i64 %out, %r{0}, %g, %v{0}\n", row++, v);
      // A condition that is equal in the gang.
      text += fmt::format(
          " %one: {0} = const 1\n %first: bool = eq %b, %one\n if %first {{\n %r: i64 = const 4\n store.i64 %out, %r, %g, %g\n "
          "yield\n }} else {{\n yield\n }}\n return\n}}\n",
          type);
      for (const std::int64_t block : {32, 64, 100, 24})
        check(text, line(2, block), {array(std::vector<std::int64_t>(std::size_t(10 * block)), {5, 2 * block})});
    }
}

// Lanes that are known when the kernel is compiled, out of one, two and all parts of the warp.
TEST(CpuBlock, ShufflesOfKnownLanes) {
  for (const char* type : {"i32", "f64", "bool", "u8"}) {
    std::string text = fmt::format(
        "kernel @f fp(strict) (%x: view<{0}, 1, const>, %out: view<{0}, 2>) {{\n %g: i64 = global_id {{0}}\n %i: i32 = lane_id\n "
        "%v: {0} = load %x, %g\n"
        " %l31: i32 = const 31\n %l8: i32 = const 8\n %odd: i32 = const 7\n",
        type);
    text +=
        " %s0: i32 = add %i, %l31\n %s1: i32 = xor %i, %l8\n %s2: i32 = mul %i, %odd\n %s3: i32 = sub %l31, %i\n %s4: i32 = div "
        "%i, %l8\n %s5: i32 = and %i, %l8\n";
    text += " %two: i32 = const 2\n %half: i32 = rem %i, %two\n %zero: i32 = const 0\n %even: bool = eq %half, %zero\n";
    int row = 0;
    const auto shuffle = [&](const std::string& from) {
      text += fmt::format(" %y{0}: {1} = shuffle %v, {2}\n %r{0}: i64 = const {0}\n store.{1} %out, %r{0}, %g, %y{0}\n", row,
                          type, from);
      ++row;
    };
    for (const char* from : {"%s0", "%s1", "%s2", "%s3", "%s4", "%s5", "%l8"}) shuffle(from);
    text += " if %even {\n";
    shuffle("%i"), shuffle("%zero");  // of active lanes
    text += fmt::format(" %ahead: i32 = add %i, %two\n");
    shuffle("%ahead");
    text += " yield\n } else {\n yield\n }\n return\n}\n";
    const std::size_t n = 64;
    std::vector<std::int64_t> extents = {row, std::int64_t(n)};
    const std::string_view t = type;
    if (t == "i32") check(text, line(2, 32), {array(numbers(n)), array(std::vector<std::int32_t>(n * row), extents)});
    if (t == "f64") check(text, line(2, 32), {array(std::vector<double>(n, 0.25)), array(std::vector<double>(n * row), extents)});
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = std::uint8_t(t == "bool" ? i % 3 == 0 : i * 5);
    if (t == "u8") check(text, line(2, 32), {array(bytes), array(std::vector<std::uint8_t>(n * row), extents)});
  }
}

// A block that is one gang may have more lanes than a word has bits.
TEST(CpuBlock, MaskedAtomicsOfWideGangs) {
  for (const std::int64_t block : {16, 64, 128, 256})
    check(fmt::format(R"(kernel @f fp(strict) block({0}, 1, 1) (%0: view<i32, 1, const>, %1: view<i32, 1>) {{
  %bins: shared<i32, 1> = shared {{16}}
  %t: i64 = thread_idx {{0}}
  %g: i64 = global_id {{0}}
  %zero: i32 = const 0
  %c16: i64 = const 16
  %own: i64 = rem %t, %c16
  store.i32 %bins, %own, %zero
  barrier
  %x: i32 = load %0, %g
  %some: bool = gt %x, %zero
  if %some {{
    %c7: i64 = const 7
    %m: i64 = mul %t, %c7
    %bin: i64 = rem %m, %c16
    %o: i32 = atomic_add %bins, %bin, %x
    yield
  }} else {{
    yield
  }}
  barrier
  %sum: i32 = load %bins, %own
  store.i32 %1, %g, %sum
  return
}}
)",
                      block),
          line(2, block), {array(numbers(std::size_t(2 * block))), array(std::vector<std::int32_t>(std::size_t(2 * block)))});
}

// Large functions do in loops what others do in straight code.
TEST(CpuBlock, LanesInLoops) {
  for (const char* type : {"i32", "i64", "f32", "u8"}) {
    const bool atomics = std::string_view(type) != "u8";
    std::string text = fmt::format(
        "kernel @f fp(strict) (%x: view<i32, 1, const>, %out: view<{0}, 2>, %places: view<{0}, 1>) {{\n %g: i64 = global_id "
        "{{0}}\n %t: i64 = thread_idx {{0}}\n"
        " %own: shared<{0}, 1> = shared {{32}}\n %n: i32 = load %x, %g\n %v: {0} = cast %n\n %c3: i64 = const 3\n %c7: i64 = "
        "const 7\n %c8: i64 = const 8\n"
        " %c9: i64 = const 9\n %r0: i64 = const 0\n %r1: i64 = const 1\n %r2: i64 = const 2\n %r4: i64 = const 4\n %c16: i64 = "
        "const 16\n %fifty: i32 = const 50\n %some: bool = gt %n, %fifty\n",
        type);
    // Filling: a chain of operations that stays.
    text += " %f0: i32 = add %n, %n\n";
    for (int i = 1; i <= 700; ++i) text += fmt::format(" %f{}: i32 = {} %f{}, %n\n", i, i % 2 ? "xor" : "add", i - 1);
    text += fmt::format(
        " %kept: {0} = cast %f700\n %in: i64 = mul %t, %c3\n %s24: i64 = const 24\n %sc: i64 = rem %in, %s24\n store.{0} %out, "
        "%r0, %g, %kept\n",
        type);
    text += fmt::format(
        " %z: {0} = const 0\n %c32: i64 = const 32\n %place: i64 = rem %t, %c32\n store.{0} %own, %place, %z\n barrier\n", type);
    text += fmt::format(" store.{0} %own, %sc, %v\n", type);  // scattered, the last wins
    text += fmt::format(
        " if %some {{\n %m: i64 = rem %t, %c7\n %at: i64 = add %m, %s24\n store.{0} %own, %at, %v\n store.{0} %places, %r2, %v\n "
        "yield\n }} else {{\n yield\n }}\n",
        type);
    text += fmt::format(" barrier\n %back: {0} = load %own, %place\n store.{0} %out, %r1, %g, %back\n barrier\n", type);
    if (atomics) {
      text += fmt::format(
          " %bin: i64 = rem %t, %c8\n %o1: {0} = atomic_add %own, %bin, %v\n %o2: {0} = atomic_max %places, %c9, %v\n store.{0} "
          "%out, %r2, %g, %o1\n",
          type);
      text += fmt::format(
          " if %some {{\n %bin2: i64 = add %bin, %c16\n %o3: {0} = atomic_add %own, %bin2, %v\n %o4: {0} = atomic_exchange %own, "
          "%c9, %v\n %o5: {0} = add %o3, %o4\n store.{0} %out, %c3, %g, %o5\n yield\n }} else {{\n yield\n }}\n",
          type);
      text += fmt::format(" barrier\n %end: {0} = load %own, %place\n store.{0} %out, %r4, %g, %end\n", type);
    }
    text += " return\n}\n";
    for (const std::int64_t block : {32, 64, 40}) {
      const std::size_t n = std::size_t(block);
      const auto run = [&]<class T>(T) {
        check(text, line(1, block), {array(numbers(n)), array(std::vector<T>(5 * n), {5, block}), array(std::vector<T>(10))});
      };
      if (std::string_view(type) == "i32") run(std::int32_t());
      if (std::string_view(type) == "i64") run(std::int64_t());
      if (std::string_view(type) == "f32") run(float());
      if (std::string_view(type) == "u8") run(std::uint8_t());
    }
  }
}

}  // namespace
}  // namespace krait::test
