// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays, atomics, barriers and warps on a Vulkan device.
#include <gtest/gtest.h>

#include <numeric>

#include <fmt/core.h>

#include "harness.h"

namespace krait::test {
namespace {

class VulkanMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!device()) GTEST_SKIP() << why_no_device();
  }
};

template <class T>
std::vector<T> counting(std::size_t n, T first = T(0)) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

TEST_F(VulkanMemory, SharedTileIsTransposed) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @transpose fp(native) facts(contiguous) flat block(16, 16, 1) (%0: view<f32, 2, const>, %1: view<f32, 2>) {
  %2: shared<f32, 2> = shared {16, 17}
  %3: i64 = thread_idx {0}
  %4: i64 = thread_idx {1}
  %5: i64 = global_id {0}
  %6: i64 = global_id {1}
  %7: i64 = extent %0 {1}
  %8: i64 = mul %6, %7
  %9: i64 = add %8, %5
  %10: f32 = load %0, %9
  %11: i64 = const 17
  %12: i64 = mul %4, %11
  %13: i64 = add %12, %3
  store.f32 %2, %13, %10
  barrier
  %14: i64 = mul %3, %11
  %15: i64 = add %14, %4
  %16: f32 = load %2, %15
  %17: i64 = const 16
  %18: i64 = block_idx {1}
  %19: i64 = mul %18, %17
  %20: i64 = add %19, %3
  %21: i64 = block_idx {0}
  %22: i64 = mul %21, %17
  %23: i64 = add %22, %4
  %24: i64 = extent %1 {1}
  %25: i64 = mul %23, %24
  %26: i64 = add %25, %20
  store.f32 %1, %26, %16
  return
}
)");
  expect_as_interpreted(m, {{3, 2, 1}, {16, 16, 1}},
                        {array(counting<float>(32 * 48), {32, 48}), array(std::vector<float>(48 * 32), {48, 32})});
}

TEST_F(VulkanMemory, DynamicSharedArraysAreDisjoint) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @dynamic fp(native) facts(contiguous) flat (%0: view<i64, 1>) {
  %a: i64 = block_dim {0}
  %b: i64 = const 5
  %c: i64 = add %a, %b
  %1: shared<i32, 1> = shared %c {0}
  %2: shared<f64, 2> = shared %a {0, 2}
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  store.i32 %1, %3, %4
  %5: f64 = cast %3
  %6: i64 = const 2
  %7: i64 = mul %3, %6
  store.f64 %2, %7, %5
  barrier
  %8: i64 = const 63
  %9: i64 = sub %8, %3
  %10: i32 = load %1, %9
  %11: i64 = mul %9, %6
  %12: f64 = load %2, %11
  %13: i64 = cast %10
  %14: i64 = cast %12
  %15: i64 = extent %1 {0}
  %16: i64 = extent %2 {0}
  %17: i64 = mul %13, %14
  %18: i64 = mul %15, %16
  %19: i64 = add %17, %18
  %20: i64 = global_id {0}
  store.i64 %0, %20, %19
  return
}
)");
  expect_as_interpreted(m, {{2, 1, 1}, {64, 1, 1}}, {array(std::vector<std::int64_t>(128))});
}

TEST_F(VulkanMemory, LocalArraysStartAtZeroAgain) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @local fp(native) facts(contiguous) flat (%0: view<i32, 1>, %1: view<bool, 1>) {
  %2: i64 = global_id {0}
  %3: u32 = const 3
  %4: i32 = const 0
  %5: i32 = for %3, %4 {
  ^(%6: u32, %7: i32):
    %8: local<i32, 1> = local {5}
    %9: local<bool, 1> = local {5}
    %10: i64 = const 5
    %11: i64 = rem %2, %10
    %12: i32 = load %8, %11
    %13: bool = load %9, %11
    %14: i32 = cast %13
    %15: i32 = add %12, %14
    %16: i32 = const 7
    store.i32 %8, %11, %16
    %17: bool = const true
    store.bool %9, %11, %17
    %18: i32 = load %8, %11
    %19: i32 = add %15, %18
    %20: i32 = add %7, %19
    continue %20
  }
  store.i32 %0, %2, %5
  %21: bool = load %1, %2
  %22: bool = not %21
  store.bool %1, %2, %22
  return
}
)");
  std::vector<std::uint8_t> flags(64);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = i % 3 == 0;
  expect_as_interpreted(m, {{1, 1, 1}, {64, 1, 1}}, {array(std::vector<std::int32_t>(64)), array(flags)});
}

