// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/vulkan.h"

#include <memory>

#include "devices/devices.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "devices/store.h"
#include "runtime/vulkan_application.h"
#include "support/error.h"

namespace krait::host {
namespace {

runtime::VulkanApplication& application_of(DeviceHandle& device, const char* operation) {
  if (auto* const a = dynamic_cast<runtime::VulkanApplication*>(device.device.get())) return *a;
  support::fail_usage(
      "kr::vulkan::{}: {} is not an application's device: use the one that kr::vulkan::adopt gave",
      operation, device.id);
}

void check_semaphore(const VkSemaphore_T* semaphore, const char* operation) {
  if (!semaphore) support::fail_usage("kr::vulkan::{}: the semaphore is null", operation);
}

/// A buffer that is lent to an array.
struct Lent {
  Lent(runtime::VulkanApplication& application, VkBuffer_T* buffer, std::uint64_t bytes)
      : by(application), address(application.add_buffer(buffer, bytes)) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { by.remove_buffer(address); }

  runtime::VulkanApplication& by;
  const std::uint64_t address;
};

}  // namespace
}  // namespace krait::host

namespace krait::vulkan {

using host::application_of;
using host::Devices;
using host::handle;

device adopt(const application& of) {
  return host::to_public(Devices::get().adopt(
      [&](const std::string& id) { return runtime::adopt_vulkan(of, host::store(), id); }));
}

void release(const device& adopted) {
  host::DeviceHandle& d = handle(adopted);
  runtime::VulkanApplication& a = application_of(d, "release");
  adopted.synchronize();
  Devices::get().forget(d);
  a.release();
}

void wait(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value) {
  host::check_semaphore(semaphore, "wait");
  application_of(handle(adopted), "wait").wait_for(semaphore, value);
}
void signal(const device& adopted, VkSemaphore_T* semaphore, std::uint64_t value) {
  host::check_semaphore(semaphore, "signal");
  application_of(handle(adopted), "signal").signal(semaphore, value);
}

}  // namespace krait::vulkan

namespace krait::detail {

storage* lend_buffer(void* on, VkBuffer_T* buffer, std::uint64_t offset, std::uint64_t bytes,
                     std::size_t alignment) {
  auto& device = *static_cast<host::DeviceHandle*>(on);
  runtime::VulkanApplication& a = host::application_of(device, "wrap_buffer");
  if (!buffer) support::fail_usage("kr::vulkan::wrap_buffer: the buffer is null");
  if (offset % alignment != 0)
    support::fail_usage(
        "kr::vulkan::wrap_buffer: the offset {} is not a multiple of {}, which the elements need",
        offset, alignment);
  auto lent = std::make_unique<host::Lent>(a, buffer, offset + bytes);
  if (bytes == 0) return nullptr;
  storage* const memory = wrap_memory(on, lent->address + offset, bytes);
  memory->foreign = {lent.release(), [](void* given) { delete static_cast<host::Lent*>(given); }};
  return memory;
}

}  // namespace krait::detail
