// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set as a picture: a two-dimensional kernel with a loop whose length differs by thread.
//   04_mandelbrot [out.png]
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/files.h>
#include <krait/krait.h>
#include <krait/span.h>
namespace kr = krait;

int main(int argc, char** argv) try {
  constexpr int width = 1200, height = 800, iterations = 256;

  // [kernel]
  auto mandelbrot = kr::kernel(
      [](kr::view<int, 2> out, kr::value<int> limit) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          kr::value<float> cr = -2.0f + 3.0f * kr::cast<float>(x) / kr::cast<float>(out.extent(1));
          kr::value<float> ci = -1.0f + 2.0f * kr::cast<float>(y) / kr::cast<float>(out.extent(0));
          kr::var zr = 0.0f, zi = 0.0f;
          kr::var k = 0;
          kr::while_([&] { return k < limit && zr * zr + zi * zi < 4.0f; }, [&] {
            auto next = zr * zr - zi * zi + cr;
            zi = 2.0f * zr * zi + ci;
            zr = next;
            k += 1;
          });
          out(y, x) = k;
        });
      },
      {.name = "mandelbrot"});
  // [/kernel]

  kr::array<int, 2> counts(height, width);
  mandelbrot.launch({{(width + 31) / 32, (height + 7) / 8}, {32, 8}}, counts, iterations);

  const auto k = counts.to_host();
  std::vector<std::uint8_t> rgb(std::size_t{width} * height * 3);
  long inside = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    inside += k[i] == iterations;
    const int shade = k[i] == iterations ? 0 : 255 - k[i] * 3 % 256;
    rgb[3 * i] = static_cast<std::uint8_t>(shade);
    rgb[3 * i + 1] = static_cast<std::uint8_t>(shade * shade / 255);
    rgb[3 * i + 2] = static_cast<std::uint8_t>(k[i] == iterations ? 40 : 255);
  }
  const double area = 6.0 * static_cast<double>(inside) / (width * height);  // of a picture of 3 by 2
  std::printf("area of the set: %.3f (1.507 in the literature)\n", area);
  if (area < 1.50 || area > 1.54) return 1;
  if (argc > 1) kr::save_png(argv[1], kr::wrap(rgb.data(), {height, width, 3})), std::printf("wrote %s\n", argv[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
