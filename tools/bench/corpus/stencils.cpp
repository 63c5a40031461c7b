// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps over grids: forms of PolyBench, Rodinia and Parboil, and of what physicists write.
#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {

Work jacobi2d(Size size) {
  static const auto step = kr::kernel(
      [](kr::view<const float, 2> a, kr::view<float, 2> b) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i > 0 && j > 0 && i < a.extent(0) - 1 && j < a.extent(1) - 1, [&] {
          b(i, j) = 0.2f * (a(i, j) + a(i, j - 1) + a(i, j + 1) + a(i - 1, j) + a(i + 1, j));
        });
      },
      {.name = "jacobi2d"});
  const int n = size(1800, 7000), steps = 4;
  const auto start = numbers(n * n);
  auto a = upload<float, 2>(start, n, n), b = upload<float, 2>(start, n, n);
  return {[=] {
            for (int t = 0; t < steps; t += 2)
              step.launch(cover2(n, n), *a, *b), step.launch(cover2(n, n), *b, *a);
          },
          CORPUS_PEER(peer_jacobi2d, raw(a), raw(b), n, steps), output(a, start)};
}

Work red_black(Size size) {
  static const auto sweep = kr::kernel(
      [](kr::view<double, 2> u, kr::view<const double, 2> f, kr::value<int> colour) {
        auto [half, i] = kr::grid<2>();
        auto j = 2 * half + ((i + colour) & 1);
        kr::if_(i > 0 && j > 0 && i < u.extent(0) - 1 && j < u.extent(1) - 1, [&] {
          u(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - f(i, j));
        });
      },
      {.name = "red_black"});
  const int n = size(1000, 6000), sweeps = 4;
  const auto start = numbers<double>(n * n);
  auto u = upload<double, 2>(start, n, n),
       f = upload<double, 2>(numbers<double>(n * n, -0.1, 0.1, 2), n, n);
  return {[=] {
            for (int s = 0; s < sweeps; ++s) sweep.launch(cover2(n / 2, n), *u, *f, s % 2);
          },
          CORPUS_PEER(peer_red_black, raw(u), raw(f), n, sweeps), output(u, start), 1e-9};
}

Work fdtd2d(Size size) {
  static const auto step_ey = kr::kernel(
      [](kr::view<float, 2> ey, kr::view<const float, 2> hz, kr::value<float> source) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < ey.extent(0) && j < ey.extent(1), [&] {
          kr::if_(i == 0, [&] { ey(i, j) = source; }).else_([&] {
            ey(i, j) -= 0.5f * (hz(i, j) - hz(i - 1, j));
          });
        });
      },
      {.name = "fdtd_ey"});
  static const auto step_ex = kr::kernel(
      [](kr::view<float, 2> ex, kr::view<const float, 2> hz) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < ex.extent(0) && j > 0 && j < ex.extent(1),
                [&] { ex(i, j) -= 0.5f * (hz(i, j) - hz(i, j - 1)); });
      },
      {.name = "fdtd_ex"});
  static const auto step_hz = kr::kernel(
      [](kr::view<const float, 2> ex, kr::view<const float, 2> ey, kr::view<float, 2> hz) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < hz.extent(0) - 1 && j < hz.extent(1) - 1,
                [&] { hz(i, j) -= 0.7f * (ex(i, j + 1) - ex(i, j) + ey(i + 1, j) - ey(i, j)); });
      },
      {.name = "fdtd_hz"});
  const int n = size(1300, 6000), steps = 3;
  const auto sx = numbers(n * n, 0, 1, 1), sy = numbers(n * n, 0, 1, 2),
             sz = numbers(n * n, 0, 1, 3);
  auto ex = upload<float, 2>(sx, n, n), ey = upload<float, 2>(sy, n, n),
       hz = upload<float, 2>(sz, n, n);
  return {[=] {
            for (int t = 0; t < steps; ++t) {
              step_ey.launch(cover2(n, n), *ey, *hz, float(t));
              step_ex.launch(cover2(n, n), *ex, *hz);
              step_hz.launch(cover2(n, n), *ex, *ey, *hz);
            }
          },
          CORPUS_PEER(peer_fdtd2d, raw(ex), raw(ey), raw(hz), n, steps),
          output(hz, sz) + output(ex, sx) + output(ey, sy)};
}

