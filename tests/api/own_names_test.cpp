// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the user's with names that Krait has: argument-dependent lookup finds both, and the
// user's template is preferred. Each helper here gives another result than Krait's function.
#include <krait/krait.h>

#include <vector>

#include "expect.h"

namespace mine {

auto mix(auto a, auto b, auto t) { return a + (b - a) * t * 2.0f; }
auto clamp(const auto& x, const auto& low, const auto& high) { return x + low + high; }
template <class Type>
Type min(Type a, Type b) {
  return a * 10.0f + b;
}
auto abs(const auto& x) { return x + 100.0f; }
auto hypot(auto&& x, auto&& y) { return x + y; }
auto radians(auto degrees) { return degrees * 3.0f; }
auto rotl(auto x, auto n) { return x + n; }
auto dot(auto a, auto b) { return a.x * b.x; }
auto length(const auto& v) { return v.x + v.y; }
auto normalize(auto v) { return v + v; }
auto sqrt(auto x) { return x + 1.0f; }

std::vector<float> scalars(const std::vector<float>& x, const std::vector<float>& y) {
  auto f = kr::vectorize([](auto a, auto b) {
    return mix(a, b, kr::value(0.5f)) + clamp(a, b, b) + min(a, b) + abs(a) + hypot(a, b) +
           radians(b) + rotl(a, b);
  });
  return f(x, y);
}
std::vector<float> vectors(const std::vector<float>& x) {
  auto f = kr::vectorize([](auto a) {
    const auto v = normalize(kr::make_vec(a, a + 1.0f));
    return dot(v, v) + length(v);
  });
  return f(x);
}
kr::array<float> arrays(const kr::array<float>& x) { return sqrt(abs(x)); }
float plain(float a, float b) { return mix(a, b, 0.5f) + min(a, b); }

}  // namespace mine

namespace {

TEST(OwnNames, AreNotAmbiguous) {
  // 2 3: 3, 8, 23, 102, 5, 9, 5
  EXPECT_EQ(mine::scalars({2}, {3}), (std::vector<float>{155}));
  EXPECT_EQ(mine::vectors({2}), (std::vector<float>{16 + 10}));
  EXPECT_EQ(std::vector<float>(mine::arrays(kr::to_device({2.0f})).to_host()),
            (std::vector<float>{103}));
  EXPECT_EQ(mine::plain(2, 3), 26.0f);
}
/// Krait's own, by their full names and unqualified where the user has none.
TEST(OwnNames, KraitsOwn) {
  auto f =
      kr::vectorize([](auto a, auto b) { return kr::mix(a, b, 0.5f) + max(a, b) + fdim(b, a); });
  EXPECT_EQ(std::vector<float>(f(std::vector<float>{2}, std::vector<float>{3})),
            (std::vector<float>{2.5f + 3 + 1}));
}

}  // namespace
