// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making arrays: shapes, orders, devices and element types. The numbers of arange and linspace
// against NumPy: numpy_cases.
#include <sys/resource.h>

#include <algorithm>

#include <limits>
#include <string>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

template <class Elem, int Rank>
std::vector<double> host(const kr::array<Elem, Rank>& a) {
  std::vector<double> h;
  for (const auto x : a.to_host()) h.push_back(double(x));
  return h;
}
using Doubles = std::vector<double>;

/// The system maps new memory page by page, which takes longer than to compute what lies there.
TEST(Creation, FreedMemoryOfTheCpuIsUsedAgain) {
  if (std::string(kr::device().id()) != "cpu") GTEST_SKIP() << "the CPU's";
  const auto faults = [](int times) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < times; ++i)
      kr::array<char>(5 << 20).fill('x'), kr::array<char>(3 << 20).fill('y');
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
  };
  faults(1);
  long least = faults(20);  // the first ones may have those of a compiler in the background
  for (int i = 0; i < 10; ++i) least = std::min(least, faults(20));
  EXPECT_LE(least, 200);
  kr::device().trim_memory();
  EXPECT_GE(faults(1), 5);
}

TEST(Creation, ByShapeBracesAndExtent) {
  const std::int64_t n = 2;
  EXPECT_EQ(kr::zeros<float>({n, 3}).extents(), (kr::shape<2>(2, 3)));
  EXPECT_EQ(kr::zeros<float>({n}).extents(), kr::shape<1>(2));
  EXPECT_EQ(kr::empty<int>(kr::shape<3>(2, 0, 4)).size(), 0);
  EXPECT_EQ(host(kr::ones<int>(3)), (Doubles{1, 1, 1}));
  EXPECT_EQ(host(kr::ones<bool>({1, 2})), (Doubles{1, 1}));
  EXPECT_EQ(host(kr::ones<kr::f16>({2})), (Doubles{1, 1}));
  EXPECT_EQ(host(kr::zeros<kr::bf16>(std::size_t(2))), (Doubles{0, 0}));
  EXPECT_EQ(host(kr::full({2, 2}, 2.5f)), (Doubles{2.5, 2.5, 2.5, 2.5}));
  const kr::array<double, 1> seven = kr::full<double>(2, 7);
  EXPECT_EQ(host(seven), (Doubles{7, 7}));
  EXPECT_EQ(host(kr::full(kr::shape<1>(2), true)), (Doubles{1, 1}));
}

TEST(Creation, OnDevicesAndInOrders) {
  const auto f = kr::zeros<float>({2, 3}, kr::storage_order::fortran);
  EXPECT_EQ(f.stride(0), 1);
  const auto cpu = kr::ones<float>({2, 3}, kr::device::cpu());
  EXPECT_EQ(std::string(cpu.device().id()), "cpu");
  const auto both = kr::full({2, 3}, 1, {kr::storage_order::fortran, kr::device::cpu()});
  EXPECT_EQ(both.stride(0), 1);
  EXPECT_EQ(std::string(both.device().id()), "cpu");
  EXPECT_EQ(std::string(kr::arange(3, kr::device::cpu()).device().id()), "cpu");
  EXPECT_EQ(std::string(kr::eye<int>(3, kr::device::cpu()).device().id()), "cpu");
  const auto like = kr::zeros_like<int>(both);
  static_assert(std::is_same_v<decltype(like), const kr::array<int, 2>>);
  EXPECT_EQ(like.stride(0), 1);
  EXPECT_EQ(std::string(like.device().id()), "cpu");
  EXPECT_EQ(host(kr::full_like(cpu, 3)), (Doubles{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(kr::empty_like(cpu(0)).extents(), kr::shape<1>(3));
  EXPECT_TRUE(kr::ones_like(cpu, {}).device() == kr::device());
}

TEST(Creation, Steps) {
  static_assert(std::is_same_v<decltype(kr::arange(4)), kr::array<int, 1>>);
  static_assert(std::is_same_v<decltype(kr::arange(0, 1.5f, 2)), kr::array<float, 1>>);
  EXPECT_EQ(host(kr::arange(4)), (Doubles{0, 1, 2, 3}));
  EXPECT_EQ(host(kr::arange(5u, 0u, -2)), (Doubles{5, 3, 1}));
  EXPECT_EQ(host(kr::arange(1.0, 2.0, 0.25)), (Doubles{1, 1.25, 1.5, 1.75}));
  EXPECT_EQ(host(kr::arange<kr::f16>(0, 2, 0.5)), (Doubles{0, 0.5, 1, 1.5}));
  EXPECT_EQ(kr::arange(3, 3).size(), 0);
  EXPECT_EQ(kr::arange(3, 1).size(), 0);
  const std::uint64_t half = std::uint64_t(1) << 63;
  const auto over = kr::arange(half - 1, half + 2).to_host();
  EXPECT_EQ(over.size(), 3u);
  EXPECT_EQ(over[2], half + 1);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(std::vector<std::int64_t>(kr::arange(least, most, most).to_host()),
            (std::vector<std::int64_t>{least, -1, most - 1}));
  EXPECT_EQ(host(kr::linspace(0, 1, 5)), (Doubles{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(kr::linspace(0, 1).size(), 50);
  EXPECT_EQ(host(kr::linspace<int>(0, -3, 3)), (Doubles{0, -2, -3}));
}

TEST(Creation, Diagonals) {
  EXPECT_EQ(host(kr::eye<float>(2)), (Doubles{1, 0, 0, 1}));
  EXPECT_EQ(host(kr::eye<int>(2, 3, 1)), (Doubles{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(host(kr::eye<int>(2, 3, -1)), (Doubles{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(host(kr::eye<int>(2, 2, 5)), (Doubles{0, 0, 0, 0}));
  const auto d = kr::diag(kr::arange(1, 3), -1);
  EXPECT_EQ(host(d), (Doubles{0, 0, 0, 1, 0, 0, 0, 2, 0}));
  EXPECT_EQ(host(kr::diag(d, -1)), (Doubles{1, 2}));
}

TEST(Creation, Meshgrid) {
  const auto x = kr::arange(3), y = kr::arange(10, 12);
  const auto [a, b] = kr::meshgrid(x, y);
  EXPECT_EQ(a.extents(), (kr::shape<2>(2, 3)));
  EXPECT_EQ(host(a), (Doubles{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(host(b), (Doubles{10, 10, 10, 11, 11, 11}));
  EXPECT_EQ(a.address(), x.address());
  const auto [i, j, k] = kr::meshgrid(x, y.flip(), x, kr::indexing::ij);
  EXPECT_EQ(i.extents(), (kr::shape<3>(3, 2, 3)));
  EXPECT_EQ(host(j(0, kr::all, 0)), (Doubles{11, 10}));
  EXPECT_EQ(host(k(0, 0)), (Doubles{0, 1, 2}));
  const kr::array<int, 2> sum = a + b;
  EXPECT_EQ(host(sum), (Doubles{10, 11, 12, 11, 12, 13}));
}

TEST(Creation, BadInput) {
  expect_usage(
      {"arange(0, 5, 0) has no size: the step must not be 0, and the result must fit into memory"},
      [] { kr::arange(0, 5, 0); });
  expect_usage({"arange(0, inf, 1)"},
               [] { kr::arange(0.0, std::numeric_limits<double>::infinity()); });
  expect_usage({"negative"}, [] { kr::zeros<float>({3, -1}); });
  expect_usage({"negative"}, [] { kr::linspace(0, 1, -1); });
  krait::test::expect_library_works();
}

}  // namespace
