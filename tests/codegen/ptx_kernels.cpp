// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as they come out of the passes: what the PTX must and must not contain.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "ir/text.h"
#include "passes/passes.h"
#include "support/plugin.h"
#include "support/ptx_blob.h"

namespace krait::test {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != text.npos; }

/// The instructions of the innermost loop: from the last label that is branched back to.
std::string last_loop(const std::string& ptx) {
  std::size_t end = ptx.rfind("bra \t$L__BB");
  std::size_t label = ptx.find("$L", end);
  std::string name = ptx.substr(label, ptx.find(';', label) - label);
  std::size_t start = ptx.find("\n" + name + ":");
  return start < end ? ptx.substr(start, end - start) : std::string();
}

constexpr const char* saxpy = R"(kir 1
kernel @saxpy fp(native) facts(contiguous, aligned, small, disjoint) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %1, %4
    %6: f32 = mul %0, %5
    %7: f32 = load %2, %4
    %8: f32 = add %6, %7
    store.f32 %2, %4, %8
    continue
  }
  return
}
)";

TEST(PtxKernels, SaxpyLoopIsMinimal) {
  std::string ptx = check_ptx(saxpy);
  std::string loop = last_loop(ptx);
  EXPECT_TRUE(contains(loop, "ld.global.nc.b32")) << ptx;
  EXPECT_FALSE(contains(loop, "ld.param")) << ptx;
  EXPECT_TRUE(contains(loop, "mul.rn.f32") && contains(loop, "add.rn.f32")) << "must not be open to contraction\n" << ptx;
  EXPECT_TRUE(contains(loop, "setp.lt.u32")) << "the trip test has 32 bits\n" << ptx;
}

TEST(PtxKernels, OverlappingViewsAreNotReadOnly) {
  std::string text = saxpy;
  text.replace(text.find(", disjoint"), 10, "");
  EXPECT_FALSE(contains(check_ptx(text), "ld.global.nc"));
}

TEST(PtxKernels, VectorAccessesMoveSixteenBytes) {
  std::string ptx = check_ptx(R"(kir 1
kernel @wide fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<f32, 1, const>, %1: view<f32, 1>) {
  %4: i64 = extent %1 {0}
  %5: i64 = const 4
  %6: i64 = div %4, %5
  grid_stride %6 {
  ^(%7: i64):
    %8: i64 = mul %7, %5
    %9: i32 = cast %8
    %10: f32, %11: f32, %12: f32, %13: f32 = load_vec %0, %9
    %14: f32, %15: f32, %16: f32, %17: f32 = load_vec %1, %9
    %18: f32 = add %10, %14
    %19: f32 = add %11, %15
    %20: f32 = add %12, %16
    %21: f32 = add %13, %17
    store_vec.f32 %1, %9, %18, %19, %20, %21
    continue
  }
  return
}
)");
  EXPECT_TRUE(contains(ptx, "ld.global.nc.v4.b32")) << ptx;
  EXPECT_TRUE(contains(ptx, "st.global.v4.b32")) << ptx;
}

TEST(PtxKernels, StreamingAccessesAreWrittenSo) {
  std::string ptx = check_ptx(R"(kir 1
kernel @hints fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<f32, 1, const>, %1: view<f32, 1>, %2: view<i8, 1>, %3: view<f16, 1>, %4: view<f64, 1>, %5: view<bool, 1>) {
  %6: shared<f32, 1> = shared {64}
  %7: i64 = thread_idx {0}
  %8: i32 = const 3
  %9: i64 = shl %7, %8
  %10: f32, %11: f32, %12: f32, %13: f32 = load_vec.streaming %0, %9
  store_vec.streaming.f32 %1, %9, %11, %10, %13, %12
  %14: i8 = load.streaming %2, %7
  store.streaming.i8 %2, %9, %14
  %15: f16 = load.streaming %3, %7
  store.streaming.f16 %3, %9, %15
  %16: f16, %17: f16, %18: f16, %19: f16, %20: f16, %21: f16, %22: f16, %23: f16 = load_vec.streaming %3, %9
  store_vec.streaming.f16 %3, %9, %23, %22, %21, %20, %19, %18, %17, %16
  %24: f64 = load.streaming %4, %7
  store.streaming.f64 %4, %9, %24
  %25: f64, %26: f64 = load_vec.streaming %4, %9
  store_vec.streaming.f64 %4, %9, %26, %25
  %27: bool = load.streaming %5, %7
  store.streaming.bool %5, %9, %27
  %28: i8, %29: i8 = load_vec.streaming %2, %9
  store_vec.streaming.i8 %2, %9, %29, %28
  %30: f32 = load.streaming %0, %7
  store.streaming.f32 %6, %7, %30
  barrier
  %31: f32 = load.streaming %6, %9
  store.f32 %1, %7, %31
  return
}
)");
  for (const char* access : {".v4.b32 ", ".b8 ", ".b16 ", ".b64 ", ".v2.b64 "}) {
    EXPECT_TRUE(contains(ptx, (std::string("ld.global.cs") + access).c_str())) << access << ptx;
    EXPECT_TRUE(contains(ptx, (std::string("st.global.cs") + access).c_str())) << access << ptx;
  }
  EXPECT_TRUE(contains(ptx, "ld.global.cs.b32 ") && contains(ptx, "st.shared.b32") && contains(ptx, "st.global.b32")) << ptx;
}

