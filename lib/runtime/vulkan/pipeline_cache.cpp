// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/pipeline_cache.h"

#include <fmt/core.h>

#include <cstring>

namespace krait::runtime::vulkan {
namespace {

/// That the data is this device's and driver's. A driver has to find that out itself, and not every
/// one survives what is not.
bool is_own(std::string_view data, const VkPhysicalDeviceProperties& device) {
  VkPipelineCacheHeaderVersionOne header;
  if (data.size() < sizeof header) return false;
  std::memcpy(&header, data.data(), sizeof header);
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.headerSize >= sizeof header && header.headerSize <= data.size() &&
         header.vendorID == device.vendorID && header.deviceID == device.deviceID &&
         std::memcmp(header.pipelineCacheUUID, device.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

}  // namespace

KeptPipeline::KeptPipeline(const Gpu& gpu, std::string_view shape,
                           std::span<const std::uint32_t> words)
    : gpu_(gpu), source_(reinterpret_cast<const char*>(words.data()), words.size_bytes()) {
  if (!gpu.store) return;
  VkPhysicalDeviceProperties device;
  vkGetPhysicalDeviceProperties(gpu.physical, &device);
  key_ = fmt::format("pipeline of {}\ndevice {:04x}:{:04x} driver {:x} cache ", shape,
                     device.vendorID, device.deviceID, device.driverVersion);
  for (const std::uint8_t byte : device.pipelineCacheUUID) key_ += fmt::format("{:02x}", byte);
  key_ += "\n";
  if (std::optional<std::string> found = gpu.store->find(key_, source_);
      found && is_own(*found, device))
    found_ = std::move(*found);
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = found_.size();
  info.pInitialData = found_.data();
  if (gpu.vk.vkCreatePipelineCache(gpu.device, &info, nullptr, &cache_) != VK_SUCCESS)
    cache_ = VK_NULL_HANDLE;
}

KeptPipeline::~KeptPipeline() {
  if (cache_) gpu_.vk.vkDestroyPipelineCache(gpu_.device, cache_, nullptr);
}

void KeptPipeline::keep(const std::string& kernel_name) {
  if (!cache_ || !found_.empty()) return;
  std::size_t bytes = 0;
  if (gpu_.vk.vkGetPipelineCacheData(gpu_.device, cache_, &bytes, nullptr) != VK_SUCCESS) return;
  std::string data(bytes, '\0');
  if (gpu_.vk.vkGetPipelineCacheData(gpu_.device, cache_, &bytes, data.data()) != VK_SUCCESS)
    return;
  data.resize(bytes);
  // Some drivers keep nothing but a header.
  if (bytes > sizeof(VkPipelineCacheHeaderVersionOne))
    gpu_.store->keep(kernel_name, key_, source_, std::move(data));
}

}  // namespace krait::runtime::vulkan
