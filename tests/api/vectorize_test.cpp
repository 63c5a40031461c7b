// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise functions, as a program uses them.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "expect.h"

using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

auto add = kr::vectorize([](auto x, auto y) { return x + y; });

template <class Elem>
std::vector<Elem> counted(std::size_t n, Elem first = Elem(0)) {
  std::vector<Elem> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = Elem(first + Elem(i));
  return v;
}

TEST(Vectorize, AddsTwoContainers) {
  std::vector<std::int64_t> a{1, 2, 3, 4}, b{10, 20, 30, 40};
  std::vector<std::int64_t> c = add(a, b);
  EXPECT_EQ(c, (std::vector<std::int64_t>{11, 22, 33, 44}));
  EXPECT_EQ(a, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(b, (std::vector<std::int64_t>{10, 20, 30, 40}));
}

TEST(Vectorize, ScalarsGiveAScalarOfTheTypeThatCppGives) {
  int seven = add(3, 4);
  EXPECT_EQ(seven, 7);
  static_assert(std::is_same_v<decltype(add(3, 4)), int>);
  static_assert(std::is_same_v<decltype(add(short(1), short(2))), int>);
  static_assert(std::is_same_v<decltype(add(1, 2.0f)), float>);
  static_assert(std::is_same_v<decltype(add(1.0f, 2.0)), double>);
  static_assert(std::is_same_v<decltype(add(1u, -1)), unsigned>);
  static_assert(std::is_same_v<decltype(add(std::int64_t(1), 2u)), std::int64_t>);
  static_assert(std::is_same_v<decltype(add(true, true)), int>);
  EXPECT_EQ(add(1, 2.5f), 3.5f);
  EXPECT_EQ(add(std::uint8_t(200), std::uint8_t(100)), 300);
  EXPECT_EQ(add(std::numeric_limits<int>::max(), 1), std::numeric_limits<int>::min());  // wraps
  EXPECT_EQ(add(true, true), 2);
}

TEST(Vectorize, EverySizeUpToSeveralVectors) {
  for (std::size_t n = 0; n <= 70; ++n) {
    const std::vector<float> x = counted<float>(n), y = counted<float>(n, 100.0f);
    const std::vector<float> z = add(x, y);
    ASSERT_EQ(z.size(), n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], 100.0f + 2.0f * float(i)) << n;
  }
}

/// So much work an element that a back end may treat the last few elements of an array in a way of
/// their own.
template <int Steps>
constexpr auto mixed(auto sum, auto x, auto y) {
  if constexpr (Steps == 0) return sum;
  else return mixed<Steps - 1>(sum * x + y * Steps, x, y);
}
constexpr auto costly = [](auto x, auto y) { return mixed<20>(x + y, x, y); };

template <class Elem>
void expect_every_size_of_costly_bodies() {
  auto f = kr::vectorize(costly);
  using Result = decltype(costly(Elem(), Elem()));
  constexpr std::size_t most = 70, edge = 40;
  std::vector<Elem> x(most), y(most);
  for (std::size_t i = 0; i < most; ++i) x[i] = Elem(i % 7) / Elem(4), y[i] = Elem(i % 5 + 1);
  for (std::size_t n = 0; n <= most; ++n) {
    std::vector<Result> out(n + 2 * edge, Result(99));
    f.into(std::span<Result>(out.data() + edge, n))(std::span<const Elem>(x.data(), n),
                                                    std::span<const Elem>(y.data(), n));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool inside = i >= edge && i < edge + n;
      const Result wanted = inside ? costly(x[i - edge], y[i - edge]) : Result(99);
      ASSERT_NEAR(double(out[i]), double(wanted), 1e-4 * std::abs(double(wanted)))
          << "element " << i << " of " << n;
    }
  }
}

