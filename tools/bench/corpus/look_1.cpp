// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first dozen of the first look: kernels that a user new to Krait wrote from the documentation,
// in the forms of public suites. Rule of the draw: the list below was written down first, without
// the forms that the corpus had; then Python's random.SystemRandom().sample took twelve numbers,
// once. Kernels and peers were written before either was timed, and were not tuned afterwards. A
// later dozen draws from those that are left, or from a new list.
//
// Drawn: 2, 7, 21, 24, 41, 44, 45, 57, 60, 62, 68, 74.
//   1 Smith-Waterman, a pair of short sequences per thread (HeCBench)
//   2 Needleman-Wunsch by diagonals of 16x16 tiles (Rodinia nw)
//   3 Floyd-Warshall, a launch per pivot (HeCBench)
//   4 breadth-first search by levels over CSR (Rodinia bfs)
//   5 page rank by pull over CSR (HeCBench)
//   6 connected components by the least label, with atomics (HeCBench cc)
//   7 shortest paths by relaxed edges, with atomic minima (Lonestar sssp)
//   8 triangles counted by sorted neighbour lists (HeCBench)
//   9 Jaccard similarity of neighbour lists (HeCBench jaccard)
//  10 search of a short pattern in a text (Mars string match)
//  11 Levenshtein distance of many words to one (HeCBench)
//  12 lid-driven cavity, tentative velocities (HeCBench)
//  13 Gaussian elimination, two launches per pivot (Rodinia gaussian)
//  14 LU of small matrices, a block per matrix (Rodinia lud)
//  15 Cholesky of small matrices, a thread per matrix (HeCBench)
//  16 inverse of small matrices, a thread per matrix (HeCBench)
//  17 Thomas algorithm, a thread per line (HeCBench thomas)
//  18 cyclic reduction in shared memory (HeCBench)
//  19 hash join, probe of an open table (HeCBench)
//  20 lookup of keys in a tree of nodes (Rodinia b+tree)
//  21 entropy of windows (HeCBench entropy)
//  22 Perlin noise (HeCBench)
//  23 AES by tables (HeCBench aes)
//  24 ChaCha20 blocks (HeCBench chacha20)
//  25 Keccak-f, a state per thread (HeCBench)
//  26 XTEA of blocks of eight bytes (HeCBench)
//  27 median of 3x3 bytes (HeCBench medianfilter)
//  28 Hough transform with atomics (HeCBench hough)
//  29 affine warp of an image (HeCBench affine)
//  30 integral image by rows and columns (HeCBench)
//  31 DCT of 8x8 blocks (HeCBench dct8x8)
//  32 fast Walsh transform in shared memory (HeCBench fwt)
//  33 Haar wavelet of rows (Rodinia dwt2d)
//  34 radix-2 Fourier transform of 256 points in shared memory (SHOC fft)
//  35 Deriche filter, a thread per row (PolyBench deriche)
//  36 bootstrap of a mean (HeCBench)
//  37 permutation test (HeCBench)
//  38 LIBOR market model (HeCBench libor)
//  39 Heston paths (HeCBench)
//  40 Sobol numbers by direction vectors (HeCBench sobol)
//  41 haversine distances (HeCBench haversine)
//  42 particles counted into cells, with atomics (CUDA samples)
//  43 SU(3) matrix products (HeCBench su3)
//  44 mandelbulb by ray marching (HeCBench)
//  45 rays against boxes (HeCBench)
//  46 FIR filter (HeCBench)
//  47 Kalman filter, a thread per track (HeCBench)
//  48 Viterbi, a block per sequence (HeCBench)
//  49 forward algorithm of a hidden Markov model (HeCBench hmm)
//  50 base64 encoding (HeCBench)
//  51 Ising model on a checkerboard (HeCBench ising)
//  52 Coulomb potential on a lattice (Parboil cutcp)
//  53 wave equation of eighth order in 3D (HeCBench iso2dfd, RTM)
//  54 Gaussian pairs by rejection (NPB EP)
//  55 ranks of keys within blocks (NPB IS)
//  56 Gram-Schmidt (PolyBench gramschmidt)
//  57 symmetric rank-k update (PolyBench syrk)
//  58 triangular product (PolyBench trmm)
//  59 triangular solve with many right sides (PolyBench trsm)
//  60 Runge-Kutta of small systems, a thread per system (Rodinia myocyte)
//  61 convolution layer in NCHW (HeCBench)
//  62 maxima of 2x2 windows of a layer (HeCBench maxpool)
//  63 Adam step (HeCBench adam)
//  64 LSTM cell, a thread per sequence (HeCBench clink)
//  65 gain of opening a centre (Rodinia streamcluster)
//  66 resampling of particles by a search in sums (Rodinia particlefilter)
//  67 flux through the faces of cells (Rodinia cfd)
//  68 MD5 of numbered keys (SHOC md5hash)
//  69 gridding of samples (Parboil mri-gridding)
//  70 quantisation of rows to bytes (HeCBench)
//  71 rainflow counting, a thread per history (HeCBench rainflow)
//  72 product with a sparse matrix in ELL (SHOC spmv)
//  73 product with a sparse matrix in blocks of 4x4 (HeCBench)
//  74 responsibilities of a Gaussian mixture (HeCBench)
//  75 Hausdorff distance (HeCBench hausdorff)
//  76 mean shift (HeCBench meanshift)
//  77 points in a polygon (HeCBench pnpoly)
//  78 Morton codes of points (HeCBench)
//  79 Romberg integration, a thread per interval (HeCBench romberg)
//  80 optical flow, a step (HeCBench flow)
//  81 census transform and matching costs (HeCBench)
//  82 voxels along rays (HeCBench)
#include <array>
#include <limits>
#include <tuple>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using float3 = kr::vec<float, 3>;
using float4 = kr::vec<float, 4>;
using double4 = kr::vec<double, 4>;

