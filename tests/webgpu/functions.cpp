// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on 65,536 arguments each, against the C library's in double: errors in ULP or absolute
// ones. Those that fast mode takes from WGSL have WGSL's bounds; of native mode those that round to
// whole numbers by a sum, which drivers must not simplify. Prints the column of docs/webgpu.md;
// exit status 1 where a bound is broken.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <krait/krait.h>
namespace kr = krait;

namespace {

constexpr int count = 1 << 16;
constexpr double pi = 3.14159265358979323846;

double ulp(double of) {
  const int exponent = std::max(std::ilogb(of), std::numeric_limits<float>::min_exponent - 1);
  return std::ldexp(1.0, exponent - std::numeric_limits<float>::digits + 1);
}

bool kept = true;
kr::fp mode = kr::fp::fast;

/// Arguments from low to high: evenly, or by their logarithms where both are above 0. `bound` of
/// argument and result, absolute.
template <class Function, class Exact, class Bound>
void row(const char* name, double low, double high, bool in_ulp, const Function& f,
         const Exact& exact, const Bound& bound) {
  std::vector<float> x(count), got(count);
  for (int i = 0; i < count; ++i) {
    const double part = (i + 0.5) / count;
    x[static_cast<std::size_t>(i)] =
        static_cast<float>(low > 0 ? low * std::pow(high / low, part) : low + (high - low) * part);
  }
  kr::kernel(
      [&](kr::view<const float> from, kr::view<float> to) {
        auto i = kr::grid<1>();
        kr::if_(i < to.size(), [&] { to[i] = f(kr::value<float>(from[i])); });
      },
      {.name = "function", .fp = mode})
      .forall(count)(x, got);
  double most = 0, share = 0, at = 0;
  for (int i = 0; i < count; ++i) {
    const double given = x[static_cast<std::size_t>(i)], want = exact(given),
                 error = std::abs(got[static_cast<std::size_t>(i)] - want);
    most = std::max(most, in_ulp ? error / ulp(want) : error);
    if (!(error / bound(given, want) <= share)) share = error / bound(given, want), at = given;
  }
  std::printf("%-8s %9.3g to %8.3g: %8.3g%s, %.3g of the bound at %a\n", name, low, high, most,
              in_ulp ? " ULP" : " absolute", share, at);
  kept = kept && share <= 1;
}

const auto ulps(double n) {
  return [n](double, double y) { return n * ulp(y); };
}
const auto absolute(double n) {
  return [n](double, double) { return n; };
}
constexpr auto of_exponential = [](double x, double y) { return (3 + 2 * std::abs(x)) * ulp(y); };

}  // namespace

int main() try {
  const auto log = [](auto x) { return kr::log(x); };
  const auto log2 = [](auto x) { return kr::log2(x); };
  const auto exact_log = [](double x) { return std::log(x); };
  const auto exact_log2 = [](double x) { return std::log2(x); };
  row(
      "exp", -87, 88, true, [](auto x) { return kr::exp(x); }, [](double x) { return std::exp(x); },
      of_exponential);
  row(
      "exp2", -125, 127, true, [](auto x) { return kr::exp2(x); },
      [](double x) { return std::exp2(x); }, of_exponential);
  row("log", 0.5, 2, false, log, exact_log, absolute(0x1p-21));
  row("log", 2, 3e38, true, log, exact_log, ulps(3));
  row("log", 1.2e-38, 0.5, true, log, exact_log, ulps(3));
  row("log2", 0.5, 2, false, log2, exact_log2, absolute(0x1p-21));
  row("log2", 2.001, 3e38, true, log2, exact_log2, ulps(3));
  row("log2", 1.2e-38, 0.499, true, log2, exact_log2, ulps(3));
  row(
      "sin", -pi, pi, false, [](auto x) { return kr::sin(x); },
      [](double x) { return std::sin(x); }, absolute(0x1p-11));
  row(
      "cos", -pi, pi, false, [](auto x) { return kr::cos(x); },
      [](double x) { return std::cos(x); }, absolute(0x1p-11));
  // sin(x) / cos(x), each off by 2^-11.
  row(
      "tan", -1.5, 1.5, false, [](auto x) { return kr::tan(x); },
      [](double x) { return std::tan(x); },
      [](double x, double y) {
        return 0x1p-11 * (1 + std::abs(y)) / (std::cos(x) - 0x1p-11) + 2.5 * ulp(y);
      });
  row(
      "rsqrt", 1.2e-38, 3e38, true, [](auto x) { return kr::rsqrt(x); },
      [](double x) { return 1 / std::sqrt(x); }, ulps(2));
  // 1 / inverseSqrt(x).
  row(
      "sqrt", 1.2e-38, 3e38, true, [](auto x) { return kr::sqrt(x); },
      [](double x) { return std::sqrt(x); }, ulps(6.5));
  row(
      "x / y", 1e-37, 8e37, true, [](auto x) { return 1.7f / x; },
      [](double x) { return double(1.7f) / x; }, ulps(2.5));

  mode = kr::fp::native;
  row(
      "exp2", -125, 127, true, [](auto x) { return kr::exp2(x); },
      [](double x) { return std::exp2(x); }, ulps(2));
  row(
      "cos", -pi, pi, false, [](auto x) { return kr::cos(x); },
      [](double x) { return std::cos(x); }, absolute(2e-7));
  row(
      "cospi", -4, 4, false, [](auto x) { return kr::cospi(x); },
      [](double x) { return std::cos(pi * x); }, absolute(2e-7));
  return kept ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
