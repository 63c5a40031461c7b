// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans in each of their forms against loops on the host: types, operators that keep an order,
// sizes around tiles, axes.
#include <krait/algorithm/scan.h>

#include <cmath>

#include "arrays/algorithm_cases.h"

using krait::test::expect_error;
using krait::test::expect_usage;

namespace {

/// x -> scale * x + shift, whose composition has an order.
struct affine {
  unsigned scale, shift;
  friend bool operator==(const affine&, const affine&) = default;
};
constexpr auto compose = [](auto first, auto second) {
  auto [a, b] = first;
  auto [c, d] = second;
  return kr::value<affine>(a * c, b * c + d);
};
affine composed(affine x, affine y) { return {x.scale * y.scale, x.shift * y.scale + y.shift}; }

/// By a function, or an operator of the library's.
template <bool Exclusive, bool Initial, class T, class Out, class Function>
void scan_in_form(const kr::array<T, 2>& x, const kr::array<Out, 2>& to, const Function& function,
                  Out initial, const kr::detail::algorithm_device& how) {
  using namespace kr::detail;
  const std::int64_t axis = 1;
  const auto run = [&](scan_operator by, const element_function* f) {
    scan({element_type_of<T>(), element_type_of<Out>(), Exclusive, Initial, by, f}, erased(x),
         &axis, erased(to), &initial, how);
  };
  if constexpr (std::is_same_v<Function, scan_operator>) run(function, nullptr);
  else
    recorded_function<Function, Out, Out, 2>::with(
        function, [&](const element_function& f) { run(scan_operator::function, &f); });
}

template <class Out, bool Exclusive, bool Initial, class T, class Function, class Plain>
void compare(const std::vector<T>& h, std::int64_t rows, Out initial, const Function& function,
             const Plain& plain) {
  const std::int64_t length = std::int64_t(h.size()) / rows;
  std::vector<Out> wanted(h.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    Out state = initial;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = std::size_t(r * length + i);
      if (Exclusive) wanted[at] = state;
      state = !Initial && i == 0 ? Out(h[at]) : plain(state, Out(h[at]));
      if (!Exclusive) wanted[at] = state;
    }
  }
  kr::array<T, 2> x(rows, length);
  x.copy_from(h);
  for (const auto& how : krait::test::forms()) {
    kr::array<Out, 2> to(rows, length);
    scan_in_form<Exclusive, Initial>(x, to, function, initial, how);
    const auto got = to.to_host();
    for (std::size_t i = 0; i < h.size(); ++i)
      ASSERT_EQ(got[i], wanted[i]) << i << " of " << rows << " x " << length << " in form "
                                   << int(how.form) << " " << how.workers;
  }
}

template <class T, class Out, class Make, class Function, class Plain>
void compare_sizes(unsigned test, const Make& make, Out initial, const Function& function,
                   const Plain& plain) {
  krait::test::Random random(test);
  const std::int64_t most = std::string(kr::device().id()) == "interpreter" ? 600 : 200000;
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes{
      {1, 1}, {1, 4097}, {1, std::min<std::int64_t>(most, 70001)}, {5, 33}};
  for (int i = 0; i < krait::test::cases(); ++i) {
    const std::int64_t length = std::max<std::int64_t>(random.size(most), 1);
    shapes.push_back({random.below(3) ? 1
                                      : 1 + random.below(std::max<std::int64_t>(
                                                2, std::min<std::int64_t>(300, most / length))),
                      length});
  }
  for (const auto& [rows, length] : shapes) {
    if (rows * length > 8 * most) continue;
    std::vector<T> h(std::size_t(rows * length));
    for (T& x : h) x = make(random);
    compare<Out, false, false>(h, rows, initial, function, plain);
    compare<Out, true, true>(h, rows, initial, function, plain);
    compare<Out, false, true>(h, rows, initial, function, plain);
  }
}

TEST(Scan, SumsOfIntegers) {
  compare_sizes<int, std::int64_t>(
      1, [](auto& r) { return int(r.bits()); }, std::int64_t(-7), kr::detail::scan_operator::sum,
      [](auto a, auto b) { return a + b; });
}
TEST(Scan, SumsOfFloats) {  // of small integers, exact in every order
  compare_sizes<float, float>(
      2, [](auto& r) { return float(r.below(7)) - 3; }, 100.0f, kr::detail::scan_operator::sum,
      [](auto a, auto b) { return a + b; });
}
TEST(Scan, NarrowTypes) {
  compare_sizes<unsigned char, unsigned char>(
      3, [](auto& r) { return (unsigned char)(r.bits()); }, (unsigned char)(3),
      [](auto a, auto b) { return a + b; }, [](auto a, auto b) { return (unsigned char)(a + b); });
  compare_sizes<kr::f16, kr::f16>(
      5, [](auto& r) { return kr::f16(float(r.below(2048))); }, kr::f16(0.0f),
      [](auto a, auto b) { return kr::max(a, b); },
      [](auto a, auto b) { return float(a) > float(b) ? a : b; });
}
TEST(Scan, OperatorsThatKeepAnOrder) {
  compare_sizes<unsigned, unsigned>(
      6, [](auto& r) { return unsigned(r.below(9) ? 0 : r.bits()); }, 5u,
      [](auto a, auto b) { return kr::select(b != 0u, b, a); },
      [](auto a, auto b) { return b ? b : a; });
  compare_sizes<double, double>(
      7, [](auto& r) { return r.below(9) ? 0.0 : double(r.below(100)); }, 5.0,
      [](auto a, auto b) { return kr::select(b != 0.0, b, a); },
      [](auto a, auto b) { return b != 0 ? b : a; });
}
TEST(Scan, Structs) {
  compare_sizes<affine, affine>(
      8,
      [](auto& r) {
        return affine{unsigned(r.bits()) | 1, unsigned(r.bits())};
      },
      affine{3, 4}, compose, composed);
}

