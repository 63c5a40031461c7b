// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fourth dozen of the first look, by the rule that look_1.cpp states and from a new list, which
// was written down without the forms that the corpus had. Python's
// random.Random(4787819336701882776).sample(range(1, 65), 12), with a seed of /dev/urandom, drew
//
// 6, 23, 28, 30, 32, 37, 42, 43, 48, 49, 50, 62.
//   1 Smith-Waterman, a pair of short sequences per thread (HeCBench)
//   2 Floyd-Warshall, a launch per pivot (HeCBench)
//   3 breadth-first search by levels over CSR (Rodinia bfs)
//   4 page rank by pull over CSR (HeCBench)
//   5 connected components by the least label, with atomics (HeCBench cc)
//   6 triangles counted by sorted neighbour lists (HeCBench)
//   7 Gaussian elimination, two launches per pivot (Rodinia gaussian)
//   8 LU of small matrices, a block per matrix (Rodinia lud)
//   9 Cholesky of small matrices, a thread per matrix (HeCBench)
//  10 inverse of small matrices, a thread per matrix (HeCBench)
//  11 Thomas algorithm, a thread per line (HeCBench thomas)
//  12 cyclic reduction in shared memory (HeCBench)
//  13 lookup of keys in a tree of nodes (Rodinia b+tree)
//  14 Perlin noise (ISPC noise)
//  15 Keccak-f, a state per thread (HeCBench)
//  16 median of 3x3 bytes (HeCBench medianfilter)
//  17 affine warp of an image (HeCBench affine)
//  18 integral image by rows and columns (HeCBench)
//  19 Haar wavelet of rows (Rodinia dwt2d)
//  20 radix-2 Fourier transform of 256 points in shared memory (SHOC fft)
//  21 Deriche filter, a thread per row (PolyBench deriche)
//  22 permutation test (HeCBench)
//  23 FIR filter (HeCBench)
//  24 Kalman filter, a thread per track (HeCBench)
//  25 Viterbi, a block per sequence (HeCBench)
//  26 Ising model on a checkerboard (HeCBench ising)
//  27 Coulomb potential on a lattice (Parboil cutcp)
//  28 wave equation of eighth order in 3D (HeCBench iso2dfd)
//  29 ranks of keys within blocks (NPB IS)
//  30 triangular solve with many right sides (PolyBench trsm)
//  31 convolution layer in NCHW (HeCBench)
//  32 Adam step (HeCBench adam)
//  33 gain of opening a centre (PARSEC streamcluster)
//  34 flux through the faces of cells (Rodinia cfd)
//  35 gridding of samples (Parboil mri-gridding)
//  36 quantisation of rows to bytes (HeCBench)
//  37 rainflow counting, a thread per history (HeCBench rainflow)
//  38 Hausdorff distance (HeCBench hausdorff)
//  39 points in a polygon (HeCBench pnpoly)
//  40 Romberg integration, a thread per interval (HeCBench romberg)
//  41 optical flow, a step (HeCBench flow)
//  42 census transform and matching costs (HeCBench)
//  43 macroscopic cross sections by a search in energies (XSBench)
//  44 cross sections by poles in windows (RSBench)
//  45 ambient occlusion of spheres and a plane (ISPC aobench)
//  46 volume rendering by rays through densities (ISPC volume_rendering)
//  47 advection of a velocity field, back along the flow (Taichi stable_fluid)
//  48 material points to a grid and back (Taichi mpm88)
//  49 mass-spring cloth, a step (Taichi)
//  50 kernel density estimation (Numba kde)
//  51 density of smoothed particles by cells (PARSEC fluidanimate)
//  52 volumes of hexahedral elements (LULESH)
//  53 residual by 27 points (NPB MG)
//  54 five-diagonal solve along lines (NPB SP)
//  55 batch normalisation of channels (HeCBench)
//  56 Bezier surface (HeCBench bezier-surface)
//  57 template match by normalised correlation (Rodinia heartwall)
//  58 marching cubes, classification of cells (HeCBench)
//  59 Mersenne twister, a generator per thread (CUDA samples)
//  60 Harris corners (PolyMage harris)
//  61 non-local means (HeCBench)
//  62 demosaicing (Halide camera_pipe)
//  63 thinning of edges along the gradient (CHAI ced)
//  64 prices of bonds (FinanceBench bonds)
#include <array>
#include <cstdint>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using float2 = kr::vec<float, 2>;
using float3 = kr::vec<float, 3>;
using float4 = kr::vec<float, 4>;

