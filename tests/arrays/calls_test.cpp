// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said before an element-wise call: outputs, mask, device, stream; and arguments that
// overlap.
#include <krait/algorithm/reduce.h>

#include <tuple>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
auto add = kr::vectorize([](auto x, auto y) { return x + y; });
auto divide = kr::vectorize([](auto x, auto y) { return std::tuple{x / y, x % y}; });

template <class Elem, int Rank>
std::vector<Elem> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

TEST(Calls, UnderAMask) {
  const auto x = kr::to_device(Floats{1, 2, 3, 4}), y = kr::to_device(Floats{10, 20, 30, 40});
  auto z = kr::zeros<float>(4);
  add.where(x > 2.0f).into(z)(x, y);
  EXPECT_EQ(host(z), (Floats{0, 0, 33, 44}));
  const kr::array<bool> mask = x < 2.0f;
  add.into(z).where(mask)(x, 1.0f);
  EXPECT_EQ(host(z), (Floats{2, 0, 33, 44}));
  auto table = kr::zeros<float>({2, 4});
  const auto rows = kr::to_device(std::vector<unsigned char>{0, 1});
  add.where(rows(kr::all, kr::newaxis)).into(table)(x, 0);  // the mask broadcasts
  EXPECT_EQ(host(table), (Floats{0, 0, 0, 0, 1, 2, 3, 4}));
  // Containers keep what is not written, also where they are copied to a device.
  const Floats hx{1, 2, 3, 4};
  const std::vector<int> hm{1, 0, 0, 2};
  Floats hz{-1, -2, -3, -4};
  add.where(hm).into(hz)(hx, 100.0f);
  EXPECT_EQ(hz, (Floats{101, -2, -3, 104}));
  auto safe = kr::vectorize([](auto v) {
    kr::if_(v < 0, [&] { kr::return_(v * 0.0f - 1.0f); });
    return v * v;
  });
  auto out = kr::full(4, 7.0f);
  const kr::array<float> below = x - 3.0f;
  safe.where(x > 1.0f).into(out)(below);
  EXPECT_EQ(host(out), (Floats{7, -1, 0, 1}));
  expect_usage({"(4,)", "(3,)"}, [&] { add.where(kr::ones<bool>(3)).into(z)(x, y); });
}