// Tiles on an anti-diagonal depend only on those of earlier ones: a launch per diagonal, a block of
// 16 threads per tile.
Work needleman_wunsch(Size size) {
  static constexpr int side = 16;
  static const auto kernel = kr::kernel(
      [](kr::view<const int, 2> reference, kr::view<int, 2> score, kr::value<int> diagonal,
         kr::value<int> first, kr::value<int> penalty) {
        auto temp = kr::shared<int, side + 1, side + 1>();
        auto ref = kr::shared<int, side, side>();
        auto tx = kr::thread_idx().x;
        auto by = first + kr::block_idx().x, bx = diagonal - by;
        auto row = by * side, column = bx * side;
        for (int ty = 0; ty < side; ++ty) ref(ty, tx) = reference(row + ty, column + tx);
        kr::if_(tx == 0, [&] { temp(0, 0) = score(row, column); });
        temp(tx + 1, 0) = score(row + tx + 1, column);
        temp(0, tx + 1) = score(row, column + tx + 1);
        kr::syncthreads();
        auto cell = [&](auto y, auto x) {
          auto both = temp(y - 1, x - 1) + ref(y - 1, x - 1);
          auto left = temp(y, x - 1) - penalty, above = temp(y - 1, x) - penalty;
          temp(y, x) = kr::max(both, kr::max(left, above));
        };
        for (auto m : kr::range(side)) {
          kr::if_(tx <= m, [&] { cell(m - tx + 1, tx + 1); });
          kr::syncthreads();
        }
        for (auto m : kr::range(side - 2, -1, -1)) {
          kr::if_(tx <= m, [&] { cell(side - tx, tx + side - m); });
          kr::syncthreads();
        }
        for (int ty = 0; ty < side; ++ty)
          score(row + ty + 1, column + tx + 1) = temp(ty + 1, tx + 1);
      },
      {.name = "needleman_wunsch"});
  const int n = size(1024, 8192), tiles = n / side, penalty = 10;
  std::vector<int> borders(std::size_t(n + 1) * (n + 1));
  for (int i = 0; i <= n; ++i) borders[i] = borders[std::size_t(i) * (n + 1)] = -i * penalty;
  auto alike = integers(std::size_t(n) * n, 16);
  for (int& a : alike) a -= 4;
  auto reference = upload<int, 2>(alike, n, n), score = upload<int, 2>(borders, n + 1, n + 1);
  return {[=] {
            for (int d = 0; d < 2 * tiles - 1; ++d) {
              const int first = std::max(0, d - tiles + 1), last = std::min(d, tiles - 1);
              kernel.launch({last - first + 1, side}, *reference, *score, d, first, penalty);
            }
          },
          CORPUS_PEER(peer_needleman_wunsch, raw(reference), raw(score), n, penalty),
          output(score, borders), 0};
}