TEST(Vectorize, EverySizeOfCostlyBodiesOnEveryType) {
  expect_every_size_of_costly_bodies<float>();
  expect_every_size_of_costly_bodies<double>();
  expect_every_size_of_costly_bodies<std::int8_t>();
  expect_every_size_of_costly_bodies<std::uint16_t>();
  expect_every_size_of_costly_bodies<std::int64_t>();
}

TEST(Vectorize, CostlyBodiesInPlaceAndWithSeveralResults) {
  auto f = kr::vectorize(costly);
  auto both = kr::vectorize([](auto x, auto y) {
    return std::tuple{costly(x, y), x - y, costly(y, x)};
  });
  for (std::size_t n = 0; n <= 70; ++n) {
    std::vector<float> x(n), z(n, 1.0f), first(n), third(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = float(i % 7) / 8.0f;
    std::vector<float> changed = x;
    f.into(changed)(changed, z);
    both.into(first, z, third)(x, z);  // the second result takes the second argument's place
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(changed[i], costly(x[i], 1.0f), 1e-4f * changed[i]) << n;
      ASSERT_EQ(first[i], changed[i]) << n;
      ASSERT_EQ(z[i], x[i] - 1.0f) << n;
      ASSERT_NEAR(third[i], costly(1.0f, x[i]), 1e-4f * third[i]) << n;
    }
  }
}

TEST(Vectorize, CostlyBodiesThatWriteSomeElements) {
  auto positive =
      kr::kernel([](kr::view<const float> in, kr::view<const float> scale, kr::view<float> out) {
        for (auto i : kr::grid_stride(out.size()))
          kr::if_(in[i] > 0.0f,
                  [&] { out[i] = costly(kr::value<float>(in[i]), kr::value<float>(scale[0])); });
      });
  for (std::size_t n = 1; n <= 70; ++n) {
    std::vector<float> in(n), scale{1.0f}, out(n);
    for (std::size_t i = 0; i < n; ++i) in[i] = float(int(i % 5) - 2) / 4.0f, out[i] = float(i);
    positive.forall(std::int64_t(n))(in, scale, out);
    for (std::size_t i = 0; i < n; ++i) {
      const float wanted = in[i] > 0 ? costly(in[i], 1.0f) : float(i);
      ASSERT_NEAR(out[i], wanted, 1e-4f * wanted) << "element " << i << " of " << n;
    }
  }
}

TEST(Vectorize, SizesThatAreSplitAmongThreads) {
  const std::size_t n = 1'000'003;
  std::vector<std::int32_t> x(n), y(n);
  std::iota(x.begin(), x.end(), 0), std::iota(y.begin(), y.end(), 7);
  const std::vector<std::int32_t> z = add(x, y);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], std::int32_t(2 * i + 7));
}

template <class Elem>
class VectorizeTypes : public testing::Test {};
using AllTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint16_t, std::uint32_t, std::uint64_t, kr::f16, float, double,
                                long long, unsigned long long, char>;
TYPED_TEST_SUITE(VectorizeTypes, AllTypes);

TYPED_TEST(VectorizeTypes, PassThroughAndArithmetic) {
  std::vector<TypeParam> x;
  for (int i = 0; i < 37; ++i) x.push_back(TypeParam(i));
  auto same = kr::vectorize([](auto v) { return v; });
  std::vector<TypeParam> y = same(x);
  auto twice = kr::vectorize([](auto v) { return kr::cast<TypeParam>(v + v); });
  std::vector<TypeParam> z = twice(x);
  for (int i = 0; i < 37; ++i) {
    EXPECT_EQ(double(y[std::size_t(i)]), i);
    EXPECT_EQ(double(z[std::size_t(i)]), 2 * i);
  }
}