TEST(Calls, SeveralOutputs) {
  const auto x = kr::arange(7);
  auto q = kr::full(7, -1), r = kr::full(7, -1);
  divide.where(x != 3).into(q, r)(x, 3);
  EXPECT_EQ(host(q), (std::vector<int>{0, 0, 0, -1, 1, 1, 2}));
  EXPECT_EQ(host(r), (std::vector<int>{0, 1, 2, -1, 1, 2, 0}));
  const auto [whole, rest] = divide.on(x.device())(x, 2);
  EXPECT_EQ(host(whole), (std::vector<int>{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(host(rest), (std::vector<int>{0, 1, 0, 1, 0, 1, 0}));
}

TEST(Calls, OnADeviceAndInAStream) {
  const Floats hx{1, 2, 3};
  auto mine = kr::vectorize([](auto v) { return v * 3.0f; }, {.name = "mine"});
  EXPECT_EQ(Floats(mine.on(kr::device())(hx)), (Floats{3, 6, 9}));
  EXPECT_EQ(mine.on(kr::device())(2.0f), 6.0f);  // a number, computed there
  int here = 0, elsewhere = 0;
  for (const kr::kernel_stats& k : kr::stats())
    if (std::string(k.name) == "mine")
      ++(std::string(k.device) == kr::device().id() ? here : elsewhere);
  EXPECT_GE(here, 1);
  EXPECT_EQ(elsewhere, 0);
  kr::stream s;
  auto x = kr::to_device(hx);
  mine.stream(s).on(s.on()).where(x > 1.0f).into(x)(x);
  s.synchronize();
  EXPECT_EQ(host(x), (Floats{1, 6, 9}));
  if (kr::device() == kr::device::cpu()) return;
  expect_usage(
      {"kernel mine{}: the call is to run on cpu, but its arrays are on {}: copy them to that device (copy_from)"},
      [&] { mine.on(kr::device::cpu())(x); });
  kr::stream other(kr::device::cpu());
  expect_usage({"the stream belongs to cpu"}, [&] { mine.stream(other)(x); });
}

TEST(Calls, Types) {
  auto f = kr::vectorize<float(float, float), std::int64_t(std::int64_t, std::int64_t)>(
      [](auto x, auto y) { return x + y; });
  EXPECT_EQ(std::string(f.types()), "f32, f32 -> f32\ni64, i64 -> i64\n");
  auto z = kr::zeros<float>(2);
  f.where(z == 0.0f).into(z)(z, z);
  EXPECT_EQ(std::string(f.types()), "f32, f32 -> f32\ni64, i64 -> i64\n");
  f(kr::full(2, kr::f16(1)), 2);
  EXPECT_EQ(std::string(f.types()), "f32, f32 -> f32\ni64, i64 -> i64\nf16, i32 -> f16\n");
  divide(kr::arange(2), 3u);
  EXPECT_NE(std::string(divide.types()).find("i32, u32 -> u32, u32\n"), std::string::npos);
}

/// In place, shifted, turned, through a mask that the output overwrites.
TEST(Calls, Overlap) {
  constexpr int n = 1000;
  auto x = kr::arange(n);
  add.into(x)(x, x);
  EXPECT_EQ(int(x(n - 1)), 2 * (n - 1));
  auto head = x(kr::range(0, n - 1));
  add.into(head)(x(kr::range(1, n)), x(kr::range(0, n - 1)));
  for (int i : {0, 1, 500, n - 2}) EXPECT_EQ(int(x(i)), 4 * i + 2) << i;
  auto square = kr::arange(36).reshape(6, 6);
  add.into(square)(square.transpose(), square);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_EQ(int(square(i, j)), 7 * (i + j));
  auto bytes = kr::full(n, static_cast<unsigned char>(1));
  bytes(kr::range(0, n, 3)) = 0;
  auto tail = bytes(kr::range(1, n));
  add.where(bytes(kr::range(0, n - 1))).into(tail)(tail, 1);
  for (int i = 1; i < 20; ++i)
    EXPECT_EQ(int((unsigned char)(bytes(i))), int(i % 3 != 0) + int((i - 1) % 3 != 0)) << i;
  auto one = x(kr::range(0, 6)), other = x(kr::range(5, 11));
  expect_usage({"two outputs overlap"}, [&] { divide.into(one, other)(kr::arange(6), 3); });
}

/// Expressions of one structure are one kernel, wherever they stand; numbers, arrays and shapes are
/// its arguments.
TEST(Expressions, OfOneStructureShareAKernel) {
  const auto x = kr::to_device(Floats{1, 2, 3, 4}), y = kr::to_device(Floats{10, 20, 30, 40});
  kr::array<float> z = x * 3.0f - kr::cos(y) / 7.0f;
  const float sum = kr::sum(x * 3.0f - y);
  kr::wait_for_compilations();
  const auto compiled = kr::stats().compiled(), launches = kr::stats().launches();
  z = y * 5.0f - kr::cos(x) / 2.0f;
  const auto other = kr::to_device(Floats{1, 2, 3, 4, 5, 6, 7});
  const kr::array<float> longer = other * 1.0f - kr::cos(other) / 1.0f;
  EXPECT_EQ(kr::stats().launches() - launches, 2u);  // one an assignment
  EXPECT_EQ(kr::sum(y * 2.0f - x), 190.0f);
  EXPECT_EQ(sum, -70.0f);
  EXPECT_EQ(kr::stats().launches() - launches, 3u);  // the product is part of the reduction
  EXPECT_EQ(kr::stats().compiled(), compiled);
}

TEST(Expressions, OfSingleElements) {
  auto a = kr::arange(6.0f).reshape(2, 3);
  const kr::array<float, 2> centred = a - a(1, 2);
  EXPECT_EQ(host(centred), (Floats{-5, -4, -3, -2, -1, 0}));
  const auto scaled = a(0, 1) + kr::max(a * 2.0f, a(1, 0));  // read when this becomes an array
  a(0, 1) = 100.0f;
  const kr::array<float, 2> result = scaled;
  EXPECT_EQ(host(result), (Floats{103, 300, 104, 106, 108, 110}));
  EXPECT_EQ(a(0, 0) + a(0, 2), 2.0f);  // of elements alone: numbers
  a(1) = a(0, 1);
  a(0) *= a(0, 2);
  EXPECT_EQ(host(a), (Floats{0, 200, 4, 100, 100, 100}));
  EXPECT_EQ(host(kr::array<bool, 2>(a == a(0, 2))),
            (std::vector<bool>{false, false, true, false, false, false}));
}

}  // namespace