// All nodes relax their edges until no distance changes.
Work shortest_paths(Size size) {
  static constexpr int far = 1 << 30;
  static const auto relax = kr::kernel(
      [](kr::view<const int> start, kr::view<const int> target, kr::view<const int> weight,
         kr::view<int> distance, kr::view<int> changed) {
        auto v = kr::grid();
        kr::if_(v < start.size() - 1, [&] {
          auto mine = distance[v];
          kr::if_(mine < far, [&] {
            for (auto e : kr::range(start[v], start[v + 1])) {
              auto through = mine + weight[e];
              auto to = target[e];
              kr::if_(through < distance[to], [&] {
                auto before = kr::atomic(distance[to]).min(through);
                kr::if_(through < before, [&] { changed[0] = 1; });
              });
            }
          });
        });
      },
      {.name = "shortest_paths"});
  const int n = size(20000, 1000000);
  std::vector<int> starts(n + 1);
  const auto degree = integers(n, 13);
  for (int v = 0; v < n; ++v) starts[v + 1] = starts[v] + 2 + degree[v];
  std::vector<int> begin(n, far);
  begin[0] = 0;
  auto start = upload(starts), target = upload(integers(starts[n], n, 2)),
       weight = upload(integers(starts[n], 100, 3));
  auto initial = upload(begin), distance = upload(begin), changed = make_array<int>(1);
  return {[=] {
            distance->copy_from(*initial);
            do {
              changed->fill(0);
              relax.forall(n)(*start, *target, *weight, *distance, *changed);
            } while (changed->to_host()[0]);
          },
          CORPUS_PEER(peer_shortest_paths, raw(start), raw(target), raw(weight), raw(distance), n),
          output(distance), 0};
}

// Of windows of 5x5 pixels with 16 levels of grey, which each thread counts in its own column.
Work entropy(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const unsigned char, 2> in, kr::view<float, 2> out) {
        auto count = kr::shared<int, 16, 256>();
        auto [x, y] = kr::grid<2>();
        auto t = kr::thread_idx().y * 16 + kr::thread_idx().x;
        for (auto k : kr::range(16)) count(k, t) = 0;
        kr::var total = 0;
        for (auto dy : kr::range(-2, 3))
          for (auto dx : kr::range(-2, 3)) {
            auto xx = x + dx, yy = y + dy;
            kr::if_(xx >= 0 && yy >= 0 && yy < in.extent(0) && xx < in.extent(1), [&] {
              count(in(yy, xx), t) += 1;
              total += 1;
            });
          }
        kr::var entropy = 0.0f;
        for (auto k : kr::range(16)) {
          auto c = count(k, t);
          kr::if_(c > 0, [&] {
            auto p = kr::cast<float>(c) / kr::cast<float>(total);
            entropy -= p * kr::log2(p);
          });
        }
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] { out(y, x) = entropy; });
      },
      {.name = "entropy"});
  const int w = size(500, 4000), h = size(300, 3000);
  auto in = upload<unsigned char, 2>(integers<unsigned char>(std::size_t(w) * h, 16), h, w);
  auto out = make_array<float, 2>(h, w);
  return {[=] { kernel.launch(cover2(w, h, 16, 16), *in, *out); },
          CORPUS_PEER(peer_entropy, raw(in), raw(out), w, h), output(out)};
}

