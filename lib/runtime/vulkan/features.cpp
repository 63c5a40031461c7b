// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/features.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace krait::runtime::vulkan {
namespace {

bool has_extension(VkPhysicalDevice device, const char* name) {
  std::uint32_t count = 0;
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) < 0) return false;
  std::vector<VkExtensionProperties> all(count);
  if (vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()) < 0) return false;
  for (const VkExtensionProperties& e : all)
    if (std::strcmp(e.extensionName, name) == 0) return true;
  return false;
}

/// The family for compute, preferably without graphics, whose queues also copy.
void choose_queue(VkPhysicalDevice device, Features& f) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> all(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, all.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!(all[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
    if (f.queue_family != ~0u && (all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) continue;
    f.queue_family = i;
    f.timestamp_bits = all[i].timestampValidBits;
    if (!(all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT)) return;
  }
}

using support::Feature;

/// Modes may differ between widths only where the device says so; where it does not, all widths
/// have them or none.
void float_controls(const VkPhysicalDeviceVulkan12Properties& p, support::FeatureSet& told) {
  using enum Feature;
  const auto add = [&](const Feature(&modes)[3], VkBool32 f16, VkBool32 f32, VkBool32 f64,
                       VkShaderFloatControlsIndependence independence) {
    if (independence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL && !(f16 && f32 && f64)) return;
    told.set(modes[0], f16), told.set(modes[1], f32), told.set(modes[2], f64);
  };
  add({Szin16, Szin32, Szin64}, p.shaderSignedZeroInfNanPreserveFloat16,
      p.shaderSignedZeroInfNanPreserveFloat32, p.shaderSignedZeroInfNanPreserveFloat64,
      VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL);
  add({Rte16, Rte32, Rte64}, p.shaderRoundingModeRTEFloat16, p.shaderRoundingModeRTEFloat32,
      p.shaderRoundingModeRTEFloat64, p.roundingModeIndependence);
  add({Keep16, Keep32, Keep64}, p.shaderDenormPreserveFloat16, p.shaderDenormPreserveFloat32,
      p.shaderDenormPreserveFloat64, p.denormBehaviorIndependence);
}

/// The driver's rows of quirks.def.
void quirks(VkDriverId driver, Features& f) {
#define VULKAN_QUIRK(id, Cure, versions, probe, symptom) \
  if (driver == VK_DRIVER_ID_##id) f.told.set(Feature::Cure);
#define VULKAN_LIMIT(id, limit, most, versions, probe, symptom) \
  if (driver == VK_DRIVER_ID_##id) f.most_##limit = most;
#define VULKAN_FRAGMENTS(id, device, versions, probe, symptom) \
  f.fragments |= driver == VK_DRIVER_ID_##id && f.name.find(device) != std::string::npos;
#define OPENCL_QUIRK(Cure, platform, versions, probe, symptom)
#define QUIRK(driver, cure, versions, probe, symptom)
#include "support/quirks.def"
}

void query_properties(VkPhysicalDevice device, Features& f) {
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceVulkan13Properties v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  properties.pNext = &v11;
  v11.pNext = &v12;
  if (f.api >= VK_API_VERSION_1_3) v12.pNext = &v13;
  vkGetPhysicalDeviceProperties2(device, &properties);
  f.largest_allocation = v11.maxMemoryAllocationSize;
  float_controls(v12, f.told);
  quirks(v12.driverID, f);
  const VkSubgroupFeatureFlags needed =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
      VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  f.warp = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
           (v11.subgroupSupportedOperations & needed) == needed;
  if (f.api < VK_API_VERSION_1_3) return;
  if (v13.minSubgroupSize == v13.maxSubgroupSize) {
    f.subgroup = v11.subgroupSize;
  } else if (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    f.subgroup = v11.subgroupSize;
    f.request_subgroup = true;
  }
}

/// All but the features.
Features query_rest(VkPhysicalDevice device, std::uint32_t newest) {
  Features f;
  VkPhysicalDeviceProperties basic{};
  vkGetPhysicalDeviceProperties(device, &basic);
  f.name = basic.deviceName;
  f.software = basic.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  f.api = std::min(basic.apiVersion, newest | 0xfff);
  f.limits = basic.limits;
  choose_queue(device, f);
  if (f.api < VK_API_VERSION_1_2) return f;
  query_properties(device, f);
  f.atomic_float_extension = has_extension(device, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  f.matrix_extension = f.fragments && has_extension(device, matrix_extension);
  f.bf16_extension = f.matrix_extension && has_extension(device, bf16_extension);
  f.clock_extension = has_extension(device, VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
  f.non_semantic = f.api >= VK_API_VERSION_1_3 ||
                   has_extension(device, VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME);
  return f;
}

}  // namespace

Features query_features(VkPhysicalDevice device, std::uint32_t newest) {
  Features f = query_rest(device, newest);
  if (f.api < VK_API_VERSION_1_2) return f;
  FeatureChain chain(f);
  vkGetPhysicalDeviceFeatures2(device, &chain.features);
  chain.tell(f);
  return f;
}

Features enabled_features(VkPhysicalDevice device, std::uint32_t newest, std::uint32_t queue_family,
                          const void* theirs) {
  Features f = query_rest(device, newest);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> all(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, all.data());
  if (queue_family >= count)
    support::fail_usage("kr::vulkan::adopt: queue_family is {}, and {} has {} families",
                        queue_family, f.name, count);
  if (!(all[queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    support::fail_usage(
        "kr::vulkan::adopt: queue_family {} of {} does not support compute: "
        "give a queue of another family",
        queue_family, f.name);
  f.queue_family = queue_family, f.timestamp_bits = all[queue_family].timestampValidBits;
  if (f.api < VK_API_VERSION_1_2) return f;
  FeatureChain chain(f);
  if (!chain.take(theirs))
    support::fail_usage(
        "kr::vulkan::adopt: `features` has no VkPhysicalDeviceFeatures2: "
        "chain one into VkDeviceCreateInfo::pNext, instead of pEnabledFeatures, "
        "and give that pointer");
  chain.tell(f);
  // whether the extension is enabled, nothing tells
  if (f.api < VK_API_VERSION_1_3) f.non_semantic = false;
  return f;
}

std::string missing_for_krait(const Features& f) {
  if (f.api < VK_API_VERSION_1_2) return "the driver is older than Vulkan 1.2";
  if (f.queue_family == ~0u) return "it has no compute queue";
  if (!f.buffer_address)
    return "it lacks bufferDeviceAddress: Krait passes addresses, not descriptors";
  if (!f.i64) return "it lacks shaderInt64, which addresses need";
  if (!f.timeline) return "it lacks timelineSemaphore";
  return {};
}

}  // namespace krait::runtime::vulkan
