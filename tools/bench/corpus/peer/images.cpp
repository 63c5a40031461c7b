// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include "../peers.h"

using byte = unsigned char;
static int clamp(int v, int most) { return std::min(std::max(v, 0), most); }

void peer_grey(const byte* rgba, byte* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] =
        byte(0.299f * rgba[4 * i] + 0.587f * rgba[4 * i + 1] + 0.114f * rgba[4 * i + 2] + 0.5f);
}

void peer_ycbcr(const byte* rgb, byte* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2],
                y = 0.299f * r + 0.587f * g + 0.114f * b;
    const float cb = 128 + 0.564f * (b - y), cr = 128 + 0.713f * (r - y);
    out[3 * i] = byte(std::min(std::max(y + 0.5f, 0.f), 255.f));
    out[3 * i + 1] = byte(std::min(std::max(cb + 0.5f, 0.f), 255.f));
    out[3 * i + 2] = byte(std::min(std::max(cr + 0.5f, 0.f), 255.f));
  }
}

void peer_blur3(const byte* in, byte* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum +=
              (2 - dy * dy) * (2 - dx * dx) * in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
      out[y * w + x] = byte((sum + 8) / 16);
    }
}

void peer_blur5(const byte* in, const float* weights, byte* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
          sum +=
              weights[(dy + 2) * 5 + dx + 2] * in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
      out[y * w + x] = byte(sum);
    }
}

void peer_gamma_table(const byte* in, const byte* table, byte* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = table[in[i]];
}

void peer_resize(const byte* rgba, byte* out, int w, int h, int ow, int oh) {
#pragma omp parallel for
  for (int y = 0; y < oh; y++)
    for (int x = 0; x < ow; x++) {
      const float sx = (x + 0.5f) * w / ow - 0.5f, sy = (y + 0.5f) * h / oh - 0.5f,
                  x0 = std::floor(sx), y0 = std::floor(sy), fx = sx - x0, fy = sy - y0;
      const int xa = clamp(int(x0), w - 1), xb = clamp(int(x0) + 1, w - 1),
                ya = clamp(int(y0), h - 1), yb = clamp(int(y0) + 1, h - 1);
      for (int c = 0; c < 4; c++) {
        const float upper = rgba[4 * (ya * w + xa) + c] +
                            fx * (rgba[4 * (ya * w + xb) + c] - rgba[4 * (ya * w + xa) + c]);
        const float lower = rgba[4 * (yb * w + xa) + c] +
                            fx * (rgba[4 * (yb * w + xb) + c] - rgba[4 * (yb * w + xa) + c]);
        out[4 * (y * ow + x) + c] = byte(upper + fy * (lower - upper) + 0.5f);
      }
    }
}

void peer_blend(const byte* front, const byte* back, byte* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int a = front[4 * i + 3];
    for (int c = 0; c < 4; c++)
      out[4 * i + c] = byte((front[4 * i + c] * a + back[4 * i + c] * (255 - a) + 127) / 255);
  }
}

void peer_dilation(const byte* in, byte* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      byte most = 0;
      for (int sy = std::max(y - 2, 0); sy <= std::min(y + 2, h - 1); sy++)
        for (int sx = std::max(x - 2, 0); sx <= std::min(x + 2, w - 1); sx++)
          most = std::max(most, in[sy * w + sx]);
      out[y * w + x] = most;
    }
}

void peer_local_histogram(const byte* in, byte* out, int w, int h) {
#pragma omp parallel for
  for (int y = 2; y < h - 2; y++)
    for (int x = 2; x < w - 2; x++) {
      int bins[16] = {}, seen = 0, bin = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) bins[in[(y + dy) * w + x + dx] / 16]++;
      while (seen + bins[bin] <= 12) seen += bins[bin++];
      out[y * w + x] = byte(16 * bin + 8);
    }
}

void peer_sobel(const float* in, byte* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const auto at = [&](int dy, int dx) {
        return in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
      };
      const float gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
      const float gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
      out[y * w + x] = byte(std::min(255.f, std::sqrt(gx * gx + gy * gy)));
    }
}

void peer_bilateral(const float* in, float* out, int w, int h, float space, float range) {
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const float here = in[y * w + x];
      float sum = 0, weights = 0;
      for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
          const float there = in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
          const float weight =
              std::exp(-float(dx * dx + dy * dy) * space - (there - here) * (there - here) * range);
          sum += weight * there, weights += weight;
        }
      out[y * w + x] = sum / weights;
    }
}

void peer_box_filter(const float* in, float* between, float* out, int w, int h, int r) {
#pragma omp parallel for
  for (int y = 0; y < h; y++) {
    float sum = in[y * w] * r;
    for (int x = 0; x <= r; x++) sum += in[y * w + x];
    for (int x = 0; x < w; x++) {
      between[y * w + x] = sum / (2 * r + 1);
      sum += in[y * w + std::min(x + r + 1, w - 1)] - in[y * w + std::max(x - r, 0)];
    }
  }
#pragma omp parallel for
  for (int x = 0; x < w; x++) {
    float sum = between[x] * r;
    for (int y = 0; y <= r; y++) sum += between[y * w + x];
    for (int y = 0; y < h; y++) {
      out[y * w + x] = sum / (2 * r + 1);
      sum += between[std::min(y + r + 1, h - 1) * w + x] - between[std::max(y - r, 0) * w + x];
    }
  }
}

void peer_convolution(const float* in, const float* taps, float* between, float* out, int w,
                      int h) {
  constexpr int radius = 8;
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int k = -radius; k <= radius; k++)
        if (x + k >= 0 && x + k < w) sum += taps[k + radius] * in[y * w + x + k];
      between[y * w + x] = sum;
    }
#pragma omp parallel for
  for (int y = 0; y < h; y++) {
    for (int x = 0; x < w; x++) out[y * w + x] = 0;
    for (int k = std::max(-radius, -y); k <= std::min(radius, h - 1 - y); k++)
      for (int x = 0; x < w; x++) out[y * w + x] += taps[k + radius] * between[(y + k) * w + x];
  }
}

void peer_mandelbrot(byte* rgba, int w, int h, double left, double top, double step, int limit) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const double cr = left + step * x, ci = top + step * y;
      double zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4) {
        const double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = next, k++;
      }
      byte* out = rgba + 4 * (y * w + x);
      out[0] = byte(k * 5), out[1] = byte(k * 3), out[2] = byte(k), out[3] = 255;
    }
}
