// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture's edges: to grey, blurred, Sobel's operator. The intermediate images stay on the device.
//   05_image_pipeline in.png out.png
#include <cmath>
#include <cstdio>

#include <krait/files.h>
#include <krait/krait.h>
namespace kr = krait;

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s in.png out.png\n", argv[0]), 2;
  kr::array<unsigned char, 3> pixels = kr::load_png(argv[1]);
  const auto h = pixels.extent(0), w = pixels.extent(1);

  const auto clamped = [](const kr::view<const float, 2>& v, auto y, auto x) {  // a device function: inlined while recording
    return v(kr::max(kr::min(y, v.extent(0) - 1), 0), kr::max(kr::min(x, v.extent(1) - 1), 0));
  };
  auto grey = kr::kernel([](kr::view<const unsigned char, 3> rgb, kr::view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
      out(y, x) = (0.299f * rgb(y, x, 0) + 0.587f * rgb(y, x, 1) + 0.114f * rgb(y, x, 2)) / 255.0f;
    });
  }, {.name = "grey"});
  auto blur = kr::kernel([=](kr::view<const float, 2> in, kr::view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
      constexpr float weights[] = {1, 4, 6, 4, 1};
      kr::var sum = 0.0f;
      for (int dy = -2; dy <= 2; ++dy)  // C++ loops run while recording: 25 terms
        for (int dx = -2; dx <= 2; ++dx) sum += weights[dy + 2] * weights[dx + 2] / 256 * clamped(in, y + dy, x + dx);
      out(y, x) = sum;
    });
  }, {.name = "blur"});
  // [sobel]
  auto sobel = kr::kernel([=](kr::view<const float, 2> in, kr::view<unsigned char, 3> rgb) {
    auto [x, y] = kr::grid<2>();
    kr::if_(y < in.extent(0) && x < in.extent(1), [&] {
      const auto at = [&](int dy, int dx) { return clamped(in, y + dy, x + dx); };
      auto gx = at(-1, 1) + 2.0f * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0f * at(0, -1) - at(1, -1);
      auto gy = at(1, -1) + 2.0f * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0f * at(-1, 0) - at(-1, 1);
      auto edge = kr::cast<unsigned char>(kr::min(255.0f, 255.0f * kr::sqrt(gx * gx + gy * gy)));
      for (int c = 0; c < 3; ++c) rgb(y, x, c) = edge;
    });
  }, {.name = "sobel"});
  // [/sobel]

  const kr::launch_config covering{{(w + 31) / 32, (h + 7) / 8}, {32, 8}};
  kr::array<float, 2> brightness(h, w), smooth(h, w);
  grey.launch(covering, pixels, brightness);
  blur.launch(covering, brightness, smooth);
  sobel.launch(covering, smooth, pixels);

  double mean = 0;
  for (unsigned char v : pixels.to_host()) mean += v / static_cast<double>(pixels.size());
  kr::save_png(argv[2], pixels);
  std::printf("%d x %d pixels, mean edge %.2f of 255, wrote %s\n", int(w), int(h), mean, argv[2]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
