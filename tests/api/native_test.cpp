// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and device functions of PTX in kernels: what CUDA devices get, what others run, and
// what does not fit.
#include <krait/native.h>

#include <cmath>
#include <string>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_library_works;
using krait::test::expect_usage;

constexpr const char* lerp_text = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) lerp(.param .b32 a, .param .b32 b, .param .b32 t)
{
  .reg .f32 %f<5>;
  ld.param.f32 %f1, [a];
  ld.param.f32 %f2, [b];
  ld.param.f32 %f3, [t];
  sub.f32 %f4, %f2, %f1;
  fma.rn.f32 %f4, %f4, %f3, %f1;
  st.param.f32 [result], %f4;
  ret;
}
)";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// All that there are: CUDA devices run the instructions, others the lambdas.
std::vector<kr::device> devices() {
  std::vector<kr::device> all{kr::device::find("interpreter")};
  for (const kr::device& d : kr::devices()) all.push_back(d);
  return all;
}

TEST(Native, InstructionsStandForCallsOnCuda) {
  auto kernel = kr::kernel([](kr::view<const float> x, kr::view<float> y, kr::view<int> bits) {
    auto i = kr::grid();
    y[i] = kr::inline_asm<float>(
        "fma.rn.f32 $0, $1, $2, $3;", [](auto a, auto b, auto c) { return kr::fma(a, b, c); }, x[i],
        2.0f, x[i] + 1);
    bits[i] = kr::inline_asm<int>(
        "{ .reg .b32 %low; and.b32 %low, $1, 255; popc.b32 $0, %low; }  // $ alone",
        [](auto v) { return kr::popcount(v & 255); }, bits[i]);
  });
  for (const kr::device& on : devices()) {
    kr::array<float> x({64}, on), y({64}, on);
    kr::array<int> bits({64}, on);
    std::vector<float> from(64);
    std::vector<int> words(64);
    for (int i = 0; i < 64; ++i)
      from[std::size_t(i)] = float(i) / 7, words[std::size_t(i)] = i * 2654435;
    x.copy_from(from), bits.copy_from(words);
    kernel.launch({2, 32}, x, y, bits);
    const std::vector<float> got = y.to_host();
    const std::vector<int> counts = bits.to_host();
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(got[i], std::fma(from[i], 2.0f, from[i] + 1)) << on.id();
      ASSERT_EQ(counts[i], kr::popcount(words[i] & 255)) << on.id();
    }
  }
  const std::string ptx(kernel.ptx().data());
  EXPECT_EQ(count(ptx, "popc.b32"), 1u) << ptx;
  EXPECT_EQ(count(ptx, ".reg .b32 %low;"), 1u) << ptx;
  EXPECT_EQ(count(ptx, "begin inline asm"), 2u) << ptx;
}

TEST(Native, OneFunctionForManyCalls) {
  auto root = kr::function([](auto v) { return 1.0f / kr::sqrt(v); },
                           {.name = "root", .ptx = "rsqrt.approx.f32 $0, $1;"});
  auto kernel = kr::kernel([&](kr::view<float> x) {
    auto i = kr::grid();
    auto twice = root(x[i]);
    x[i] = root(twice) + root(x[i]);  // the second call of the same is no other
  });
  for (const kr::device& on : devices()) {
    kr::array<float> x({4}, on);
    x.copy_from(std::vector<float>{1, 4, 16, 64});
    kernel.launch({1, 4}, x);
    const std::vector<float> got = x.to_host();
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(got[std::size_t(i)], std::pow(2.0, i / 2.0) + std::pow(2.0, -i), 1e-4) << on.id();
  }
  EXPECT_EQ(count(kernel.ptx().data(), "rsqrt.approx.f32"), 2u) << kernel.ptx().data();
  EXPECT_EQ(count(kernel.ptx().data(), "call"), 0u) << kernel.ptx().data();
}

TEST(Native, WhatHasEffectsStays) {
  auto kernel = kr::kernel([](kr::view<float> x) {
    kr::inline_asm<void>("membar.gl;", [] { kr::fence(); });
    auto unused = kr::inline_asm<float>("mov.b32 $0, 0f3F800000;", [] { return 1.0f; });
    (void)unused;
    kr::inline_asm<void>(
        "prefetchu.L1 [$1];", [](auto) {}, kr::cast<long>(x[0]));
    x[kr::grid()] = 2;
  });
  kr::array<float> x({2}, kr::device::find("cpu"));
  kernel.launch({1, 2}, x);
  EXPECT_EQ(std::vector<float>(x.to_host()), (std::vector<float>{2, 2}));
  const std::string ptx(kernel.ptx().data());
  EXPECT_EQ(count(ptx, "membar.gl"), 1u) << ptx;
  EXPECT_EQ(count(ptx, "prefetchu.L1"), 1u) << ptx;
  EXPECT_EQ(count(ptx, "0f3F800000"), 0u) << "a result that nobody uses: " << ptx;
}

