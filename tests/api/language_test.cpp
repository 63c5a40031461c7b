// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of the language that say more to the compiler, or ask the device what time it is: promises,
// hints, values that become part of the code, bounds of blocks, clocks.
#include <cstdint>
#include <string>
#include <vector>

#include "expect.h"

namespace {

using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;
using krait::test::place;

TEST(Language, PromisesAndHintsKeepWhatAKernelDoes) {
  auto k = kr::kernel([](kr::view<int> x) {
    const auto n = x.size();
    kr::assume(n % 4 == 0);
    for (auto i : kr::grid_stride(n)) {
      kr::assume(i < n);
      kr::if_(kr::unlikely(x[i] < 0), [&] {
        x[i] = 0;
      }).elif_(kr::likely(x[i] > 2), [&] {
          x[i] = 2 * x[i];
        }).else_([&] { x[i] = 1; });
    }
  });
  kr::array<int> x = kr::to_device(std::vector<int>{-5, 1, 3, 7, 9, -1, 0, 2});
  k.launch({2, 32}, x);
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{0, 1, 6, 14, 18, 0, 1, 1}));
}

TEST(Language, ABrokenPromiseIsFoundWhereKernelsAreChecked) {
  const auto promise = [](kr::view<int> x) {
    auto i = kr::thread_idx().x;
    kr::assume(x[i] < 3);
    x[i] += 1;
  };
  const unsigned line = __LINE__ - 3;
  auto checked = kr::kernel(promise, {.name = "promise", .checked = true});
  kr::array<int> x = kr::to_device(std::vector<int>{0, 1, 2, 3});
  expect_usage({place(line) + ": kernel promise",
                ": an assumption does not hold, block (0, 0, 0), thread (3, 0, 0)"},
               [&] {
                 checked.launch({1, 4}, x);
                 kr::synchronize();
               });
  EXPECT_EQ(std::vector<int>(x.to_host()), (std::vector<int>{1, 2, 3, 4}));
  auto interpreted = kr::kernel(promise, {.name = "interpreted"});
  kr::array<int> y({4}, kr::device::find("interpreter"));
  y.copy_from(std::vector<int>{0, 5, 2, 3});
  expect_usage({place(line) + ": kernel interpreted",
                ": an assumption does not hold, block (0, 0, 0), thread (1, 0, 0)"},
               [&] {
                 interpreted.launch({1, 4}, y);
               });
  expect_library_works();
}

/// The lambda runs for each of 16 values, and once more for all others.
TEST(Language, SpecializedValuesBecomePartOfTheCode) {
  int recorded = 0;
  auto power =
      kr::kernel([&recorded](kr::view<double> x, kr::specialized<int> n, kr::value<int> i) {
        ++recorded;
        kr::var product = 1.0;
        for (auto k : kr::range(n)) product *= x[0] + 0.0 * kr::cast<double>(k);
        x[i] = product;
      });
  std::vector<double> x(40, 2.0);
  const auto run = [&](int n) {
    power.launch({1, 1}, x, n, n);
    EXPECT_EQ(x[std::size_t(n)], double(std::uint64_t(1) << n));
  };
  for (int n = 1; n <= 16; ++n) run(n);
  EXPECT_EQ(recorded, 16);
  const std::string sixteen(power.ir());
  EXPECT_NE(sixteen.find("const 16"), sixteen.npos) << sixteen;
  for (int n = 17; n <= 35; ++n) run(n);
  EXPECT_EQ(recorded, 17);
  for (int n = 1; n <= 16; ++n) run(n);
  EXPECT_EQ(recorded, 17);
}

TEST(Language, SpecializedValuesOfEveryType) {
  auto k = kr::kernel([](kr::view<double> x, kr::specialized<bool> flag,
                         kr::specialized<std::int64_t> big, kr::specialized<float> f,
                         kr::specialized<std::int8_t> small) {
    x[0] = kr::select(flag, 1.0, 0.0), x[1] = kr::cast<double>(big), x[2] = f,
    x[3] = kr::cast<double>(small);
  });
  std::vector<double> x(4);
  k.launch({1, 1}, x, true, std::int64_t(-5) << 40, -0.5f, -7);
  EXPECT_EQ(x, (std::vector<double>{1, double(std::int64_t(-5) << 40), -0.5, -7}));
  k.launch({1, 1}, x, false, std::int64_t(3), 0.25f, 100);
  EXPECT_EQ(x, (std::vector<double>{0, 3, 0.25, 100}));
  expect_usage({"128 is passed for parameter 5"}, [&] {
    k.launch({1, 1}, x, false, 3, 0.25f, 128);
  });
}

