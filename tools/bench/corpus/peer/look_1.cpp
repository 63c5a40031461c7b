// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "../peers.h"

void peer_needleman_wunsch(const int* reference, int* score, int n, int penalty) {
  constexpr int side = 16;
  const int tiles = n / side, width = n + 1;
  for (int d = 0; d < 2 * tiles - 1; d++) {
#pragma omp parallel for
    for (int by = std::max(0, d - tiles + 1); by <= std::min(d, tiles - 1); by++) {
      const int bx = d - by;
      for (int i = by * side + 1; i <= by * side + side; i++)
        for (int j = bx * side + 1; j <= bx * side + side; j++)
          score[i * width + j] = std::max(
              score[(i - 1) * width + j - 1] + reference[(i - 1) * n + j - 1],
              std::max(score[i * width + j - 1] - penalty, score[(i - 1) * width + j] - penalty));
    }
  }
}

void peer_shortest_paths(const int* start, const int* target, const int* weight, int* distance,
                         int n) {
  constexpr int far = 1 << 30;
  std::fill(distance, distance + n, far);
  distance[0] = 0;
  bool changed = true;
  while (changed) {
    changed = false;
#pragma omp parallel for reduction(|| : changed)
    for (int v = 0; v < n; v++) {
      const int mine = std::atomic_ref<int>(distance[v]).load(std::memory_order_relaxed);
      if (mine == far) continue;
      for (int e = start[v]; e < start[v + 1]; e++) {
        const int through = mine + weight[e];
        std::atomic_ref<int> to(distance[target[e]]);
        int before = to.load(std::memory_order_relaxed);
        while (through < before)
          if (to.compare_exchange_weak(before, through, std::memory_order_relaxed)) {
            changed = true;
            break;
          }
      }
    }
  }
}

void peer_entropy(const unsigned char* in, float* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int count[16] = {}, total = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          const int xx = x + dx, yy = y + dy;
          if (xx >= 0 && yy >= 0 && yy < h && xx < w) count[in[yy * w + xx]]++, total++;
        }
      float entropy = 0;
      for (int k = 0; k < 16; k++)
        if (count[k] > 0) {
          const float p = float(count[k]) / float(total);
          entropy -= p * std::log2(p);
        }
      out[y * w + x] = entropy;
    }
}

void peer_chacha20(const unsigned* key, const unsigned* nonce, const unsigned* text, unsigned* out,
                   int n) {
  const auto turn = [](unsigned v, int by) { return v << by | v >> (32 - by); };
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, x[16];
    for (int k = 0; k < 8; k++) start[4 + k] = key[k];
    start[12] = unsigned(i);
    for (int k = 0; k < 3; k++) start[13 + k] = nonce[k];
    for (int k = 0; k < 16; k++) x[k] = start[k];
    const auto quarter = [&](int a, int b, int c, int d) {
      x[a] += x[b], x[d] = turn(x[d] ^ x[a], 16);
      x[c] += x[d], x[b] = turn(x[b] ^ x[c], 12);
      x[a] += x[b], x[d] = turn(x[d] ^ x[a], 8);
      x[c] += x[d], x[b] = turn(x[b] ^ x[c], 7);
    };
    for (int round = 0; round < 10; round++) {
      quarter(0, 4, 8, 12), quarter(1, 5, 9, 13), quarter(2, 6, 10, 14), quarter(3, 7, 11, 15);
      quarter(0, 5, 10, 15), quarter(1, 6, 11, 12), quarter(2, 7, 8, 13), quarter(3, 4, 9, 14);
    }
    for (int k = 0; k < 16; k++) out[16 * i + k] = text[16 * i + k] ^ (x[k] + start[k]);
  }
}

void peer_haversine(const double* pairs, double* distance, int n) {
  const double degree = 3.14159265358979323846 / 180, radius = 6371;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double ay = pairs[4 * i] * degree, ax = pairs[4 * i + 1] * degree,
                 by = pairs[4 * i + 2] * degree, bx = pairs[4 * i + 3] * degree;
    const double sine_x = std::sin((bx - ax) / 2), sine_y = std::sin((by - ay) / 2);
    const double scale = std::cos(ay) * std::cos(by);
    distance[i] = 2 * radius * std::asin(std::sqrt(sine_y * sine_y + sine_x * sine_x * scale));
  }
}

