// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be passed to a kernel, and what a kernel may do to it.
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

enum class color : std::uint8_t { red = 1, green = 200 };

TEST(Argument, ScalarsOfEveryType) {
  auto keep =
      kr::kernel([](auto number, kr::view<double> out) { out[0] = kr::cast<double>(number); });
  const auto through = [&](auto number) {
    std::vector<double> out(1);
    keep.launch({1, 1}, number, out);
    return out[0];
  };
  EXPECT_EQ(through(std::numeric_limits<std::int8_t>::min()), -128);
  EXPECT_EQ(through(std::numeric_limits<std::uint8_t>::max()), 255);
  EXPECT_EQ(through(std::int16_t(-300)), -300);
  EXPECT_EQ(through(std::uint16_t(65535)), 65535);
  EXPECT_EQ(through(-7), -7);
  EXPECT_EQ(through(4000000000u), 4e9);
  EXPECT_EQ(through(std::int64_t(-1) << 62), -0x1p62);
  EXPECT_EQ(through(std::uint64_t(1) << 63), 0x1p63);
  EXPECT_EQ(through(1.5f), 1.5);
  EXPECT_EQ(through(0.1), 0.1);
  EXPECT_EQ(through(kr::f16(0.333)), double(float(kr::f16(0.333))));
  EXPECT_EQ(through(true), 1);
  EXPECT_EQ(through('a'), 97);
  EXPECT_EQ(through(color::green), 200);
}

/// Launches with a number for a kr::value<Wanted>, and gives what the kernel has.
template <class Wanted, class Given>
Wanted passed_as(Given number) {
  static const auto keep =
      kr::kernel([](kr::view<Wanted> out, kr::value<Wanted> x) { out[0] = x; }, {.name = "keep"});
  std::vector<Wanted> out(1);
  keep.launch({1, 1}, out, number);
  return out[0];
}

TEST(Argument, IntegersThatFitTheParameter) {
  EXPECT_EQ(passed_as<int>(std::size_t(7)), 7);
  EXPECT_EQ(passed_as<int>(std::int64_t(-2147483648)), std::numeric_limits<int>::min());
  EXPECT_EQ(passed_as<std::uint8_t>(255L), 255);
  EXPECT_EQ(passed_as<std::int8_t>(-128), -128);
  EXPECT_EQ(passed_as<std::uint64_t>(true), 1u);
  EXPECT_EQ(passed_as<std::int64_t>(4000000000u), 4000000000);
  EXPECT_EQ(passed_as<color>(200), color::green);
  EXPECT_EQ(passed_as<int>(color::green), 200);
  EXPECT_EQ(passed_as<float>(16777217), 16777216.0f);  // as everywhere in C++
  EXPECT_EQ(passed_as<double>(std::int64_t(1) << 60), 0x1p60);
}

TEST(Argument, IntegersThatDoNotFitAreRefused) {
  expect_usage(
      {"kernel keep",
       "1099511627776 is passed for parameter 2, a kr::value<int>, which holds -2147483648 to 2147483647"},
      [] { passed_as<int>(std::int64_t(1) << 40); });
  expect_usage({"4294967295 is passed for parameter 2", "kr::value<int>"},
               [] { passed_as<int>(~0u); });
  expect_usage({"-1 is passed for parameter 2, a kr::value<unsigned>, which holds 0 to 4294967295"},
               [] { passed_as<unsigned>(-1); });
  expect_usage({"-1 is passed", "kr::value<std::uint64_t>, which holds 0 to 18446744073709551615"},
               [] { passed_as<std::uint64_t>(-1); });
  expect_usage({"18446744073709551615 is passed", "kr::value<std::int64_t>"},
               [] { passed_as<std::int64_t>(~std::uint64_t{0}); });
  expect_usage({"256 is passed", "kr::value<std::uint8_t>, which holds 0 to 255"},
               [] { passed_as<std::uint8_t>(256); });
  expect_usage({"-129 is passed", "kr::value<std::int8_t>, which holds -128 to 127"},
               [] { passed_as<std::int8_t>(-129); });
  expect_usage({"300 is passed", "kr::value<std::uint8_t>"}, [] { passed_as<color>(300); });
  expect_library_works();
}