// A block of 64 bytes per thread, of a text with one key.
Work chacha20(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<std::array<unsigned, 8>> key, kr::value<std::array<unsigned, 3>> nonce,
         kr::view<const unsigned, 2> text, kr::view<unsigned, 2> out) {
        auto i = kr::grid();
        kr::if_(i < text.extent(0), [&] {
          kr::var<unsigned> start[16], x[16];
          start[0] = 0x61707865u, start[1] = 0x3320646eu;
          start[2] = 0x79622d32u, start[3] = 0x6b206574u;
          for (int k = 0; k < 8; ++k) start[4 + k] = key[k];
          start[12] = kr::cast<unsigned>(i);
          for (int k = 0; k < 3; ++k) start[13 + k] = nonce[k];
          for (int k = 0; k < 16; ++k) x[k] = start[k];
          auto quarter = [&](int a, int b, int c, int d) {
            x[a] += x[b], x[d] = kr::rotl(x[d] ^ x[a], 16);
            x[c] += x[d], x[b] = kr::rotl(x[b] ^ x[c], 12);
            x[a] += x[b], x[d] = kr::rotl(x[d] ^ x[a], 8);
            x[c] += x[d], x[b] = kr::rotl(x[b] ^ x[c], 7);
          };
          for ([[maybe_unused]] auto round : kr::range(10)) {
            for (int k = 0; k < 4; ++k) quarter(k, 4 + k, 8 + k, 12 + k);
            for (int k = 0; k < 4; ++k)
              quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
          }
          for (int k = 0; k < 16; ++k) out(i, k) = text(i, k) ^ (x[k] + start[k]);
        });
      },
      {.name = "chacha20"});
  const int n = size(40000, 4000000);
  const std::array<unsigned, 8> key{1, 20, 300, 4000, 50000, 600000, 7000000, 80000000};
  const std::array<unsigned, 3> nonce{9, 90, 900};
  auto text = upload<unsigned, 2>(integers<unsigned>(std::size_t(n) * 16, 1L << 32), n, 16);
  auto out = make_array<unsigned, 2>(n, 16);
  return {[=] { kernel.forall(n)(key, nonce, *text, *out); },
          CORPUS_PEER(peer_chacha20, key.data(), nonce.data(), raw(text), raw(out), n), output(out),
          0};
}

// Of pairs of latitude and longitude in degrees.
Work haversine(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const double4> pairs, kr::view<double> distance) {
        auto i = kr::grid();
        kr::if_(i < pairs.size(), [&] {
          const double degree = 3.14159265358979323846 / 180, radius = 6371;
          auto p = pairs[i];
          auto ay = p.x * degree, ax = p.y * degree, by = p.z * degree, bx = p.w * degree;
          auto sine_x = kr::sin((bx - ax) / 2.0), sine_y = kr::sin((by - ay) / 2.0);
          auto scale = kr::cos(ay) * kr::cos(by);
          distance[i] = 2 * radius * kr::asin(kr::sqrt(sine_y * sine_y + sine_x * sine_x * scale));
        });
      },
      {.name = "haversine"});
  const int n = size(200000, 16000000);
  const auto degrees = numbers<double>(std::size_t(n) * 4, -90, 90);
  std::vector<double4> points(n);
  std::memcpy(static_cast<void*>(points.data()), degrees.data(), degrees.size() * sizeof(double));
  auto pairs = upload(points);
  auto distance = make_array<double>(n);
  return {[=] { kernel.launch(cover(n), *pairs, *distance); },
          CORPUS_PEER(peer_haversine, raw<double>(pairs), raw(distance), n), output(distance),
          1e-10};
}

// An estimate of the distance of c from the set of power 8.
kr::value<float> bulb_distance(kr::value<float> cx, kr::value<float> cy, kr::value<float> cz) {
  kr::var x = cx, y = cy, z = cz, derivative = 1.0f, r = 0.0f;
  for ([[maybe_unused]] auto i : kr::range(8)) {
    r = kr::sqrt(x * x + y * y + z * z);
    kr::if_(r > 2.0f, [] { kr::break_(); });
    auto theta = 8.0f * kr::acos(z / r), phi = 8.0f * kr::atan2(y, x);
    derivative = kr::pow(r, 7.0f) * 8.0f * derivative + 1.0f;
    auto far = kr::pow(r, 8.0f);
    x = far * kr::sin(theta) * kr::cos(phi) + cx;
    y = far * kr::sin(theta) * kr::sin(phi) + cy;
    z = far * kr::cos(theta) + cz;
  }
  return 0.5f * kr::log(r) * r / derivative;
}