Work heat3d(Size size) {
  static const auto step = kr::kernel(
      [](kr::view<const double, 3> a, kr::view<double, 3> b) {
        auto [k, j, i] = kr::grid<3>();
        kr::if_(i > 0 && j > 0 && k > 0 && i < a.extent(0) - 1 && j < a.extent(1) - 1 &&
                    k < a.extent(2) - 1,
                [&] {
                  auto here = a(i, j, k);
                  b(i, j, k) = 0.125 * (a(i + 1, j, k) - 2.0 * here + a(i - 1, j, k)) +
                               0.125 * (a(i, j + 1, k) - 2.0 * here + a(i, j - 1, k)) +
                               0.125 * (a(i, j, k + 1) - 2.0 * here + a(i, j, k - 1)) + here;
                });
      },
      {.name = "heat3d"});
  const int n = size(120, 320), steps = 4;
  const auto start = numbers<double>(n * n * n);
  auto a = upload<double, 3>(start, n, n, n), b = upload<double, 3>(start, n, n, n);
  const kr::launch_config shape{{(n + 31) / 32, (n + 3) / 4, n}, {32, 4, 1}};
  return {[=] {
            for (int t = 0; t < steps; t += 2)
              step.launch(shape, *a, *b), step.launch(shape, *b, *a);
          },
          CORPUS_PEER(peer_heat3d, raw(a), raw(b), n, steps), output(a, start), 1e-9};
}

Work hotspot(Size size) {
  static const auto step = kr::kernel(
      [](kr::view<const float, 2> temperature, kr::view<const float, 2> power,
         kr::view<float, 2> out) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto north = kr::max(y - 1, 0), south = kr::min(y + 1, out.extent(0) - 1);
          auto west = kr::max(x - 1, 0), east = kr::min(x + 1, out.extent(1) - 1);
          auto t = temperature(y, x);
          out(y, x) =
              t + 0.05f * (power(y, x) +
                           (temperature(south, x) + temperature(north, x) - 2.0f * t) * 0.9f +
                           (temperature(y, east) + temperature(y, west) - 2.0f * t) * 1.1f +
                           (80.0f - t) * 0.02f);
        });
      },
      {.name = "hotspot"});
  const int n = size(1024, 6144), steps = 4;
  const auto start = numbers(n * n, 60, 90);
  auto a = upload<float, 2>(start, n, n), b = make_array<float, 2>(n, n),
       power = upload<float, 2>(numbers(n * n, 0, 2, 2), n, n);
  return {[=] {
            for (int t = 0; t < steps; t += 2)
              step.launch(cover2(n, n, 16, 16), *a, *power, *b),
                  step.launch(cover2(n, n, 16, 16), *b, *power, *a);
          },
          CORPUS_PEER(peer_hotspot, raw(a), raw(power), raw(b), n, steps), output(a, start)};
}