TEST(PtxKernels, VectorsMoveSixteenBytes) {
  ir::Module m = ir::parse(R"(kir 1
kernel @vectors fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<bytes(16), 1, const>, %1: view<bytes(16), 1>) {
  %2: shared<bytes(16), 1> = shared {64}
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  %5: f32 = load %0, %4
  %6: f32 = load %0, %4 {4}
  %7: f32 = load %0, %4 {8}
  %8: f32 = load %0, %4 {12}
  store.f32 %2, %4, %6
  store.f32 %2, %4, %5 {4}
  store.f32 %2, %4, %8 {8}
  store.f32 %2, %4, %7 {12}
  barrier
  %9: i32 = const 63
  %10: i32 = sub %9, %4
  %11: f32 = load %2, %10
  %12: f32 = load %2, %10 {4}
  %13: f32 = load %2, %10 {8}
  %14: f32 = load %2, %10 {12}
  store.f32 %1, %4, %11
  store.f32 %1, %4, %12 {4}
  store.f32 %1, %4, %13 {8}
  store.f32 %1, %4, %14 {12}
  return
}
)")
                     .module;
  passes::combine_accesses(m, true);
  const std::string ptx = check_ptx(ir::print(m));
  EXPECT_TRUE(contains(ptx, "ld.global.nc.v4.b32") && !contains(ptx, "ld.global.nc.b32")) << ptx;
  EXPECT_TRUE(contains(ptx, "st.shared.v4.b32") && contains(ptx, "ld.shared.v4.b32")) << ptx;
  EXPECT_TRUE(contains(ptx, "st.global.v4.b32") && !contains(ptx, "st.global.b32")) << ptx;
}

TEST(PtxKernels, AggregatesByValueStayParameters) {
  std::string ptx = check_ptx(R"(kir 1
kernel @table fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: u8, %1: argument<bytes(2048), 1, const>, %2: view<f32, 1>) {
  %3: i64 = thread_idx {0}
  %4: i32 = cast %3
  %5: f32 = load %2, %4
  %6: i32 = cast %5
  %7: i32 = const 4
  %8: i32 = mul %6, %7
  %9: f32 = load %1, %8 {8}
  %10: i32 = const 0
  %11: f64 = load %1, %10
  %12: f32 = cast %11
  %13: f32 = add %9, %12
  %14: f32 = cast %0
  %15: f32 = add %13, %14
  store.f32 %2, %4, %15
  return
}
)");
  EXPECT_TRUE(contains(ptx, ".param .align 16 .b8 krait_table_param_1[2048]")) << ptx;
  EXPECT_TRUE(contains(ptx, "ld.param.b32") && contains(ptx, "ld.param.b64")) << ptx;
}

