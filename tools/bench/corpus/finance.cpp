// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices of options.
#include <cmath>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work black_scholes(Size size) {
  static const auto normal = [](auto d) {  // of the CUDA sample: a polynomial
    auto k = 1.0f / (1.0f + 0.2316419f * kr::abs(d));
    auto tail =
        0.39894228f * kr::exp(-0.5f * d * d) *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return kr::select(d > 0.0f, 1.0f - tail, tail);
  };
  static const auto prices = kr::vectorize(
      [](auto s, auto x, auto t) {
        constexpr float r = 0.02f, v = 0.3f;
        auto root = kr::sqrt(t);
        auto d1 = (kr::log(s / x) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
        auto n1 = normal(d1), n2 = normal(d2), discounted = x * kr::exp(-r * t);
        return std::tuple{s * n1 - discounted * n2, discounted * (1.0f - n2) - s * (1.0f - n1)};
      },
      {.name = "black_scholes"});
  const int n = size(1200000, 40000000);
  auto s = upload(numbers(n, 5, 30, 1)), x = upload(numbers(n, 1, 100, 2)),
       t = upload(numbers(n, 0.25, 10, 3));
  auto call = make_array<float>(n), put = make_array<float>(n);
  return {[=] { prices.into(*call, *put)(*s, *x, *t); },
          CORPUS_PEER(peer_black_scholes, raw(s), raw(x), raw(t), raw(call), raw(put), n),
          output(call) + output(put), 1e-3};
}

/// Marsaglia's xorshift.
kr::value<float> uniform(kr::var<unsigned>& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return kr::cast<float>(state >> 8) * 5.9604645e-8f + 2.9802322e-8f;
}

Work asian_option(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<float> payoff, kr::value<int> steps, kr::value<float> drift,
         kr::value<float> spread) {
        auto path = kr::grid();
        kr::if_(path < payoff.size(), [&] {
          kr::var state = kr::cast<unsigned>(path) * 2654435761u + 12345u;
          kr::var logarithm = 0.0f, sum = 0.0f;
          for (auto step : kr::range(steps)) {
            auto u = uniform(state);
            auto v = uniform(state);
            auto normal = kr::sqrt(-2.0f * kr::log(u)) * kr::cos(6.2831855f * v);
            logarithm += drift + spread * normal;
            sum += 100.0f * kr::exp(logarithm);
          }
          payoff[path] = kr::max(sum / kr::cast<float>(steps) - 100.0f, 0.0f);
        });
      },
      {.name = "asian_option"});
  const int paths = size(20000, 2000000), steps = 64;
  auto payoff = make_array<float>(paths);
  return {[=] { kernel.forall(paths)(*payoff, steps, 0.0002f, 0.02f); },
          CORPUS_PEER(peer_asian_option, raw(payoff), paths, steps, 0.0002f, 0.02f), output(payoff),
          1e-3};
}

Work american_binomial(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> spot, kr::view<const float> strike, kr::view<float> price) {
        constexpr int steps = 64;
        constexpr float dt = 1.0f / steps, r = 0.05f;
        const float u = std::exp(0.3f * std::sqrt(dt)), d = 1 / u,
                    p = (std::exp(r * dt) - d) / (u - d), discount = std::exp(-r * dt);
        auto i = kr::grid();
        kr::if_(i < spot.size(), [&] {
          auto values = kr::local<float, steps + 1>();
          auto s = spot[i], k = strike[i];
          for (auto j : kr::range(steps + 1))
            values[j] = kr::max(
                k - s * kr::exp(0.3f * std::sqrt(dt) * kr::cast<float>(2 * j - steps)), 0.0f);
          for (auto n : kr::range(steps - 1, -1, -1)) {
            kr::var at = s * kr::exp(-0.3f * std::sqrt(dt) * kr::cast<float>(n));
            for (auto j : kr::range(n + 1)) {
              auto kept = discount * (p * values[j + 1] + (1 - p) * values[j]);
              values[j] = kr::max(kept, k - at);
              at *= u * u;
            }
          }
          price[i] = values[0];
        });
      },
      {.name = "american_binomial"});
  const int n = size(4000, 200000);
  auto spot = upload(numbers(n, 80, 120, 1)), strike = upload(numbers(n, 80, 120, 2)),
       price = make_array<float>(n);
  return {[=] { kernel.forall(n)(*spot, *strike, *price); },
          CORPUS_PEER(peer_american_binomial, raw(spot), raw(strike), raw(price), n), output(price),
          1e-3};
}

Work monte_carlo_pi(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<int> hits, kr::value<int> draws) {
        for (auto i : kr::grid_stride(hits.size())) {
          kr::var state = kr::cast<unsigned>(i) * 747796405u + 1u;
          kr::var inside = 0;
          for (auto k : kr::range(draws)) {
            auto x = uniform(state);
            auto y = uniform(state);
            kr::if_(x * x + y * y < 1.0f, [&] { inside += 1; });
          }
          hits[i] = inside;
        }
      },
      {.name = "monte_carlo_pi"});
  const int n = size(8192, 2000000), draws = 256;
  const auto shape = size(kr::launch_config{32, 256}, cover(n));
  auto hits = make_array<int>(n);
  return {[=] { kernel.launch(shape, *hits, draws); },
          CORPUS_PEER(peer_monte_carlo_pi, raw(hits), n, draws), output(hits), 1e-4};
}

}  // namespace

void add_finance(Registry& all) {
  const char* theme = "finance";
  all.insert(all.end(), {{57, "Black-Scholes", theme, black_scholes},
                         {58, "Asian option", theme, asian_option},
                         {59, "American binomial", theme, american_binomial},
                         {60, "Monte Carlo pi", theme, monte_carlo_pi}});
}

}  // namespace corpus
