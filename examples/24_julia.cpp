// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Julia set in std::complex, and the roots of z^3 = 1 by Newton's method on an array of complex numbers.
//   24_julia [out.png]
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <krait/complex.h>
#include <krait/files.h>
#include <krait/span.h>
namespace kr = krait;
using complex = std::complex<float>;

int main(int argc, char** argv) try {
  constexpr int width = 800, height = 600, iterations = 200;
  // [kernel]
  auto julia = kr::kernel(
      [](kr::view<int, 2> out, kr::value<complex> c) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          kr::var z = kr::value<complex>(4.0f * (kr::cast<float>(x) / width - 0.5f), 3.0f * (kr::cast<float>(y) / height - 0.5f));
          kr::var k = 0;
          kr::while_([&] { return k < iterations && kr::norm(z) < 4.0f; }, [&] {
            z = z * z + c;
            k += 1;
          });
          out(y, x) = k;
        });
      },
      {.name = "julia", .fp = kr::fp::strict});
  // [/kernel]
  kr::array<int, 2> counts(height, width);
  const complex c(-0.8f, 0.156f);
  julia.launch({{(width + 31) / 32, (height + 7) / 8}, {32, 8}}, counts, c);
  const auto k = counts.to_host();
  for (int y = 0; y < height; y += 13)
    for (int x = 0; x < width; x += 11) {
      float re = 4.0f * (float(x) / width - 0.5f), im = 3.0f * (float(y) / height - 0.5f);
      int n = 0;
      for (; n < iterations && re * re + im * im < 4.0f; ++n) {
        const float next = re * re - im * im + c.real();
        im = re * im + im * re + c.imag(), re = next;
      }
      if (n != k[static_cast<std::size_t>(y * width + x)])
        return std::fprintf(stderr, "pixel %d, %d has %d, not %d\n", x, y, k[static_cast<std::size_t>(y * width + x)], n), 1;
    }

  const auto newton = kr::vectorize([](auto start) {
    kr::var z = start;
    for ([[maybe_unused]] auto i : kr::range(40)) z = z - (z * z * z - 1.0f) / (3.0f * z * z);
    return kr::value(z);
  });
  std::vector<complex> starts;
  for (int i = 0; i < 1000; ++i) starts.push_back(std::polar(1.0f + float(i % 7), 0.1f + float(i)));
  for (const complex& root : newton(starts))
    if (std::abs(root * root * root - 1.0f) > 1e-5f) return std::fprintf(stderr, "%g%+gi is no root\n", root.real(), root.imag()), 1;
  std::printf("1000 starts found a root of z^3 = 1\n");

  std::vector<std::uint8_t> rgb(std::size_t{width} * height * 3);
  for (std::size_t i = 0; i < k.size(); ++i) {
    rgb[3 * i] = static_cast<std::uint8_t>(k[i] * 255 / iterations);
    rgb[3 * i + 1] = static_cast<std::uint8_t>(255 - 255 * (iterations - k[i]) * (iterations - k[i]) / (iterations * iterations));
    rgb[3 * i + 2] = static_cast<std::uint8_t>(k[i] * 5 % 256);
  }
  if (argc > 1) kr::save_png(argv[1], kr::wrap(rgb.data(), {height, width, 3})), std::printf("wrote %s\n", argv[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