static float bulb_distance(float cx, float cy, float cz) {
  float x = cx, y = cy, z = cz, derivative = 1, r = 0;
  for (int i = 0; i < 8; i++) {
    r = std::sqrt(x * x + y * y + z * z);
    if (r > 2) break;
    const float theta = 8 * std::acos(z / r), phi = 8 * std::atan2(y, x);
    derivative = std::pow(r, 7.f) * 8 * derivative + 1;
    const float far = std::pow(r, 8.f);
    x = far * std::sin(theta) * std::cos(phi) + cx;
    y = far * std::sin(theta) * std::sin(phi) + cy;
    z = far * std::cos(theta) + cz;
  }
  return 0.5f * std::log(r) * r / derivative;
}

void peer_mandelbulb(float* image, int w, int h) {
#pragma omp parallel for schedule(dynamic)
  for (int py = 0; py < h; py++)
    for (int px = 0; px < w; px++) {
      const float u = (float(px) + 0.5f) / float(w) * 2 - 1,
                  v = (float(py) + 0.5f) / float(h) * 2 - 1;
      const float length = std::sqrt(u * u + v * v + 1.5f * 1.5f);
      float depth = 0;
      int steps = 0;
      while (steps < 64 && depth < 4) {
        const float d =
            bulb_distance(depth * u / length, depth * v / length, depth * 1.5f / length - 2.5f);
        if (d < 0.001f) break;
        depth += d;
        steps++;
      }
      image[py * w + px] = depth < 4 ? 1 - float(steps) / 64 : 0;
    }
}

void peer_ray_boxes(const float* rays, const float* boxes, float* nearest, int* hit, int n,
                    int count) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float* r = rays + 6 * i;
    const float ix = 1 / r[3], iy = 1 / r[4], iz = 1 / r[5];
    float best = 100;
    int which = -1;
    for (int b = 0; b < count; b++) {
      const float* box = boxes + 6 * b;
      const float x0 = (box[0] - r[0]) * ix, x1 = (box[3] - r[0]) * ix;
      const float y0 = (box[1] - r[1]) * iy, y1 = (box[4] - r[1]) * iy;
      const float z0 = (box[2] - r[2]) * iz, z1 = (box[5] - r[2]) * iz;
      const float enter = std::max(std::max(std::min(x0, x1), std::min(y0, y1)), std::min(z0, z1));
      const float leave = std::min(std::min(std::max(x0, x1), std::max(y0, y1)), std::max(z0, z1));
      if (enter <= leave && leave > 0 && enter < best) best = enter, which = b;
    }
    nearest[i] = best;
    hit[i] = which;
  }
}

void peer_syrk(float alpha, float beta, const float* a, float* c, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++) sum += a[i * m + k] * a[j * m + k];
      c[i * n + j] = beta * c[i * n + j] + alpha * sum;
    }
}

namespace {
struct Cell {
  float v, m, h, n;
};
Cell plus(const Cell& a, float by, const Cell& b) {
  return {a.v + by * b.v, a.m + by * b.m, a.h + by * b.h, a.n + by * b.n};
}
float trap(float x, float y) {
  return std::fabs(x / y) < 1e-6f ? y * (1 - x / y / 2) : x / (std::exp(x / y) - 1);
}
Cell change(const Cell& s, float current) {
  const auto [v, m, h, n] = s;
  const float m_up = 0.1f * trap(-(v + 40), 10), m_down = 4 * std::exp(-(v + 65) / 18);
  const float h_up = 0.07f * std::exp(-(v + 65) / 20), h_down = 1 / (std::exp(-(v + 35) / 10) + 1);
  const float n_up = 0.01f * trap(-(v + 55), 10), n_down = 0.125f * std::exp(-(v + 65) / 80);
  return {current - 120 * m * m * m * h * (v - 50) - 36 * n * n * n * n * (v + 77) -
              0.3f * (v + 54.387f),
          m_up * (1 - m) - m_down * m, h_up * (1 - h) - h_down * h, n_up * (1 - n) - n_down * n};
}
}  // namespace
void peer_membranes(float* cells, const float* currents, int n, int steps, float dt) {
  Cell* all = reinterpret_cast<Cell*>(cells);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Cell s = {-65.0f, 0.053f, 0.596f, 0.318f};
    for (int step = 0; step < steps; step++) {
      const Cell k1 = change(s, currents[i]);
      const Cell k2 = change(plus(s, 0.5f * dt, k1), currents[i]);
      const Cell k3 = change(plus(s, 0.5f * dt, k2), currents[i]);
      const Cell k4 = change(plus(s, dt, k3), currents[i]);
      s.v += dt / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
      s.m += dt / 6 * (k1.m + 2 * k2.m + 2 * k3.m + k4.m);
      s.h += dt / 6 * (k1.h + 2 * k2.h + 2 * k3.h + k4.h);
      s.n += dt / 6 * (k1.n + 2 * k2.n + 2 * k3.n + k4.n);
    }
    all[i] = s;
  }
}

