// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of two matrices: each block brings tiles of 16 x 16 into shared memory, and every element serves 16 threads. The
// sizes are no multiples of the tile; what lies outside counts as 0.
#include <cmath>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int tile = 16, rows = 250, inner = 310, columns = 190;

  auto product = kr::kernel([](kr::view<const float, 2> a, kr::view<const float, 2> b, kr::view<float, 2> c) {
    auto as = kr::shared<float, tile, tile>(), bs = kr::shared<float, tile, tile>();
    auto [tx, ty, tz] = kr::thread_idx();
    auto [column, row] = kr::grid<2>();
    kr::var sum = 0.0f;
    for (auto first : kr::range(0, a.extent(1), tile)) {
      auto ax = first + tx, by = first + ty;
      as(ty, tx) = kr::select(row < a.extent(0) && ax < a.extent(1), [&] { return a(row, ax); }, 0.0f);
      bs(ty, tx) = kr::select(by < b.extent(0) && column < b.extent(1), [&] { return b(by, column); }, 0.0f);
      kr::syncthreads();
      for (int k = 0; k < tile; ++k) sum += as(ty, k) * bs(k, tx);  // a C++ loop: unrolled
      kr::syncthreads();
    }
    kr::if_(row < c.extent(0) && column < c.extent(1), [&] { c(row, column) = sum; });
  }, {.name = "matmul"});

  std::vector<float> a(rows * inner), b(inner * columns);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 37 % 101) / 101 - 0.5f;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 53 % 97) / 97 - 0.5f;
  kr::array<float, 2> da(rows, inner), db(inner, columns), dc(rows, columns);
  da.copy_from(a), db.copy_from(b);
  product.launch({{(columns + tile - 1) / tile, (rows + tile - 1) / tile}, {tile, tile}}, da, db, dc);
  const std::vector<float> c = dc.to_host();

  double worst = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double expected = 0;
      for (int k = 0; k < inner; ++k) expected += double(a[i * inner + k]) * b[k * columns + j];
      worst = std::fmax(worst, std::abs(expected - c[i * columns + j]));
    }
  std::printf("(%d x %d) (%d x %d): largest difference to the host's doubles %.1e\n", rows, inner, inner, columns, worst);
  return worst < 1e-4 ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