TEST(Argument, FloatsBecomeIntegersAsInKernels) {
  EXPECT_EQ(passed_as<int>(2.9), 2);
  EXPECT_EQ(passed_as<int>(-2.9f), -2);
  EXPECT_EQ(passed_as<int>(1e300), std::numeric_limits<int>::max());
  EXPECT_EQ(passed_as<int>(-std::numeric_limits<double>::infinity()),
            std::numeric_limits<int>::min());
  EXPECT_EQ(passed_as<int>(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(passed_as<std::uint8_t>(-1.0f), 0);
  EXPECT_EQ(passed_as<std::uint8_t>(1e9f), 255);
  EXPECT_EQ(passed_as<std::int64_t>(1e19), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(passed_as<std::uint64_t>(1e20L), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(passed_as<int>(kr::f16(-3.5)), -3);
  EXPECT_EQ(passed_as<color>(1e9), color(255));
  EXPECT_EQ(passed_as<float>(0.1), 0.1f);
  EXPECT_EQ(passed_as<float>(1e300), std::numeric_limits<float>::infinity());
  EXPECT_EQ(float(passed_as<kr::f16>(1e6)), std::numeric_limits<float>::infinity());
}

TEST(Argument, AnyNumberIsABool) {
  auto choose =
      kr::kernel([](kr::value<bool> x, kr::view<int> out) { out[0] = kr::select(x, 1, 0); });
  const auto chosen = [&](auto number) {
    std::vector<int> out(1);
    choose.launch({1, 1}, number, out);
    return out[0];
  };
  EXPECT_EQ(chosen(256), 1);
  EXPECT_EQ(chosen(0.25), 1);
  EXPECT_EQ(chosen(-0.0), 0);
  EXPECT_EQ(chosen(std::numeric_limits<double>::quiet_NaN()), 1);
  EXPECT_EQ(chosen(std::int64_t(1) << 40), 1);
}

TEST(Argument, ManyOfOneKernel) {
  auto sum =
      kr::kernel([](auto out, auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto x,
                    auto y, auto z) { out[0] = a + b + c + d + e + f + g + x[0] + y[0] + z[0]; });
  std::vector<double> out(1);
  const std::vector<float> x{100}, y{200};
  const std::array<std::int8_t, 1> z{-3};
  sum.launch({1, 1}, out, std::int8_t(1), 2.0, true, std::int16_t(4), 5.0f, std::int64_t(6),
             std::uint8_t(7), x, y, z);
  EXPECT_EQ(out[0], 1 + 2 + 1 + 4 + 5 + 6 + 7 + 100 + 200 - 3);
}

TEST(Argument, BytesThatHoldBools) {
  auto invert = kr::kernel([](kr::view<bool> flags) {
    for (auto i : kr::grid_stride(flags.size())) flags[i] = !flags[i];
  });
  std::array<bool, 5> flags{true, false, true, true, false};
  invert.forall(5)(flags);
  EXPECT_EQ(flags, (std::array<bool, 5>{false, true, false, false, true}));
}

TEST(Argument, HalvesAreTwoBytes) {
  auto square = kr::kernel([](kr::view<kr::f16> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * x[i];
  });
  std::vector<kr::f16> x;
  for (int i = 0; i < 300; ++i) x.push_back(kr::f16(i * 0.25));
  std::vector<kr::f16> expected;
  for (kr::f16 v : x) expected.push_back(v * v);
  square.forall(300)(x);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i].bits(), expected[i].bits()) << i;
}

TEST(Argument, UnalignedSpans) {
  auto add_one = kr::kernel([](kr::view<const float> x, kr::view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] + 1.0f;
  });
  for (std::size_t shift = 0; shift < 5; ++shift)
    for (std::size_t n : {1u, 7u, 64u, 131u}) {
      std::vector<float> x(200, 1.0f), y(200, 0.0f);
      const std::span<const float> from(x.data() + shift, n);
      std::span<float> to(y.data() + 2 * shift, n);
      add_one.forall(std::int64_t(n))(from, to);
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(y[i], i >= 2 * shift && i < 2 * shift + n ? 2.0f : 0.0f) << i;
    }
}

TEST(Argument, TemporaryArraysAreRead) {
  auto copy = kr::kernel([](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i];
  });
  kr::array<int> y(3);
  copy.forall(3)(kr::to_device(std::vector<int>{1, 2, 3}), y);
  EXPECT_EQ(std::vector<int>(y.to_host()), (std::vector<int>{1, 2, 3}));
}

TEST(Argument, TemporarySpansAreWrittenThrough) {
  auto fill = kr::kernel([](kr::view<float> v, kr::value<float> x) {
    for (auto i : kr::grid_stride(v.size())) v[i] = x;
  });
  auto any = kr::kernel([](auto v) { v[0] = 5.0f; });
  auto twice = kr::vectorize([](auto x) { return 2 * x; });
  std::vector<float> v(5, 1.0f);
  fill.forall(3)(std::span(v).subspan(1, 3), 4.0f);
  any.forall(1)(std::span(v).last(1));
  twice.into(std::span(v).first(2))(std::span<const float>(v).subspan(1, 2));
  EXPECT_EQ(v, (std::vector<float>{8, 8, 4, 4, 5}));
}

