// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a physical device offers of what Krait's code generator uses, and the request for it.
#pragma once

#include <string>

#include "runtime/vulkan/api.h"
#include "support/target.h"

namespace krait::runtime::vulkan {

struct Features {
  std::string name;
  bool software = false;  // no GPU: the driver runs on the CPU
  std::uint32_t api = 0;
  VkPhysicalDeviceLimits limits{};
  VkDeviceSize largest_allocation = 0;
  std::uint32_t queue_family = ~0u, timestamp_bits = 0;
  unsigned subgroup = 0;  // lanes, fixed by the hardware or on request; 0: it varies
  bool request_subgroup = false, full_subgroups = false, warp = false;

  bool buffer_address = false, timeline = false, i64 = false, maintenance4 = false;
  bool f64 = false, i16 = false, i8 = false, f16 = false, storage8 = false, storage16 = false;
  bool memory_model = false, atomics64 = false, shared_atomics64 = false;
  bool clock_extension = false, clock = false;
  bool non_semantic = false;  // SPV_KHR_non_semantic_info
  // matrices of subgroups lie among lanes as ir/tiles.h says
  bool fragments = false;
  bool matrix_extension = false, matrices = false;  // VK_KHR_cooperative_matrix
  bool bf16_extension = false, bf16_matrices = false;
  bool atomic_float_extension = false, float_add32 = false, float_add64 = false;
  // beyond which the driver goes wrong (support::SpirvCode)
  std::uint32_t most_depth = ~0u, most_trips = ~0u;
  // to the code generator, but for what probes find
  support::FeatureSet told;

  bool has_f16() const { return f16 && i16 && storage16; }
};

/// `newest`: the version of Vulkan that may be used at most.
Features query_features(VkPhysicalDevice device, std::uint32_t newest = VK_API_VERSION_1_3);
/// What an application has enabled of it, by the chain that it gave to vkCreateDevice, whose queue
/// is of this family. Throws error{usage} for a chain without VkPhysicalDeviceFeatures2, and a
/// family that does not compute.
Features enabled_features(VkPhysicalDevice device, std::uint32_t newest, std::uint32_t queue_family,
                          const void* chain);
/// Empty, or what Krait cannot do without.
std::string missing_for_krait(const Features& f);

/// Of VK_KHR_cooperative_matrix and VK_KHR_shader_bfloat16, which are newer than the headers that
/// this is built with.
struct MatrixFeatures {
  VkStructureType type = VkStructureType(1000506000);
  void* next = nullptr;
  VkBool32 matrices = VK_FALSE, robust_accesses = VK_FALSE;
};
struct Bf16Features {
  VkStructureType type = VkStructureType(1000141000);
  void* next = nullptr;
  VkBool32 numbers = VK_FALSE, dot_products = VK_FALSE, matrices = VK_FALSE;
};
inline constexpr const char *matrix_extension = "VK_KHR_cooperative_matrix",
                            *bf16_extension = "VK_KHR_shader_bfloat16";

/// The structures by which features are asked for and enabled; they point at each other.
struct FeatureChain {
  /// With those that the version and the extensions of `f` bring.
  explicit FeatureChain(const Features& f);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;
  /// Enables what kernels use of `f`.
  void request(const Features& f);
  /// Takes over what another chain says. False: it has no VkPhysicalDeviceFeatures2.
  bool take(const void* chain);
  /// `f` has what the structures say.
  void tell(Features& f) const;

  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};

 private:
  VkPhysicalDeviceVulkan11Features v11_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  VkPhysicalDeviceVulkan13Features v13_{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  MatrixFeatures matrix_;
  Bf16Features bf16_;
  VkPhysicalDeviceShaderClockFeaturesKHR clock_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float_{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
};

}  // namespace krait::runtime::vulkan
