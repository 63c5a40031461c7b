// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets and their texts: print and parse are inverse, each mistake has its message, and the
// tables say what is there.
#include "support/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace krait::support {
namespace {

/// The canonical text, or the message.
std::string read(std::string_view text) {
  const ParsedTarget parsed = parse_target(text);
  return parsed.error.empty() ? print(parsed.target) : parsed.error;
}

TEST(Target, TextsOfDevicesStayAsTheyAre) {
  for (
      const char* text :
      {"interpreter", "cpu x86-64 lanes=16 cpu=x86-64-v4 tune=znver4",
       "cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4 tune=icelake-server",
       "cpu x86-64 lanes=4 parts=1 cpu=x86-64-v2 tune=x86-64-v2",
       "cpu x86-64 lanes=8 parts=2 cpu=x86-64-v2 tune=znver4 features=+avx2,+fma effort=quick debug=on",
       "ptx sm=75 isa=63", "ptx sm=90 isa=81", "ptx sm=90a isa=80",
       "spirv features= subgroup=0 push=128",
       "wgsl features=warp subgroup=32 buffers=10 shared=32768 threads=1024",
       "spirv "
       "features=i64,f64,i16,i8,f16,a64,sa64,fadd32,vmm,warp,szin16,szin32,szin64,rte16,rte32,rte64,hide0,"
       "joins,round16,round32,walks,"
       "div32,sqrt32,rsqrt32,div64,sqrt64,whole64 subgroup=8 push=128"})
    EXPECT_EQ(read(text), text);
}

TEST(Target, EveryWordOfTheTables) {
  for (unsigned f = 0; f < 64; ++f) {
    if (Feature(f) > Feature::Unvalidated) continue;
    Target target{TargetKind::Spirv};
    target.spirv.features.set(Feature(f));
    const ParsedTarget parsed = parse_target(print(target));
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(parsed.target.spirv, target.spirv) << word_of(Feature(f));
  }
  for (const unsigned sm : {75u, 80u, 86u, 87u, 89u, 90u, 100u, 103u, 120u, 121u})
    for (const bool specific : {false, true}) {
      if (!isa_needed(sm, specific)) continue;
      Target target{TargetKind::Ptx};
      target.ptx = {sm, specific, isa_needed(sm, specific)};
      EXPECT_EQ(parse_target(print(target)).target.ptx, target.ptx) << print(target);
    }
}

TEST(Target, ShortTextsAndDefaults) {
  EXPECT_EQ(read("sm_75"), "ptx sm=75 isa=80");
  EXPECT_EQ(read("sm_90"), "ptx sm=90 isa=80");
  EXPECT_EQ(read("sm_90a"), "ptx sm=90a isa=80");
  EXPECT_EQ(read("sm_100a"), "ptx sm=100a isa=86");
  EXPECT_EQ(read("sm_103"), "ptx sm=103 isa=88");
  EXPECT_EQ(read("sm_120"), "ptx sm=120 isa=87");
  EXPECT_EQ(read(" ptx  isa=80 sm=90 "), "ptx sm=90 isa=80");
  EXPECT_EQ(
      read("vulkan"),
      "spirv features=i64,f64,i16,i8,f16,a64,sa64,vmm,warp,rte16,rte32,rte64,div32,sqrt32,div64,sqrt64,whole64 subgroup=32 "
      "push=128");
  EXPECT_EQ(read("spirv"), read("vulkan"));
  EXPECT_EQ(read("opencl"),
            "spirv-cl features=i64,f64,i16,i8,fma32,div32,sqrt32,fma64,div64,sqrt64,whole64");
  EXPECT_EQ(read("spirv-cl"), read("opencl"));
  EXPECT_EQ(read("spirv-cl features=f64,i64"), "spirv-cl features=i64,f64");
  EXPECT_EQ(read("spirv-cl push=128"),
            "target \"spirv-cl push=128\": \"push=128\": expected features=");
  EXPECT_EQ(read("webgpu"), "wgsl features= subgroup=0 buffers=8 shared=16384 threads=256");
  EXPECT_EQ(read("wgsl"), read("webgpu"));
  EXPECT_EQ(read("wgsl f64=double-single"), read("webgpu") + " f64=double-single");
  EXPECT_EQ(read("spirv features=f64,i64"), "spirv features=i64,f64 subgroup=0 push=128");
  EXPECT_EQ(read("cpu x86-64 lanes=8 cpu=x86-64-v3"),
            "cpu x86-64 lanes=8 cpu=x86-64-v3 tune=x86-64-v3");
  EXPECT_EQ(read("cpu x86-64 effort=best"), "cpu x86-64 lanes=1 cpu=x86-64-v2 tune=x86-64-v2");
}

TEST(Target, MistakesNameTheWordAndWhatWasExpected) {
  const std::string kinds =
      ": expected sm_75 … sm_121, cpu, x86-64-v2 … x86-64-v4, vulkan, opencl, webgpu, or a full target string as printed by "
      "`krait devices`";
  EXPECT_EQ(read(""), "unknown target \"\"" + kinds);
  EXPECT_EQ(read("metal"), "unknown target \"metal\"" + kinds);
  EXPECT_EQ(read("vulkan push=128"), "unknown target \"vulkan push=128\"" + kinds);
  EXPECT_EQ(read("interpreter fast"),
            "target \"interpreter fast\": \"fast\": expected nothing more");
  const std::string sms =
      ": expected a compute capability: one of 75, 80, 86, 87, 89, 90, 90a, 100, 100a, 103, 103a, 120, 120a, 121, 121a";
  EXPECT_EQ(read("sm_60"), "target \"sm_60\": \"sm_60\"" + sms);
  EXPECT_EQ(read("sm_90b"), "target \"sm_90b\": \"sm_90b\"" + sms);
  EXPECT_EQ(read("ptx sm=new isa=80"), "target \"ptx sm=new isa=80\": \"sm=new\"" + sms);
  EXPECT_EQ(read("ptx sm=89a"), "target \"ptx sm=89a\": \"sm=89a\"" + sms);
  EXPECT_EQ(
      read("ptx sm=90 isa=79"),
      "target \"ptx sm=90 isa=79\": \"isa=79\": expected a PTX version: one of 63, 64, 65, 70, 71, 72, 73, "
      "74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88");
  EXPECT_EQ(read("ptx sm=90a isa=78"),
            "target \"ptx sm=90a isa=78\": \"isa=78\": expected 80 or later, which sm_90a needs");
  EXPECT_EQ(read("ptx"), "target \"ptx\": expected sm= after ptx");
  EXPECT_EQ(read("ptx sm=90 two"), "target \"ptx sm=90 two\": \"two\": expected sm= or isa=");
  EXPECT_EQ(read("ptx sm=90 sm=80"), "target \"ptx sm=90 sm=80\": \"sm=80\": sm= is given twice");
  EXPECT_EQ(read("cpu"), "target \"cpu\": expected x86-64 after cpu");
  EXPECT_EQ(read("cpu lanes=4"), "target \"cpu lanes=4\": \"lanes=4\": expected x86-64 after cpu");
  EXPECT_EQ(read("cpu x86-64 lanes=3"),
            "target \"cpu x86-64 lanes=3\": \"lanes=3\": expected one of 1, 2, 4, 8, 16, 32, 64");
  EXPECT_EQ(read("cpu x86-64 parts=16"),
            "target \"cpu x86-64 parts=16\": \"parts=16\": expected one of 1, 2, 4, 8");
  EXPECT_EQ(read("cpu x86-64 debug=yes"),
            "target \"cpu x86-64 debug=yes\": \"debug=yes\": expected on or off");
  EXPECT_EQ(
      read("cpu x86-64 cpu="),
      "target \"cpu x86-64 cpu=\": \"cpu=\": expected lanes=, parts=, cpu=, tune=, features=, effort= or debug=, with a value");
  EXPECT_EQ(read("cpu x86-64 effort=slow"),
            "target \"cpu x86-64 effort=slow\": \"effort=slow\": expected quick or best");
  EXPECT_EQ(read("cpu x86-64 debug=maybe"),
            "target \"cpu x86-64 debug=maybe\": \"debug=maybe\": expected on or off");
  EXPECT_EQ(read("cpu x86-64 features=+fma,-sse2"),
            "target \"cpu x86-64 features=+fma,-sse2\": \"features=+fma,-sse2\": features of the "
            "processor can only be added: expected +…, not \"-sse2\"");
  EXPECT_EQ(
      read("spirv features=i64,f65"),
      "target \"spirv features=i64,f65\": \"f65\": expected features of i64, f64, i16, i8, f16, a64, sa64, fadd32, fadd64, "
      "vmm, warp, clock, coop, coopbf16, functions, sums, szin16, "
      "szin32, szin64, rte16, rte32, rte64, keep16, keep32, keep64, hide0, joins, round16, round32, walks, swap16, "
      "count16, wide31, quot64, bool0, neg16, regroups, rintfaults, "
      "fma32, nfma32, div32, sqrt32, rsqrt32, order32, power32, fma64, div64, sqrt64, whole64, fma16, debug, debuginfo, "
      "unvalidated");
  EXPECT_EQ(read("spirv subgroup=many"),
            "target \"spirv subgroup=many\": \"subgroup=many\": expected a number up to 128");
  EXPECT_EQ(
      read("wgsl push=1"),
      "target \"wgsl push=1\": \"push=1\": expected features=, subgroup=, buffers=, shared=, threads= or f64=double-single");
  EXPECT_EQ(read("wgsl buffers=65"),
            "target \"wgsl buffers=65\": \"buffers=65\": expected a number up to 64");
  EXPECT_EQ(read("spirv push=-1"),
            "target \"spirv push=-1\": \"push=-1\": expected a number up to 65536");
  EXPECT_EQ(read("spirv lanes=4"),
            "target \"spirv lanes=4\": \"lanes=4\": expected features=, subgroup= or push=");
}

TEST(Target, Processors) {
  const auto level = [](std::string_view text) { return parse_target(text).target.cpu.level(); };
  EXPECT_EQ(level("cpu x86-64 cpu=x86-64-v2"), CpuLevel::Sse42);
  EXPECT_EQ(level("cpu x86-64 cpu=x86-64-v3"), CpuLevel::Avx2);
  EXPECT_EQ(level("cpu x86-64 cpu=x86-64-v2 features=+fma,+avx2"), CpuLevel::Avx2);
  EXPECT_EQ(level("cpu x86-64 cpu=x86-64-v4"), CpuLevel::Avx512);
  EXPECT_EQ(level("cpu x86-64 features=+avx512vl"), CpuLevel::Avx512);
}

TEST(Target, PtxOfDevicesAndDrivers) {
  EXPECT_EQ(known_sm(70), 0u);
  EXPECT_EQ(known_sm(88), 87u);
  EXPECT_EQ(known_sm(130), 121u);
  EXPECT_EQ(isa_of_driver(9020), 0u);
  EXPECT_EQ(isa_of_driver(11040), 74u);
  EXPECT_EQ(isa_of_driver(12060), 85u);
  EXPECT_EQ(isa_of_driver(12090), 88u);
  EXPECT_EQ(isa_of_driver(13010), 88u);
  EXPECT_EQ(isa_needed(90), 78u);
  EXPECT_EQ(isa_needed(90, true), 80u);
  EXPECT_EQ(isa_needed(89, true), 0u);
  EXPECT_EQ(writable({100, false, 80}), (PtxTarget{90, false, 80}));
  EXPECT_EQ(writable({103, false, 86}), (PtxTarget{100, false, 86}));
  EXPECT_EQ(writable({90, true, 80}).name(), "sm_90a");
}

/// What shows a driver's fault, and what goes around it, is there.
TEST(Target, QuirksAreWhereTheirRowsSay) {
  namespace fs = std::filesystem;
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(KRAIT_SOURCE_DIR "/tests"))
    if (entry.path().extension() == ".cpp") {
      std::ifstream in(entry.path());
      tests.append(std::istreambuf_iterator<char>(in), {});
    }
  EXPECT_GT(quirks().size(), 20u);
  const auto refuses = [](const Quirk& quirk) {
    return quirk.cure == std::string_view("refused beyond 79");
  };
  EXPECT_EQ(std::count_if(quirks().begin(), quirks().end(), refuses), 1);
  for (const Quirk& quirk : quirks()) {
    EXPECT_FALSE(quirk.versions.empty()) << quirk.symptom;
    if (quirk.cure.find('/') != quirk.cure.npos) {
      EXPECT_TRUE(fs::exists(fs::path(KRAIT_SOURCE_DIR) / quirk.cure)) << quirk.cure;
    }
    std::string probe(quirk.probe);
    const std::size_t dot = probe.find('.');
    if (dot == probe.npos) {
      EXPECT_TRUE(probe == "op_matrix" || probe == "random_kernels") << probe;
      continue;
    }
    if (const std::string folder = probe.substr(0, dot);
        folder == "kernels" || folder == "drivers") {
      EXPECT_TRUE(fs::exists(fs::path(KRAIT_SOURCE_DIR "/tests") / folder /
                             (probe.substr(dot + 1) + ".kir")))
          << probe;
      continue;
    }
    probe.replace(dot, 1, ", ");
    EXPECT_NE(tests.find("(" + probe + ")"), tests.npos) << "no test " << quirk.probe;
  }
}

}  // namespace
}  // namespace krait::support
