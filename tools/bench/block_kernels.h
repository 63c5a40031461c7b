// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workloads of whole blocks that users write as kernels: tiles in shared memory; for the
// benches that time compilation also a histogram and a sum by a tree. Sums, scans, sorts and
// histograms that the suites time are the library's.
#pragma once

#include <krait/array.h>
#include <krait/krait.h>
#include <krait/slice.h>

namespace bench {
namespace kr = krait;

/// C = A B for square matrices whose side is a multiple of 16; blocks of 16 x 16.
inline constexpr auto tiled_product = [](kr::view<const float, 2> a, kr::view<const float, 2> b,
                                         kr::view<float, 2> c) {
  auto ta = kr::shared<float, 16, 16>(), tb = kr::shared<float, 16, 16>();
  auto [x, y] = kr::grid<2>();
  auto tx = kr::thread_idx().x, ty = kr::thread_idx().y;
  kr::var sum = 0.0f;
  for (auto first : kr::range(0, a.extent(1), 16)) {
    ta(ty, tx) = a(y, first + tx);
    tb(ty, tx) = b(first + ty, x);
    kr::syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta(ty, k) * tb(k, tx);
    kr::syncthreads();
  }
  c(y, x) = sum;
};
inline auto make_sgemm() { return kr::kernel(tiled_product, {.name = "sgemm"}); }

/// B = A transposed, sides multiples of 32; blocks of 32 x 8 take tiles of 32 x 32.
inline constexpr auto transpose_tiles = [](kr::view<const float, 2> a, kr::view<float, 2> b) {
  auto tile = kr::shared<float, 32, 33>();
  auto tx = kr::thread_idx().x, ty = kr::thread_idx().y, x = kr::block_idx().x * 32,
       y = kr::block_idx().y * 32;
  for (int j = 0; j < 32; j += 8) tile(ty + j, tx) = a(y + ty + j, x + tx);
  kr::syncthreads();
  for (int j = 0; j < 32; j += 8) b(x + ty + j, y + tx) = tile(tx, ty + j);
};
inline auto make_transpose() { return kr::kernel(transpose_tiles, {.name = "transpose"}); }

/// Counts of the low bytes of x; blocks of 256.
inline constexpr auto histogram_of_bytes = [](kr::view<const unsigned> x,
                                              kr::view<unsigned> counts) {
  auto own = kr::shared<unsigned, 256>();
  auto t = kr::thread_idx().x;
  own[t] = 0;
  kr::syncthreads();
  for (auto i : kr::grid_stride(x.size())) kr::atomic(own[x[i] & 255]).add(1);
  kr::syncthreads();
  kr::atomic(counts[t]).add(own[t]);
};

/// Rows of p are x, y, z and the mass of a body, rows of `a` its acceleration and 0; the bodies are
/// a multiple of 256.
inline auto make_nbody_tiled(kr::fp mode) {
  return kr::kernel(
      [](kr::view<const float, 2> p, kr::view<float, 2> a) {
        constexpr int block = 256;
        auto tile = kr::shared<float, block, 4>();
        auto t = kr::thread_idx().x, i = kr::grid();
        auto x = p(i, 0), y = p(i, 1), z = p(i, 2);
        kr::var ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (auto first : kr::range(0, p.extent(0), block)) {
          for (int c = 0; c < 4; ++c) tile(t, c) = p(first + t, c);
          kr::syncthreads();
          for (auto j : kr::range(block / 8))
            for (int u = 0; u < 8; ++u) {
              auto at = j * 8 + u;
              auto dx = tile(at, 0) - x, dy = tile(at, 1) - y, dz = tile(at, 2) - z;
              auto inverse = kr::rsqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
              auto s = tile(at, 3) * inverse * inverse * inverse;
              ax += dx * s, ay += dy * s, az += dz * s;
            }
          kr::syncthreads();
        }
        a(i, 0) = ax, a(i, 1) = ay, a(i, 2) = az, a(i, 3) = 0.0f;
      },
      {.name = "nbody_tiled", .fp = mode});
}

/// sums[b] = the sum of what block b adds up of x; blocks of 1,024. With one block it adds up the
/// sums.
inline constexpr auto sum_by_trees = [](kr::view<const float> x, kr::view<float> sums) {
  constexpr int block = 1024;
  auto part = kr::shared<float, block>();
  auto t = kr::thread_idx().x;
  kr::var sum = 0.0f;
  for (auto i : kr::grid_stride(x.size())) sum += x[i];
  part[t] = sum;
  kr::syncthreads();
  for (int half = block / 2; half > 0; half /= 2) {
    kr::if_(t < half, [&] { part[t] += part[t + half]; });
    kr::syncthreads();
  }
  kr::if_(t == 0, [&] { sums[kr::block_idx().x] = part[0]; });
};

/// The lowest byte of each word, where it lies: what the suites count in a histogram.
inline auto low_bytes_of(const kr::array<unsigned>& words) {
  const auto bytes =
      kr::array<std::uint8_t, 2>::wrap(words.address(), {words.size(), 4}, words.device());
  return bytes(kr::all, 0);
}

}  // namespace bench
