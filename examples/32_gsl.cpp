// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lambdas as callbacks of a C library: the GNU Scientific Library integrates one, and finds the minimum of another.
#include <krait/function_pointer.h>
#include <krait/math.h>

#include <gsl/gsl_integration.h>
#include <gsl/gsl_min.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numbers>

namespace kr = krait;

namespace {

/// The integral of exp(-a x²) over all x is sqrt(pi / a); `a` is what GSL passes on.
bool integrate() {
  // [integrate]
  const kr::function_pointer<double(double, void*)> bell(
      [](kr::value<double> x, kr::view<const double> a) { return kr::exp(-a[0] * x * x); });
  double a = 2, integral = 0, error = 0;
  gsl_function f = {bell, &a};
  gsl_integration_workspace* workspace = gsl_integration_workspace_alloc(1000);
  gsl_integration_qagi(&f, 0, 1e-10, 1000, workspace, &integral, &error);
  gsl_integration_workspace_free(workspace);
  // [/integrate]
  const double expected = std::sqrt(std::numbers::pi / a);
  std::printf("integral %.12f, expected %.12f, estimated error %.1e\n", integral, expected, error);
  return std::abs(integral - expected) < 1e-9;
}

/// cos(x) + x/10 has a minimum where sin(x) is 1/10, near pi.
bool minimise() {
  const kr::function_pointer<double(double, void*)> wave(
      [](kr::value<double> x, kr::value<std::uint64_t>) { return kr::cos(x) + 0.1 * x; });
  gsl_function f = {wave, nullptr};
  gsl_min_fminimizer* search = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
  gsl_min_fminimizer_set(search, &f, 3, 0, 6);
  for (int step = 0; step < 50; ++step) gsl_min_fminimizer_iterate(search);
  const double found = gsl_min_fminimizer_x_minimum(search), expected = std::numbers::pi - std::asin(0.1);
  gsl_min_fminimizer_free(search);
  std::printf("minimum at %.8f, expected %.8f\n", found, expected);
  return std::abs(found - expected) < 1e-6;
}

}  // namespace

int main() { return integrate() && minimise() ? 0 : 1; }
