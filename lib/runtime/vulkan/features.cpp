// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/features.h"

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

/// Modes may differ between widths only where the device says so; where it does not, all widths have them or none.
void float_controls(const VkPhysicalDeviceVulkan12Properties& p, support::FeatureSet& told) {
  using enum Feature;
  const auto add = [&](const Feature(&modes)[3], VkBool32 f16, VkBool32 f32, VkBool32 f64,
                       VkShaderFloatControlsIndependence independence) {
    if (independence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL && !(f16 && f32 && f64)) return;
    told.set(modes[0], f16), told.set(modes[1], f32), told.set(modes[2], f64);
  };
  add({Szin16, Szin32, Szin64}, p.shaderSignedZeroInfNanPreserveFloat16, p.shaderSignedZeroInfNanPreserveFloat32,
      p.shaderSignedZeroInfNanPreserveFloat64, VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL);
  add({Rte16, Rte32, Rte64}, p.shaderRoundingModeRTEFloat16, p.shaderRoundingModeRTEFloat32, p.shaderRoundingModeRTEFloat64,
      p.roundingModeIndependence);
  add({Keep16, Keep32, Keep64}, p.shaderDenormPreserveFloat16, p.shaderDenormPreserveFloat32, p.shaderDenormPreserveFloat64,
      p.denormBehaviorIndependence);
}

/// The driver's rows of quirks.def.
void quirks(VkDriverId driver, Features& f) {
#define VULKAN_QUIRK(id, Cure, versions, probe, symptom) \
  if (driver == VK_DRIVER_ID_##id) f.told.set(Feature::Cure);
#define VULKAN_LIMIT(id, limit, most, versions, probe, symptom) \
  if (driver == VK_DRIVER_ID_##id) f.most_##limit = most;
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
  const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                                        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  f.warp = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) && (v11.subgroupSupportedOperations & needed) == needed;
  if (f.api < VK_API_VERSION_1_3) return;
  if (v13.minSubgroupSize == v13.maxSubgroupSize) {
    f.subgroup = v11.subgroupSize;
  } else if (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    f.subgroup = v11.subgroupSize;
    f.request_subgroup = true;
  }
}

void tell(Features& f) {
  using enum Feature;
  f.told.set(I64, f.i64), f.told.set(F64, f.f64), f.told.set(I16, f.i16 && f.storage16), f.told.set(I8, f.i8 && f.storage8);
  f.told.set(F16, f.has_f16()), f.told.set(A64, f.atomics64), f.told.set(Sa64, f.shared_atomics64);
  f.told.set(Fadd32, f.float_add32), f.told.set(Fadd64, f.float_add64), f.told.set(Vmm, f.memory_model), f.told.set(Warp, f.warp);
  f.told.set(Clock, f.clock);
}

}  // namespace

Features query_features(VkPhysicalDevice device) {
  Features f;
  VkPhysicalDeviceProperties basic{};
  vkGetPhysicalDeviceProperties(device, &basic);
  f.name = basic.deviceName;
  f.software = basic.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  f.api = basic.apiVersion;
  f.limits = basic.limits;
  choose_queue(device, f);
  if (f.api < VK_API_VERSION_1_2) return f;
  query_properties(device, f);

  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  f.atomic_float_extension = has_extension(device, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
  features.pNext = &v11;
  v11.pNext = &v12;
  void** tail = &v12.pNext;
  if (f.api >= VK_API_VERSION_1_3) *tail = &v13, tail = &v13.pNext;
  if (f.atomic_float_extension) *tail = &atomic_float, tail = &atomic_float.pNext;
  VkPhysicalDeviceShaderClockFeaturesKHR clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  if (has_extension(device, VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) *tail = &clock;
  vkGetPhysicalDeviceFeatures2(device, &features);

  f.i64 = features.features.shaderInt64;
  f.i16 = features.features.shaderInt16;
  f.f64 = features.features.shaderFloat64;
  f.storage16 = v11.storageBuffer16BitAccess;
  f.storage8 = v12.storageBuffer8BitAccess;
  f.i8 = v12.shaderInt8;
  f.f16 = v12.shaderFloat16;
  f.buffer_address = v12.bufferDeviceAddress;
  f.timeline = v12.timelineSemaphore;
  f.memory_model = v12.vulkanMemoryModel && v12.vulkanMemoryModelDeviceScope;
  f.atomics64 = v12.shaderBufferInt64Atomics;
  f.shared_atomics64 = v12.shaderSharedInt64Atomics;
  f.float_add32 = atomic_float.shaderBufferFloat32AtomicAdd;
  f.float_add64 = atomic_float.shaderBufferFloat64AtomicAdd;
  f.clock = clock.shaderSubgroupClock;
  f.non_semantic = f.api >= VK_API_VERSION_1_3 || has_extension(device, VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME);
  f.maintenance4 = v13.maintenance4;
  f.full_subgroups = v13.computeFullSubgroups;
  if (f.request_subgroup && !v13.subgroupSizeControl) f.request_subgroup = false, f.subgroup = 0;
  tell(f);
  return f;
}

std::string missing_for_krait(const Features& f) {
  if (f.api < VK_API_VERSION_1_2) return "the driver is older than Vulkan 1.2";
  if (f.queue_family == ~0u) return "it has no compute queue";
  if (!f.buffer_address) return "it lacks bufferDeviceAddress: Krait passes addresses, not descriptors";
  if (!f.i64) return "it lacks shaderInt64, which addresses need";
  if (!f.timeline) return "it lacks timelineSemaphore";
  return {};
}

FeatureChain::FeatureChain(const Features& f) {
  features.features.shaderInt64 = f.i64;
  features.features.shaderInt16 = f.i16;
  features.features.shaderFloat64 = f.f64;
  v11_.storageBuffer16BitAccess = f.storage16;
  v12_.storageBuffer8BitAccess = f.storage8;
  v12_.shaderInt8 = f.i8;
  v12_.shaderFloat16 = f.f16;
  v12_.bufferDeviceAddress = true;
  v12_.timelineSemaphore = true;
  v12_.hostQueryReset = false;
  v12_.vulkanMemoryModel = v12_.vulkanMemoryModelDeviceScope = f.memory_model;
  v12_.shaderBufferInt64Atomics = f.atomics64;
  v12_.shaderSharedInt64Atomics = f.shared_atomics64;
  v13_.maintenance4 = f.maintenance4;
  v13_.computeFullSubgroups = f.full_subgroups;
  v13_.subgroupSizeControl = f.request_subgroup;
  atomic_float_.shaderBufferFloat32AtomicAdd = f.float_add32;
  atomic_float_.shaderBufferFloat64AtomicAdd = f.float_add64;
  features.pNext = &v11_;
  v11_.pNext = &v12_;
  void** tail = &v12_.pNext;
  if (f.api >= VK_API_VERSION_1_3) *tail = &v13_, tail = &v13_.pNext;
  if (f.atomic_float_extension) *tail = &atomic_float_, tail = &atomic_float_.pNext;
  clock_.shaderSubgroupClock = f.clock;
  if (f.clock) *tail = &clock_;
}

}  // namespace krait::runtime::vulkan
