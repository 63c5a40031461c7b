// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

__device__ float normal(float d) {
  const float k = 1 / (1 + 0.2316419f * fabsf(d));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1 - tail : tail;
}
__global__ void black_scholes_kernel(const float* s, const float* x, const float* t, float* call, float* put, int n) {
  constexpr float r = 0.02f, v = 0.3f;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float root = sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * root), d2 = d1 - v * root;
  const float n1 = normal(d1), n2 = normal(d2), discounted = x[i] * expf(-r * t[i]);
  call[i] = s[i] * n1 - discounted * n2, put[i] = discounted * (1 - n2) - s[i] * (1 - n1);
}
void peer_black_scholes(const float* s, const float* x, const float* t, float* call, float* put, int n) {
  black_scholes_kernel<<<blocks(n), 256>>>(s, x, t, call, put, n);
}

__device__ float uniform(unsigned& state) {
  state ^= state << 13, state ^= state >> 17, state ^= state << 5;
  return float(state >> 8) * 5.9604645e-8f + 2.9802322e-8f;
}
__global__ void asian_kernel(float* payoff, int paths, int steps, float drift, float spread) {
  const int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths) return;
  unsigned state = unsigned(path) * 2654435761u + 12345u;
  float logarithm = 0, sum = 0;
  for (int step = 0; step < steps; step++) {
    const float u = uniform(state), v = uniform(state);
    logarithm += drift + spread * sqrtf(-2 * logf(u)) * cosf(6.2831855f * v);
    sum += 100 * expf(logarithm);
  }
  payoff[path] = fmaxf(sum / steps - 100, 0.f);
}
void peer_asian_option(float* payoff, int paths, int steps, float drift, float spread) {
  asian_kernel<<<blocks(paths), 256>>>(payoff, paths, steps, drift, spread);
}

__global__ void american_kernel(const float* spot, const float* strike, float* price, int n, float root, float u, float p, float discount) {
  constexpr int steps = 64;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = spot[i], k = strike[i];
  float values[steps + 1];
  for (int j = 0; j <= steps; j++) values[j] = fmaxf(k - s * expf(0.3f * root * (2 * j - steps)), 0.f);
  for (int m = steps - 1; m >= 0; m--) {
    float at = s * expf(-0.3f * root * m);
    for (int j = 0; j <= m; j++) {
      values[j] = fmaxf(discount * (p * values[j + 1] + (1 - p) * values[j]), k - at);
      at *= u * u;
    }
  }
  price[i] = values[0];
}
void peer_american_binomial(const float* spot, const float* strike, float* price, int n) {
  const float dt = 1.f / 64, r = 0.05f, root = sqrtf(dt), u = expf(0.3f * root), d = 1 / u, p = (expf(r * dt) - d) / (u - d);
  american_kernel<<<blocks(n), 256>>>(spot, strike, price, n, root, u, p, expf(-r * dt));
}

__global__ void pi_kernel(int* hits, int n, int draws) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = unsigned(i) * 747796405u + 1u;
  int inside = 0;
  for (int k = 0; k < draws; k++) {
    const float x = uniform(state), y = uniform(state);
    inside += x * x + y * y < 1;
  }
  hits[i] = inside;
}
void peer_monte_carlo_pi(int* hits, int n, int draws) { pi_kernel<<<blocks(n), 256>>>(hits, n, draws); }