// Each edge, from the lower vertex to the higher, counts the common neighbours of its ends. The
// neighbours of a vertex are sorted.
Work triangles(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const int> start, kr::view<const int> from, kr::view<const int> to,
         kr::view<int> total) {
        auto e = kr::grid();
        kr::if_(e < to.size(), [&] {
          kr::var a = start[from[e]], b = start[to[e]];
          auto a_end = start[from[e] + 1], b_end = start[to[e] + 1];
          kr::var found = 0;
          kr::while_([&] { return a < a_end && b < b_end; },
                     [&] {
                       auto x = to[a], y = to[b];
                       kr::if_(x == y, [&] { found += 1; });
                       kr::if_(x <= y, [&] { a += 1; });
                       kr::if_(y <= x, [&] { b += 1; });
                     });
          kr::if_(found > 0, [&] { kr::atomic(total[0]).add(found); });
        });
      },
      {.name = "triangles"});
  const int vertices = size(50000, 1500000);
  const auto degree = integers(vertices, 17), step = integers(vertices * 25L, 8, 2);
  std::vector<int> starts{0}, froms, tos;
  for (int u = 0; u < vertices; ++u) {
    for (int k = 0, v = u; k < 8 + degree[u]; ++k) {
      v += 1 + step[25L * u + k];
      if (v < vertices) froms.push_back(u), tos.push_back(v);
    }
    starts.push_back(int(tos.size()));
  }
  const int edges = int(tos.size());
  auto start = upload(starts), from = upload(froms), to = upload(tos), total = make_array<int>(1);
  return {[=] {
            total->fill(0);
            kernel.launch(cover(edges), *start, *from, *to, *total);
          },
          CORPUS_PEER(peer_triangles, raw(start), raw(from), raw(to), raw(total), edges),
          output(total), 0};
}

// The signal begins with the samples before the first result.
Work fir(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> signal, kr::view<const float> taps, kr::view<float> out) {
        auto i = kr::grid();
        kr::if_(i < out.size(), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(taps.size())) sum += taps[k] * signal[i + k];
          out[i] = sum;
        });
      },
      {.name = "fir"});
  const int n = size(1 << 20, 1 << 26), count = 64;
  auto signal = upload(numbers(n + count - 1, -1, 1)), taps = upload(numbers(count, -1, 1, 2));
  auto out = make_array<float>(n);
  return {[=] { kernel.launch(cover(n), *signal, *taps, *out); },
          CORPUS_PEER(peer_fir, raw(signal), raw(taps), raw(out), n, count), output(out)};
}

// The acoustic wave equation, of eighth order in space and second in time: the field of the step
// before becomes that of the next one.
Work acoustic(Size size) {
  static constexpr int radius = 4;
  static constexpr float weight[radius + 1] = {-205.0f / 72, 8.0f / 5, -1.0f / 5, 8.0f / 315,
                                               -1.0f / 560};
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 3> now, kr::view<const float, 3> speed, kr::view<float, 3> next) {
        auto [x, y, z] = kr::grid<3>();
        kr::if_(x >= radius && x < now.extent(2) - radius && y >= radius &&
                    y < now.extent(1) - radius && z >= radius && z < now.extent(0) - radius,
                [&] {
                  auto here = now(z, y, x);
                  kr::var laplacian = 3 * weight[0] * here;
                  for (int r = 1; r <= radius; ++r)
                    laplacian +=
                        weight[r] * (now(z, y, x - r) + now(z, y, x + r) + now(z, y - r, x) +
                                     now(z, y + r, x) + now(z - r, y, x) + now(z + r, y, x));
                  next(z, y, x) = 2 * here - next(z, y, x) + speed(z, y, x) * laplacian;
                });
      },
      {.name = "acoustic"});
  const int n = size(128, 384), steps = 2;
  const std::size_t points = std::size_t(n) * n * n;
  const auto first = numbers(points, -1, 1), second = numbers(points, -1, 1, 2);
  auto a = upload<float, 3>(first, n, n, n), b = upload<float, 3>(second, n, n, n);
  auto speed = upload<float, 3>(numbers(points, 0.05, 0.15, 3), n, n, n);
  return {[=] {
            for (int s = 0; s < steps; ++s)
              kernel.launch({{(n + 31) / 32, (n + 7) / 8, n}, {32, 8, 1}}, s % 2 ? *b : *a, *speed,
                            s % 2 ? *a : *b);
          },
          CORPUS_PEER(peer_acoustic, raw(a), raw(b), raw(speed), n, steps),
          output(a, first) + output(b, second)};
}