Work mandelbulb(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<float, 2> image) {
        auto [px, py] = kr::grid<2>();
        kr::if_(py < image.extent(0) && px < image.extent(1), [&] {
          auto u = (kr::cast<float>(px) + 0.5f) / kr::cast<float>(image.extent(1)) * 2.0f - 1.0f;
          auto v = (kr::cast<float>(py) + 0.5f) / kr::cast<float>(image.extent(0)) * 2.0f - 1.0f;
          auto ahead = kr::normalize(kr::make_vec(u, v, kr::value(1.5f)));
          kr::var depth = 0.0f;
          kr::var steps = 0;
          kr::while_([&] { return steps < 64 && depth < 4.0f; },
                     [&] {
                       auto d =
                           bulb_distance(depth * ahead.x, depth * ahead.y, depth * ahead.z - 2.5f);
                       kr::if_(d < 0.001f, [] { kr::break_(); });
                       depth += d;
                       steps += 1;
                     });
          image(py, px) = kr::select(depth < 4.0f, 1.0f - kr::cast<float>(steps) / 64.0f, 0.0f);
        });
      },
      {.name = "mandelbulb"});
  const int w = size(128, 2048), h = w;
  auto image = make_array<float, 2>(h, w);
  return {[=] { kernel.launch(cover2(w, h, 16, 16), *image); },
          CORPUS_PEER(peer_mandelbulb, raw(image), w, h), output(image), 1e-2};
}

struct box {
  float3 low, high;
};
struct ray {
  float3 origin, direction;
};

// The box that each ray enters first.
Work ray_boxes(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const ray> rays, kr::view<const box> boxes, kr::view<float> nearest,
         kr::view<int> hit) {
        auto i = kr::grid();
        kr::if_(i < rays.size(), [&] {
          auto [origin, direction] = rays[i];
          auto inverse = 1.0f / direction;
          kr::var best = 100.0f;
          kr::var which = -1;
          for (auto b : kr::range(boxes.size())) {
            auto [low, high] = boxes[b];
            auto one = (low - origin) * inverse, other = (high - origin) * inverse;
            auto near = kr::min(one, other), far = kr::max(one, other);
            auto enter = kr::max(kr::max(near.x, near.y), near.z);
            auto leave = kr::min(kr::min(far.x, far.y), far.z);
            kr::if_(enter <= leave && leave > 0.0f && enter < best, [&] {
              best = enter;
              which = b;
            });
          }
          nearest[i] = best;
          hit[i] = which;
        });
      },
      {.name = "ray_boxes"});
  const int n = size(16384, 500000), count = size(256, 1024);
  const auto ends = numbers(std::size_t(n) * 6, -1, 1), corners = numbers(count * 6, 0, 1, 2);
  std::vector<ray> from(n);
  std::memcpy(static_cast<void*>(from.data()), ends.data(), ends.size() * sizeof(float));
  for (ray& r : from) r.origin.z -= 2.0f, r.direction.z += 2.0f;
  std::vector<box> in(count);
  for (int b = 0; b < count; ++b) {
    const float* c = corners.data() + 6 * b;
    in[b].low = {2 * c[0] - 1, 2 * c[1] - 1, 2 * c[2] - 1};
    in[b].high = in[b].low + 0.2f * float3{c[3], c[4], c[5]};
  }
  auto rays = upload(from);
  auto boxes = upload(in);
  auto nearest = make_array<float>(n);
  auto hit = make_array<int>(n);
  return {[=] { kernel.launch(cover(n, 128), *rays, *boxes, *nearest, *hit); },
          CORPUS_PEER(peer_ray_boxes, raw<float>(rays), raw<float>(boxes), raw(nearest), raw(hit),
                      n, count),
          output(nearest) + output(hit), 1e-3};
}

