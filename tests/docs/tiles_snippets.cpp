// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/tiles.md, run.
#include <krait/krait.h>
#include <krait/tile.h>

#include <cstdio>

namespace kr = krait;

// [multiply]
auto multiply = kr::kernel(
    [](kr::view<const kr::bf16, 2> a, kr::view<const kr::bf16, 2> b, kr::view<float, 2> c) {
      const auto i = kr::block_idx().y * 128, j = kr::block_idx().x * 128;
      kr::tile<float, 128, 128> sum;
      kr::pipelined<4>((a.extent(1) + 63) / 64,
                       [&](auto step) {
                         return std::tuple(kr::load<128, 64>(a, {i, step * 64}), kr::load<64, 128>(b, {step * 64, j}));
                       },
                       [&](auto, const auto& x, const auto& y) { sum = kr::mma(x, y, sum); });
      kr::store(c, {i, j}, kr::max(sum, 0.0f));
    },
    {.block = 256});
// [/multiply]

int main() {
  constexpr std::int64_t n = 130, depth = 70;
  kr::array<kr::bf16, 2> a(n, depth), b(depth, n);
  a.copy_from(std::vector<kr::bf16>(std::size_t(n * depth), kr::bf16(1)));
  b.copy_from(std::vector<kr::bf16>(std::size_t(n * depth), kr::bf16(0.5)));
  kr::array<float, 2> c(n, n);
  multiply.launch({kr::dims(2, 2), 256}, a, b, c);
  for (const float x : c.to_host())
    if (x != 35) return std::printf("%g\n", double(x)), 1;
}
