// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures: mostly bytes, with borders that are clamped.
#include <cmath>
#include <cstdint>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using byte = unsigned char;
using rgba = kr::vec<std::uint8_t, 4>;
using rgb = kr::vec<std::uint8_t, 3>;

template <class Pixel>
std::vector<Pixel> picture(std::size_t pixels, unsigned seed = 1) {
  const auto values = integers<byte>(pixels * sizeof(Pixel), 256, seed);
  std::vector<Pixel> all(pixels);
  std::memcpy(static_cast<void*>(all.data()), values.data(), values.size());
  return all;
}
template <class Pixel>
Array<Pixel, 2> upload_picture(int w, int h, unsigned seed = 1) {
  return upload<Pixel, 2>(picture<Pixel>(std::size_t(h) * w, seed), h, w);
}
// Of most pictures.
int width_of(Size size) { return size(1600, 15000); }
int height_of(Size size) { return size(1200, 11000); }

/// The element nearest to (y, x).
constexpr auto clamped = [](const auto& image, auto y, auto x) {
  return image(kr::clamp(y, 0, image.extent(0) - 1), kr::clamp(x, 0, image.extent(1) - 1));
};

Work grey(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const rgba, 2> in, kr::view<byte, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto p = in(y, x);
          out(y, x) = kr::cast<byte>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z + 0.5f);
        });
      },
      {.name = "grey"});
  const int width = width_of(size), height = height_of(size);
  auto in = upload_picture<rgba>(width, height);
  auto out = make_array<byte, 2>(height, width);
  return {[=] { kernel.launch(cover2(width, height), *in, *out); },
          CORPUS_PEER(peer_grey, raw<byte>(in), raw(out), width * height), output(out), 1e-3};
}

Work ycbcr(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const rgb> in, kr::view<rgb> out) {
        for (auto i : kr::grid_stride(in.size())) {
          auto p = kr::cast<float>(in[i]);
          auto y = 0.299f * p.x + 0.587f * p.y + 0.114f * p.z;
          auto cb = 128.0f + 0.564f * (p.z - y), cr = 128.0f + 0.713f * (p.x - y);
          out[i] = kr::cast<std::uint8_t>(kr::clamp(kr::make_vec(y, cb, cr) + 0.5f, 0.0f, 255.0f));
        }
      },
      {.name = "ycbcr"});
  const int width = width_of(size), height = height_of(size);
  const auto shape = size(kr::launch_config{256, 256}, cover(width * height));
  auto in = upload(picture<rgb>(width * height));
  auto out = make_array<rgb>(width * height);
  return {[=] { kernel.launch(shape, *in, *out); },
          CORPUS_PEER(peer_ycbcr, raw<byte>(in), raw<byte>(out), width * height), output<byte>(out),
          1e-3};
}

Work blur3(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const byte, 2> in, kr::view<byte, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          kr::var sum = 0;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
              sum += (2 - dy * dy) * (2 - dx * dx) * clamped(in, y + dy, x + dx);
          out(y, x) = (sum + 8) / 16;
        });
      },
      {.name = "blur3"});
  const int width = width_of(size), height = height_of(size);
  auto in = upload_picture<byte>(width, height), out = make_array<byte, 2>(height, width);
  return {[=] { kernel.launch(cover2(width, height), *in, *out); },
          CORPUS_PEER(peer_blur3, raw(in), raw(out), width, height), output(out), 0};
}

Work blur5(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const byte> in, kr::view<const float> weights, kr::view<byte> out,
         kr::value<int> w, kr::value<int> h) {
        auto x = kr::cast<int>(kr::grid<2>().x), y = kr::cast<int>(kr::grid<2>().y);
        kr::if_(x >= w || y >= h, [] { kr::return_(); });
        kr::var sum = 0.0f;
        for (auto dy : kr::range(-2, 3))
          for (auto dx : kr::range(-2, 3)) {
            auto sy = kr::min(kr::max(y + dy, 0), h - 1), sx = kr::min(kr::max(x + dx, 0), w - 1);
            sum += weights[(dy + 2) * 5 + dx + 2] * kr::cast<float>(in[sy * w + sx]);
          }
        out[y * w + x] = kr::cast<byte>(sum);
      },
      {.name = "blur5"});
  const int width = width_of(size), height = height_of(size);
  auto in = upload(picture<byte>(width * height)), out = make_array<byte>(width * height);
  auto weights = upload(std::vector<float>(25, 0.04f));
  return {[=] { kernel.launch(cover2(width, height, 16, 16), *in, *weights, *out, width, height); },
          CORPUS_PEER(peer_blur5, raw(in), raw(weights), raw(out), width, height), output(out),
          0.02};
}

