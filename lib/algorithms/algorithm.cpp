// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the algorithms' headers ask the library.
#include <limits>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "host/devices.h"
#include "host/layout.h"
#include "krait/algorithm/convolve.h"
#include "krait/algorithm/detail/form.h"
#include "krait/algorithm/detail/result.h"
#include "krait/algorithm/detail/select_kernels.h"
#include "krait/algorithm/histogram.h"
#include "krait/algorithm/random.h"
#include "krait/algorithm/sparse.h"
#include "support/error.h"
#include "support/product.h"

namespace krait::detail {

algorithm_device algorithm_device_of(device on) {
  const host::DeviceHandle& handle = *static_cast<host::DeviceHandle*>(handle_of(on));
  // Several a worker, so that one that is held up leaves the others work.
  if (handle.device->host_memory())
    return {algorithm_form::chunks, std::int64_t(8) * host::processors(), 0,
            handle.target.cpu.level() == CpuLevel::Avx512, handle.target.cpu.adds("+avx512bf16")};
  const bool waits = handle.target.kind == support::TargetKind::Ptx;
  const bool matrices = handle.target.has_matrices(),
             tensor_cores = matrices || (waits && handle.target.ptx.sm >= 80);
  return {waits ? algorithm_form::warps : algorithm_form::blocks, 512,
          tensor_cores ? handle.device->limits().shared_bytes : 0, false, matrices};
}

layout axis_last(const layout& of, std::int64_t axis) {
  layout turned = of;
  const int at = host::axis_of(axis, of.rank), last = of.rank - 1;
  std::rotate(turned.extents + at, turned.extents + at + 1, turned.extents + last + 1);
  std::rotate(turned.strides + at, turned.strides + at + 1, turned.strides + last + 1);
  return turned;
}

layout axis_back(const layout& of, std::int64_t axis) {
  layout turned = of;
  const int at = host::axis_of(axis, of.rank), last = of.rank - 1;
  std::rotate(turned.extents + at, turned.extents + last, turned.extents + last + 1);
  std::rotate(turned.strides + at, turned.strides + last, turned.strides + last + 1);
  return turned;
}

void check_output(const layout& output, void* device, const layout& wanted, void* wanted_device) {
  for (int d = 0; d < wanted.rank; ++d)
    if (output.extents[d] != wanted.extents[d])
      support::fail_usage("kr::into: the output has shape {}, but the result has shape {}",
                          host::shape_text(output.extents, output.rank),
                          host::shape_text(wanted.extents, wanted.rank));
  if (device != wanted_device)
    support::fail_usage(
        "kr::into: the output of shape {} is on {}, but the result is computed on {}: give an array of that device",
        host::shape_text(output.extents, output.rank), static_cast<host::DeviceHandle*>(device)->id,
        static_cast<host::DeviceHandle*>(wanted_device)->id);
  check_apart(output, "kr::into");
}
void check_same_device(void* device, void* wanted_device) {
  if (device != wanted_device)
    support::fail_usage(
        "one call uses arrays on {} and on {}: copy one of them to the other's device (copy_from)",
        static_cast<host::DeviceHandle*>(wanted_device)->id,
        static_cast<host::DeviceHandle*>(device)->id);
}
void check_outputs_apart(const elements& x, const elements& y) {
  if (may_meet(x, y)) support::fail_usage("kr::into: two outputs overlap");
}
bool same_strides(const layout& x, const layout& y) {
  for (int d = 0; d < x.rank; ++d)
    if (x.extents[d] != 1 && x.strides[d] != y.strides[d]) return false;
  return true;
}

void check_bins(std::int64_t bins, double low, double high) {
  const bool finite = high - low < __builtin_huge_val();
  if (bins > 0 && low < high && finite) return;
  support::fail_usage(
      "histogram: {} bins, from {} to {}: use at least one bin, and finite bounds in ascending order",
      bins, low, high);
}
void check_edges(std::int64_t edges) {
  if (edges < 2) support::fail_usage("histogram: at least two edges are needed, not {}", edges);
}
even_scale scale_of_bins(std::int64_t bins, double low, double high) {
  constexpr double epsilon = 0x1p-52, smallest_step = 0x1p-900;  // far from numbers of fewer bits
  const double width = high - low, step = width / double(bins),
               largest = std::max(std::abs(low), std::abs(high));
  if (!(step > smallest_step)) return {0, 2, low};
  // In bins. The place is rounded three times, by half an epsilon of at most all bins each; so are
  // an edge's offset, and the edge itself by half an epsilon of the largest bound: at most half of
  // this.
  const double near_edge = 8 * epsilon * (double(bins) + largest / step);
  if (!(near_edge < 0.25)) return {0, 2, low};  // each element is near one
  return {double(bins) / width, near_edge, low + step / 2};
}
void refuse_top(std::int64_t k) { support::fail_usage("top_k: k is {}, and must be 0 or more", k); }

void refuse_integers(std::int64_t low, std::int64_t high, bool is_signed) {
  const auto text = [&](std::int64_t x) {
    return is_signed ? std::to_string(x) : std::to_string(std::uint64_t(x));
  };
  support::fail_usage("integers: low is {} and high {}: there is no integer from low to below high",
                      text(low), text(high));
}
void check_bounds(double low, double high, double distance) {
  if (!std::isfinite(distance))
    support::fail_usage("uniform: low is {} and high {}: their distance must be a finite number",
                        low, high);
}
void check_law(const char* law, const char* parameter, double x) {
  if (!(x >= 0)) support::fail_usage("{}: the {} is {}: it must be 0 or more", law, parameter, x);
}
void check_permutation(std::int64_t n) {
  if (n >= std::int64_t(1) << 32)
    support::fail_usage("permutation: of {} elements: at most 2^32 - 1 are possible", n);
}
void check_choice(std::int64_t count, std::int64_t from, bool replace) {
  if (count < 0)
    support::fail_usage("choice: {} elements cannot be drawn: the number must be 0 or more", count);
  if (count > 0 && from == 0)
    support::fail_usage("choice: there is nothing to draw from: the array has no rows");
  if (!replace && count > from)
    support::fail_usage(
        "choice: {} of {} cannot be drawn once each: draw fewer, or with replacement", count, from);
}

bool convolve_shape(const layout& x, const layout& weights, const char* mode, std::int64_t* extents,
                    std::int64_t* first) {
  check_weights(x, weights);
  const std::string_view given(mode);
  if (given != "full" && given != "same" && given != "valid")
    support::fail_usage("mode must be one of 'full', 'same' or 'valid', not '{}'", given);
  bool less = false, more = false;
  for (int d = 0; d < x.rank; ++d) {
    const std::int64_t n = x.extents[d], m = weights.extents[d];
    if (n == 0)
      support::fail_usage("convolve: the array of shape {} has no elements",
                          host::shape_text(x.extents, x.rank));
    less = less || n < m, more = more || n > m;
    extents[d] = given == "full"   ? n + m - 1
                 : given == "same" ? n
                                   : std::max(n, m) - std::min(n, m) + 1;
    first[d] = given == "full" ? 0 : given == "same" ? (m - 1) / 2 : std::min(n, m) - 1;
  }
  if (given != "valid") return false;
  if (less && more)
    support::fail_usage(
        "For 'valid' mode, one must be at least as large as the other in every dimension: the shapes are {} and {}",
        host::shape_text(x.extents, x.rank), host::shape_text(weights.extents, weights.rank));
  return less;
}
void check_weights(const layout& x, const layout& weights) {
  if (host::size_of(weights) == 0)
    support::fail_usage(
        "convolve: the weights of shape {} have no elements; for an array of shape {} they need at least one",
        host::shape_text(weights.extents, weights.rank), host::shape_text(x.extents, x.rank));
}

void check_csr(const std::int64_t* indptr, std::int64_t indptr_size, const std::int64_t* indices,
               std::int64_t indices_size, std::int64_t data_size, std::int64_t rows,
               std::int64_t columns) {
  if (rows < 0 || columns < 0)
    support::fail_usage("csr_matrix: negative dimensions are not allowed: ({},{})", rows, columns);
  if (indptr_size != rows + 1)
    support::fail_usage("csr_matrix: indptr has {} elements; a matrix of {} rows needs {}",
                        indptr_size, rows, rows + 1);
  if (indices_size != data_size)
    support::fail_usage(
        "csr_matrix: there are {} indices and {} elements of data; each element has one index",
        indices_size, data_size);
  if (indptr[0] != 0 || indptr[rows] != data_size)
    support::fail_usage(
        "csr_matrix: indptr goes from {} to {}; it must go from 0 to the number of elements, {}",
        indptr[0], indptr[rows], data_size);
  for (std::int64_t r = 0; r < rows; ++r)
    if (indptr[r + 1] < indptr[r])
      support::fail_usage("csr_matrix: indptr({}) is {} and indptr({}) is {}; it must not decrease",
                          r, indptr[r], r + 1, indptr[r + 1]);
  for (std::int64_t k = 0; k < indices_size; ++k)
    if (indices[k] < 0 || indices[k] >= columns)
      support::fail_usage(
          "csr_matrix: indices({}) is {}, which is out of range for {} columns, counted from 0", k,
          indices[k], columns);
}
void check_sparse_operand(std::int64_t columns, std::int64_t rows) {
  if (columns != rows)
    support::fail_usage(
        "matmul: the sparse matrix has {} columns and the other operand {} rows: they must be equal",
        columns, rows);
}
void check_sparse_product(std::int64_t rows, std::int64_t columns) {
  if (support::clipped_product(rows, columns) == std::numeric_limits<std::int64_t>::max())
    support::fail_usage("matmul: a product of {} rows and {} columns has more than 2^63 - 1 places",
                        rows, columns);
}

}  // namespace krait::detail
