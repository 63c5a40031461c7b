// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters for the barriers of the grid (passes/lower/grid_barriers.cpp): launches that run at once
// must not share one, and a finished launch leaves its counter fit for the next.
#pragma once

#include <atomic>
#include <cstdint>

#include "devices/devices.h"

namespace krait::host {

class Arrivals {
 public:
  explicit Arrivals(runtime::Device& device);
  /// The address of another counter than those of the last 65,535 calls: no device has so many
  /// launches under way.
  std::uint64_t next() {
    return address_ + 4 * (given_.fetch_add(1, std::memory_order_relaxed) % count);
  }

 private:
  static constexpr std::uint64_t count = 1 << 16;
  std::uint64_t address_;
  std::atomic<std::uint64_t> given_{0};
};

/// The device's, made when first asked for.
Arrivals& arrivals_of(DeviceHandle& device);

}  // namespace krait::host
