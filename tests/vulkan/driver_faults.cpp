// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no driver at hand does on request: a made-up driver whose device is lost or has no memory,
// and that has pipelines to keep.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "cache/disk.h"
#include "krait/error.h"
#include "runtime/vulkan/pipeline_cache.h"
#include "runtime/vulkan/queue.h"

namespace krait::runtime::vulkan {
namespace {

/// What the driver was asked and shall answer.
struct Driver {
  VkResult submit = VK_SUCCESS, wait = VK_SUCCESS, create_buffer = VK_SUCCESS,
           create_cache = VK_SUCCESS;
  std::string initial;  // data of the last pipeline cache that was made
  // what a new cache then holds behind its header; empty: nothing but a header
  std::string machine_code;
  VkPhysicalDeviceProperties properties{};
  int caches = 0;
};
Driver driver;

template <class Handle>
Handle handle(std::uintptr_t n) {
  return reinterpret_cast<Handle>(n);
}

std::string header_of(const VkPhysicalDeviceProperties& device) {
  VkPipelineCacheHeaderVersionOne h{};
  h.headerSize = sizeof h, h.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
  h.vendorID = device.vendorID, h.deviceID = device.deviceID;
  std::memcpy(h.pipelineCacheUUID, device.pipelineCacheUUID, VK_UUID_SIZE);
  return {reinterpret_cast<const char*>(&h), sizeof h};
}

Gpu made_up_gpu() {
  Gpu gpu;
  gpu.vk.vkCreateCommandPool = [](VkDevice, const VkCommandPoolCreateInfo*,
                                  const VkAllocationCallbacks*, VkCommandPool* out) {
    return *out = handle<VkCommandPool>(1), VK_SUCCESS;
  };
  gpu.vk.vkCreateSemaphore = [](VkDevice, const VkSemaphoreCreateInfo*,
                                const VkAllocationCallbacks*, VkSemaphore* out) {
    return *out = handle<VkSemaphore>(2), VK_SUCCESS;
  };
  gpu.vk.vkQueueWaitIdle = [](VkQueue) { return driver.wait; };
  gpu.vk.vkDestroySemaphore = [](VkDevice, VkSemaphore, const VkAllocationCallbacks*) {};
  gpu.vk.vkDestroyCommandPool = [](VkDevice, VkCommandPool, const VkAllocationCallbacks*) {};
  gpu.vk.vkAllocateCommandBuffers = [](VkDevice, const VkCommandBufferAllocateInfo*,
                                       VkCommandBuffer* out) {
    return *out = handle<VkCommandBuffer>(3), VK_SUCCESS;
  };
  gpu.vk.vkBeginCommandBuffer = [](VkCommandBuffer, const VkCommandBufferBeginInfo*) {
    return VK_SUCCESS;
  };
  gpu.vk.vkEndCommandBuffer = [](VkCommandBuffer) { return VK_SUCCESS; };
  gpu.vk.vkCmdPipelineBarrier = [](VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags,
                                   VkDependencyFlags, std::uint32_t, const VkMemoryBarrier*,
                                   std::uint32_t, const VkBufferMemoryBarrier*, std::uint32_t,
                                   const VkImageMemoryBarrier*) {};
  gpu.vk.vkQueueSubmit = [](VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
    return driver.submit;
  };
  gpu.vk.vkWaitSemaphores = [](VkDevice, const VkSemaphoreWaitInfo*, std::uint64_t) {
    return driver.wait;
  };
  gpu.vk.vkGetSemaphoreCounterValue = [](VkDevice, VkSemaphore, std::uint64_t* value) {
    return *value = 0, driver.wait;
  };
  gpu.vk.vkCreateBuffer = [](VkDevice, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                             VkBuffer*) { return driver.create_buffer; };
  gpu.vk.vkCreatePipelineCache = [](VkDevice, const VkPipelineCacheCreateInfo* info,
                                    const VkAllocationCallbacks*, VkPipelineCache* out) {
    driver.initial.assign(static_cast<const char*>(info->pInitialData), info->initialDataSize);
    if (driver.create_cache == VK_SUCCESS) *out = handle<VkPipelineCache>(4), ++driver.caches;
    return driver.create_cache;
  };
  gpu.vk.vkDestroyPipelineCache = [](VkDevice, VkPipelineCache, const VkAllocationCallbacks*) {
    --driver.caches;
  };
  gpu.vk.vkGetPipelineCacheData = [](VkDevice, VkPipelineCache, std::size_t* bytes, void* data) {
    const std::string all = header_of(driver.properties) + driver.machine_code;
    if (data) std::memcpy(data, all.data(), all.size());
    return *bytes = all.size(), VK_SUCCESS;
  };
  return gpu;
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const error& e) {
    EXPECT_EQ(e.kind(), error::kind_type::device);
    return e.message();
  }
  return "no error";
}

TEST(VulkanFaults, ALostDeviceIsAnErrorOfEveryCallThatNeedsIt) {
  driver = {};
  const Gpu gpu = made_up_gpu();
  {
    Queue queue(gpu);
    queue.next_command();
    queue.submit();
    const std::uint64_t before = queue.mark();
    queue.next_command();
    driver.submit = driver.wait = VK_ERROR_DEVICE_LOST;
    const auto lost = [](const char* call) {
      return fmt::format("Vulkan: {} failed: device lost (a kernel faulted or ran too long)", call);
    };
    EXPECT_EQ(message_of([&] { queue.submit(); }), lost("vkQueueSubmit"));
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(message_of([&] { queue.wait(before); }), lost("vkWaitSemaphores"));
      EXPECT_EQ(message_of([&] { queue.next_command(); }), lost("vkGetSemaphoreCounterValue"));
    }
  }  // nothing is thrown at the end
}

