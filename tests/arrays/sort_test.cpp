// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts in each of their forms against std::stable_sort: types, special values, stability, sizes
// around tiles, axes.
#include <krait/algorithm/sort.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

namespace dt = krait::detail;

template <class T>
double number(T x) {
  if constexpr (dt::is_narrow_v<T>) return double(float(x));
  else return double(x);
}
template <class T>
bool before(T a, T b, bool descends) {
  if constexpr (dt::is_float_v<T>) {
    if (dt::is_nan(a) || dt::is_nan(b)) return !dt::is_nan(a);
    return descends ? number(a) > number(b) : number(a) < number(b);
  } else {
    return descends ? a > b : a < b;
  }
}
template <class T>
bool strictly_before(T a, T b, bool descends) {
  return before(a, b, descends) && !before(b, a, descends);
}

/// Random bits, few different numbers, and what is special.
template <class T>
T random_key(krait::test::Random& r, std::int64_t style) {
  if (style == 0) return dt::from_bits<T>(std::is_same_v<T, bool> ? r.bits() & 1 : r.bits());
  if (style == 1) return dt::convert_plain<T>(int(r.below(3)));
  if constexpr (dt::is_float_v<T>) {
    const double special[] = {0.0,
                              -0.0,
                              1.0,
                              -1.0,
                              __builtin_huge_val(),
                              -__builtin_huge_val(),
                              __builtin_nan(""),
                              -__builtin_nan(""),
                              1e-300};
    return dt::convert_plain<T>(special[r.below(9)]);
  } else {
    return std::is_same_v<T, bool>
               ? T(r.below(2))
               : T(std::numeric_limits<T>::max() - T(r.below(2)) * T(std::is_signed_v<T> ? 2 : 1));
  }
}

/// Each form and payload on random rows.
template <class T>
void compare(unsigned test, bool every_form = true) {
  krait::test::Random random(test);
  const bool cpu = std::string(kr::device().id()) == "cpu";
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes{
      {1, 1},  {3, 2048}, {1, 2049}, {70, 47},  {70, 49}, {2, 8193},
      {5, 65}, {2, 3584}, {1, 3585}, {1, 5120}, {1, 5121}};
  for (int i = 0; i < krait::test::cases(); ++i)
    shapes.push_back(
        {1 + random.below(3), std::max<std::int64_t>(random.size(cpu ? 100000 : 30000), 1)});
  for (const auto& [rows, length] : shapes) {
    const bool descends = random.below(2);
    const std::int64_t style = random.below(3);
    const auto size = std::size_t(rows * length);
    std::unique_ptr<T[]> h(new T[size]);
    for (std::size_t i = 0; i < size; ++i) h[i] = random_key<T>(random, style);
    std::vector<unsigned> order(size);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto first = order.begin() + r * length;
      std::iota(first, first + length, 0u);
      const T* const row = h.get() + r * length;
      std::stable_sort(first, first + length, [&](unsigned a, unsigned b) {
        return strictly_before(row[a], row[b], descends);
      });
    }
    kr::array<T, 2> x(rows, length);
    x.copy_from(std::span(h.get(), size));
    std::vector<unsigned> labels(size);
    for (auto& l : labels) l = unsigned(random.bits());
    kr::array<unsigned, 2> values(rows, length);
    values.copy_from(labels);
    const dt::any_array keys = dt::erased(x), from = dt::erased(values);
    auto forms = krait::test::forms();
    if (!every_form) forms.resize(1);
    for (const auto& how : forms) {
      const auto payload = int(random.below(3));  // none, places, values
      const kr::array<T, 2> sorted(rows, length);
      const kr::array<unsigned, 2> moved(rows, length);
      const dt::any_array to = dt::erased(sorted), with = dt::erased(moved);
      dt::sort_rows(how, dt::order_of<T>(descends), keys, to, payload == 2 ? &from : nullptr,
                    payload ? &with : nullptr);
      const auto got = sorted.to_host();
      // Without a payload nothing is written there.
      const auto carried = (payload ? moved : values).to_host();
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = i / std::size_t(length) * std::size_t(length),
                          source = row + order[i];
        ASSERT_EQ(dt::bits_of(got[i]), dt::bits_of(h[source]))
            << i << " of " << rows << " x " << length << " in form " << int(how.form) << " "
            << how.workers << " payload " << payload;
        if (payload) {
          EXPECT_EQ(carried[i], payload == 1 ? order[i] : labels[source])
              << i << " form " << int(how.form);
        }
      }
    }
  }
}
TEST(Sort, Integers8) { compare<std::int8_t>(1), compare<bool>(2); }
TEST(Sort, Integers16) { compare<std::uint16_t>(3), compare<std::int16_t>(4); }
TEST(Sort, Integers32) { compare<std::uint32_t>(5), compare<std::int32_t>(6); }
TEST(Sort, Integers64) { compare<std::uint64_t>(7), compare<std::int64_t>(8); }
TEST(Sort, Floats) { compare<float>(9), compare<double>(10); }
TEST(Sort, NarrowFloats) {
  compare<kr::f16>(11), compare<kr::bf16>(12, false), compare<kr::f8e4m3>(13, false),
      compare<kr::f8e5m2>(14, false);
}

struct body {
  float mass;
  int number;
  friend bool operator==(const body&, const body&) = default;
};

