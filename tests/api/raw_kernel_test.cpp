// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose code is given: examples/33_raw_kernel.cpp has one in all languages.
#include "krait/raw_kernel.h"

#include <string>
#include <vector>

#include "expect.h"

namespace krait::test {
namespace {

using kr::raw_language;
using scale_type = void(float, kr::view<float>);

/// Has an array, so it is passed as its bytes.
struct Pair {
  double z[2];
};

/// x[i] *= a by a function of one thread. `takes`: its parameters.
std::string scale_ir(const std::string& takes = "float %a, ptr %x, i64 %size, i64 %step, ptr %at") {
  return "define void @scale(" + takes + R"() {
  %thread = load i64, ptr %at
  %block_idx = getelementptr i64, ptr %at, i64 3
  %block = load i64, ptr %block_idx
  %block_dim = getelementptr i64, ptr %at, i64 6
  %threads = load i64, ptr %block_dim
  %first = mul i64 %block, %threads
  %i = add i64 %first, %thread
  %inside = icmp ult i64 %i, %size
  br i1 %inside, label %then, label %end
then:
  %number = mul i64 %i, %step
  %element = getelementptr float, ptr %x, i64 %number
  %value = load float, ptr %element
  %product = fmul float %a, %value
  store float %product, ptr %element
  br label %end
end:
  ret void
}
)";
}
std::string scale_ptx(
    const std::string& takes = ".param .f32 a, .param .u64 x, .param .u64 size, .param .u64 step") {
  return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry scale(" + takes +
         ")\n{\n  ret;\n}\n";
}

auto raw_scale(const std::string& text, raw_language language, const char* entry = "scale") {
  return kr::raw_kernel<scale_type>(text, {.language = language, .entry = entry});
}
kr::array<float> on_cpu(const std::vector<float>& x) {
  kr::array<float> out({std::int64_t(x.size())}, kr::device::cpu());
  out.copy_from(x);
  return out;
}

TEST(RawKernel, LlvmIrRunsOnTheCpu) {
  const auto scale = raw_scale(scale_ir(), raw_language::llvm_ir);
  kr::array<float> x = on_cpu(std::vector<float>(1000, 1.0f));
  scale.launch({8, 128}, 3.0f, x);
  EXPECT_EQ(std::vector<float>(x.to_host()), std::vector<float>(1000, 3.0f));
  auto every_second = x(kr::range(0, 1000, 2));
  scale.forall(500)(2.0f, every_second);
  const std::vector<float> halves = x.to_host();
  EXPECT_EQ(halves[998], 6.0f);
  EXPECT_EQ(halves[999], 3.0f);
  scale.launch({0, 128}, 3.0f, x);  // nothing to run
}

TEST(RawKernel, PlacesInLaunchesOfThreeDimensions) {
  const auto places = kr::raw_kernel<void(kr::view<std::int64_t, 2>)>(
      R"(
define void @places(ptr %out, i64 %rows, i64 %columns, i64 %row, i64 %column, ptr %at) noinline {
  br label %words
words:  ; the thread's number in its launch is the row
  %d = phi i64 [ 0, %0 ], [ %next, %words ]
  %number = phi i64 [ 0, %0 ], [ %sum, %words ]
  %back = sub i64 2, %d
  %thread.at = getelementptr i64, ptr %at, i64 %back
  %thread = load i64, ptr %thread.at
  %block.at = getelementptr i64, ptr %thread.at, i64 3
  %block = load i64, ptr %block.at
  %threads.at = getelementptr i64, ptr %thread.at, i64 6
  %threads = load i64, ptr %threads.at
  %blocks.at = getelementptr i64, ptr %thread.at, i64 9
  %blocks = load i64, ptr %blocks.at
  %all = mul i64 %threads, %blocks
  %first = mul i64 %block, %threads
  %place = add i64 %first, %thread
  %scaled = mul i64 %number, %all
  %sum = add i64 %scaled, %place
  %next = add i64 %d, 1
  %more = icmp ult i64 %next, 3
  br i1 %more, label %words, label %copy
copy:
  %row.from = mul i64 %sum, %row
  %to = getelementptr i64, ptr %out, i64 %row.from
  br label %each
each:
  %i = phi i64 [ 0, %copy ], [ %i.next, %each ]
  %from = getelementptr i64, ptr %at, i64 %i
  %value = load i64, ptr %from
  %offset = mul i64 %i, %column
  %element = getelementptr i64, ptr %to, i64 %offset
  store i64 %value, ptr %element
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, %columns
  br i1 %again, label %each, label %end
end:
  ret void
}
)",
      {.language = raw_language::llvm_ir, .entry = "places"});
  const kr::dims grid{2, 3, 4}, block{5, 2, 3};
  kr::array<std::int64_t, 2> out({10 * 6 * 12, 12}, kr::device::cpu());
  places.launch({grid, block}, out);
  const std::vector<std::int64_t> all = out.to_host();
  for (std::int64_t z = 0; z < 12; ++z)
    for (std::int64_t y = 0; y < 6; ++y)
      for (std::int64_t x = 0; x < 10; ++x) {
        const std::int64_t expected[] = {x % 5, y % 2, z % 3, x / 5, y / 2, z / 3,
                                         5,     2,     3,     2,     3,     4};
        const auto row = std::size_t((z * 6 + y) * 10 + x) * 12;
        for (std::size_t i = 0; i < 12; ++i)
          ASSERT_EQ(all[row + i], expected[i]) << x << " " << y << " " << z << ": " << i;
      }
}