TEST_F(VulkanMemory, AggregatesInAllSpaces) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @aggregates fp(native) facts(contiguous) flat (%0: view<bytes(24), 1>) {
  %1: shared<bytes(24), 1> = shared {32}
  %2: local<bytes(24), 1> = local {2}
  %3: i64 = thread_idx {0}
  %4: f64 = load %0, %3 {8}
  %5: i32 = load %0, %3
  %6: i16 = load %0, %3 {4}
  %7: u8 = load %0, %3 {6}
  %8: bool = load %0, %3 {7}
  store.f64 %1, %3, %4 {8}
  store.i32 %1, %3, %5
  store.i16 %1, %3, %6 {4}
  store.u8 %1, %3, %7 {6}
  store.bool %1, %3, %8 {7}
  barrier
  %9: i64 = const 31
  %10: i64 = sub %9, %3
  %11: f64 = load %1, %10 {8}
  %12: i16 = load %1, %10 {4}
  %13: bool = load %1, %10 {7}
  %14: i64 = const 1
  store.f64 %2, %14, %11
  store.i16 %2, %14, %12 {8}
  store.bool %2, %14, %13 {16}
  %15: f64 = load %2, %14
  %16: i16 = load %2, %14 {8}
  %17: bool = load %2, %14 {16}
  store.f64 %0, %3, %15 {16}
  store.i16 %0, %3, %16 {4}
  store.bool %0, %3, %17 {7}
  return
}
)");
  std::vector<std::uint8_t> bytes(24 * 32);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i % 24 == 7 ? i / 24 % 2 : std::uint8_t(i * 37 % 127);
  KernelArgument a = array(bytes);
  a.extents[0] = 32;
  expect_as_interpreted(m, {{1, 1, 1}, {32, 1, 1}}, {a});
}

TEST_F(VulkanMemory, VectorAccessesOfEveryWidth) {
  struct Row {
    const char* type;
    int lanes;
  };
  for (auto [type, lanes] : {Row{"f32", 4}, Row{"f64", 2}, Row{"i64", 2}, Row{"u16", 8}, Row{"f16", 8}, Row{"i8", 16},
                             Row{"f32", 2}, Row{"u8", 4}, Row{"i16", 4}, Row{"u8", 8}}) {
    std::string results, operands;
    for (int i = 0; i < lanes; ++i) results += fmt::format("{}%{}: {}", i ? ", " : "", 10 + i, type);
    for (int i = lanes; i-- > 0;) operands += fmt::format(", %{}", 10 + i);
    const ir::Module m = parse_kernel(fmt::format(R"(kir 1
kernel @vectors fp(native) facts(contiguous, aligned) flat (%0: view<{0}, 1, const>, %1: view<{0}, 1>) {{
  %2: i64 = global_id {{0}}
  %3: i64 = const {1}
  %4: i64 = mul %2, %3
  {2} = load_vec %0, %4
  store_vec.{0} %1, %4{3}
  return
}}
)",
                                                  type, lanes, results, operands));
    const unsigned bytes = unsigned(lanes) * ir::size_of(m.kernel().type_of(m.kernel().params()[0]).scalar);
    KernelArgument in = array(counting<std::uint8_t>(bytes * 32)), out = array(std::vector<std::uint8_t>(bytes * 32));
    in.extents[0] = out.extents[0] = lanes * 32;
    expect_as_interpreted(m, {{1, 1, 1}, {32, 1, 1}}, {in, out});
  }
}