// L X = B by forward substitution: a column of X per thread.
Work trsm(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const double, 2> lower, kr::view<const double, 2> b, kr::view<double, 2> x) {
        auto column = kr::grid();
        kr::if_(column < b.extent(1), [&] {
          for (auto i : kr::range(b.extent(0))) {
            kr::var sum = b(i, column);
            for (auto k : kr::range(i)) sum -= lower(i, k) * x(k, column);
            x(i, column) = sum / lower(i, i);
          }
        });
      },
      {.name = "trsm"});
  const int n = size(256, 512), columns = size(1024, 32768);
  auto triangle = numbers<double>(std::size_t(n) * n, -0.1, 0.1);
  for (int i = 0; i < n; ++i) triangle[std::size_t(i) * n + i] = 2 + 0.01 * i;
  auto lower = upload<double, 2>(triangle, n, n);
  auto b = upload<double, 2>(numbers<double>(std::size_t(n) * columns, -1, 1, 2), n, columns);
  auto x = make_array<double, 2>(n, columns);
  return {[=] { kernel.launch(cover(columns, 128), *lower, *b, *x); },
          CORPUS_PEER(peer_trsm, raw(lower), raw(b), raw(x), n, columns), output(x)};
}

// The tenth step of a training.
Work adam(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<float> weights, kr::view<float> mean, kr::view<float> square,
         kr::view<const float> gradient, kr::value<float> rate, kr::value<float> beta1,
         kr::value<float> beta2, kr::value<float> epsilon, kr::value<float> correction1,
         kr::value<float> correction2) {
        auto i = kr::grid();
        kr::if_(i < weights.size(), [&] {
          auto g = gradient[i];
          auto m = beta1 * mean[i] + (1.0f - beta1) * g;
          auto v = beta2 * square[i] + (1.0f - beta2) * g * g;
          mean[i] = m;
          square[i] = v;
          weights[i] -= rate * (m / correction1) / (kr::sqrt(v / correction2) + epsilon);
        });
      },
      {.name = "adam"});
  const int n = size(1000000, 48000000), step = 10;
  const float rate = 1e-3f, beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
  const float correction1 = 1 - std::pow(beta1, float(step)),
              correction2 = 1 - std::pow(beta2, float(step));
  const auto first = numbers(n, -1, 1), means = numbers(n, -0.1, 0.1, 2),
             squares = numbers(n, 0.001, 0.01, 3);
  auto weights = upload(first), mean = upload(means), square = upload(squares);
  auto gradient = upload(numbers(n, -1, 1, 4));
  return {[=] {
            kernel.launch(cover(n), *weights, *mean, *square, *gradient, rate, beta1, beta2,
                          epsilon, correction1, correction2);
          },
          CORPUS_PEER(peer_adam, raw(weights), raw(mean), raw(square), raw(gradient), n, rate,
                      beta1, beta2, epsilon, correction1, correction2),
          output(weights, first) + output(mean, means) + output(square, squares)};
}

// Cycles of loads, counted with a stack of turning points: a history per thread. The damage of a
// cycle grows with the cube of its range.
Work rainflow(Size size) {
  static constexpr int longest = 200;
  static const auto kernel = kr::kernel(
      [](kr::view<const float> loads, kr::view<const int> start, kr::view<float> damage,
         kr::view<int> cycles) {
        auto i = kr::grid();
        kr::if_(i < damage.size(), [&] {
          auto points = kr::local<float, longest>();
          kr::var depth = 0, full = 0;
          kr::var sum = 0.0f;
          auto first = start[i], last = start[i + 1] - 1;
          for (auto k : kr::range(first, last + 1)) {
            kr::if_(k == first || k == last ||
                        (loads[k] - loads[k - 1]) * (loads[k + 1] - loads[k]) < 0,
                    [&] {
                      points[depth] = loads[k];
                      depth += 1;
                      kr::while_([&] { return depth >= 3; },
                                 [&] {
                                   auto newest = kr::abs(points[depth - 1] - points[depth - 2]);
                                   auto range = kr::abs(points[depth - 2] - points[depth - 3]);
                                   kr::if_(newest < range, [&] { kr::break_(); });
                                   kr::if_(depth == 3, [&] {
                                     sum += 0.5f * range * range * range;
                                     points[0] = points[1];
                                     points[1] = points[2];
                                     depth = 2;
                                   }).else_([&] {
                                     sum += range * range * range;
                                     full += 1;
                                     points[depth - 3] = points[depth - 1];
                                     depth -= 2;
                                   });
                                 });
                    });
          }
          for (auto k : kr::range(depth - 1)) {
            auto range = kr::abs(points[k + 1] - points[k]);
            sum += 0.5f * range * range * range;
          }
          damage[i] = sum;
          cycles[i] = full;
        });
      },
      {.name = "rainflow"});
  const int histories = size(10000, 500000);
  const auto more = integers(histories, longest / 2, 2);
  std::vector<int> starts(histories + 1);
  for (int i = 0; i < histories; ++i) starts[i + 1] = starts[i] + longest / 2 + more[i];
  auto loads = upload(numbers(starts[histories], -1, 1)), damage = make_array<float>(histories);
  auto start = upload(starts), cycles = make_array<int>(histories);
  return {[=] { kernel.launch(cover(histories), *loads, *start, *damage, *cycles); },
          CORPUS_PEER(peer_rainflow, raw(loads), raw(start), raw(damage), raw(cycles), histories),
          output(damage) + output(cycles)};
}

