// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

using byte = unsigned char;
__device__ int clamp(int v, int most) { return min(max(v, 0), most); }
#define PIXEL const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y

__global__ void grey_kernel(const uchar4* in, byte* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 p = in[i];
  out[i] = byte(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);
}
void peer_grey(const byte* rgba, byte* out, int n) { grey_kernel<<<blocks(n), 256>>>(reinterpret_cast<const uchar4*>(rgba), out, n); }

__global__ void ycbcr_kernel(const byte* rgb, byte* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2], y = 0.299f * r + 0.587f * g + 0.114f * b;
  const float cb = 128 + 0.564f * (b - y), cr = 128 + 0.713f * (r - y);
  out[3 * i] = byte(fminf(fmaxf(y + 0.5f, 0.f), 255.f));
  out[3 * i + 1] = byte(fminf(fmaxf(cb + 0.5f, 0.f), 255.f));
  out[3 * i + 2] = byte(fminf(fmaxf(cr + 0.5f, 0.f), 255.f));
}
void peer_ycbcr(const byte* rgb, byte* out, int n) { ycbcr_kernel<<<blocks(n), 256>>>(rgb, out, n); }

__global__ void blur3_kernel(const byte* in, byte* out, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  int sum = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) sum += (2 - dy * dy) * (2 - dx * dx) * in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
  out[y * w + x] = byte((sum + 8) / 16);
}
void peer_blur3(const byte* in, byte* out, int w, int h) { blur3_kernel<<<grid2(w, h), block2>>>(in, out, w, h); }

__global__ void blur5_kernel(const byte* in, const float* weights, byte* out, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) sum += weights[(dy + 2) * 5 + dx + 2] * in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
  out[y * w + x] = byte(sum);
}
void peer_blur5(const byte* in, const float* weights, byte* out, int w, int h) { blur5_kernel<<<grid16(w, h), block16>>>(in, weights, out, w, h); }

__global__ void gamma_kernel(const byte* in, const byte* table, byte* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[in[i]];
}
void peer_gamma_table(const byte* in, const byte* table, byte* out, int n) { gamma_kernel<<<blocks(n), 256>>>(in, table, out, n); }

__device__ float mixed(float a, float b, float t) { return a + t * (b - a); }
__global__ void resize_kernel(const uchar4* in, uchar4* out, int w, int h, int ow, int oh) {
  PIXEL;
  if (x >= ow || y >= oh) return;
  const float sx = (x + 0.5f) * w / ow - 0.5f, sy = (y + 0.5f) * h / oh - 0.5f, x0 = floorf(sx), y0 = floorf(sy), fx = sx - x0, fy = sy - y0;
  const int xa = clamp(int(x0), w - 1), xb = clamp(int(x0) + 1, w - 1), ya = clamp(int(y0), h - 1), yb = clamp(int(y0) + 1, h - 1);
  const uchar4 a = in[ya * w + xa], b = in[ya * w + xb], c = in[yb * w + xa], d = in[yb * w + xb];
  out[y * ow + x] = make_uchar4(byte(mixed(mixed(a.x, b.x, fx), mixed(c.x, d.x, fx), fy) + 0.5f), byte(mixed(mixed(a.y, b.y, fx), mixed(c.y, d.y, fx), fy) + 0.5f),
                                byte(mixed(mixed(a.z, b.z, fx), mixed(c.z, d.z, fx), fy) + 0.5f), byte(mixed(mixed(a.w, b.w, fx), mixed(c.w, d.w, fx), fy) + 0.5f));
}
void peer_resize(const byte* rgba, byte* out, int w, int h, int ow, int oh) {
  resize_kernel<<<grid2(ow, oh), block2>>>(reinterpret_cast<const uchar4*>(rgba), reinterpret_cast<uchar4*>(out), w, h, ow, oh);
}

__global__ void blend_kernel(const uchar4* front, const uchar4* back, uchar4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uchar4 f = front[i], b = back[i];
  const int a = f.w, rest = 255 - a;
  out[i] = make_uchar4((f.x * a + b.x * rest + 127) / 255, (f.y * a + b.y * rest + 127) / 255, (f.z * a + b.z * rest + 127) / 255, (f.w * a + b.w * rest + 127) / 255);
}
void peer_blend(const byte* front, const byte* back, byte* out, int n) {
  blend_kernel<<<blocks(n), 256>>>(reinterpret_cast<const uchar4*>(front), reinterpret_cast<const uchar4*>(back), reinterpret_cast<uchar4*>(out), n);
}

__global__ void dilation_kernel(const byte* in, byte* out, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  byte most = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++)
      if (y + dy >= 0 && y + dy < h && x + dx >= 0 && x + dx < w) most = max(most, in[(y + dy) * w + x + dx]);
  out[y * w + x] = most;
}
void peer_dilation(const byte* in, byte* out, int w, int h) { dilation_kernel<<<grid2(w, h), block2>>>(in, out, w, h); }

