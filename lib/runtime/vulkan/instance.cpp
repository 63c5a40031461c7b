// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/instance.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "runtime/vulkan/device.h"
#include "support/environment.h"
#include "support/places.h"
#include "support/threads.h"

namespace krait::runtime::vulkan {

std::string name_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialisation failed";
    case VK_ERROR_DEVICE_LOST: return "device lost (a kernel faulted or ran too long)";
    case VK_ERROR_MEMORY_MAP_FAILED: return "memory cannot be mapped";
    case VK_ERROR_LAYER_NOT_PRESENT: return "a layer is missing";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "an extension is missing";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "a feature is missing";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "no driver";
    case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
    case VK_ERROR_FRAGMENTATION: return "memory is fragmented";
    case VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS: return "invalid address";
    default: return fmt::format("VkResult {}", int(result));
  }
}

namespace {
// a child of fork has no working driver where its parent had one
std::atomic<bool> in_use{false}, in_fork{false};
std::atomic<bool> ended{false};
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { in_fork = in_use.load(); });
}  // namespace

const char* Instance::gone() {
  if (in_fork.load(std::memory_order_relaxed))
    return "this process is a fork of one that used Vulkan, which drivers do not support: "
           "start the child with exec";
  if (ended.load(std::memory_order_relaxed))
    return "the program exits, and Vulkan's drivers have ended. Use arrays and kernels before main "
           "returns, or make the object that uses them in its destructor after the first use of the "
           "device";
  return nullptr;
}

// Handlers run in the reverse order: what the program registered since then has run.
void Instance::watch_the_end() {
  const auto leave = [](int status, void*) {
    ended = true;
    if (!in_fork) return;
    for (std::ostream* stream : {&std::cout, &std::cerr, &std::clog}) stream->flush();
    std::fflush(nullptr);
    _exit(status);
  };
  on_exit(leave, nullptr);
}

namespace {

bool asked_to_debug() { return support::environment_asks("KRAIT_DEBUG"); }

/// VK_EXT_debug_utils, which the loader brings itself since 2018.
bool offers_debug_utils() {
  std::uint32_t count = 0;
  if (!vkEnumerateInstanceExtensionProperties ||
      vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr) < 0)
    return false;
  std::vector<VkExtensionProperties> all(count);
  if (vkEnumerateInstanceExtensionProperties(nullptr, &count, all.data()) < 0) return false;
  return std::any_of(all.begin(), all.end(), [](const VkExtensionProperties& p) {
    return std::string_view(p.extensionName) == VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  });
}

bool load_loader() {
  static const bool loaded = [] {
    std::string said;
    void* library = support::open_library("libvulkan.so.1", said);
    if (!library) library = support::open_library("libvulkan.so", said);
    const auto find =
        library
            ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"))
            : nullptr;
    if (find) volkInitializeCustom(find);
    return find != nullptr;
  }();
  return loaded;
}

}  // namespace

std::shared_ptr<Instance> Instance::create(std::string& why) {
  if (const char* const why_not = support::why_no_drivers()) {
    why = why_not;
    return nullptr;
  }
  if (!load_loader()) {
    why = "no Vulkan loader (libvulkan.so.1) on this machine";
    return nullptr;
  }
  if (volkGetInstanceVersion() < VK_API_VERSION_1_2) {
    why = "the Vulkan loader is older than 1.2";
    return nullptr;
  }
  std::shared_ptr<Instance> self(new Instance);
  self->debug_ = asked_to_debug();
  self->has_labels_ = offers_debug_utils();

  // The messenger is made after the instance: drivers are silent about the instance itself.
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "krait";
  application.apiVersion = VK_API_VERSION_1_3;
  VkDebugUtilsMessengerCreateInfoEXT messenger{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = self.get();
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  if (self->has_labels_) {
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
  }
  if (VkResult result = vkCreateInstance(&info, nullptr, &self->handle_); result != VK_SUCCESS) {
    why = result == VK_ERROR_INCOMPATIBLE_DRIVER ? "no Vulkan driver is installed"
                                                 : "vkCreateInstance failed: " + name_of(result);
    self->handle_ = VK_NULL_HANDLE;
    return nullptr;
  }
  // From here on the process uses Vulkan: a fork may not use it again, and exit waits for it.
  volkLoadInstanceOnly(self->handle_);
  in_use = true;
  watch_the_end();
  if (self->debug_ && self->has_labels_)
    check(vkCreateDebugUtilsMessengerEXT(self->handle_, &messenger, nullptr, &self->messenger_),
          "vkCreateDebugUtilsMessengerEXT");
  return self;
}

// Functions of the loader find the driver by the handle that they get, so one table serves all
// instances.
std::shared_ptr<Instance> Instance::adopt(VkInstance handle) {
  if (!load_loader()) return nullptr;
  if (!vkEnumeratePhysicalDevices) volkLoadInstanceOnly(handle);
  std::shared_ptr<Instance> self(new Instance);
  self->handle_ = handle, self->owned_ = false, self->debug_ = asked_to_debug();
  self->has_labels_ =
      vkCmdBeginDebugUtilsLabelEXT && vkGetInstanceProcAddr(handle, "vkCmdBeginDebugUtilsLabelEXT");
  in_use = true;
  watch_the_end();
  return self;
}

Instance::~Instance() {
  if (gone() || !owned_) return;
  if (messenger_) vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_) vkDestroyInstance(handle_, nullptr);
}

