// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An application of Vulkan, as far as it meets kernels: an instance with the validation layer where
// that is installed, a device, a queue, buffers, a timeline semaphore, and copies and fills of its
// own.
#pragma once

#include <volk.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace krait::test {

inline void done(VkResult result, const char* call) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(call) + " gives VkResult " + std::to_string(int(result)));
}

struct Application {
  static constexpr std::uint32_t version = VK_API_VERSION_1_2;
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  std::uint32_t family = 0;
  VkSemaphore timeline{};
  // What the application enables; Krait is told of it.
  VkPhysicalDeviceVulkan12Features features12{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .timelineSemaphore = VK_TRUE,
      .bufferDeviceAddress = VK_TRUE};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = &features12,
                                     .features = {.shaderInt64 = VK_TRUE}};
  std::string said;  // by the validation layer

  /// `found` stays false where there is no driver.
  Application() {
    if (volkInitialize() != VK_SUCCESS) return;
    const char* const layer = "VK_LAYER_KHRONOS_validation";
    const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkApplicationInfo about{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = version};
    VkDebugUtilsMessengerCreateInfoEXT hears{
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = hear,
        .pUserData = this};
    VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pNext = &hears,
                                .pApplicationInfo = &about,
                                .enabledLayerCount = 1,
                                .ppEnabledLayerNames = &layer,
                                .enabledExtensionCount = 1,
                                .ppEnabledExtensionNames = &extension};
    if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS) {
      create.enabledLayerCount = 0;  // not installed
      if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS) return;
    }
    volkLoadInstanceOnly(instance);
    std::uint32_t count = 1;
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) return;
    const float priority = 1;
    VkDeviceQueueCreateInfo queues{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                   .queueFamilyIndex = family,
                                   .queueCount = 1,
                                   .pQueuePriorities = &priority};
    VkDeviceCreateInfo make{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                            .pNext = &features,
                            .queueCreateInfoCount = 1,
                            .pQueueCreateInfos = &queues};
    done(vkCreateDevice(physical, &make, nullptr, &device), "vkCreateDevice");
    volkLoadDevice(device);
    vkGetDeviceQueue(device, family, 0, &queue);
    VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                   .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphore{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                    .pNext = &type};
    done(vkCreateSemaphore(device, &semaphore, nullptr, &timeline), "vkCreateSemaphore");
    VkCommandPoolCreateInfo create_pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .queueFamilyIndex = family};
    done(vkCreateCommandPool(device, &create_pool, nullptr, &pool_), "vkCreateCommandPool");
  }
  Application(const Application&) = delete;
  ~Application() { close(); }

  /// Tells the layer's complaints, too, of what was not destroyed.
  void close() {
    if (device) {
      vkDeviceWaitIdle(device);
      for (const Owned& b : buffers_)
        vkDestroyBuffer(device, b.buffer, nullptr), vkFreeMemory(device, b.memory, nullptr);
      vkDestroyCommandPool(device, pool_, nullptr), vkDestroySemaphore(device, timeline, nullptr);
      vkDestroyDevice(device, nullptr);
    }
    if (instance) vkDestroyInstance(instance, nullptr);
    device = nullptr, instance = nullptr;
  }

  /// In host-visible memory.
  VkBuffer buffer(VkDeviceSize bytes) {
    Owned b{};
    VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .size = bytes,
                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                       VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    done(vkCreateBuffer(device, &create, nullptr, &b.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, b.buffer, &needs);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    constexpr VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    std::uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) ||
           (types.memoryTypes[type].propertyFlags & host) != host)
      ++type;
    VkMemoryAllocateFlagsInfo flags{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                    .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &flags,
                                  .allocationSize = needs.size,
                                  .memoryTypeIndex = type};
    done(vkAllocateMemory(device, &allocate, nullptr, &b.memory), "vkAllocateMemory");
    done(vkBindBufferMemory(device, b.buffer, b.memory, 0), "vkBindBufferMemory");
    done(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.mapped), "vkMapMemory");
    buffers_.push_back(b);
    return b.buffer;
  }
  /// What the host sees of a buffer.
  template <class Number>
  Number* mapped(VkBuffer of) const {
    for (const Owned& b : buffers_)
      if (b.buffer == of) return static_cast<Number*>(b.mapped);
    return nullptr;
  }

  /// Submits what `record` puts into a command buffer; it waits for one value of the timeline and
  /// signals another.
  template <class Record>
  void submit(std::uint64_t waits, std::uint64_t signals, const Record& record) {
    VkCommandBuffer commands{};
    VkCommandBufferAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                         .commandPool = pool_,
                                         .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                         .commandBufferCount = 1};
    done(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                   .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    done(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    record(commands);
    done(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                         .waitSemaphoreValueCount = 1,
                                         .pWaitSemaphoreValues = &waits,
                                         .signalSemaphoreValueCount = 1,
                                         .pSignalSemaphoreValues = &signals};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                      .pNext = &values,
                      .waitSemaphoreCount = 1,
                      .pWaitSemaphores = &timeline,
                      .pWaitDstStageMask = &stage,
                      .commandBufferCount = 1,
                      .pCommandBuffers = &commands,
                      .signalSemaphoreCount = 1,
                      .pSignalSemaphores = &timeline};
    done(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  }
  void wait(std::uint64_t value) const {
    VkSemaphoreWaitInfo info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                             .semaphoreCount = 1,
                             .pSemaphores = &timeline,
                             .pValues = &value};
    done(vkWaitSemaphores(device, &info, ~std::uint64_t(0)), "vkWaitSemaphores");
  }

 private:
  struct Owned {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void* mapped;
  };
  static VKAPI_ATTR VkBool32 VKAPI_CALL hear(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                             VkDebugUtilsMessageTypeFlagsEXT,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data,
                                             void* self) {
    static_cast<Application*>(self)->said += std::string(data->pMessage) + "\n";
    return VK_FALSE;
  }

  VkCommandPool pool_{};
  std::vector<Owned> buffers_;
};

}  // namespace krait::test
