// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>

#include "../peers.h"

void peer_cavity(const double* u, const double* v, double* f, double* g, double step, double dt,
                 double reynolds, double mix, int n) {
  const int width = n + 2;
  const auto at = [=](int i, int j) { return i * width + j; };
#pragma omp parallel for
  for (int i = 1; i < n; i++)
    for (int j = 1; j <= n; j++) {
      const double here = u[at(i, j)], west = u[at(i - 1, j)], east = u[at(i + 1, j)],
                   south = u[at(i, j - 1)], north = u[at(i, j + 1)];
      const double right = here + east, left = west + here;
      const double above = v[at(i, j)] + v[at(i + 1, j)],
                   below = v[at(i, j - 1)] + v[at(i + 1, j - 1)];
      const double du2dx =
          (right * right - left * left +
           mix * (std::fabs(right) * (here - east) - std::fabs(left) * (west - here))) /
          (4 * step);
      const double duvdy =
          (above * (here + north) - below * (south + here) +
           mix * (std::fabs(above) * (here - north) - std::fabs(below) * (south - here))) /
          (4 * step);
      const double bend = (east + west + north + south - 4 * here) / (step * step);
      f[at(i, j)] = here + dt * (bend / reynolds - du2dx - duvdy);
    }
#pragma omp parallel for
  for (int i = 1; i <= n; i++)
    for (int j = 1; j < n; j++) {
      const double here = v[at(i, j)], west = v[at(i - 1, j)], east = v[at(i + 1, j)],
                   south = v[at(i, j - 1)], north = v[at(i, j + 1)];
      const double above = here + north, below = south + here;
      const double right = u[at(i, j)] + u[at(i, j + 1)],
                   left = u[at(i - 1, j)] + u[at(i - 1, j + 1)];
      const double dv2dy =
          (above * above - below * below +
           mix * (std::fabs(above) * (here - north) - std::fabs(below) * (south - here))) /
          (4 * step);
      const double duvdx =
          (right * (here + east) - left * (west + here) +
           mix * (std::fabs(right) * (here - east) - std::fabs(left) * (west - here))) /
          (4 * step);
      const double bend = (east + west + north + south - 4 * here) / (step * step);
      g[at(i, j)] = here + dt * (bend / reynolds - duvdx - dv2dy);
    }
  for (int k = 1; k <= n; k++) {
    f[at(0, k)] = u[at(0, k)], f[at(n, k)] = u[at(n, k)];
    g[at(k, 0)] = v[at(k, 0)], g[at(k, n)] = v[at(k, n)];
  }
}

static unsigned mixed(unsigned word) {
  word = (word ^ word >> 16) * 0x85ebca6bu;
  word = (word ^ word >> 13) * 0xc2b2ae35u;
  return word ^ word >> 16;
}

void peer_hash_join(const unsigned* table, const unsigned* rows, unsigned* joined, unsigned slots,
                    int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const unsigned key = rows[i];
    unsigned at = mixed(key) & (slots - 1), found = ~0u;
    while (table[2 * at] != 0) {
      if (table[2 * at] == key) {
        found = table[2 * at + 1];
        break;
      }
      at = (at + 1) & (slots - 1);
    }
    joined[i] = found;
  }
}

void peer_aes(const unsigned* text, const unsigned* keys, const unsigned* spread,
              const unsigned char* box, unsigned* out, int n, int rounds) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned state[4], next[4];
    for (int c = 0; c < 4; c++) state[c] = text[4 * i + c] ^ keys[c];
    for (int round = 1; round < rounds; round++) {
      for (int c = 0; c < 4; c++)
        next[c] = keys[4 * round + c] ^ spread[state[c] & 255] ^
                  spread[256 + (state[(c + 1) % 4] >> 8 & 255)] ^
                  spread[512 + (state[(c + 2) % 4] >> 16 & 255)] ^
                  spread[768 + (state[(c + 3) % 4] >> 24)];
      std::copy(next, next + 4, state);
    }
    for (int c = 0; c < 4; c++)
      out[4 * i + c] = keys[4 * rounds + c] ^ (unsigned(box[state[c] & 255]) |
                                               unsigned(box[state[(c + 1) % 4] >> 8 & 255]) << 8 |
                                               unsigned(box[state[(c + 2) % 4] >> 16 & 255]) << 16 |
                                               unsigned(box[state[(c + 3) % 4] >> 24]) << 24);
  }
}