VKAPI_ATTR VkBool32 VKAPI_CALL
Instance::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                     const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  constexpr std::size_t enough = 4000;  // bytes, for an error's text
  auto& instance = *static_cast<Instance*>(self);
  const std::lock_guard lock(instance.mutex_);
  if (instance.messages_.size() < enough) instance.messages_.append(data->pMessage).append("\n");
  return VK_FALSE;
}

bool Instance::shows_labels(VkPhysicalDevice physical, std::uint32_t version) const {
  if (!has_labels_ || debug_) return has_labels_;
  std::uint32_t tools = 0;
  return version >= VK_API_VERSION_1_3 &&
         vkGetPhysicalDeviceToolProperties(physical, &tools, nullptr) >= 0 && tools > 0;
}

void Instance::raise_messages() {
  if (!debug_) return;
  std::string said;
  {
    const std::lock_guard lock(mutex_);
    said.swap(messages_);
  }
  if (!said.empty()) support::fail_device("Vulkan validation: {}", said);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  std::uint32_t count = 0;
  if (vkEnumeratePhysicalDevices(handle_, &count, nullptr) < 0) return {};
  std::vector<VkPhysicalDevice> all(count);
  if (vkEnumeratePhysicalDevices(handle_, &count, all.data()) < 0) return {};
  all.resize(count);
  return all;
}

namespace {

/// A GPU's device node. Creating an instance costs tens of milliseconds, so it is not done to find
/// nothing.
bool has_gpu_node() {
  std::error_code ignored;
  for (const char* node :
       {"/dev/dri", "/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg", "/dev/kgsl-3d0", "/dev/mali0"})
    if (std::filesystem::exists(node, ignored)) return true;
  return false;
}

}  // namespace

}  // namespace krait::runtime::vulkan

namespace krait::runtime {

Found vulkan_devices(bool software, support::Store* store) {
  using namespace vulkan;
  const DefaultFloatEnvironment floats;  // for the threads that a software driver starts
  const support::SignalsBlocked signals;
  Found found;
  const auto skip = [&](std::string text) { found.skipped.push_back(std::move(text)); };
  if (!software && !has_gpu_node()) return found;
  std::string why;
  std::shared_ptr<Instance> instance = Instance::create(why);
  const std::vector<VkPhysicalDevice> all =
      instance ? instance->physical_devices() : std::vector<VkPhysicalDevice>{};
  if (instance && all.empty()) why = "the Vulkan loader's drivers find no device";
  if (!why.empty()) skip("vulkan: " + why);
  for (VkPhysicalDevice physical : all) {
    Features features = query_features(physical);
    if (features.software && !software) continue;
    if (std::string missing = missing_for_krait(features); !missing.empty()) {
      skip(fmt::format("{}: {}", features.name, missing));
    } else {
      found.devices.push_back(std::make_unique<VulkanDevice>(
          instance, physical, features, store, fmt::format("vulkan:{}", found.devices.size())));
    }
  }
  return found;
}

}  // namespace krait::runtime
