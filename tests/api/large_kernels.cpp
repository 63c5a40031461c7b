// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of up to 100,000 operations compile on every back end and give what the interpreter
// gives; long chains and deep nesting end no process. Nothing here is timed: what compiling them
// costs is in docs/log/2026-11-23.md.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/large_kernels.h"

namespace {

namespace kr = krait;

template <class Kernel>
std::vector<float> results_on(const kr::device& on, Kernel& kernel) {
  std::vector<float> host(16);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = 0.125f * float(i) + 0.5f;
  const kr::array<float> in = kr::to_device(host, on);
  kr::array<float> out = kr::to_device(std::vector<float>(40), on);
  kernel.launch({2, 32}, in, out);
  const auto got = out.to_host();
  return {got.begin(), got.end()};
}

template <class Lambda>
auto make(const Lambda& lambda, const char* name) {
  return kr::kernel(lambda, {.name = name, .fp = kr::fp::reproducible});
}

template <class Kernel>
void expect_interpreted(Kernel kernel) {
  const std::vector<float> expected = results_on(kr::device::find("interpreter"), kernel),
                           got = results_on(kr::device(), kernel);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(std::bit_cast<unsigned>(got[i]) == std::bit_cast<unsigned>(expected[i]) ||
                (std::isnan(got[i]) && std::isnan(expected[i])))
        << "element " << i << ": " << got[i] << ", interpreted " << expected[i];
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++n;
  return n;
}

/// lavapipe compiles whole kernels at once, in a time that grows faster than they do.
int largest() { return std::strcmp(kr::device().id(), "cpu") == 0 ? 100'000 : 6'000; }

TEST(LargeKernels, StraightCodeEqualsTheInterpreter) {
  expect_interpreted(make(bench::large_straight(largest() / 4), "straight"));
}
TEST(LargeKernels, BranchesAndLoopsEqualTheInterpreter) {
  expect_interpreted(make(bench::large_control(largest()), "control"));
}

TEST(LargeKernels, AreCutIntoFunctionsForEveryTarget) {
  auto large = make(bench::large_control(20'000), "control");
  auto small = make(bench::large_control(500), "small");
  large.compile(), small.compile();
  EXPECT_EQ(count(small.ptx(kr::target::sm(90)).c_str(), ".func "), 0u);
  const auto ptx = large.ptx(kr::target::sm(90));
  EXPECT_GT(count(ptx.c_str(), ".func "), 40u);
  const auto spirv = large.spirv();
  EXPECT_GT(count(spirv.c_str(), "OpFunctionCall"), 40u);
}

/// One chain of `length` operations, each of which needs the one before.
template <class Step>
auto chain(int length, Step step) {
  return [length, step](kr::view<const float> in, kr::view<float> out) {
    auto i = kr::cast<int>(kr::grid());
    kr::if_(i < kr::cast<int>(out.size()), [&] { step(length, in, out, i); });
  };
}

int links() { return largest() / 4; }

TEST(LargeKernels, LongChainsOfConditions) {
  expect_interpreted(make(chain(links(),
                                [](int length, auto in, auto out, auto i) {
                                  kr::var all = i >= 0, some = i < 0;
                                  for (int k = 0; k < length; ++k)
                                    all = all & (i != 50 + k), some = some | (i == 1000 + k);
                                  kr::if_(all & !some, [&] { out[i] = in[i & 15]; });
                                }),
                          "conditions"));
}
TEST(LargeKernels, LongChainsOfNumbers) {
  expect_interpreted(make(chain(links(),
                                [](int length, auto in, auto out, auto i) {
                                  kr::var wide = kr::cast<std::int64_t>(i);
                                  kr::var place = i;
                                  kr::var x = in[i & 15];
                                  for (int k = 0; k < length; ++k) {
                                    wide = kr::min(wide + 1, kr::cast<std::int64_t>(place) + 7);
                                    place = kr::cast<int>(wide) & 15;
                                    x = x * 0.5f + in[place];
                                  }
                                  out[i] = x;
                                }),
                          "numbers"));
}
TEST(LargeKernels, DeepNesting) {
  // Conditions that ranges do not decide.
  const auto nest = [](int depth) {
    return chain(depth, [](int levels, auto in, auto out, auto i) {
      const auto inner = [&](const auto& self, int level) -> void {
        if (level == 0) out[i] = in[i & 15];
        else kr::if_((i ^ level) != 40, [&] { self(self, level - 1); });
      };
      inner(inner, levels);
    });
  };
  // lavapipe takes no notice of conditions within more than 80 others, and is not given such
  // kernels.
  const bool shallow = std::string(kr::device().name()).find("llvmpipe") != std::string::npos;
  expect_interpreted(make(nest(shallow ? 75 : 400), "nested"));
  if (shallow) {
    EXPECT_THROW(expect_interpreted(make(nest(80), "nested")), kr::error);
  }
  EXPECT_THROW(expect_interpreted(make(nest(600), "nested")), kr::error);
}

}  // namespace
