// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process prints with KRAIT_HINTS=1 (all), KRAIT_HINTS=0 (none) and without (unset): the argument says which it runs with.
#include <gtest/gtest.h>
#include <krait/krait.h>

#include <stdlib.h>

#include <cstring>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

std::string mode;
std::string place(unsigned line) { return "hints_environment.cpp:" + std::to_string(line) + ": krait: hint: "; }
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Kernels of one source line with different contents, launched twice each; what was said.
std::string said_of_gathers(unsigned& line) {
  testing::internal::CaptureStderr();
  kr::array<int> at(64);
  at.copy_from(std::vector<int>(64, 3));
  kr::array<float> x(64), y(64);
  x.copy_from(std::vector<float>(64, 1.f));
  for (const float factor : {2.f, 3.f, 4.f}) {
    auto k = kr::kernel([=](kr::view<const int> from, kr::view<const float> in, kr::view<float> out) {
      for (auto i : kr::grid_stride(out.size())) out[i] = factor * in[from[i]];
    });
    line = __LINE__ - 2;
    for (int i = 0; i < 2; ++i) k.launch({1, 64}, at, x, y);
    EXPECT_EQ(y.to_host()[5], factor);
  }
  kr::wait_for_compilations();
  return testing::internal::GetCapturedStderr();
}

TEST(HintsEnvironment, OncePerLineOfAProcess) {
  unsigned line = 0;
  const std::string said = said_of_gathers(line);
  EXPECT_EQ(count(said, place(line) + "gather: "), mode == "all" ? 1u : 0u) << said;
  EXPECT_EQ(count(said, "krait:"), mode == "all" ? 1u : 0u) << said;
}

/// The unrolling of a C++ loop is seen while recording, so it is told without being asked for.
TEST(HintsEnvironment, OfUnrolledLoops) {
  testing::internal::CaptureStderr();
  unsigned line = 0;
  for (const int first : {0, 1}) {
    auto k = kr::kernel([=](kr::view<const float> in, kr::view<float> out) {
      kr::var<float> sum = 0.f;
      for (int i = first; i < 900; ++i) sum += in[i] * float(i);
      out[kr::thread_idx().x] = sum;
    });
    line = __LINE__ - 3;
    k.compile();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, place(line) + "this line was recorded as "), mode == "none" ? 0u : 1u) << said;
  if (mode != "all") {  // else of its functions, too
    EXPECT_EQ(count(said, "krait: hint"), mode == "none" ? 0u : 1u) << said;
  }
}

/// Code is compiled anew, and by the compiler that takes its time.
TEST(HintsEnvironment, AskedForTakesTheBestCode) {
  if (mode != "all") GTEST_SKIP();
  auto k = kr::kernel([](kr::view<float> y) { y[kr::grid<1>()] += 1; }, {.name = "counted"});
  kr::array<float> y(64);
  k.launch({1, 64}, y);
  EXPECT_EQ(kr::stats().improved(), 0u);
  EXPECT_EQ(kr::stats().from_disk(), 0u);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 2) return 2;
  mode = argv[1];
  return RUN_ALL_TESTS();
}
