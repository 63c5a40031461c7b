// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/vulkan/executable.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runtime/vulkan/device.h"
#include "runtime/vulkan/pipeline_cache.h"

namespace krait::runtime::vulkan {

VulkanExecutable::VulkanExecutable(VulkanDevice& device, const Gpu& gpu,
                                   std::span<const std::byte> binary,
                                   const std::string& kernel_name)
    : device_(device), gpu_(gpu), name_(kernel_name) {
  envelope_ = support::open_or_fail(binary, support::TargetKind::Spirv, kernel_name);
  const std::string_view code = std::exchange(envelope_.code, {});
  if (!envelope_.get_own(facts_) || code.size() % 4 != 0)
    support::fail_device(
        "kernel {}: its code is damaged: {} bytes of facts about it and {} of words, "
        "expected {} and a multiple of 4",
        kernel_name, envelope_.own.size(), code.size(), sizeof facts_);
  if (facts_.push_bytes > gpu.features.limits.maxPushConstantsSize)
    support::fail_device("kernel {}: {} bytes of push constants; {} has {}", kernel_name,
                         facts_.push_bytes, gpu.features.name,
                         gpu.features.limits.maxPushConstantsSize);
  const Features& features = gpu.features;
  constexpr const char* cure = "use another device (KRAIT_DEVICE=cpu)";
  if (facts_.depth > features.most_depth)
    support::fail_device(
        "kernel {}: conditions, loops and early returns nest {} deep, "
        "but {} computes wrong results beyond {}: {}",
        kernel_name, facts_.depth, features.name, features.most_depth, cure);
  if (facts_.trips > features.most_trips)
    support::fail_device(
        "kernel {}: a thread's loops make {} iterations, but {} ends all loops after {}: "
        "{}, or divide the iterations among threads",
        kernel_name, facts_.trips == ~0u ? "2^32 or more" : std::to_string(facts_.trips),
        features.name, features.most_trips, cure);

  std::vector<std::uint32_t> words(code.size() / 4);
  std::memcpy(words.data(), code.data(), words.size() * 4);
  VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module.codeSize = words.size() * 4;
  module.pCode = words.data();
  check(gpu.vk.vkCreateShaderModule(gpu.device, &module, nullptr, &module_),
        "vkCreateShaderModule");
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, facts_.push_bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  if (VkResult result = gpu.vk.vkCreatePipelineLayout(gpu.device, &info, nullptr, &layout_);
      result != VK_SUCCESS) {
    gpu.vk.vkDestroyShaderModule(gpu.device, module_, nullptr);
    check(result, "vkCreatePipelineLayout");
  }
  if (gpu.store) words_ = std::move(words);
}

VulkanExecutable::~VulkanExecutable() { device_.unload(*this); }

void VulkanExecutable::destroy() noexcept {
  if (!module_) return;
  for (auto& [shape, pipeline] : pipelines_)
    gpu_.vk.vkDestroyPipeline(gpu_.device, pipeline, nullptr);
  pipelines_.clear();
  gpu_.vk.vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
  gpu_.vk.vkDestroyShaderModule(gpu_.device, module_, nullptr);
  module_ = VK_NULL_HANDLE;
}

Executable::Attributes VulkanExecutable::attributes() const {
  return {0, std::int64_t(envelope_.fixed_shared), facts_.local_bytes,
          int(gpu_.features.limits.maxComputeWorkGroupInvocations)};
}

int VulkanExecutable::suggested_block(bool) {
  // A raw kernel may fix y and z alone.
  const auto& fixed = envelope_.block;
  if (fixed[0]) return int(fixed[0] * std::max(fixed[1], 1u) * std::max(fixed[2], 1u));
  return int(std::min<std::uint32_t>(256, gpu_.features.limits.maxComputeWorkGroupInvocations));
}

VkPipeline VulkanExecutable::pipeline(const Shape& shape, bool& is_new) {
  for (auto& [known, pipeline] : pipelines_)
    if (known == shape) return is_new = false, pipeline;
  VkPipeline made = create(shape);
  pipelines_.emplace_back(shape, made);
  is_new = true;
  return made;
}

VkPipeline VulkanExecutable::create(const Shape& shape) const {
  // The words of a shape are the constants in their order.
  constexpr unsigned count = support::SpirvSharedBytes + max_sized_at_launch;
  static_assert(sizeof(Shape) == count * 4);
  VkSpecializationMapEntry entries[count];
  for (unsigned i = 0; i < count; ++i) entries[i] = {i, i * 4, 4};
  VkSpecializationInfo constants{
      support::SpirvSharedBytes +
          envelope_.arguments.count(support::ArgumentSlot::What::SharedLength),
      entries, sizeof shape, &shape};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = gpu_.features.subgroup;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module_;
  info.stage.pName = envelope_.entry.c_str();
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout_;
  if (facts_.uses_warp && gpu_.features.subgroup) {
    if (gpu_.features.request_subgroup) info.stage.pNext = &subgroup;
    // The workgroup has one dimension (codegen/spirv/positions.cpp), and lanes follow the threads
    // where subgroups are full.
    if (gpu_.features.full_subgroups &&
        shape.block[0] * shape.block[1] * shape.block[2] % gpu_.features.subgroup == 0)
      info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  KeptPipeline kept(
      gpu_,
      fmt::format(
          "{}", fmt::join(std::bit_cast<std::array<std::uint32_t, sizeof(Shape) / 4>>(shape), " ")),
      words_);
  VkPipeline made = VK_NULL_HANDLE;
  VkResult result =
      gpu_.vk.vkCreateComputePipelines(gpu_.device, kept.cache(), 1, &info, nullptr, &made);
  if (result != VK_SUCCESS)
    support::fail_device("kernel {}: {} cannot make its pipeline: {}", name_, gpu_.features.name,
                         vulkan::name_of(result));
  kept.keep(name_);
  if (gpu_.labels) {
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = VK_OBJECT_TYPE_PIPELINE;
    name.objectHandle = reinterpret_cast<std::uint64_t>(made);
    name.pObjectName = name_.c_str();
    vkSetDebugUtilsObjectNameEXT(gpu_.device, &name);
  }
  return made;
}

}  // namespace krait::runtime::vulkan
