// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/features.h"

namespace krait::runtime::vulkan {

FeatureChain::FeatureChain(const Features& f) {
  features.pNext = &v11_;
  v11_.pNext = &v12_;
  void** tail = &v12_.pNext;
  if (f.api >= VK_API_VERSION_1_3) *tail = &v13_, tail = &v13_.pNext;
  if (f.atomic_float_extension) *tail = &atomic_float_, tail = &atomic_float_.pNext;
  if (f.clock_extension) *tail = &clock_, tail = &clock_.pNext;
  if (f.matrix_extension) *tail = &matrix_, tail = &matrix_.next;
  if (f.bf16_extension) *tail = &bf16_;
}

void FeatureChain::request(const Features& f) {
  features.features.shaderInt64 = f.i64;
  features.features.shaderInt16 = f.i16;
  features.features.shaderFloat64 = f.f64;
  v11_.storageBuffer16BitAccess = f.storage16;
  v12_.storageBuffer8BitAccess = f.storage8;
  v12_.shaderInt8 = f.i8;
  v12_.shaderFloat16 = f.f16;
  v12_.bufferDeviceAddress = f.buffer_address;
  v12_.timelineSemaphore = f.timeline;
  v12_.vulkanMemoryModel = v12_.vulkanMemoryModelDeviceScope = f.memory_model;
  v12_.shaderBufferInt64Atomics = f.atomics64;
  v12_.shaderSharedInt64Atomics = f.shared_atomics64;
  v13_.maintenance4 = f.maintenance4;
  v13_.computeFullSubgroups = f.full_subgroups;
  v13_.subgroupSizeControl = f.request_subgroup;
  atomic_float_.shaderBufferFloat32AtomicAdd = f.float_add32;
  atomic_float_.shaderBufferFloat64AtomicAdd = f.float_add64;
  clock_.shaderSubgroupClock = f.clock;
  matrix_.matrices = f.matrices;
  bf16_.numbers = bf16_.matrices = f.bf16_matrices;
}

void FeatureChain::tell(Features& f) const {
  f.i64 = features.features.shaderInt64;
  f.i16 = features.features.shaderInt16;
  f.f64 = features.features.shaderFloat64;
  f.storage16 = v11_.storageBuffer16BitAccess;
  f.storage8 = v12_.storageBuffer8BitAccess;
  f.i8 = v12_.shaderInt8;
  f.f16 = v12_.shaderFloat16;
  f.buffer_address = v12_.bufferDeviceAddress;
  f.timeline = v12_.timelineSemaphore;
  f.memory_model = v12_.vulkanMemoryModel && v12_.vulkanMemoryModelDeviceScope;
  f.atomics64 = v12_.shaderBufferInt64Atomics;
  f.shared_atomics64 = v12_.shaderSharedInt64Atomics;
  f.float_add32 = atomic_float_.shaderBufferFloat32AtomicAdd;
  f.float_add64 = atomic_float_.shaderBufferFloat64AtomicAdd;
  f.clock = clock_.shaderSubgroupClock;
  f.matrices = matrix_.matrices && f.memory_model;
  f.bf16_matrices = f.matrices && bf16_.numbers && bf16_.matrices;
  f.maintenance4 = v13_.maintenance4;
  f.full_subgroups = v13_.computeFullSubgroups;
  if (f.request_subgroup && !v13_.subgroupSizeControl) f.request_subgroup = false, f.subgroup = 0;
  using enum support::Feature;
  f.told.set(I64, f.i64), f.told.set(F64, f.f64), f.told.set(I16, f.i16 && f.storage16),
      f.told.set(I8, f.i8 && f.storage8);
  f.told.set(F16, f.has_f16()), f.told.set(A64, f.atomics64), f.told.set(Sa64, f.shared_atomics64);
  f.told.set(Fadd32, f.float_add32), f.told.set(Fadd64, f.float_add64),
      f.told.set(Vmm, f.memory_model), f.told.set(Warp, f.warp);
  f.told.set(Clock, f.clock);
  f.told.set(Coop, f.matrices && f.full_subgroups),
      f.told.set(CoopBf16, f.bf16_matrices && f.full_subgroups);
}

namespace {

template <class Structure>
const Structure& as(const VkBaseInStructure* at) {
  return *reinterpret_cast<const Structure*>(at);
}
/// All but the chain.
template <class Structure>
void copy(Structure& to, const VkBaseInStructure* at) {
  void* const next = to.pNext;
  to = as<Structure>(at);
  to.pNext = next;
}

}  // namespace

// Structures of the extensions that became Vulkan 1.1 to 1.3 say the same as those of the versions;
// an application has either.
bool FeatureChain::take(const void* chain) {
  bool found = false;
  for (const auto* at = static_cast<const VkBaseInStructure*>(chain); at; at = at->pNext) {
    // Structures that older headers do not have: their types are numbers of ours.
    if (at->sType == matrix_.type) matrix_.matrices = as<MatrixFeatures>(at).matrices;
    if (at->sType == bf16_.type)
      bf16_.numbers = as<Bf16Features>(at).numbers, bf16_.matrices = as<Bf16Features>(at).matrices;
    switch (at->sType) {
      // Whole structures, and then the extensions' parts of them.
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2: copy(features, at), found = true; break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES: copy(v11_, at); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES: copy(v12_, at); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES: copy(v13_, at); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT:
        copy(atomic_float_, at);
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR: copy(clock_, at); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES:  // in 1.1
        v11_.storageBuffer16BitAccess =
            as<VkPhysicalDevice16BitStorageFeatures>(at).storageBuffer16BitAccess;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES:  // from here in 1.2
        v12_.storageBuffer8BitAccess =
            as<VkPhysicalDevice8BitStorageFeatures>(at).storageBuffer8BitAccess;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES:
        v12_.shaderFloat16 = as<VkPhysicalDeviceShaderFloat16Int8Features>(at).shaderFloat16;
        v12_.shaderInt8 = as<VkPhysicalDeviceShaderFloat16Int8Features>(at).shaderInt8;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES:
        v12_.shaderBufferInt64Atomics =
            as<VkPhysicalDeviceShaderAtomicInt64Features>(at).shaderBufferInt64Atomics;
        v12_.shaderSharedInt64Atomics =
            as<VkPhysicalDeviceShaderAtomicInt64Features>(at).shaderSharedInt64Atomics;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES:
        v12_.vulkanMemoryModel =
            as<VkPhysicalDeviceVulkanMemoryModelFeatures>(at).vulkanMemoryModel;
        v12_.vulkanMemoryModelDeviceScope =
            as<VkPhysicalDeviceVulkanMemoryModelFeatures>(at).vulkanMemoryModelDeviceScope;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
        v12_.bufferDeviceAddress =
            as<VkPhysicalDeviceBufferDeviceAddressFeatures>(at).bufferDeviceAddress;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
        v12_.timelineSemaphore =
            as<VkPhysicalDeviceTimelineSemaphoreFeatures>(at).timelineSemaphore;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES:  // from here in 1.3
        v13_.subgroupSizeControl =
            as<VkPhysicalDeviceSubgroupSizeControlFeatures>(at).subgroupSizeControl;
        v13_.computeFullSubgroups =
            as<VkPhysicalDeviceSubgroupSizeControlFeatures>(at).computeFullSubgroups;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES:
        v13_.maintenance4 = as<VkPhysicalDeviceMaintenance4Features>(at).maintenance4;
        break;
      default: break;
    }
  }
  return found;
}

}  // namespace krait::runtime::vulkan
