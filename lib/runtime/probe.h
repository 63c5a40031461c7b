// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/backend.h"

namespace krait::runtime {

/// The probes' kernels, as the code generator makes them for a back end.
struct ProbeCode {
  std::span<const std::uint32_t> f16, f32, f64;
  // in the mode that keeps subnormals, where there is one
  std::span<const std::uint32_t> f32_keep = {};
  /// Instructions of floats that may do what longer code does; without and with that mode. Empty:
  /// not asked.
  std::span<const std::uint32_t> quick = {}, quick_keep = {};
};

/// What a driver does with numbers, by running kernels; of f64 and f16 where the device has them.
/// The result is told to the code generator.
void probe_numbers(Device& device, const ProbeCode& code, support::FeatureSet& told);

}  // namespace krait::runtime
