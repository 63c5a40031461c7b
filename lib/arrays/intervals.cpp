// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points of intervals: how many kr::arange has, and where those of kr::linspace lie, as NumPy
// computes them.
#include <cmath>

#include "krait/creation.h"
#include "support/error.h"

namespace krait::detail {
namespace {

template <class Number>
[[noreturn]] void refuse_step(Number first, Number last, Number step) {
  support::fail_usage(
      "arange({}, {}, {}) has no size: the step must not be 0, and the result must fit into memory",
      first, last, step);
}

}  // namespace

std::int64_t count_steps(double first, double last, double step) {
  const double count = std::ceil((last - first) / step);
  if (step == 0 || !(count < 0x1p62)) refuse_step(first, last, step);
  return count > 0 ? std::int64_t(count) : 0;
}

std::int64_t count_steps(std::int64_t first, std::int64_t last, std::int64_t step) {
  if (step == 0) refuse_step(first, last, step);
  const __int128 distance = __int128(last) - first, toward = step > 0 ? 1 : -1;
  const __int128 count = distance * toward > 0 ? (distance * toward - 1) / (step * toward) + 1 : 0;
  if (count > (__int128(1) << 62)) refuse_step(first, last, step);
  return std::int64_t(count);
}

void divide_interval(double first, double last, bool with_last, double* out, std::int64_t count) {
  const std::int64_t parts = with_last ? count - 1 : count;
  const double distance = last - first, step = distance / double(parts);
  for (std::int64_t i = 0; i < count; ++i) {
    if (parts <= 0) out[i] = double(i) * distance + first;
    // Where a step is too small for a double, the numbers are divided instead.
    else out[i] = (step == 0 ? double(i) / double(parts) * distance : double(i) * step) + first;
  }
  if (with_last && count > 1) out[count - 1] = last;
}

}  // namespace krait::detail