Work gamma_table(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const byte> in, kr::view<const byte> table, kr::view<byte> out) {
        auto i = kr::grid();
        kr::if_(i < in.size(), [&] { out[i] = table[in[i]]; });
      },
      {.name = "gamma_table"});
  const int width = width_of(size), height = height_of(size);
  std::vector<byte> curve(256);
  for (int i = 0; i < 256; ++i) curve[i] = byte(255 * std::pow(i / 255.0, 1 / 2.2) + 0.5);
  const int n = 3 * width * height;
  auto in = upload(picture<byte>(n)), table = upload(curve), out = make_array<byte>(n);
  return {[=] { kernel.forall(n)(*in, *table, *out); },
          CORPUS_PEER(peer_gamma_table, raw(in), raw(table), raw(out), n), output(out), 0};
}

Work resize(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const rgba, 2> in, kr::view<rgba, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto sx = (kr::cast<float>(x) + 0.5f) * kr::cast<float>(in.extent(1)) /
                        kr::cast<float>(out.extent(1)) -
                    0.5f;
          auto sy = (kr::cast<float>(y) + 0.5f) * kr::cast<float>(in.extent(0)) /
                        kr::cast<float>(out.extent(0)) -
                    0.5f;
          auto x0 = kr::floor(sx), y0 = kr::floor(sy);
          auto ix = kr::cast<int>(x0), iy = kr::cast<int>(y0);
          const auto at = [&](auto py, auto px) { return kr::cast<float>(clamped(in, py, px)); };
          auto upper = kr::mix(at(iy, ix), at(iy, ix + 1), sx - x0),
               lower = kr::mix(at(iy + 1, ix), at(iy + 1, ix + 1), sx - x0);
          out(y, x) = kr::cast<std::uint8_t>(kr::mix(upper, lower, sy - y0) + 0.5f);
        });
      },
      {.name = "resize"});
  const int width = width_of(size), height = height_of(size);
  const int ow = size(1120, 10500), oh = size(840, 7700);
  auto in = upload_picture<rgba>(width, height), out = make_array<rgba, 2>(oh, ow);
  return {[=] { kernel.launch(cover2(ow, oh), *in, *out); },
          CORPUS_PEER(peer_resize, raw<byte>(in), raw<byte>(out), width, height, ow, oh),
          output<byte>(out), 1e-3};
}

Work blend(Size size) {
  static const auto over = kr::vectorize(
      [](auto front, auto back) {
        auto a = kr::cast<int>(front.w);
        auto colour = (kr::cast<int>(front) * a + kr::cast<int>(back) * (255 - a) + 127) / 255;
        return kr::cast<std::uint8_t>(colour);
      },
      {.name = "blend"});
  const int width = width_of(size), height = height_of(size);
  auto front = upload_picture<rgba>(width, height, 1),
       back = upload_picture<rgba>(width, height, 2);
  auto out = make_array<rgba, 2>(height, width);
  return {
      [=] { over.into (*out)(*front, *back); },
      CORPUS_PEER(peer_blend, raw<byte>(front), raw<byte>(back), raw<byte>(out), width * height),
      output<byte>(out), 0};
}

Work dilation(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const byte, 2> in, kr::view<byte, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          kr::var<byte> most = 0;
          for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx)
              kr::if_(y + dy >= 0 && y + dy < in.extent(0) && x + dx >= 0 && x + dx < in.extent(1),
                      [&] { most = kr::max(most, in(y + dy, x + dx)); });
          out(y, x) = most;
        });
      },
      {.name = "dilation"});
  const int width = width_of(size), height = height_of(size);
  auto in = upload_picture<byte>(width, height), out = make_array<byte, 2>(height, width);
  return {[=] { kernel.launch(cover2(width, height), *in, *out); },
          CORPUS_PEER(peer_dilation, raw(in), raw(out), width, height), output(out), 0};
}

