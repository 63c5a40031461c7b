// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transposed matrix by way of shared memory, so that reads and writes both run along rows. The tile has a column more than it
// needs: otherwise a column's elements would all lie in one bank.
#include <cstdio>
#include <numeric>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int tile = 32, block_rows = 8, rows = 500, columns = 333;

  auto transpose = kr::kernel([](kr::view<const int, 2> in, kr::view<int, 2> out) {
    auto kept = kr::shared<int, tile, tile + 1>();
    auto [tx, ty, tz] = kr::thread_idx();
    auto x0 = kr::block_idx().x * tile, y0 = kr::block_idx().y * tile;
    for (int k = 0; k < tile; k += block_rows)
      kr::if_(y0 + ty + k < in.extent(0) && x0 + tx < in.extent(1), [&] { kept(ty + k, tx) = in(y0 + ty + k, x0 + tx); });
    kr::syncthreads();
    for (int k = 0; k < tile; k += block_rows)
      kr::if_(x0 + ty + k < out.extent(0) && y0 + tx < out.extent(1), [&] { out(x0 + ty + k, y0 + tx) = kept(tx, ty + k); });
  }, {.name = "transpose"});

  std::vector<int> in(rows * columns);
  std::iota(in.begin(), in.end(), 0);
  kr::array<int, 2> from(rows, columns), to(columns, rows);
  from.copy_from(in);
  transpose.launch({{(columns + tile - 1) / tile, (rows + tile - 1) / tile}, {tile, block_rows}}, from, to);
  const std::vector<int> out = to.to_host();

  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      if (out[x * rows + y] != in[y * columns + x]) {
        std::printf("element (%d, %d) is %d, expected %d\n", x, y, out[x * rows + y], in[y * columns + x]);
        return 1;
      }
  std::printf("%d x %d to %d x %d: equal to the host\n", rows, columns, columns, rows);
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
