// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/arrivals.h"

#include <mutex>
#include <vector>

namespace krait::host {

Arrivals::Arrivals(runtime::Device& device) : address_(device.allocate(count * 4, {})) {
  const std::vector<std::uint32_t> zeros(count);
  device.copy_to_device(address_, zeros.data(), count * 4, {});
  device.synchronize();
}

Arrivals& arrivals_of(DeviceHandle& device) {
  if (Arrivals* made = device.arrivals.load(std::memory_order_acquire)) return *made;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!device.arrivals.load())
    device.arrivals.store(new Arrivals(*device.device), std::memory_order_release);
  return *device.arrivals.load();
}

}  // namespace krait::host