constexpr const char* mandelbrot = R"(kir 1
kernel @mandelbrot fp(reproducible) facts(contiguous, aligned, small, disjoint) (%0: view<i32, 2>, %1: i32) {
  %2: i64 = global_id {0}
  %3: i64 = global_id {1}
  %4: i64 = extent %0 {0}
  %5: i64 = extent %0 {1}
  %6: bool = lt %3, %4
  %7: bool = lt %2, %5
  %8: bool = and %6, %7
  if %8 {
    %9: f32 = cast %2
    %10: f32 = cast %3
    %11: f32 = const 0x1p-8
    %12: f32 = const -0x1p+1
    %13: f32 = fma %9, %11, %12
    %14: f32 = fma %10, %11, %12
    %15: f32 = const 0x0p+0
    %16: i32 = const 0
    %17: i32 = const 1
    %18: f32 = const 0x1p+2
    %19: f32, %20: f32, %21: i32 = loop %15, %15, %16 {
    ^(%22: f32, %23: f32, %24: i32):
      %25: f32 = mul %23, %23
      %26: f32 = fma %22, %22, %25
      %27: bool = lt %24, %1
      %28: bool = lt %26, %18
      %29: bool = and %27, %28
      if %29 {
        yield
      } else {
        break %22, %23, %24
      }
      %30: f32 = neg %25
      %31: f32 = fma %22, %22, %30
      %32: f32 = add %31, %13
      %33: f32 = mul %22, %23
      %34: f32 = add %33, %33
      %35: f32 = add %34, %14
      %36: i32 = add %24, %17
      continue %32, %35, %36
    }
    store.i32 %0, %3, %2, %21
    yield
  }
  return
}
)";

TEST(PtxKernels, MandelbrotFusesOnlyWhatTheIrFuses) {
  std::string ptx = check_ptx(mandelbrot), loop = last_loop(ptx);
  std::size_t fused = 0;
  for (std::size_t at = loop.find("fma.rn.f32"); at != loop.npos; at = loop.find("fma.rn.f32", at + 1)) ++fused;
  EXPECT_EQ(fused, 2u) << ptx;
  EXPECT_FALSE(contains(loop, "\tmul.f32") || contains(loop, "\tadd.f32") || contains(loop, "\tsub.f32")) << ptx;
}

TEST(PtxKernels, EarlyReturnSwitchAndNestedLoops) {
  check_ptx(R"(kir 1
kernel @flow fp(strict) (%0: view<i32, 1>, %1: u32) {
  %2: i64 = global_id {0}
  %3: i64 = extent %0 {0}
  %4: bool = ge %2, %3
  if %4 {
    return
  }
  %5: i32 = load %0, %2
  %6: i32 = switch %5 {
  case 1: {
    %7: i32 = const 10
    yield %7
  }
  case -5: {
    return
  }
  default: {
    yield %5
  }
  }
  %8: i32 = for %1, %6 {
  ^(%9: u32, %10: i32):
    %11: u64 = cast %9
    %12: i32 = for %11, %10 {
    ^(%13: u64, %14: i32):
      %15: i32 = cast %13
      %16: bool = eq %15, %14
      if %16 {
        break %15
      }
      %17: i32 = add %14, %15
      continue %17
    }
    %18: i32 = const 100
    %19: bool = gt %12, %18
    if %19 {
      continue %18
    }
    continue %12
  }
  store.i32 %0, %2, %8
  return
}
)");
}

TEST(PtxKernels, StridedAccessWithoutFacts) {
  std::string ptx = check_ptx(R"(kir 1
kernel @strided fp(strict) (%0: view<f64, 3, const>, %1: view<bool, 2>, %2: view<bytes(24), 1>) {
  %3: i64 = thread_idx {0}
  %4: i64 = thread_idx {1}
  %5: i64 = block_idx {0}
  %6: f64 = load %0, %5, %4, %3
  %7: f32 = load %2, %3 {8}
  %8: f64 = cast %7
  %9: bool = lt %6, %8
  store.bool %1, %4, %3, %9
  store.f32 %2, %3, %7 {20}
  return
}
)");
  EXPECT_TRUE(contains(ptx, "+20]")) << ptx;
}