// Stereo: which of the 62 pixels around one are darker than it, and the shift to the left at which
// most of these bits are the same.
Work census(Size size) {
  static const auto transform = kr::kernel(
      [](kr::view<const unsigned char, 2> image, kr::view<std::uint64_t, 2> out) {
        auto [x, y] = kr::grid<2>();
        auto h = image.extent(0), w = image.extent(1);
        kr::if_(y < h && x < w, [&] {
          kr::var<std::uint64_t> bits = 0;
          kr::if_(y >= 3 && y < h - 3 && x >= 4 && x < w - 4, [&] {
            auto centre = image(y, x);
            for (int dy = -3; dy <= 3; ++dy)
              for (int dx = -4; dx <= 4; ++dx)
                if (dy != 0 || dx != 0)
                  bits = (bits << 1) | kr::cast<std::uint64_t>(image(y + dy, x + dx) < centre);
          });
          out(y, x) = bits;
        });
      },
      {.name = "census"});
  static const auto match = kr::kernel(
      [](kr::view<const std::uint64_t, 2> left, kr::view<const std::uint64_t, 2> right,
         kr::value<int> shifts, kr::view<unsigned char, 2> disparity) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < left.extent(0) && x < left.extent(1), [&] {
          kr::var best = 0, least = 65;
          for (auto d : kr::range(kr::min(shifts, kr::cast<int>(x) + 1))) {
            auto cost = kr::cast<int>(kr::popcount(left(y, x) ^ right(y, x - d)));
            kr::if_(cost < least, [&] {
              least = cost;
              best = d;
            });
          }
          disparity(y, x) = best;
        });
      },
      {.name = "match"});
  const int w = size(640, 3072), h = size(480, 3072), shifts = size(64, 128);
  const auto seen = integers<unsigned char>(std::size_t(w) * h, 256);
  auto moved = seen;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const std::size_t row = std::size_t(y) * w;
      moved[row + x] = seen[row + std::min(x + y / 16 % 50, w - 1)];
    }
  auto left = upload<unsigned char, 2>(seen, h, w), right = upload<unsigned char, 2>(moved, h, w);
  auto left_bits = make_array<std::uint64_t, 2>(h, w),
       right_bits = make_array<std::uint64_t, 2>(h, w);
  auto disparity = make_array<unsigned char, 2>(h, w);
  return {[=] {
            transform.launch(cover2(w, h), *left, *left_bits);
            transform.launch(cover2(w, h), *right, *right_bits);
            match.launch(cover2(w, h), *left_bits, *right_bits, shifts, *disparity);
          },
          CORPUS_PEER(peer_census, raw(left), raw(right), raw(left_bits), raw(right_bits),
                      raw(disparity), w, h, shifts),
          output(disparity), 0};
}

struct grid_point {
  double energy;
  double section[5];
};

