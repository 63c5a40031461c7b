// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms that the code generator knows, and what looks much the same and is none. That the bits are
// right is shown by tests/kernels.
#include <gtest/gtest.h>

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <span>

#include "ir/text/text.h"
#include "krait/error.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/native.h"
#include "support/blobs/envelope.h"
#include "targets.h"

namespace krait::test {
namespace {

constexpr ir::Facts facts{.contiguous = true, .aligned = false, .small = true, .disjoint = true};
constexpr ir::Facts whole_rows{
    .contiguous = true, .aligned = false, .small = true, .disjoint = true, .whole_rows = true};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    ++n;
  return n;
}

// A block that is narrower than a vector costs no gathers and scatters where threads do not meet.
TEST(CpuCode, RowsOfNarrowBlocksAreWholeVectors) {
  ir::Facts narrow = facts;
  narrow.set_block(1, 32, 1), narrow.warp = 32;
  for (const std::string& target : targets())
    EXPECT_EQ(count(llvm_of("positions_in_rows", {}, narrow, target), "@llvm.masked.scatter"), 0u)
        << target;
}

// Gangs within one row divide once, also where the number of elements is known to be so small that
// 32 bits are divided.
TEST(CpuCode, OneRowForAllIsReadByRows) {
  for (const bool small : {false, true}) {
    const std::string code = llvm_of("one_row_for_all", {{"ROWS", "5"}, {"COLUMNS", "77"}},
                                     {.small = small, .disjoint = true}, targets()[1]);
    EXPECT_EQ(count(code, "\nin_row:"), 1u) << code;
    EXPECT_EQ(count(code, "label %in_row, label %done"), 1u)
        << "the gangs of a row are a loop that does not divide\n"
        << code;
  }
}

TEST(CpuCode, ClocksAndWaitsStay) {
  const Compiled made = compile(
      "kir 1\nkernel @timed fp(strict) flat (%0: view<i64, 1>, %1: u32) {\n"
      "  %2: i64 = clock\n  nanosleep %1\n  nanosleep %1\n  %3: i64 = clock\n  %4: i64 = sub %3, %2\n"
      "  %5: i64 = const 0\n  store.i64 %0, %5, %4\n  return\n}\n",
      targets()[0], "asm");
  ASSERT_EQ(made.status, 0) << made.log;
  EXPECT_GE(count(made.data, "rdtsc"), 2u) << made.data;
  EXPECT_GE(count(made.data, "pause"), 2u) << made.data;
}

std::string sealed(const CpuCode& code, std::string_view image) {
  support::Envelope e;
  e.kind = support::TargetKind::Cpu, e.code = image;
  e.set_own(code);
  return support::seal(e);
}

/// What is said of a kernel's code at load.
std::string refusal_of(const std::string& blob) {
  try {
    runtime::cpu::Code(std::as_bytes(std::span(blob)), "k");
  } catch (const error& wrong) {
    return wrong.message();
  }
  return {};
}
std::string refusal(const CpuCode& code) { return refusal_of(sealed(code, "image")); }

/// Code that any processor loads.
CpuCode sound_code() {
  CpuCode sound;
  sound.level = CpuLevel::Sse42, sound.entry = 0;
  return sound;
}

TEST(CpuCode, DamageIsToldBeforeItIsRun) {
  const CpuCode sound = sound_code();
  CpuCode wrong = sound;
  wrong.entry = 5;
  EXPECT_EQ(refusal(wrong), "kernel k: its code is damaged: its entry is at 5 of 5 bytes");
  wrong = sound, wrong.lanes = 0;
  EXPECT_EQ(refusal(wrong), "kernel k: its code is damaged: an unknown mode");
  wrong = sound, wrong.copies[0].update = CpuCopy::Update(99);
  EXPECT_EQ(refusal(wrong), "kernel k: its code is damaged: an unknown update");
  wrong = sound, wrong.debug = 2;
  EXPECT_EQ(refusal(wrong),
            "kernel k: its code is damaged: its debug information is not an object file");
  wrong = sound, wrong.level = CpuLevel(9);
  EXPECT_EQ(refusal(wrong),
            fmt::format("kernel k: its code needs x86-64-v9, this processor has v{}",
                        unsigned(runtime::cpu::host_level())));
}

TEST(CpuCode, NoAddressSpaceForIt) {
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const std::string blob = sealed(sound_code(), std::string(std::size_t(96) << 20, '\0'));
  std::size_t pages = 0;  // in use
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  const struct rlimit tight = {pages * std::size_t(sysconf(_SC_PAGESIZE)) + (std::size_t(32) << 20),
                               before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const std::string said = refusal_of(blob);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(said, "kernel k: no memory for 100663296 bytes of code: Cannot allocate memory");
}

TEST(CpuCode, ASystemWithoutCodeMadeAtRunTime) {
  // Linux 6.3: memory that was written cannot become code
  constexpr int set_mdwe = 65, get_mdwe = 66;
  if (prctl(get_mdwe, 0, 0, 0, 0) < 0)
    GTEST_SKIP() << "this Linux cannot forbid a process to make code";
  EXPECT_EXIT(
      {
        if (prctl(set_mdwe, 1, 0, 0, 0) != 0) std::perror("prctl");
        std::fputs(refusal(sound_code()).c_str(), stderr);
        _exit(0);
      },
      testing::ExitedWithCode(0),
      "^kernel k: the system does not allow code made at run time: Permission denied$");
}

std::string refused_function() {
  try {
    const runtime::cpu::NativeFunction made(nullptr, nullptr);
    return "";
  } catch (const error& e) {
    return e.message();
  }
}

TEST(NativeFunction, NoAddressSpaceForIt) {
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's allocator ends a process that gets no memory";
#endif
#endif
  EXPECT_EQ(refused_function(), "");
  struct rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit none = {1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
  const std::string said = refused_function();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(said, "no memory for the code of a function pointer: Cannot allocate memory");
}

TEST(NativeFunction, ASystemWithoutCodeMadeAtRunTime) {
  constexpr int set_mdwe = 65, get_mdwe = 66;  // as above
  if (prctl(get_mdwe, 0, 0, 0, 0) < 0)
    GTEST_SKIP() << "this Linux cannot forbid a process to make code";
  EXPECT_EXIT(
      {
        if (prctl(set_mdwe, 1, 0, 0, 0) != 0) std::perror("prctl");
        std::fputs(refused_function().c_str(), stderr);
        _exit(0);
      },
      testing::ExitedWithCode(0),
      "^the system does not allow code made at run time, which a function pointer needs: Permission denied$");
}

// ---- rows that the threads of a block share out -------------------------------------------------

/// Whether no loop of a thread is left.
bool sweeps(Choice choice) {
  choice.insert({{"T", "i64"}, {"C", "u64"}, {"FROM", "1"}});
  const std::string code = llvm_of("sweep", choice, whole_rows, targets()[1]);
  return count(code, "\nleft") == 0 && count(code, "\ncommon") == 0;
}

TEST(CpuCode, WhatIsASweep) {
  EXPECT_TRUE(sweeps({}));
  // The trip's number, or the thread's place, shows by itself.
  EXPECT_FALSE(sweeps({{"SHOWN", "%21"}}));
  EXPECT_FALSE(sweeps({{"SHOWN", "%8"}}));
  // Steps of something else.
  EXPECT_FALSE(sweeps({{"WIDTH", "grid_dim {0}"}}));
  // A condition of the thread's, an effect of its own, and a bound of its own.
  EXPECT_FALSE(sweeps(
      {{"GUARD", "%50: i64 = const 20 %51: bool = lt %5, %50 if %51 {"}, {"END", "yield }"}}));
  EXPECT_FALSE(sweeps({{"LAST", "%60: u32 = const 5 store.u32 %1, %3, %5, %60"}}));
  EXPECT_FALSE(sweeps({{"OWN", "%47: i64 = thread_idx {0}"}, {"ROW", "%47"}}));
  // A thread's array.
  EXPECT_FALSE(
      sweeps({{"MORE",
               "%60: local<u32, 1> = local {4} %61: i64 = const 0 %62: u32 = load %60, %61 "
               "store.u32 %1, %46, %25, %62 store.u32 %60, %61, %29"}}));
}

// ---- sums of products ---------------------------------------------------------------------------

/// The sums' kernel, of those processors, in a mode.
std::string sums_of(const std::string& target, const char* mode) {
  ir::Module m = lowered("sums_of_products", {}, facts);
  std::string text = ir::print(m);
  text.replace(text.find("strict"), 6, mode);
  const Compiled made = compile(text, target, "asm");
  EXPECT_EQ(made.status, 0) << made.log;
  return made.data;
}

TEST(CpuCode, SumsOfProductsAreInstructionsOfTheirOwn) {
  const std::string dots =
      "cpu x86-64 lanes=16 parts=1 cpu=x86-64-v4 tune=znver4 features=+avx512vnni,+avx512bf16";
  EXPECT_GE(count(sums_of(dots, "native"), "vpdpbusd"), 4u);
  EXPECT_GE(count(sums_of(dots, "native"), "vdpbf16ps"), 1u);
  EXPECT_EQ(count(sums_of(dots, "strict"), "vdpbf16ps"), 0u);
  EXPECT_EQ(count(sums_of(dots, "reproducible"), "vdpbf16ps"), 0u);
  const std::string vex = "cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3 tune=haswell features=+avxvnni";
  EXPECT_GE(count(sums_of(vex, "native"), "vpdpbusd"), 4u);
  for (const char* plain : {"cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3 tune=haswell",
                            "cpu x86-64 lanes=4 parts=1 cpu=x86-64-v2"}) {
    EXPECT_GE(count(sums_of(plain, "native"), "pmaddwd"), 8u) << plain;
    EXPECT_EQ(count(sums_of(plain, "native"), "vpdpbusd"), 0u) << plain;
  }
}

// ---- elements some places apart -----------------------------------------------------------------

TEST(CpuCode, EverySecondElementIsTakenOutOfRows) {
  const std::string avx512 = "cpu x86-64 lanes=16 parts=1 cpu=x86-64-v4 tune=icelake-server";
  const auto code = [](const char* type, const char* spacing, const std::string& target) {
    return llvm_of("spaced_elements", {{"T", type}, {"SPACING", spacing}}, facts, target);
  };
  // A part of eight lanes is two registers of four numbers, of which both arrays have two windows
  // each.
  EXPECT_EQ(
      count(code("i64", "2", "cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3"), " = load <4 x i64>,"),
      8u);
  EXPECT_EQ(count(code("i64", "4", avx512), " = load <8 x i64>,"), 16u);
  EXPECT_EQ(count(code("i64", "4", avx512), "llvm.masked.store.v8i64"), 8u + 1);
  // Two elements would have one place: seven and three apart of eight and of four, and more apart
  // than a register has.
  for (const char* spacing : {"7", "9"})
    EXPECT_EQ(count(code("i64", spacing, avx512), " = load <8 x i64>,"), 0u) << spacing;
  EXPECT_EQ(
      count(code("i64", "3", "cpu x86-64 lanes=8 parts=1 cpu=x86-64-v3"), " = load <4 x i64>,"),
      0u);
}

TEST(CpuCode, PeriodsAndGroupsAreRowsAndAPermutation) {
  // Of x[i % 4], x[i / 4] and x[i ^ 5] in whole gangs; without the form they are gathers.
  const auto gathers = [](const char* c) {
    return count(llvm_of("periodic_places", {{"T", "f32"}, {"C", c}}, whole_rows,
                         "cpu x86-64 lanes=8 parts=1 cpu=x86-64-v4 tune=icelake-server"),
                 "= call <8 x float> @llvm.masked.gather");
  };
  EXPECT_LT(gathers("4"), gathers("3"));
}

// ---- how many threads a gang has ----------------------------------------------------------------

const std::string avx2 = "cpu x86-64 lanes=8 cpu=x86-64-v3";  // parts are the generator's choice

/// Whether the code has no vectors of eight lanes.
bool is_scalar(std::string_view kernel, const Choice& choice) {
  return count(llvm_of(kernel, choice, whole_rows, avx2), "<8 x") == 0;
}

TEST(CpuCode, UpdatesOfASharedArrayByDataTakeScalars) {
  EXPECT_TRUE(is_scalar("counted_in_a_block", {}));
  EXPECT_FALSE(is_scalar("counted_in_a_block", {{"GUARD", "if %odd {"}, {"END", "yield }"}}))
      << "some threads update";
}

TEST(CpuCode, UpdatesOfAThreadsOwnArrayTakeVectors) {
  const std::string avx512 = "cpu x86-64 lanes=16 cpu=x86-64-v4";  // which scatters
  EXPECT_FALSE(is_scalar("local_updates", {}));
  EXPECT_GT(count(llvm_of("local_updates", {}, whole_rows, avx512), "<16 x"), 0u);
}

TEST(CpuCode, AShortLoopOfScalarsIsWrittenOut) {
  // Of the four updates, and the sixteen elements before and behind them, none is left to count.
  const std::string scalar = "cpu x86-64 lanes=1 parts=1 cpu=x86-64-v3";
  EXPECT_GE(count(llvm_of("local_updates", {}, whole_rows, scalar), "urem i32"), 4u);
}

TEST(CpuCode, ALoopWhoseTripsDoNotWaitLeavesTheNumberOfVectorsToAnother) {
  EXPECT_EQ(count(llvm_of("loops_beside_each_other", {}, whole_rows, avx2), "fadd <8 x float>"),
            4u);
}

TEST(CpuCode, TripsThatABlockMakesTogetherTakeWideGangs) {
  const auto code = [](const std::string& target) {
    return llvm_of("sum_in_trips", {}, whole_rows, target);
  };
  EXPECT_EQ(code(avx2), code(avx2 + " parts=4"));
  EXPECT_EQ(code("cpu x86-64 lanes=16 cpu=x86-64-v4"),
            code("cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4"));
}

// ---- the code of first launches: how little of it there is --------------------------------------

/// For the widest target that loads numbers from any places.
std::string thirds(const char* type, const char* effort) {
  return llvm_of("bits_of_every_third", {{"T", type}}, {true, false, true, true},
                 std::string("cpu x86-64 lanes=8 parts=4 cpu=x86-64-v3 effort=") + effort);
}

TEST(CpuQuick, BytesThatLieApartAreLoadedInALoop) {
  EXPECT_EQ(count(thirds("u8", "quick"), " = load i8,"), 2u);
  EXPECT_GE(count(thirds("u8", "best"), " = load <8 x i8>,"), 16u);
}

TEST(CpuQuick, WordsThatLieApartAreGathered) {
  EXPECT_EQ(count(thirds("u64", "quick"), " = load i64, ptr %lanes"), 0u);
  EXPECT_GT(count(thirds("u64", "quick"), "@llvm.masked.gather"), 0u);
}

TEST(CpuQuick, LongOperationsAreCalled) {
  const std::string quick = thirds("u64", "quick");
  EXPECT_EQ(count(quick, "@llvm.ctpop.v8i64(<8 x i64> %"), 1u);
  EXPECT_GT(count(quick, "@popcount.u64("), 2u);
}

}  // namespace
}  // namespace krait::test