TEST(PtxKernels, SharedMemoryAndBarriers) {
  std::string ptx = check_ptx(R"(kir 1
kernel @reduce fp(strict) facts(contiguous) block(64, 2, 1) (%0: view<i32, 1>, %1: view<bool, 1>) {
  %2: shared<i32, 2> = shared {2, 65}
  %0x: i64 = extent %0 {0}
  %3: shared<f32, 1> = shared %0x {0}
  %4: i64 = thread_idx {0}
  %5: i64 = thread_idx {1}
  %6: i32 = load %0, %4
  store.i32 %2, %5, %4, %6
  barrier
  %7: i64 = const 63
  %8: i64 = sub %7, %4
  %9: i32 = load %2, %5, %8
  %10: i64 = extent %3 {0}
  %11: bool = lt %4, %10
  if %11 {
    %12: f32 = cast %9
    store.f32 %3, %4, %12
    yield
  }
  %13: bool = lt %9, %6
  %14: i32 = barrier_count %13
  %15: bool = barrier_and %13
  %16: bool = barrier_or %13
  %17: bool = xor %15, %16
  fence {0}
  fence {1}
  fence {2}
  store.i32 %0, %4, %14
  store.bool %1, %4, %17
  return
}
)");
  EXPECT_TRUE(contains(ptx, ".reqntid 64, 2")) << ptx;
  EXPECT_TRUE(contains(ptx, ".extern .shared .align 16 .b8 krait_shared_segment[]")) << ptx;
  for (const char* part : {"bar.sync", "barrier.red.popc", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"})
    EXPECT_TRUE(contains(ptx, part) || (part == std::string("barrier.red.popc") && contains(ptx, "bar.red.popc")) ||
                (part == std::string("bar.sync") && contains(ptx, "barrier.sync")))
        << part << "\n"
        << ptx;
}

TEST(PtxKernels, WarpOperations) {
  std::string ptx = check_ptx(R"(kir 1
kernel @warp fp(strict) facts(contiguous) (%0: view<f64, 1>, %1: view<u64, 1>, %2: view<u8, 1>, %3: view<f16, 1>) {
  %4: i64 = global_id {0}
  %5: i32 = lane_id
  %6: i32 = const 1
  %7: i32 = xor %5, %6
  %8: f64 = load %0, %4
  %9: f64 = shuffle %8, %7
  store.f64 %0, %4, %9
  %10: u8 = load %2, %4
  %11: u8 = shuffle %10, %7
  store.u8 %2, %4, %11
  %12: f16 = load %3, %4
  %13: f16 = shuffle %12, %7
  store.f16 %3, %4, %13
  %14: bool = gt %9, %8
  %15: u64 = ballot %14
  %16: bool = warp_any %14
  %17: bool = warp_all %14
  %18: bool = shuffle %14, %7
  %19: bool = xor %16, %17
  %20: bool = and %19, %18
  warp_sync
  if %20 {
    %21: u64 = ballot %16
    store.u64 %1, %4, %21
    yield
  } else {
    store.u64 %1, %4, %15
    yield
  }
  return
}
)");
  EXPECT_FALSE(contains(ptx, "activemask")) << "the lanes of the if are put to the vote\n" << ptx;
  EXPECT_TRUE(contains(ptx, "shfl.sync.bfly.b32")) << ptx;
}

// As warp.h records them: a lane at a known distance takes no arithmetic, any other is computed.
TEST(PtxKernels, ShufflesAtAKnownDistance) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @shuffles fp(strict) facts(contiguous) (%0: view<i32, 1>, %1: i32) {
  %2: i64 = global_id {0}
  %3: i32 = load %0, %2
  %4: i32 = lane_id
  %5: i32 = const 3
  %6: i32 = add %4, %5
  %7: i32 = const 32
  %8: bool = ge %6, %7
  %9: i32 = select %8, %4, %6
  %10: i32 = shuffle %3, %9
  %11: i32 = const -5
  %12: i32 = add %4, %11
  %13: i32 = const 0
  %14: bool = lt %12, %13
  %15: i32 = select %14, %4, %12
  %16: i32 = shuffle %10, %15
  %17: i32 = const 6
  %18: i32 = xor %4, %17
  %19: i32 = shuffle %16, %18
  %20: i32 = add %4, %1
  %21: i32 = shuffle %19, %20
  store.i32 %0, %2, %21
  return
}
)");
  for (const char* part : {"shfl.sync.down.b32", "shfl.sync.up.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32"})
    EXPECT_TRUE(contains(ptx, part)) << part << "\n" << ptx;
  for (const char* part : {", 3, 31, ", ", 5, 0, ", ", 6, 31, "}) EXPECT_TRUE(contains(ptx, part)) << part << "\n" << ptx;
}

// Bytes are widened where they are loaded: in 16 bits, which the hardware lacks, their difference would be a maximum less a minimum.
TEST(PtxKernels, DistancesOfBytes) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @distances fp(strict) facts(contiguous) (%0: view<u8, 1>, %1: view<i32, 1>) {
  %2: i64 = global_id {0}
  %3: u8 = load %0, %2
  %4: i32 = cast %3
  %5: i64 = const 1
  %6: i64 = add %2, %5
  %7: u8 = load %0, %6
  %8: i32 = cast %7
  %9: i32 = sub %4, %8
  %10: i32 = abs %9
  store.i32 %1, %2, %10
  return
}
)");
  EXPECT_TRUE(contains(ptx, "sad.s32")) << ptx;
}

