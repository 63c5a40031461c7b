// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as they come out of the passes: what the PTX must and must not contain.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/kernel_file.h"
#include "support/plugin.h"
#include "support/blobs/ptx.h"

namespace krait::test {
namespace {

/// The instructions of the innermost loop: from the last label that is branched back to.
std::string last_loop(const std::string& ptx) {
  std::size_t end = ptx.rfind("bra \t$L__BB");
  std::size_t label = ptx.find("$L", end);
  std::string name = ptx.substr(label, ptx.find(';', label) - label);
  std::size_t start = ptx.find("\n" + name + ":");
  return start < end ? ptx.substr(start, end - start) : std::string();
}

constexpr ir::Facts dense{.contiguous = true}, all{true, true, true, true};

/// The PTX of a kernel of tests/kernels, which no pass has run on.
std::string ptx_of(std::string_view name, const Choice& choice = {}, const ir::Facts& facts = dense,
                   bool may_use_stack = false) {
  return check_ptx(ir::print(kernel_of(name, choice, facts)), may_use_stack);
}

TEST(PtxKernels, SaxpyLoopIsMinimal) {
  std::string ptx = ptx_of("saxpy", {{"FP", "native"}}, all);
  std::string loop = last_loop(ptx);
  EXPECT_TRUE(contains(loop, "ld.global.b32")) << ptx;
  EXPECT_FALSE(contains(loop, "ld.param")) << ptx;
  EXPECT_TRUE(contains(loop, "mul.rn.f32") && contains(loop, "add.rn.f32"))
      << "must not be open to contraction\n"
      << ptx;
  EXPECT_TRUE(contains(loop, "setp.lt.u32")) << "the trip test has 32 bits\n" << ptx;
}

/// Of two launches in a row the second may begin early, and waits before it loads anything.
TEST(PtxKernels, OverlappingLaunches) {
  ir::Module m = kernel_of("saxpy", {{"FP", "native"}}, all);
  m.kernel().overlap = ir::Overlap::First;
  const std::string first = check_ptx(ir::print(m));
  EXPECT_EQ(count(first, "griddepcontrol.launch_dependents"), 1u) << first;
  m.kernel().overlap = ir::Overlap::Second;
  const std::string second = check_ptx(ir::print(m));
  EXPECT_EQ(count(second, "griddepcontrol.wait"), 1u) << second;
  EXPECT_LT(second.find("griddepcontrol.wait"), second.find("ld.global")) << second;
  EXPECT_EQ(count(ptx_of("saxpy", {{"FP", "native"}}, all), "griddepcontrol"), 0u);
}

/// The texture units' way costs time; see ptxas.cpp.
TEST(PtxKernels, NoLoadIsReadOnly) {
  for (const ir::Facts& facts : {ir::Facts{true, true, true}, all})
    EXPECT_FALSE(contains(ptx_of("saxpy", {{"FP", "native"}}, facts), "ld.global.nc"));
}

/// ptxas would let lanes return early, and the others wait for them; see ptxas.cpp.
TEST(PtxKernels, FunctionsHaveOneEnd) {
  const std::string ptx = ptx_of("calls_that_loop", {}, {}, true);
  EXPECT_EQ(count(ptx, "bar.warp.sync %here; }\n\tret;"), 1u) << ptx;
  EXPECT_EQ(count(ptx_of("saxpy", {{"FP", "native"}}, all), "bar.warp.sync"), 0u);
}

TEST(PtxKernels, VectorAccessesMoveSixteenBytes) {
  std::string ptx = ptx_of("wide_saxpy", {}, {});
  EXPECT_TRUE(contains(ptx, "ld.global.v4.b32")) << ptx;
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
  EXPECT_TRUE(contains(ptx, "ld.global.cs.b32 ") && contains(ptx, "st.shared.b32") &&
              contains(ptx, "st.global.b32"))
      << ptx;
}

TEST(PtxKernels, VectorsMoveSixteenBytes) {
  ir::Module m = kernel_of("aggregates_reversed");
  passes::combine_accesses(m, true);
  const std::string ptx = check_ptx(ir::print(m));
  EXPECT_TRUE(contains(ptx, "ld.global.v4.b32") && !contains(ptx, "ld.global.b32")) << ptx;
  EXPECT_TRUE(contains(ptx, "st.shared.v4.b32") && contains(ptx, "ld.shared.v4.b32")) << ptx;
  EXPECT_TRUE(contains(ptx, "st.global.v4.b32") && !contains(ptx, "st.global.b32")) << ptx;
}

/// A color of which x, y and z are read is one load, and its bytes become floats by 32 bits, which
/// all lanes convert at once.
TEST(PtxKernels, ThreeOfFourMembersAreOneLoad) {
  ir::ParseResult parsed = ir::parse(R"(kir 1
kernel @color fp(native) facts(contiguous, aligned, small, disjoint) flat (%0: view<bytes(4), 1, const>, %1: view<u8, 1>) {
  %2: i64 = thread_idx {0}
  %3: u8 = load %0, %2
  %4: u8 = load %0, %2 {1}
  %5: u8 = load %0, %2 {2}
  %6: f32 = cast %3
  %7: f32 = cast %4
  %8: f32 = cast %5
  %9: f32 = mul %6, %7
  %10: f32 = mul %9, %8
  %11: u8 = cast %10
  store.u8 %1, %2, %11
  return
}
)");
  ASSERT_EQ(parsed.error, "");
  passes::combine_accesses(parsed.module, true);
  const std::string ptx = check_ptx(ir::print(parsed.module));
  EXPECT_TRUE(contains(ptx, "ld.global.b32") && !contains(ptx, "ld.global.b8") &&
              !contains(ptx, "ld.global.v2"))
      << ptx;
  EXPECT_FALSE(contains(ptx, "cvt.rn.f32.u16 ") || contains(ptx, "max.s32")) << ptx;
}

/// y * w + x - 3 and (y * w + x) + 2 are two offsets from one address; so are two elements whose
/// index is cut off from 64 bits.
TEST(PtxKernels, ConstantsOfIndicesAreOffsets) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @offsets fp(native) facts(contiguous, small, disjoint) flat (%0: view<f32, 1, const>, %1: view<f32, 1>, %2: i32, %3: i32, %4: i64) {
  %5: i32 = const -3
  %6: i32 = const 2
  %7: i32 = mul %2, %3
  %8: i32 = add %3, %5
  %9: i32 = add %7, %8
  %10: i32 = add %7, %3
  %11: i32 = add %10, %6
  %12: f32 = load %0, %9
  %13: f32 = load %0, %11
  %14: f32 = add %12, %13
  %15: i64 = const 5
  %16: i64 = add %4, %15
  %17: i32 = cast %16
  store.f32 %1, %17, %14
  return
}
)");
  EXPECT_TRUE(contains(ptx, "+-12]") && contains(ptx, "+8]") && contains(ptx, "+20]")) << ptx;
}