TEST(Sort, StructsByAComparison) {
  krait::test::Random random(20);
  const auto lighter = [](const auto& a, const auto& b) { return a[&body::mass] < b[&body::mass]; };
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes{{1, 1}, {1, 33}, {3, 64}, {2, 5000}};
  for (int i = 0; i < krait::test::cases(); ++i)
    shapes.push_back({1 + random.below(3), std::max<std::int64_t>(random.size(50000), 1)});
  for (const auto& [rows, length] : shapes) {
    std::vector<body> h(std::size_t(rows * length));
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = {float(random.below(40)), int(i)};
    kr::array<body, 2> x(rows, length);
    x.copy_from(h);
    for (std::int64_t r = 0; r < rows; ++r)
      std::stable_sort(h.begin() + r * length, h.begin() + (r + 1) * length,
                       [](const body& a, const body& b) { return a.mass < b.mass; });
    for (const auto& how : krait::test::forms()) {
      kr::array<body, 2> to(rows, length);
      using function = dt::recorded_function<std::remove_cv_t<decltype(lighter)>, bool, body, 2>;
      function::with(lighter, [&](const dt::element_function& f) {
        dt::merge_sort(dt::erased(x), 1, dt::erased(to), f, false, how);
      });
      EXPECT_EQ(std::vector<body>(to.to_host()), h)
          << rows << " x " << length << " in form " << int(how.form);
    }
  }
}

TEST(Sort, OfArrays) {
  kr::array<int, 2> x(2, 3);
  x.copy_from(std::vector<int>{5, 1, 3, 2, 9, 0});
  EXPECT_EQ(std::vector<int>(kr::sort(x).to_host()), (std::vector<int>{1, 3, 5, 0, 2, 9}));
  EXPECT_EQ(std::vector<int>(kr::sort(x, kr::axis(0), kr::descending).to_host()),
            (std::vector<int>{5, 9, 3, 2, 1, 0}));
  EXPECT_EQ(std::vector<std::int64_t>(kr::argsort(x, kr::axis(1)).to_host()),
            (std::vector<std::int64_t>{1, 2, 0, 2, 0, 1}));
  EXPECT_EQ(std::vector<std::int64_t>(kr::argsort(x, kr::axis(0)).to_host()),
            (std::vector<std::int64_t>{1, 0, 1, 0, 1, 0}));
  kr::array<float, 2> f(2, 3);
  f.copy_from(std::vector<float>{0, 1, 2, 3, 4, 5});
  const auto pairs = kr::sort_by_key(x, f);
  EXPECT_EQ(std::vector<int>(pairs.keys.to_host()), (std::vector<int>{1, 3, 5, 0, 2, 9}));
  EXPECT_EQ(std::vector<float>(pairs.values.to_host()), (std::vector<float>{1, 2, 0, 5, 3, 4}));
  kr::array<double, 2> wide = f + 0.5;
  EXPECT_EQ(std::vector<double>(kr::sort_by_key(x, wide, kr::descending).values.to_host()),
            (std::vector<double>{0.5, 2.5, 1.5, 4.5, 3.5, 5.5}));
  EXPECT_EQ(std::vector<int>(kr::sort(
                                 x.transpose(), [](auto a, auto b) { return a > b; }, kr::axis(0))
                                 .transpose()
                                 .copy()
                                 .to_host()),
            (std::vector<int>{5, 3, 1, 9, 2, 0}));
  EXPECT_EQ(kr::sort(kr::array<float>(0)).size(), 0);
  EXPECT_EQ(kr::argsort(kr::array<float, 2>(0, 5)).extents(), (kr::shape<2>(0, 5)));
}

TEST(Sort, BadInput) {
  expect_usage({"axis 1 is out of bounds for array of dimension 1"},
               [] { kr::sort(kr::array<int>(3), kr::axis(1)); });
  expect_usage({"sort_by_key", "(3,)", "(4,)"},
               [] { kr::sort_by_key(kr::array<int>(3), kr::array<int>(4)); });
  const kr::array<unsigned char, 1> one(1);
  dt::any_array rows = dt::erased(one(kr::newaxis, kr::all));
  rows.at.extents[1] = std::int64_t{1} << 32;
  expect_usage(
      {"sorting 4294967296 keys with values or indices: at most 2^32 - 1 are possible; sort the keys alone, or sort parts"},
      [&] {
        dt::sort_rows(dt::algorithm_device_of(one.device()), dt::order_of<unsigned char>(false),
                      rows, rows, nullptr, &rows);
      });
}

TEST(Sort, SmallOnesAreOneLaunch) {
  kr::array<float> x(2048);
  x.fill(1);
  (void)kr::sort(x);
  const std::uint64_t before_sort = kr::stats().launches();
  (void)kr::sort(x);
  EXPECT_EQ(kr::stats().launches() - before_sort, 1u);
}

/// Memory that ends at any of the allocations: the input stays, and nothing is kept.
TEST(Sort, MemoryThatEnds) {
  kr::device on;
  std::vector<int> h(100000);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = int(i * 7919 % 100003);
  const kr::array<int> x = kr::to_device(h);
  (void)kr::argsort(x);
  const std::int64_t used = on.memory_use().used;
  int failures = 0;
  for (std::int64_t more = 1000; more < 3000000; more += 150000) {
    on.limit_memory(used + more);
    try {
      (void)kr::argsort(x);
    } catch (const kr::error& e) {
      EXPECT_EQ(e.kind(), kr::error::kind_type::device);
      ++failures;
    }
    on.limit_memory(0);
    EXPECT_EQ(on.memory_use().used, used);
  }
  EXPECT_GE(failures, 3);
  EXPECT_EQ(std::vector<int>(x.to_host()), h);
}

}  // namespace