TEST(PtxKernels, LocalArraysAreClearedByWholeWords) {
  for (const int extent : {3, 65, 1001}) {
    const std::string ptx = check_ptx(
        "kir 1\nkernel @cleared fp(strict) facts(contiguous) (%0: view<u8, 1>, %1: i64) {\n  %2: local<u8, 1> = local {" +
            std::to_string(extent) + "}\n  %3: u8 = load %2, %1\n  store.u8 %0, %1, %3\n  return\n}\n",
        true);
    EXPECT_EQ(contains(ptx, "st.local.v"), extent > 3) << ptx;
    EXPECT_EQ(contains(ptx, "bra"), extent == 1001) << ptx;
  }
}

// What parts a warp need not bring it together again before the next operation: only naming the lanes does.
TEST(PtxKernels, WarpOperationsNameTheLanesThatComeThere) {
  std::string text = R"(kir 1
kernel @sum fp(strict) facts(contiguous) (%0: view<i32, 1>, %1: u32) {
  %2: i64 = global_id {0}
  %3: i32 = load %0, %2
  %4: i32 = lane_id
  %5: i32 = for %1, %3 {
  ^(%6: u32, %7: i32):
    %8: i32 = cast %6
    %9: i32 = xor %4, %8
    %10: i32 = shuffle %7, %9
    %11: i32 = add %7, %10
    continue %11
  }
  store.i32 %0, %2, %5
  return
}
)";
  std::string ptx = check_ptx(text);
  EXPECT_TRUE(contains(ptx, ", 31, -1;") && !contains(ptx, "vote.sync.ballot")) << "all of them\n" << ptx;
  text.replace(text.find("for %1,"), 7, "for %44,");
  text.insert(text.find("  %5: i32 = for"), "  %44: u32 = cast %3\n");
  ptx = check_ptx(text);
  EXPECT_TRUE(contains(ptx, "vote.sync.ballot") && !contains(ptx, ", 31, -1;")) << "the count differs from thread to thread\n"
                                                                                << ptx;
  EXPECT_FALSE(contains(ptx, "activemask")) << ptx;
  text.insert(text.find("    %8: i32"), R"(    %20: bool = gt %7, %4
    if %20 {
      %21: i32 = const 7
      %22: bool = eq %7, %21
      if %22 {
        break %7
      }
      yield
    } else {
      yield
    }
)");
  EXPECT_TRUE(contains(check_ptx(text), "activemask")) << "those who break are not known to the other side";
}

// ptxas takes neg.s16 and abs.s16 of the least number for +32768.
TEST(PtxKernels, SignsOf16BitsChangeIn32) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @signs fp(strict) facts(contiguous) (%0: view<i16, 1>) {
  %1: i64 = global_id {0}
  %2: i16 = load %0, %1
  %3: i16 = neg %2
  %4: i16 = abs %2
  %5: i32 = cast %3
  %6: i32 = cast %4
  %7: i32 = mul %5, %6
  %9: i32 = const 16
  %10: i32 = shr %7, %9
  %11: i16 = cast %10
  store.i16 %0, %1, %11
  return
}
)");
  EXPECT_TRUE(contains(ptx, "neg.s32") && contains(ptx, "abs.s32")) << ptx;
  EXPECT_FALSE(contains(ptx, "neg.s16") || contains(ptx, "abs.s16")) << ptx;
}

// ptxas turns `add.f32 %r; st.b8 [p], %r` into a conversion from float to integer.
TEST(PtxKernels, NarrowStoresOfFloatBitsGoThroughAMove) {
  std::string ptx = check_ptx(R"(kir 1
kernel @narrow fp(strict) facts(contiguous) (%0: view<u8, 1>, %1: f32) {
  %2: i64 = global_id {0}
  %3: f32 = add %1, %1
  %4: u32 = bitcast %3
  %5: u32 = const 256
  %6: u32 = add %4, %5
  %7: u8 = cast %6
  store.u8 %0, %2, %7
  return
}
)");
  std::size_t store = ptx.find("st.global.b8"), reg = ptx.find("%r", ptx.find(']', store));
  std::string name = ptx.substr(reg, ptx.find(';', reg) - reg);
  EXPECT_TRUE(contains(ptx, ("mov.b32 " + name + ", ").c_str())) << ptx;
}