void peer_xtea(const unsigned* key, const unsigned* text, unsigned* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned a = text[2 * i], b = text[2 * i + 1], sum = 0;
    for (int cycle = 0; cycle < 32; cycle++) {
      a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
      sum += 0x9e3779b9u;
      b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
    }
    out[2 * i] = a, out[2 * i + 1] = b;
  }
}

void peer_walsh(const float* in, float* out, int n, int points) {
#pragma omp parallel for
  for (int v = 0; v < n; v++) {
    float* row = out + long(v) * points;
    std::copy_n(in + long(v) * points, points, row);
    for (int half = points / 2; half > 0; half /= 2)
      for (int first = 0; first < points; first += 2 * half)
        for (int k = first; k < first + half; k++) {
          const float a = row[k], b = row[k + half];
          row[k] = a + b;
          row[k + half] = a - b;
        }
  }
}

namespace {
struct Xorshift {
  unsigned state;
  float uniform() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (float(state >> 8) + 0.5f) * 0x1p-24f;
  }
};
}  // namespace
void peer_heston(const float* model, int steps, float dt, float* payoff, int n) {
  const float spot = model[0], strike = model[1], rate = model[2], start = model[3],
              speed = model[4], mean = model[5], spread = model[6], correlation = model[7];
  const float rest = std::sqrt(1 - correlation * correlation);
  const float discount = std::exp(-rate * dt * float(steps));
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Xorshift random{mixed(unsigned(i) + 1)};
    float log_price = std::log(spot), variance = start;
    for (int step = 0; step < steps; step++) {
      const float u = random.uniform(), turn = random.uniform();
      const float radius = std::sqrt(-2 * std::log(u)), angle = 6.2831853f * turn;
      const float z = radius * std::cos(angle);
      const float own = correlation * z + rest * radius * std::sin(angle);
      const float now = std::max(variance, 0.0f), deviation = std::sqrt(now * dt);
      log_price += (rate - 0.5f * now) * dt + deviation * z;
      variance += speed * (mean - now) * dt + spread * deviation * own;
    }
    payoff[i] = discount * std::max(std::exp(log_price) - strike, 0.0f);
  }
}

void peer_cell_lists(const float* positions, float origin, float width, int side, int* counts,
                     int* lists, int room, int n) {
  std::fill(counts, counts + side * side * side, 0);
  const auto along = [=](float position) {
    return std::clamp(int(std::floor((position - origin) / width)), 0, side - 1);
  };
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float* p = positions + 4 * long(i);
    const int cell = (along(p[2]) * side + along(p[1])) * side + along(p[0]);
    const int before = std::atomic_ref<int>(counts[cell]).fetch_add(1, std::memory_order_relaxed);
    if (before < room) lists[cell * room + before] = i;
  }
}

void peer_su3(const double* a, const double* b, double* c, int n) {
  using Complex = std::complex<double>;
  const auto *x = reinterpret_cast<const Complex*>(a), *y = reinterpret_cast<const Complex*>(b);
  auto* z = reinterpret_cast<Complex*>(c);
#pragma omp parallel for
  for (int site = 0; site < n; site++)
    for (int link = 0; link < 4; link++) {
      const Complex *left = x + (site * 4L + link) * 9, *right = y + link * 9;
      Complex* product = z + (site * 4L + link) * 9;
      for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
          Complex sum = 0;
          for (int m = 0; m < 3; m++) sum += left[3 * row + m] * right[3 * m + column];
          product[3 * row + column] = sum;
        }
    }
}

