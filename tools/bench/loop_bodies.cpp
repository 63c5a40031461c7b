// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop bodies of bench_compile's kernels as plain C++, a function each, for
// `tools/bench/first_calls`, which compiles them one by one: -DBODY_saxpy leaves that one. Kernels
// of blocks are loops over a block's threads, one from barrier to barrier; nothing is included,
// since what a header costs is not the body's. They are compiled only.
using size = long;
using u64 = unsigned long;

extern float exp_of(float) __asm__("expf");
extern float log_of(float) __asm__("logf");
extern float sin_of(float) __asm__("sinf");
extern float cos_of(float) __asm__("cosf");
extern float tan_of(float) __asm__("tanf");
extern float tanh_of(float) __asm__("tanhf");
extern float atan_of(float) __asm__("atanf");
extern float erf_of(float) __asm__("erff");
extern float erfc_of(float) __asm__("erfcf");
extern float cbrt_of(float) __asm__("cbrtf");
extern float pow_of(float, float) __asm__("powf");
extern void report(const char*, size, float);

#ifdef BODY_saxpy
void saxpy(float a, const float* x, const float* y, float* z, size n) {
  for (size i = 0; i < n; i++) z[i] = a * x[i] + y[i];
}
#endif

#if defined(BODY_exp_sin_log) || defined(BODY_exp_sin_log_fast)
void transcendental(const float* x, const float* y, float* z, size n) {
  for (size i = 0; i < n; i++) z[i] = exp_of(x[i]) * sin_of(y[i]) + log_of(x[i]);
}
#endif

#ifdef BODY_black_scholes
void black_scholes(const float* spot, const float* strike, const float* years, float* call,
                   size n) {
  for (size i = 0; i < n; i++) {
    const float s = spot[i], k = strike[i], t = years[i], v = 0.3f, r = 0.02f,
                q = __builtin_sqrtf(t);
    const float d1 = (log_of(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
    call[i] = s * 0.5f * erfc_of(-d1 * 0.70710678f) -
              k * exp_of(-r * t) * 0.5f * erfc_of(-d2 * 0.70710678f);
  }
}
#endif

#ifdef BODY_ten_functions
void ten_functions(const float* in, float* out, size n) {
  for (size i = 0; i < n; i++) {
    const float x = in[i];
    out[i] = exp_of(x) + log_of(x) + sin_of(x) + cos_of(x) + tan_of(x) + tanh_of(x) + atan_of(x) +
             erf_of(x) + cbrt_of(x) + pow_of(x, x);
  }
}
#endif

#ifdef BODY_mandelbrot
void mandelbrot(int* out, size width, size height, int limit) {
  for (size y = 0; y < height; y++)
    for (size x = 0; x < width; x++) {
      const float cr = -2.f + 3.f * float(x) / float(width),
                  ci = -1.5f + 3.f * float(y) / float(height);
      float zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4.f) {
        const float next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = next, k++;
      }
      out[y * width + x] = k;
    }
}
#endif

#ifdef BODY_nbody
void nbody(const float* x, const float* y, const float* z, float* force, int n) {
  for (int i = 0; i < n; i++) {
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i],
                  r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
      const float inverse = 1.f / __builtin_sqrtf(r2), s = inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    force[i] = ax + ay + az;
  }
}
#endif

#ifdef BODY_jacobi
void jacobi(const float* in, float* out, size width, size height) {
  for (size r = 1; r < height - 1; r++)
    for (size c = 1; c < width - 1; c++)
      out[r * width + c] = 0.25f * (in[r * width + c - 1] + in[r * width + c + 1] +
                                    in[(r - 1) * width + c] + in[(r + 1) * width + c]);
}
#endif

#ifdef BODY_sgemm
void sgemm(const float* a, const float* b, float* c, size n) {
  constexpr int tile = 16;
  float ta[tile][tile], tb[tile][tile], sum[tile][tile];
  for (size by = 0; by < n; by += tile)
    for (size bx = 0; bx < n; bx += tile) {
      for (int ty = 0; ty < tile; ty++)
        for (int tx = 0; tx < tile; tx++) sum[ty][tx] = 0;
      for (size first = 0; first < n; first += tile) {
        for (int ty = 0; ty < tile; ty++)
          for (int tx = 0; tx < tile; tx++)
            ta[ty][tx] = a[(by + ty) * n + first + tx], tb[ty][tx] = b[(first + ty) * n + bx + tx];
        for (int ty = 0; ty < tile; ty++)
          for (int tx = 0; tx < tile; tx++)
            for (int k = 0; k < tile; k++) sum[ty][tx] += ta[ty][k] * tb[k][tx];
      }
      for (int ty = 0; ty < tile; ty++)
        for (int tx = 0; tx < tile; tx++) c[(by + ty) * n + bx + tx] = sum[ty][tx];
    }
}
#endif

