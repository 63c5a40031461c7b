// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors over one number that all threads share, which has code of its own on the CPU: the bits of
// the division for floats, C++'s quotient and rest for integers, wherever numbers end.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "expect.h"

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

/// Numbers of all sizes: special ones first, then those whose bits are drawn, then ordinary ones.
template <class T>
std::vector<T> floats(std::size_t count, unsigned seed) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all{T(0),
                     Limits::denorm_min(),
                     Limits::min(),
                     Limits::max(),
                     Limits::infinity(),
                     T(1),
                     T(3),
                     1 + Limits::epsilon(),
                     1 - Limits::epsilon() / 2,
                     std::ldexp(T(1), Limits::max_exponent / 2),
                     std::ldexp(T(1), Limits::min_exponent / 2),
                     std::ldexp(T(1.5), Limits::max_exponent / 4),
                     std::ldexp(T(1.5), Limits::min_exponent / 4)};
  for (std::size_t k = all.size(); k-- > 0;) all.push_back(-all[k]);
  all.push_back(Limits::quiet_NaN());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<T> ordinary(-100, 100);
  while (all.size() < count)
    all.push_back(all.size() % 4 ? ordinary(random) : std::bit_cast<T>(Bits<T>(random())));
  return all;
}

template <class T>
void expect_divisions() {
  auto over = kr::vectorize([](auto x, auto y) { return x / y; });
  const std::vector<T> x = floats<T>(4099, 1);
  for (const T y : floats<T>(96, 2)) {
    // Ordinary numbers alone, too: one other makes its neighbours go another way.
    for (const std::size_t first : {std::size_t(0), std::size_t(27)}) {
      const std::vector<T> part(x.begin() + std::ptrdiff_t(first), x.end());
      const std::vector<T> quotients = over(part, y);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const T expected = part[i] / y;
        if (std::isnan(expected)
                ? !std::isnan(quotients[i])
                : std::bit_cast<Bits<T>>(quotients[i]) != std::bit_cast<Bits<T>>(expected))
          FAIL() << part[i] << " / " << y << " is " << expected << ", not " << quotients[i];
      }
    }
  }
}

TEST(Quotients, OfFloatsOverOneNumberAreTheDivisions) {
  expect_divisions<float>();
  expect_divisions<double>();
}

template <class T>
void expect_whole_divisions() {
  using Limits = std::numeric_limits<T>;
  auto over = kr::vectorize([](auto x, auto y) { return x / y; });
  auto rest = kr::vectorize([](auto x, auto y) { return x % y; });
  std::mt19937_64 random(3);
  std::vector<T> x{Limits::min(), Limits::max(),        T(0),
                   T(1),          T(Limits::max() - 1), T(Limits::min() + 1)};
  std::vector<T> divisors{
      T(1), T(2), T(3), T(7), Limits::max(), T(Limits::max() / 2 + 1), T(Limits::max() - 1)};
  while (divisors.size() < 64) divisors.push_back(T(random() | 1));
  for (const T y : divisors)  // around multiples, which may wrap
    for (const std::int64_t by : {-1, 0, 1})
      x.push_back(T(std::uint64_t(y) * (random() % 9) + std::uint64_t(by)));
  while (x.size() < 2051) x.push_back(T(random()));
  for (const T y : divisors) {
    const std::vector<T> quotients = over(x, y), rests = rest(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      // C++ leaves the least number over -1 open; Krait's wraps.
      const bool wraps = std::is_signed_v<T> && y == T(-1) && x[i] == Limits::min();
      const T quotient = wraps ? x[i] : T(x[i] / y), remainder = wraps ? T(0) : T(x[i] % y);
      if (quotients[i] != quotient || rests[i] != remainder)
        FAIL() << +x[i] << " over " << +y << " gives " << +quotients[i] << " and " << +rests[i];
    }
  }
}

TEST(Quotients, OfIntegersOverOneNumber) {
  expect_whole_divisions<std::int32_t>();
  expect_whole_divisions<std::uint32_t>();
  expect_whole_divisions<std::int64_t>();
  expect_whole_divisions<std::uint64_t>();
}

}  // namespace
