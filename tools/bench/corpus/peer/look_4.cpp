// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "../peers.h"

void peer_triangles(const int* start, const int* from, const int* to, int* total, int edges) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int e = 0; e < edges; e++) {
    int a = start[from[e]], b = start[to[e]];
    const int a_end = start[from[e] + 1], b_end = start[to[e] + 1];
    while (a < a_end && b < b_end) {
      const int x = to[a], y = to[b];
      if (x == y) sum++;
      if (x <= y) a++;
      if (y <= x) b++;
    }
  }
  *total = sum;
}

void peer_fir(const float* signal, const float* taps, float* out, int n, int count) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int k = 0; k < count; k++) sum += taps[k] * signal[i + k];
    out[i] = sum;
  }
}

static void acoustic_step(const float* now, const float* speed, float* next, int n) {
  static constexpr float weight[5] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315, -1.0f / 560};
  const int row = n, plane = n * n;
#pragma omp parallel for
  for (int z = 4; z < n - 4; z++)
    for (int y = 4; y < n - 4; y++)
      for (int x = 4; x < n - 4; x++) {
        const int i = z * plane + y * row + x;
        float laplacian = 3 * weight[0] * now[i];
        for (int r = 1; r <= 4; r++)
          laplacian += weight[r] * (now[i - r] + now[i + r] + now[i - r * row] + now[i + r * row] +
                                    now[i - r * plane] + now[i + r * plane]);
        next[i] = 2 * now[i] - next[i] + speed[i] * laplacian;
      }
}
void peer_acoustic(float* a, float* b, const float* speed, int n, int steps) {
  for (int s = 0; s < steps; s += 2) {
    acoustic_step(a, speed, b, n);
    acoustic_step(b, speed, a, n);
  }
}

void peer_trsm(const double* lower, const double* b, double* x, int n, int columns) {
  constexpr int strip = 64;  // of columns, so that the innermost loop follows the rows
#pragma omp parallel for
  for (int first = 0; first < columns; first += strip) {
    const int last = std::min(first + strip, columns);
    for (int i = 0; i < n; i++) {
      double* row = x + i * columns;
      for (int j = first; j < last; j++) row[j] = b[i * columns + j];
      for (int k = 0; k < i; k++)
        for (int j = first; j < last; j++) row[j] -= lower[i * n + k] * x[k * columns + j];
      for (int j = first; j < last; j++) row[j] /= lower[i * n + i];
    }
  }
}

void peer_adam(float* weights, float* mean, float* square, const float* gradient, int n, float rate,
               float beta1, float beta2, float epsilon, float correction1, float correction2) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float g = gradient[i];
    mean[i] = beta1 * mean[i] + (1 - beta1) * g;
    square[i] = beta2 * square[i] + (1 - beta2) * g * g;
    weights[i] -= rate * (mean[i] / correction1) / (std::sqrt(square[i] / correction2) + epsilon);
  }
}

void peer_rainflow(const float* loads, const int* start, float* damage, int* cycles,
                   int histories) {
#pragma omp parallel for
  for (int i = 0; i < histories; i++) {
    float points[200], sum = 0;
    int depth = 0, full = 0;
    const int first = start[i], last = start[i + 1] - 1;
    for (int k = first; k <= last; k++) {
      if (k != first && k != last && (loads[k] - loads[k - 1]) * (loads[k + 1] - loads[k]) >= 0)
        continue;
      points[depth++] = loads[k];
      while (depth >= 3) {
        const float newest = std::fabs(points[depth - 1] - points[depth - 2]);
        const float range = std::fabs(points[depth - 2] - points[depth - 3]);
        if (newest < range) break;
        if (depth == 3) {
          sum += 0.5f * range * range * range;
          points[0] = points[1];
          points[1] = points[2];
          depth = 2;
        } else {
          sum += range * range * range;
          full++;
          points[depth - 3] = points[depth - 1];
          depth -= 2;
        }
      }
    }
    for (int k = 0; k + 1 < depth; k++) {
      const float range = std::fabs(points[k + 1] - points[k]);
      sum += 0.5f * range * range * range;
    }
    damage[i] = sum;
    cycles[i] = full;
  }
}

static void census(const unsigned char* image, std::uint64_t* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      std::uint64_t bits = 0;
      if (y >= 3 && y < h - 3 && x >= 4 && x < w - 4)
        for (int dy = -3; dy <= 3; dy++)
          for (int dx = -4; dx <= 4; dx++)
            if (dy != 0 || dx != 0)
              bits = bits << 1 | (image[(y + dy) * w + x + dx] < image[y * w + x] ? 1u : 0u);
      out[y * w + x] = bits;
    }
}
void peer_census(const unsigned char* left, const unsigned char* right, std::uint64_t* left_bits,
                 std::uint64_t* right_bits, unsigned char* disparity, int w, int h, int shifts) {
  census(left, left_bits, w, h);
  census(right, right_bits, w, h);
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int best = 0, least = 65;
      for (int d = 0; d < std::min(shifts, x + 1); d++) {
        const int cost = std::popcount(left_bits[y * w + x] ^ right_bits[y * w + x - d]);
        if (cost < least) {
          least = cost;
          best = d;
        }
      }
      disparity[y * w + x] = (unsigned char)best;
    }
}

