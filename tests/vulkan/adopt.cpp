// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels inside of an application of Vulkan, under the validation layer where that is installed.
#include <krait/async.h>
#include <krait/krait.h>
#include <krait/vulkan.h>

#define VOLK_IMPLEMENTATION
#include "application.h"

#include <memory>
#include <thread>

#include "../api/expect.h"

namespace krait::test {
namespace {

class Adopted : public testing::Test {
 protected:
  void SetUp() override {
    if (!app.device) GTEST_SKIP() << "no Vulkan driver is installed";
  }
  void TearDown() override { EXPECT_EQ(app.said, ""); }

  kr::vulkan::application given() const {
    return {.instance = app.instance,
            .physical_device = app.physical,
            .device = app.device,
            .queue = app.queue,
            .queue_family = app.family,
            .api_version = app.version,
            .features = &app.features};
  }

  Application app;
};

const auto add_index = kr::kernel([](kr::view<float> v) {
  for (auto i : kr::grid_stride(v.size())) v[i] += kr::cast<float>(i);
});

TEST_F(Adopted, KernelsRunBetweenTheApplicationsOwnWork) {
  constexpr std::int64_t n = 10'000;
  const VkBuffer buffer = app.buffer(n * sizeof(float)), result = app.buffer(n * sizeof(float));
  const std::uint32_t half = 0x3f000000;
  app.submit(0, 1,
             [&](VkCommandBuffer to) { vkCmdFillBuffer(to, buffer, 0, VK_WHOLE_SIZE, half); });
  // [adopt]
  const kr::device gpu = kr::vulkan::adopt({
      .instance = app.instance,
      .physical_device = app.physical,
      .device = app.device,
      .queue = app.queue,
      .queue_family = app.family,
      .api_version = VK_API_VERSION_1_2,  // of VkApplicationInfo
      .features = &app.features,          // VkDeviceCreateInfo::pNext
  });
  // [/adopt]
  {
    // [inside]
    auto values = kr::vulkan::wrap_buffer<float>(gpu, buffer, n);
    kr::vulkan::wait(gpu, app.timeline, 1);  // the application has written
    add_index.launch({64, 128}, values);
    kr::vulkan::signal(gpu, app.timeline, 2);  // the application may read
    // [/inside]
    app.submit(2, 3, [&](VkCommandBuffer to) {
      const VkBufferCopy all{0, 0, n * sizeof(float)};
      vkCmdCopyBuffer(to, buffer, result, 1, &all);
    });
    app.wait(3);
    for (const std::int64_t i : {std::int64_t(0), std::int64_t(1), n - 1})
      EXPECT_EQ(app.mapped<float>(result)[i], float(i) + 0.5f);
    // Krait's own copies of the application's memory, and a part of it.
    EXPECT_EQ(std::vector<float>(values.to_host())[9], 9.5f);
    auto tail = kr::vulkan::wrap_buffer<const float, 2>(gpu, buffer, {2, 100}, 400);
    EXPECT_EQ(std::vector<float>(tail.to_host())[199], 299.5f);
  }
  kr::vulkan::release(gpu);
  app.close();
}

TEST_F(Adopted, DevicesAreAsOthers) {
  const kr::device gpu = kr::vulkan::adopt(given());
  EXPECT_EQ(std::string(gpu.id()).rfind("vulkan:app", 0), 0u);
  for (const kr::device& d : kr::devices()) EXPECT_FALSE(d == gpu);
  kr::array<float> x = kr::full<float>(1000, 2, gpu);
  add_index.launch({4, 64}, x);
  std::vector<float> host(100, 1.0f);
  add_index.launch({1, 64, kr::stream(gpu)}, host);
  EXPECT_EQ(host[99], 100.0f);
  kr::synchronize();
  EXPECT_EQ(std::vector<float>(x.to_host())[999], 1001.0f);
  // A second device of the same application's, and what a thread of it does.
  const kr::device again = kr::vulkan::adopt(given());
  EXPECT_FALSE(again == gpu);
  std::thread([&] {
    kr::array<float> y = kr::full<float>(10, 1, again);
    add_index.launch({1, 32}, y);
  }).join();
  const kr::pinned<int> pinned(100, gpu);
  kr::vulkan::release(again);
  kr::vulkan::release(gpu);
  // Both are gone: arrays and kernels live, and say so.
  constexpr const char* gone =
      ": the application has taken its device back (kr::vulkan::release): use arrays and kernels before";
  expect_error(kr::error::kind_type::device, {gone}, [&] { x.to_host(); });
  expect_error(kr::error::kind_type::device, {gone}, [&] { add_index.launch({4, 64}, x); });
  expect_error(kr::error::kind_type::device, {gone}, [&] { kr::vulkan::release(gpu); });
  kr::synchronize();
  app.close();
}

TEST_F(Adopted, WhatIsMissingIsNamed) {
  const auto refused = [&](const char* why, const auto& change) {
    kr::vulkan::application a = given();
    change(a);
    expect_usage({why}, [&] { kr::vulkan::adopt(a); });
  };
  refused("kr::vulkan::adopt: `instance` is null", [](auto& a) { a.instance = nullptr; });
  refused("kr::vulkan::adopt: `physical_device` is null",
          [](auto& a) { a.physical_device = nullptr; });
  refused("kr::vulkan::adopt: `device` is null", [](auto& a) { a.device = nullptr; });
  refused("kr::vulkan::adopt: `queue` is null", [](auto& a) { a.queue = nullptr; });
  refused(
      "kr::vulkan::adopt: `api_version` is 1.1, and kernels need 1.2: set VkApplicationInfo::apiVersion to VK_API_VERSION_1_2 or "
      "later, and give the same value",
      [](auto& a) { a.api_version = VK_API_VERSION_1_1; });
  refused("kr::vulkan::adopt: `physical_device` is not one of the {} that `instance` has",
          [&](auto& a) { a.physical_device = reinterpret_cast<VkPhysicalDevice>(&app); });
  refused("kr::vulkan::adopt: queue_family is 99, and {} has {} families",
          [](auto& a) { a.queue_family = 99; });
  refused(
      "kr::vulkan::adopt: `features` has no VkPhysicalDeviceFeatures2: chain one into VkDeviceCreateInfo::pNext, instead of "
      "pEnabledFeatures, and give that pointer",
      [](auto& a) { a.features = nullptr; });
  const auto lacks = [&](const char* what, VkBool32& feature) {
    feature = VK_FALSE;
    refused(
        (std::string("kr::vulkan::adopt: {} cannot run kernels as it was made: it lacks ") + what +
         ": enable that in the chain that vkCreateDevice gets, and give the same chain as `features`")
            .c_str(),
        [](auto&) {});
    feature = VK_TRUE;
  };
  lacks("bufferDeviceAddress: Krait passes addresses, not descriptors",
        app.features12.bufferDeviceAddress);
  lacks("timelineSemaphore", app.features12.timelineSemaphore);
  lacks("shaderInt64, which addresses need", app.features.features.shaderInt64);
  // Structures of extensions say the same.
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
      .pNext = &app.features,
      .timelineSemaphore = VK_TRUE};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
      .pNext = &timeline,
      .bufferDeviceAddress = VK_TRUE};
  app.features.pNext = nullptr;
  kr::vulkan::application a = given();
  a.features = &addresses;
  kr::vulkan::release(kr::vulkan::adopt(a));
}