// Checked accesses, a line and a check, as the passes leave them for PTX: the golden file has the text.
TEST(PtxKernels, ReportsAssemble) {
  std::ifstream file(KRAIT_GOLDEN_DIR "/reports_ptx.kir");
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  const std::size_t output = golden.find("; ----\n");
  ASSERT_NE(output, golden.npos);
  const std::string ptx = check_ptx(golden.substr(output));
  for (const char* access : {"atom.global.add.u32", "st.global.b32"}) EXPECT_TRUE(contains(ptx, access)) << access << "\n" << ptx;
}

TEST(PtxKernels, WarpReductionsAndMatches) {
  std::string text = R"(kir 1
kernel @warp fp(strict) facts(contiguous) (%0: view<i32, 1>, %1: view<u64, 1>, %2: view<i16, 1>) {
  %3: i64 = global_id {0}
  %4: i32 = load %0, %3
  %5: i32 = warp_reduce %4 {0}
  %6: i32 = warp_reduce %5 {1}
  %7: i32 = warp_reduce %6 {5}
  store.i32 %0, %3, %7
  %8: u64 = load %1, %3
  %9: u64 = match_any %8
  %10: u64 = match_any %7
  %11: u64 = and %9, %10
  store.u64 %1, %3, %11
  %12: i16 = load %2, %3
  %13: i16 = warp_reduce %12 {2}
  store.i16 %2, %3, %13
  return
}
)";
  for (const auto& [sm, target] : {std::pair{80u, "ptx sm=80 isa=70"}, {90u, "ptx sm=90 isa=80"}, {100u, "ptx sm=100 isa=86"}}) {
    Compiled ptx = compile(text, target);
    ASSERT_EQ(ptx.status, 0) << ptx.log;
    for (const char* instruction : {"redux.sync.add.s32", "redux.sync.min.s32", "redux.sync.xor.b32", "match.any.sync.b64"})
      EXPECT_TRUE(contains(ptx.data, instruction)) << instruction << "\n" << ptx.data;
    Assembled code = assemble(ptx.data, sm);
    if (!code.found) GTEST_SKIP() << "no ptxas: nothing assembled";
    EXPECT_EQ(code.status, 0) << code.log << ptx.data;
  }
}

// As kr::rotl writes it.
TEST(PtxKernels, ARotationIsOneInstruction) {
  EXPECT_TRUE(contains(check_ptx(R"(kir 1
kernel @turn fp(strict) facts(contiguous) (%0: view<u32, 1>, %1: u32) {
  %2: i64 = global_id {0}
  %3: u32 = load %0, %2
  %4: u32 = const 31
  %5: u32 = and %1, %4
  %6: u32 = const 0
  %7: u32 = sub %6, %1
  %8: u32 = and %7, %4
  %9: u32 = shl %3, %5
  %10: u32 = shr %3, %8
  %11: u32 = or %9, %10
  store.u32 %0, %2, %11
  return
}
)"),
                       "shf.l.wrap.b32"));
}

TEST(PtxKernels, BytePermuteIsOneInstruction) {
  EXPECT_TRUE(contains(check_ptx(R"(kir 1
kernel @bytes fp(strict) facts(contiguous) (%0: view<u32, 1>) {
  %1: i64 = global_id {0}
  %2: u32 = load %0, %1
  %3: u32 = const 30292
  %4: u32 = byte_permute %2, %3, %2
  store.u32 %0, %1, %4
  return
}
)"),
                       "prmt.b32"));
}

TEST(PtxKernels, MoreThan48KiBLieInTheDynamicSegment) {
  auto text = [](int elements) {
    return fmt::format(R"(kir 1
kernel @large fp(strict) facts(contiguous) (%0: view<f64, 1>, %1: i64) {{
  %2: shared<f64, 1> = shared {{{0}}}
  %3: shared<f32, 1> = shared {{100}}
  %4: shared<i32, 2> = shared %1 {{0, 3}}
  %5: shared<f64, 1> = shared %1 {{0}}
  %6: i64 = thread_idx {{0}}
  %7: f64 = load %0, %6
  store.f64 %2, %6, %7
  store.f64 %5, %6, %7
  %8: f32 = cast %7
  store.f32 %3, %6, %8
  %9: i32 = cast %7
  %10: i64 = const 2
  store.i32 %4, %6, %10, %9
  barrier
  %11: i64 = const 5
  %12: f64 = load %2, %11
  %13: f64 = load %5, %11
  %14: f32 = load %3, %11
  %15: i32 = load %4, %11, %10
  %16: f64 = cast %14
  %17: f64 = cast %15
  %18: f64 = add %12, %13
  %19: f64 = add %16, %17
  %20: f64 = add %18, %19
  store.f64 %0, %6, %20
  return
}}
)",
                       elements);
  };
  std::string large = check_ptx(text(8000));
  check_ptx(text(5000));
  EXPECT_EQ(compile(text(5000), "ptx sm=90 isa=80").envelope.fixed_shared, 0u);
  EXPECT_EQ(compile(text(8000), "ptx sm=90 isa=80").envelope.fixed_shared, 64400u);  // 8000 doubles and 100 floats
  EXPECT_FALSE(contains(large, ".shared .align 16 .b8 krait_shared[")) << large;
}

