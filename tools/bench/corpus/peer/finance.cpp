// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../peers.h"

static inline float normal(float d) {
  const float k = 1 / (1 + 0.2316419f * std::fabs(d));
  const float tail =
      0.39894228f * std::exp(-0.5f * d * d) *
      (k * (0.31938153f +
            k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}
void peer_black_scholes(const float* s, const float* x, const float* t, float* call, float* put,
                        int n) {
  constexpr float r = 0.02f, v = 0.3f;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float root = std::sqrt(t[i]),
                d1 = (std::log(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root),
                d2 = d1 - v * root;
    const float n1 = normal(d1), n2 = normal(d2), discounted = x[i] * std::exp(-r * t[i]);
    call[i] = s[i] * n1 - discounted * n2, put[i] = discounted * (1 - n2) - s[i] * (1 - n1);
  }
}

static inline float uniform(unsigned& state) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return float(state >> 8) * 5.9604645e-8f + 2.9802322e-8f;
}
void peer_asian_option(float* payoff, int paths, int steps, float drift, float spread) {
#pragma omp parallel for
  for (int path = 0; path < paths; path++) {
    unsigned state = unsigned(path) * 2654435761u + 12345u;
    float logarithm = 0, sum = 0;
    for (int step = 0; step < steps; step++) {
      const float u = uniform(state), v = uniform(state);
      logarithm += drift + spread * std::sqrt(-2 * std::log(u)) * std::cos(6.2831855f * v);
      sum += 100 * std::exp(logarithm);
    }
    payoff[path] = std::max(sum / steps - 100, 0.f);
  }
}

void peer_american_binomial(const float* spot, const float* strike, float* price, int n) {
  constexpr int steps = 64;
  const float dt = 1.f / steps, r = 0.05f, root = std::sqrt(dt);
  const float u = std::exp(0.3f * root), d = 1 / u, p = (std::exp(r * dt) - d) / (u - d),
              discount = std::exp(-r * dt);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float s = spot[i], k = strike[i];
    float values[steps + 1];
    for (int j = 0; j <= steps; j++)
      values[j] = std::max(k - s * std::exp(0.3f * root * (2 * j - steps)), 0.f);
    for (int m = steps - 1; m >= 0; m--) {
      float at = s * std::exp(-0.3f * root * m);
      for (int j = 0; j <= m; j++) {
        values[j] = std::max(discount * (p * values[j + 1] + (1 - p) * values[j]), k - at);
        at *= u * u;
      }
    }
    price[i] = values[0];
  }
}

void peer_monte_carlo_pi(int* hits, int n, int draws) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned state = unsigned(i) * 747796405u + 1u;
    int inside = 0;
    for (int k = 0; k < draws; k++) {
      const float x = uniform(state), y = uniform(state);
      inside += x * x + y * y < 1;
    }
    hits[i] = inside;
  }
}
