// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies, molecules and measured points.
#include <cmath>

#include "peers.h"
#include "registry.h"

namespace corpus {
namespace {
using float3 = kr::vec<float, 3>;
using float4 = kr::vec<float, 4>;

template <class T>
std::vector<T> filled(std::size_t n, double low, double high, unsigned seed = 1) {
  const auto values = numbers(n * sizeof(T) / sizeof(float), low, high, seed);
  std::vector<T> all(n);
  std::memcpy(static_cast<void*>(all.data()), values.data(), n * sizeof(T));
  return all;
}

Work nbody(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float4> bodies, kr::view<float3> acceleration) {
        auto i = kr::grid();
        kr::if_(i < bodies.size(), [&] {
          auto me = bodies[i];
          kr::var sum = float3{0, 0, 0};
          for (auto j : kr::range(bodies.size())) {
            auto other = bodies[j];
            auto d = kr::make_vec(other.x - me.x, other.y - me.y, other.z - me.z);
            auto inverse = kr::rsqrt(kr::dot(d, d) + 0.01f);
            sum += d * (other.w * inverse * inverse * inverse);
          }
          acceleration[i] = sum;
        });
      },
      {.name = "nbody"});
  const int n = size(3000, 50000);
  auto bodies = upload(filled<float4>(n, 0, 1));
  auto acceleration = make_array<float3>(n);
  return {[=] { kernel.forall(n)(*bodies, *acceleration); },
          CORPUS_PEER(peer_nbody, raw<float>(bodies), raw<float>(acceleration), n),
          output<float>(acceleration)};
}

Work soa_update(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<float> x, kr::view<float> y, kr::view<float> z, kr::view<float> vx,
         kr::view<float> vy, kr::view<float> vz, kr::value<float> dt) {
        auto i = kr::grid();
        kr::if_(i < x.size(), [&] {
          vy[i] -= 9.81f * dt;
          x[i] += vx[i] * dt;
          y[i] += vy[i] * dt;
          z[i] += vz[i] * dt;
          kr::if_(y[i] < 0.0f, [&] {
            y[i] = -y[i];
            vy[i] = -0.9f * vy[i];
          });
        });
      },
      {.name = "soa_update"});
  const int n = size(1500000, 24000000);
  std::vector<std::vector<float>> start;
  std::vector<Array<float>> a;
  for (unsigned c = 0; c < 6; ++c)
    start.push_back(numbers(n, c < 3 ? 0 : -1, 1, c + 1)), a.push_back(upload(start.back()));
  return {[=] { kernel.forall(n)(*a[0], *a[1], *a[2], *a[3], *a[4], *a[5], 0.001f); },
          CORPUS_PEER(peer_soa_update, raw(a[0]), raw(a[1]), raw(a[2]), raw(a[3]), raw(a[4]),
                      raw(a[5]), 0.001f, n),
          output(a[1], start[1]) + output(a[4], start[4]) + output(a[0], start[0]) +
              output(a[2], start[2])};
}

struct body {
  float3 position, velocity;
  float mass, charge;
  int kind, hits;
};  // 40 bytes

Work aos_update(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<body> bodies, kr::value<float> dt) {
        for (auto i : kr::grid_stride(bodies.size())) {
          kr::var b = bodies[i];
          auto& [position, velocity, mass, charge, kind, hits] = b;
          velocity.y -= 9.81f * dt;
          velocity.x += charge / mass * dt;
          position += velocity * dt;
          kr::if_(position.y < 0.0f, [&] {
            position.y = -position.y;
            velocity.y = -0.9f * velocity.y;
            hits += 1;
          });
          bodies[i] = b;
        }
      },
      {.name = "aos_update"});
  const int n = size(400000, 12000000);
  const auto shape = size(kr::launch_config{128, 256}, cover(n));
  auto start = filled<body>(n, 0.1, 1);
  for (body& b : start) b.kind = 1, b.hits = 0;
  auto bodies = upload(start);
  return {[=] { kernel.launch(shape, *bodies, 0.001f); },
          CORPUS_PEER(peer_aos_update, reinterpret_cast<void*>(raw(bodies)), 0.001f, n),
          output<float>(bodies, start), 1e-4};
}