/// Every atomic on one cell from all threads, and on cells of their own for the old values.
void atomics(const char* type, bool floats, bool shared) {
  std::string body;
  int id = 20, row = 0;
  auto add = [&](const std::string& op, const std::string& values) {
    body += fmt::format(
        "  %{0}: i64 = const {1}\n  %{2}: i64 = add %5, %{0}\n  %{3}: {4} = {5} {6}, %{2}, {7}\n  store.{4} %1, %{2}, %{3}\n", id,
        row++ * 64, id + 1, id + 2, type, op, shared ? "%2" : "%0", values);
    id += 3;
  };
  for (const char* op : {"atomic_add", "atomic_min", "atomic_max", "atomic_exchange"}) add(op, "%6");
  if (!floats)
    for (const char* op : {"atomic_and", "atomic_or", "atomic_xor"}) add(op, "%6");
  add("atomic_cas", "%7, %6");
  const int rows = row;
  // One contended cell: integers give one sum in every order.
  std::string contended = floats ? ""
                                 : fmt::format("  %{0}: i64 = const {1}\n  %{2}: {3} = atomic_add {4}, %{0}, %6\n", id, rows * 64,
                                               id + 1, type, shared ? "%2" : "%0");
  std::string fill, drain;
  if (shared) {
    fill = fmt::format(
        "  %8: u32 = const {0}\n  for %8 {{\n  ^(%9: u32):\n    %10: i64 = cast %9\n    %11: i64 = const 64\n    %12: i64 = mul "
        "%10, %11\n    %13: i64 = add %12, %5\n    %14: {1} = load %0, %13\n    store.{1} %2, %13, %14\n    continue\n  }}\n  "
        "barrier\n",
        rows + 1, type);
    drain = fmt::format(
        "  barrier\n  %{2}: u32 = const {0}\n  for %{2} {{\n  ^(%{3}: u32):\n    %{4}: i64 = cast %{3}\n    %{5}: i64 = const "
        "64\n    %{6}: i64 = mul %{4}, %{5}\n    %{7}: i64 = add %{6}, %5\n    %{8}: {1} = load %2, %{7}\n    store.{1} %0, "
        "%{7}, %{8}\n    continue\n  }}\n",
        rows + 1, type, id + 2, id + 3, id + 4, id + 5, id + 6, id + 7, id + 8);
  }
  const ir::Module m = parse_kernel(fmt::format(R"(kir 1
kernel @atomics fp(strict) facts(contiguous) flat (%0: view<{0}, 1>, %1: view<{0}, 1>) {{
  %2: shared<{0}, 1> = shared {{{1}}}
  %5: i64 = thread_idx {{0}}
  %6: {0} = cast %5
  %7: {0} = const {2}
{3}{4}{5}{6}  return
}}
)",
                                                type, (rows + 1) * 64, floats ? "0x1.8p+1" : "3", fill, body, contended, drain));
  KernelArgument cells = array(std::vector<std::uint8_t>(std::size_t(rows + 1) * 64 * ir::size_of(m.kernel().type_of(0).scalar)));
  for (std::size_t i = 0; i < cells.data.size(); ++i) cells.data[i] = std::byte(i % 16 == 0 ? 3 : i % 4 == 2 ? i / 4 % 100 : 0);
  cells.extents[0] = (rows + 1) * 64;
  KernelArgument old = cells;
  expect_as_interpreted(m, {{1, 1, 1}, {64, 1, 1}}, {cells, old});
}

TEST_F(VulkanMemory, AtomicsOfEveryTypeInViews) {
  for (const char* type : {"i32", "u32", "i64", "u64"}) atomics(type, false, false);
  for (const char* type : {"f32", "f64"}) atomics(type, true, false);
}
TEST_F(VulkanMemory, AtomicsOfEveryTypeInSharedMemory) {
  for (const char* type : {"i32", "u32", "i64", "u64"}) atomics(type, false, true);
  for (const char* type : {"f32", "f64"}) atomics(type, true, true);
}

/// lavapipe makes a barrier of the block of every ordered atomic and fence (feature joins): threads that make fewer trips than
/// others would end the block, and what others store behind the loop would be lost.
TEST_F(VulkanMemory, OrderedAtomicsAndFencesInLoopsOfDifferentLengths) {
  for (const char* body : {"%9: i32 = atomic_add.acq_rel %0, %2, %4", "%9: i32 = atomic_load.acquire %0, %2",
                           "%9: i32 = atomic_add.release.block %3, %2, %4", "fence {1}\n    %9: i32 = const 0"}) {
    const ir::Module m = parse_kernel(fmt::format(R"(kir 1
kernel @ordered fp(native) facts(contiguous) flat (%0: view<i32, 1>, %1: view<i32, 1>) {{
  %3: shared<i32, 1> = shared {{4}}
  %2: i64 = const 0
  %4: i32 = const 1
  %5: i64 = thread_idx {{0}}
  %6: u32 = cast %5
  for %6 {{
  ^(%8: u32):
    {}
    continue
  }}
  barrier
  %10: i64 = global_id {{0}}
  %11: i32 = cast %5
  store.i32 %1, %10, %11
  return
}}
)",
                                                  body));
    expect_as_interpreted(m, {{2, 1, 1}, {64, 1, 1}},
                          {array(std::vector<std::int32_t>(4)), array(std::vector<std::int32_t>(128))});
  }
}