// Of materials, from those of their nuclides at an energy: each nuclide has a table by energies.
Work cross_sections(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const grid_point, 2> tables, kr::view<const int> start,
         kr::view<const int> nuclides, kr::view<const double> densities,
         kr::view<const double> energies, kr::view<const int> materials, kr::view<double, 2> out) {
        auto i = kr::grid();
        kr::if_(i < energies.size(), [&] {
          auto energy = energies[i];
          auto material = materials[i];
          kr::var<double> sums[5];
          for (auto k : kr::range(start[material], start[material + 1])) {
            auto nuclide = nuclides[k];
            kr::var low = 0, high = kr::cast<int>(tables.extent(1)) - 1;
            kr::while_([&] { return high - low > 1; },
                       [&] {
                         auto middle = (low + high) / 2;
                         kr::if_(tables(nuclide, middle)[&grid_point::energy] > energy, [&] {
                           high = middle;
                         }).else_([&] { low = middle; });
                       });
            auto below = tables(nuclide, low), above = tables(nuclide, high);
            auto part = (above[&grid_point::energy] - energy) /
                        (above[&grid_point::energy] - below[&grid_point::energy]);
            for (int c = 0; c < 5; ++c) {
              auto upper = above[&grid_point::section][c];
              auto between = upper - part * (upper - below[&grid_point::section][c]);
              sums[c] += densities[k] * between;
            }
          }
          for (int c = 0; c < 5; ++c) out(i, c) = sums[c];
        });
      },
      {.name = "cross_sections"});
  const int kinds = 68, points = size(2000, 11303), lookups = size(20000, 2000000);
  std::vector<grid_point> table(std::size_t(kinds) * points);
  auto at = numbers<double>(table.size());
  const auto sections = numbers<double>(5 * table.size(), 0, 1, 2);
  for (int n = 0; n < kinds; ++n) {
    const auto row = at.begin() + std::ptrdiff_t(n) * points;
    std::sort(row, row + points);
    row[0] = 0, row[points - 1] = 1;
  }
  for (std::size_t p = 0; p < table.size(); ++p) {
    table[p].energy = at[p];
    std::copy_n(sections.begin() + std::ptrdiff_t(5 * p), 5, table[p].section);
  }
  // The fuel has half of the nuclides, and the coolant is asked for most often.
  const std::array counts{34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
  const std::array chance{140, 52, 275, 134, 154, 64, 66, 55, 8, 15, 25, 12};
  std::vector<int> starts{0}, often;
  for (std::size_t m = 0; m < counts.size(); ++m) {
    starts.push_back(starts.back() + counts[m]);
    often.insert(often.end(), std::size_t(chance[m]), int(m));
  }
  auto chosen = integers(lookups, long(often.size()), 3);
  for (int& m : chosen) m = often[std::size_t(m)];
  auto tables = upload<grid_point, 2>(table, kinds, points);
  auto start = upload(starts), nuclides = upload(integers(starts.back(), kinds, 4)),
       materials = upload(chosen);
  auto densities = upload(numbers<double>(starts.back(), 0, 1, 5)),
       energies = upload(numbers<double>(lookups, 0, 1, 6));
  auto out = make_array<double, 2>(lookups, 5);
  return {[=] {
            kernel.launch(cover(lookups), *tables, *start, *nuclides, *densities, *energies,
                          *materials, *out);
          },
          CORPUS_PEER(peer_cross_sections, raw<double>(tables), raw(start), raw(nuclides),
                      raw(densities), raw(energies), raw(materials), raw(out), points, lookups),
          output(out)};
}