Work srad(Size size) {
  static const auto coefficients = kr::kernel(
      [](kr::view<const float> image, kr::view<float> c, kr::view<kr::vec<float, 4>> derivatives,
         kr::value<int> rows, kr::value<int> columns, kr::value<float> q0) {
        auto index = kr::cast<int>(kr::grid());
        kr::if_(index < rows * columns, [&] {
          auto y = index / columns, x = index % columns;
          auto here = image[index];
          auto n = image[kr::max(y - 1, 0) * columns + x] - here,
               s = image[kr::min(y + 1, rows - 1) * columns + x] - here;
          auto w = image[y * columns + kr::max(x - 1, 0)] - here,
               e = image[y * columns + kr::min(x + 1, columns - 1)] - here;
          auto g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
          auto numerator = 0.5f * g2 - 0.0625f * (l * l), denominator = 1.0f + 0.25f * l;
          auto q = numerator / (denominator * denominator);
          c[index] = kr::clamp(1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0))), 0.0f, 1.0f);
          derivatives[index] = kr::make_vec(n, s, w, e);
        });
      },
      {.name = "srad_1"});
  static const auto update = kr::kernel(
      [](kr::view<float> image, kr::view<const float> c,
         kr::view<const kr::vec<float, 4>> derivatives, kr::value<int> rows, kr::value<int> columns,
         kr::value<float> lambda) {
        auto index = kr::cast<int>(kr::grid());
        kr::if_(index < rows * columns, [&] {
          auto y = index / columns, x = index % columns;
          auto here = c[index], south = c[kr::min(y + 1, rows - 1) * columns + x],
               east = c[y * columns + kr::min(x + 1, columns - 1)];
          auto d = derivatives[index];
          image[index] += 0.25f * lambda * (here * d.x + south * d.y + here * d.z + east * d.w);
        });
      },
      {.name = "srad_2"});
  const int rows = size(1000, 5000), columns = size(1100, 5500);
  const auto start = numbers(rows * columns, 0.5, 1.5);
  auto image = upload(start), c = make_array<float>(rows * columns);
  auto derivatives = make_array<kr::vec<float, 4>>(rows * columns);
  return {[=] {
            coefficients.launch(cover(rows * columns), *image, *c, *derivatives, rows, columns,
                                0.05f);
            update.launch(cover(rows * columns), *image, *c, *derivatives, rows, columns, 0.5f);
          },
          CORPUS_PEER(peer_srad, raw(image), raw(c), raw<float>(derivatives), rows, columns, 0.05f,
                      0.5f),
          output(image, start)};
}

Work wave(Size size) {
  static const auto step = kr::kernel(
      [](kr::view<const float, 2> now, kr::view<float, 2> before, kr::value<float> courant) {
        auto [x, y] = kr::grid<2>();
        auto h = now.extent(0), w = now.extent(1);
        kr::if_(y >= 2 && x >= 2 && y < h - 2 && x < w - 2, [&] {
          kr::var sum = -5.0f * now(y, x);  // fourth order
          for (int d = 1; d <= 2; ++d)
            sum += (d == 1 ? 1.3333334f : -0.083333336f) *
                   (now(y, x - d) + now(y, x + d) + now(y - d, x) + now(y + d, x));
          before(y, x) = 2.0f * now(y, x) - before(y, x) + courant * sum;
        });
      },
      {.name = "wave"});
  const int n = size(1280, 7000), steps = 4;
  const auto start = numbers(n * n);
  auto a = upload<float, 2>(start, n, n), b = upload<float, 2>(start, n, n);
  return {[=] {
            for (int t = 0; t < steps; t += 2)
              step.launch(cover2(n, n), *a, *b, 0.1f), step.launch(cover2(n, n), *b, *a, 0.1f);
          },
          CORPUS_PEER(peer_wave, raw(a), raw(b), n, steps, 0.1f),
          output(a, start) + output(b, start)};
}

