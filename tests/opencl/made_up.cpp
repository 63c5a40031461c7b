// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher on a driver that is made up (made_up_driver.cpp), which takes SPIR-V and fails as it
// is told. Each test runs in a process of its own, with the variable that it needs
// (CMakeLists.txt).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <span>
#include <thread>
#include <vector>

#include "../support/says.h"
#include "codegen/spirv/spirv.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "runtime/backend.h"
#include "runtime/opencl/discovery.h"
#include "support/blobs/envelope.h"
#include "support/store.h"

namespace krait::test {
namespace {

class MadeUp : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("OCL_ICD_VENDORS"))
      GTEST_SKIP() << "OCL_ICD_VENDORS does not name the folder of the made-up driver";
    if (std::string why; !runtime::opencl::Api::open(why)) GTEST_SKIP() << why;
  }
  runtime::Found& found() {
    if (!found_) found_ = new runtime::Found(runtime::opencl_devices());
    return *found_;
  }
  runtime::Device& device() { return *found().devices.at(0); }
  /// Why the device is not used.
  std::string why_not() {
    EXPECT_TRUE(found().devices.empty());
    return found().skipped.empty() ? "" : found().skipped.front();
  }
  std::string binary(const std::string& attributes) {
    const std::string text = "kir 1\nkernel @add_one fp(" + attributes +
                             " (%0: view<i32, 1>) {\n  %1: i64 = thread_idx {0}\n"
                             "  %2: i32 = load %0, %1\n  store.i32 %0, %1, %2\n  return\n}\n";
    return codegen::spirv::compile(ir::parse(text).module, device().target().spirv,
                                   codegen::spirv::Dialect::Kernel, codegen::Emit::Binary)
        .data;
  }
  std::unique_ptr<runtime::Executable> load_bytes(const std::string& bytes) {
    return device().load(std::as_bytes(std::span(bytes)), "add_one");
  }
  std::unique_ptr<runtime::Executable> load(const std::string& mode = "native") {
    return load_bytes(binary(mode + ") facts(contiguous) flat"));
  }
  void launch(runtime::Executable& code, std::uint64_t address, int threads,
              std::int64_t blocks = 1) {
    const std::uint64_t arguments[] = {address, 1};
    runtime::LaunchRequest request;
    request.block = {threads, 1, 1}, request.grid = {blocks, 1, 1};
    request.args = reinterpret_cast<const std::byte*>(arguments),
    request.args_size = sizeof arguments;
    device().launch(code, request);
  }
  template <class Function>
  static Function* of_driver(const char* name) {
    return reinterpret_cast<Function*>(dlsym(dlopen(MADE_UP_DRIVER, RTLD_NOW | RTLD_LOCAL), name));
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

TEST(OpenClResults, InWords) {
  const std::pair<cl_int, const char*> all[] = {
      {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
      {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
      {CL_MEM_COPY_OVERLAP, "the ranges of a copy overlap"},
      {CL_INVALID_BINARY, "the driver rejects the binary"},
      {CL_INVALID_WORK_ITEM_SIZE, "a dimension of the block is too large"},
      {CL_INVALID_BUFFER_SIZE, "the buffer is too large"},
      {CL_INVALID_GLOBAL_WORK_SIZE, "the grid is too large"},
      {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "work before it in the queue failed"},
      {CL_COMPILER_NOT_AVAILABLE, "the driver has no compiler"},
      {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
      {-9999, "error -9999"},
  };
  for (const auto& [result, words] : all) EXPECT_EQ(runtime::opencl::name_of(result), words);
}

TEST_F(MadeUp, TakesSpirV) {
  ASSERT_EQ(found().devices.size(), 1u);
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
  EXPECT_EQ(
      why_not(),
      "opencl: Nothing (Made-up A): the driver accepts neither SPIR-V (CL_DEVICE_IL_VERSION is empty) nor cl_khr_spir");
}

/// The translator is looked for beside the program, which runs by another name in a folder of its
/// own.
TEST_F(MadeUp, NoTranslator) {
  EXPECT_TRUE(says(
      why_not(),
      "opencl: Nothing (Made-up A): the driver does not accept SPIR-V, and Krait's translator libkrait_translator.so, which is "
      "built where SPIRV-LLVM-Translator is installed, cannot be loaded: {}"))
      << why_not();
}

TEST_F(MadeUp, NoDevice) { EXPECT_EQ(why_not(), "opencl: platform Made-up A has no device"); }
TEST_F(MadeUp, NotAvailable) {
  EXPECT_EQ(why_not(), "opencl: Nothing (Made-up A): the driver reports it as unavailable");
}
TEST_F(MadeUp, AddressesOf32Bits) {
  EXPECT_EQ(why_not(), "opencl: Nothing (Made-up A): its addresses do not have 64 bits");
}
TEST_F(MadeUp, BigEndian) {
  EXPECT_EQ(why_not(), "opencl: Nothing (Made-up A): it is not a little-endian device");
}
TEST_F(MadeUp, EmbeddedProfile) {
  EXPECT_EQ(why_not(), "opencl: Nothing (Made-up A): it has only the embedded profile");
}

TEST_F(MadeUp, NeverAnswers) {
  const runtime::opencl::Answer answer =
      runtime::opencl::ask_apart(nullptr, std::chrono::seconds(3));
  EXPECT_TRUE(answer.gpus.empty());
  ASSERT_EQ(answer.skipped.size(), 1u);
  EXPECT_EQ(
      answer.skipped[0],
      "opencl: its drivers are not used, because a process that asked them did not answer within 3 seconds at Made-up A; "
      "the variable OCL_ICD_VENDORS tells the loader which drivers to load");
}

TEST_F(MadeUp, FastModeMayFlushAndDivideLess) {
  const auto options = of_driver<const char*()>("made_up_options");
  const std::uint64_t a = device().allocate(16, {});
  EXPECT_TRUE(device().target().spirv.features.has(support::Feature::Functions));
  launch(*load("native"), a, 1);
  EXPECT_STREQ(options(), " -cl-fp32-correctly-rounded-divide-sqrt");
  launch(*load("fast"), a, 1);
  EXPECT_STREQ(options(), " -cl-denorms-are-zero");
}

TEST_F(MadeUp, SharedVirtualMemory) {
  const auto blocks = of_driver<unsigned()>("made_up_shared_blocks");
  EXPECT_FALSE(device().reaches_host());
  device().target();  // probes it
  const unsigned before = blocks();
  const std::uint64_t a = device().allocate(16, {}), b = device().allocate(16, {});
  EXPECT_EQ(blocks(), before + 2);
  const std::int32_t in[] = {1, 2, 3, 4};
  device().copy_to_device(a, in, sizeof in, {});
  launch(*load(), a + 8, 1);
  EXPECT_EQ(reinterpret_cast<const std::int32_t*>(a)[2], 4);  // an address of the host, too
  device().copy_on_device(b, a, sizeof in, {});
  std::int32_t out[4]{};
  device().copy_to_host(out, b, sizeof out, {});
  EXPECT_EQ(std::vector(out, out + 4), (std::vector<std::int32_t>{1, 2, 4, 4}));
  std::int32_t host = 1;
  EXPECT_TRUE(says(message_of([&] { launch(*load(), reinterpret_cast<std::uint64_t>(&host), 1); }),
                   "OpenCL: {} bytes at address {} are not memory of Nothing (Made-up A)"));
  device().free(a, {}), device().free(b, {});
  EXPECT_EQ(blocks(), before);
  const std::string full = message_of([&] {
    for (int k = 0; k < 101; ++k) device().allocate(4096, {});
  });
  EXPECT_EQ(
      full,
      "Nothing (Made-up A): out of device memory: 4096 bytes requested, of 1073741824: clSVMAlloc failed");
}

TEST_F(MadeUp, AllOfTheHostsMemory) {
  EXPECT_TRUE(device().reaches_host());
  std::int32_t host[] = {1, 2};
  launch(*load(), reinterpret_cast<std::uint64_t>(host + 1), 1);
  EXPECT_EQ(host[1], 3);
  const std::uint64_t a = device().allocate(16, {});
  device().copy_to_device(a, host, sizeof host, {});
  launch(*load(), a, 1);
  device().copy_to_host(host, a, sizeof host, {});
  EXPECT_EQ(host[0], 2);
  device().free(a, {});
}

TEST_F(MadeUp, AnotherFormOfMemory) {
  const auto form = [](const char* wanted) {
    setenv("KRAIT_OPENCL_MEMORY", wanted, 1);
    const auto all = new runtime::Found(runtime::opencl_devices());
    return all->devices.empty()              ? all->skipped.at(0)
           : all->devices[0]->reaches_host() ? "system"
                                             : "not system";
  };
  EXPECT_EQ(form(""), "system");
  EXPECT_EQ(form("svm"), "not system");
  EXPECT_EQ(form("buffers"), "not system");
  EXPECT_EQ(
      form("none"),
      "opencl: Nothing (Made-up A): KRAIT_OPENCL_MEMORY=none: expected buffers, svm or system");
  setenv("MADE_UP", "", 1);
  EXPECT_EQ(
      form("svm"),
      "opencl: Nothing (Made-up A): KRAIT_OPENCL_MEMORY=svm: it has no shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)");
}

TEST_F(MadeUp, TwoPlatformsWithOneDevice) {
  ASSERT_EQ(found().devices.size(), 2u);
  EXPECT_EQ(found().devices[0]->id() + " " + found().devices[0]->name(),
            "opencl:0 Nothing (Made-up A)");
  EXPECT_EQ(found().devices[1]->id() + " " + found().devices[1]->name(),
            "opencl:1 Nothing (Made-up B)");
}

// What kernels show of its numbers is asked first.
TEST_F(MadeUp, LogOfABuildThatFails) {
  EXPECT_EQ(
      message_of([&] { device().target(); }),
      "kernel probe: Nothing cannot build it: the program cannot be built\nword 17: made up on purpose");
}

TEST_F(MadeUp, ProgramThatIsRefused) {
  EXPECT_EQ(message_of([&] { device().target(); }),
            "kernel probe: Nothing cannot build it: CL_INVALID_VALUE");
}

TEST_F(MadeUp, LimitsOfASmallDevice) {
  const auto code = load();
  const std::uint64_t a = device().allocate(4096, {});
  EXPECT_EQ(device().limits().threads, 64);
  EXPECT_EQ(
      message_of([&] { launch(*code, a, 65); }),
      "kernel add_one: Nothing (Made-up A) cannot launch blocks of 65 × 1 × 1 threads, only of 64 at "
      "most: the block is too large or has a wrong shape");
  EXPECT_EQ(
      message_of([&] { device().allocate(4097, {}); }),
      "Nothing (Made-up A): an allocation of 4097 bytes exceeds the driver's limit of 4096 bytes per memory object "
      "(CL_DEVICE_MAX_MEM_ALLOC_SIZE): "
      "split it into several arrays");
  const std::string full = message_of([&] {
    for (int k = 0; k < 100; ++k) device().allocate(4096, {});
  });
  EXPECT_EQ(
      full,
      "Nothing (Made-up A): out of device memory: 4096 bytes requested, of 1073741824: out of device memory");
}

TEST_F(MadeUp, KernelWithSmallerBlocksThanTheDevice) {
  EXPECT_EQ(device().limits().block, (runtime::Dim3{256, 256, 256}));  // of four dimensions
  const auto code = load();
  EXPECT_EQ(code->suggested_block(true), 64);
  EXPECT_EQ(code->attributes().max_threads, 100);
  const std::uint64_t a = device().allocate(4096, {});
  EXPECT_EQ(
      message_of([&] { launch(*code, a, 128); }),
      "kernel add_one: Nothing (Made-up A) cannot launch blocks of 128 × 1 × 1 threads, only of 100 at most: the block is "
      "too large "
      "or has a wrong shape");
}

TEST_F(MadeUp, LaunchesThatCannotBe) {
  const auto code = load();
  const std::uint64_t a = device().allocate(16, {});
  EXPECT_EQ(message_of([&] {
              launch(*load_bytes(binary("native) facts(contiguous) flat block(8, 1, 1)")), a, 4);
            }),
            "kernel add_one: compiled for blocks of 8 × 1 × 1 threads");
  EXPECT_EQ(message_of([&] { launch(*code, a, 4, std::int64_t(1) << 62); }),
            "kernel add_one: a grid of 4611686018427387904 × 1 × 1 blocks is too large");
  setenv("MADE_UP", "no_argument", 1);
  EXPECT_EQ(message_of([&] { launch(*code, a, 4); }),
            "kernel add_one: Nothing (Made-up A) rejects parameter 0: CL_INVALID_ARG_VALUE");
  setenv("MADE_UP", "no_kernel", 1);
  EXPECT_EQ(
      message_of([&] { launch(*load(), a, 4); }),
      "kernel add_one: Nothing built it, but the program has no kernel: CL_INVALID_KERNEL_NAME");
  setenv("MADE_UP", "", 1);
  const std::string sound = binary("native) facts(contiguous) flat");
  EXPECT_TRUE(says(
      message_of([&] { load_bytes(sound.substr(0, sound.size() - 1)); }),
      "kernel add_one: its code is damaged: {} bytes follow the head, expected {} and {} of code"));
  support::Envelope other;
  EXPECT_EQ(support::open(sound, support::TargetKind::OpenCl, other), "");
  other.own = "x", other.code = "words";
  EXPECT_EQ(message_of([&] { load_bytes(support::seal(other)); }),
            "kernel add_one: its code is damaged: 1 bytes of facts about it and 5 of words");
}

TEST_F(MadeUp, MemoryThatComesBackLate) {
  device().target();  // probes it
  for (int k = 0; k < 20; ++k) device().free(device().allocate(16, {}), {});
  const std::string full = message_of([&] {
    for (int k = 0; k < 9; ++k) device().allocate(16, {});
  });
  EXPECT_EQ(
      full,
      "Nothing (Made-up A): out of device memory: 16 bytes requested, of 1073741824: out of device memory");
}

// What kernels show of its numbers is asked first.
TEST_F(MadeUp, LaunchWithoutMemory) {
  EXPECT_EQ(
      message_of([&] { device().target(); }),
      "kernel probe: Nothing (Made-up A) cannot launch it in blocks of 64 × 1 × 1 threads with 0 bytes of shared memory: out of "
      "device memory");
}

TEST_F(MadeUp, CommandThatFails) {
  EXPECT_EQ(
      message_of([&] { device().target(); }),
      "OpenCL: clEnqueueWriteBuffer failed: out of resources (a kernel faulted, or needs more than the device has)");
}

TEST_F(MadeUp, AForkHasNoDevice) {
  device().target();
  const pid_t child = fork();
  if (child == 0) {
    const bool said =
        message_of([&] { device().allocate(16, {}); }) ==
        "opencl:0: this process is a fork of one that used OpenCL, which drivers do not support: start the child with exec";
    _exit(said ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(MadeUp, DriverThatTalks) {
  const runtime::opencl::Answer answer = runtime::opencl::ask_apart(nullptr);
  ASSERT_EQ(answer.gpus.size(), 1u);
  EXPECT_EQ(answer.gpus[0].name, "Nothing");
}

/// Here who waits does so until another thread launches.
TEST_F(MadeUp, OthersGoOnWhileOneWaits) {
  setenv("MADE_UP", "", 1);
  const auto code = load();
  const std::uint64_t a = device().allocate(16, {});
  const runtime::StreamHandle stream = device().create_stream();
  const runtime::EventHandle event = device().create_event();
  launch(*code, a, 1);
  device().record(event, stream);
  setenv("MADE_UP", "waits", 1);
  std::int32_t number = 0;
  const std::function<void()> waits[] = {
      [&] { device().synchronize(); },
      [&] { device().synchronize(stream); },
      [&] { device().wait(event); },
      [&] { device().copy_to_host(&number, a, sizeof number, {}); },
      [&] { device().copy_to_device(a, &number, sizeof number, stream); },
  };
  for (const auto& wait : waits) {
    std::atomic<bool> waited{false};
    std::thread other([&] { wait(), waited = true; });
    while (!waited) launch(*code, a, 1);
    other.join();
  }
  EXPECT_GE(number, 1);
}

/// Keeps everything in this process.
struct Notes final : support::Store {
  std::map<std::string, std::string> all;
  std::optional<std::string> find(std::string_view key, std::string_view source) noexcept override {
    const auto at = all.find(std::string(key) + std::string(source));
    return at == all.end() ? std::nullopt : std::optional(at->second);
  }
  std::string keep(std::string_view, std::string_view key, std::string_view source,
                   std::string made) noexcept override {
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
  EXPECT_EQ(
      message_of([&] { find_handles(gpu); }),
      "Nothing (Made-up A) is no longer available: `krait cache clear` makes Krait ask OpenCL's drivers again");
}

}  // namespace
}  // namespace krait::test
