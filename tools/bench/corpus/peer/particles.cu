// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../peers.h"
#include "cuda.h"

#define INDEX const int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void nbody_kernel(const float4* bodies, float* acceleration, int n) {
  INDEX;
  if (i >= n) return;
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    const float4 o = bodies[j];
    const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = o.w * inverse * inverse * inverse;
    ax += dx * s, ay += dy * s, az += dz * s;
  }
  acceleration[3 * i] = ax, acceleration[3 * i + 1] = ay, acceleration[3 * i + 2] = az;
}
void peer_nbody(const float* bodies, float* acceleration, int n) {
  nbody_kernel<<<blocks(n), 256>>>(reinterpret_cast<const float4*>(bodies), acceleration, n);
}

__global__ void soa_kernel(float* x, float* y, float* z, float* vx, float* vy, float* vz, float dt, int n) {
  INDEX;
  if (i >= n) return;
  vy[i] -= 9.81f * dt;
  x[i] += vx[i] * dt, y[i] += vy[i] * dt, z[i] += vz[i] * dt;
  if (y[i] < 0) y[i] = -y[i], vy[i] = -0.9f * vy[i];
}
void peer_soa_update(float* x, float* y, float* z, float* vx, float* vy, float* vz, float dt, int n) {
  soa_kernel<<<blocks(n), 256>>>(x, y, z, vx, vy, vz, dt, n);
}

struct Body {
  float px, py, pz, vx, vy, vz, mass, charge;
  int kind, hits;
};
__global__ void aos_kernel(Body* all, float dt, int n) {
  INDEX;
  if (i >= n) return;
  Body b = all[i];
  b.vy -= 9.81f * dt, b.vx += b.charge / b.mass * dt;
  b.px += b.vx * dt, b.py += b.vy * dt, b.pz += b.vz * dt;
  if (b.py < 0) b.py = -b.py, b.vy = -0.9f * b.vy, b.hits++;
  all[i] = b;
}
void peer_aos_update(void* bodies, float dt, int n) { aos_kernel<<<blocks(n), 256>>>(static_cast<Body*>(bodies), dt, n); }

__global__ void md_lj_kernel(const float4* position, const int* neighbours, float4* force, int n, int count, float cutoff) {
  INDEX;
  if (i >= n) return;
  const float4 me = position[i];
  float fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < count; j++) {
    const float4 o = position[neighbours[j * n + i]];
    const float dx = me.x - o.x, dy = me.y - o.y, dz = me.z - o.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 >= cutoff) continue;
    const float r2inv = 1 / r2, r6inv = r2inv * r2inv * r2inv, f = r2inv * r6inv * (1.5f * r6inv - 2);
    fx += dx * f, fy += dy * f, fz += dz * f;
  }
  force[i] = make_float4(fx, fy, fz, 0);
}
void peer_md_lj(const float* position, const int* neighbours, float* force, int n, int count, float cutoff) {
  md_lj_kernel<<<blocks(n), 256>>>(reinterpret_cast<const float4*>(position), neighbours, reinterpret_cast<float4*>(force), n, count, cutoff);
}

__global__ void lava_md_kernel(const float4* rv, const float* qv, float4* fv, int side, float a2) {
  constexpr int per_box = 64;
  __shared__ float4 theirs[per_box];
  __shared__ float charges[per_box];
  const int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z, own = ((bz * side + by) * side + bx) * per_box + t;
  const float4 me = rv[own];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int nz = max(bz - 1, 0); nz < min(bz + 2, side); nz++)
    for (int ny = max(by - 1, 0); ny < min(by + 2, side); ny++)
      for (int nx = max(bx - 1, 0); nx < min(bx + 2, side); nx++) {
        const int from = ((nz * side + ny) * side + nx) * per_box + t;
        theirs[t] = rv[from], charges[t] = qv[from];
        __syncthreads();
        for (int j = 0; j < per_box; j++) {
          const float4 o = theirs[j];
          const float vij = expf(-a2 * (me.w + o.w - (me.x * o.x + me.y * o.y + me.z * o.z))), fs = 2 * a2 * vij, q = charges[j];
          sum.x += q * vij, sum.y += q * fs * (me.x - o.x), sum.z += q * fs * (me.y - o.y), sum.w += q * fs * (me.z - o.z);
        }
        __syncthreads();
      }
  fv[own] = sum;
}
void peer_lava_md(const float* rv, const float* qv, float* fv, int side, float a2) {
  lava_md_kernel<<<dim3(side, side, side), 64>>>(reinterpret_cast<const float4*>(rv), qv, reinterpret_cast<float4*>(fv), side, a2);
}

__global__ void mri_q_kernel(const float* kx, const float* ky, const float* kz, const float* magnitude, const float* x, const float* y, const float* z, float* qr,
                             float* qi, int n, int k) {
  INDEX;
  if (i >= n) return;
  float re = 0, im = 0;
  for (int j = 0; j < k; j++) {
    const float angle = 6.2831855f * (kx[j] * x[i] + ky[j] * y[i] + kz[j] * z[i]);
    re += magnitude[j] * cosf(angle), im += magnitude[j] * sinf(angle);
  }
  qr[i] = re, qi[i] = im;
}
void peer_mri_q(const float* kx, const float* ky, const float* kz, const float* magnitude, const float* x, const float* y, const float* z, float* qr,
                float* qi, int n, int k) {
  mri_q_kernel<<<blocks(n), 256>>>(kx, ky, kz, magnitude, x, y, z, qr, qi, n, k);
}

__global__ void tpacf_kernel(const float* stars, const float* bounds, int* counts, int n) {
  __shared__ int mine[32];
  const int t = threadIdx.x;
  INDEX;
  if (t < 32) mine[t] = 0;
  __syncthreads();
  if (i < n) {
    const float x = stars[3 * i], y = stars[3 * i + 1], z = stars[3 * i + 2];
    for (int j = i + 1; j < n; j++) {
      const float angle = x * stars[3 * j] + y * stars[3 * j + 1] + z * stars[3 * j + 2];
      int low = 0, high = 31;
      while (low < high) {
        const int middle = (low + high) / 2;
        if (angle >= bounds[middle]) high = middle;
        else low = middle + 1;
      }
      atomicAdd(&mine[low], 1);
    }
  }
  __syncthreads();
  if (t < 32) atomicAdd(&counts[t], mine[t]);
}
void peer_tpacf(const float* stars, const float* bounds, int* counts, int n) {
  cudaMemsetAsync(counts, 0, 32 * sizeof(int));
  tpacf_kernel<<<blocks(n, 64), 64>>>(stars, bounds, counts, n);
}

__global__ void triad_kernel(const double* a, const double* b, double* c, double s, int n) {
  INDEX;
  if (i < n) c[i] = a[i] + s * b[i];
}
void peer_triad(const double* a, const double* b, double* c, double s, int n) { triad_kernel<<<blocks(n), 256>>>(a, b, c, s, n); }