TEST(Vectorize, ContainersKeepTheirTemplate) {
  const std::array<float, 4> x{1, 2, 3, 4};
  auto y = add(x, 1);
  static_assert(std::is_same_v<decltype(y), std::array<float, 4>>);
  EXPECT_EQ(y, (std::array<float, 4>{2, 3, 4, 5}));

  std::vector<int> v{1, 2, 3};
  std::vector<double> w = add(v, 0.5);
  EXPECT_EQ(w, (std::vector<double>{1.5, 2.5, 3.5}));
  static_assert(std::is_same_v<decltype(add(v, 0.5)), std::vector<double>>);

  const std::span<int> s(v);
  std::vector<int> from_span = add(s, s);
  EXPECT_EQ(from_span, (std::vector<int>{2, 4, 6}));

  int c_array[3] = {5, 6, 7};
  std::vector<int> from_array = add(c_array, v);
  EXPECT_EQ(from_array, (std::vector<int>{6, 8, 10}));
}

TEST(Vectorize, TemporariesAndConstContainersAreRead) {
  const std::vector<int> x{1, 2, 3};
  std::vector<int> y = add(std::vector<int>{10, 20, 30}, x);
  EXPECT_EQ(y, (std::vector<int>{11, 22, 33}));
}

TEST(Vectorize, PredicatesGiveBytes) {
  auto positive = kr::vectorize([](auto x) { return x > 0; });
  const std::vector<float> x{-1.0f, 0.0f, 2.0f, -0.0f, 1e-45f};
  auto y = positive(x);
  static_assert(std::is_same_v<decltype(y), std::vector<unsigned char>>);
  EXPECT_EQ(y, (std::vector<unsigned char>{0, 0, 1, 0, 1}));
  static_assert(std::is_same_v<decltype(positive(1.0f)), bool>);
  EXPECT_TRUE(positive(1.0f));
  EXPECT_FALSE(positive(-1.0f));
  const std::array<bool, 3> flags{true, false, true};
  auto negated = kr::vectorize([](auto b) { return !b; })(flags);
  EXPECT_EQ(negated, (std::array<unsigned char, 3>{0, 1, 0}));
}

TEST(Vectorize, TuplesGiveSeveralOutputs) {
  auto both = kr::vectorize([](auto x, auto y) { return std::tuple(x + y, x * y, x < y); });
  const std::vector<int> x{1, 2, 9}, y{4, 5, 6};
  auto [sum, product, less] = both(x, y);
  EXPECT_EQ(sum, (std::vector<int>{5, 7, 15}));
  EXPECT_EQ(product, (std::vector<int>{4, 10, 54}));
  EXPECT_EQ(less, (std::vector<unsigned char>{1, 1, 0}));
  auto [s, p, l] = both(2, 3);
  EXPECT_EQ(s, 5);
  EXPECT_EQ(p, 6);
  EXPECT_TRUE(l);
  std::vector<int> into_sum(3), into_product(3);
  std::vector<unsigned char> into_less(3);
  both.into(into_sum, into_product, into_less)(x, y);
  EXPECT_EQ(into_product, product);
}

TEST(Vectorize, EagerSignaturesGiveTheDeclaredTypes) {
  auto f = kr::vectorize<float(float, float), double(double, double), int(int, int)>(
      [](auto x, auto y) { return x * y + 0.5f; });
  static_assert(std::is_same_v<decltype(f(1.0f, 2.0f)), float>);
  static_assert(std::is_same_v<decltype(f(1.0, 2.0)), double>);
  static_assert(std::is_same_v<decltype(f(1, 2)), int>);
  EXPECT_EQ(f(3.0f, 2.0f), 6.5f);
  EXPECT_EQ(f(3, 2), 6);
  EXPECT_FALSE(std::string(f.ir()).empty());  // compiled before the first call
  auto compiled = kr::vectorize<float(float)>([](auto x) { return x + 1; });
  EXPECT_NE(std::string(compiled.ir()).find("kernel"), std::string::npos);
}

TEST(Vectorize, EarlyReturnInsideControlFlow) {
  auto clipped = kr::vectorize([](auto x) {
    kr::if_(x < 0, [&] { kr::return_(0.0f); });
    kr::if_(x > 10, [&] { kr::return_(10.0f); });
    return x;
  });
  const std::vector<float> x{-3, 5, 12, 0, 10};
  EXPECT_EQ(std::vector<float>(clipped(x)), (std::vector<float>{0, 5, 10, 0, 10}));
  EXPECT_EQ(clipped(-1.0f), 0.0f);
}

