// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of an application: everything but the VkDevice and its queue is Krait's own.
#include <algorithm>
#include <utility>

#include "krait/vulkan.h"
#include "runtime/vulkan/device.h"
#include "runtime/vulkan_application.h"

namespace krait::runtime::vulkan {
namespace {

class AdoptedDevice final : public VulkanDevice, public VulkanApplication {
 public:
  AdoptedDevice(std::shared_ptr<Instance> instance, const krait::vulkan::application& of,
                Features features, support::Store* store, std::string id)
      : VulkanDevice(std::move(instance), of.physical_device, std::move(features), store,
                     std::move(id)) {
    gpu_.device = of.device, gpu_.queue = of.queue;
    volkLoadDeviceTable(&gpu_.vk, gpu_.device);
    gpu_.labels = gpu_.instance->shows_labels(gpu_.physical, gpu_.features.api);
  }
  ~AdoptedDevice() override { leave(); }

  std::uint64_t add_buffer(VkBuffer buffer, std::uint64_t bytes) override {
    const auto held = enter();
    VkMemoryRequirements whole{};
    gpu_.vk.vkGetBufferMemoryRequirements(gpu_.device, buffer, &whole);
    if (bytes > whole.size)
      support::fail_usage(
          "kr::vulkan::wrap_buffer: the array ends at byte {}, and the buffer has {}", bytes,
          whole.size);
    VkBufferDeviceAddressInfo where{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    where.buffer = buffer;
    const std::uint64_t address = gpu_.vk.vkGetBufferDeviceAddress(gpu_.device, &where);
    opened().heap.add({buffer, VK_NULL_HANDLE, whole.size, address, nullptr});
    return address;
  }
  void remove_buffer(std::uint64_t address) noexcept override {
    const std::lock_guard lock(mutex_);
    if (open_) open_->heap.remove(address);
  }
  void wait_for(VkSemaphore semaphore, std::uint64_t value) override {
    const auto held = enter();
    opened().queue.wait_for(semaphore, value);
  }
  void signal(VkSemaphore semaphore, std::uint64_t value) override {
    const auto held = enter();
    opened().queue.signal(semaphore, value);
  }
  void release() override { leave(); }
};

void check_handles(const krait::vulkan::application& of) {
  const std::pair<const void*, const char*> handles[] = {{of.instance, "instance"},
                                                         {of.physical_device, "physical_device"},
                                                         {of.device, "device"},
                                                         {of.queue, "queue"}};
  for (const auto& [handle, name] : handles)
    if (!handle) support::fail_usage("kr::vulkan::adopt: `{}` is null", name);
  if (of.api_version < VK_API_VERSION_1_2)
    support::fail_usage(
        "kr::vulkan::adopt: `api_version` is {}.{}, and kernels need 1.2: "
        "set VkApplicationInfo::apiVersion to VK_API_VERSION_1_2 or later, "
        "and give the same value",
        VK_API_VERSION_MAJOR(of.api_version), VK_API_VERSION_MINOR(of.api_version));
}

}  // namespace
}  // namespace krait::runtime::vulkan

namespace krait::runtime {

std::unique_ptr<Device> adopt_vulkan(const krait::vulkan::application& of, support::Store* store,
                                     std::string id) {
  using namespace vulkan;
  check_handles(of);
  std::shared_ptr<Instance> instance = Instance::adopt(of.instance);
  if (!instance)
    support::fail_device("kr::vulkan::adopt: no Vulkan loader (libvulkan.so.1) on this machine");
  const std::vector<VkPhysicalDevice> all = instance->physical_devices();
  if (std::find(all.begin(), all.end(), of.physical_device) == all.end())
    support::fail_usage(
        "kr::vulkan::adopt: `physical_device` is not one of the {} that `instance` has",
        all.size());
  Features features =
      enabled_features(of.physical_device, of.api_version, of.queue_family, of.features);
  if (const std::string missing = missing_for_krait(features); !missing.empty())
    support::fail_usage(
        "kr::vulkan::adopt: {} cannot run kernels as it was made: {}: "
        "enable that in the chain that vkCreateDevice gets, "
        "and give the same chain as `features`",
        features.name, missing);
  return std::make_unique<AdoptedDevice>(std::move(instance), of, std::move(features), store,
                                         std::move(id));
}

}  // namespace krait::runtime
