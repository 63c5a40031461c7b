// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of Vulkan that prints pipelines' names, labels and dispatches. It is a tool where
// LABEL_LAYER_TOOLS=1.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

PFN_vkGetInstanceProcAddr next_instance;
PFN_vkGetDeviceProcAddr next_device;
VkInstance the_instance;
VkDevice the_device;

template <class Function>
Function below(const char* name) {
  return reinterpret_cast<Function>(the_device ? next_device(the_device, name)
                                               : next_instance(the_instance, name));
}

/// The loader's place in a chain of structures where it says what is below this layer.
template <class Link>
Link* link_of(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<Link*>(const_cast<void*>(chain)); at;
       at = static_cast<Link*>(const_cast<void*>(at->pNext)))
    if (at->sType == type && at->function == VK_LAYER_LINK_INFO) return at;
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* memory,
                                               VkInstance* to) {
  auto* link = link_of<VkLayerInstanceCreateInfo>(info->pNext,
                                                  VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(next_instance(nullptr, "vkCreateInstance"));
  const VkResult result = create(info, memory, to);
  the_instance = *to;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice on, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* memory, VkDevice* to) {
  auto* link =
      link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(next_instance(the_instance, "vkCreateDevice"));
  const VkResult result = create(on, info, memory, to);
  the_device = *to;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL tools(VkPhysicalDevice, std::uint32_t* count,
                                     VkPhysicalDeviceToolProperties*) {
  const char* const told = std::getenv("LABEL_LAYER_TOOLS");
  *count = told ? std::uint32_t(std::atoi(told)) : 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL name_object(VkDevice, const VkDebugUtilsObjectNameInfoEXT* name) {
  if (name->objectType == VK_OBJECT_TYPE_PIPELINE) std::printf("pipeline %s\n", name->pObjectName);
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL begin_label(VkCommandBuffer, const VkDebugUtilsLabelEXT* label) {
  std::printf("begin %s\n", label->pLabelName);
}
VKAPI_ATTR void VKAPI_CALL end_label(VkCommandBuffer) { std::printf("end\n"); }
VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer to, std::uint32_t x, std::uint32_t y,
                                    std::uint32_t z) {
  std::printf("dispatch\n");
  below<PFN_vkCmdDispatch>("vkCmdDispatch")(to, x, y, z);
}

PFN_vkVoidFunction own(std::string_view name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_instance(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction mine = own(name);
  return mine || !next_instance ? mine : next_instance(instance, name);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL of_device(VkDevice device, const char* name) {
  const PFN_vkVoidFunction mine = own(name);
  return mine || !next_device ? mine : next_device(device, name);
}

PFN_vkVoidFunction own(std::string_view name) {
  const auto generic = [](auto* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
  };
  if (name == "vkGetInstanceProcAddr") return generic(of_instance);
  if (name == "vkGetDeviceProcAddr") return generic(of_device);
  if (name == "vkCreateInstance") return generic(create_instance);
  if (name == "vkCreateDevice") return generic(create_device);
  if (name == "vkGetPhysicalDeviceToolProperties") return generic(tools);
  if (name == "vkSetDebugUtilsObjectNameEXT") return generic(name_object);
  if (name == "vkCmdBeginDebugUtilsLabelEXT") return generic(begin_label);
  if (name == "vkCmdEndDebugUtilsLabelEXT") return generic(end_label);
  if (name == "vkCmdDispatch") return generic(dispatch);
  return nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* asked) {
  asked->loaderLayerInterfaceVersion = 2;
  asked->pfnGetInstanceProcAddr = of_instance;
  asked->pfnGetDeviceProcAddr = of_device;
  asked->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
