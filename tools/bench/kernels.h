// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workloads as Krait kernels, the same for every device. The functions stand by themselves, so
// that bench_compile can record them without a device.
#pragma once

#include <tuple>

#include <krait/krait.h>

namespace bench {
namespace kr = krait;

inline constexpr auto saxpy = [](auto a, auto x, auto y) { return a * x + y; };
inline constexpr auto transcendental = [](auto x, auto y) {
  return kr::exp(x) * kr::sin(y) + kr::log(x);
};
inline constexpr auto black_scholes = [](auto s, auto k, auto t) {
  constexpr float v = 0.3f, r = 0.02f;
  auto q = kr::sqrt(t);
  auto d1 = (kr::log(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
  return s * 0.5f * kr::erfc(-d1 * 0.70710678f) -
         k * kr::exp(-r * t) * 0.5f * kr::erfc(-d2 * 0.70710678f);
};
/// Call and put.
inline constexpr auto black_scholes_both = [](auto s, auto k, auto t) {
  constexpr float v = 0.3f, r = 0.02f;
  auto q = kr::sqrt(t);
  auto d1 = (kr::log(s / k) + (r + 0.5f * v * v) * t) / (v * q), d2 = d1 - v * q;
  auto n1 = 0.5f * kr::erfc(-d1 * 0.70710678f), n2 = 0.5f * kr::erfc(-d2 * 0.70710678f);
  auto e = kr::exp(-r * t);
  return std::tuple{s * n1 - k * e * n2, k * e * (1.0f - n2) - s * (1.0f - n1)};
};
inline constexpr auto mandelbrot = [](kr::view<int, 2> out, kr::value<int> limit) {
  auto [x, y] = kr::grid<2>();
  kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
    auto width = kr::cast<float>(out.extent(1)), height = kr::cast<float>(out.extent(0));
    kr::value<float> cr = -2.0f + 3.0f * kr::cast<float>(x) / width,
                     ci = -1.5f + 3.0f * kr::cast<float>(y) / height;
    kr::var zr = 0.0f, zi = 0.0f;
    kr::var k = 0;
    kr::while_([&] { return k < limit && zr * zr + zi * zi < 4.0f; },
               [&] {
                 auto next = zr * zr - zi * zi + cr;
                 zi = 2.0f * zr * zi + ci;
                 zr = next;
                 k += 1;
               });
    out(y, x) = k;
  });
};
inline constexpr auto nbody = [](kr::view<const float> x, kr::view<const float> y,
                                 kr::view<const float> z, kr::view<float> force) {
  auto i = kr::grid<1>();
  kr::if_(i < force.size(), [&] {
    auto xi = x[i], yi = y[i], zi = z[i];
    kr::var ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (auto j : kr::range(kr::cast<int>(x.size()))) {
      auto dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
      auto inverse = kr::rsqrt(dx * dx + dy * dy + dz * dz + 1e-6f);
      auto s = inverse * inverse * inverse;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    force[i] = ax + ay + az;
  });
};
/// For what compiling costs: a function of each kind.
inline constexpr auto ten_functions = [](auto x) {
  using namespace krait;
  return exp(x) + log(x) + sin(x) + cos(x) + tan(x) + tanh(x) + atan(x) + erf(x) + cbrt(x) +
         pow(x, x);
};
inline constexpr auto jacobi = [](kr::view<const float, 2> in, kr::view<float, 2> out) {
  auto [c, r] = kr::grid<2>();
  kr::if_(c > 0 && r > 0 && c < in.extent(1) - 1 && r < in.extent(0) - 1,
          [&] { out(r, c) = 0.25f * (in(r, c - 1) + in(r, c + 1) + in(r - 1, c) + in(r + 1, c)); });
};
/// For what compiling costs: a kernel that speaks.
inline constexpr auto reports = [](kr::view<const float> x, kr::view<float> y) {
  auto i = kr::grid();
  kr::check(i < x.size(), "thread {} of {}", i, x.size());
  kr::if_(x[i] < 0.0f, [&] { kr::print("element {} is {}\n", i, x[i]); });
  kr::check(x[i] <= 1.0f, "element {} is {}", i, x[i]);
  y[i] = kr::sqrt(x[i]);
};

inline auto make_copy() {
  return kr::vectorize([](auto v) { return v; }, {.name = "copy"});
}
inline auto make_saxpy(kr::fp mode) { return kr::vectorize(saxpy, {.name = "saxpy", .fp = mode}); }
inline auto make_transcendental(kr::fp mode) {
  return kr::vectorize(transcendental, {.name = "exp_sin_log", .fp = mode});
}
inline auto make_black_scholes(kr::fp mode) {
  return kr::vectorize(black_scholes, {.name = "black_scholes", .fp = mode});
}
inline auto make_black_scholes_both(kr::fp mode) {
  return kr::vectorize(black_scholes_both, {.name = "black_scholes_both", .fp = mode});
}
inline auto make_mandelbrot(kr::fp mode) {
  return kr::kernel(mandelbrot, {.name = "mandelbrot", .fp = mode});
}
inline auto make_nbody(kr::fp mode) { return kr::kernel(nbody, {.name = "nbody", .fp = mode}); }
inline auto make_jacobi(kr::fp mode) { return kr::kernel(jacobi, {.name = "jacobi", .fp = mode}); }

}  // namespace bench
