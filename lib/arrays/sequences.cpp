// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Geometric sequences and frequencies, computed on the host as NumPy does.
#include <cmath>
#include <vector>

#include "krait/algorithm/grids.h"
#include "support/error.h"

namespace krait::detail {

/// Declared in krait/algorithm/frequency.h, which includes more.
KRAIT_API void frequencies(std::int64_t n, double distance, bool half, double* out);

void frequencies(std::int64_t n, double distance, bool half, double* out) {
  if (n < 1) support::fail_usage("fftfreq: the number of samples must be positive, not {}", n);
  const double scale = 1.0 / (double(n) * distance);
  const std::int64_t positive = half ? n / 2 + 1 : (n - 1) / 2 + 1;
  for (std::int64_t i = 0; i < (half ? positive : n); ++i)
    out[i] = double(i < positive ? i : i - n) * scale;
}
void fill_powers(double first, double last, double base, bool with_last, double* out,
                 std::int64_t count) {
  divide_interval(first, last, with_last, out, count);
  for (std::int64_t i = 0; i < count; ++i) out[i] = std::pow(base, out[i]);
}
void fill_ratios(double first, double last, bool with_last, double* out, std::int64_t count) {
  if (first == 0 || last == 0)
    support::fail_usage("geomspace: a geometric sequence cannot include zero");
  if ((first < 0) != (last < 0))
    support::fail_usage("geomspace: {} and {} have different signs", first, last);
  const double sign = first < 0 ? -1 : 1;
  divide_interval(std::log10(sign * first), std::log10(sign * last), with_last, out, count);
  for (std::int64_t i = 0; i < count; ++i) out[i] = sign * std::pow(10.0, out[i]);
  if (count > 0) out[0] = first;
  if (count > 1 && with_last) out[count - 1] = last;
}

}  // namespace krait::detail