TEST(PtxKernels, TheEnvelopeTellsWhatTheLauncherNeeds) {
  const auto of = [](const char* attribute) {
    return compile(std::string("kir 1\nkernel @\"my kernel\" fp(native) facts(contiguous) flat block(64, 2, 1) ") + attribute +
                       " (%0: view<f32, 1>, %1: bool) {\n  return\n}\n",
                   "ptx sm=90 isa=80");
  };
  const Compiled wide = of("elements(4)"), narrow = of("");
  EXPECT_EQ(wide.envelope.entry, "krait_my_kernel");
  EXPECT_TRUE(contains(wide.data, ".entry krait_my_kernel(")) << wide.data;
  EXPECT_FALSE(contains(wide.data, "// krait")) << wide.data;
  EXPECT_EQ(wide.envelope.elements, 4u);
  EXPECT_EQ(wide.envelope.registers, 32u);
  support::PtxCode own;
  ASSERT_TRUE(wide.envelope.get_own(own));
  std::string held = wide.data;
  held.insert(std::size_t(own.directives), "\n.maxnreg 32");  // as the runtime does
  const Assembled assembled = assemble(held, 90);
  EXPECT_TRUE(!assembled.found || assembled.status == 0) << assembled.log << held;
  EXPECT_EQ(narrow.envelope.elements, 1u);
  EXPECT_EQ(narrow.envelope.registers, 0u);
  EXPECT_EQ(wide.envelope.block, (std::array<std::uint32_t, 3>{64, 2, 1}));
  ASSERT_EQ(wide.envelope.arguments.slots.size(), 3u);
  EXPECT_EQ(wide.envelope.arguments.size, 24u);
}

TEST(PtxKernels, LocalArraysMayUseTheStack) {
  check_ptx(R"(kir 1
kernel @local fp(strict) facts(contiguous) (%0: view<i32, 1>) {
  %1: local<i32, 2> = local {8, 8}
  %2: i64 = thread_idx {0}
  %3: i64 = const 7
  %4: i64 = and %2, %3
  %5: i32 = load %0, %2
  store.i32 %1, %4, %4, %5
  %6: i32 = load %1, %4, %3
  store.i32 %0, %2, %6
  return
}
)",
            true);
}

TEST(PtxKernels, SlotsBecomeRegisters) {
  check_ptx(R"(kir 1
kernel @slots fp(strict) facts(contiguous) (%0: view<i32, 1>) {
  %1: i64 = global_id {0}
  %2: i32 = load %0, %1
  %3: slot<i32> = slot %2
  loop {
    %4: i32 = get %3
    %5: i32 = const 1
    %6: bool = le %4, %5
    if %6 {
      break
    }
    %7: i32 = shr %4, %5
    set %3, %7
    continue
  }
  %8: i32 = get %3
  store.i32 %0, %1, %8
  return
}
)");
}

TEST(PtxKernels, FunctionsOfTheSpecialFunctionUnit) {
  std::string text = R"(kir 1
kernel @functions fp(native) facts(contiguous) (%0: view<f32, 1>) {
  %1: i64 = global_id {0}
  %2: f32 = load %0, %1
  %3: f32 = exp %2
  %4: f32 = exp2 %3
  %5: f32 = rsqrt %4
  %6: f32 = div %5, %2
  %7: f32 = sqrt %6
  store.f32 %0, %1, %7
  return
}
)";
  std::string native = check_ptx(text);
  EXPECT_TRUE(contains(native, "div.rn.f32") && contains(native, "sqrt.rn.f32")) << native;
  EXPECT_TRUE(contains(native, "rsqrt.approx.f32") && contains(native, "ex2.approx.ftz.f32")) << native;
  text.replace(text.find("native"), 6, "fast");
  std::string fast = check_ptx(text);
  EXPECT_TRUE(contains(fast, "sqrt.approx.ftz.f32") && contains(fast, "rsqrt.approx.ftz.f32")) << fast;
  EXPECT_TRUE(contains(fast, "div.full.ftz.f32") || contains(fast, "div.approx.ftz.f32")) << fast;
}