Work local_histogram(Size size) {
  // The median of 5 x 5 pixels, counted in 16 bins.
  static const auto kernel = kr::kernel(
      [](kr::view<const byte, 2> in, kr::view<byte, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y >= 2 && x >= 2 && y < out.extent(0) - 2 && x < out.extent(1) - 2, [&] {
          auto bins = kr::local<int, 16>();
          for (auto dy : kr::range(-2, 3))
            for (auto dx : kr::range(-2, 3)) bins[in(y + dy, x + dx) / 16] += 1;
          kr::var seen = 0, bin = 0;
          kr::while_([&] { return seen + bins[bin] <= 12; },
                     [&] {
                       seen += bins[bin];
                       bin += 1;
                     });
          out(y, x) = 16 * bin + 8;
        });
      },
      {.name = "local_histogram"});
  const int w = size(800, 3200), h = size(600, 2400);
  auto in = upload_picture<byte>(w, h), out = make_array<byte, 2>(h, w);
  return {[=] { kernel.launch(cover2(w, h), *in, *out); },
          CORPUS_PEER(peer_local_histogram, raw(in), raw(out), w, h), output(out), 0};
}

Work sobel(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<byte, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          const auto at = [&](int dy, int dx) { return clamped(in, y + dy, x + dx); };
          auto gx =
              at(-1, 1) + 2.0f * at(0, 1) + at(1, 1) - at(-1, -1) - 2.0f * at(0, -1) - at(1, -1);
          auto gy =
              at(1, -1) + 2.0f * at(1, 0) + at(1, 1) - at(-1, -1) - 2.0f * at(-1, 0) - at(-1, 1);
          out(y, x) = kr::cast<byte>(kr::min(255.0f, kr::sqrt(gx * gx + gy * gy)));
        });
      },
      {.name = "sobel"});
  const int width = width_of(size), height = height_of(size);
  auto in = upload<float, 2>(numbers(width * height, 0, 100), height, width);
  auto out = make_array<byte, 2>(height, width);
  return {[=] { kernel.launch(cover2(width, height), *in, *out); },
          CORPUS_PEER(peer_sobel, raw(in), raw(out), width, height), output(out), 1e-3};
}

Work bilateral(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out, kr::value<float> space,
         kr::value<float> range) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto here = in(y, x);
          kr::var sum = 0.0f, weights = 0.0f;
          for (auto dy : kr::range(-3, 4))
            for (auto dx : kr::range(-3, 4)) {
              auto there = clamped(in, y + dy, x + dx);
              auto weight = kr::exp(-kr::cast<float>(dx * dx + dy * dy) * space -
                                    (there - here) * (there - here) * range);
              sum += weight * there;
              weights += weight;
            }
          out(y, x) = sum / weights;
        });
      },
      {.name = "bilateral"});
  const int w = size(480, 6000), h = size(360, 4500);
  auto in = upload<float, 2>(numbers(w * h), h, w), out = make_array<float, 2>(h, w);
  return {[=] { kernel.launch(cover2(w, h, 16, 16), *in, *out, 0.1f, 5.0f); },
          CORPUS_PEER(peer_bilateral, raw(in), raw(out), w, h, 0.1f, 5.f), output(out)};
}

Work box_filter(Size size) {
  // Running sums, a thread a row and then a thread a column, as the CUDA sample has it.
  static const auto rows = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out, kr::value<int> r) {
        auto y = kr::grid();
        auto w = in.extent(1);
        kr::if_(y < in.extent(0), [&] {
          kr::var sum = in(y, 0) * kr::cast<float>(r);
          for (auto x : kr::range(r + 1)) sum += in(y, x);
          for (auto x : kr::range(w)) {
            out(y, x) = sum / kr::cast<float>(2 * r + 1);
            sum += in(y, kr::min(x + r + 1, w - 1)) - in(y, kr::max(x - r, 0));
          }
        });
      },
      {.name = "box_rows"});
  static const auto columns = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<float, 2> out, kr::value<int> r) {
        auto x = kr::grid();
        auto h = in.extent(0);
        kr::if_(x < in.extent(1), [&] {
          kr::var sum = in(0, x) * kr::cast<float>(r);
          for (auto y : kr::range(r + 1)) sum += in(y, x);
          for (auto y : kr::range(h)) {
            out(y, x) = sum / kr::cast<float>(2 * r + 1);
            sum += in(kr::min(y + r + 1, h - 1), x) - in(kr::max(y - r, 0), x);
          }
        });
      },
      {.name = "box_columns"});
  const int w = size(1024, 10000), h = size(768, 8000);
  auto in = upload<float, 2>(numbers(w * h), h, w), between = make_array<float, 2>(h, w),
       out = make_array<float, 2>(h, w);
  return {[=] { rows.forall(h)(*in, *between, 8), columns.forall(w)(*between, *out, 8); },
          CORPUS_PEER(peer_box_filter, raw(in), raw(between), raw(out), w, h, 8), output(out)};
}