void peer_cross_sections(const double* tables, const int* start, const int* nuclides,
                         const double* densities, const double* energies, const int* materials,
                         double* out, int points, int lookups) {
  struct point {
    double energy, section[5];
  };
  const point* all = reinterpret_cast<const point*>(tables);
#pragma omp parallel for
  for (int i = 0; i < lookups; i++) {
    const double energy = energies[i];
    double sums[5] = {};
    for (int k = start[materials[i]]; k < start[materials[i] + 1]; k++) {
      const point* table = all + nuclides[k] * points;
      int low = 0, high = points - 1;
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (table[middle].energy > energy) high = middle;
        else low = middle;
      }
      const point &below = table[low], &above = table[high];
      const double part = (above.energy - energy) / (above.energy - below.energy);
      for (int c = 0; c < 5; c++)
        sums[c] += densities[k] * (above.section[c] - part * (above.section[c] - below.section[c]));
    }
    for (int c = 0; c < 5; c++) out[5 * i + c] = sums[c];
  }
}

// The cell before a particle, and the weights of three cells from there.
static int spline(float at, float& f, float* w) {
  const int base = int(at - 0.5f);
  f = at - float(base);
  w[0] = 0.5f * (1.5f - f) * (1.5f - f);
  w[1] = 0.75f - (f - 1) * (f - 1);
  w[2] = 0.5f * (f - 0.5f) * (f - 0.5f);
  return base;
}
void peer_material_points(const float* places, const float* speeds, const float* gradients,
                          const float* volumes, float dx, float dt, float* momentum, float* mass,
                          float* new_places, float* new_speeds, float* new_gradients,
                          float* new_volumes, int n, int count) {
  constexpr float stiffness = 400, gravity = 9.8f;
  std::fill(momentum, momentum + 2 * n * n, 0.0f);
  std::fill(mass, mass + n * n, 0.0f);
  const float own = 0.25f * dx * dx;
#pragma omp parallel for
  for (int p = 0; p < count; p++) {
    float fx, fy, wx[3], wy[3];
    const int x = spline(places[2 * p] / dx, fx, wx), y = spline(places[2 * p + 1] / dx, fy, wy);
    const float stress = -dt * 4 * stiffness * own * (volumes[p] - 1) / (dx * dx);
    const float *c = gradients + 4 * p, *v = speeds + 2 * p;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const float ax = (float(i) - fx) * dx, ay = (float(j) - fy) * dx, weight = wx[i] * wy[j];
        const int cell = (x + i) * n + y + j;
#pragma omp atomic
        momentum[2 * cell] += weight * (own * (v[0] + c[0] * ax + c[1] * ay) + stress * ax);
#pragma omp atomic
        momentum[2 * cell + 1] += weight * (own * (v[1] + c[2] * ax + c[3] * ay) + stress * ay);
#pragma omp atomic
        mass[cell] += weight * own;
      }
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int cell = i * n + j;
      if (mass[cell] <= 0) continue;
      float vx = momentum[2 * cell] / mass[cell];
      float vy = momentum[2 * cell + 1] / mass[cell] - dt * gravity;
      if ((i < 3 && vx < 0) || (i > n - 3 && vx > 0)) vx = 0;
      if ((j < 3 && vy < 0) || (j > n - 3 && vy > 0)) vy = 0;
      momentum[2 * cell] = vx;
      momentum[2 * cell + 1] = vy;
    }
#pragma omp parallel for
  for (int p = 0; p < count; p++) {
    float fx, fy, wx[3], wy[3];
    const int x = spline(places[2 * p] / dx, fx, wx), y = spline(places[2 * p + 1] / dx, fy, wy);
    float speed[2] = {}, gradient[4] = {};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const float ax = (float(i) - fx) * dx, ay = (float(j) - fy) * dx, weight = wx[i] * wy[j];
        const float* v = momentum + 2 * ((x + i) * n + y + j);
        const float scale = 4 * weight / (dx * dx);
        speed[0] += weight * v[0];
        speed[1] += weight * v[1];
        gradient[0] += scale * v[0] * ax;
        gradient[1] += scale * v[0] * ay;
        gradient[2] += scale * v[1] * ax;
        gradient[3] += scale * v[1] * ay;
      }
    for (int k = 0; k < 2; k++) {
      new_places[2 * p + k] = places[2 * p + k] + dt * speed[k];
      new_speeds[2 * p + k] = speed[k];
    }
    for (int k = 0; k < 4; k++) new_gradients[4 * p + k] = gradient[k];
    new_volumes[p] = volumes[p] * (1 + dt * (gradient[0] + gradient[3]));
  }
}