TEST(Vectorize, InlinesOnTracedValues) {
  auto twice_sum = kr::vectorize([](auto x, auto y) { return 2 * add(x, y); });
  EXPECT_EQ(twice_sum(3, 4), 14);
  auto k = kr::kernel([](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = add(x[i], 5);
  });
  const std::vector<int> x{1, 2, 3};
  std::vector<int> y(3);
  k.forall(3)(x, y);
  EXPECT_EQ(y, (std::vector<int>{6, 7, 8}));
}

// ---- broadcasting
// -------------------------------------------------------------------------------------------------
template <int Rank>
kr::array<float, Rank> device_counted(kr::shape<Rank> s, float first = 0) {
  kr::array<float, Rank> a(s);
  a.copy_from(counted<float>(std::size_t(s.size()), first));
  return a;
}

/// x and y broadcast by hand: the element of the output at a position.
template <int Rx, int Ry, int R = (Rx > Ry ? Rx : Ry)>
void expect_broadcast(kr::shape<Rx> sx, kr::shape<Ry> sy, kr::shape<R> expected) {
  const auto x = device_counted(sx);
  const auto y = device_counted(sy, 1000.0f);
  kr::array<float, R> z = kr::vectorize([](auto a, auto b) { return 3 * a + b; })(x, y);
  ASSERT_TRUE(z.extents() == expected);
  const std::vector<float> got = z.to_host();
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    std::int64_t rest = i, at_x = 0, at_y = 0, stride_x = 1, stride_y = 1;
    for (int d = R - 1; d >= 0; --d) {
      const std::int64_t p = rest % expected[d];
      rest /= expected[d];
      if (const int dx = d - (R - Rx); dx >= 0)
        at_x += (sx[dx] == 1 ? 0 : p) * stride_x, stride_x *= sx[dx];
      if (const int dy = d - (R - Ry); dy >= 0)
        at_y += (sy[dy] == 1 ? 0 : p) * stride_y, stride_y *= sy[dy];
    }
    ASSERT_EQ(got[std::size_t(i)], 3 * float(at_x) + 1000.0f + float(at_y)) << "element " << i;
  }
}

TEST(Vectorize, BroadcastsAsNumPyDoes) {
  expect_broadcast(kr::shape<1>(5), kr::shape<1>(5), kr::shape<1>(5));
  expect_broadcast(kr::shape<1>(1), kr::shape<1>(5), kr::shape<1>(5));
  expect_broadcast(kr::shape<2>(4, 5), kr::shape<1>(5), kr::shape<2>(4, 5));
  expect_broadcast(kr::shape<1>(5), kr::shape<2>(4, 5), kr::shape<2>(4, 5));
  expect_broadcast(kr::shape<2>(4, 1), kr::shape<1>(5), kr::shape<2>(4, 5));
  expect_broadcast(kr::shape<2>(4, 1), kr::shape<2>(1, 5), kr::shape<2>(4, 5));
  expect_broadcast(kr::shape<2>(1, 1), kr::shape<2>(3, 2), kr::shape<2>(3, 2));
  expect_broadcast(kr::shape<3>(2, 3, 4), kr::shape<1>(4), kr::shape<3>(2, 3, 4));
  expect_broadcast(kr::shape<3>(2, 3, 4), kr::shape<2>(3, 1), kr::shape<3>(2, 3, 4));
  expect_broadcast(kr::shape<3>(2, 1, 4), kr::shape<3>(1, 3, 1), kr::shape<3>(2, 3, 4));
  expect_broadcast(kr::shape<4>(2, 1, 3, 1), kr::shape<3>(5, 1, 2), kr::shape<4>(2, 5, 3, 2));
  expect_broadcast(kr::shape<2>(0, 5), kr::shape<1>(5), kr::shape<2>(0, 5));
  expect_broadcast(kr::shape<2>(4, 1), kr::shape<1>(0), kr::shape<2>(4, 0));
}

