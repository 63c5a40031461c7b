// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher on a driver that is made up (made_up_driver.cpp), which takes SPIR-V and fails as it is told. Each test runs in a process of its
// own, with the variable that it needs (CMakeLists.txt).
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <span>
#include <vector>

#include "codegen/spirv/spirv.h"
#include "ir/text.h"
#include "krait/error.h"
#include "runtime/backend.h"
#include "runtime/opencl/found.h"
#include "support/store.h"

namespace krait::test {
namespace {

class MadeUp : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("OCL_ICD_VENDORS")) GTEST_SKIP() << "OCL_ICD_VENDORS does not name the folder of the made-up driver";
    if (std::string why; !runtime::opencl::Api::open(why)) GTEST_SKIP() << why;
    found_ = new runtime::Found(runtime::opencl_devices());
  }
  runtime::Device& device() { return *found_->devices.at(0); }
  std::unique_ptr<runtime::Executable> load() {
    constexpr const char* text = "kir 1\nkernel @add_one fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: i64 = thread_idx {0}\n"
                                 "  %2: i32 = load %0, %1\n  store.i32 %0, %1, %2\n  return\n}\n";
    const std::string bytes =
        codegen::spirv::compile(ir::parse(text).module, device().target().spirv, codegen::spirv::Dialect::Kernel, codegen::Emit::Binary).data;
    return device().load(std::as_bytes(std::span(bytes)), "add_one");
  }
  void launch(runtime::Executable& code, std::uint64_t address, int threads) {
    const std::uint64_t arguments[] = {address, 1};
    runtime::LaunchRequest request;
    request.block = {threads, 1, 1};
    request.args = reinterpret_cast<const std::byte*>(arguments), request.args_size = sizeof arguments;
    device().launch(code, request);
  }
  template <class Call>
  static std::string message_of(Call&& call) {
    try {
      call();
    } catch (const error& e) {
      return e.message();
    }
    return "";
  }
  runtime::Found* found_ = nullptr;
};

TEST_F(MadeUp, TakesSpirV) {
  ASSERT_EQ(found_->devices.size(), 1u);
  EXPECT_EQ(device().name(), "Nothing (Made-up A)");
  const std::uint64_t a = device().allocate(16, {});
  const std::int32_t in[] = {1, 2, 3, 4};
  device().copy_to_device(a, in, sizeof in, {});
  launch(*load(), a + 8, 1);
  std::int32_t out[4]{};
  device().copy_to_host(out, a, sizeof out, {});
  EXPECT_EQ(std::vector(out, out + 4), (std::vector<std::int32_t>{1, 2, 4, 4}));
}

TEST_F(MadeUp, EmptyIlVersion) {
  EXPECT_TRUE(found_->devices.empty());
  EXPECT_EQ(found_->skipped, std::vector<std::string>{"opencl: Nothing (Made-up A): the driver takes neither SPIR-V (CL_DEVICE_IL_VERSION is "
                                                      "empty) nor cl_khr_spir"});
}

TEST_F(MadeUp, TwoPlatformsWithOneDevice) {
  ASSERT_EQ(found_->devices.size(), 2u);
  EXPECT_EQ(found_->devices[0]->id() + " " + found_->devices[0]->name(), "opencl:0 Nothing (Made-up A)");
  EXPECT_EQ(found_->devices[1]->id() + " " + found_->devices[1]->name(), "opencl:1 Nothing (Made-up B)");
}

// What kernels show of its numbers is asked first.
TEST_F(MadeUp, LogOfABuildThatFails) {
  EXPECT_EQ(message_of([&] { device().target(); }),
            "kernel probe: Nothing cannot build it: the program cannot be built\nword 17: made up on purpose");
}

TEST_F(MadeUp, ProgramThatIsRefused) {
  EXPECT_EQ(message_of([&] { device().target(); }), "kernel probe: Nothing cannot build it: error -30");
}

TEST_F(MadeUp, LimitsOfASmallDevice) {
  const auto code = load();
  const std::uint64_t a = device().allocate(4096, {});
  EXPECT_EQ(device().limits().threads, 64);
  EXPECT_EQ(message_of([&] { launch(*code, a, 65); }), "kernel add_one: Nothing (Made-up A) does not launch blocks of 65 × 1 × 1 threads, of 64 at "
                                                       "most: the block is too large or has a wrong shape");
  EXPECT_EQ(message_of([&] { device().allocate(4097, {}); }),
            "Nothing (Made-up A): 4097 bytes of memory were asked for at once, and its driver gives 4096 at most "
            "(CL_DEVICE_MAX_MEM_ALLOC_SIZE): take several arrays");
  const std::string full = message_of([&] {
    for (int k = 0; k < 100; ++k) device().allocate(4096, {});
  });
  EXPECT_EQ(full, "Nothing (Made-up A): out of device memory: 4096 bytes asked for, of 1073741824: out of device memory");
}

/// Keeps everything in this process.
struct Notes final : support::Store {
  std::map<std::string, std::string> all;
  std::optional<std::string> find(std::string_view key, std::string_view source) noexcept override {
    const auto at = all.find(std::string(key) + std::string(source));
    return at == all.end() ? std::nullopt : std::optional(at->second);
  }
  std::string keep(std::string_view, std::string_view key, std::string_view source, std::string made) noexcept override {
    return all[std::string(key) + std::string(source)] = std::move(made);
  }
};

TEST_F(MadeUp, AnotherProcessAsksTheDriversOnce) {
  using namespace runtime::opencl;
  Notes notes;
  const Answer first = ask_apart(&notes);
  ASSERT_EQ(first.gpus.size(), 1u);
  EXPECT_FALSE(first.gpus[0].device);  // nothing is loaded here
  EXPECT_EQ(write(first.gpus[0]), write(read(write(first.gpus[0])).gpus.at(0)));
  ASSERT_EQ(notes.all.size(), 1u);
  std::string& kept = notes.all.begin()->second;
  const std::size_t name = kept.find("device Nothing");
  ASSERT_NE(name, kept.npos);
  kept.replace(name, 14, "device Another");
  EXPECT_EQ(ask_apart(&notes).gpus.at(0).name, "Another");
  kept.resize(kept.find("done"));  // damaged: asked again
  EXPECT_EQ(ask_apart(&notes).gpus.at(0).name, "Nothing");

  Gpu gpu = first.gpus[0];
  find_handles(gpu);
  EXPECT_TRUE(gpu.device);
  gpu.version = "2";
  EXPECT_EQ(message_of([&] { find_handles(gpu); }),
            "Nothing (Made-up A) is not there any more: `krait cache clear` makes Krait ask OpenCL's drivers again");
}

}  // namespace
}  // namespace krait::test