#ifdef BODY_transpose
void transpose(const float* a, float* b, size width, size height) {
  float tile[32][33];
  for (size y = 0; y < height; y += 32)
    for (size x = 0; x < width; x += 32) {
      for (int ty = 0; ty < 8; ty++)
        for (int tx = 0; tx < 32; tx++)
          for (int j = 0; j < 32; j += 8) tile[ty + j][tx] = a[(y + ty + j) * width + x + tx];
      for (int ty = 0; ty < 8; ty++)
        for (int tx = 0; tx < 32; tx++)
          for (int j = 0; j < 32; j += 8) b[(x + ty + j) * height + y + tx] = tile[tx][ty + j];
    }
}
#endif

#ifdef BODY_histogram
void histogram(const unsigned* x, unsigned* counts, size n, size step) {
  unsigned own[256];
  for (int t = 0; t < 256; t++) own[t] = 0;
  for (int t = 0; t < 256; t++)
    for (size i = t; i < n; i += step) own[x[i] & 255]++;
  for (int t = 0; t < 256; t++) __atomic_fetch_add(counts + t, own[t], __ATOMIC_RELAXED);
}
#endif

#ifdef BODY_block_sum
void block_sum(const float* x, float* sums, size n, size blocks) {
  constexpr int block = 1024;
  float part[block];
  for (size b = 0; b < blocks; b++) {
    for (int t = 0; t < block; t++) {
      float sum = 0;
      for (size i = b * block + t; i < n; i += blocks * block) sum += x[i];
      part[t] = sum;
    }
#pragma clang loop unroll(full)
    for (int half = block / 2; half > 0; half /= 2)
      for (int t = 0; t < half; t++) part[t] += part[t + half];
    sums[b] = part[0];
  }
}
#endif

#if defined(BODY_sum) || defined(BODY_scan) || defined(BODY_sort_starts) || defined(BODY_sort_pass)
/// What lanes of a warp have, from the lane that many below, or another.
template <class T>
void from_below(const T* x, T* out, int distance) {
  for (int lane = 0; lane < 32; lane++) out[lane] = x[lane < distance ? lane : lane - distance];
}
template <class T>
void from_beside(const T* x, T* out, int distance) {
  for (int lane = 0; lane < 32; lane++) out[lane] = x[lane ^ distance];
}
#endif

#ifdef BODY_sum
static float of_block(const float* x) {
  float partial[8], own[256], other[32];
  for (int t = 0; t < 256; t++) own[t] = x[t];
  for (int w = 0; w < 8; w++) {
#pragma clang loop unroll(full)
    for (int step = 16; step > 0; step /= 2) {
      from_beside(own + 32 * w, other, step);
      for (int lane = 0; lane < 32; lane++) own[32 * w + lane] += other[lane];
    }
    partial[w] = own[32 * w];
  }
  float sum = 0;
  for (int w = 0; w < 8; w++) sum += partial[w];
  return sum;
}
void sum(const float* x, float* partials, unsigned* ticket, float* out, size n, size block,
         size blocks) {
  float lanes[16][256], total[256];
  const size groups = n / 4, step = 256 * blocks;
  for (int t = 0; t < 256; t++) {
    for (int k = 0; k < 16; k++) lanes[k][t] = 0;
    size at = block * 256 + t;
    for (; at + 3 * step < groups; at += 4 * step)
      for (int u = 0; u < 4; u++)
        for (int c = 0; c < 4; c++) lanes[4 * u + c][t] += x[(at + u * step) * 4 + c];
    for (; at < groups; at += step)
      for (int c = 0; c < 4; c++) lanes[c][t] += x[at * 4 + c];
#pragma clang loop unroll(full)
    for (int distance = 8; distance > 0; distance /= 2)
      for (int i = 0; i < distance; i++) lanes[i][t] += lanes[i + distance][t];
  }
  partials[block] = of_block(lanes[0]);
  if (__atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED) != blocks - 1) return;
  for (int t = 0; t < 256; t++) {
    total[t] = 0;
    for (size i = t; i < blocks; i += 256) total[t] += partials[i];
  }
  *out = of_block(total), *ticket = 0;
}
#endif