TEST(Vectorize, HostContainersBroadcastToo) {
  const std::vector<int> one{7}, x{1, 2, 3};
  EXPECT_EQ(std::vector<int>(add(one, x)), (std::vector<int>{8, 9, 10}));
  EXPECT_EQ(std::vector<int>(add(x, one)), (std::vector<int>{8, 9, 10}));
  const kr::array<int> d = kr::to_device(x);
  kr::array<int> sum = add(d, one);
  EXPECT_EQ(std::vector<int>(sum.to_host()), (std::vector<int>{8, 9, 10}));
}

TEST(Vectorize, BroadcastContainersAreReadToTheirEnd) {
  // The page behind the elements cannot be read.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  float* const last = static_cast<float*>(pages) + page / sizeof(float) - 4;
  for (int i = 0; i < 4; ++i) last[i] = float(i);
  kr::array<float, 2> rows({3000, 4});
  rows.copy_from(std::vector<float>(12000, 10.0f));
  const std::vector<float> sums = add(rows, std::span<const float>(last, 4)).to_host();
  for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i], 10.0f + float(i % 4)) << i;
  EXPECT_EQ(add(std::vector<float>(5000, 1.0f), std::span<const float>(last + 3, 1)),
            std::vector<float>(5000, 4.0f));
  munmap(pages, 2 * page);
}

TEST(Vectorize, ShapesThatDoNotBroadcast) {
  const std::vector<int> three(3), four(4);
  auto plus = kr::vectorize([](auto x, auto y) { return x + y; }, {.name = "plus"});
  const std::string where = krait::test::place(__LINE__ - 1);
  expect_usage(
      {"kernel plus (" + where +
       "): the arguments' shapes (3,) and (4,) do not broadcast: from the last dimension on, extents must be equal or 1"},
      [&] { plus(three, four); });
  const auto x = device_counted(kr::shape<2>(2, 3)), y = device_counted(kr::shape<2>(3, 2));
  expect_usage({"(2,3) and (3,2)"}, [&] { add(x, y); });
  const std::vector<int> none;
  expect_usage({"(0,) and (3,)"}, [&] { add(none, three); });
  expect_library_works();
}

// ---- into
// -------------------------------------------------------------------------------------------------
TEST(Vectorize, IntoWritesWhatItIsGiven) {
  const std::vector<float> x{1, 2, 3};
  std::vector<float> z(3, -1.0f);
  const float* memory = z.data();
  add.into(z)(x, 1.0f);
  EXPECT_EQ(z, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(z.data(), memory);
  add.into(z)(z, z);  // in place
  EXPECT_EQ(z, (std::vector<float>{4, 6, 8}));
  std::array<double, 3> d{};
  add.into(d)(x, 0.5);
  EXPECT_EQ(d, (std::array<double, 3>{1.5, 2.5, 3.5}));
  std::vector<float> wide(10, 9.0f);
  std::span<float> middle(wide.data() + 3, 3);
  add.into(middle)(x, 0);
  EXPECT_EQ(wide, (std::vector<float>{9, 9, 9, 1, 2, 3, 9, 9, 9, 9}));
  int c_array[2] = {};
  add.into(c_array)(1, 2);  // scalars fill the output
  EXPECT_EQ(c_array[0] + c_array[1], 6);
}

TEST(Vectorize, IntoInAStream) {
  kr::stream s;
  const kr::array<float> x = kr::to_device(std::vector<float>{1, 2, 3});
  kr::array<float> z(3);
  add.stream(s).into(z)(x, 1.0f);
  add.into(z).stream(s)(z, x);
  s.synchronize();
  EXPECT_EQ(std::vector<float>(z.to_host()), (std::vector<float>{3, 5, 7}));
}

TEST(Vectorize, IntoConvertsToTheOutputsType) {
  const std::vector<float> x{1.75f, -2.5f, 300.0f};
  std::vector<std::uint8_t> bytes(3);
  add.into(bytes)(x, 0.0f);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{1, 0, 255}));  // truncates and saturates
}

