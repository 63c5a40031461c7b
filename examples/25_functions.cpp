// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called: a ray marcher, whose distance function is used seven times for every step and normal, but compiled
// once. Renders a sphere that a box is cut out of, as characters, and compares it with the same functions run on the host.
#include <krait/krait.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace kr = krait;

namespace {

constexpr int width = 72, height = 36;

/// Distance to a sphere of radius 1 without the box [0, 2] x [0, 2] x [-2, 0], negative inside. On traced and on plain numbers.
const auto distance = kr::function([](auto x, auto y, auto z) {
  const auto sphere = kr::sqrt(kr::fma(z, z, kr::fma(y, y, x * x))) - 1.0f;
  const auto box = kr::max(kr::max(kr::abs(x - 1.0f), kr::abs(y - 1.0f)), kr::abs(z + 1.0f)) - 1.0f;
  return kr::max(sphere, -box);
}, {.name = "distance"});

/// How bright the surface at a point is, lit from the viewer's upper right.
const auto shade = kr::function([](kr::value<float> x, kr::value<float> y, kr::value<float> z) {
  const float e = 0.001f;
  const auto nx = distance(x + e, y, z) - distance(x - e, y, z);
  const auto ny = distance(x, y + e, z) - distance(x, y - e, z);
  const auto nz = distance(x, y, z + e) - distance(x, y, z - e);
  const auto length = kr::sqrt(nx * nx + ny * ny + nz * nz) + 1e-9f;
  return kr::max((0.5f * nx + 0.6f * ny - 0.62f * nz) / length, 0.05f);
}, {.name = "shade"});

/// Goes from z = -2 along z until it meets the surface; false where it does not.
const auto march = kr::function([](kr::value<float> x, kr::value<float> y, kr::var<float>& z) {
  for ([[maybe_unused]] auto step : kr::range(64)) {
    const auto d = distance(x, y, z);
    kr::if_(d < 0.001f, [] { kr::return_(true); });
    kr::if_(z > 2.0f, [] { kr::return_(false); });
    z += d;
  }
  return kr::value<bool>(false);
}, {.name = "march"});

/// The same on the host: `distance` on plain numbers is an ordinary function.
bool hits(float x, float y) {
  float z = -2.0f;
  for (int step = 0; step < 64; ++step) {
    const float d = distance(x, y, z);
    if (d < 0.001f) return true;
    if (z > 2.0f) return false;
    z += d;
  }
  return false;
}

float coordinate(int i, int n) { return (static_cast<float>(i) + 0.5f) * 2.4f / static_cast<float>(n) - 1.2f; }

}  // namespace

int main() {
  auto render = kr::kernel([](kr::view<float, 2> image) {
    auto [column, row] = kr::grid<2>();
    kr::if_(column < width && row < height, [&] {
      const auto x = (kr::cast<float>(column) + 0.5f) * 2.4f / static_cast<float>(width) - 1.2f;
      const auto y = 1.2f - (kr::cast<float>(row) + 0.5f) * 2.4f / static_cast<float>(height);
      kr::var z = -2.0f;
      const auto hit = march(x, y, z);
      kr::if_(hit, [&] { image(row, column) = shade(x, y, z); }).else_([&] { image(row, column) = 0.0f; });
    });
  }, {.name = "render"});

  kr::array<float, 2> image({height, width});
  render.launch({{(width + 15) / 16, (height + 7) / 8}, {16, 8}}, image);
  std::vector<float> pixels(width * height);
  image.copy_to(pixels);

  int different = 0;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const float pixel = pixels[static_cast<std::size_t>(row * width + column)];
      std::putchar(" .:-=+*#%@"[static_cast<int>(pixel * 9.99f)]);
      different += (pixel > 0) != hits(coordinate(column, width), -coordinate(row, height));
    }
    std::putchar('\n');
  }
  // Rays that graze the surface may go either way: the modes round differently.
  std::printf("%d of %d pixels differ from the host's\n", different, width * height);
  return different <= 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