/// Three guarded reads of one row: its start is computed once, before the guards, of which none
/// stands before another.
TEST(PtxKernels, GuardedAccessesShareTheirAddress) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @guarded fp(native) facts(contiguous, small, disjoint) flat (%0: view<f32, 1, const>, %1: view<f32, 1>, %2: i32, %3: i32, %4: bool, %5: bool, %6: bool) {
  %7: f32 = const 0x0p+0
  %8: f32 = if %4 {
    %9: i32 = mul %2, %3
    %10: f32 = load %0, %9
    yield %10
  } else {
    yield %7
  }
  %11: f32 = if %5 {
    %12: i32 = const 1
    %13: i32 = mul %2, %3
    %14: i32 = add %13, %12
    %15: f32 = load %0, %14
    yield %15
  } else {
    yield %8
  }
  %16: f32 = if %6 {
    %17: i32 = const 2
    %18: i32 = mul %2, %3
    %19: i32 = add %18, %17
    %20: f32 = load %0, %19
    yield %20
  } else {
    yield %11
  }
  store.f32 %1, %2, %16
  return
}
)");
  EXPECT_EQ(count(ptx, "mul.lo.s32"), 1u) << ptx;
  EXPECT_TRUE(contains(ptx, "+4]") && contains(ptx, "+8]")) << ptx;
}
/// A view that may hold 2^31 elements and more: a sum of 32 bits may have wrapped.
TEST(PtxKernels, ConstantsOfIndicesOfLargeViewsStay) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @no_offsets fp(native) facts(contiguous, disjoint) flat (%0: view<f32, 1>, %1: i32) {
  %2: i32 = const 2
  %3: i32 = add %1, %2
  %4: f32 = const 0x1p+0
  store.f32 %0, %3, %4
  return
}
)");
  EXPECT_FALSE(contains(ptx, "+8]")) << ptx;
}

