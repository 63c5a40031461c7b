// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices of European call and put options by the formula of Black and Scholes (1973): one element-wise function with two results.
// The host computes them in double and compares.
#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr std::size_t n = 100'000;
  const auto normal = [](auto x) { return 0.5f * kr::erfc(-x * 0.70710678f); };  // the distribution function, inlined below
  auto prices = kr::vectorize([=](auto spot, auto strike, auto years, auto rate, auto volatility) {
    auto deviation = volatility * kr::sqrt(years);
    auto d1 = (kr::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / deviation;
    auto d2 = d1 - deviation;
    auto discounted = strike * kr::exp(-rate * years);
    return std::tuple(spot * normal(d1) - discounted * normal(d2), discounted * normal(-d2) - spot * normal(-d1));
  }, {.name = "black_scholes"});

  std::vector<float> spot(n), strike(n), years(n);
  for (std::size_t i = 0; i < n; ++i) {
    spot[i] = 5.0f + 0.25f * static_cast<float>(i % 101);
    strike[i] = 1.0f + 0.5f * static_cast<float>(i % 97);
    years[i] = 0.25f + 0.1f * static_cast<float>(i % 89);
  }
  constexpr float rate = 0.02f, volatility = 0.3f;
  const auto [call, put] = prices(spot, strike, years, rate, volatility);

  double worst = 0;
  const auto distribution = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
  std::printf("   spot  strike  years     call      put\n");
  for (std::size_t i = 0; i < n; ++i) {
    const double s = spot[i], k = strike[i], t = years[i], r = rate, v = volatility;
    const double d1 = (std::log(s / k) + (r + 0.5 * v * v) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
    const double discounted = k * std::exp(-r * t);
    const double expected_call = s * distribution(d1) - discounted * distribution(d2);
    const double expected_put = discounted * distribution(-d2) - s * distribution(-d1);
    worst = std::fmax(worst, std::fmax(std::abs(call[i] - expected_call), std::abs(put[i] - expected_put)));
    if (i % 20'000 == 7) std::printf("%7.2f %7.2f %6.2f %8.4f %8.4f\n", s, k, t, double{call[i]}, double{put[i]});
  }
  std::printf("%zu options: largest difference to the host's doubles %.1e\n", n, worst);
  return worst < 2e-5 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
