// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form of products by tensor cores is the fastest for a size on a device.
#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/matmul/tensor.h"
#include "algorithms/tuning.h"
#include "devices/devices.h"

namespace krait::host {
namespace {

std::int64_t blocks_of(const TensorForm& f, const ProductSize& of) {
  return of.batch * divided_up(of.rows, f.rows) * divided_up(of.columns, f.columns);
}

}  // namespace

std::span<const TensorForm> tensor_forms(scalar factor) {
  if (bytes_of(factor) == 8) return tensor_forms_64;
  if (bytes_of(factor) == 2) return tensor_forms_16;
  return std::span(tensor_forms_16).first<tensor_forms_of_strips>();
}

std::int64_t multiprocessors_of(void* device_handle) {
  const std::int64_t told =
      static_cast<const DeviceHandle*>(device_handle)->device->limits().multiprocessors;
  return told > 0 ? told : unknown_multiprocessors;
}

TensorDevice tensor_device(std::int64_t shared, std::int64_t multiprocessors,
                           double bytes_per_second) {
  const double rate =
      std::max(std::round(bytes_per_second * 1e-6 * read_share / bandwidth_step), 1.0) *
      bandwidth_step;
  return {shared, multiprocessors > 0 ? multiprocessors : unknown_multiprocessors,
          bytes_per_second > 0 ? rate : unknown_bytes_per_microsecond};
}
TensorDevice tensor_device_of(void* handle) {
  const runtime::Device::Limits told = static_cast<const DeviceHandle*>(handle)->device->limits();
  return tensor_device(detail::algorithm_device_of(detail::device_from(handle)).tensor_shared,
                       told.multiprocessors, told.bytes_per_second);
}

std::int64_t most_parts(const TensorForm& f, const ProductSize& of, const TensorDevice& on) {
  return std::max<std::int64_t>(
      std::min(on.multiprocessors / blocks_of(f, of), of.steps / least_steps_of_part), 1);
}

double time_of(const TensorForm& f, const ProductSize& of, std::int64_t parts,
               const TensorDevice& on) {
  const TensorCost& c = f.cost;
  const std::int64_t blocks = blocks_of(f, of) * parts, wave = on.multiprocessors * c.together,
                     rest = blocks % wave;
  const double steps = double(divided_up(of.steps, parts));
  const auto of_step = [&](std::int64_t on_each) {
    return std::max(double(on_each) * c.step, c.least);
  };
  const double all = double(blocks / wave) * of_step(c.together) +
                     (rest ? of_step(divided_up(rest, on.multiprocessors)) : 0);
  const double written = double(of.batch * of.rows * of.columns * parts) * 2 * sizeof(float);
  return steps * all + double(divided_up(blocks, wave)) * c.tile +
         (parts > 1 ? second_kernel + written / on.bytes_per_microsecond : 0);
}

TensorChoice choose_form(scalar factor, const ProductSize& of, const TensorDevice& on) {
  double least = std::numeric_limits<double>::infinity();
  TensorChoice best{&tensor_forms(factor).front(), 1};
  for (const TensorForm& f : tensor_forms(factor)) {
    if (f.shared_bytes() > on.shared) continue;
    for (const std::int64_t parts : {std::int64_t(1), most_parts(f, of, on)})
      if (const double time = time_of(f, of, parts, on); time < nearly_equal * least)
        least = time, best = {&f, parts};
  }
  return best;
}

TensorChoice choose_group_form(scalar factor, const ProductSize& of, const TensorDevice& on) {
  double least = std::numeric_limits<double>::infinity();
  TensorChoice best{&tensor_forms(factor).front(), 1};
  for (const TensorForm& f : tensor_forms(factor)) {
    const double time = time_of(f, of, 1, on);
    if (f.shared_bytes() <= on.shared && time < least) least = time, best.form = &f;
  }
  return best;
}

std::int64_t least_tensor_memory(scalar factor) {
  return bytes_of(factor) == 2 ? least_form_16.shared_bytes() : least_form_of_strips.shared_bytes();
}

}  // namespace krait::host