TEST(Language, LaunchesAreHeldToTheBoundsOfAKernel) {
  auto k = kr::kernel([](kr::view<int> x) { x[kr::grid()] = 1; },
                      {.name = "bound", .max_threads = 64, .min_blocks = 2});
  const unsigned line = __LINE__ - 2;
  std::vector<int> x(256);
  k.launch({4, 64}, x);
  EXPECT_EQ(x, std::vector<int>(256, 1));
  expect_usage(
      {"kernel bound", place(line),
       "): a block of 65 x 1 x 1 threads exceeds the kernel's own limit: its option max_threads is 64"},
      [&] {
        k.launch({1, 65}, x);
      });
  k.forall(200)(x);  // in blocks within the bound
  auto lonely = kr::kernel([](kr::view<int> y) { y[0] = 1; }, {.name = "lonely", .min_blocks = 2});
  expect_usage(
      {"kernel lonely ({}): min_blocks has no meaning without a block size: give max_threads, or a fixed block"},
      [&] {
        lonely.launch({1, 1}, x);
      });
  auto few = kr::kernel([](kr::view<int> y) { y[kr::grid()] = 2; }, {.max_registers = 32});
  few.launch({1, 256}, x);
  EXPECT_EQ(x, std::vector<int>(256, 2));
  expect_library_works();
}

/// Also in branches that only some threads take, and over barriers.
TEST(Language, ClocksRise) {
  auto k = kr::kernel([](kr::view<std::int64_t, 2> times, kr::view<float> x) {
    auto i = kr::grid();
    auto start = kr::clock();
    kr::var<std::int64_t> middle = start;
    kr::if_(i % 3 == 0, [&] {
      kr::var sum = x[i];
      for (auto n : kr::range(100)) sum = kr::sqrt(sum + kr::cast<float>(n));
      x[i] = sum;
      middle = kr::clock();
    });
    kr::syncthreads();
    times(i, 0) = middle - start, times(i, 1) = kr::clock() - start;
  });
  constexpr int threads = 2 * 96;
  kr::array<std::int64_t, 2> times({threads, 2});
  kr::array<float> x = kr::to_device(std::vector<float>(threads, 1.0f));
  try {
    k.launch({2, 96}, times, x);
  } catch (const kr::error& e) {
    ASSERT_EQ(e.kind(), kr::error::kind_type::compile);
    GTEST_SKIP() << e.message();
  }
  const std::vector<std::int64_t> t = times.to_host();
  for (std::size_t i = 0; i < threads; ++i) {
    if (i % 3) EXPECT_EQ(t[2 * i], 0) << i;
    else EXPECT_GT(t[2 * i], 0) << i;
    EXPECT_GT(t[2 * i + 1], t[2 * i]) << i;
  }
}

/// What CUDA's volatile is for: each read is a read.
TEST(Language, RelaxedAtomicsAreNotMerged) {
  auto k = kr::kernel([](kr::view<int> flag, kr::view<int> y) {
    auto first = kr::atomic(flag[0]).load();
    auto second = kr::atomic(flag[0]).load();
    y[0] = first + second;
  });
  std::vector<int> flag{21}, y(1);
  k.launch({1, 1}, flag, y);
  EXPECT_EQ(y[0], 42);
  const std::string ptx(k.ptx());
  const std::size_t one = ptx.find("ld.relaxed");
  ASSERT_NE(one, ptx.npos) << ptx;
  EXPECT_NE(ptx.find("ld.relaxed", one + 1), ptx.npos) << ptx;
}

/// A double beside integers: values, variables, elements and positions, on both sides.
TEST(Language, DoublesStandBesideIntegers) {
  auto k = kr::kernel([](kr::view<double> y, kr::view<const int> n) {
    auto i = kr::thread_idx().x;
    kr::var<int> three(3);
    kr::value<int> v = n[i];
    y[0] = 0.5 * i + i * 0.5 + 1.0 - i - (i - 1.0);
    y[1] = 0.5 * v + v / 2.0 + n[i] * 0.25 + 0.25 * n[i];
    y[2] = three * 2.5 + 0.5 / three - three / 6.0;
    y[3] = kr::select((v > 3.5) & (3.5 < n[i]) & (v != 3.5) & (4.0 == v) & (v <= 4.0) & (4.5 >= v),
                      1.0 * (v > 0), 0.0);
  });
  std::vector<double> y(4);
  const std::vector<int> n{4};
  k.launch({1, 1}, y, n);
  EXPECT_EQ(y, (std::vector<double>{2.0, 6.0, 7.5 + 0.5 / 3 - 0.5, 1.0}));
  auto half = kr::vectorize([](kr::value<int> x) { return 0.5 * x; });
  EXPECT_EQ(half(5), 2.5);
}

}  // namespace