TEST(PtxKernels, AggregatesByValueStayParameters) {
  std::string ptx = ptx_of("aggregate_by_value", {}, {});
  EXPECT_TRUE(contains(ptx, ".param .align 16 .b8 krait_table_param_1[2048]")) << ptx;
  EXPECT_TRUE(contains(ptx, "ld.param.b32") && contains(ptx, "ld.param.b64")) << ptx;
}

TEST(PtxKernels, MandelbrotFusesOnlyWhatTheIrFuses) {
  ir::Module m = kernel_of("mandelbrot", {{"FP", "reproducible"}}, all);
  ASSERT_EQ(passes::run_pipeline(m, support::parse_target("ptx sm=90 isa=80").target, true), "");
  const std::string kir = ir::print(m), ptx = check_ptx(kir), loop = last_loop(ptx);
  EXPECT_EQ(count(loop, "fma.rn.f32"), count(kir.substr(kir.find(" loop ")), "= fma "))
      << kir << ptx;
  EXPECT_GT(count(loop, "fma.rn.f32"), 1u) << ptx;
  EXPECT_FALSE(contains(loop, "\tmul.f32") || contains(loop, "\tadd.f32") ||
               contains(loop, "\tsub.f32"))
      << ptx;
}

TEST(PtxKernels, StridedAccessWithoutFacts) {
  std::string ptx = ptx_of("three_dimensions", {}, {});
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
  for (const char* part : {"bar.sync", "barrier.red.popc", "fence.acq_rel.cta", "fence.acq_rel.gpu",
                           "fence.acq_rel.sys"})
    EXPECT_TRUE(contains(ptx, part) ||
                (part == std::string("barrier.red.popc") && contains(ptx, "bar.red.popc")) ||
                (part == std::string("bar.sync") && contains(ptx, "barrier.sync")))
        << part << "\n"
        << ptx;
}

TEST(PtxKernels, WarpOperations) {
  std::string ptx = ptx_of("warp_of_every_size");
  EXPECT_FALSE(contains(ptx, "activemask")) << "the lanes of the if are put to the vote\n" << ptx;
  EXPECT_TRUE(contains(ptx, "shfl.sync.bfly.b32")) << ptx;
}

// As warp.h records them: a lane at a known distance takes no arithmetic, any other is computed.
TEST(PtxKernels, ShufflesAtAKnownDistance) {
  const std::string ptx = ptx_of("shuffles_at_a_distance");
  for (const char* part :
       {"shfl.sync.down.b32", "shfl.sync.up.b32", "shfl.sync.bfly.b32", "shfl.sync.idx.b32"})
    EXPECT_TRUE(contains(ptx, part)) << part << "\n" << ptx;
  for (const char* part : {", 3, 31, ", ", 5, 0, ", ", 6, 31, "})
    EXPECT_TRUE(contains(ptx, part)) << part << "\n" << ptx;
}

// Widened where they are loaded: in 16 bits, which the hardware lacks, their difference would be a
// maximum less a minimum.
TEST(PtxKernels, DistancesOfBytes) {
  const std::string ptx = ptx_of("distances_of_bytes");
  EXPECT_TRUE(contains(ptx, "sad.s32")) << ptx;
}

TEST(PtxKernels, LocalArraysAreClearedByWholeWords) {
  for (const int extent : {3, 65, 1001}) {
    const std::string ptx =
        ptx_of("cleared_local", {{"EXTENT", std::to_string(extent)}}, dense, true);
    EXPECT_EQ(contains(ptx, "st.local.v"), extent > 3) << ptx;
    EXPECT_EQ(contains(ptx, "bra"), extent == 1001) << ptx;
  }
}