__global__ void local_histogram_kernel(const byte* in, byte* out, int w, int h) {
  PIXEL;
  if (y < 2 || x < 2 || y >= h - 2 || x >= w - 2) return;
  int bins[16] = {}, seen = 0, bin = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) bins[in[(y + dy) * w + x + dx] / 16]++;
  while (seen + bins[bin] <= 12) seen += bins[bin++];
  out[y * w + x] = byte(16 * bin + 8);
}
void peer_local_histogram(const byte* in, byte* out, int w, int h) { local_histogram_kernel<<<grid2(w, h), block2>>>(in, out, w, h); }

__global__ void sobel_kernel(const float* in, byte* out, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  const auto at = [&](int dy, int dx) { return in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)]; };
  const float gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  const float gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  out[y * w + x] = byte(fminf(255.f, sqrtf(gx * gx + gy * gy)));
}
void peer_sobel(const float* in, byte* out, int w, int h) { sobel_kernel<<<grid2(w, h), block2>>>(in, out, w, h); }

__global__ void bilateral_kernel(const float* in, float* out, int w, int h, float space, float range) {
  PIXEL;
  if (x >= w || y >= h) return;
  const float here = in[y * w + x];
  float sum = 0, weights = 0;
  for (int dy = -3; dy <= 3; dy++)
    for (int dx = -3; dx <= 3; dx++) {
      const float there = in[clamp(y + dy, h - 1) * w + clamp(x + dx, w - 1)];
      const float weight = expf(-float(dx * dx + dy * dy) * space - (there - here) * (there - here) * range);
      sum += weight * there, weights += weight;
    }
  out[y * w + x] = sum / weights;
}
void peer_bilateral(const float* in, float* out, int w, int h, float space, float range) {
  bilateral_kernel<<<grid16(w, h), block16>>>(in, out, w, h, space, range);
}

__global__ void box_rows(const float* in, float* out, int w, int h, int r) {
  const int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  float sum = in[y * w] * r;
  for (int x = 0; x <= r; x++) sum += in[y * w + x];
  for (int x = 0; x < w; x++) {
    out[y * w + x] = sum / (2 * r + 1);
    sum += in[y * w + min(x + r + 1, w - 1)] - in[y * w + max(x - r, 0)];
  }
}
__global__ void box_columns(const float* in, float* out, int w, int h, int r) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  float sum = in[x] * r;
  for (int y = 0; y <= r; y++) sum += in[y * w + x];
  for (int y = 0; y < h; y++) {
    out[y * w + x] = sum / (2 * r + 1);
    sum += in[min(y + r + 1, h - 1) * w + x] - in[max(y - r, 0) * w + x];
  }
}
void peer_box_filter(const float* in, float* between, float* out, int w, int h, int r) {
  box_rows<<<blocks(h), 256>>>(in, between, w, h, r);
  box_columns<<<blocks(w), 256>>>(between, out, w, h, r);
}

__global__ void convolution_rows(const float* in, const float* taps, float* out, int w) {
  constexpr int radius = 8, block = 128;
  __shared__ float line[block + 2 * radius];
  const int t = threadIdx.x, y = blockIdx.y, x0 = blockIdx.x * block;
  for (int i = t; i < block + 2 * radius; i += block) {
    const int x = x0 + i - radius;
    line[i] = x >= 0 && x < w ? in[y * w + x] : 0.f;
  }
  __syncthreads();
  if (x0 + t >= w) return;
  float sum = 0;
  for (int k = 0; k <= 2 * radius; k++) sum += taps[k] * line[t + k];
  out[y * w + x0 + t] = sum;
}
__global__ void convolution_columns(const float* in, const float* taps, float* out, int w, int h) {
  PIXEL;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int k = -8; k <= 8; k++)
    if (y + k >= 0 && y + k < h) sum += taps[k + 8] * in[(y + k) * w + x];
  out[y * w + x] = sum;
}
void peer_convolution(const float* in, const float* taps, float* between, float* out, int w, int h) {
  convolution_rows<<<dim3((w + 127) / 128, h), 128>>>(in, taps, between, w);
  convolution_columns<<<grid2(w, h), block2>>>(between, taps, out, w, h);
}

__global__ void mandelbrot_kernel(uchar4* out, int w, int h, double left, double top, double step, int limit) {
  PIXEL;
  if (x >= w || y >= h) return;
  const double cr = left + step * x, ci = top + step * y;
  double zr = 0, zi = 0;
  int k = 0;
  while (k < limit && zr * zr + zi * zi < 4) {
    const double next = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci, zr = next, k++;
  }
  out[y * w + x] = make_uchar4(byte(k * 5), byte(k * 3), byte(k), 255);
}
void peer_mandelbrot(byte* rgba, int w, int h, double left, double top, double step, int limit) {
  mandelbrot_kernel<<<grid16(w, h), block16>>>(reinterpret_cast<uchar4*>(rgba), w, h, left, top, step, limit);
}
