// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>

#include "../peers.h"

void peer_string_match(const unsigned char* text, const int* start, const unsigned char* word,
                       int* first, int lines, int length) {
#pragma omp parallel for
  for (int line = 0; line < lines; line++) {
    int found = -1;
    for (int at = start[line]; at + length <= start[line + 1] && found < 0; at++) {
      int same = 0;
      while (same < length && text[at + same] == word[same]) same++;
      if (same == length) found = at;
    }
    first[line] = found;
  }
}

void peer_levenshtein(const unsigned char* words, const int* lengths, const unsigned char* query,
                      int* distance, int n, int letters) {
  constexpr int longest = 32;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const unsigned char* word = words + i * longest;
    int row[longest + 1];
    for (int j = 0; j <= letters; j++) row[j] = j;
    for (int k = 0; k < lengths[i]; k++) {
      int corner = row[0];
      row[0] = k + 1;
      for (int j = 0; j < letters; j++) {
        const int above = row[j + 1];
        const int replaced = corner + (word[k] == query[j] ? 0 : 1);
        row[j + 1] = std::min(std::min(above, row[j]) + 1, replaced);
        corner = above;
      }
    }
    distance[i] = row[letters];
  }
}

void peer_hough(const unsigned char* image, const float* cosines, const float* sines, int threshold,
                int* votes, int w, int h, int angles, int radii) {
  const int middle = radii / 2;
  std::fill(votes, votes + radii * angles, 0);
#pragma omp parallel for
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      if (image[y * w + x] < threshold) continue;
      for (int a = 0; a < angles; a++) {
        const float rho = float(x - w / 2) * cosines[a] + float(y - h / 2) * sines[a];
        int& votes_of = votes[(middle + int(std::rint(rho))) * angles + a];
#pragma omp atomic
        votes_of++;
      }
    }
}

static void dct8(float* d, int step) {
  constexpr float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f,
                  c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
  const float s0 = d[0] + d[7 * step], t0 = d[0] - d[7 * step];
  const float s1 = d[step] + d[6 * step], t1 = d[step] - d[6 * step];
  const float s2 = d[2 * step] + d[5 * step], t2 = d[2 * step] - d[5 * step];
  const float s3 = d[3 * step] + d[4 * step], t3 = d[3 * step] - d[4 * step];
  d[0] = c4 * ((s0 + s3) + (s1 + s2));
  d[4 * step] = c4 * ((s0 + s3) - (s1 + s2));
  d[2 * step] = c2 * (s0 - s3) + c6 * (s1 - s2);
  d[6 * step] = c6 * (s0 - s3) - c2 * (s1 - s2);
  d[step] = c1 * t0 + c3 * t1 + c5 * t2 + c7 * t3;
  d[3 * step] = c3 * t0 - c7 * t1 - c1 * t2 - c5 * t3;
  d[5 * step] = c5 * t0 - c1 * t1 + c7 * t2 + c3 * t3;
  d[7 * step] = c7 * t0 - c5 * t1 + c3 * t2 - c1 * t3;
}

void peer_dct(const float* in, float* out, int w, int h) {
#pragma omp parallel for
  for (int y = 0; y < h; y += 8)
    for (int x = 0; x < w; x += 8) {
      float block[64];
      for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) block[8 * r + c] = in[(y + r) * w + x + c];
      for (int r = 0; r < 8; r++) dct8(block + 8 * r, 1);
      for (int c = 0; c < 8; c++) dct8(block + c, 8);
      for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++) out[(y + r) * w + x + c] = block[8 * r + c];
    }
}

void peer_bootstrap(const float* data, unsigned seed, float* means, int n, int samples) {
#pragma omp parallel for
  for (int i = 0; i < samples; i++) {
    unsigned state = seed + 747796405u * unsigned(i);
    float sum = 0;
    for (int draw = 0; draw < n; draw++) {
      state = state * 1664525u + 1013904223u;
      sum += data[(state >> 8) % unsigned(n)];
    }
    means[i] = sum / float(n);
  }
}