namespace {
struct Vector {
  float x, y, z;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(float s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void cloth_step(const Vector* places, const Vector* speeds, Vector* new_places, Vector* new_speeds,
                int n, float width, float dt) {
  constexpr float stiffness = 3e4f, damping = 1e4f, drag = 1, ball = 0.3f;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const Vector at = places[i * n + j], v = speeds[i * n + j];
      Vector force{0, -9.8f, 0};
      for (int di = -2; di <= 2; di++)
        for (int dj = -2; dj <= 2; dj++) {
          const int steps = std::abs(di) + std::abs(dj), there = (i + di) * n + j + dj;
          if (steps == 0 || steps > 2) continue;
          if (i + di < 0 || i + di >= n || j + dj < 0 || j + dj >= n) continue;
          const Vector apart = at - places[there];
          const float length = std::sqrt(dot(apart, apart));
          const Vector direction = 1 / length * apart;
          const float rest = width * std::sqrt(float(di * di + dj * dj));
          force = force - stiffness * (length / rest - 1) * direction;
          force = force - damping * width * dot(v - speeds[there], direction) * direction;
        }
      Vector moved = std::exp(-drag * dt) * (v + dt * force);
      const float height = std::sqrt(dot(at, at));
      if (height <= ball) {
        const Vector outward = 1 / height * at;
        moved = moved - std::min(dot(moved, outward), 0.0f) * outward;
      }
      new_speeds[i * n + j] = moved;
      new_places[i * n + j] = at + dt * moved;
    }
}
}  // namespace
void peer_cloth(float* places, float* speeds, float* new_places, float* new_speeds, int n,
                int steps, float width, float dt) {
  auto *x = reinterpret_cast<Vector*>(places), *v = reinterpret_cast<Vector*>(speeds);
  auto *new_x = reinterpret_cast<Vector*>(new_places),
       *new_v = reinterpret_cast<Vector*>(new_speeds);
  for (int s = 0; s < steps; s += 2) {
    cloth_step(x, v, new_x, new_v, n, width, dt);
    cloth_step(new_x, new_v, x, v, n, width, dt);
  }
}

void peer_density(const float* points, const float* samples, const float* widths, float* out, int n,
                  int count, int dimensions) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int j = 0; j < count; j++) {
      float product = 1;
      for (int d = 0; d < dimensions; d++) {
        const float u = (points[i * dimensions + d] - samples[j * dimensions + d]) / widths[d];
        product *= 0.39894228f * std::exp(-0.5f * u * u) / widths[d];
      }
      sum += product;
    }
    out[i] = sum / float(count);
  }
}

void peer_demosaicing(const unsigned short* sensor, unsigned short* green, unsigned short* rgb,
                      int w, int h) {
#pragma omp parallel for
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      const unsigned short* at = sensor + y * w + x;
      if ((x + y) % 2 == 0) green[y * w + x] = *at;
      else {
        const int left = at[-1], right = at[1], up = at[-w], down = at[w];
        const bool level = std::abs(left - right) < std::abs(up - down);
        green[y * w + x] = (unsigned short)(level ? (left + right) / 2 : (up + down) / 2);
      }
    }
#pragma omp parallel for
  for (int y = 2; y < h - 2; y++)
    for (int x = 2; x < w - 2; x++) {
      const int i = y * w + x, g = green[i];
      const auto over = [&](int by) { return sensor[i + by] - green[i + by]; };
      int red, blue;
      if ((x + y) % 2 == 0) {
        const int beside = g + (over(-1) + over(1)) / 2, above = g + (over(-w) + over(w)) / 2;
        red = y % 2 == 0 ? beside : above;
        blue = y % 2 == 0 ? above : beside;
      } else {
        const int falling = std::abs(sensor[i - w - 1] - sensor[i + w + 1]);
        const int rising = std::abs(sensor[i + w - 1] - sensor[i - w + 1]);
        const int other = g + (falling < rising ? (over(-w - 1) + over(w + 1)) / 2
                                                : (over(w - 1) + over(-w + 1)) / 2);
        red = y % 2 == 0 ? sensor[i] : other;
        blue = y % 2 == 0 ? other : sensor[i];
      }
      rgb[3 * i] = (unsigned short)std::clamp(red, 0, 1023);
      rgb[3 * i + 1] = (unsigned short)g;
      rgb[3 * i + 2] = (unsigned short)std::clamp(blue, 0, 1023);
    }
}
