// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that tools/bench/webgpu.mjs measures beside WGSL written by hand, as a folder:
// bench_webgpu_site FOLDER
#include <cstdio>
#include <vector>

#include <krait/krait.h>
#include <krait/web.h>

#include "kernels.h"

namespace kr = krait;

namespace {

const auto saxpy = kr::kernel(
    [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
      for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
    },
    {.name = "saxpy"});

const auto mandelbrot = kr::kernel(bench::mandelbrot, {.name = "mandelbrot"});

const auto bodies = kr::kernel(
    [](kr::view<const float> px, kr::view<const float> py, kr::view<const float> pz,
       kr::view<float> ax) {
      for (auto i : kr::grid_stride(ax.size())) {
        kr::var sum = 0.0f;
        for (auto j : kr::range(px.size())) {
          auto dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
          auto weight = kr::rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
          sum += dx * (weight * weight * weight);
        }
        ax[i] = sum;
      }
    },
    {.name = "bodies"});

constexpr int tile = 16;
const auto product = kr::kernel(
    [](kr::view<const float, 2> a, kr::view<const float, 2> b, kr::view<float, 2> c) {
      auto as = kr::shared<float, tile, tile>(), bs = kr::shared<float, tile, tile>();
      auto [tx, ty, tz] = kr::thread_idx();
      auto [column, row] = kr::grid<2>();
      kr::var sum = 0.0f;
      for (auto first : kr::range(0, a.extent(1), tile)) {
        as(ty, tx) = a(row, first + tx);
        bs(ty, tx) = b(first + ty, column);
        kr::syncthreads();
        for (int k = 0; k < tile; ++k) sum += as(ty, k) * bs(k, tx);
        kr::syncthreads();
      }
      c(row, column) = sum;
    },
    {.name = "product"});

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "bench_webgpu_site FOLDER\n"), 2;
  std::vector<float> x(8), y(8);
  kr::array<int, 2> picture(16, 16);
  kr::array<float, 2> a(16, 16), b(16, 16), c(16, 16);
  kr::export_web(argv[1], kr::web(saxpy[{1024, 64}], 2.0f, x, y),
                 kr::web(mandelbrot[{1, {16, 16}}], picture, 10),
                 kr::web(bodies[{64, 64}], x, x, x, y),
                 kr::web(product[{1, {tile, tile}}], a, b, c));
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
