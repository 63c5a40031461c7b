// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SPIR-V for OpenCL, without a device.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/core.h>

#include "codegen/spirv/spirv.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "passes/passes.h"
#include "runtime/opencl/executable.h"
#include "support/kernel_file.h"

namespace krait::test {
namespace {

#include "runtime/opencl/probe_words.inc"

std::string compile(const std::string& text, const char* target, codegen::Emit emit) {
  ir::ParseResult parsed = ir::parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  const support::ParsedTarget read = support::parse_target(target);
  EXPECT_EQ(read.error, "");
  return codegen::spirv::compile(parsed.module, read.target.spirv, codegen::spirv::Dialect::Kernel,
                                 emit)
      .data;
}

std::string failure(const std::string& text, const char* target) {
  try {
    compile(text, target, codegen::Emit::Binary);
  } catch (const codegen::Failure& f) {
    return f.message;
  }
  return "";
}

/// The probes' words are checked in, as the launcher has no compiler. BLESS=1 writes them anew.
TEST(OpenClDialect, ProbesAreWhatTheirTextsCompileTo) {
  const std::string folder = KRAIT_SOURCE_DIR "/lib/runtime/";
  struct Probe {
    const char *name, *text;
    std::span<const std::uint32_t> words;
  };
  const Probe probes[] = {{"probe_f16_words", "probe_f16.kir", probe_f16_words},
                          {"probe_f32_words", "probe_f32.kir", probe_f32_words},
                          {"probe_f64_words", "probe_f64.kir", probe_f64_words}};
  std::string all =
      "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n// Made out of probe_f16.kir, probe_f32.kir and "
      "probe_f64.kir (see runtime/probe.cpp).\n";
  const bool bless = std::getenv("BLESS") != nullptr;
  for (const Probe& p : probes) {
    std::ifstream file(folder + p.text);
    const std::string kir{std::istreambuf_iterator<char>(file), {}};
    const std::string binary = compile(
        kir,
        "spirv-cl features=i64,f64,i16,f16,i8,fma16,fma32,fma64,div32,div64,sqrt32,sqrt64,rsqrt32,whole64",
        codegen::Emit::Binary);
    std::vector<std::uint32_t> words(binary.size() / 4);
    std::memcpy(words.data(), binary.data(), binary.size());
    if (!bless) {
      EXPECT_TRUE(std::equal(words.begin(), words.end(), p.words.begin(), p.words.end())) << p.text;
    }
    all += fmt::format("constexpr std::uint32_t {}[] = {{", p.name);
    for (std::size_t i = 0; i < words.size(); ++i)
      all += fmt::format("{}{:#x},", i % 16 ? " " : "\n    ", words[i]);
    all += "\n};\n";
  }
  if (bless) std::ofstream(folder + "opencl/probe_words.inc") << all;
}

TEST(OpenClDialect, NamesMissingFeatures) {
  const std::string doubles =
      "kir 1\nkernel @doubles fp(strict) facts(contiguous) flat (%0: view<f64, 1>) {\n  %1: i64 = thread_idx {0}\n"
      "  %2: f64 = load %0, %1\n  store.f64 %0, %1, %2\n  return\n}\n";
  EXPECT_EQ(
      failure(doubles, "spirv-cl features=i64,i8"),
      "operation load: a 64-bit float needs the device feature \"f64\", which the device lacks");
  const std::string number =
      "kir 1\nkernel @number fp(strict) facts(contiguous) flat (%0: view<f32, 1>, %1: f64) {\n  %2: i64 = thread_idx {0}\n"
      "  %3: f32 = cast %1\n  store.f32 %0, %2, %3\n  return\n}\n";
  EXPECT_EQ(failure(number, "spirv-cl features=i64,i8"),
            "parameter 1: a 64-bit float needs the device feature \"f64\", which the device lacks");
  const std::string adds =
      "kir 1\nkernel @adds fp(strict) facts(contiguous) flat (%0: view<u64, 1>) {\n  %1: i64 = thread_idx {0}\n"
      "  %2: u64 = const 1\n  %3: u64 = atomic_add %0, %1, %2\n  return\n}\n";
  EXPECT_EQ(
      failure(adds, "opencl"),
      "operation atomic_add: a 64-bit atomic needs the device feature \"a64\", which the device lacks");
  const std::string lanes =
      "kir 1\nkernel @lanes fp(strict) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: i64 = thread_idx {0}\n"
      "  %2: i32 = lane_id\n  store.i32 %0, %1, %2\n  return\n}\n";
  EXPECT_EQ(
      failure(lanes, "opencl"),
      "operation lane_id: an operation of a warp needs sub-groups (the device feature \"warp\"), which Krait "
      "does not use on OpenCL");
  const std::string shuffles =
      "kir 1\nkernel @shuffles fp(strict) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: i64 = thread_idx {0}\n"
      "  %2: i32 = load %0, %1\n  %3: i32 = const 1\n  %4: i32 = shuffle %2, %3 ; warps.cpp:12\n  store.i32 %0, %1, %4\n  "
      "return\n}\n";
  EXPECT_EQ(failure(shuffles, "opencl"),
            "operation shuffle (warps.cpp:12): an operation of a warp needs sub-groups "
            "(the device feature \"warp\"), which Krait does not use on OpenCL");
}

TEST(OpenClDialect, HasNothingOfShaders) {
  const std::string text = compile(ir::print(kernel_of("reversed")), "opencl", codegen::Emit::Asm);
  for (const char* word : {"Shader", "GLSL", "NoContraction", "PhysicalStorageBuffer",
                           "CompositeConstruct", "PushConstant"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << "\n" << text;
  EXPECT_NE(text.find("OpExecutionMode %krait_kernel ContractionOff"), std::string::npos) << text;
}

TEST(OpenClDialect, FastModeLetsDriversInvertDivisors) {
  const auto divides = [](const char* mode) {
    return compile(
        fmt::format(
            "kir 1\nkernel @divides fp({}) facts(contiguous) flat (%0: view<f32, 1>, %1: f32) {{\n  %2: i64 = thread_idx {{0}}\n"
            "  %3: f32 = load %0, %2\n  %4: f32 = div %3, %1\n  %5: f32 = add %4, %1\n  store.f32 %0, %2, %5\n  return\n}}\n",
            mode),
        "opencl", codegen::Emit::Asm);
  };
  EXPECT_NE(divides("fast").find("FPFastMathMode AllowRecip"), std::string::npos);
  EXPECT_EQ(divides("fast").find("FPFastMathMode Fast"), std::string::npos);
  EXPECT_EQ(divides("native").find("FPFastMathMode"), std::string::npos);
}

TEST(OpenClDialect, FastModeSumsALoopInAnyOrderButNotWhereTheSumIsLookedAt) {
  const auto marked = [](const std::string& body, const char* mode = "fast",
                         const char* target = "spirv-cl features=i64,i8,sums") {
    const std::string text = compile(
        fmt::format(
            "kir 1\nkernel @sums fp({}) facts(contiguous) flat (%0: view<f32, 1>, %1: i64) {{\n  %2: i64 = thread_idx {{0}}\n"
            "  %3: f32 = load %0, %2\n  %4: f32 = for %1, %3 {{\n  ^(%5: i64, %6: f32):\n    %7: f32 = load %0, %5\n{}  }}\n"
            "  store.f32 %0, %2, %4\n  return\n}}\n",
            mode, body),
        target, codegen::Emit::Asm);
    std::size_t count = 0;
    for (std::size_t at = 0;
         (at = text.find("AllowContractFastINTEL|AllowReassocINTEL", at)) != std::string::npos;
         ++at)
      ++count;
    EXPECT_EQ(text.find("FPFastMathModeINTEL") != std::string::npos, count != 0) << text;
    return count;
  };
  const std::string
      add = "    %8: f32 = add %7, %6\n    continue %8\n",
      fma = "    %8: f32 = fma %7, %7, %6\n    continue %8\n",
      two = "    %8: f32 = sub %6, %7\n    %9: f32 = add %8, %7\n    continue %9\n",
      product = "    %8: f32 = fma %6, %7, %7\n    continue %8\n",
      looked_at =
          "    %8: f32 = add %7, %6\n    %9: f32 = sub %8, %6\n    store.f32 %0, %5, %9\n    continue %8\n",
      stored = "    %8: f32 = add %7, %6\n    store.f32 %0, %5, %8\n    continue %8\n",
      taken_from = "    %8: f32 = sub %7, %6\n    continue %8\n";
  EXPECT_EQ(marked(add), 1);
  EXPECT_EQ(marked(fma), 1);
  EXPECT_EQ(marked(two), 2);
  for (const std::string& other : {product, looked_at, stored, taken_from})
    EXPECT_EQ(marked(other), 0) << other;
  EXPECT_EQ(marked(add, "native"), 0);
  EXPECT_EQ(marked(add, "fast", "spirv-cl features=i64,i8"), 0);
}

TEST(OpenClDialect, AProcessorsDriverMakesVectorsOfThreadsByItself) {
  const auto widens = [](const char* features,
                         const std::string& body = "    %5: f32 = add %4, %4\n") {
    ir::ParseResult parsed = ir::parse(
        "kir 1\nkernel @doubled fp(native) facts(contiguous, aligned, small, disjoint) (%0: view<f32, 1, const>, %1: view<f32, "
        "1>) {\n"
        "  %2: i64 = extent %1 {0}\n  grid_stride %2 {\n  ^(%3: i64):\n    %4: f32 = load %0, %3\n" +
        body + "    store.f32 %1, %3, %5\n    continue\n  }\n  return\n}\n");
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(passes::run_pipeline(parsed.module, support::parse_target(features).target), "");
    return ir::print(parsed.module).find("load_vec") != std::string::npos;
  };
  EXPECT_TRUE(widens("spirv-cl features=i64,i8,functions"));
  EXPECT_FALSE(widens("spirv-cl features=i64,i8"));
  // branches, and four in a row are a vector as well
  EXPECT_TRUE(widens("spirv-cl features=i64,i8", "    %5: f32 = log %4\n"));
}

TEST(OpenClDialect, KeepsTheOrderOfAccessesWhereAThreadComesBack) {
  const auto has_volatile = [](const std::string& body, const char* facts, const char* features) {
    const std::string text = fmt::format(
        "kir 1\nkernel @order fp(strict) facts({}) flat (%0: view<i32, 1>, %1: view<i32, 1>, %2: i32) {{\n"
        "  %3: i64 = thread_idx {{0}}\n  %4: i64 = const 1\n  %5: i64 = add %3, %4\n{}  return\n}}\n",
        facts, body);
    return compile(text, features, codegen::Emit::Asm).find("Volatile") != std::string::npos;
  };
  const char *quirk = "spirv-cl features=i64,i8,regroups", *disjoint = "contiguous, disjoint";
  const std::string first = "  store.i32 %0, %3, %2\n", next = "  store.i32 %0, %5, %2\n",
                    other = "  store.i32 %1, %3, %2\n";
  const std::string known = "  %6: i64 = const 3\n  store.i32 %0, %6, %2\n",
                    load = "  %7: i32 = load %0, %3\n", barrier = "  barrier\n";
  EXPECT_TRUE(has_volatile(first + known, disjoint, quirk));
  EXPECT_FALSE(has_volatile(first + known, disjoint, "spirv-cl features=i64,i8"));
  EXPECT_TRUE(has_volatile(first + load, disjoint, quirk));
  EXPECT_FALSE(has_volatile(load + first + next, disjoint, quirk));
  EXPECT_FALSE(has_volatile(first + barrier + load, disjoint, quirk));
  EXPECT_FALSE(has_volatile(first + other, disjoint, quirk));
  EXPECT_TRUE(has_volatile(first + other, "contiguous", quirk));
  const std::string loop =
      "  %8: i64 = const 9\n  for %4, %8 {\n  ^(%9: i64):\n    %10: i64 = add %3, %9\n";
  EXPECT_TRUE(
      has_volatile(loop + "    store.i32 %0, %10, %2\n    continue\n  }\n", disjoint, quirk));
  EXPECT_FALSE(has_volatile(loop + "    store.i32 %0, %10, %2\n    barrier\n    continue\n  }\n",
                            disjoint, quirk));
}

TEST(OpenClDialect, ListsTheParameters) {
  const std::string binary =
      compile(ir::print(kernel_of("reversed")), "opencl", codegen::Emit::Binary);
  const runtime::opencl::Blob blob(std::as_bytes(std::span(binary)), "reverse");
  using support::OpenClParameter;
  std::vector<OpenClParameter::Kind> kinds;
  for (const OpenClParameter& p : blob.parameters) kinds.push_back(p.kind);
  using enum OpenClParameter::Kind;
  EXPECT_EQ(kinds, (std::vector{View, Value, View, Value, Value, Shared}));
  EXPECT_EQ(blob.words[blob.facts.one_trip] & 0xffff, 49u);  // OpSpecConstantFalse
  EXPECT_THROW(
      runtime::opencl::Blob(std::as_bytes(std::span(binary)).first(binary.size() - 4), "reverse"),
      krait::error);
}

}  // namespace
}  // namespace krait::test