TEST(Vectorize, IntoDeviceArraysOfSeveralRanks) {
  const auto x = device_counted(kr::shape<2>(2, 3));
  kr::array<float, 2> z(2, 3);
  const std::uint64_t address = z.address();
  add.into(z)(x, 1.0f);
  EXPECT_EQ(std::vector<float>(z.to_host()), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const std::vector<float> row{10, 20, 30};
  add.into(z)(z, row);
  EXPECT_EQ(std::vector<float>(z.to_host()), (std::vector<float>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(z.address(), address);
  kr::array<float, 3> deep(2, 2, 3);
  add.into(deep)(x, row);
  EXPECT_EQ(std::vector<float>(deep.to_host()),
            (std::vector<float>{10, 21, 32, 13, 24, 35, 10, 21, 32, 13, 24, 35}));
}

TEST(Vectorize, IntoRefusesAnotherShape) {
  const std::vector<float> x{1, 2, 3};
  std::vector<float> four(4, -1.0f), one(1, -1.0f);
  expect_usage({"(3,)", "(4,)"}, [&] { add.into(four)(x, 1.0f); });
  expect_usage({"(3,)", "(1,)"}, [&] { add.into(one)(x, 1.0f); });
  EXPECT_EQ(four, (std::vector<float>(4, -1.0f)));
  EXPECT_EQ(one, (std::vector<float>(1, -1.0f)));
  std::vector<float> sum(3), product(2);
  auto both = kr::vectorize([](auto a, auto b) { return std::tuple(a + b, a * b); });
  expect_usage({"(2,)"}, [&] { both.into(sum, product)(x, x); });
}

TEST(Vectorize, EmptyContainersGiveEmptyOnes) {
  const std::vector<int> none;
  EXPECT_TRUE(std::vector<int>(add(none, none)).empty());
  EXPECT_TRUE(std::vector<int>(add(none, 1)).empty());
  std::vector<int> out;
  add.into(out)(none, none);
  EXPECT_TRUE(out.empty());
  const kr::array<int> empty(0);
  kr::array<int> sum = add(empty, 3);
  EXPECT_EQ(sum.size(), 0);
  const kr::array<int> default_made;
  kr::array<int> another = add(default_made, 3);
  EXPECT_EQ(another.size(), 0);
}

TEST(Vectorize, CapturesFreezeInEachObject) {
  const auto scaled = [](float factor) {
    return kr::vectorize([factor](auto x) { return factor * x; });
  };
  auto twice = scaled(2), thrice = scaled(3);  // one lambda type, two objects
  const std::vector<float> x{1, 2};
  EXPECT_EQ(std::vector<float>(twice(x)), (std::vector<float>{2, 4}));
  EXPECT_EQ(std::vector<float>(thrice(x)), (std::vector<float>{3, 6}));
  EXPECT_EQ(std::vector<float>(twice(x)), (std::vector<float>{2, 4}));
  int n = 5;
  auto with_reference = kr::vectorize([&n](auto v) { return v + n; });
  EXPECT_EQ(with_reference(1), 6);
  n = 100;
  EXPECT_EQ(with_reference(1), 6);  // recorded at the first call
}

TEST(Vectorize, PlacesAreTheUsers) {
  auto f = kr::vectorize([](auto x) { return x + 1; });
  static_cast<void>(f(std::vector<int>{1}));
  const std::string ir = f.ir().c_str();
  EXPECT_NE(ir.find("vectorize_test.cpp"), ir.npos) << ir;
  EXPECT_EQ(ir.find("elementwise.h"), ir.npos) << ir;
}

}  // namespace
