// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libvulkan.so.1 that is made up: the variable MADE_UP_VULKAN is the version 1.N that it tells,
// and no instance can be made for want of memory.
#include <vulkan/vulkan.h>

#include <cstdlib>
#include <string_view>

namespace {

VKAPI_ATTR VkResult VKAPI_CALL version(std::uint32_t* to) {
  const char* const minor = std::getenv("MADE_UP_VULKAN");
  return *to = VK_MAKE_API_VERSION(0, 1, std::uint32_t(minor ? std::atoi(minor) : 3), 0),
         VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                      VkInstance*) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance, const char* name) {
  if (std::string_view(name) == "vkEnumerateInstanceVersion")
    return reinterpret_cast<PFN_vkVoidFunction>(version);
  if (std::string_view(name) == "vkCreateInstance")
    return reinterpret_cast<PFN_vkVoidFunction>(create);
  return nullptr;
}