TEST_F(VulkanMemory, BarriersCountAndVote) {
  // A small launch counts threads in 32 bits.
  for (const char* facts : {"contiguous", "contiguous, small"}) {
    const ir::Module m =
        parse_kernel(fmt::format("kir 1\nkernel @votes fp(native) facts({}){}", facts, R"( flat (%0: view<i32, 1>) {
  %1: i64 = thread_idx {0}
  %2: i64 = block_idx {0}
  %3: i64 = const 5
  %4: i64 = add %2, %3
  %5: i64 = rem %1, %4
  %6: i64 = const 0
  %7: bool = eq %5, %6
  %8: i32 = barrier_count %7
  %9: bool = barrier_and %7
  %10: bool = barrier_or %7
  %11: bool = ge %1, %6
  %12: bool = barrier_and %11
  %13: bool = lt %1, %6
  %14: bool = barrier_or %13
  %15: i32 = cast %9
  %16: i32 = cast %10
  %17: i32 = cast %12
  %18: i32 = cast %14
  %19: i32 = const 10
  %20: i32 = mul %8, %19
  %21: i32 = add %20, %15
  %22: i32 = mul %21, %19
  %23: i32 = add %22, %16
  %24: i32 = mul %23, %19
  %25: i32 = add %24, %17
  %26: i32 = mul %25, %19
  %27: i32 = add %26, %18
  %28: i64 = global_id {0}
  store.i32 %0, %28, %27
  return
}
)"));
    expect_as_interpreted(m, {{4, 1, 1}, {96, 1, 1}}, {array(std::vector<std::int32_t>(4 * 96))});
  }
}

TEST_F(VulkanMemory, WarpsVoteAndShuffle) {
  for (const char* type : {"i32", "f32", "u64", "f64", "i16", "u8", "f16"}) {
    const ir::Module m = parse_kernel(fmt::format(R"(kir 1
kernel @warps fp(native) facts(contiguous) flat (%0: view<{0}, 1>, %1: view<u64, 1>) {{
  %2: i64 = global_id {{0}}
  %3: {0} = load %0, %2
  %4: i32 = lane_id
  %5: i32 = const 3
  %6: i32 = add %4, %5
  %7: {0} = shuffle %3, %6
  store.{0} %0, %2, %7
  %8: i32 = const 1
  %9: i32 = and %4, %8
  %10: i32 = const 0
  %11: bool = eq %9, %10
  %12: u64 = ballot %11
  %13: bool = warp_any %11
  %14: bool = warp_all %11
  warp_sync
  %15: bool = shuffle %11, %8
  %16: u64 = cast %13
  %17: u64 = cast %14
  %18: u64 = cast %15
  %19: u64 = const 16
  %20: u64 = shl %12, %19
  %21: u64 = const 4
  %22: u64 = mul %17, %21
  %23: u64 = add %16, %22
  %24: u64 = const 2
  %25: u64 = mul %18, %24
  %26: u64 = add %23, %25
  %27: i32 = warp_size
  %28: u64 = cast %27
  %29: u64 = const 8
  %30: u64 = mul %28, %29
  %31: u64 = or %20, %26
  %32: u64 = or %31, %30
  store.u64 %1, %2, %32
  return
}}
)",
                                                  type));
    KernelArgument values = array(counting<std::uint8_t>(128 * ir::size_of(m.kernel().type_of(0).scalar)));
    values.extents[0] = 128;
    expect_as_interpreted(m, {{2, 1, 1}, {64, 1, 1}}, {values, array(std::vector<std::uint64_t>(128))});
  }
}

}  // namespace
}  // namespace krait::test
