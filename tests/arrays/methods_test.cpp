// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of element-wise functions: in any order and one after the other, masks, empty arrays,
// equal indices.
#include <krait/algorithm/methods.h>

#include <array>
#include <numeric>
#include <vector>

#include "api/expect.h"

using krait::test::expect_usage;

namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int>;
const auto add = kr::vectorize([](auto x, auto y) { return x + y; }, {.name = "add"});
const auto subtract = kr::vectorize([](auto x, auto y) { return x - y; }, {.name = "subtract"});
const auto larger = kr::vectorize([](auto x, auto y) { return kr::max(x, y); }, {.name = "larger"});

template <class Elem, int Rank>
std::vector<Elem> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

TEST(Methods, ReduceInAnyOrder) {
  const auto x = kr::arange(24).reshape(2, 3, 4);
  EXPECT_EQ(add.reduce(kr::arange(10)), 45);
  static_assert(std::is_same_v<decltype(add.reduce(kr::arange(10))), int>);
  EXPECT_EQ(host(add.reduce(x)).size(), 12u);  // the first axis
  EXPECT_EQ(int(add.reduce(x)(2, 3)), 11 + 23);
  EXPECT_EQ(host(add.reduce(x, kr::axis(0, 2))), (Ints{60, 92, 124}));
  EXPECT_EQ(add.reduce(x, kr::axis(2), kr::keepdims).extents(), (kr::shape<3>(2, 3, 1)));
  EXPECT_EQ(host(larger.reduce(x, kr::axis(-1, 0))), (Ints{15, 19, 23}));
  EXPECT_EQ(add.reduce(kr::arange(5), kr::initial(100), kr::where(kr::arange(5) > 2)), 107);
  EXPECT_EQ(add.reduce(kr::zeros<float>(0)), 0.0f);
  EXPECT_EQ(kr::vectorize([](auto a, auto b) { return a * b; }).reduce(kr::zeros<int>(0)), 1);
  EXPECT_EQ(
      kr::vectorize([](auto a, auto b) { return b & a; }).reduce(kr::to_device(Ints{7, 11, 19})),
      3);
  EXPECT_EQ(
      kr::vectorize([](auto a, auto b) { return a ^ b; }).reduce(kr::to_device(Ints{7, 11, 19})),
      7 ^ 11 ^ 19);
  EXPECT_EQ(
      kr::vectorize([](auto a, auto b) { return a | b; }).reduce(kr::to_device(Ints{1, 2, 8})), 11);
  // bytes add up to an int, as in C++
  EXPECT_EQ(add.reduce(kr::full(300, static_cast<unsigned char>(1))), 300);
  const double one = double(1.0f / 255);
  EXPECT_NEAR(double(add.reduce(kr::full(1000000, 1.0f / 255))), one * 1e6, one * 0.2);
}

TEST(Methods, ReduceOneAfterTheOther) {
  const auto x = kr::to_device(Floats{10, 1, 2, 3, 4, 5}).reshape(2, 3);
  EXPECT_EQ(subtract.reduce(kr::to_device(Floats{10, 1, 2})), 7.0f);
  EXPECT_EQ(host(subtract.reduce(x)), (Floats{7, -3, -3}));
  EXPECT_EQ(host(subtract.reduce(x, kr::axis(1))), (Floats{7, -6}));
  EXPECT_EQ(host(subtract.reduce(x, kr::axis(1), kr::initial(100))), (Floats{87, 88}));
  EXPECT_EQ(host(subtract.reduce(x, kr::axis(1), kr::initial(100), kr::where(x != 1.0f))),
            (Floats{88, 88}));
  const kr::array<bool, 2> mask = x != 1.0f;
  EXPECT_EQ(host(subtract.reduce(x, kr::axis(1), kr::initial(100), kr::where(mask))),
            (Floats{88, 88}));
  EXPECT_EQ(subtract.reduce(x.transpose(), kr::axis(0), kr::keepdims).extents(),
            (kr::shape<2>(1, 2)));
  int factor = 3;  // a capture
  const auto digits = kr::vectorize([=](auto a, auto b) { return factor * a + b; });
  EXPECT_EQ(digits.reduce(kr::to_device(Ints{1, 2, 0, 1})), 1 * 27 + 2 * 9 + 0 * 3 + 1);
  const auto early = kr::vectorize([](auto a, auto b) {
    kr::if_(b == 0, [&] { kr::return_(a * 0); });
    return a + b;
  });
  EXPECT_EQ(early.reduce(kr::to_device(Ints{1, 2, 0, 4, 5})), 9);
  EXPECT_EQ(subtract.reduce(kr::zeros<float>({0, 3}), kr::axis(1)).size(), 0);
}