Work lattice_boltzmann(Size size) {
  static const auto step = kr::kernel(
      [](kr::view<const float, 3> f, kr::view<float, 3> out, kr::value<float> omega) {
        auto [x, y] = kr::grid<2>();
        auto h = f.extent(1), w = f.extent(2);
        kr::if_(y < h && x < w, [&] {
          constexpr int cx[] = {0, 1, 0, -1, 0, 1, -1, -1, 1},
                        cy[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
          constexpr float weight[] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                                      1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
          kr::var<float> in[9];
          kr::var rho = 0.0f, ux = 0.0f, uy = 0.0f;
          for (int q = 0; q < 9; ++q) {  // pull, periodic
            in[q] = f(q, (y - cy[q] + h) % h, (x - cx[q] + w) % w);
            rho += in[q];
            ux += float(cx[q]) * in[q];
            uy += float(cy[q]) * in[q];
          }
          ux /= rho;
          uy /= rho;
          auto square = 1.5f * (ux * ux + uy * uy);
          for (int q = 0; q < 9; ++q) {
            auto along = 3.0f * (float(cx[q]) * ux + float(cy[q]) * uy);
            out(q, y, x) =
                in[q] +
                omega * (weight[q] * rho * (1.0f + along + 0.5f * along * along - square) - in[q]);
          }
        });
      },
      {.name = "lattice_boltzmann"});
  const int h = size(512, 2048), w = h;
  const auto start = numbers(9 * h * w, 0.5, 1.0);
  auto a = upload<float, 3>(start, 9, h, w), b = make_array<float, 3>(9, h, w);
  return {[=] { step.launch(cover2(w, h), *a, *b, 1.2f), step.launch(cover2(w, h), *b, *a, 1.2f); },
          CORPUS_PEER(peer_lattice_boltzmann, raw(a), raw(b), h, w, 1.2f), output(a, start)};
}

Work stencil7(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> a, kr::view<float> out, kr::value<int> nx, kr::value<int> ny,
         kr::value<float> c0, kr::value<float> c1) {
        auto i = kr::cast<int>(kr::thread_idx().x) + 1, j = kr::cast<int>(kr::block_idx().x) + 1,
             k = kr::cast<int>(kr::block_idx().y) + 1;
        for (auto x : kr::range(i, nx - 1, kr::cast<int>(kr::block_dim().x))) {
          auto at = (k * ny + j) * nx + x;
          out[at] = c1 * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - nx * ny] +
                          a[at + nx * ny]) -
                    c0 * a[at];
        }
      },
      {.name = "stencil7"});
  const int nx = size(256, 512), ny = size(160, 512), nz = size(100, 400);
  auto a = upload(numbers(nx * ny * nz)), out = make_array<float>(nx * ny * nz);
  return {[=] {
            kernel.launch({{ny - 2, nz - 2}, 128}, *a, *out, nx, ny, 0.6f, 0.1f);
          },
          CORPUS_PEER(peer_stencil7, raw(a), raw(out), nx, ny, nz, 0.6f, 0.1f), output(out)};
}

Work pathfinder(Size size) {
  static const auto row = kr::kernel(
      [](kr::view<const int, 2> wall, kr::view<const int> from, kr::view<int> to,
         kr::value<int> r) {
        auto x = kr::grid();
        kr::if_(x < to.size(), [&] {
          kr::var best = from[x];
          kr::if_(x > 0, [&] { best = kr::min(best, from[x - 1]); });
          kr::if_(x < to.size() - 1, [&] { best = kr::min(best, from[x + 1]); });
          to[x] = wall(r, x) + best;
        });
      },
      {.name = "pathfinder"});
  const int rows = 30, columns = size(200000, 6000000);
  const auto start = integers(columns, 10, 2);
  auto wall = upload<int, 2>(integers(std::size_t(rows) * columns, 10), rows, columns);
  auto a = upload(start), b = make_array<int>(columns);
  return {[=] {
            for (int r = 0; r < rows; r += 2)
              row.forall(columns)(*wall, *a, *b, r), row.forall(columns)(*wall, *b, *a, r + 1);
          },
          CORPUS_PEER(peer_pathfinder, raw(wall), raw(a), raw(b), rows, columns), output(a, start),
          0};
}

}  // namespace

void add_stencils(Registry& all) {
  const char* theme = "stencils";
  all.insert(all.end(), {{13, "jacobi2d", theme, jacobi2d},
                         {14, "red-black sweeps", theme, red_black},
                         {15, "fdtd2d", theme, fdtd2d},
                         {16, "heat3d", theme, heat3d},
                         {17, "hotspot", theme, hotspot},
                         {18, "srad", theme, srad},
                         {19, "wave", theme, wave},
                         {20, "lattice Boltzmann", theme, lattice_boltzmann},
                         {21, "stencil 7 points", theme, stencil7},
                         {22, "pathfinder", theme, pathfinder}});
}

}  // namespace corpus