Work syrk(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<float> alpha, kr::value<float> beta, kr::view<const float, 2> a,
         kr::view<float, 2> c) {
        auto [j, i] = kr::grid<2>();
        kr::if_(i < c.extent(0) && j < c.extent(1), [&] {
          kr::var sum = 0.0f;
          for (auto k : kr::range(a.extent(1))) sum += a(i, k) * a(j, k);
          c(i, j) = beta * c(i, j) + alpha * sum;
        });
      },
      {.name = "syrk"});
  const int n = size(300, 2000), m = size(400, 2000);
  auto a = upload<float, 2>(numbers(std::size_t(n) * m), n, m);
  const auto start = numbers(std::size_t(n) * n, 0, 1, 2);
  auto c = upload<float, 2>(start, n, n);
  return {[=] { kernel.launch(cover2(n, n, 32, 8), 1.5f, 0.5f, *a, *c); },
          CORPUS_PEER(peer_syrk, 1.5f, 0.5f, raw(a), raw(c), n, m), output(c, start)};
}

// Hodgkin's and Huxley's membrane by the classical Runge-Kutta method: a cell per thread.
Work membranes(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<float4> cells, kr::view<const float> currents, kr::value<int> steps,
         kr::value<float> dt) {
        auto i = kr::grid();
        kr::if_(i < cells.size(), [&] {
          auto current = currents[i];
          auto trap = [](auto x, auto y) {
            return kr::select(kr::abs(x / y) < 1e-6f, y * (1.0f - x / y / 2.0f),
                              x / (kr::exp(x / y) - 1.0f));
          };
          auto change = [&](auto s) {
            auto v = s.x, m = s.y, h = s.z, n = s.w;
            auto m_up = 0.1f * trap(-(v + 40.0f), 10.0f);
            auto m_down = 4.0f * kr::exp(-(v + 65.0f) / 18.0f);
            auto h_up = 0.07f * kr::exp(-(v + 65.0f) / 20.0f);
            auto h_down = 1.0f / (kr::exp(-(v + 35.0f) / 10.0f) + 1.0f);
            auto n_up = 0.01f * trap(-(v + 55.0f), 10.0f);
            auto n_down = 0.125f * kr::exp(-(v + 65.0f) / 80.0f);
            auto dv = current - 120.0f * m * m * m * h * (v - 50.0f) -
                      36.0f * n * n * n * n * (v + 77.0f) - 0.3f * (v + 54.387f);
            return kr::make_vec(dv, m_up * (1.0f - m) - m_down * m, h_up * (1.0f - h) - h_down * h,
                                n_up * (1.0f - n) - n_down * n);
          };
          kr::var s = cells[i];
          for ([[maybe_unused]] auto step : kr::range(steps)) {
            auto k1 = change(s);
            auto k2 = change(s + 0.5f * dt * k1);
            auto k3 = change(s + 0.5f * dt * k2);
            auto k4 = change(s + dt * k3);
            s += dt / 6.0f * (k1 + 2.0f * k2 + 2.0f * k3 + k4);
          }
          cells[i] = s;
        });
      },
      {.name = "membranes"});
  const int n = size(4096, 200000), steps = size(50, 200);
  const std::vector<float4> rest(n, float4{-65.0f, 0.053f, 0.596f, 0.318f});
  auto cells = upload(rest), initial = upload(rest);
  auto currents = upload(numbers(n, 0, 20));
  return {[=] {
            cells->copy_from(*initial);
            kernel.launch(cover(n, 128), *cells, *currents, steps, 0.02f);
          },
          CORPUS_PEER(peer_membranes, raw<float>(cells), raw(currents), n, steps, 0.02f),
          output<float>(cells), 1e-3};
}