void peer_libor(const float* shocks, const float* volatility, const int* maturity,
                const float* swap_rate, float delta, float* value, int paths, int options) {
  constexpr int rates = 80, steps = 40;
#pragma omp parallel for
  for (int path = 0; path < paths; path++) {
    float rate[rates];
    std::fill(rate, rate + rates, 0.05f);
    for (int n = 0; n < steps; n++) {
      const float shock = std::sqrt(delta) * shocks[n * paths + path];
      float drift = 0;
      for (int i = n + 1; i < rates; i++) {
        const float vol = volatility[i - n - 1], scaled = delta * vol;
        drift += scaled * rate[i] / (1 + delta * rate[i]);
        rate[i] *= std::exp(scaled * drift + vol * (shock - 0.5f * scaled));
      }
    }
    float bonds[rates - steps], annuities[rates - steps], bond = 1, annuity = 0;
    for (int m = 0; m < rates - steps; m++) {
      bond /= 1 + delta * rate[steps + m];
      annuity += delta * bond;
      bonds[m] = bond;
      annuities[m] = annuity;
    }
    float payoff = 0, discount = 1;
    for (int k = 0; k < options; k++) {
      const int m = maturity[k] - 1;
      const float swap = bonds[m] + swap_rate[k] * annuities[m] - 1;
      if (swap < 0) payoff -= 100 * swap;
    }
    for (int n = 0; n < steps; n++) discount /= 1 + delta * rate[n];
    value[path] = discount * payoff;
  }
}

void peer_sobol(const unsigned* directions, float* out, int n, int dimensions) {
#pragma omp parallel for
  for (int d = 0; d < dimensions; d++) {
    const unsigned* v = directions + 32 * d;
    unsigned x = 0;
    for (int i = 0; i < n; i++) {
      out[d * n + i] = float(x) * (1.0f / 4294967296.0f);
      x ^= v[std::countr_one(unsigned(i))];  // the code of Gray changes in this bit
    }
  }
}

void peer_base64(const unsigned char* in, char* out, int n) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const int whole = n / 3;
#pragma omp parallel for
  for (int i = 0; i < whole; i++) {
    const unsigned bits = unsigned(in[3 * i]) << 16 | unsigned(in[3 * i + 1]) << 8 | in[3 * i + 2];
    out[4 * i] = letters[bits >> 18];
    out[4 * i + 1] = letters[bits >> 12 & 63];
    out[4 * i + 2] = letters[bits >> 6 & 63];
    out[4 * i + 3] = letters[bits & 63];
  }
  const int rest = n - 3 * whole;
  if (rest == 0) return;
  const unsigned bits =
      unsigned(in[3 * whole]) << 16 | (rest == 2 ? unsigned(in[3 * whole + 1]) << 8 : 0u);
  out[4 * whole] = letters[bits >> 18];
  out[4 * whole + 1] = letters[bits >> 12 & 63];
  out[4 * whole + 2] = rest == 2 ? letters[bits >> 6 & 63] : '=';
  out[4 * whole + 3] = '=';
}

void peer_resampling(const double* x, const double* y, const double* sums, const double* u,
                     double* new_x, double* new_y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int index = n - 1;
    for (int k = 0; k < n; k++)
      if (sums[k] >= u[i]) {
        index = k;
        break;
      }
    new_x[i] = x[index];
    new_y[i] = y[index];
  }
}

void peer_ell(const float* value, const int* column, const int* lengths, const float* x, float* y,
              int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int k = 0; k < lengths[row]; k++) sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
  }
}

void peer_block_rows(const int* start, const int* column, const float* value, const float* x,
                     float* y, int block_rows) {
#pragma omp parallel for
  for (int r = 0; r < block_rows; r++) {
    float sum[4] = {};
    for (int b = start[r]; b < start[r + 1]; b++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum[i] += value[16 * b + 4 * i + j] * x[4 * column[b] + j];
    for (int i = 0; i < 4; i++) y[4 * r + i] = sum[i];
  }
}

static unsigned spread(unsigned v) {
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}

void peer_morton(const float* points, const float* low, const float* scale, unsigned* codes,
                 int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned code = 0;
    for (int k = 0; k < 3; k++) {
      const float at = std::clamp((points[3 * i + k] - low[k]) * scale[k], 0.0f, 1023.0f);
      code |= spread(unsigned(at)) << (2 - k);
    }
    codes[i] = code;
  }
}