void peer_gaussian_pairs(int batch, int parts, int* counts, double* sums) {
  constexpr std::uint64_t factor = 1220703125, mask = (std::uint64_t(1) << 46) - 1;
  std::uint64_t jump = 1;
  for (int k = 0; k < 2 * batch; k++) jump = jump * factor & mask;
  int count[10] = {};
  double sum_x = 0, sum_y = 0;
#pragma omp parallel for reduction(+ : count, sum_x, sum_y)
  for (int part = 0; part < parts; part++) {
    std::uint64_t x = 271828183, power = jump;
    for (int left = part; left > 0; left /= 2) {
      if (left % 2) x = x * power & mask;
      power = power * power & mask;
    }
    for (int k = 0; k < batch; k++) {
      x = x * factor & mask;
      const double a = 2 * (double(x) * 0x1p-46) - 1;
      x = x * factor & mask;
      const double b = 2 * (double(x) * 0x1p-46) - 1;
      const double square = a * a + b * b;
      if (square > 1) continue;
      const double scale = std::sqrt(-2 * std::log(square) / square);
      const double gx = a * scale, gy = b * scale;
      count[int(std::max(std::fabs(gx), std::fabs(gy)))]++;
      sum_x += gx;
      sum_y += gy;
    }
  }
  std::copy(count, count + 10, counts);
  sums[0] = sum_x, sums[1] = sum_y;
}

void peer_gram_schmidt(const float* initial, float* a, float* r, float* q, int m, int n) {
  std::copy_n(initial, long(m) * n, a);
  for (int k = 0; k < n; k++) {
    float square = 0;
    for (int i = 0; i < m; i++) square += a[i * n + k] * a[i * n + k];
    const float length = std::sqrt(square);
    r[k * n + k] = length;
    for (int i = 0; i < m; i++) q[i * n + k] = a[i * n + k] / length;
    float* share = r + k * n;
    std::fill(share + k + 1, share + n, 0.0f);
#pragma omp parallel for reduction(+ : share[ : n])
    for (int i = 0; i < m; i++)
      for (int j = k + 1; j < n; j++) share[j] += q[i * n + k] * a[i * n + j];
#pragma omp parallel for
    for (int i = 0; i < m; i++)
      for (int j = k + 1; j < n; j++) a[i * n + j] -= q[i * n + k] * share[j];
  }
}

static float sigmoid(float v) { return 1 / (1 + std::exp(-v)); }
void peer_lstm(const float* x, const float* in_weight, const float* weight, const float* bias,
               const float* out_weight, const float* out_bias, float* y, int n, int steps) {
  constexpr int hidden = 5;
#pragma omp parallel for
  for (int s = 0; s < n; s++) {
    float h[hidden] = {}, c[hidden] = {};
    for (int t = 0; t < steps; t++) {
      float sums[4 * hidden];
      for (int k = 0; k < 4 * hidden; k++) {
        sums[k] = in_weight[k] * x[s * steps + t] + bias[k];
        for (int i = 0; i < hidden; i++) sums[k] += h[i] * weight[k * hidden + i];
      }
      float result = out_bias[0];
      for (int j = 0; j < hidden; j++) {
        const float in = sigmoid(sums[j]), forget = sigmoid(sums[hidden + j]),
                    out = sigmoid(sums[2 * hidden + j]), change = std::tanh(sums[3 * hidden + j]);
        c[j] = c[j] * forget + change * in;
        h[j] = std::tanh(c[j]) * out;
        result += h[j] * out_weight[j];
      }
      y[s * steps + t] = result;
    }
  }
}

void peer_mean_shift(const float* initial, float* points, float* next, int n, int iterations,
                     float radius2, float sigma) {
  std::copy_n(initial, 3 * long(n), points);
  for (int step = 0; step < iterations; step++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      const float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
      float sum_x = 0, sum_y = 0, sum_z = 0, total = 0;
      for (int k = 0; k < n; k++) {
        const float ox = points[3 * k], oy = points[3 * k + 1], oz = points[3 * k + 2];
        const float dx = x - ox, dy = y - oy, dz = z - oz;
        const float distance2 = dx * dx + dy * dy + dz * dz;
        if (distance2 <= radius2) {
          const float weight = std::exp(-distance2 / (2 * sigma * sigma));
          sum_x += weight * ox, sum_y += weight * oy, sum_z += weight * oz;
          total += weight;
        }
      }
      next[3 * i] = sum_x / total, next[3 * i + 1] = sum_y / total, next[3 * i + 2] = sum_z / total;
    }
    std::swap(points, next);
  }
}