TEST_F(Adopted, BuffersAndSemaphoresAreChecked) {
  const kr::device gpu = kr::vulkan::adopt(given());
  const VkBuffer buffer = app.buffer(4096);
  expect_usage({"kr::vulkan::wrap_buffer: the buffer is null"},
               [&] { kr::vulkan::wrap_buffer<float>(gpu, nullptr, 4); });
  expect_usage({"kr::vulkan::wrap_buffer: the array ends at byte 4100, and the buffer has 4096"},
               [&] { kr::vulkan::wrap_buffer<float>(gpu, buffer, 1024, 4); });
  expect_usage(
      {"kr::vulkan::wrap_buffer: the offset 2 is not a multiple of 4, which the elements need"},
      [&] { kr::vulkan::wrap_buffer<float>(gpu, buffer, 4, 2); });
  expect_usage({"an array's extent is negative: extent(0) = -1"},
               [&] { kr::vulkan::wrap_buffer<float>(gpu, buffer, -1); });
  EXPECT_EQ(kr::vulkan::wrap_buffer<float>(gpu, buffer, 0).size(), 0);
  expect_usage({"kr::vulkan::wait: the semaphore is null"},
               [&] { kr::vulkan::wait(gpu, nullptr, 1); });
  expect_usage({"kr::vulkan::signal: the semaphore is null"},
               [&] { kr::vulkan::signal(gpu, nullptr, 1); });
  const kr::device cpu = kr::device::cpu();
  const auto other = [](const char* operation, const auto& action) {
    expect_usage(
        {operation,
         "kr::vulkan::{}: cpu is not an application's device: use the one that kr::vulkan::adopt gave"},
        action);
  };
  other("vulkan::wait:", [&] { kr::vulkan::wait(cpu, app.timeline, 1); });
  other("vulkan::signal:", [&] { kr::vulkan::signal(cpu, app.timeline, 1); });
  other("vulkan::release:", [&] { kr::vulkan::release(cpu); });
  other("vulkan::wrap_buffer:", [&] { kr::vulkan::wrap_buffer<float>(cpu, buffer, 4); });
  kr::vulkan::release(gpu);
}

// As a test of its own, where there is no loader.
TEST(AdoptWithoutLoader, IsAnError) {
  if (volkInitialize() == VK_SUCCESS) GTEST_SKIP() << "there is a loader";
  int thing = 0;
  const auto made_up = [&]<class Handle>(Handle& handle) {
    handle = reinterpret_cast<Handle>(&thing);
  };
  kr::vulkan::application a{.api_version = VK_API_VERSION_1_2};
  made_up(a.instance), made_up(a.physical_device), made_up(a.device), made_up(a.queue);
  expect_error(kr::error::kind_type::device,
               {"kr::vulkan::adopt: no Vulkan loader (libvulkan.so.1) on this machine"},
               [&] { kr::vulkan::adopt(a); });
}

}  // namespace
}  // namespace krait::test
