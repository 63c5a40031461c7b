// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plug-in and its PTX side answer to what they cannot compile.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "support/plugin.h"

namespace krait::test {
namespace {

constexpr const char* empty = "kir 1\nkernel @k fp(strict) () {\n  return\n}\n";

std::string refusal(const std::string& kir, const std::string& target, int status = 1, const char* emit = "binary") {
  Compiled reply = compile(kir, target, emit);
  EXPECT_EQ(reply.status, status) << reply.log;
  EXPECT_EQ(reply.data, "");
  return reply.log;
}

TEST(PluginErrors, Target) {
  EXPECT_EQ(
      refusal(empty, "metal"),
      "unknown target \"metal\": expected sm_75 … sm_121, cpu, vulkan, opencl, webgpu, or a full target string as printed by "
      "`krait devices`");
  EXPECT_EQ(refusal(empty, "ptx sm=90 two"), "target \"ptx sm=90 two\": \"two\": expected sm= or isa=");
  EXPECT_EQ(refusal(empty, "interpreter"), "no code is made for the interpreter");
  EXPECT_EQ(refusal(empty, "sm_90", 1, "cubin"), "emit \"cubin\": expected binary, llvm or asm");
}

TEST(PluginErrors, ProcessorsThatDoNotExist) {
  constexpr const char* flat = "kir 1\nkernel @k fp(strict) flat () {\n  return\n}\n";
  EXPECT_EQ(refusal(flat, "cpu x86-64 cpu=nonsense"),
            "target: \"nonsense\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(refusal(flat, "cpu x86-64 cpu=pentium3"),
            "target: \"pentium3\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(refusal(flat, "cpu x86-64 cpu=x86-64-v3 tune=fast"),
            "target: \"fast\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(refusal(flat, "cpu x86-64 features=-sse2"),
            "target \"cpu x86-64 features=-sse2\": \"features=-sse2\": features of the processor can only be added: "
            "expected +…, not \"-sse2\"");
  EXPECT_EQ(refusal(flat, "cpu x86-64 features=+avx2,+foo"),
            "target: \"+foo\" is not a feature of an x86-64 processor: expected LLVM's names, such as +avx2");
  EXPECT_EQ(compile(flat, "cpu x86-64 features=+avx2,+fma", "asm").status, 0);
  EXPECT_EQ(compile(flat, "cpu x86-64 cpu=x86-64-v3 tune=generic", "asm").status, 0) << "LLVM goes on";
}

TEST(PluginErrors, BrokenTextIsADefect) {
  EXPECT_EQ(refusal("kir 1\nkernel", "sm_90", 2).substr(0, 5), "kir: ");
  EXPECT_EQ(refusal("kir 1\nkernel @k fp(strict) () {\n  %0: i32 = const 1\n}\n", "sm_90", 2).substr(0, 5), "kir: ");
}

TEST(PluginErrors, TypesThatPassesLower) {
  const std::string kir = "kir 1\nkernel @k fp(strict) flat (%0: bf16) {\n  return\n}\n";
  for (const char* target : {"cpu x86-64", "sm_90", "vulkan"})
    EXPECT_EQ(refusal(kir, target, 2), "kernel k: a value of type bf16: lower_types has not run");
}

TEST(PtxErrors, DeviceAndLanguageVersionDoNotMeet) {
  EXPECT_EQ(refusal(empty, "ptx sm=90a isa=78"),
            "target \"ptx sm=90a isa=78\": \"isa=78\": expected 80 or later, which sm_90a needs");
}

TEST(PtxErrors, InstructionsOfOneDeviceAlone) {
  Compiled ptx = compile(empty, "ptx sm=90a isa=80");
  EXPECT_EQ(ptx.status, 0) << ptx.log;
  EXPECT_NE(ptx.data.find(".target sm_90a"), std::string::npos) << ptx.data;
}

TEST(PtxErrors, NewDevicesWithAnOldDriverGetPtxForTheDeviceBefore) {
  Compiled ptx = compile(empty, "ptx sm=100 isa=80");
  EXPECT_EQ(ptx.status, 0) << ptx.log;
  EXPECT_NE(ptx.data.find(".target sm_90"), std::string::npos) << ptx.data;
  EXPECT_NE(ptx.data.find(".version 8.0"), std::string::npos) << ptx.data;
}

TEST(PtxErrors, FunctionsWithoutInstruction) {
  std::string text = "kir 1\nkernel @k fp({}) (%0: {}) {{\n  %1: {} = {} %0\n  return\n}}\n";
  EXPECT_EQ(refusal(fmt::format(fmt::runtime(text), "strict", "f32", "f32", "exp"), "sm_90"),
            "kernel k: exp on f32 has no PTX instruction in strict mode and was not expanded");
  EXPECT_EQ(refusal(fmt::format(fmt::runtime(text), "fast", "f64", "f64", "sin"), "sm_90"),
            "kernel k: sin on f64 has no PTX instruction in fast mode and was not expanded");
}

TEST(PtxErrors, TooManyArguments) {
  std::string params;
  for (int i = 0; i < 200; ++i) params += fmt::format("{}%{}: view<f32, 1>", i ? ", " : "", i);
  std::string text = "kir 1\nkernel @k fp(strict) (" + params + ") {\n  return\n}\n";
  EXPECT_EQ(refusal(text, "ptx sm=90 isa=80"), "kernel k: 4800 bytes of arguments; PTX ISA 8.0 takes at most 4096");
  EXPECT_EQ(compile(text, "ptx sm=90 isa=81").status, 0);
}

}  // namespace
}  // namespace krait::test
