// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A web page: kernels as WGSL with the JavaScript that calls them, and a page that runs and checks them in the visitor's browser.
//   28_web [folder]
#include <cmath>
#include <cstdio>
#include <vector>

#include <krait/krait.h>
#include <krait/web.h>
namespace kr = krait;

int main(int argc, char** argv) try {
  const char* const folder = argc > 1 ? argv[1] : "site";

  auto saxpy = kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      },
      {.name = "saxpy"});
  std::vector<float> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i) x[i] = 0.25f * static_cast<float>(i), y[i] = static_cast<float>(1000 - i);

  // The escape time of z*z + c from z: c and z are the place in the Mandelbrot set, or c is the same everywhere in a Julia set.
  auto escape = [](auto zr, auto zi, auto cr, auto ci, kr::value<int> limit) {
    kr::var re = zr, im = zi;
    kr::var k = 0;
    kr::while_([&] { return k < limit && re * re + im * im < 4.0f; }, [&] {
      auto next = re * re - im * im + cr;
      im = 2.0f * re * im + ci;
      re = next;
      k += 1;
    });
    return kr::value<int>(k);
  };
  auto mandelbrot = kr::kernel(
      [=](kr::view<int, 2> out, kr::value<int> limit) {
        auto [px, py] = kr::grid<2>();
        kr::if_(py < out.extent(0) && px < out.extent(1), [&] {
          kr::value<float> cr = -2.1f + 2.8f * kr::cast<float>(px) / kr::cast<float>(out.extent(1));
          kr::value<float> ci = -1.05f + 2.1f * kr::cast<float>(py) / kr::cast<float>(out.extent(0));
          kr::value<float> zero = 0.0f;
          out(py, px) = escape(zero, zero, cr, ci, limit);
        });
      },
      {.name = "mandelbrot"});
  auto julia = kr::kernel(
      [=](kr::view<int, 2> out, kr::value<float> cr, kr::value<float> ci, kr::value<int> limit) {
        auto [px, py] = kr::grid<2>();
        kr::if_(py < out.extent(0) && px < out.extent(1), [&] {
          kr::value<float> zr = -1.6f + 3.2f * kr::cast<float>(px) / kr::cast<float>(out.extent(1));
          kr::value<float> zi = -1.2f + 2.4f * kr::cast<float>(py) / kr::cast<float>(out.extent(0));
          out(py, px) = escape(zr, zi, cr, ci, limit);
        });
      },
      {.name = "julia"});
  constexpr int width = 320, height = 240;
  kr::array<int, 2> picture(height, width);

  // A step of heat that flows in a plate whose edges keep their temperature.
  auto heat = kr::kernel(
      [](kr::view<const float, 2> from, kr::view<float, 2> to) {
        auto [px, py] = kr::grid<2>();
        kr::if_(py < from.extent(0) && px < from.extent(1), [&] {
          auto inside = py > 0 && px > 0 && py < from.extent(0) - 1 && px < from.extent(1) - 1;
          kr::if_(inside, [&] {
            to(py, px) = 0.25f * (from(py - 1, px) + from(py + 1, px) + from(py, px - 1) + from(py, px + 1));
          }).else_([&] { to(py, px) = from(py, px); });
        });
      },
      {.name = "heat"});
  const kr::launch_config over_picture{{(width + 15) / 16, (height + 15) / 16}, {16, 16}};
  std::vector<float> plate(width * height);
  for (int i = 0; i < width; ++i) plate[i] = 100.0f * (0.5f + 0.5f * std::sin(0.05f * static_cast<float>(i)));
  for (int j = 0; j < height; ++j) plate[j * width] = 80.0f;
  kr::array<float, 2> warm = kr::to_device(plate).reshape(height, width), next(height, width);
  for (int step = 0; step < 2000; ++step) heat.launch(over_picture, warm, next), std::swap(warm, next);

  // Each body's acceleration by all others, in two dimensions.
  auto pull = kr::kernel(
      [](kr::view<const float> px, kr::view<const float> py, kr::view<float> ax, kr::view<float> ay) {
        for (auto i : kr::grid_stride(ax.size())) {
          kr::var sx = 0.0f, sy = 0.0f;
          for (auto j : kr::range(px.size())) {
            auto dx = px[j] - px[i], dy = py[j] - py[i];
            auto square = dx * dx + dy * dy + 0.01f;
            auto weight = 1.0f / (square * kr::sqrt(square));
            sx += dx * weight, sy += dy * weight;
          }
          ax[i] = sx, ay[i] = sy;
        }
      },
      {.name = "pull"});
  std::vector<float> px(256), py(256), ax(256), ay(256);
  for (int i = 0; i < 256; ++i) px[i] = std::cos(0.1f * static_cast<float>(i)), py[i] = std::sin(0.37f * static_cast<float>(i));

  // An element-wise function: it takes arrays of one length, and gives one.
  // [ripples]
  auto ripples = kr::vectorize(
      [](kr::value<float> u, kr::value<float> v) {
        auto near = kr::sqrt((u - 1.0f) * (u - 1.0f) + v * v), far = kr::sqrt((u + 1.0f) * (u + 1.0f) + v * v);
        return kr::sin(9.0f * near) + kr::sin(9.0f * far);
      },
      {.name = "ripples"});
  // [/ripples]
  std::vector<float> rx(width * height), ry(width * height);
  for (int i = 0; i < width * height; ++i) {
    rx[i] = 0.02f * static_cast<float>(i % width - width / 2), ry[i] = 0.02f * static_cast<float>(i / width - height / 2);
  }

  kr::export_web(folder, kr::web(saxpy[{4, 64}], 2.0f, x, y).names({"a", "x", "y"}),
                 kr::web(mandelbrot[over_picture], picture, 120).names({"out", "limit"}).image(width, height).within(0, 0, 0.01),
                 kr::web(julia[over_picture], picture, -0.8f, 0.156f, 200)
                     .names({"out", "cr", "ci", "limit"})
                     .image(width, height)
                     .within(0, 0, 0.01),
                 kr::web(heat[over_picture], warm, next).names({"from", "to"}).image(width, height),
                 kr::web(ripples, rx, ry).names({"x", "y"}).image(width, height),
                 kr::web(pull[{4, 64}], px, py, ax, ay).names({"px", "py", "ax", "ay"}));
  std::printf("%s/index.html runs and checks six kernels: serve the folder by https or from localhost\n", folder);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