// The order of elements does not matter: Numba's hypot of its documentation, and a sum that is not
// found to be one.
TEST(Methods, ReduceWithAnIdentity) {
  const auto hypot =
      kr::vectorize([](auto a, auto b) { return kr::sqrt(a * a + b * b); }, {.name = "hypot"});
  const auto some = kr::vectorize([](auto a, auto b) { return kr::select(a > 0, a, 0) + b; });
  const auto x = kr::arange(24).reshape(2, 3, 4);
  EXPECT_EQ(hypot.reduce(kr::zeros<double>(0), kr::identity(0)), 0.0);
  EXPECT_EQ(hypot.reduce(kr::to_device(Floats{3, 4}), kr::identity(0)), 5.0f);
  EXPECT_EQ(host(hypot.reduce(kr::zeros<float>({2, 0}), kr::axis(1), kr::identity(0))),
            (Floats{0, 0}));
  EXPECT_EQ(host(some.reduce(x, kr::axis(0, 2), kr::identity(0))), (Ints{60, 92, 124}));
  EXPECT_EQ(host(some.reduce(x, kr::axis(0, 2), kr::identity(0), kr::initial(100))),
            (Ints{160, 192, 224}));
  EXPECT_EQ(some.reduce(x, kr::axis(0, 1, 2), kr::identity(0)), 276);
  EXPECT_EQ(some.reduce(x, kr::axis(2, 0), kr::identity(0), kr::keepdims).extents(),
            (kr::shape<3>(1, 3, 1)));
  EXPECT_EQ(host(some.reduce(x, kr::axis(0, 2), kr::identity(0), kr::where(x > 20))),
            (Ints{0, 0, 66}));
  EXPECT_EQ(host(some.reduce(kr::zeros<int>({3, 0, 2}), kr::axis(0, 1), kr::identity(0))),
            (Ints{0, 0}));
  EXPECT_EQ(larger.reduce(kr::zeros<int>(0), kr::identity(-7)), -7);  // of a known operation, too
  EXPECT_EQ(larger.reduce(kr::zeros<int>(0), kr::identity(-7), kr::initial(2)), 2);
}