#ifdef BODY_scan
void scan(const float* x, float* out, u64* states, unsigned* ticket) {
  constexpr int rounds = 4, warps = 8;
  static float v[rounds][4][256];
  float sums[warps], before[256], below[32];
  const int number = int(__atomic_fetch_add(ticket, 1, __ATOMIC_RELAXED));
  for (int w = 0; w < warps; w++) {
    const int base = number * 1024 * rounds + w * 128 * rounds;
    for (int lane = 0; lane < 32; lane++)
      for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 4; c++) v[r][c][32 * w + lane] = x[base + r * 128 + 4 * lane + c];
    float carry = 0;
    for (int r = 0; r < rounds; r++) {
      for (int lane = 0; lane < 32; lane++) {
        for (int c = 1; c < 4; c++) v[r][c][32 * w + lane] += v[r][c - 1][32 * w + lane];
        before[lane] = v[r][3][32 * w + lane];
      }
#pragma clang loop unroll(full)
      for (int d = 1; d < 32; d *= 2) {
        from_below(before, below, d);
        for (int lane = 0; lane < 32; lane++) before[lane] += lane >= d ? below[lane] : 0;
      }
      from_below(before, below, 1);
      for (int lane = 0; lane < 32; lane++)
        for (int c = 0; c < 4; c++) v[r][c][32 * w + lane] += (lane > 0 ? below[lane] : 0) + carry;
      carry += before[31];
    }
    sums[w] = carry;
  }
  float own = 0, prefix = 0;
  for (int w = 0; w < warps; w++) own += sums[w];
  const auto word = [](unsigned kind, float value) {
    return u64(__builtin_bit_cast(unsigned, value)) | u64(kind) << 32;
  };
  __atomic_exchange_n(states + number, word(number == 0 ? 2 : 1, own), __ATOMIC_RELAXED);
  for (int at = number - 1; at >= 0;) {
    u64 state[32];
    bool all = true;
    unsigned whole = 0;
    for (int lane = 0; lane < 32; lane++) {
      state[lane] =
          at - lane >= 0 ? __atomic_load_n(states + at - lane, __ATOMIC_RELAXED) : u64(2) << 32;
      all = all && state[lane] >> 32 != 0, whole |= unsigned(state[lane] >> 32 == 2) << lane;
    }
    if (!all) continue;
    float part[32], other[32];
    for (int lane = 0; lane < 32; lane++)
      part[lane] =
          lane <= __builtin_ctz(whole) ? __builtin_bit_cast(float, unsigned(state[lane])) : 0;
#pragma clang loop unroll(full)
    for (int step = 16; step > 0; step /= 2) {
      from_beside(part, other, step);
      for (int lane = 0; lane < 32; lane++) part[lane] += other[lane];
    }
    prefix += part[0], at = whole ? -1 : at - 32;
  }
  if (number > 0) __atomic_exchange_n(states + number, word(2, prefix + own), __ATOMIC_RELAXED);
  for (int w = 0; w < warps; w++) {
    float lead = prefix;
    for (int k = 0; k < warps - 1; k++) lead += k < w ? sums[k] : 0;
    for (int lane = 0; lane < 32; lane++)
      for (int r = 0; r < rounds; r++)
        for (int c = 0; c < 4; c++)
          out[number * 1024 * rounds + w * 128 * rounds + r * 128 + 4 * lane + c] =
              v[r][c][32 * w + lane] + lead;
  }
}
#endif

#ifdef BODY_sort_counts
void sort_counts(const unsigned* keys, unsigned* counts, size n, size step) {
  unsigned own[1024];
  for (int t = 0; t < 256; t++)
    for (int p = 0; p < 4; p++) own[t + p * 256] = 0;
  for (int t = 0; t < 256; t++)
    for (size i = t; i < n / 4; i += step) {
      const unsigned k[] = {keys[i * 4], keys[i * 4 + 1], keys[i * 4 + 2], keys[i * 4 + 3]};
      for (unsigned key : k)
        for (int p = 0; p < 4; p++) own[(key >> 8 * p & 255) + p * 256]++;
    }
  for (int t = 0; t < 256; t++)
    for (int p = 0; p < 4; p++)
      __atomic_fetch_add(counts + t + p * 256, own[t + p * 256], __ATOMIC_RELAXED);
}
#endif

#if defined(BODY_sort_starts) || defined(BODY_sort_pass)
static void sums_before(const unsigned* x, unsigned* before) {
  unsigned totals[8], below[32], run[32];
  for (int w = 0; w < 8; w++) {
    for (int lane = 0; lane < 32; lane++) run[lane] = x[32 * w + lane];
#pragma clang loop unroll(full)
    for (int d = 1; d < 32; d *= 2) {
      from_below(run, below, d);
      for (int lane = 0; lane < 32; lane++) run[lane] += lane >= d ? below[lane] : 0;
    }
    for (int lane = 0; lane < 32; lane++) before[32 * w + lane] = run[lane] - x[32 * w + lane];
    totals[w] = run[31];
  }
  for (int t = 0; t < 256; t++)
    for (int w = 0; w < 7; w++) before[t] += w < t >> 5 ? totals[w] : 0;
}
#endif