// A step of a fluid: particles give mass and momentum to nine cells around them, the cells' speeds
// change by gravity and walls, and the particles take them up again.
Work material_points(Size size) {
  static constexpr float stiffness = 400, gravity = 9.8f;
  static const auto to_grid = kr::kernel(
      [](kr::view<const float2> places, kr::view<const float2> speeds,
         kr::view<const float4> gradients, kr::view<const float> volumes, kr::value<float> dx,
         kr::value<float> dt, kr::view<float2, 2> momentum, kr::view<float, 2> mass) {
        auto p = kr::grid();
        kr::if_(p < places.size(), [&] {
          auto at = places[p] / dx;
          auto base = kr::cast<int>(at - 0.5f);
          auto f = at - kr::cast<float>(base);
          std::array w{0.5f * (1.5f - f) * (1.5f - f), 0.75f - (f - 1.0f) * (f - 1.0f),
                       0.5f * (f - 0.5f) * (f - 0.5f)};
          auto own = 0.25f * dx * dx;
          auto stress = -dt * 4.0f * stiffness * own * (volumes[p] - 1.0f) / (dx * dx);
          auto c = gradients[p];
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              auto away = (kr::vec{float(i), float(j)} - f) * dx;
              auto weight = w[i].x * w[j].y;
              auto turned = kr::make_vec(c.x * away.x + c.y * away.y, c.z * away.x + c.w * away.y);
              auto push = weight * (own * (speeds[p] + turned) + stress * away);
              kr::atomic(momentum(base.x + i, base.y + j).x).add(push.x);
              kr::atomic(momentum(base.x + i, base.y + j).y).add(push.y);
              kr::atomic(mass(base.x + i, base.y + j)).add(weight * own);
            }
        });
      },
      {.name = "to_grid"});
  static const auto on_grid = kr::kernel(
      [](kr::view<float2, 2> momentum, kr::view<const float, 2> mass, kr::value<float> dt) {
        auto [j, i] = kr::grid<2>();
        auto n = mass.extent(0);
        kr::if_(i < n && j < n, [&] {
          kr::if_(mass(i, j) > 0, [&] {
            kr::var speed = momentum(i, j) / mass(i, j);
            speed.y -= dt * gravity;
            kr::if_((i < 3 && speed.x < 0) || (i > n - 3 && speed.x > 0), [&] { speed.x = 0; });
            kr::if_((j < 3 && speed.y < 0) || (j > n - 3 && speed.y > 0), [&] { speed.y = 0; });
            momentum(i, j) = speed;
          });
        });
      },
      {.name = "on_grid"});
  static const auto to_points = kr::kernel(
      [](kr::view<const float2, 2> cells, kr::view<const float2> places,
         kr::view<const float> volumes, kr::value<float> dx, kr::value<float> dt,
         kr::view<float2> new_places, kr::view<float2> new_speeds, kr::view<float4> new_gradients,
         kr::view<float> new_volumes) {
        auto p = kr::grid();
        kr::if_(p < places.size(), [&] {
          auto at = places[p] / dx;
          auto base = kr::cast<int>(at - 0.5f);
          auto f = at - kr::cast<float>(base);
          std::array w{0.5f * (1.5f - f) * (1.5f - f), 0.75f - (f - 1.0f) * (f - 1.0f),
                       0.5f * (f - 0.5f) * (f - 0.5f)};
          kr::var speed = kr::vec{0.0f, 0.0f};
          kr::var gradient = kr::vec{0.0f, 0.0f, 0.0f, 0.0f};
          for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
              auto away = (kr::vec{float(i), float(j)} - f) * dx;
              auto weight = w[i].x * w[j].y;
              auto v = cells(base.x + i, base.y + j);
              speed += weight * v;
              gradient += 4.0f * weight / (dx * dx) *
                          kr::make_vec(v.x * away.x, v.x * away.y, v.y * away.x, v.y * away.y);
            }
          new_places[p] = places[p] + dt * speed;
          new_speeds[p] = speed;
          new_gradients[p] = gradient;
          new_volumes[p] = volumes[p] * (1.0f + dt * (gradient.x + gradient.w));
        });
      },
      {.name = "to_points"});
  const int n = size(256, 1024), count = size(65536, 4000000);
  const float dx = 1.0f / float(n), dt = 2.5e-2f * dx;
  const auto vectors = [&]<class Vector>(Vector, double low, double high, unsigned seed) {
    const auto random = numbers(count * (sizeof(Vector) / sizeof(float)), low, high, seed);
    std::vector<Vector> v(count);
    std::memcpy(static_cast<void*>(v.data()), random.data(), random.size() * sizeof(float));
    return upload(v);
  };
  auto places = vectors(float2{}, 0.2, 0.6, 1), speeds = vectors(float2{}, -1, 1, 2);
  auto gradients = vectors(float4{}, -1, 1, 3);
  auto volumes = upload(numbers(count, 0.95, 1.05, 4)), new_volumes = make_array<float>(count);
  auto momentum = make_array<float2, 2>(n, n);
  auto mass = make_array<float, 2>(n, n);
  auto new_places = make_array<float2>(count), new_speeds = make_array<float2>(count);
  auto new_gradients = make_array<float4>(count);
  return {[=] {
            momentum->fill(float2{0, 0});
            mass->fill(0);
            to_grid.launch(cover(count), *places, *speeds, *gradients, *volumes, dx, dt, *momentum,
                           *mass);
            on_grid.launch(cover2(n, n, 16, 16), *momentum, *mass, dt);
            to_points.launch(cover(count), *momentum, *places, *volumes, dx, dt, *new_places,
                             *new_speeds, *new_gradients, *new_volumes);
          },
          CORPUS_PEER(peer_material_points, raw<float>(places), raw<float>(speeds),
                      raw<float>(gradients), raw(volumes), dx, dt, raw<float>(momentum), raw(mass),
                      raw<float>(new_places), raw<float>(new_speeds), raw<float>(new_gradients),
                      raw(new_volumes), n, count),
          output<float>(new_places) + output<float>(new_speeds) + output<float>(new_gradients) +
              output(new_volumes),
          1e-3};
}

