// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, streams and events of a Vulkan device.
#include <algorithm>
#include <cstring>

#include "runtime/vulkan/device.h"
#include "support/labels.h"
#include "support/product.h"

namespace krait::runtime::vulkan {
namespace {

constexpr std::uint32_t query_count = 1024;

/// A dispatch within the device's limits with at least as many workgroups as the grid; `folded`
/// where it is not the grid itself.
std::array<std::uint32_t, 3> dispatch_shape(const Dim3& grid, const VkPhysicalDeviceLimits& limits,
                                            bool& folded) {
  const auto* most = limits.maxComputeWorkGroupCount;
  folded = grid[0] > most[0] || grid[1] > most[1] || grid[2] > most[2];
  if (!folded) return {std::uint32_t(grid[0]), std::uint32_t(grid[1]), std::uint32_t(grid[2])};
  const auto total = std::uint64_t(support::clipped_product(grid[0], grid[1], grid[2]));
  if (total > std::uint64_t(support::most_elements))
    support::fail_usage("a grid of {} × {} × {} blocks is too large", grid[0], grid[1], grid[2]);
  std::uint64_t left = total;
  std::array<std::uint32_t, 3> out{};
  for (unsigned d = 0; d < 3; ++d) {
    out[d] = std::uint32_t(std::min<std::uint64_t>(left, most[d]));
    left = (left + out[d] - 1) / out[d];
  }
  if (left > 1)
    support::fail_usage("a grid of {} blocks is more than the device takes in one launch", total);
  return out;
}

/// Around a launch, where somebody reads them: the open kr::label scopes of the thread, then the
/// kernel. Scopes of several threads may overlap in the one queue, so that each launch has its own.
class Labels {
 public:
  Labels(const Gpu& gpu, VkCommandBuffer commands, const std::string& kernel)
      : commands_(commands) {
    if (!gpu.labels) return;
    for (const std::string& scope : support::open_labels()) begin(scope);
    begin(kernel);
  }
  Labels(const Labels&) = delete;
  Labels& operator=(const Labels&) = delete;
  ~Labels() {
    for (; open_ > 0; --open_) vkCmdEndDebugUtilsLabelEXT(commands_);
  }