TEST(RawKernel, ItemsOfAllKinds) {
  const auto sum =
      kr::raw_kernel<void(bool, std::int8_t, std::uint16_t, Pair, double, kr::view<double>)>(
          R"(
define void @total(i1 %b, i8 %c, i16 %s, ptr %z, double %d, ptr %out, i64 %size, i64 %step, ptr %at) {
  %b.d = uitofp i1 %b to double
  %c.d = sitofp i8 %c to double
  %s.d = uitofp i16 %s to double
  %re = load double, ptr %z
  %im.at = getelementptr double, ptr %z, i64 1
  %im = load double, ptr %im.at
  %1 = fadd double %b.d, %c.d
  %2 = fadd double %1, %s.d
  %3 = fadd double %2, %re
  %4 = fadd double %3, %im
  %5 = fadd double %4, %d
  store double %5, ptr %out
  ret void
}
)",
          {.language = raw_language::llvm_ir, .entry = "total"});
  kr::array<double> out({1}, kr::device::cpu());
  sum.launch({1, 1}, true, std::int8_t(-3), std::uint16_t(65000), Pair{{0.25, 0.5}}, 1000.0, out);
  EXPECT_EQ(out.to_host()[0], 1 - 3 + 65000 + 0.25 + 0.5 + 1000);
}

TEST(RawKernel, OfAnyNameAndInBlocksOfAnySize) {
  std::string ir = scale_ir();
  ir.replace(ir.find("@scale"), 6, "@entry");  // what the code around it is called
  const auto scale =
      kr::raw_kernel<scale_type>(ir, {.language = raw_language::llvm_ir, .entry = "entry"});
  kr::array<float> x = on_cpu(std::vector<float>(77, 1.0f));
  scale.launch({3, kr::dims{30, 1, 1}}, 4.0f, x);
  EXPECT_EQ(std::vector<float>(x.to_host()), std::vector<float>(77, 4.0f));
}

TEST(RawKernel, EqualTextsAreCompiledOnce) {
  kr::array<float> x = on_cpu({1});
  raw_scale(scale_ir(), raw_language::llvm_ir).launch({1, 1}, 2.0f, x);
  const auto before = kr::stats().compiled() + kr::stats().from_disk();
  raw_scale(scale_ir(), raw_language::llvm_ir).launch({1, 1}, 2.0f, x);
  EXPECT_EQ(kr::stats().compiled() + kr::stats().from_disk(), before);
  std::string other = scale_ir();
  other.replace(other.find("fmul"), 4, "fadd");
  raw_scale(other, raw_language::llvm_ir).launch({1, 1}, 2.0f, x);
  EXPECT_EQ(x.to_host()[0], 6.0f);
}

