// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WGSL: what it is made of, in the files of the folder wgsl (an IR text that passes made final, a
// line ; ----, and the text; BLESS=1 writes it anew), and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/plugin.h"

namespace krait::test {
namespace {

namespace fs = std::filesystem;

/// The recording, as it comes to the generator.
std::string lowered(const std::string& kir, const std::string& target) {
  ir::ParseResult parsed = ir::parse(kir);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(passes::run_pipeline(parsed.module, support::parse_target(target).target, true), "");
  return ir::print(parsed.module, {.names = true, .locations = true});
}

class Wgsl : public testing::TestWithParam<fs::path> {};

TEST_P(Wgsl, IsWhatTheFileSays) {
  std::ifstream in(GetParam(), std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str(), divider = "; ----\n";
  const std::size_t at = all.find(divider);
  const char* const target = "wgsl features=f16,warp";
  const Compiled made = compile(lowered(all.substr(0, at), target), target, "asm");
  ASSERT_EQ(made.status, 0) << made.log;
  if (std::getenv("BLESS")) {
    std::ofstream(GetParam(), std::ios::binary) << all.substr(0, at) << divider << made.data;
    return;
  }
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(made.data, all.substr(at + divider.size()));
}

std::vector<fs::path> files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(KRAIT_WGSL_DIR)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Texts, Wgsl, testing::ValuesIn(files()),
                         [](const auto& test) { return test.param.stem().string(); });

/// What the generator answers to a kernel with this body. The array is %0, the index %1.
std::string refusal(const std::string& body, const std::string& element = "i32",
                    const std::string& target = "webgpu", const std::string& attributes = "") {
  const std::string kir = "kir 1\nkernel @k fp(native)" + attributes + " (%0: view<" + element +
                          ", 1>) {\n  %1: i64 = global_id {0}\n" + body + "  return\n}\n";
  const Compiled made = compile(lowered(kir, target), target);
  EXPECT_EQ(made.status, 1) << made.log << made.data;
  return made.log;
}

TEST(WgslErrors, TimeIsNotTold) {
  EXPECT_EQ(
      refusal("  %2: i64 = clock ; user.cpp:7\n  %3: i32 = cast %2\n  store.i32 %0, %1, %3\n"),
      "operation clock (user.cpp:7): a counter of cycles needs the CPU, a CUDA or a Vulkan device");
  EXPECT_EQ(
      refusal("  %2: u32 = const 9\n  nanosleep %2 ; user.cpp:8\n"),
      "operation nanosleep (user.cpp:8): a thread that waits for a time needs the CPU or a CUDA device");
}

TEST(WgslErrors, WhatWebGpuLacks) {
  EXPECT_EQ(
      refusal("  %2: f64 = load %0, %1 ; user.cpp:7\n  store.f64 %0, %1, %2\n", "f64"),
      "operation load (user.cpp:7): a number of type f64, which WebGPU lacks: use float, and literals such as 2.0f, or the "
      "target's f64=double-single");
  EXPECT_EQ(
      refusal("  %2: u64 = const 1\n  %3: u64 = atomic_add %0, %1, %2 ; user.cpp:8\n", "u64"),
      "operation atomic_add (user.cpp:8): an atomic of u64, but WebGPU has only 32-bit atomics: use i32, u32 or f32");
  EXPECT_EQ(
      refusal("  %2: i32 = const 1\n  %3: i32 = atomic_add.release %0, %1, %2\n"),
      "operation atomic_add: the order release, but WebGPU's atomics are always relaxed: use relaxed ones, with barriers or several launches");
  EXPECT_EQ(
      refusal("  %2: i32 = const 1\n  %3: i32 = atomic_min %0, %1, %2 {4}\n", "bytes(8)"),
      "operation atomic_min: a signed atomic_min in an aggregate, but WebGPU has only unsigned words there: use an array of i32");
  EXPECT_EQ(
      refusal("  fence {1} ; user.cpp:9\n"),
      "operation fence (user.cpp:9): WebGPU orders accesses only by barriers of the block, and between blocks only by launches: use syncthreads() or several launches");
}

TEST(WgslErrors, BitsOfPairs) {
  EXPECT_EQ(
      refusal(
          "  %2: f64 = load %0, %1\n  %3: i64 = bitcast %2 ; user.cpp:7\n  %4: f64 = cast %3\n  store.f64 %0, %1, %4\n",
          "f64", "wgsl f64=double-single"),
      "operation bitcast (user.cpp:7): the bits of a double, which WebGPU lacks: pairs of f32 (f64=double-single) have +, -, *, "
      "/, sqrt, comparisons and conversions, but no function that works on the bits");
}

TEST(WgslErrors, Warps) {
  const std::string any =
      "  %2: bool = const true\n  %3: u64 = ballot %2\n  store.u64 %0, %1, %3\n";
  EXPECT_EQ(
      refusal(any, "u64"),
      "operation ballot: an operation of a warp needs the feature \"warp\" of the target, which is WebGPU's \"subgroups\"");
  EXPECT_EQ(refusal("  warp_sync\n", "i32", "wgsl features=warp"),
            "operation warp_sync: WebGPU does not have this warp operation: use syncthreads()");
}

TEST(WgslErrors, Limits) {
  EXPECT_EQ(
      refusal(
          "  %2: shared<i32, 1> = shared {8192}\n  %3: i32 = load %2, %1\n  store.i32 %0, %1, %3\n"),
      "operation shared: the block's arrays take 32768 bytes, but the target has 16384: make them smaller, or give the target "
      "more by shared=");
  EXPECT_EQ(
      refusal(
          "  %2: shared<i32, 1> = shared {4096}\n  %3: i32 = load %2, %1\n  %4: bool = cast %3\n  %5: i32 = "
          "barrier_count %4 ; user.cpp:7\n  store.i32 %0, %1, %5\n"),
      "operation barrier_count (user.cpp:7): the block's arrays take 16384 bytes and the results of votes 16, but the target has 16384: make them smaller, or give the target more by shared=");
  EXPECT_EQ(
      refusal("", "i32", "webgpu", " block(32, 32, 1)"),
      "the block of 32 x 32 x 1 has 1024 threads, but the target takes 256: make it smaller, or give the target more by "
      "threads=");
  std::string parameters, body = "  %9: i64 = const 0\n  %10: i32 = const 1\n";
  for (int p = 0; p < 9; ++p) {
    parameters += (p ? ", %" : "%") + std::to_string(p) + ": view<i32, 1>";
    body += "  store.i32 %" + std::to_string(p) + ", %9, %10\n";
  }
  const Compiled many = compile(
      lowered("kir 1\nkernel @k fp(native) (" + parameters + ") {\n" + body + "  return\n}\n",
              "webgpu"),
      "webgpu");
  EXPECT_EQ(many.status, 1);
  EXPECT_EQ(
      many.log,
      "the kernel uses 9 arrays, but the target \"wgsl features= subgroup=0 buffers=8 shared=16384 threads=256\" has 8 storage buffers for a kernel: combine arrays, or give the target more by buffers=");
  parameters = "%0: i32", body.clear();
  for (int p = 1; p < 65; ++p) parameters += ", %" + std::to_string(p) + ": i32";
  EXPECT_EQ(compile(lowered("kir 1\nkernel @k fp(native) (" + parameters + ") {\n  return\n}\n",
                            "webgpu"),
                    "webgpu")
                .log,
            "the kernel has 65 parameters, but WebGPU takes 64 at most: combine arrays");
}

}  // namespace
}  // namespace krait::test