#ifdef BODY_sort_starts
void sort_starts(const unsigned* counts, unsigned* starts) { sums_before(counts, starts); }
#endif

#ifdef BODY_sort_pass
void sort_pass(const unsigned* in, unsigned* out, const unsigned* starts, unsigned* states,
               unsigned* tickets, int pass, size blocks) {
  constexpr int per_thread = 8, warps = 8, digits = 256;
  constexpr unsigned own_count = 1u << 30, whole_count = 2u << 30, count_bits = own_count - 1;
  static unsigned counts[warps][digits], to_output[digits], sorted[256 * per_thread],
      keys[per_thread][256], ranks[per_thread][256];
  static unsigned own[256], in_tile[256];
  const int number = int(__atomic_fetch_add(tickets + pass, 1, __ATOMIC_RELAXED));
  const auto digit_of = [&](unsigned key) { return key >> 8 * pass & 255; };
  for (int t = 0; t < 256; t++)
    for (int w = 0; w < warps; w++) counts[w][t] = 0, sorted[w * digits + t] = 0;
  for (int w = 0; w < warps; w++) {
#pragma clang loop unroll(full)
    for (int r = 0; r < per_thread; r++) {
      for (int lane = 0; lane < 32; lane++) {
        const unsigned key = keys[r][32 * w + lane] =
            in[number * 256 * per_thread + w * 32 * per_thread + r * 32 + lane];
        sorted[w * digits + digit_of(key)] |= 1u << lane;
      }
      unsigned same[32], before[32];
      for (int lane = 0; lane < 32; lane++) {
        const unsigned digit = digit_of(keys[r][32 * w + lane]);
        same[lane] = sorted[w * digits + digit], before[lane] = counts[w][digit];
      }
      for (int lane = 0; lane < 32; lane++) {
        const unsigned digit = digit_of(keys[r][32 * w + lane]);
        if (same[lane] >> lane == 1)
          counts[w][digit] = before[lane] + unsigned(__builtin_popcount(same[lane])),
          sorted[w * digits + digit] = 0;
        ranks[r][32 * w + lane] =
            before[lane] + unsigned(__builtin_popcount(same[lane] & ((1u << lane) - 1)));
      }
    }
  }
  const auto state_of = [&](size which, int t) {
    return states + (pass * blocks + which) * digits + t;
  };
  for (int t = 0; t < 256; t++) {
    own[t] = 0;
    for (int w = 0; w < warps; w++) own[t] += counts[w][t];
    __atomic_exchange_n(state_of(number, t), own[t] | (number == 0 ? whole_count : own_count),
                        __ATOMIC_RELAXED);
  }
  sums_before(own, in_tile);
  for (int t = 0; t < 256; t++)
    for (unsigned w = 0, running = in_tile[t]; w < warps; w++) {
      const unsigned count = counts[w][t];
      counts[w][t] = running, running += count;
    }
  for (int t = 0; t < 256; t++)
#pragma clang loop unroll(full)
    for (int r = 0; r < per_thread; r++)
      sorted[counts[t >> 5][digit_of(keys[r][t])] + ranks[r][t]] = keys[r][t];
  for (int t = 0; t < 256; t++) {
    unsigned before = 0;
    for (int at = number - 1; at >= 0;) {
      const int last = at;
      const auto fetch = [&](int k) {
        return __atomic_load_n(state_of(last > k ? last - k : 0, t), __ATOMIC_RELAXED);
      };
      const unsigned found[] = {fetch(0), fetch(1), fetch(2), fetch(3)};
      bool go_on = true;
      for (unsigned state : found) {
        go_on = go_on && at >= 0 && state >= own_count;
        if (go_on) before += state & count_bits, at = state >= whole_count ? -1 : at - 1;
      }
    }
    if (number > 0)
      __atomic_exchange_n(state_of(number, t), (before + own[t]) | whole_count, __ATOMIC_RELAXED);
    to_output[t] = starts[pass * digits + t] + before - in_tile[t];
  }
  for (int t = 0; t < 256; t++)
#pragma clang loop unroll(full)
    for (int r = 0; r < per_thread; r++) {
      const unsigned place = unsigned(r * 256 + t), key = sorted[place];
      out[to_output[digit_of(key)] + place] = key;
    }
}
#endif

#ifdef BODY_reports
void reports(const float* x, float* y, size n, size threads) {
  for (size i = 0; i < threads; i++) {
    if (i >= n) report("thread {} of {}", i, float(n));
    if (x[i] < 0) report("element {} is {}", i, x[i]);
    if (!(x[i] <= 1)) report("element {} is {}", i, x[i]);
    y[i] = __builtin_sqrtf(x[i]);
  }
}
#endif