TEST(RawKernel, WhatIsNoRawKernelIsRefused) {
  expect_usage({"raw kernel scale: its text in PTX is empty"},
               [] { raw_scale("", raw_language::ptx); });
  expect_usage({"raw kernel scale: its text in PTX is empty"},
               [] { raw_scale(std::string(1, '\0'), raw_language::ptx); });
  expect_usage({"a raw kernel in WGSL has no entry: name the kernel in its text, {.entry = \"…\"}"},
               [] { raw_scale("fn", raw_language::wgsl, ""); });
  expect_usage(
      {"a raw kernel in LLVM IR has no entry: name the kernel in its text, {.entry = \"…\"}"},
      [] { raw_scale(scale_ir(), raw_language::llvm_ir, nullptr); });
  expect_usage({"raw kernel scale: it has two texts in LLVM IR"}, [] {
    const std::string ir = scale_ir();
    const kr::raw_options with{raw_language::llvm_ir, "scale"};
    kr::raw_kernel<scale_type>({{ir, with}, {ir, with}});
  });
  expect_usage({"a raw kernel has no text"},
               [] { kr::raw_kernel<scale_type>(std::initializer_list<kr::raw_text>{}); });
  expect_usage({"a raw kernel is in language 9, which is not in kr::raw_language"},
               [] { raw_scale("x", raw_language(9)); });
}

TEST(RawKernel, LanguagesThatADeviceDoesNotTake) {
  const auto in_ptx = raw_scale(scale_ptx(), raw_language::ptx);
  kr::array<float> x = on_cpu({1});
  const std::string where = place(__LINE__ - 2);
  expect_usage(
      {"kernel scale ({}raw_kernel_test.cpp:{}) is given in PTX, but the target cpu takes LLVM IR: give that, too, or launch it on another device"},
      [&] {
        in_ptx.launch({1, 1}, 2.0f, x);
      });
  const std::string ir = scale_ir(), ptx = scale_ptx();
  const auto in_both = kr::raw_kernel<scale_type>(
      {{ptx, {raw_language::ptx, "scale"}}, {ir, {raw_language::llvm_ir, "scale"}}});
  in_both.launch({1, 1}, 2.0f, x);
  EXPECT_EQ(x.to_host()[0], 2.0f);
  expect_usage(
      {"kernel scale ({}) is given in PTX and LLVM IR, but the target spirv takes SPIR-V: give that, too, or launch it on another device"},
      [&] { in_both.spirv(); });
  expect_usage(
      {"kernel scale ({}) is given in PTX and LLVM IR, but the target spirv-cl does not take raw code: launch it on another device"},
      [&] { in_both.assembly(kr::target("opencl")); });
}

TEST(RawKernel, TextsAreShown) {
  const auto in_ptx = raw_scale(scale_ptx(), raw_language::ptx);
  EXPECT_EQ(std::string(in_ptx.ptx()), scale_ptx());
  const auto in_ir = raw_scale(scale_ir(), raw_language::llvm_ir);
  EXPECT_NE(std::string(in_ir.llvm(kr::target::cpu())).find("fmul"), std::string::npos);
  EXPECT_NE(std::string(in_ir.assembly(kr::target::cpu())).find("mulps"), std::string::npos);
  expect_usage({"kernel scale ({}) was not recorded, so it has no ir to show"},
               [&] { in_ir.ir(); });
  expect_usage({"kernel scale ({}) was not recorded, so it has no hints to show"},
               [&] { in_ir.hints(); });
  expect_error(kr::error::kind_type::compile,
               {"the kernel is given in PTX: there is no LLVM IR to show"},
               [&] { in_ptx.llvm(kr::target::sm(90)); });
  expect_usage({"kernel scale ({}) is given as code, but packs hold recorded kernels"},
               [&] { kr::pack("/nowhere", in_ir); });
}

// ---- what is wrong with a text ------------------------------------------------------------------

void expect_ir(const std::string& ir, std::initializer_list<std::string> parts) {
  const auto kernel = raw_scale(ir, raw_language::llvm_ir);
  kr::array<float> x = on_cpu({1});
  expect_error(kr::error::kind_type::compile, parts, [&] { kernel.launch({1, 1}, 2.0f, x); });
  expect_library_works();
}

