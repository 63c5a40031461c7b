// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plug-in and its PTX side answer to what they cannot compile.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include "support/plugin.h"

namespace krait::test {
namespace {

constexpr const char* empty = "kir 1\nkernel @k fp(strict) () {\n  return\n}\n";

std::string refusal(const std::string& kir, const std::string& target, int status = 1,
                    const char* emit = "binary") {
  Compiled reply = compile(kir, target, emit);
  EXPECT_EQ(reply.status, status) << reply.log;
  EXPECT_EQ(reply.data, "");
  return reply.log;
}

TEST(PluginErrors, Target) {
  EXPECT_EQ(
      refusal(empty, "metal"),
      "unknown target \"metal\": expected sm_75 … sm_121, cpu, x86-64-v2 … x86-64-v4, vulkan, opencl, webgpu, or a full "
      "target string as printed by "
      "`krait devices`");
  EXPECT_EQ(refusal(empty, "ptx sm=90 two"),
            "target \"ptx sm=90 two\": \"two\": expected sm= or isa=");
  EXPECT_EQ(refusal(empty, "interpreter"), "no code is made for the interpreter");
  EXPECT_EQ(refusal(empty, "sm_90", 1, "cubin"), "emit \"cubin\": expected binary, llvm or asm");
}

TEST(PluginErrors, TimeOnVulkanAndOpenCl) {
  constexpr const char* clock =
      "kir 1\nkernel @k fp(strict) flat (%0: view<i64, 1>) {\n  %1: i64 = const 0\n"
      "  %2: i64 = clock ; user.cpp:7\n  store.i64 %0, %1, %2\n  return\n}\n";
  constexpr const char* wait =
      "kir 1\nkernel @k fp(strict) flat () {\n  %1: u32 = const 9\n  nanosleep %1 ; user.cpp:8\n  return\n}\n";
  EXPECT_EQ(
      refusal(clock, "vulkan"),
      "operation clock (user.cpp:7): a counter of cycles needs the device feature \"clock\", which the device lacks");
  EXPECT_EQ(
      refusal(clock, "opencl"),
      "operation clock (user.cpp:7): a counter of cycles needs the CPU, a CUDA or a Vulkan device");
  for (const char* target : {"vulkan", "opencl"})
    EXPECT_EQ(
        refusal(wait, target),
        "operation nanosleep (user.cpp:8): a thread that waits for a time needs the CPU or a CUDA device");
  EXPECT_EQ(compile(clock, "spirv features=i64,clock push=128", "binary").status, 0);
}

TEST(PluginErrors, ProcessorsThatDoNotExist) {
  constexpr const char* flat = "kir 1\nkernel @k fp(strict) flat () {\n  return\n}\n";
  EXPECT_EQ(
      refusal(flat, "cpu x86-64 cpu=nonsense"),
      "target: \"nonsense\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(
      refusal(flat, "cpu x86-64 cpu=pentium3"),
      "target: \"pentium3\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(
      refusal(flat, "cpu x86-64 cpu=x86-64-v3 tune=fast"),
      "target: \"fast\" is not an x86-64 processor: expected one of LLVM's names, such as x86-64-v3");
  EXPECT_EQ(
      refusal(flat, "cpu x86-64 features=-sse2"),
      "target \"cpu x86-64 features=-sse2\": \"features=-sse2\": features of the processor can only be added: "
      "expected +…, not \"-sse2\"");
  EXPECT_EQ(
      refusal(flat, "cpu x86-64 features=+avx2,+foo"),
      "target: \"+foo\" is not a feature of an x86-64 processor: expected LLVM's names, such as +avx2");
  EXPECT_EQ(compile(flat, "cpu x86-64 features=+avx2,+fma", "asm").status, 0);
  EXPECT_EQ(compile(flat, "cpu x86-64 cpu=x86-64-v3 tune=generic", "asm").status, 0)
      << "LLVM goes on";
}

TEST(PluginErrors, BrokenTextIsADefect) {
  EXPECT_EQ(refusal("kir 1\nkernel", "sm_90", 2).substr(0, 5), "kir: ");
  EXPECT_EQ(refusal("kir 1\nkernel @k fp(strict) () {\n  %0: i32 = const 1\n}\n", "sm_90", 2)
                .substr(0, 5),
            "kir: ");
}

TEST(PluginErrors, TypesThatPassesLower) {
  const std::string kir = "kir 1\nkernel @k fp(strict) flat (%0: bf16) {\n  return\n}\n";
  for (const char* target : {"cpu x86-64", "sm_90", "vulkan"})
    EXPECT_EQ(refusal(kir, target, 2), "kernel k: a value of type bf16: lower_types has not run");
}

/// Kernels with a view, a float, a bool that differs between threads, and aggregates of 12 bytes.
std::string kernel_of(const std::string& body, const std::string& attributes = "flat") {
  return "kir 1\nkernel @k fp(native) " + attributes +
         " (%v: view<f32, 1>, %f: f32, %n: i64) {\n%t: i64 = thread_idx {0}\n" +
         "%c: bool = lt %t, %n\n" + body + "\nreturn\n}\n";
}

struct Refused {
  const char* body;
  const char* why;
};

TEST(CpuErrors, WhatHasNoCode) {
  constexpr Refused all[] = {
      {"%a: shared<f32, 1> = shared {300000000}", "shared or local arrays exceed 1 GiB"},
      {"grid_stride %n {\n^(%i: i64):\nbarrier\ncontinue\n}",
       "a barrier in a grid_stride loop, where threads differ in their number of iterations"},
      {"if %c {\nbarrier\nyield\n}",
       "a barrier under a condition that differs between the threads of a block"},
      {"if %c {\nreturn\n}\nbarrier", "a thread leaves before a barrier that others reach"},
      {"%s: slot<f32> = slot %f", "a mutable local that was not promoted"},
      {"%e: f32 = exp %f\nstore.f32 %v, %t, %e", "the CPU has no instruction for exp"},
  };
  for (const Refused& r : all)
    EXPECT_EQ(refusal(kernel_of(r.body), "cpu x86-64 lanes=8 cpu=x86-64-v3"), r.why) << r.body;
}

TEST(SpirvErrors, WhatHasNoCode) {
  constexpr Refused all[] = {
      {"%a: f32 = atomic_add.seq_cst %v, %t, %f",
       "operation atomic_add: Vulkan has no order seq_cst: use acq_rel and a fence"},
      {"%e: f32 = fma %f, %f, %f\nstore.f32 %v, %t, %e",
       "operation fma: fused multiply-add on f32 needs the device feature \"fma32\" or \"f64\"; use fp mode strict or fast"},
      {"%a: local<bool, 1> = local {2147483648}", "operation local: the array is too large"},
      {"%x: i8 = cast %t",
       "operation cast: an 8-bit integer needs the device feature \"i8\", which the device lacks"},
      {"%x: i16 = cast %t",
       "operation cast: a 16-bit integer needs the device feature \"i16\", which the device lacks"},
      {"%x: f16 = cast %t",
       "operation cast: a 16-bit float needs the device feature \"f16\", which the device lacks"},
  };
  for (const Refused& r : all)
    EXPECT_EQ(refusal(kernel_of(r.body), "spirv features=i64 push=128"), r.why) << r.body;
  EXPECT_EQ(
      refusal(
          kernel_of(
              "%a: shared<bytes(16), 1> = shared {8}\n%x: i16 = load %a, %t {12}\n%y: f32 = atomic_exchange %a, %t, %f"),
          "spirv features=i64,i16 push=128"),
      "operation atomic_exchange: an atomic on a shared aggregate whose members differ in size");
  for (const auto& [bytes, text] :
       {std::pair("bool", "an access of 8 bits needs the device feature \"i8\""),
        {"f16", "an access of 16 bits needs the device feature \"i16\""}})
    EXPECT_EQ(refusal("kir 1\nkernel @k fp(native) flat (%v: view<" + std::string(bytes) +
                          ", 1>) {\n%t: i64 = thread_idx {0}\n%x: " + bytes +
                          " = load %v, %t\nreturn\n}\n",
                      "spirv features=i64,f16 push=128"),
              "operation load: " + std::string(text) + ", which the device lacks");
  EXPECT_EQ(
      refusal(kernel_of("%x: i64 = extent %v {0}"), "spirv push=128"),
      "the kernel: a 64-bit integer needs the device feature \"i64\", which the device lacks");
  EXPECT_EQ(refusal(kernel_of(""), "vulkan", 1, "llvm"),
            "SPIR-V is made without LLVM: there is no LLVM IR to show");
  EXPECT_EQ(refusal(kernel_of(""), "webgpu", 1, "llvm"),
            "WGSL is made without LLVM: there is no LLVM IR to show");
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
  EXPECT_EQ(refusal(text, "ptx sm=90 isa=80"),
            "kernel k: 4800 bytes of arguments; PTX ISA 8.0 takes at most 4096");
  EXPECT_EQ(compile(text, "ptx sm=90 isa=81").status, 0);
}

}  // namespace
}  // namespace krait::test