void peer_max_pool(const float* in, float* out, int planes, int h, int w) {
#pragma omp parallel for
  for (int p = 0; p < planes; p++)
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        float most = std::numeric_limits<float>::lowest();
        for (int r = 0; r < 2; r++)
          for (int c = 0; c < 2; c++)
            most = std::max(most, in[(p * 2 * h + 2 * y + r) * 2 * w + 2 * x + c]);
        out[(p * h + y) * w + x] = most;
      }
}

namespace {
inline void add_turned(unsigned& a, unsigned b, unsigned sum, int by) {
  a = b + (sum << by | sum >> (32 - by));
}
inline void ff(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) {
  add_turned(a, b, a + ((b & c) | (~b & d)) + x + t, by);
}
inline void gg(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) {
  add_turned(a, b, a + ((d & b) | (~d & c)) + x + t, by);
}
inline void hh(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) {
  add_turned(a, b, a + (b ^ c ^ d) + x + t, by);
}
inline void ii(unsigned& a, unsigned b, unsigned c, unsigned d, unsigned x, int by, unsigned t) {
  add_turned(a, b, a + (c ^ (b | ~d)) + x + t, by);
}
inline void md5_of_two(unsigned low, unsigned high, unsigned length, unsigned* digest) {
  unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  const unsigned bits = 8 * length;
  ff(a, b, c, d, low, 7, 0xd76aa478u);
  ff(d, a, b, c, high, 12, 0xe8c7b756u);
  ff(c, d, a, b, 0, 17, 0x242070dbu);
  ff(b, c, d, a, 0, 22, 0xc1bdceeeu);
  ff(a, b, c, d, 0, 7, 0xf57c0fafu);
  ff(d, a, b, c, 0, 12, 0x4787c62au);
  ff(c, d, a, b, 0, 17, 0xa8304613u);
  ff(b, c, d, a, 0, 22, 0xfd469501u);
  ff(a, b, c, d, 0, 7, 0x698098d8u);
  ff(d, a, b, c, 0, 12, 0x8b44f7afu);
  ff(c, d, a, b, 0, 17, 0xffff5bb1u);
  ff(b, c, d, a, 0, 22, 0x895cd7beu);
  ff(a, b, c, d, 0, 7, 0x6b901122u);
  ff(d, a, b, c, 0, 12, 0xfd987193u);
  ff(c, d, a, b, bits, 17, 0xa679438eu);
  ff(b, c, d, a, 0, 22, 0x49b40821u);
  gg(a, b, c, d, high, 5, 0xf61e2562u);
  gg(d, a, b, c, 0, 9, 0xc040b340u);
  gg(c, d, a, b, 0, 14, 0x265e5a51u);
  gg(b, c, d, a, low, 20, 0xe9b6c7aau);
  gg(a, b, c, d, 0, 5, 0xd62f105du);
  gg(d, a, b, c, 0, 9, 0x02441453u);
  gg(c, d, a, b, 0, 14, 0xd8a1e681u);
  gg(b, c, d, a, 0, 20, 0xe7d3fbc8u);
  gg(a, b, c, d, 0, 5, 0x21e1cde6u);
  gg(d, a, b, c, bits, 9, 0xc33707d6u);
  gg(c, d, a, b, 0, 14, 0xf4d50d87u);
  gg(b, c, d, a, 0, 20, 0x455a14edu);
  gg(a, b, c, d, 0, 5, 0xa9e3e905u);
  gg(d, a, b, c, 0, 9, 0xfcefa3f8u);
  gg(c, d, a, b, 0, 14, 0x676f02d9u);
  gg(b, c, d, a, 0, 20, 0x8d2a4c8au);
  hh(a, b, c, d, 0, 4, 0xfffa3942u);
  hh(d, a, b, c, 0, 11, 0x8771f681u);
  hh(c, d, a, b, 0, 16, 0x6d9d6122u);
  hh(b, c, d, a, bits, 23, 0xfde5380cu);
  hh(a, b, c, d, high, 4, 0xa4beea44u);
  hh(d, a, b, c, 0, 11, 0x4bdecfa9u);
  hh(c, d, a, b, 0, 16, 0xf6bb4b60u);
  hh(b, c, d, a, 0, 23, 0xbebfbc70u);
  hh(a, b, c, d, 0, 4, 0x289b7ec6u);
  hh(d, a, b, c, low, 11, 0xeaa127fau);
  hh(c, d, a, b, 0, 16, 0xd4ef3085u);
  hh(b, c, d, a, 0, 23, 0x04881d05u);
  hh(a, b, c, d, 0, 4, 0xd9d4d039u);
  hh(d, a, b, c, 0, 11, 0xe6db99e5u);
  hh(c, d, a, b, 0, 16, 0x1fa27cf8u);
  hh(b, c, d, a, 0, 23, 0xc4ac5665u);
  ii(a, b, c, d, low, 6, 0xf4292244u);
  ii(d, a, b, c, 0, 10, 0x432aff97u);
  ii(c, d, a, b, bits, 15, 0xab9423a7u);
  ii(b, c, d, a, 0, 21, 0xfc93a039u);
  ii(a, b, c, d, 0, 6, 0x655b59c3u);
  ii(d, a, b, c, 0, 10, 0x8f0ccc92u);
  ii(c, d, a, b, 0, 15, 0xffeff47du);
  ii(b, c, d, a, high, 21, 0x85845dd1u);
  ii(a, b, c, d, 0, 6, 0x6fa87e4fu);
  ii(d, a, b, c, 0, 10, 0xfe2ce6e0u);
  ii(c, d, a, b, 0, 15, 0xa3014314u);
  ii(b, c, d, a, 0, 21, 0x4e0811a1u);
  ii(a, b, c, d, 0, 6, 0xf7537e82u);
  ii(d, a, b, c, 0, 10, 0xbd3af235u);
  ii(c, d, a, b, 0, 15, 0x2ad7d2bbu);
  ii(b, c, d, a, 0, 21, 0xeb86d391u);
  digest[0] = a + 0x67452301u, digest[1] = b + 0xefcdab89u;
  digest[2] = c + 0x98badcfeu, digest[3] = d + 0x10325476u;
}
}  // namespace
void peer_md5_search(const unsigned* wanted, int values, int keys, int* found, unsigned* digest) {
  const int threads = (keys + values - 1) / values;
#pragma omp parallel for
  for (int t = 0; t < threads; t++) {
    const int first = t * values;
    unsigned low = 0, high = 0x80u << 24;
    for (int byte = 0, rest = first; byte < 7; byte++, rest /= values) {
      if (byte < 4) low |= unsigned(rest % values) << (8 * byte);
      else high |= unsigned(rest % values) << (8 * byte - 32);
    }
    for (int i = 0; i < values && first + i < keys; i++, low++) {
      unsigned own[4];
      md5_of_two(low, high, 7, own);
      if (own[0] == wanted[0] && own[1] == wanted[1] && own[2] == wanted[2] &&
          own[3] == wanted[3]) {
        *found = first + i;
        std::copy(own, own + 4, digest);
      }
    }
  }
}

void peer_responsibilities(const float* data, const float* means, const float* inverses,
                           const float* constants, float* member, float* total, int n,
                           int clusters) {
  constexpr int dims = 8;
#pragma omp parallel for collapse(2)
  for (int c = 0; c < clusters; c++)
    for (int event = 0; event < n; event++) {
      float like = 0;
      for (int i = 0; i < dims; i++)
        for (int j = 0; j < dims; j++)
          like += (data[i * n + event] - means[c * dims + i]) *
                  (data[j * n + event] - means[c * dims + j]) * inverses[(c * dims + i) * dims + j];
      member[c * n + event] = -0.5f * like + constants[c];
    }
#pragma omp parallel for
  for (int event = 0; event < n; event++) {
    float most = member[event], sum = 0;
    for (int c = 1; c < clusters; c++) most = std::max(most, member[c * n + event]);
    for (int c = 0; c < clusters; c++) sum += std::exp(member[c * n + event] - most);
    const float all = most + std::log(sum);
    total[event] = all;
    for (int c = 0; c < clusters; c++)
      member[c * n + event] = std::exp(member[c * n + event] - all);
  }
}