Work md_lj(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float4> position, kr::view<const int> neighbours, kr::view<float4> force,
         kr::value<int> count, kr::value<float> cutoff) {
        auto i = kr::grid();
        kr::if_(i < position.size(), [&] {
          auto me = position[i];
          kr::var fx = 0.0f, fy = 0.0f, fz = 0.0f;
          for (auto j : kr::range(count)) {
            auto other = position[neighbours[j * position.size() + i]];
            auto dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
            auto r2 = dx * dx + dy * dy + dz * dz;
            kr::if_(r2 < cutoff, [&] {
              auto r2inv = 1.0f / r2;
              auto r6inv = r2inv * r2inv * r2inv;
              auto f = r2inv * r6inv * (1.5f * r6inv - 2.0f);
              fx += dx * f, fy += dy * f, fz += dz * f;
            });
          }
          force[i] = kr::make_vec(fx, fy, fz, kr::value(0.0f));
        });
      },
      {.name = "md_lj"});
  const int n = size(12000, 400000), count = 100;
  auto position = upload(filled<float4>(n, 0, 20));
  auto near = integers(std::size_t(n) * count, n - 1);
  // not the atom itself
  for (std::size_t k = 0; k < near.size(); ++k) near[k] += near[k] >= int(k % n);
  auto neighbours = upload(near);
  auto force = make_array<float4>(n);
  return {[=] { kernel.forall(n)(*position, *neighbours, *force, count, 64.0f); },
          CORPUS_PEER(peer_md_lj, raw<float>(position), raw(neighbours), raw<float>(force), n,
                      count, 64.f),
          output<float>(force), 1e-3};
}

Work lava_md(Size size) {
  // A block a box; all particles of the 27 boxes around act on its own.
  static const auto kernel = kr::kernel(
      [](kr::view<const float4> rv, kr::view<const float> qv, kr::view<float4> fv,
         kr::value<int> side, kr::value<float> a2) {
        constexpr int per_box = 64;
        auto theirs = kr::shared<float4, per_box>();
        auto charges = kr::shared<float, per_box>();
        auto t = kr::thread_idx().x;
        auto bx = kr::block_idx().x, by = kr::block_idx().y, bz = kr::block_idx().z;
        auto own = ((bz * side + by) * side + bx) * per_box + t;
        auto me = rv[own];
        kr::var sum = float4{0, 0, 0, 0};
        for (auto nz : kr::range(kr::max(bz - 1, 0), kr::min(bz + 2, side)))
          for (auto ny : kr::range(kr::max(by - 1, 0), kr::min(by + 2, side)))
            for (auto nx : kr::range(kr::max(bx - 1, 0), kr::min(bx + 2, side))) {
              auto from = ((nz * side + ny) * side + nx) * per_box + t;
              theirs[t] = rv[from];
              charges[t] = qv[from];
              kr::syncthreads();
              for (auto j : kr::range(per_box)) {
                auto other = theirs[j];
                auto dot = me.x * other.x + me.y * other.y + me.z * other.z;
                auto vij = kr::exp(-a2 * (me.w + other.w - dot));
                auto fs = 2.0f * a2 * vij;
                auto q = charges[j];
                sum += q * kr::make_vec(vij, fs * (me.x - other.x), fs * (me.y - other.y),
                                        fs * (me.z - other.z));
              }
              kr::syncthreads();
            }
        fv[own] = sum;
      },
      {.name = "lava_md"});
  const int side = size(5, 20), n = side * side * side * 64;
  auto points = filled<float4>(n, 0.1, 1);
  for (float4& p : points) p.w = (p.x * p.x + p.y * p.y + p.z * p.z);
  auto rv = upload(points);
  auto qv = upload(numbers(n, 0.1, 1, 2));
  auto fv = make_array<float4>(n);
  return {[=] {
            kernel.launch({{side, side, side}, 64}, *rv, *qv, *fv, side, 0.5f);
          },
          CORPUS_PEER(peer_lava_md, raw<float>(rv), raw(qv), raw<float>(fv), side, 0.5f),
          output<float>(fv), 1e-3};
}

