// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One piece of a GPU's memory and one timeline semaphore, used by Vulkan and by kernels on CUDA: Vulkan allocates and exports both, CUDA
// imports them. A kernel writes, Vulkan copies behind it, a kernel adds; the host waits once, at the end.
#include <cstdint>
#include <cstring>

#define VOLK_IMPLEMENTATION
#include <volk.h>

#include "neighbour.h"

namespace {

constexpr std::int64_t n = 1 << 20;  // elements of each of two halves
constexpr VkDeviceSize bytes = 2 * n * sizeof(float);

void done(VkResult result, const char* call) { check(static_cast<int>(result), call); }

/// What CUDA calls by these names in cuda.h, as far as it is used here.
struct ImportedMemory {
  int type;
  union {
    int file;
    void* names[2];
  } handle;
  unsigned long long size;
  unsigned flags, reserved[16];
};
struct MappedBuffer {
  unsigned long long offset, size;
  unsigned flags, reserved[16];
};
struct ImportedSemaphore {
  int type;
  union {
    int file;
    void* names[2];
  } handle;
  unsigned flags, reserved[16];
};
/// Of a signal and of a wait.
struct SemaphoreValue {
  unsigned long long value, other[2];
  unsigned reserved[12], flags, more[16];
};
constexpr int memory_file = 1, timeline_semaphore_file = 9;

/// A Vulkan device, with a queue, on the GPU that CUDA calls by this UUID.
struct Vulkan {
  VkInstance instance{};
  VkPhysicalDevice gpu{};
  VkDevice device{};
  VkQueue queue{};
  VkCommandPool pool{};
  std::uint32_t family = 0;