TEST(Native, FunctionsOfAText) {
  auto lerp = kr::linked_function<float(float, float, float)>(
      "lerp", lerp_text, [](auto a, auto b, auto t) { return kr::fma(b - a, t, a); });
  auto kernel = kr::kernel([&](kr::view<float> x) {
    auto i = kr::grid();
    x[i] = lerp(1, x[i], 0.5f) + lerp(x[i], 0.0f, 0.25);
  });
  for (const kr::device& on : devices()) {
    kr::array<float> x({2}, on);
    x.copy_from(std::vector<float>{2, 4});
    kernel.launch({1, 2}, x);
    EXPECT_EQ(std::vector<float>(x.to_host()), (std::vector<float>{3, 5.5f})) << on.id();
  }
  const std::string ptx(kernel.ptx().data());
  EXPECT_EQ(count(ptx, ".func (.param .b32 result) lerp("), 1u) << ptx;
  EXPECT_EQ(count(ptx, "call.uni (taken), lerp, (given1, given2, given3);"), 2u) << ptx;
  EXPECT_EQ(count(ptx, ".version"), 1u) << ptx;
}

TEST(Native, TextsAreKeptApart) {
  const auto with = [](const char* ptx) {
    return kr::kernel([ptx](kr::view<int> x) {
      x[0] = kr::inline_asm<int>(
          ptx, [](auto v) { return v; }, x[0]);
    });
  };
  auto one = with("add.s32 $0, $1, 1;"), two = with("add.s32 $0, $1, 2;");
  kr::array<int> x({1}, kr::device::find("cpu"));
  one.launch({1, 1}, x), two.launch({1, 1}, x);
  EXPECT_EQ(count(one.ptx().data(), ", 1;\n"), count(two.ptx().data(), ", 2;\n"));
  EXPECT_EQ(count(two.ptx().data(), "add.s32 %r"), count(one.ptx().data(), "add.s32 %r"));
  EXPECT_NE(std::string(one.ptx().data()), two.ptx().data());
}

TEST(Native, WhatDoesNotFit) {
  kr::array<int> x(4);
  auto operand = kr::kernel(
      [](kr::view<int> y) {
        y[0] = kr::inline_asm<int>(
            "add.s32 $0, $1, $3;", [](auto a, auto b) { return a + b; }, y[0], 1);
      },
      {.name = "operand"});
  expect_usage(
      {"native_test.cpp:", "kernel operand",
       "$3 in the instructions of function {} has no meaning: $0 is the result, if there is one, and the arguments are $1 to $2"},
      [&] {
        operand.launch({1, 1}, x);
      });
  auto no_result = kr::kernel([](kr::view<int> y) {
    kr::inline_asm<void>(
        "mov.b32 $0, $1;", [](auto) {}, y[0]);
  });
  expect_usage({"$0 in the instructions of function "}, [&] { no_result.launch({1, 1}, x); });
  auto byte = kr::kernel([](kr::view<int> y) {
    y[0] = kr::inline_asm<int>(
        "mov.b32 $0, $1;", [](auto v) { return v; }, kr::cast<char>(y[0]));
  });
  expect_usage(
      {"function {} has instructions of PTX: these take numbers of 16, 32 or 64 bits by value, and return at most one"},
      [&] {
        byte.launch({1, 1}, x);
      });
  auto prints = kr::kernel([](kr::view<int> y) {
    y[0] = kr::inline_asm<int>(
        "mov.b32 $0, $1;",
        [](auto v) {
          kr::print("{}", v);
          return v;
        },
        y[0]);
  });
  expect_usage(
      {"function {} has instructions of PTX: its body for other devices must not print, check, or have arrays"},
      [&] {
        prints.launch({1, 1}, x);
      });
  expect_usage(
      {"the linked PTX has no function lerpo: a device function begins with .func, and C++ names are kept by "
       "extern \"C\""},
      [] { kr::linked_function<float(float)>("lerpo", lerp_text, [](auto v) { return v; }); });
  expect_usage({"the linked PTX has no function ler"}, [] {
    kr::linked_function<float(float)>("ler", lerp_text, [](auto v) { return v; });
  });
  expect_library_works();
}

}  // namespace
