// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In strict mode a generic lambda on plain C++ values is its own oracle: compiled by the host
// compiler (without contraction) and recorded for the device, it gives the same bits. What C++
// leaves undefined does not occur in the inputs.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "expect.h"

namespace {

template <class Elem>
std::vector<Elem> numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Elem> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = random();
    if constexpr (std::is_floating_point_v<Elem>) {
      using Bits = std::conditional_t<sizeof(Elem) == 4, std::uint32_t, std::uint64_t>;
      // any bits: infinities, NaNs, subnormals
      if (i % 3 == 0) out[i] = std::bit_cast<Elem>(Bits(r));
      else out[i] = Elem(std::int64_t(r % 4000001) - 2000000) / Elem(i % 3 == 1 ? 1024 : 3);
    } else {
      out[i] = i % 2 ? Elem(r) : Elem(std::int64_t(r % 201) - 100);
    }
  }
  return out;
}

template <class Type>
bool same(Type x, Type y) {
  if constexpr (std::is_floating_point_v<Type>)
    if (std::isnan(x) && std::isnan(y)) return true;
  return std::memcmp(&x, &y, sizeof x) == 0;
}

template <class Left, class Right, class Lambda>
void expect_own_oracle(const char* name, const Lambda& lambda) {
  constexpr std::size_t n = 20'000;
  const std::vector<Left> x = numbers<Left>(n, 1);
  const std::vector<Right> y = numbers<Right>(n, 2);
  auto on_device = kr::vectorize(lambda, {.name = name, .fp = kr::fp::strict});
  auto got = on_device(x, y);
  using result = decltype(lambda(Left(), Right()));
  for (std::size_t i = 0; i < n; ++i) {
    const result expected = lambda(x[i], y[i]), have = result(got[i]);
    ASSERT_TRUE(same(have, expected)) << name << " of " << +x[i] << ", " << +y[i] << ": " << +have
                                      << ", on the host " << +expected;
  }
}

TEST(Oracle, FloatingPoint) {
  const auto horner = [](auto x, auto y) {
    return ((x * 0.25f + y) * x - 3.5f) * x + y / (x * x + 1.0f);
  };
  expect_own_oracle<float, float>("horner", horner);
  expect_own_oracle<double, double>("horner", horner);
  expect_own_oracle<float, double>("horner", horner);
  const auto functions = [](auto x, auto y) {
    return kr::sqrt(kr::abs(x)) + kr::floor(y) - kr::min(x, y) * kr::trunc(y) +
           kr::copysign(kr::ceil(x), kr::rint(x));
  };
  expect_own_oracle<float, float>("functions", functions);
  expect_own_oracle<double, double>("functions", functions);
  const auto fused = [](auto x, auto y) { return kr::fma(x, y, x) - kr::max(x, y); };
  expect_own_oracle<float, float>("fused", fused);
  expect_own_oracle<double, double>("fused", fused);
  const auto compares = [](auto x, auto y) {
    return (x < y) + 2 * (x == y) + 4 * (x != y) + 8 * (x >= y) + 16 * kr::isnan(x) +
           32 * kr::isinf(y);
  };
  expect_own_oracle<float, float>("compares", compares);
  expect_own_oracle<double, float>("compares", compares);
  const auto mathematical = [](auto x, auto y) {
    return kr::exp(kr::sin(x)) + kr::log(kr::abs(y) + 0.5f) * kr::cos(y);
  };
  expect_own_oracle<float, float>("mathematical", mathematical);
  expect_own_oracle<double, double>("mathematical", mathematical);
}

TEST(Oracle, Integers) {
  const auto mixed = [](auto x, auto y) {
    return ((x ^ (y >> 3)) & 0x7fffu) * 13u + (x | y) % 1001u;
  };
  expect_own_oracle<std::uint32_t, std::uint32_t>("mixed", mixed);
  expect_own_oracle<std::uint64_t, std::uint64_t>("mixed", mixed);
  expect_own_oracle<std::uint32_t, std::uint64_t>("mixed", mixed);
  expect_own_oracle<std::uint8_t, std::uint16_t>("mixed", mixed);
  // Promotion: no operation overflows int.
  const auto small = [](auto x, auto y) {
    return (x * y - (x << 2)) / (kr::cast<int>(y) * 2 + 1) + ~x;
  };
  expect_own_oracle<std::int8_t, std::int8_t>("small", small);
  expect_own_oracle<std::uint8_t, std::int8_t>("small", small);
  const auto bits = [](auto x, auto y) {
    return kr::popcount(x) + kr::clz(y) * 100 + kr::ctz(x) * 10000;
  };
  expect_own_oracle<std::uint32_t, std::uint64_t>("bits", bits);
  expect_own_oracle<std::int16_t, std::uint8_t>("bits", bits);
  const auto hashed = [](auto x, auto y) {
    return kr::mul_hi(x, y) ^ kr::byte_swap(x) ^ kr::bit_reverse(y);
  };
  expect_own_oracle<std::uint32_t, std::uint32_t>("hashed", hashed);
  expect_own_oracle<std::int64_t, std::int64_t>("hashed", hashed);
}

TEST(Oracle, Conversions) {
  const auto to_ints = [](auto x, auto y) {
    return kr::cast<std::int64_t>(x) ^ kr::cast<std::int64_t>(kr::cast<std::uint8_t>(y)) ^
           kr::cast<std::int64_t>(kr::cast<int>(x));
  };
  expect_own_oracle<float, double>("to_ints", to_ints);
  expect_own_oracle<double, float>("to_ints", to_ints);
  const auto to_floats = [](auto x, auto y) {
    return kr::cast<float>(x) + kr::cast<float>(kr::cast<double>(y));
  };
  expect_own_oracle<std::int64_t, std::uint64_t>("to_floats", to_floats);
  expect_own_oracle<std::int32_t, std::uint16_t>("to_floats", to_floats);
  const auto halves = [](auto x, auto y) {
    return kr::cast<float>(kr::cast<kr::f16>(x) * kr::cast<kr::f16>(y) + kr::cast<kr::f16>(x));
  };
  expect_own_oracle<float, float>("halves", halves);
  expect_own_oracle<double, double>("halves", halves);
}

}  // namespace
