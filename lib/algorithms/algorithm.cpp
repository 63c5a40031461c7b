// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the algorithms' headers ask the library.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "algorithms/tuning.h"
#include "devices/devices.h"
#include "devices/layout.h"
#include "krait/algorithm/convolve.h"
#include "krait/algorithm/detail/form.h"
#include "krait/algorithm/detail/result.h"
#include "krait/algorithm/detail/select_kernels.h"
#include "support/error.h"

namespace krait::detail {

algorithm_device algorithm_device_of(device on) {
  const host::DeviceHandle& handle = *static_cast<host::DeviceHandle*>(handle_of(on));
  if (handle.device->host_memory()) {
    const CpuLevel level = handle.target.cpu.level();
    const bool wide = level == CpuLevel::Avx512;
    return {algorithm_form::chunks,
            host::chunks_of_processor * host::processors(),
            0,
            wide,
            handle.target.cpu.adds("+avx512bf16"),
            least_packed_bytes(level)};
  }
  const bool waits = handle.target.kind == support::TargetKind::Ptx;
  const bool matrices = handle.target.has_matrices(),
             tensor_cores = matrices || (waits && handle.target.ptx.sm >= 80);
  return {waits ? algorithm_form::warps : algorithm_form::blocks, host::busy_blocks,
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
        "kr::into: the output of shape {} is on {}, but the result is computed on {}: "
        "give an array of that device",
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

void refuse_top(std::int64_t k) { support::fail_usage("top_k: k is {}, and must be 0 or more", k); }

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
        "For 'valid' mode, one must be at least as large as the other in every dimension: "
        "the shapes are {} and {}",
        host::shape_text(x.extents, x.rank), host::shape_text(weights.extents, weights.rank));
  return less;
}
void check_weights(const layout& x, const layout& weights) {
  if (host::size_of(weights) == 0)
    support::fail_usage(
        "convolve: the weights of shape {} have no elements; "
        "for an array of shape {} they need at least one",
        host::shape_text(weights.extents, weights.rank), host::shape_text(x.extents, x.rank));
}

}  // namespace krait::detail