// What parts a warp need not bring it together again before the next operation: only naming the
// lanes does.
TEST(PtxKernels, WarpOperationsNameTheLanesThatComeThere) {
  std::string ptx = ptx_of("butterfly_sum");
  EXPECT_TRUE(contains(ptx, ", 31, -1;") && !contains(ptx, "vote.sync.ballot")) << "all of them\n"
                                                                                << ptx;
  Choice varying{{"BEFORE", "%44: u32 = cast %3"}, {"COUNT", "%44"}};
  ptx = ptx_of("butterfly_sum", varying);
  EXPECT_TRUE(contains(ptx, "vote.sync.ballot") && !contains(ptx, ", 31, -1;"))
      << "the count differs from thread to thread\n"
      << ptx;
  EXPECT_FALSE(contains(ptx, "activemask")) << ptx;
  varying["INSIDE"] =
      "%20: bool = gt %7, %4 if %20 { %21: i32 = const 7 %22: bool = eq %7, %21 if %22 { break %7 } yield }";
  EXPECT_TRUE(contains(ptx_of("butterfly_sum", varying), "activemask"))
      << "those who break are not known to the other side";
}

// ptxas takes neg.s16 and abs.s16 of the least number for +32768.
TEST(PtxKernels, SignsOf16BitsChangeIn32) {
  const std::string ptx = ptx_of("signs_of_16_bits");
  EXPECT_TRUE(contains(ptx, "neg.s32") && contains(ptx, "abs.s32")) << ptx;
  EXPECT_FALSE(contains(ptx, "neg.s16") || contains(ptx, "abs.s16")) << ptx;
}

// ptxas turns `add.f32 %r; st.b8 [p], %r` into a conversion from float to integer.
TEST(PtxKernels, NarrowStoresOfFloatBitsGoThroughAMove) {
  std::string ptx = ptx_of("narrow_store_of_float_bits");
  std::size_t store = ptx.find("st.global.b8"), reg = ptx.find("%r", ptx.find(']', store));
  std::string name = ptx.substr(reg, ptx.find(';', reg) - reg);
  EXPECT_TRUE(contains(ptx, ("mov.b32 " + name + ", ").c_str())) << ptx;
}

// ptxas takes x for ~x where a branch has found what x is.
TEST(PtxKernels, ComplementsOfKnownNumbers) {
  const std::string ptx = ptx_of("complements_of_known_numbers");
  EXPECT_TRUE(contains(ptx, "xor.b64 %wide, %wide, -1")) << ptx;
  EXPECT_FALSE(contains(ptx, "not.b")) << ptx;
}

// Checked accesses, a line and a check, as the passes leave them for PTX: the golden file has the
// text.
TEST(PtxKernels, ReportsAssemble) {
  std::ifstream file(KRAIT_GOLDEN_DIR "/reports_ptx.kir");
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  const std::size_t output = golden.find("; ----\n");
  ASSERT_NE(output, golden.npos);
  const std::string ptx = check_ptx(golden.substr(output));
  for (const char* access : {"atom.global.add.u32", "st.global.b32"})
    EXPECT_TRUE(contains(ptx, access)) << access << "\n" << ptx;
}

TEST(PtxKernels, WarpReductionsAndMatches) {
  const std::string text = ir::print(kernel_of("warp_reductions_and_matches", {}, dense));
  for (const auto& [sm, target] : {std::pair{80u, "ptx sm=80 isa=70"},
                                   {90u, "ptx sm=90 isa=80"},
                                   {100u, "ptx sm=100 isa=86"}}) {
    Compiled ptx = compile(text, target);
    ASSERT_EQ(ptx.status, 0) << ptx.log;
    for (const char* instruction :
         {"redux.sync.add.s32", "redux.sync.min.s32", "redux.sync.xor.b32", "match.any.sync.b64"})
      EXPECT_TRUE(contains(ptx.data, instruction)) << instruction << "\n" << ptx.data;
    Assembled code = assemble(ptx.data, sm);
    if (!code.found) GTEST_SKIP() << "no ptxas: nothing assembled";
    EXPECT_EQ(code.status, 0) << code.log << ptx.data;
  }
}

// As kr::rotl writes it.
TEST(PtxKernels, ARotationIsOneInstruction) {
  EXPECT_TRUE(contains(ptx_of("rotation"), "shf.l.wrap.b32"));
}