// A sheet of masses falls on a ball at the origin. Springs join each mass with twelve around it.
Work cloth(Size size) {
  static constexpr float stiffness = 3e4f, damping = 1e4f, drag = 1, ball = 0.3f;
  static const auto kernel = kr::kernel(
      [](kr::view<const float3, 2> places, kr::view<const float3, 2> speeds,
         kr::view<float3, 2> new_places, kr::view<float3, 2> new_speeds, kr::value<float> width,
         kr::value<float> dt) {
        auto [j, i] = kr::grid<2>();
        auto n = places.extent(0);
        kr::if_(i < n && j < n, [&] {
          auto at = places(i, j), v = speeds(i, j);
          kr::var force = kr::vec{0.0f, -9.8f, 0.0f};
          for (int di = -2; di <= 2; ++di)
            for (int dj = -2; dj <= 2; ++dj) {
              const int steps = std::abs(di) + std::abs(dj);
              if (steps == 0 || steps > 2) continue;
              kr::if_(i + di >= 0 && i + di < n && j + dj >= 0 && j + dj < n, [&] {
                auto apart = at - places(i + di, j + dj);
                auto length = kr::length(apart);
                auto direction = apart / length;
                auto rest = width * std::sqrt(float(di * di + dj * dj));
                force -= stiffness * (length / rest - 1.0f) * direction;
                force -=
                    damping * width * kr::dot(v - speeds(i + di, j + dj), direction) * direction;
              });
            }
          kr::var moved = (v + dt * force) * kr::exp(-drag * dt);
          kr::if_(kr::length(at) <= ball, [&] {
            auto outward = kr::normalize(at);
            moved -= kr::min(kr::dot(moved, outward), 0.0f) * outward;
          });
          new_speeds(i, j) = moved;
          new_places(i, j) = at + dt * moved;
        });
      },
      {.name = "cloth"});
  const int n = size(512, 4096), steps = 2;
  const float width = 1.0f / float(n), dt = 4e-2f / float(n);
  std::vector<float3> sheet(std::size_t(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sheet[std::size_t(i) * n + j] = {float(i) * width - 0.5f, 0.25f, float(j) * width - 0.5f};
  auto places = upload<float3, 2>(sheet, n, n), speeds = make_array<float3, 2>(n, n);
  auto new_places = make_array<float3, 2>(n, n), new_speeds = make_array<float3, 2>(n, n);
  return {[=] {
            for (int s = 0; s < steps; s += 2) {
              kernel.launch(cover2(n, n, 16, 16), *places, *speeds, *new_places, *new_speeds, width,
                            dt);
              kernel.launch(cover2(n, n, 16, 16), *new_places, *new_speeds, *places, *speeds, width,
                            dt);
            }
          },
          CORPUS_PEER(peer_cloth, raw<float>(places), raw<float>(speeds), raw<float>(new_places),
                      raw<float>(new_speeds), n, steps, width, dt),
          output<float>(places, sheet) + output<float>(speeds), 1e-3};
}

// Of samples, at points, by a product of normal densities.
Work density(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 2> points, kr::view<const float, 2> samples,
         kr::view<const float> widths, kr::view<float> out) {
        auto i = kr::grid();
        kr::if_(i < out.size(), [&] {
          kr::var sum = 0.0f;
          for (auto j : kr::range(samples.extent(0))) {
            kr::var product = 1.0f;
            for (auto d : kr::range(samples.extent(1))) {
              auto u = (points(i, d) - samples(j, d)) / widths[d];
              product *= 0.39894228f * kr::exp(-0.5f * u * u) / widths[d];
            }
            sum += product;
          }
          out[i] = sum / kr::cast<float>(samples.extent(0));
        });
      },
      {.name = "density"});
  const int n = size(2048, 32768), count = size(2048, 16384), dimensions = 2;
  auto points = upload<float, 2>(numbers(std::size_t(n) * dimensions, -2, 2), n, dimensions);
  auto samples =
      upload<float, 2>(numbers(std::size_t(count) * dimensions, -2, 2, 2), count, dimensions);
  auto widths = upload(numbers(dimensions, 0.4, 0.6, 3)), out = make_array<float>(n);
  return {[=] { kernel.launch(cover(n), *points, *samples, *widths, *out); },
          CORPUS_PEER(peer_density, raw(points), raw(samples), raw(widths), raw(out), n, count,
                      dimensions),
          output(out)};
}