TEST(VulkanFaults, NoMemoryIsNoAddress) {
  driver = {};
  driver.create_buffer = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const Gpu gpu = made_up_gpu();
  Heap heap(gpu);
  EXPECT_EQ(heap.allocate(1000), 0u);
  EXPECT_EQ(heap.used(), 0u);
  Queue queue(gpu);
  Ring ring(gpu, queue, 1024, {});
  EXPECT_EQ(message_of([&] { ring.take(16); }),
            "Vulkan: creating a staging buffer failed: out of device memory");
}

/// A store in memory, as the disk's.
struct Shelf : support::Store {
  std::map<std::string, std::string> kept;
  std::optional<std::string> find(std::string_view key, std::string_view source) noexcept override {
    const auto at = kept.find(std::string(key) + std::string(source));
    return at == kept.end() ? std::nullopt : std::optional(at->second);
  }
  std::string keep(std::string_view, std::string_view key, std::string_view source,
                   std::string made) noexcept override {
    return kept.insert_or_assign(std::string(key) + std::string(source), std::move(made))
        .first->second;
  }
};

class VulkanPipelineCache : public testing::Test {
 protected:
  void SetUp() override {
    driver = {};
    driver.properties.vendorID = 0x10de, driver.properties.deviceID = 7,
    driver.properties.driverVersion = 580;
    std::memcpy(driver.properties.pipelineCacheUUID, "0123456789abcdef", VK_UUID_SIZE);
    driver.machine_code = "machine code";
    vkGetPhysicalDeviceProperties = [](VkPhysicalDevice, VkPhysicalDeviceProperties* out) {
      *out = driver.properties;
    };
    gpu = made_up_gpu(), gpu.store = &shelf;
  }
  void TearDown() override {
    vkGetPhysicalDeviceProperties = real;
    EXPECT_EQ(driver.caches, 0) << "all are destroyed";
  }
  /// As a process makes a pipeline; what its driver had of it before.
  std::string make(std::string_view shape = "128 1 1") {
    const std::uint32_t words[] = {0x07230203, 42};
    KeptPipeline kept(gpu, shape, words);
    kept.keep("kernel");
    return driver.initial;
  }
  std::string whole() const { return header_of(driver.properties) + driver.machine_code; }

  const PFN_vkGetPhysicalDeviceProperties real = vkGetPhysicalDeviceProperties;
  Shelf shelf;
  Gpu gpu;
};

TEST_F(VulkanPipelineCache, TheNextProcessGetsWhatTheFirstOneMade) {
  EXPECT_EQ(make(), "");
  ASSERT_EQ(shelf.kept.size(), 1u);
  EXPECT_EQ(make(), whole());
  EXPECT_EQ(make("64 1 1"), "") << "another shape is another pipeline";
  EXPECT_EQ(shelf.kept.size(), 2u);
}

TEST_F(VulkanPipelineCache, OfAnotherDriverIsAMiss) {
  make();
  driver.properties.driverVersion = 581;
  EXPECT_EQ(make(), "");
  driver.properties.deviceID = 8;
  EXPECT_EQ(make(), "");
  driver.properties.pipelineCacheUUID[0] = 'x';
  EXPECT_EQ(make(), "");
  EXPECT_EQ(shelf.kept.size(), 4u);
}

TEST_F(VulkanPipelineCache, DamageIsAMissAndIsReplaced) {
  make();
  std::string& data = shelf.kept.begin()->second;
  for (const std::string& damaged :
       {std::string(), data.substr(0, 20), std::string(data.size(), 'x'), "\1" + data}) {
    data = damaged;
    EXPECT_EQ(make(), "");
    EXPECT_EQ(data, whole());
  }
}

/// lavapipe keeps nothing but a header, so no test of whole processes comes here.
TEST_F(VulkanPipelineCache, OnDiskForTheNextProcessAndAMissWhereDamaged) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "krait-pipelines-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto process = [&] {
    cache::Disk disk({cache::Mode::ReadWrite, folder});
    gpu.store = &disk;
    return make();
  };
  const auto damage = [&](auto&& change) {
    int files = 0;
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(folder))
      if (e.is_regular_file() && e.file_size() > driver.machine_code.size())
        change(e.path()), ++files;
    EXPECT_GT(files, 0);
  };
  EXPECT_EQ(process(), "");
  EXPECT_EQ(process(), whole());
  damage([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 5); });
  EXPECT_EQ(process(), "");
  EXPECT_EQ(process(), whole());
  damage([](const fs::path& file) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(std::streamoff(fs::file_size(file) - 3)), bytes.put('?');
  });
  EXPECT_EQ(process(), "");
  EXPECT_EQ(process(), whole());
  fs::remove_all(folder);
}

TEST_F(VulkanPipelineCache, DriversThatKeepNothingOrFail) {
  driver.machine_code.clear();
  EXPECT_EQ(make(), "");
  EXPECT_TRUE(shelf.kept.empty()) << "nothing but a header";
  driver.machine_code = "machine code", driver.create_cache = VK_ERROR_OUT_OF_HOST_MEMORY;
  make();
  EXPECT_TRUE(shelf.kept.empty());
  driver.create_cache = VK_SUCCESS, gpu.store = nullptr;
  make();
  EXPECT_TRUE(shelf.kept.empty());
}

}  // namespace
}  // namespace krait::runtime::vulkan