 private:
  void begin(const std::string& name) {
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = name.c_str();
    vkCmdBeginDebugUtilsLabelEXT(commands_, &label);
    ++open_;
  }
  VkCommandBuffer commands_;
  unsigned open_ = 0;
};

}  // namespace

void VulkanDevice::use(StreamHandle stream, Open& o) {
  (stream.native ? *static_cast<Stream*>(stream.native) : default_stream_).last = o.queue.mark();
}

std::unique_ptr<Executable> VulkanDevice::load(std::span<const std::byte> binary,
                                               const std::string& kernel_name) {
  const auto held = enter();
  opened();
  auto code = std::make_unique<VulkanExecutable>(*this, gpu_, binary, kernel_name);
  loaded_.insert(code.get());
  gpu_.instance->raise_messages();
  return code;
}

void VulkanDevice::put_push_constants(Open& o, VkCommandBuffer commands, VulkanExecutable& code,
                                      const LaunchRequest& request) {
  const support::SpirvCode& h = code.facts();
  const std::uint32_t argument_bytes = code.envelope().arguments.size;
  std::byte push[512] = {};
  std::uint32_t words[4] = {std::uint32_t(request.grid[0]), std::uint32_t(request.grid[1]),
                            std::uint32_t(request.grid[2]), 0};
  std::memcpy(push, words, sizeof words);
  const std::size_t bytes = std::min<std::size_t>(request.args_size, argument_bytes);
  if (h.arguments_in_memory) {
    const VkDeviceSize at = o.blocks.take(argument_bytes);
    std::memcpy(o.blocks.buffer().mapped + at, request.args, bytes);
    const std::uint64_t address = o.blocks.buffer().address + at;
    std::memcpy(push + support::spirv_launch_bytes, &address, sizeof address);
  } else {
    std::memcpy(push + support::spirv_launch_bytes, request.args, bytes);
  }
  gpu_.vk.vkCmdPushConstants(commands, code.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, h.push_bytes,
                             push);
}

void VulkanDevice::launch(Executable& executable, const LaunchRequest& request) {
  const auto held = enter();
  Open& o = opened();
  auto& code = static_cast<VulkanExecutable&>(executable);
  const support::Envelope& e = code.envelope();
  const std::int64_t shared = std::int64_t(e.fixed_shared) + request.dynamic_shared;
  if (shared > std::int64_t(gpu_.features.limits.maxComputeSharedMemorySize))
    support::fail_usage("kernel {}: {} bytes of shared memory requested; {} has {}", code.name(),
                        shared, name(), gpu_.features.limits.maxComputeSharedMemorySize);
  for (unsigned d = 0; d < 3; ++d)
    if (e.block[d] && request.block[d] != std::int64_t(e.block[d]))
      support::fail_usage("kernel {}: compiled for blocks of {} × {} × {} threads", code.name(),
                          e.block[0], e.block[1], e.block[2]);
  bool folded = false;
  const std::array<std::uint32_t, 3> groups =
      dispatch_shape(request.grid, gpu_.features.limits, folded);
  if (folded && !code.facts().folds) {
    const auto* most = gpu_.features.limits.maxComputeWorkGroupCount;
    support::fail_usage(
        "kernel {}: its SPIR-V takes the grid as it is, but {} takes {} x {} x {} blocks at "
        "once: launch fewer, or declare the specialisation constant {} (docs/raw-kernels.md)",
        code.name(), name(), most[0], most[1], most[2], unsigned(support::SpirvFolded));
  }
  VulkanExecutable::Shape shape{{std::uint32_t(request.block[0]), std::uint32_t(request.block[1]),
                                 std::uint32_t(request.block[2])},
                                folded,
                                request.one_trip,
                                {}};
  std::copy_n(request.shared_bytes.begin(),
              e.arguments.count(support::ArgumentSlot::What::SharedLength), shape.shared_bytes);
  bool is_new = false;
  VkPipeline pipeline = code.pipeline(shape, is_new);

  // The block's memory is taken first, as waiting for it may submit the batch.
  if (code.facts().arguments_in_memory) o.blocks.reserve(e.arguments.size);
  VkCommandBuffer commands = o.queue.next_command();
  if (o.queue.bound != pipeline) {
    gpu_.vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    o.queue.bound = pipeline;
  }
  put_push_constants(o, commands, code, request);
  {
    const Labels labels(gpu_, commands, code.name());
    gpu_.vk.vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  }
  code.last_use = o.queue.upcoming();
  o.queue.recorded();
  use(request.stream, o);
  // Lavapipe compiles in its own thread, when a pipeline runs first, and that must not go on while
  // the process ends: the statics of its LLVM are made, and registered for the end, by the
  // compilations that need them, so no handler of ours is sure to be before them.
  if (is_new && gpu_.features.software) o.queue.wait(o.queue.mark());
  gpu_.instance->raise_messages();
}

void VulkanDevice::unload(VulkanExecutable& code) noexcept {
  if (Instance::gone()) return;
  const std::lock_guard lock(mutex_);
  try {
    if (open_) open_->queue.wait(code.last_use);
  } catch (...) {  // a lost device has nothing running
  }
  loaded_.erase(&code);
  code.destroy();
}

StreamHandle VulkanDevice::create_stream() { return {new Stream}; }
void VulkanDevice::destroy_stream(StreamHandle stream) noexcept {
  delete static_cast<Stream*>(stream.native);
}

void VulkanDevice::synchronize(StreamHandle stream) {
  const auto held = enter();
  Stream& s = stream.native ? *static_cast<Stream*>(stream.native) : default_stream_;
  if (open_) open_->queue.wait(s.last);
  free_waiting();
  gpu_.instance->raise_messages();
}

void VulkanDevice::synchronize() {
  const auto held = enter();
  if (open_) open_->queue.wait(open_->queue.mark());
  free_waiting();
  gpu_.instance->raise_messages();
}

EventHandle VulkanDevice::create_event() { return {new Event}; }

void VulkanDevice::destroy_event(EventHandle e) noexcept {
  if (!Instance::gone() && event(e).query != ~0u) {
    const std::lock_guard gate(freed_gate_);
    free_queries_.push_back(event(e).query);
  }
  delete static_cast<Event*>(e.native);
}

void VulkanDevice::record(EventHandle handle, StreamHandle stream) {
  const auto held = enter();
  Open& o = opened();
  Event& e = event(handle);
  if (gpu_.features.timestamp_bits && !queries_) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = query_count;
    check(gpu_.vk.vkCreateQueryPool(gpu_.device, &info, nullptr, &queries_), "vkCreateQueryPool");
    const std::lock_guard gate(freed_gate_);
    free_queries_.reserve(query_count);  // destroy_event cannot let it grow
    for (std::uint32_t q = query_count; q-- > 0;) free_queries_.push_back(q);
  }
  if (e.query == ~0u) {
    const std::lock_guard gate(freed_gate_);
    if (!free_queries_.empty()) {
      e.query = free_queries_.back();
      free_queries_.pop_back();
    }
  }
  if (e.query != ~0u) {
    VkCommandBuffer commands = o.queue.next_command();
    gpu_.vk.vkCmdResetQueryPool(commands, queries_, e.query, 1);
    gpu_.vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, e.query);
    e.timed = true;
    o.queue.hold();
  }
  e.mark = o.queue.mark();
  use(stream, o);
}

void VulkanDevice::wait(EventHandle handle) {
  const auto held = enter();
  if (open_) open_->queue.wait(event(handle).mark);
  gpu_.instance->raise_messages();
}

// All streams share the queue's order, in which the event has its place already.
void VulkanDevice::wait(EventHandle handle, StreamHandle stream) {
  const auto held = enter();
  Stream& s = stream.native ? *static_cast<Stream*>(stream.native) : default_stream_;
  s.last = std::max(s.last, event(handle).mark);
}

double VulkanDevice::elapsed_ms(EventHandle from, EventHandle to) {
  const auto held = enter();
  Open& o = opened();
  std::uint64_t ticks[2];
  EventHandle events[2] = {from, to};
  for (int i = 0; i < 2; ++i) {
    Event& e = event(events[i]);
    if (!e.timed)
      support::fail_usage(
          "{}: elapsed time of an event that was not recorded, or of more than {} events", name(),
          query_count);
    o.queue.wait(e.mark);
    check(gpu_.vk.vkGetQueryPoolResults(gpu_.device, queries_, e.query, 1, sizeof ticks[i],
                                        &ticks[i], sizeof ticks[i],
                                        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
          "vkGetQueryPoolResults");
  }
  const std::uint32_t bits = gpu_.features.timestamp_bits;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
  const std::uint64_t later = (ticks[1] - ticks[0]) & mask, earlier = (ticks[0] - ticks[1]) & mask;
  return (later <= earlier ? double(later) : -double(earlier)) *
         double(gpu_.features.limits.timestampPeriod) * 1e-6;
}

}  // namespace krait::runtime::vulkan