// Of a sensor whose even rows are green, red, … and whose odd ones are blue, green, …: green along
// the direction in which it changes less, then the other colours by their distance from green.
Work demosaicing(Size size) {
  static const auto greens = kr::kernel(
      [](kr::view<const unsigned short, 2> raw, kr::view<unsigned short, 2> green) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y >= 1 && y < raw.extent(0) - 1 && x >= 1 && x < raw.extent(1) - 1, [&] {
          kr::if_((x + y) % 2 == 0, [&] { green(y, x) = raw(y, x); }).else_([&] {
            auto left = raw(y, x - 1), right = raw(y, x + 1), up = raw(y - 1, x),
                 down = raw(y + 1, x);
            green(y, x) = kr::select(kr::abs(left - right) < kr::abs(up - down), (left + right) / 2,
                                     (up + down) / 2);
          });
        });
      },
      {.name = "greens"});
  static const auto colours = kr::kernel(
      [](kr::view<const unsigned short, 2> raw, kr::view<const unsigned short, 2> green,
         kr::view<unsigned short, 3> rgb) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y >= 2 && y < raw.extent(0) - 2 && x >= 2 && x < raw.extent(1) - 2, [&] {
          auto over = [&](auto row, auto column) { return raw(row, column) - green(row, column); };
          auto g = kr::cast<int>(green(y, x));
          kr::var red = 0, blue = 0;
          kr::if_((x + y) % 2 == 0, [&] {
            auto beside = g + (over(y, x - 1) + over(y, x + 1)) / 2;
            auto above = g + (over(y - 1, x) + over(y + 1, x)) / 2;
            red = kr::select(y % 2 == 0, beside, above);
            blue = kr::select(y % 2 == 0, above, beside);
          }).else_([&] {
            auto falling = kr::abs(raw(y - 1, x - 1) - raw(y + 1, x + 1));
            auto rising = kr::abs(raw(y + 1, x - 1) - raw(y - 1, x + 1));
            auto own = kr::cast<int>(raw(y, x));
            auto other =
                g + kr::select(falling < rising, (over(y - 1, x - 1) + over(y + 1, x + 1)) / 2,
                               (over(y + 1, x - 1) + over(y - 1, x + 1)) / 2);
            red = kr::select(y % 2 == 0, own, other);
            blue = kr::select(y % 2 == 0, other, own);
          });
          rgb(y, x, 0) = kr::clamp(red, 0, 1023);
          rgb(y, x, 1) = g;
          rgb(y, x, 2) = kr::clamp(blue, 0, 1023);
        });
      },
      {.name = "colours"});
  const int w = size(1280, 8192), h = size(960, 8192);
  auto sensor = upload<unsigned short, 2>(integers<unsigned short>(std::size_t(w) * h, 1024), h, w);
  auto green = make_array<unsigned short, 2>(h, w);
  auto rgb = make_array<unsigned short, 3>(h, w, 3);
  return {[=] {
            greens.launch(cover2(w, h), *sensor, *green);
            colours.launch(cover2(w, h), *sensor, *green, *rgb);
          },
          CORPUS_PEER(peer_demosaicing, raw(sensor), raw(green), raw(rgb), w, h), output(rgb), 0};
}

}  // namespace

void add_look_4(Registry& all) {
  all.insert(all.end(), {{109, "triangles", "graphs", triangles, 4},
                         {110, "FIR filter", "signals", fir, 4},
                         {111, "acoustic wave", "equations", acoustic, 4},
                         {112, "trsm", "linear", trsm, 4},
                         {113, "Adam", "learning", adam, 4},
                         {114, "rainflow", "mechanics", rainflow, 4},
                         {115, "census matching", "images", census, 4},
                         {116, "cross sections", "physics", cross_sections, 4},
                         {117, "material points", "particles", material_points, 4},
                         {118, "cloth", "mechanics", cloth, 4},
                         {119, "kernel density", "statistics", density, 4},
                         {120, "demosaicing", "images", demosaicing, 4}});
}

}  // namespace corpus
