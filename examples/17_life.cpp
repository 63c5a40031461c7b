// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conway's game of life on a torus. Each block reads its cells and those around them into shared memory once.
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

int main() try {
  constexpr int side = 16, width = 5 * side, height = 4 * side, generations = 100;
  using Cell = std::uint8_t;

  auto step = kr::kernel([](kr::view<const Cell, 2> old, kr::view<Cell, 2> next) {
    constexpr int padded = side + 2;
    auto cells = kr::shared<Cell, padded, padded>();
    auto [tx, ty, tz] = kr::thread_idx();
    auto [x, y] = kr::grid<2>();
    for (auto i : kr::range(ty * side + tx, padded * padded, side * side)) {
      auto from_y = kr::block_idx().y * side + i / padded - 1 + old.extent(0);
      auto from_x = kr::block_idx().x * side + i % padded - 1 + old.extent(1);
      cells(i / padded, i % padded) = old(from_y % old.extent(0), from_x % old.extent(1));
    }
    kr::syncthreads();
    kr::var neighbours = 0;
    for (int dy = 0; dy < 3; ++dy)
      for (int dx = 0; dx < 3; ++dx)
        if (dx != 1 || dy != 1) neighbours += cells(ty + dy, tx + dx);
    next(y, x) = kr::select(neighbours == 3 || (neighbours == 2 && cells(ty + 1, tx + 1) != 0), 1, 0);
  }, {.name = "life"});

  std::mt19937 random(2);
  std::vector<Cell> host(width * height), other(host);
  for (Cell& cell : host) cell = random() % 3 == 0;
  kr::array<Cell, 2> cells(height, width), next(height, width);
  cells.copy_from(host);
  for (int k = 0; k < generations; ++k) {
    step.launch({{width / side, height / side}, {side, side}}, cells, next);
    std::swap(cells, next);
  }
  const std::vector<Cell> result = cells.to_host();

  for (int k = 0; k < generations; ++k, std::swap(host, other))
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int neighbours = -host[y * width + x];
        for (int d = 0; d < 9; ++d)
          neighbours += host[(y + d / 3 - 1 + height) % height * width + (x + d % 3 - 1 + width) % width];
        other[y * width + x] = neighbours == 3 || (neighbours == 2 && host[y * width + x]);
      }
  for (int y = 0; y < height; y += 2, std::putchar('\n'))  // two rows of cells a line of text
    for (int x = 0; x < width; ++x) std::putchar(" '.:"[result[y * width + x] + 2 * result[(y + 1) * width + x]]);
  std::printf("after %d generations: %s\n", generations, result == host ? "equal to the host" : "not as on the host");
  return result == host ? 0 : 1;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