Work convolution(Size size) {
  static const auto rows = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<const float> taps, kr::view<float, 2> out) {
        constexpr int radius = 8, block = 128;
        auto line = kr::shared<float, block + 2 * radius>();
        auto t = kr::thread_idx().x, y = kr::block_idx().y, x0 = kr::block_idx().x * block;
        for (auto i : kr::range(t, block + 2 * radius, block)) {
          auto x = x0 + i - radius;
          line[i] = kr::select(
              x >= 0 && x < in.extent(1), [&] { return in(y, x); }, [] { return 0.0f; });
        }
        kr::syncthreads();
        kr::var sum = 0.0f;
        for (int k = 0; k <= 2 * radius; ++k) sum += taps[k] * line[t + k];
        kr::if_(x0 + t < in.extent(1), [&] { out(y, x0 + t) = sum; });
      },
      {.name = "convolution_rows"});
  static const auto columns = kr::kernel(
      [](kr::view<const float, 2> in, kr::view<const float> taps, kr::view<float, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < in.extent(0) && x < in.extent(1), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(-8, 9)) {
            auto from = y + k;
            kr::if_(from >= 0 && from < in.extent(0), [&] { sum += taps[k + 8] * in(from, x); });
          }
          out(y, x) = sum;
        });
      },
      {.name = "convolution_columns"});
  const int width = size(1600, 8000), height = size(1200, 6000);
  auto in = upload<float, 2>(numbers(width * height), height, width);
  auto between = make_array<float, 2>(height, width), out = make_array<float, 2>(height, width);
  auto taps = upload(numbers(17, 0, 0.1, 2));
  return {[=] {
            rows.launch({{(width + 127) / 128, height}, 128}, *in, *taps, *between);
            columns.launch(cover2(width, height), *between, *taps, *out);
          },
          CORPUS_PEER(peer_convolution, raw(in), raw(taps), raw(between), raw(out), width, height),
          output(out)};
}

Work mandelbrot(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<rgba, 2> out, kr::value<double> left, kr::value<double> top,
         kr::value<double> step, kr::value<int> limit) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto cr = left + step * kr::cast<double>(x), ci = top + step * kr::cast<double>(y);
          kr::var zr = 0.0, zi = 0.0;
          kr::var k = 0;
          kr::while_([&] { return k < limit && zr * zr + zi * zi < 4.0; },
                     [&] {
                       auto next = zr * zr - zi * zi + cr;
                       zi = 2.0 * zr * zi + ci;
                       zr = next;
                       k += 1;
                     });
          out(y, x) = kr::cast<std::uint8_t>(kr::make_vec(k * 5, k * 3, k, kr::value(255)));
        });
      },
      {.name = "mandelbrot_picture"});
  const int w = size(400, 4000), h = size(300, 3000);
  const double step = size(0.0075, 0.00075);
  auto out = make_array<rgba, 2>(h, w);
  return {[=] { kernel.launch(cover2(w, h, 16, 16), *out, -2.0, -1.1, step, 200); },
          CORPUS_PEER(peer_mandelbrot, raw<byte>(out), w, h, -2.0, -1.1, step, 200),
          output<byte>(out), 0.01};
}

}  // namespace

void add_images(Registry& all) {
  const char* theme = "images";
  all.insert(all.end(), {{35, "rgba to grey", theme, grey},
                         {36, "rgb to ycbcr", theme, ycbcr},
                         {37, "blur 3x3", theme, blur3},
                         {38, "blur 5x5", theme, blur5},
                         {39, "gamma by table", theme, gamma_table},
                         {40, "resize", theme, resize},
                         {41, "alpha blending", theme, blend},
                         {42, "dilation", theme, dilation},
                         {43, "local histogram", theme, local_histogram},
                         {44, "sobel", theme, sobel},
                         {45, "bilateral", theme, bilateral},
                         {46, "box filter", theme, box_filter},
                         {47, "convolution", theme, convolution},
                         {48, "mandelbrot", theme, mandelbrot}});
}

}  // namespace corpus