Work mri_q(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float> kx, kr::view<const float> ky, kr::view<const float> kz,
         kr::view<const float> magnitude, kr::view<const float> x, kr::view<const float> y,
         kr::view<const float> z, kr::view<float> qr, kr::view<float> qi) {
        auto i = kr::grid();
        kr::if_(i < x.size(), [&] {
          auto px = x[i], py = y[i], pz = z[i];
          kr::var re = 0.0f, im = 0.0f;
          for (auto k : kr::range(kx.size())) {
            auto angle = 6.2831855f * (kx[k] * px + ky[k] * py + kz[k] * pz);
            re += magnitude[k] * kr::cos(angle);
            im += magnitude[k] * kr::sin(angle);
          }
          qr[i] = re;
          qi[i] = im;
        });
      },
      {.name = "mri_q"});
  const int n = size(8192, 400000), k = 400;
  const auto points = [](int count, unsigned seed) {
    return upload(numbers(std::size_t(count), -0.5, 0.5, seed));
  };
  auto kx = points(k, 1), ky = points(k, 2), kz = points(k, 3), m = upload(numbers(k, 0, 1, 4)),
       x = points(n, 5), y = points(n, 6), z = points(n, 7);
  auto qr = make_array<float>(n), qi = make_array<float>(n);
  return {[=] { kernel.forall(n)(*kx, *ky, *kz, *m, *x, *y, *z, *qr, *qi); },
          CORPUS_PEER(peer_mri_q, raw(kx), raw(ky), raw(kz), raw(m), raw(x), raw(y), raw(z),
                      raw(qr), raw(qi), n, k),
          output(qr) + output(qi), 1e-3};
}

Work tpacf(Size size) {
  static const auto kernel = kr::kernel(
      [](kr::view<const float3> stars, kr::view<const float> bounds, kr::view<int> counts) {
        auto mine = kr::shared<int, 32>();
        auto t = kr::thread_idx().x;
        kr::if_(t < 32, [&] { mine[t] = 0; });
        kr::syncthreads();
        auto i = kr::grid();
        kr::if_(i < stars.size(), [&] {
          auto me = stars[i];
          for (auto j : kr::range(i + 1, stars.size())) {
            auto angle = kr::dot(me, stars[j]);
            kr::var low = 0, high = 31;  // the first bound that is not above the angle
            kr::while_([&] { return low < high; },
                       [&] {
                         auto middle = (low + high) / 2;
                         kr::if_(angle >= bounds[middle], [&] { high = middle; }).else_([&] {
                           low = middle + 1;
                         });
                       });
            kr::atomic(mine[low]).add(1);
          }
        });
        kr::syncthreads();
        kr::if_(t < 32, [&] { kr::atomic(counts[t]).add(mine[t]); });
      },
      {.name = "tpacf"});
  const int n = size(1600, 16000);
  auto directions = filled<float3>(n, -1, 1);
  for (float3& d : directions) d = kr::normalize(d);
  std::vector<float> edges(32);
  for (int b = 0; b < 32; ++b) edges[b] = b == 31 ? -2.f : float(std::cos((b + 1) * 0.1));
  auto stars = upload(directions);
  auto bounds = upload(edges);
  auto counts = make_array<int>(32), zeros = upload(std::vector<int>(32));
  return {[=] { counts->copy_from(*zeros), kernel.launch(cover(n, 64), *stars, *bounds, *counts); },
          CORPUS_PEER(peer_tpacf, raw<float>(stars), raw(bounds), raw(counts), n), output(counts),
          1e-3};
}

Work triad(Size size) {
  static const auto kernel =
      kr::vectorize([](auto a, auto b, auto s) { return a + s * b; }, {.name = "triad"});
  const int n = size(3000000, 40000000);
  auto a = upload(numbers<double>(n)), b = upload(numbers<double>(n, 0, 1, 2)),
       c = make_array<double>(n);
  return {[=] { kernel.into (*c)(*a, *b, 1.75); },
          CORPUS_PEER(peer_triad, raw(a), raw(b), raw(c), 1.75, n), output(c), 1e-12};
}

}  // namespace

void add_particles(Registry& all) {
  const char* theme = "particles";
  all.insert(all.end(), {{49, "n-body", theme, nbody},
                         {50, "particles in arrays", theme, soa_update},
                         {51, "particles of 40 bytes", theme, aos_update},
                         {52, "md-lj", theme, md_lj},
                         {53, "lavaMD", theme, lava_md},
                         {54, "mri-q", theme, mri_q},
                         {55, "tpacf", theme, tpacf},
                         {56, "triad", theme, triad}});
}

}  // namespace corpus