TEST(PtxKernels, BytePermuteIsOneInstruction) {
  EXPECT_TRUE(contains(ptx_of("byte_permute"), "prmt.b32"));
}

TEST(PtxKernels, SumsOfProductsOfBytesAreOneInstruction) {
  ir::Module sums = kernel_of("sums_of_products", {}, dense);
  passes::expand_ops(
      sums, [](const ir::Inst& i) { return i.op != ir::Op::DotPairs; }, 32);
  const std::string ptx = check_ptx(ir::print(sums));
  for (const char* instruction : {"dp4a.u32.u32", "dp4a.s32.s32", "dp4a.u32.s32"})
    EXPECT_TRUE(contains(ptx, instruction)) << ptx;
}

TEST(PtxKernels, MoreThan48KiBLieInTheDynamicSegment) {
  const auto text = [](int elements) {
    return ir::print(kernel_of("large_shared", {{"ELEMENTS", std::to_string(elements)}}, dense));
  };
  std::string large = check_ptx(text(8000));
  check_ptx(text(5000));
  EXPECT_EQ(compile(text(5000), "ptx sm=90 isa=80").envelope.fixed_shared, 0u);
  // 8000 doubles and 100 floats
  EXPECT_EQ(compile(text(8000), "ptx sm=90 isa=80").envelope.fixed_shared, 64400u);
  EXPECT_FALSE(contains(large, ".shared .align 16 .b8 krait_shared[")) << large;
}

TEST(PtxKernels, TheEnvelopeTellsWhatTheLauncherNeeds) {
  const auto of = [](const char* attribute) {
    return compile(
        std::string(
            "kir 1\nkernel @\"my kernel\" fp(native) facts(contiguous) flat block(64, 2, 1) ") +
            attribute + " (%0: view<f32, 1>, %1: bool) {\n  return\n}\n",
        "ptx sm=90 isa=80");
  };
  const Compiled wide = of("elements(4)"), narrow = of("");
  EXPECT_EQ(wide.envelope.entry, "krait_my_kernel");
  EXPECT_TRUE(contains(wide.data, ".entry krait_my_kernel(")) << wide.data;
  EXPECT_FALSE(contains(wide.data, "// krait")) << wide.data;
  EXPECT_EQ(wide.envelope.elements, 4u);
  EXPECT_EQ(wide.envelope.registers, 32u);
  const auto waits = [&](const Compiled& code) {
    support::PtxCode said;
    return code.envelope.get_own(said) ? int(said.waits) : -1;
  };
  EXPECT_EQ(waits(of("second")), 1);
  EXPECT_EQ(waits(of("first")) + waits(narrow), 0);
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
  EXPECT_TRUE(contains(native, "rsqrt.approx.f32") && contains(native, "ex2.approx.ftz.f32"))
      << native;
  text.replace(text.find("native"), 6, "fast");
  std::string fast = check_ptx(text);
  EXPECT_TRUE(contains(fast, "sqrt.approx.ftz.f32") && contains(fast, "rsqrt.approx.ftz.f32"))
      << fast;
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
    for (std::size_t at = 0; (at = in.find(from, at)) != std::string::npos; at += to.size())
      in.replace(at, from.size(), to);
    return in;
  };
  const std::string marked = check_ptx(text);
  EXPECT_TRUE(contains(marked, "rcp.approx.ftz.f32") && !contains(marked, "div.")) << marked;
  EXPECT_TRUE(contains(marked, "sqrt.approx.ftz.f32") && !contains(marked, "sqrt.rn")) << marked;
  const std::string plain = check_ptx(replaced(text, ".fast", ""));
  EXPECT_TRUE(contains(plain, "rcp.rn.f32") || contains(plain, "div.rn.f32")) << plain;
  EXPECT_TRUE(contains(plain, "sqrt.rn.f32")) << plain;
  // the root of f64 has no such instruction
  const std::string wide = check_ptx(replaced(text, "f32", "f64"));
  EXPECT_TRUE(contains(wide, "rcp.approx.ftz.f64") && contains(wide, "fma.rn.f64") &&
              !contains(wide, "div."))
      << wide;
  EXPECT_TRUE(contains(wide, "sqrt.rn.f64")) << wide;
}