TEST(RawKernel, WrongLlvmIr) {
  expect_ir(
      "definitely not",
      {"kernel scale ({}): LLVM 22 cannot read the LLVM IR, line 1, column 1: expected top-level entity"});
  expect_ir(
      "define void @scale() {\n  %1 = add i32 %nobody, 1\n  ret void\n}\n",
      {"LLVM 22 cannot read the LLVM IR, line 2, column {}: use of undefined value '%nobody'"});
  expect_ir(std::string("BC\xC0\xDE and no bitcode"), {"LLVM 22 cannot read the LLVM IR"});
  expect_ir(
      "define void @scale(i32 %x) {\n  br label %1\n1:\n  %2 = phi i32 [ 0, %1 ]\n  ret void\n}\n",
      {"LLVM's verifier rejects the LLVM IR: PHI node entries do not match predecessors!"});
  expect_ir(
      "define void @one() {\n  ret void\n}\ndefine void @two() {\n  ret void\n}\ndeclare void @scale()\n",
      {"the LLVM IR has no kernel \"scale\"; it has one, two"});
  expect_ir("declare void @scale()\n", {"the LLVM IR has no kernel \"scale\", nor any other"});
  expect_ir("target triple = \"aarch64-linux-gnu\"\n" + scale_ir(),
            {"the LLVM IR is for aarch64-linux-gnu, and this processor is an x86-64"});
  expect_ir(
      "define i32 @scale() {\n  ret i32 1\n}\n",
      {"the function scale of the LLVM IR returns i32: a kernel must return void and take the items of the launch"});
  expect_ir(
      "define void @scale(...) {\n  ret void\n}\n",
      {"the function scale of the LLVM IR returns void, and takes any number of parameters: a kernel must return void and take the items of the launch"});
  expect_ir(
      "define void @scale(float %a, ptr %x) {\n  ret void\n}\n",
      {"the function scale of the LLVM IR takes 2 parameters, and the launch gives 4 and a ptr to where the thread is:\n"
       "  at   0: a float of 4 bytes, parameter 1 (f32)\n"
       "  at   8: an address of 8 bytes, the address of parameter 2 (view<f32, 1>)\n"
       "  at  16: an integer of 8 bytes, extent 0 of parameter 2 (view<f32, 1>)\n"
       "  at  24: an integer of 8 bytes, stride 0 of parameter 2 (view<f32, 1>)"});
  expect_ir(scale_ir("double %a, ptr %x, i64 %size, i64 %step, ptr %at").replace(0, 0, ""),
            {"LLVM 22 cannot read the LLVM IR"});
  expect_ir(
      "define void @scale(float %a, ptr %x, i32 %size, i64 %step, ptr %at) {\n  ret void\n}\n",
      {"the parameter 3 of the LLVM IR's function scale is i32, and the launch gives an integer of 8 bytes: extent 0 of "
       "parameter "
       "2 (view<f32, 1>)"});
  expect_ir(
      "define void @scale(float %a, ptr %x, i64 %size, i64 %step, i64 %at) {\n  ret void\n}\n",
      {"the last parameter of the LLVM IR's function scale is i64, and the launch gives a ptr to where the thread is"});
}

TEST(RawKernel, LlvmIrThatIsNotWhole) {
  const std::string head =
      "define void @scale(float %a, ptr %x, i64 %size, i64 %step, ptr %at) {\n";
  expect_ir("declare void @other()\n" + head + "  call void @other()\n  ret void\n}\n",
            {"the CPU code calls other, which it does not contain"});
  expect_ir("@count = global i32 0\n" + head +
                "  store i32 1, ptr @count\n  %v = load volatile i32, ptr @count\n  ret void\n}\n",
            {"the code needs writable data ("});
  expect_ir("@count = thread_local global i32 0\n" + head +
                "  store volatile i32 1, ptr @count\n  ret void\n}\n",
            {"the code needs writable data ("});
  expect_ir(
      "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]\n"
      "define void @begin() {\n  call void asm sideeffect \"nop\", \"\"()\n  ret void\n}\n" +
          head + "  ret void\n}\n",
      {"the code needs writable data ("});
  expect_ir(head + "  call void asm sideeffect \"bogus $0\", \"r\"(i64 %size)\n  ret void\n}\n",
            {"LLVM: <inline asm>:1:2: invalid instruction mnemonic 'bogus'"});
}