TEST(PtxKernels, ReciprocalsAndRootsThatABodyAllowsAreApproximate) {
  const std::string text = R"(kir 1
kernel @reciprocal fp(native) facts(contiguous) (%0: view<f32, 1>) {
  %1: i64 = global_id {0}
  %2: f32 = load %0, %1
  %3: f32 = const 0x1p+0
  %4: f32 = div.fast %3, %2
  %5: f32 = sqrt.fast %4
  store.f32 %0, %1, %5
  return
}
)";
  const auto replaced = [](std::string in, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = in.find(from, at)) != std::string::npos; at += to.size()) in.replace(at, from.size(), to);
    return in;
  };
  const std::string marked = check_ptx(text);
  EXPECT_TRUE(contains(marked, "rcp.approx.ftz.f32") && !contains(marked, "div.")) << marked;
  EXPECT_TRUE(contains(marked, "sqrt.approx.ftz.f32") && !contains(marked, "sqrt.rn")) << marked;
  const std::string plain = check_ptx(replaced(text, ".fast", ""));
  EXPECT_TRUE(contains(plain, "rcp.rn.f32") || contains(plain, "div.rn.f32")) << plain;
  EXPECT_TRUE(contains(plain, "sqrt.rn.f32")) << plain;
  const std::string wide = check_ptx(replaced(text, "f32", "f64"));  // the root of f64 has no such instruction
  EXPECT_TRUE(contains(wide, "rcp.approx.ftz.f64") && contains(wide, "fma.rn.f64") && !contains(wide, "div.")) << wide;
  EXPECT_TRUE(contains(wide, "sqrt.rn.f64")) << wide;
}

/// As lower_types leaves conversions of 8-bit floats for targets that have them; others refuse such a value.
TEST(PtxKernels, FloatsOfEightBitsAreConvertedByInstructions) {
  const std::string kir = R"(kir 1
kernel @float8 fp(strict) flat (%0: view<u8, 1>, %1: view<f32, 1>) {
  %2: i64 = global_id {0}
  %3: u8 = load %0, %2
  %4: f8e4m3 = bitcast %3
  %5: f32 = cast %4
  %6: f32 = load %1, %2
  %7: f32 = add %5, %6
  %8: f8e4m3 = cast_sat %7
  %9: u8 = bitcast %8
  %10: f8e5m2 = bitcast %9
  %11: i32 = cast %10
  %12: f32 = cast %11
  %13: f8e5m2 = cast_sat %12
  %14: u8 = bitcast %13
  store.u8 %0, %2, %14
  return
}
)";
  for (const auto& [sm, isa] : {std::pair{89u, 81u}, std::pair{90u, 87u}, std::pair{100u, 87u}}) {
    const Compiled ptx = compile(kir, fmt::format("ptx sm={} isa={}", sm, isa));
    ASSERT_EQ(ptx.status, 0) << ptx.log;
    for (const char* instruction :
         {"cvt.rn.f16x2.e4m3x2", "cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.f16x2.e5m2x2", "cvt.rn.satfinite.e5m2x2.f32"})
      EXPECT_TRUE(contains(ptx.data, instruction)) << instruction << "\n" << ptx.data;
    const Assembled code = assemble(ptx.data, sm);
    EXPECT_TRUE(!code.found || code.status == 0) << code.log << "\n" << ptx.data;
  }
  const Compiled older = compile(kir, "ptx sm=86 isa=81");
  EXPECT_EQ(older.status, 2);
  EXPECT_EQ(older.log, "kernel float8: a value of type f8e4m3: lower_types has not run");
}

TEST(PtxKernels, SourceLinesReachThePtx) {
  std::string ptx = check_ptx(R"(kir 1
kernel @lines fp(strict) facts(contiguous) (%0: view<i32, 1>) {
  %1: i64 = global_id {0} ; demo.cpp:7
  %2: i32 = load %0, %1 ; demo.cpp:8
  %3: i32 = mul %2, %2 ; other.h:3
  store.i32 %0, %1, %3 ; demo.cpp:9
  return
}
)");
  EXPECT_TRUE(contains(ptx, "demo.cpp") && contains(ptx, "other.h") && contains(ptx, ".loc")) << ptx;
}

}  // namespace
}  // namespace krait::test