/// As lower_types leaves conversions of 8-bit floats for targets that have them; others refuse such
/// a value.
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
    for (const char* instruction : {"cvt.rn.f16x2.e4m3x2", "cvt.rn.satfinite.e4m3x2.f32",
                                    "cvt.rn.f16x2.e5m2x2", "cvt.rn.satfinite.e5m2x2.f32"})
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
  EXPECT_TRUE(contains(ptx, "demo.cpp") && contains(ptx, "other.h") && contains(ptx, ".loc"))
      << ptx;
}

TEST(PtxKernels, ClocksAndWaits) {
  const std::string ptx = check_ptx(R"(kir 1
kernel @timed fp(strict) facts(contiguous) (%0: view<i64, 1>, %1: u32) {
  %2: i64 = clock
  %3: i64 = clock
  nanosleep %1
  nanosleep %1
  %4: i64 = clock
  %5: i64 = sub %3, %2
  %6: i64 = sub %4, %3
  %7: i64 = const 0
  %8: i64 = const 1
  store.i64 %0, %7, %5
  store.i64 %0, %8, %6
  return
}
)");
  const auto count = [&](std::string_view what) {
    int n = 0;
    for (std::size_t at = ptx.find(what); at != ptx.npos; at = ptx.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("%clock64"), 3) << ptx;
  EXPECT_EQ(count("nanosleep.u32"), 2) << ptx;
}

TEST(PtxKernels, BoundsOfBlocksAndRegisters) {
  const auto with = [](const std::string& attribute) {
    return check_ptx("kir 1\nkernel @bound fp(strict) " + attribute +
                     " (%0: view<i32, 1>) {\n  return\n}\n");
  };
  const std::string both = with("bounds(256, 2, 0)");
  EXPECT_TRUE(contains(both, ".maxntid 256") && contains(both, ".minnctapersm 2")) << both;
  const std::string few = with("bounds(0, 0, 40)");
  EXPECT_TRUE(contains(few, ".maxnreg 40") && !contains(few, ".maxntid")) << few;
  const std::string fixed = with("block(64, 1, 1) bounds(128, 3, 0)");
  EXPECT_TRUE(contains(fixed, ".reqntid 64") && contains(fixed, ".minnctapersm 3") &&
              !contains(fixed, ".maxntid"))
      << fixed;
}

TEST(PtxKernels, HintsWeighBranches) {
  const auto weights = [](const char* hint, const char* target) {
    const Compiled made = compile(
        std::string("kir 1\nkernel @hinted fp(strict) flat (%0: view<i32, 1>, %1: bool) {\n  if") +
            hint +
            " %1 {\n    %2: i64 = thread_idx {0}\n    %3: i32 = load %0, %2\n    %4: i32 = mul %3, %3\n"
            "    store.i32 %0, %2, %4\n    yield\n  }\n  return\n}\n",
        target, "llvm");
    EXPECT_EQ(made.status, 0) << made.log;
    return contains(made.data, "!\"branch_weights\"");
  };
  for (const char* target : {"sm_90", "cpu x86-64"}) {
    EXPECT_FALSE(weights("", target)) << target;
    EXPECT_TRUE(weights(".likely", target)) << target;
    EXPECT_TRUE(weights(".unlikely", target)) << target;
  }
}

/// What is promised makes code simpler: the branch for the rest of a multiple of four goes.
TEST(PtxKernels, PromisesAreUsed) {
  const auto stores = [](const char* promise) {
    const std::string ptx = check_ptx(std::string(R"(kir 1
kernel @rest fp(strict) facts(contiguous) (%0: view<i32, 1>, %1: i32) {
  %2: i32 = const 3
  %3: i32 = and %1, %2
  %4: i32 = const 0
  %5: bool = eq %3, %4
)") + promise + R"(  if.unlikely %5 {
    yield
  } else {
    %6: i64 = const 0
    store.i32 %0, %6, %1
    yield
  }
  return
}
)");
    return contains(ptx, "st.global");
  };
  EXPECT_TRUE(stores(""));
  EXPECT_FALSE(stores("  assume %5\n"));
}

}  // namespace
}  // namespace krait::test
