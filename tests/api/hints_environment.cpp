// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a process prints with KRAIT_HINTS=1 (all), KRAIT_HINTS=0 (none) and without (unset): the
// argument says which it runs with.
#include <gtest/gtest.h>
#include <krait/krait.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/sort.h>

#include <stdlib.h>

#include <cstring>
#include <string>
#include <vector>

#include "expect.h"

namespace kr = krait;

namespace {

std::string mode;
std::string place(unsigned line) {
  return "hints_environment.cpp:" + std::to_string(line) + ": krait: hint: ";
}
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
    auto k =
        kr::kernel([=](kr::view<const int> from, kr::view<const float> in, kr::view<float> out) {
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
  const std::string again =
      "captured number: the kernel is compiled again because a captured number changed: 3 instead of 2. Pass changing numbers as kr::value parameters\n";
  EXPECT_EQ(count(said, place(line - 1) + again), mode == "all" ? 1u : 0u) << said;
  EXPECT_EQ(count(said, "krait:"), mode == "all" ? 2u : 0u) << said;
}

/// What is given to a kernel, and not captured, compiles nothing again; nor does another kernel
/// beside it.
TEST(HintsEnvironment, OfWhatIsPassed) {
  testing::internal::CaptureStderr();
  kr::array<float> y(64);
  for (const float factor : {2.f, 3.f}) {
    auto k = kr::kernel([](kr::view<float> out, kr::value<float> by) { out[kr::grid<1>()] = by; });
    k.launch({1, 64}, y, factor);
    auto other = kr::kernel([=](kr::view<float> out) {
      if (factor == 2.f) out[kr::grid<1>()] = 7.f;
      else out[kr::grid<1>()] *= 7.f;
    });
    other.launch({1, 64}, y);
  }
  kr::kernel([](kr::view<float> out) { out[kr::grid<1>()] *= 11.f; }).launch({1, 64}, y);
  kr::kernel([](kr::view<float> out) { out[kr::grid<1>()] *= 13.f; }).launch({1, 64}, y);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// A block whose threads fill a vector, and one whose threads do not; both often enough to matter.
TEST(HintsEnvironment, EmptyLanes) {
  const kr::device on;
  if (on.id() != std::string("cpu")) GTEST_SKIP() << "vectors are the CPU's";
  auto meets = kr::kernel([](kr::view<float> y) {
    auto shared = kr::shared<float, 64>();
    shared[kr::thread_idx().x] = y[kr::grid<1>()];
    kr::syncthreads();
    y[kr::grid<1>()] = shared[0] + 1;
  });
  const unsigned line = __LINE__ - 6;
  kr::array<float> y(64 * 64);
  y.fill(0.f);
  testing::internal::CaptureStderr();
  meets.launch({64, 3}, y);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, place(line) + "empty lanes: a block of 3 threads takes vectors of "),
            mode == "all" ? 1u : 0u)
      << said;
  if (mode == "all") {
    EXPECT_TRUE(krait::test::says(
        said.substr(said.find("empty lanes"), said.find('\n') - said.find("empty lanes")),
        "empty lanes: a block of 3 threads takes vectors of {} lanes, so {} of {} lanes compute "
        "nothing. Launch blocks of a multiple of "
        "{} threads, or by forall(n), which chooses them"))
        << said;
  }
  testing::internal::CaptureStderr();
  meets.launch({64, 64}, y);
  meets.launch({1, 3}, y);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// Krait's own kernels have no lines that a user could change.
TEST(HintsEnvironment, OfKraitsOwnKernels) {
  kr::array<float> x(5000);
  x.fill(1.f);
  testing::internal::CaptureStderr();
  EXPECT_EQ(float(kr::sum(x)), 5000.f);
  kr::sort(x);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

/// The text behind the folder of this file's name.
std::string named(const std::string& said) {
  const std::size_t at = said.find("hints_environment.cpp");
  return at == said.npos ? said : said.substr(at);
}

/// Of launches on devices that have memory of their own.
class HintsOfLaunches : public testing::Test {
 protected:
  void SetUp() override {
    const kr::device on;
    if (on.id() == std::string("cpu")) GTEST_SKIP() << "nothing is copied for a CPU";
    id = on.id();
  }
  std::string id;
};

TEST_F(HintsOfLaunches, Containers) {
  testing::internal::CaptureStderr();
  auto k = kr::kernel([](kr::view<const float> in, kr::view<float> out) {
    out[kr::grid<1>()] += in[kr::grid<1>()];
  });
  const unsigned line = __LINE__ - 3;
  std::vector<float> x(64, 1.f), y(64), z(64);
  k.launch({1, 64}, x, y);
  kr::kernel([](kr::view<const float> in, kr::view<float> out) {
    out[kr::grid<1>()] *= in[kr::grid<1>()];
  }).launch({1, 64}, x, y);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "")
      << "one copy per kernel is what the program asks for";
  testing::internal::CaptureStderr();
  k.launch({1, 64}, x, z);
  k.launch({1, 64}, x, z);
  EXPECT_EQ(
      named(testing::internal::GetCapturedStderr()),
      mode == "all"
          ? place(line) + "copied container: each call copies the 256 bytes of parameter 1 to " +
                id +
                ". Keep them there between calls: pass a kr::array, which kr::to_device makes of a container\n"
          : "");
}

TEST_F(HintsOfLaunches, ContainersThatAreWritten) {
  testing::internal::CaptureStderr();
  auto k = kr::kernel([](kr::view<float> out) { out[kr::grid<1>()] += 1; });
  const unsigned line = __LINE__ - 1;
  std::vector<float> x(64);
  for (int i = 0; i < 3; ++i) k.launch({1, 64}, x);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, place(line) +
                            "copied container: each call copies the 256 bytes of parameter 1 to " +
                            id + " and back. "),
            mode == "all" ? 1u : 0u)
      << said;
}

TEST_F(HintsOfLaunches, SmallGrids) {
  auto k = kr::kernel([](kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] += 1;
  });
  const unsigned line = __LINE__ - 3;
  kr::array<float> few(1000), many(1 << 16);
  few.fill(0.f), many.fill(0.f);
  testing::internal::CaptureStderr();
  k.launch({1, 256}, few);  // there is no work for more
  k.launch({16, 256}, many);
  k.forall(1 << 16)(many);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  k.launch({4, 256}, many);
  k.launch({2, 256}, many);
  EXPECT_EQ(
      named(testing::internal::GetCapturedStderr()),
      mode == "all"
          ? place(line) + "small grid: 4 blocks of 256 threads leave most of " + id +
                " idle, as a block runs on one multiprocessor. Launch more and smaller blocks, or by forall(n), "
                "which chooses them\n"
          : "");
}

/// The unrolling of a C++ loop is seen while recording, so it is told without being asked for.
TEST(HintsEnvironment, OfUnrolledLoops) {
  testing::internal::CaptureStderr();
  unsigned line = 0;
  for (const int first : {0, 1}) {
    auto k = kr::kernel([=](kr::view<const float> in, kr::view<float> out) {
      kr::var<float> sum = 0.f;
      for (int i = first; i < 900; ++i) sum += in[i] * float(i * i % 899);
      out[kr::thread_idx().x] = sum;
    });
    line = __LINE__ - 3;
    k.compile();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count(said, place(line) + "this line was recorded as "), mode == "none" ? 0u : 1u)
      << said;
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