TEST(Methods, Accumulate) {
  const auto x = kr::to_device(Ints{1, 2, 3, 4, 5, 6}).reshape(2, 3);
  EXPECT_EQ(host(add.accumulate(x)), (Ints{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(host(add.accumulate(x, -1)), (Ints{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(host(subtract.accumulate(x.flip(1), 1)), (Ints{3, 1, 0, 6, 1, -3}));
  EXPECT_EQ(add.accumulate(kr::zeros<int>({0, 3}), 1).size(), 0);
  EXPECT_EQ(host(add.accumulate(kr::arange(2000)))[1999], 1999000);
}

TEST(Methods, Outer) {
  const auto x = kr::arange(1, 4), y = kr::arange(4, 6);
  EXPECT_EQ(host(subtract.outer(x, y)), (Ints{-3, -4, -2, -3, -1, -2}));
  const auto deep = add.outer(x.reshape(3, 1), kr::arange(8).reshape(2, 2, 2)(kr::range(0, 2)));
  EXPECT_EQ(deep.extents(), (kr::shape<5>(3, 1, 2, 2, 2)));
  EXPECT_EQ(int(deep(2, 0, 1, 1, 1)), 10);
}

TEST(Methods, AtTakesEqualIndicesInOrder) {
  auto x = kr::zeros<float>(4);
  add.at(x, kr::to_device(Ints{0, 1, 1, -1, 1}), kr::to_device(Floats{1, 2, 3, 4, 5}));
  EXPECT_EQ(host(x), (Floats{1, 10, 0, 4}));
  const auto twice_and = kr::vectorize([](auto a, auto b) { return 2 * a + b; });
  twice_and.at(x, kr::to_device(std::vector<unsigned char>{2, 2, 2}),
               kr::to_device(Floats{1, 2, 3}));
  EXPECT_EQ(float(x(2)), 11.0f);
  add.at(x, kr::to_device(Ints{3, 3}), 0.5f);
  EXPECT_EQ(float(x(3)), 5.0f);
  const auto negative = kr::vectorize([](auto a) { return -a; });
  negative.at(x, kr::to_device(Ints{0, 1, 0, 0}));
  EXPECT_EQ(host(x), (Floats{-1, -10, 11, 5}));
  auto many = kr::zeros<int>(1000);
  const kr::array<int> places = kr::arange(20000) % 777;
  add.at(many, places, kr::full(20000, 1));
  EXPECT_EQ(int(many(0)), 26);
  EXPECT_EQ(int(many(776)), 25);
  EXPECT_EQ(kr::sum(many), 20000);
}

TEST(Methods, Reduceat) {
  const auto x = kr::arange(8);
  EXPECT_EQ(host(add.reduceat(x, kr::to_device(Ints{0, 4, 1, 5}))), (Ints{6, 4, 10, 18}));
  EXPECT_EQ(host(subtract.reduceat(x, kr::to_device(Ints{0, 3, 3}))),
            (Ints{-3, 3, 3 - 4 - 5 - 6 - 7}));
}

TEST(Methods, BadInput) {
  const auto x = kr::zeros<float>({2, 3});
  expect_usage(
      {"kernel subtract{}: zero-size array to reduction operation subtract which has no identity: give one with "
       "kr::identity, or a value "
       "with kr::initial"},
      [&] { subtract.reduce(kr::zeros<float>(0)); });
  expect_usage({"zero-size array to reduction operation maximum which has no identity"}, [&] {
    larger.reduce(kr::zeros<float>({0, 2}));
  });
  expect_usage(
      {": the reduction operation does not have an identity, so to use a where mask one has to specify kr::identity or "
       "kr::initial"},
      [&] { subtract.reduce(x, kr::where(x > 0.0f)); });
  expect_usage(
      {"reduction operation maximum does not have an identity, so to use a where mask one has to specify kr::initial"},
      [&] { larger.reduce(x, kr::where(x > 0.0f)); });
  expect_usage(
      {": the reduction operation is not reorderable, so at most one axis may be specified; if it is reorderable, give its kr::identity"},
      [&] { subtract.reduce(x, kr::axis(0, 1)); });
  expect_usage({"axis 2 is out of bounds for array of dimension 2"}, [&] { add.accumulate(x, 2); });
  auto y = kr::ones<float>(3);
  expect_usage({"index 3 is out of bounds for axis 0 with size 3"}, [&] {
    add.at(y, kr::to_device(Ints{0, 3}), 1.0f);
  });
  expect_usage({"index -4 is out of bounds for axis 0 with size 3"},
               [&] { add.at(y, kr::to_device(Ints{-4}), 1.0f); });
  EXPECT_EQ(host(y), (Floats{1, 1, 1}));  // nothing was written
  expect_usage({": index 3 out-of-bounds in reduceat [0, 3)"}, [&] {
    add.reduceat(y, kr::to_device(Ints{0, 3}));
  });
  expect_usage({": index -1 out-of-bounds in reduceat [0, 3)"},
               [&] { add.reduceat(y, kr::to_device(Ints{-1})); });
  auto gone = kr::vectorize([](auto a, auto b) { return a - b; });
  const auto kept = std::move(gone);
  expect_usage({"a method of a moved-from element-wise function is called"},
               [&] { gone.reduce(y); });
  expect_usage({"a moved-from element-wise function has no types"}, [&] { (void)gone.types(); });
  krait::test::expect_library_works();
}

TEST(Methods, TakeContainers) {
  const std::vector<int> v{4, 2, 7, 3};
  EXPECT_EQ(kr::vectorize([](auto a, auto b) { return kr::min(a, b); }).reduce(v), 2);
  EXPECT_EQ(host(add.accumulate(v)), (Ints{4, 6, 13, 16}));
  EXPECT_EQ(host(add.outer(std::vector{1, 2}, std::array{10, 20})), (Ints{11, 21, 12, 22}));
  EXPECT_EQ(host(add.reduceat(v, std::vector{0, 1})), (Ints{4, 12}));
  auto x = kr::zeros<int>(3);
  add.at(x, std::vector{0, 0, 2}, 1);
  EXPECT_EQ(host(x), (Ints{2, 0, 1}));
}

}  // namespace