  explicit Vulkan(const unsigned char* uuid) {
    if (volkInitialize() != VK_SUCCESS) throw missing("Vulkan's loader, libvulkan.so.1, is not installed");
    VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    done(vkCreateInstance(&create, nullptr, &instance), "vkCreateInstance");
    volkLoadInstance(instance);
    std::uint32_t count = 0;
    done(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> all(count);
    done(vkEnumeratePhysicalDevices(instance, &count, all.data()), "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice candidate : all) {
      VkPhysicalDeviceIDProperties id{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
      VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
      vkGetPhysicalDeviceProperties2(candidate, &properties);
      if (std::memcmp(id.deviceUUID, uuid, VK_UUID_SIZE) == 0) gpu = candidate;
    }
    if (!gpu) throw missing("no Vulkan driver is installed for the GPU that CUDA uses");
    const float priority = 1;
    const char* extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                       .timelineSemaphore = VK_TRUE};
    VkDeviceQueueCreateInfo queues{
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = family, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo make{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                            .pNext = &timeline,
                            .queueCreateInfoCount = 1,
                            .pQueueCreateInfos = &queues,
                            .enabledExtensionCount = 2,
                            .ppEnabledExtensionNames = extensions};
    done(vkCreateDevice(gpu, &make, nullptr, &device), "vkCreateDevice");
    volkLoadDevice(device);
    vkGetDeviceQueue(device, family, 0, &queue);
    VkCommandPoolCreateInfo create_pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    done(vkCreateCommandPool(device, &create_pool, nullptr, &pool), "vkCreateCommandPool");
  }
  ~Vulkan() {
    if (pool) vkDestroyCommandPool(device, pool, nullptr);
    if (device) vkDestroyDevice(device, nullptr);
    if (instance) vkDestroyInstance(instance, nullptr);
  }
  Vulkan(const Vulkan&) = delete;

  std::uint32_t local_memory(std::uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type)
      if ((allowed >> type & 1) && (memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) return type;
    throw std::runtime_error("no device-local memory takes this buffer");
  }
};

/// Vulkan's part.
void submit_copy(const Vulkan& vulkan, VkBuffer buffer, VkSemaphore semaphore) {
  VkCommandBufferAllocateInfo one{
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = vulkan.pool, .commandBufferCount = 1};
  VkCommandBuffer commands{};
  done(vkAllocateCommandBuffers(vulkan.device, &one, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  done(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  const VkBufferCopy half{.srcOffset = 0, .dstOffset = bytes / 2, .size = bytes / 2};
  vkCmdCopyBuffer(commands, buffer, buffer, 1, &half);
  done(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  const std::uint64_t written = 1, copied = 2;
  VkTimelineSemaphoreSubmitInfo values{.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                       .waitSemaphoreValueCount = 1,
                                       .pWaitSemaphoreValues = &written,
                                       .signalSemaphoreValueCount = 1,
                                       .pSignalSemaphoreValues = &copied};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                      .pNext = &values,
                      .waitSemaphoreCount = 1,
                      .pWaitSemaphores = &semaphore,
                      .pWaitDstStageMask = &stage,
                      .commandBufferCount = 1,
                      .pCommandBuffers = &commands,
                      .signalSemaphoreCount = 1,
                      .pSignalSemaphores = &semaphore};
  done(vkQueueSubmit(vulkan.queue, 1, &submit, nullptr), "vkQueueSubmit");
}

double example() {
  const kr::device gpu = gpus()[0];
  const library cuda("the NVIDIA driver", {"libcuda.so.1"});
  void* context = nullptr;
  unsigned char uuid[VK_UUID_SIZE];
  check(cuda.function<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, 0), "cuDevicePrimaryCtxRetain");
  check(cuda.function<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  check(cuda.function<int(void*, int)>("cuDeviceGetUuid")(uuid, 0), "cuDeviceGetUuid");
  const Vulkan vulkan(uuid);

  // [export]
  VkExternalMemoryBufferCreateInfo shared{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                          .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                            .pNext = &shared,
                            .size = bytes,
                            .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer buffer{};
  done(vkCreateBuffer(vulkan.device, &create, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(vulkan.device, buffer, &needs);
  VkExportMemoryAllocateInfo exported{.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .pNext = &exported,
                                .allocationSize = needs.size,
                                .memoryTypeIndex = vulkan.local_memory(needs.memoryTypeBits)};
  VkDeviceMemory memory{};
  done(vkAllocateMemory(vulkan.device, &allocate, nullptr, &memory), "vkAllocateMemory");
  done(vkBindBufferMemory(vulkan.device, buffer, memory, 0), "vkBindBufferMemory");
  VkExportSemaphoreCreateInfo exported_semaphore{.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                                 .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkSemaphoreTypeCreateInfo timeline{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                     .pNext = &exported_semaphore,
                                     .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  VkSemaphoreCreateInfo create_semaphore{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
  VkSemaphore semaphore{};
  done(vkCreateSemaphore(vulkan.device, &create_semaphore, nullptr, &semaphore), "vkCreateSemaphore");
  ImportedMemory memory_file_of{.type = memory_file, .size = needs.size};
  VkMemoryGetFdInfoKHR memory_info{.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                   .memory = memory,
                                   .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  done(vkGetMemoryFdKHR(vulkan.device, &memory_info, &memory_file_of.handle.file), "vkGetMemoryFdKHR");
  ImportedSemaphore semaphore_file_of{.type = timeline_semaphore_file};
  VkSemaphoreGetFdInfoKHR semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                         .semaphore = semaphore,
                                         .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  done(vkGetSemaphoreFdKHR(vulkan.device, &semaphore_info, &semaphore_file_of.handle.file), "vkGetSemaphoreFdKHR");
  // [/export]

  // [import]
  void *imported = nullptr, *signal = nullptr;  // CUDA closes the files
  std::uint64_t address = 0;
  check(cuda.function<int(void**, const ImportedMemory*)>("cuImportExternalMemory")(&imported, &memory_file_of), "cuImportExternalMemory");
  const MappedBuffer whole{.offset = 0, .size = bytes};
  check(cuda.function<int(std::uint64_t*, void*, const MappedBuffer*)>("cuExternalMemoryGetMappedBuffer")(&address, imported, &whole),
        "cuExternalMemoryGetMappedBuffer");
  check(cuda.function<int(void**, const ImportedSemaphore*)>("cuImportExternalSemaphore")(&signal, &semaphore_file_of),
        "cuImportExternalSemaphore");
  auto halves = kr::array<float, 2>::wrap(address, {2, n}, gpu);
  const kr::stream work(gpu);
  const auto at_value = [&](const char* call, unsigned long long value) {
    const SemaphoreValue to{.value = value};
    check(cuda.function<int(void* const*, const SemaphoreValue*, unsigned, void*)>(call)(&signal, &to, 1, work.native()), call);
  };

  auto write = kr::kernel([](kr::view<float, 2> v) {
    for (auto i : kr::grid_stride(v.extent(1))) v(0, i) = kr::cast<float>(i % 1000);
  });
  auto add = kr::kernel([](kr::view<float, 2> v) {
    for (auto i : kr::grid_stride(v.extent(1))) v(1, i) += 2.0f * v(0, i);
  });
  write.launch({256, 256, work}, halves);
  at_value("cuSignalExternalSemaphoresAsync", 1);
  submit_copy(vulkan, buffer, semaphore);          // waits for 1, copies the first half to the second, signals 2
  at_value("cuWaitExternalSemaphoresAsync", 2);    // after the submission: a kernel's first launch may wait for the device
  add.launch({256, 256, work}, halves);
  // [/import]

  work.synchronize();
  std::vector<double> expected;
  for (std::int64_t i = 0; i < n; ++i) expected.push_back(3.0 * double(i % 1000));
  const double apart = distance(halves(1, kr::all), expected);

  done(vkQueueWaitIdle(vulkan.queue), "vkQueueWaitIdle");
  check(cuda.function<int(void*)>("cuDestroyExternalSemaphore")(signal), "cuDestroyExternalSemaphore");
  check(cuda.function<int(std::uint64_t)>("cuMemFree_v2")(address), "cuMemFree");
  check(cuda.function<int(void*)>("cuDestroyExternalMemory")(imported), "cuDestroyExternalMemory");
  vkDestroySemaphore(vulkan.device, semaphore, nullptr), vkDestroyBuffer(vulkan.device, buffer, nullptr);
  vkFreeMemory(vulkan.device, memory, nullptr);
  return apart;
}

}  // namespace

int main() { return run("CUDA and Vulkan", 0, example); }
