// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one VkInstance, shared by the devices that came out of it, and the messages of its validation
// layer.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/backend.h"
#include "runtime/vulkan/api.h"

namespace krait::runtime::vulkan {

class Instance {
 public:
  /// Null where there is no loader, or no driver behind it; `why` then says what is missing.
  static std::shared_ptr<Instance> create(std::string& why);
  /// One that an application made. Null where there is no loader.
  static std::shared_ptr<Instance> adopt(VkInstance handle);
  ~Instance();

  VkInstance handle() const { return handle_; }
  std::vector<VkPhysicalDevice> physical_devices() const;
  /// KRAIT_DEBUG=1: messages of a validation layer become errors.
  bool debug() const { return debug_; }
  /// Somebody reads the names of pipelines and the labels of launches: KRAIT_DEBUG=1, or a tool
  /// such as RenderDoc that looks at the device.
  bool shows_labels(VkPhysicalDevice physical, std::uint32_t version) const;
  /// Why drivers cannot be called in this process any more, or null: it is a fork of the one that
  /// made the instance, or exits, and drivers have ended before the objects of static storage that
  /// are older.
  static const char* gone();
  /// To be called when a driver may have registered handlers for the end of the process: notes that
  /// they are about to run. In a fork they wait for threads that the fork does not have, whose
  /// memory may be gone: it ends before they run, with its status and its streams written out.
  static void watch_the_end();
  /// Throws what the validation layer said since the last call.
  void raise_messages();

 private:
  Instance() = default;
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                   void* self);

  VkInstance handle_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool owned_ = true, debug_ = false, has_labels_ = false;
  std::mutex mutex_;
  std::string messages_;
};

}  // namespace krait::runtime::vulkan