Work max_pool(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float, 3> in, kr::view<float, 3> out) {
        auto [x, y, plane] = kr::grid<3>();
        kr::if_(y < out.extent(1) && x < out.extent(2), [&] {
          kr::var most = -std::numeric_limits<float>::infinity();
          for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 2; ++c) most = kr::max(most, in(plane, 2 * y + r, 2 * x + c));
          out(plane, y, x) = most;
        });
      },
      {.name = "max_pool"});
  const int planes = size(32, 4096), h = 112, w = 112;
  auto in = upload<float, 3>(numbers(std::size_t(planes) * 4 * h * w, -1, 1), planes, 2 * h, 2 * w);
  auto out = make_array<float, 3>(planes, h, w);
  return {[=] {
            kernel.launch({{w / 16, h / 16, planes}, {16, 16, 1}}, *in, *out);
          },
          CORPUS_PEER(peer_max_pool, raw(in), raw(out), planes, h, w), output(out), 0};
}

// The digest of eight bytes at most, which have their end mark already.
template <class Word>
std::array<Word, 4> md5_of_two(Word low, Word high, unsigned length) {
  constexpr unsigned sines[64] = {
      0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u,
      0xfd469501u, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u,
      0xa679438eu, 0x49b40821u, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du,
      0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu,
      0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u,
      0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u, 0x289b7ec6u, 0xeaa127fau,
      0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u, 0xf4292244u,
      0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
      0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu,
      0xeb86d391u};
  constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  Word a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
  for (int i = 0; i < 64; ++i) {
    Word sum = a + sines[i];
    int k = i;
    if (i < 16) sum += (b & c) | (~b & d);
    else if (i < 32) sum += (d & b) | (~d & c), k = (5 * i + 1) % 16;
    else if (i < 48) sum += b ^ c ^ d, k = (3 * i + 5) % 16;
    else sum += c ^ (b | ~d), k = 7 * i % 16;
    if (k == 0) sum += low;
    if (k == 1) sum += high;
    if (k == 14) sum += 8 * length;
    const int by = turns[i / 16][i % 4];
    a = d, d = c, c = b;
    b += (sum << by) | (sum >> (32 - by));
  }
  return {a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u};
}

// Looks for the key of a digest: a thread tries the keys that differ in the first byte.
Work md5_search(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::value<std::array<unsigned, 4>> wanted, kr::value<int> values, kr::value<int> keys,
         kr::view<int> found, kr::view<unsigned> digest) {
        auto first = kr::cast<int>(kr::grid()) * values;
        kr::var rest = first;
        kr::var low = 0u, high = 0x80u << 24;
        for (int byte = 0; byte < 7; ++byte) {
          auto value = kr::cast<unsigned>(rest % values);
          if (byte < 4) low |= value << (8 * byte);
          else high |= value << (8 * byte - 32);
          rest /= values;
        }
        for (auto i : kr::range(values)) {
          kr::if_(first + i < keys, [&] {
            auto [a, b, c, d] = md5_of_two<kr::var<unsigned>>(low, high, 7);
            kr::if_(a == wanted[0] && b == wanted[1] && c == wanted[2] && d == wanted[3], [&] {
              found[0] = first + i;
              digest[0] = a, digest[1] = b, digest[2] = c, digest[3] = d;
            });
          });
          low += 1u;
        }
      },
      {.name = "md5_search"});
  const int values = 10, keys = size(500000, 10000000), key = keys / 7 * 5;
  unsigned low = 0, high = 0x80u << 24;
  for (int byte = 0, rest = key; byte < 7; ++byte, rest /= values)
    (byte < 4 ? low : high) |= unsigned(rest % values) << (8 * byte % 32);
  const std::array<unsigned, 4> wanted = md5_of_two(low, high, 7);
  auto found = make_array<int>(1);
  auto digest = make_array<unsigned>(4);
  return {[=] {
            kernel.launch(cover((keys + values - 1) / values), wanted, values, keys, *found,
                          *digest);
          },
          CORPUS_PEER(peer_md5_search, wanted.data(), values, keys, raw(found), raw(digest)),
          output(found) + output(digest), 0};
}