TEST(RawKernel, LoopsOfLlvmIrCallNothing) {
  const auto copy = kr::raw_kernel<void(kr::view<const float>, kr::view<float>)>(
      R"(
define void @copy(ptr noalias %x, i64 %x_size, i64 %x_step, ptr noalias %y, i64 %size, i64 %y_step, ptr %at) {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %from = getelementptr float, ptr %x, i64 %i
  %to = getelementptr float, ptr %y, i64 %i
  %value = load float, ptr %from
  store float %value, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %size
  br i1 %more, label %loop, label %end
end:
  ret void
}
)",
      {.language = raw_language::llvm_ir, .entry = "copy"});
  const kr::array<float> x = on_cpu(std::vector<float>(1000, 5.0f));
  kr::array<float> y = on_cpu(std::vector<float>(1000, 0.0f));
  copy.launch({1, 1}, x, y);
  EXPECT_EQ(y.to_host()[999], 5.0f);
}

void expect_ptx(const std::string& ptx, std::initializer_list<std::string> parts) {
  const auto kernel = raw_scale(ptx, raw_language::ptx);
  expect_error(kr::error::kind_type::compile, parts, [&] { kernel.ptx(); });
}

TEST(RawKernel, WrongPtx) {
  expect_ptx("not PTX", {"kernel scale ({}): the PTX has no kernel \"scale\", nor any other"});
  expect_ptx("// .entry scale\n/* .entry scale() */ .visible .entry other()\n{}\n.entry more()\n{}",
             {"the PTX has no kernel \"scale\"; it has other, more"});
  expect_ptx(
      scale_ptx(".param .f32 a"),
      {"the PTX's kernel scale takes 1 parameters, and the launch gives 4:\n  at   0: a float of 4 "
       "bytes, parameter 1 (f32)\n  at   8: an address of 8 bytes"});
  expect_ptx(
      scale_ptx(".param .f64 a, .param .u64 x, .param .u64 size, .param .u64 step"),
      {"the parameter a of the PTX's kernel scale is .f64 of 8 bytes at 0, and the launch gives a float of 4 bytes at 0: "
       "parameter 1 (f32)"});
  expect_ptx(
      scale_ptx(".param .u32 a, .param .u64 x, .param .u64 size, .param .u64 step"),
      {"the parameter a of the PTX's kernel scale is .u32 of 4 bytes at 0, and the launch gives a float of 4 bytes at 0"});
  expect_ptx(
      scale_ptx(".param .f32 a, .param .u64 x, .param .u32 size, .param .u64 step"),
      {"the parameter size of the PTX's kernel scale is .u32 of 4 bytes at 16, and the launch gives an integer of 8 bytes at 16: "
       "extent 0 of parameter 2 (view<f32, 1>)"});
  expect_ptx(
      scale_ptx(".param .align 16 .b8 a[4], .param .u64 x, .param .u64 size, .param .u64 step"),
      {"the parameter a of the PTX's kernel scale is .b8 of 4 bytes at 0, and the launch gives a float of 4 bytes at 0"});
  expect_ptx(
      scale_ptx("a"),
      {"the parameter \"a\" of the PTX's kernel scale was not understood: expected .param, a type and a name"});
  expect_ptx(".entry scale(.param .f32 a",
             {"the list of parameters of the PTX's kernel scale has no end"});
  expect_ptx(std::string(scale_ptx()).insert(5, 1, '\0'),
             {"the PTX has a zero byte in its middle: give text"});
}

TEST(RawKernel, PtxAsCompilersWriteIt) {
  const std::string ptx = scale_ptx(
      "\n\t.param .b32 scale_param_0,  // a\n\t.param .u64 .ptr .global .align 4 scale_param_1,\n\t.param.u64 scale_param_2,\n\t"
      ".param .align 8 .b64 scale_param_3\n");
  EXPECT_EQ(std::string(raw_scale(ptx + '\0', raw_language::ptx).ptx()), ptx);
  const auto of_struct = kr::raw_kernel<void(int, Pair)>(
      ".entry k(.param .u32 n, .param .align 16 .b8 z[16]) { ret; }",
      {.language = raw_language::ptx, .entry = "k"});
  EXPECT_NO_THROW(of_struct.ptx());
}

}  // namespace
}  // namespace krait::test