TEST(Scan, AxesAndOptions) {
  kr::array<int, 3> x(2, 3, 4);
  std::vector<int> h(24);
  for (int i = 0; i < 24; ++i) h[std::size_t(i)] = i;
  x.copy_from(h);
  const auto all = kr::cumsum(x);
  static_assert(std::is_same_v<decltype(all), const kr::array<std::int64_t, 1>>);
  EXPECT_EQ(all(-1), 276);
  for (const int axis : {0, 1, 2, -1}) {
    const auto sums = kr::cumsum(x, kr::axis(axis), kr::initial(10));
    EXPECT_EQ(sums.extents(), x.extents());
    const auto got = sums.to_host();
    for (int i = 0; i < 24; ++i) {
      const int at[] = {i / 12, i / 4 % 3, i % 4}, strides[] = {12, 4, 1},
                along = axis < 0 ? 2 : axis;
      std::int64_t sum = 10;
      for (int k = 0; k <= at[along]; ++k)
        sum += h[std::size_t(i + (k - at[along]) * strides[along])];
      EXPECT_EQ(got[std::size_t(i)], sum) << axis << " " << i;
    }
  }
  const auto back = kr::exclusive_scan(
      x.flip(), 1, [](auto a, auto b) { return kr::max(a, b); }, kr::axis(-1));
  EXPECT_EQ(std::vector<int>(kr::array<int>(back(0, 0).reshape(-1).copy()).to_host()),
            (std::vector<int>{1, 23, 23, 23}));
  EXPECT_EQ(
      std::vector<float>(kr::cumprod(kr::to_device(std::vector<float>{1, 2, 3, -4})).to_host()),
      (std::vector<float>{1, 2, 6, -24}));
  kr::array<bool> bits = kr::to_device(std::vector<int>{0, 1, 0, 0, 1}) != 0;
  const kr::array<int> parity = kr::inclusive_scan(bits, [](auto a, auto b) { return a != b; }) + 0;
  EXPECT_EQ(std::vector<int>(parity.to_host()), (std::vector<int>{0, 1, 1, 1, 0}));
  int captured = 3;
  const auto modulo = [captured](auto a, auto b) { return (a + b) % captured; };
  EXPECT_EQ(std::vector<int>(
                kr::inclusive_scan(kr::to_device(std::vector<int>{1, 1, 1, 1}), modulo).to_host()),
            (std::vector<int>{1, 2, 0, 1}));
}

TEST(Scan, OfNothingAndBadInput) {
  EXPECT_EQ(kr::cumsum(kr::array<float>(0)).size(), 0);
  EXPECT_EQ(kr::cumsum(kr::array<float, 2>(0, 3), kr::axis(1)).extents(), (kr::shape<2>(0, 3)));
  EXPECT_EQ(kr::cumsum(kr::array<float, 2>(3, 0), kr::axis(1)).extents(), (kr::shape<2>(3, 0)));
  expect_usage({"axis 2 is out of bounds for array of dimension 2"},
               [] { kr::cumsum(kr::array<float, 2>(2, 2), kr::axis(2)); });
}

TEST(Scan, SmallOnesAreOneLaunch) {
  kr::array<float> x(2048);
  x.fill(1);
  (void)kr::cumsum(x);
  const std::uint64_t before = kr::stats().launches();
  (void)kr::cumsum(x);
  EXPECT_EQ(kr::stats().launches() - before, 1u);
}

/// Memory that ends at any of the allocations: the input stays, and nothing is kept.
TEST(Scan, MemoryThatEnds) {
  kr::device on;
  kr::array<float> x(300000);
  x.fill(1);
  (void)kr::cumsum(x);
  const std::int64_t used = on.memory_use().used;
  int failures = 0;
  for (const std::int64_t more : {1000, 1300000 - 100000, 1201000}) {
    on.limit_memory(used + more);
    try {
      (void)kr::cumsum(x);
    } catch (const kr::error& e) {
      EXPECT_EQ(e.kind(), kr::error::kind_type::device);
      ++failures;
    }
    on.limit_memory(0);
    EXPECT_EQ(on.memory_use().used, used);
  }
  EXPECT_GE(failures, 1);
  EXPECT_EQ(kr::cumsum(x)(-1), 300000.0f);
}

}  // namespace