// The expectation step with full covariances: how likely each event is of each cluster.
Work responsibilities(Size size) {
  static constexpr int dims = 8;
  static const auto likelihoods = kr::kernel(
      [](kr::view<const float, 2> data, kr::view<const float, 2> means,
         kr::view<const float, 3> inverses, kr::view<const float> constants,
         kr::view<float, 2> member) {
        auto mean = kr::shared<float, dims>();
        auto inverse = kr::shared<float, dims, dims>();
        auto t = kr::thread_idx().x, cluster = kr::block_idx().y;
        kr::if_(t < dims, [&] { mean[t] = means(cluster, t); });
        kr::if_(t < dims * dims,
                [&] { inverse(t / dims, t % dims) = inverses(cluster, t / dims, t % dims); });
        kr::syncthreads();
        auto event = kr::grid();
        kr::if_(event < data.extent(1), [&] {
          kr::var like = 0.0f;
          for (auto i : kr::range(dims))
            for (auto j : kr::range(dims))
              like += (data(i, event) - mean[i]) * (data(j, event) - mean[j]) * inverse(i, j);
          member(cluster, event) = -0.5f * like + constants[cluster];
        });
      },
      {.name = "likelihoods"});
  static const auto normalise = kr::kernel(
      [](kr::view<float, 2> member, kr::view<float> total) {
        auto event = kr::grid();
        kr::if_(event < total.size(), [&] {
          kr::var most = member(0, event);
          for (auto c : kr::range(1, member.extent(0))) most = kr::max(most, member(c, event));
          kr::var sum = 0.0f;
          for (auto c : kr::range(member.extent(0))) sum += kr::exp(member(c, event) - most);
          auto all = most + kr::log(sum);
          total[event] = all;
          for (auto c : kr::range(member.extent(0)))
            member(c, event) = kr::exp(member(c, event) - all);
        });
      },
      {.name = "normalise"});
  const int n = size(16384, 1000000), clusters = 16;
  std::vector<float> inverse(clusters * dims * dims);
  const auto mixed = numbers(inverse.size(), -0.1, 0.1, 3);
  for (int c = 0; c < clusters; ++c)
    for (int i = 0; i < dims; ++i)
      for (int j = 0; j < dims; ++j)
        inverse[(c * dims + i) * dims + j] =
            mixed[(c * dims + std::min(i, j)) * dims + std::max(i, j)] + (i == j ? 2.0f : 0.0f);
  auto data = upload<float, 2>(numbers(std::size_t(n) * dims, -2, 2), dims, n);
  auto means = upload<float, 2>(numbers(clusters * dims, -2, 2, 2), clusters, dims);
  auto inverses = upload<float, 3>(inverse, clusters, dims, dims);
  auto constants = upload(numbers(clusters, -3, -1, 4));
  auto member = make_array<float, 2>(clusters, n);
  auto total = make_array<float>(n);
  return {[=] {
            likelihoods.launch({{(n + 255) / 256, clusters}, 256}, *data, *means, *inverses,
                               *constants, *member);
            normalise.launch(cover(n), *member, *total);
          },
          CORPUS_PEER(peer_responsibilities, raw(data), raw(means), raw(inverses), raw(constants),
                      raw(member), raw(total), n, clusters),
          output(member) + output(total), 1e-4};
}

}  // namespace

void add_look_1(Registry& all) {
  all.insert(all.end(), {{73, "Needleman-Wunsch", "sequences", needleman_wunsch, 1},
                         {74, "shortest paths", "graphs", shortest_paths, 1},
                         {75, "entropy", "images", entropy, 1},
                         {76, "ChaCha20", "ciphers", chacha20, 1},
                         {77, "haversine", "geometry", haversine, 1},
                         {78, "mandelbulb", "rendering", mandelbulb, 1},
                         {79, "rays and boxes", "rendering", ray_boxes, 1},
                         {80, "syrk", "linear", syrk, 1},
                         {81, "membranes", "equations", membranes, 1},
                         {82, "max pool", "learning", max_pool, 1},
                         {83, "md5 search", "hashes", md5_search, 1},
                         {84, "responsibilities", "statistics", responsibilities, 1}});
}

}  // namespace corpus