TEST(Argument, ArraysOfC) {
  int from[] = {1, 2, 3}, to[3] = {};
  kr::array<int> a = kr::to_device(from);
  a.copy_to(to);
  EXPECT_EQ(to[2], 3);
  a.copy_from({7, 8, 9});
  EXPECT_EQ(std::vector<int>(a.to_host()), (std::vector<int>{7, 8, 9}));
}

TEST(Argument, TheSameArrayTwice) {
  auto sum = kr::kernel([](kr::view<const int> x, kr::view<const int> y, kr::view<int> z) {
    for (auto i : kr::grid_stride(z.size())) z[i] = x[i] + y[i];
  });
  std::vector<int> v{1, 2, 3};
  sum.forall(3)(v, v, v);
  EXPECT_EQ(v, (std::vector<int>{2, 4, 6}));
  kr::array<int> a = kr::to_device(v);
  sum.forall(3)(a, a, a);
  EXPECT_EQ(std::vector<int>(a.to_host()), (std::vector<int>{4, 8, 12}));
}

TEST(Argument, OverlappingContainersAreOneMemory) {
  auto halves = kr::kernel([](kr::view<int> x, kr::view<int> y) {
    auto i = kr::grid<1>();
    kr::if_(i < 4, [&] { x[i] = 1; }).else_([&] { y[i] = 2; });
  });
  std::vector<int> v(8);
  halves.launch({1, 8}, v, v);
  EXPECT_EQ(v, (std::vector<int>{1, 1, 1, 1, 2, 2, 2, 2}));

  // Of one thread: each element is made of the one before it, which is another argument's. The
  // middle one lies within both others.
  auto chain = kr::kernel([](kr::view<const int> from, kr::view<int> to, kr::view<int> middle,
                             kr::view<const int> apart) {
    for (auto i : kr::range(to.size())) to[i] = from[i] + apart[i];
    for (auto i : kr::range(middle.size())) middle[i] += 1000;
  });
  std::vector<int> w(40, 7), ones(39, 1);
  chain.launch({1, 1}, std::span<const int>(w.data(), 39), std::span<int>(w.data() + 1, 39),
               std::span<int>(w.data() + 5, 3), ones);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(w[std::size_t(i)], 7 + i + (i >= 5 && i < 8 ? 1000 : 0)) << i;
  EXPECT_EQ(ones, std::vector<int>(39, 1));
}

TEST(Argument, CheckedKernelsStayInside) {
  auto wild = kr::kernel(
      [](kr::view<const int> x, kr::view<int> y) {
        auto i = kr::grid<1>() - 4;
        y[i] = x[i] + 1;
      },
      {.name = "wild", .checked = true});
  const std::vector<int> x(8, 10);
  std::vector<int> y(16, 0);
  std::span<int> middle(y.data() + 4, 8);
  try {
    wild.launch({1, 16}, x, middle);  // 8 threads are inside
  } catch (const kr::error& e) {      // it may report them
    EXPECT_NE(std::string(e.message()).find("wild"), std::string::npos) << e.message();
  }
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i >= 4 && i < 12 ? 11 : 0) << i;
}

TEST(Argument, ArraysOnTwoDevices) {
  if (kr::device() == kr::device::cpu()) GTEST_SKIP() << "the CPU is the only device of this run";
  auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  const kr::array<int> here = kr::to_device(std::vector<int>{1, 2, 3});
  const kr::array<int> there = kr::to_device(std::vector<int>{10, 20, 30}, kr::device::cpu());
  expect_usage({kr::device().id(), "cpu", "copy_from"}, [&] { add(here, there); });
  kr::array<int> copy(3);
  copy.copy_from(there);
  EXPECT_EQ(std::vector<int>(add(here, copy).to_host()), (std::vector<int>{11, 22, 33}));
  kr::stream elsewhere(kr::device::cpu());
  kr::array<int> z(3);
  expect_usage({"stream", "cpu"}, [&] { add.stream(elsewhere).into(z)(here, copy); });
  expect_library_works();
}

/// Freed after main has ended.
kr::array<int>& kept_until_exit() {
  static kr::array<int> kept = kr::to_device(std::vector<int>{1, 2});
  return kept;
}
TEST(Argument, ArraysInStaticStorage) {
  auto add = kr::vectorize([](auto x) { return x + 1; });
  EXPECT_EQ(std::vector<int>(add(kept_until_exit()).to_host()), (std::vector<int>{2, 3}));
}

}  // namespace
