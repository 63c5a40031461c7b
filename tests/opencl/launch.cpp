// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OpenCL launcher: limits, and what it says of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <span>

#include <fmt/core.h>

#include "codegen/spirv/spirv.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "runtime/backend.h"
#include "support/blobs/envelope.h"
#include "support/kernel_file.h"
#include "support/blobs/opencl.h"
#include "support/wanted.h"

namespace krait::test {
namespace {

/// Devices whose arrays are this form of memory (KRAIT_OPENCL_MEMORY).
runtime::Found& found(const std::string& memory) {
  // leaked: drivers may be gone at exit
  static auto* const all = new std::map<std::string, runtime::Found>;
  const auto [at, fresh] = all->try_emplace(memory);
  if (fresh) {
    setenv("KRAIT_OPENCL_MEMORY", memory.c_str(), 1);
    at->second = runtime::opencl_devices();
    unsetenv("KRAIT_OPENCL_MEMORY");
  }
  return at->second;
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.message();
  }
  return "";
}

/// By the form of memory: the same kernels in each.
class OpenClLaunch : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (found("buffers").devices.empty()) {
      std::string why = "no OpenCL device";
      for (const std::string& s : found("buffers").skipped) why += "; " + s;
      if (missing("opencl") != skipped) ADD_FAILURE() << why;
      GTEST_SKIP() << why;
    }
    if (found(GetParam()).devices.empty()) GTEST_SKIP() << found(GetParam()).skipped.front();
    // PoCL 3 does not announce it, and its kernels run in this process.
    if (GetParam() == "system" &&
        device().name().find("Portable Computing Language") == std::string::npos)
      GTEST_SKIP() << "not a device of PoCL";
  }
  runtime::Device& device() { return *found(GetParam()).devices.front(); }
  std::string binary(const char* kernel = "add_one") {
    return codegen::spirv::compile(kernel_of(kernel), device().target().spirv,
                                   codegen::spirv::Dialect::Kernel, codegen::Emit::Binary)
        .data;
  }
  std::unique_ptr<runtime::Executable> load(const std::string& bytes) {
    return device().load(std::as_bytes(std::span(bytes)), "add_one");
  }
  void launch(runtime::Executable& code, std::uint64_t address, std::uint64_t n,
              runtime::Dim3 block, runtime::StreamHandle stream = {}) {
    const std::uint64_t arguments[] = {address, n};
    runtime::LaunchRequest request;
    request.grid = {4, 1, 1}, request.block = block, request.stream = stream;
    request.args = reinterpret_cast<const std::byte*>(arguments),
    request.args_size = sizeof arguments;
    device().launch(code, request);
  }
};

TEST_P(OpenClLaunch, StreamsAreInOrderAndEventsOrderThem) {
  constexpr std::size_t n = 1000;
  std::vector<std::int32_t> in(n), out(n);
  std::iota(in.begin(), in.end(), 0);
  const auto code = load(binary());
  const runtime::StreamHandle first = device().create_stream(), second = device().create_stream();
  const runtime::EventHandle begin = device().create_event(), end = device().create_event();
  const std::uint64_t a = device().allocate(n * 4, first), b = device().allocate(n * 4, second);
  device().copy_to_device(a, in.data(), n * 4, first);
  device().record(begin, first);
  for (int k = 0; k < 3; ++k) launch(*code, a, n, {64, 1, 1}, first);
  device().record(end, first);
  device().wait(end, second);
  device().copy_on_device(b, a, n * 4, second);
  launch(*code, b + 40, n - 10, {64, 1, 1}, second);  // into the middle of an allocation
  device().copy_to_host(out.data(), b, n * 4, second);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], std::int32_t(i) + (i < 10 ? 3 : 4)) << i;
  EXPECT_GE(device().elapsed_ms(begin, end), 0);
  EXPECT_LE(device().elapsed_ms(end, begin), 0);
  for (const std::uint64_t address : {a, b}) device().free(address, {});
  for (const auto e : {begin, end}) device().destroy_event(e);
  for (const auto s : {first, second}) device().destroy_stream(s);
  EXPECT_NE(
      message_of([&] { device().copy_to_host(out.data(), a, 4, {}); }).find("are not memory of"),
      std::string::npos);
}

/// PoCL makes a loop of the threads; LLVM's vectoriser then puts off the first of the two stores.
TEST_P(OpenClLaunch, StoresOfAThreadStayInOrder) {
  constexpr std::size_t n = 256;
  const auto code = load(binary("stores_in_order"));
  const std::uint64_t a = device().allocate(n * 8, {}), arguments[] = {a, n, n};
  runtime::LaunchRequest request;
  request.block = {2, 4, 32}, request.args = reinterpret_cast<const std::byte*>(arguments),
  request.args_size = sizeof arguments;
  device().launch(*code, request);
  std::vector<std::uint64_t> out(n);
  device().copy_to_host(out.data(), a, n * 8, {});
  EXPECT_EQ(out, std::vector<std::uint64_t>(n, 2));
  device().free(a, {});
}

TEST_P(OpenClLaunch, TheDefaultStreamIsOrderedWithAllOthers) {
  constexpr std::size_t n = 1 << 20;
  std::vector<std::int32_t> zeros(n), out(n);
  const auto code = load(binary());
  const runtime::StreamHandle first = device().create_stream(), second = device().create_stream();
  const std::uint64_t a = device().allocate(n * 4, {});
  device().copy_to_device(a, zeros.data(), n * 4, {});
  for (int k = 0; k < 5; ++k)
    for (const runtime::StreamHandle s :
         {first, runtime::StreamHandle{}, second, runtime::StreamHandle{}})
      launch(*code, a, n, {64, 1, 1}, s);
  device().copy_to_host(out.data(), a, n * 4, first);
  EXPECT_EQ(out, std::vector<std::int32_t>(n, 20));
  launch(*code, a, n, {64, 1, 1}, second);
  for (const auto s : {first, second}) device().destroy_stream(s);
  device().copy_to_host(out.data(), a, n * 4, {});
  EXPECT_EQ(out, std::vector<std::int32_t>(n, 21));
  device().free(a, {});
}

TEST_P(OpenClLaunch, SaysWhatIsTooLarge) {
  const std::string memory = message_of([&] { device().allocate(std::size_t(1) << 50, {}); });
  EXPECT_NE(memory.find("an allocation of 1125899906842624 bytes exceeds the driver's limit of "),
            std::string::npos)
      << memory;
  EXPECT_NE(memory.find("CL_DEVICE_MAX_MEM_ALLOC_SIZE"), std::string::npos) << memory;
  const auto code = load(binary());
  const std::uint64_t a = device().allocate(4096, {});
  const std::int64_t threads = device().limits().threads;
  const std::string block = message_of([&] { launch(*code, a, 1024, {threads * 2, 1, 1}); });
  EXPECT_NE(block.find(fmt::format("cannot launch blocks of {} × 1 × 1 threads, only of {} at most",
                                   threads * 2, threads)),
            std::string::npos)
      << block;
  if (!device().reaches_host()) {
    const std::string outside = message_of([&] { launch(*code, a + 4097, 1, {1, 1, 1}); });
    EXPECT_NE(outside.find("are not memory of"), std::string::npos) << outside;
  }
  device().free(a, {});
}

TEST_P(OpenClLaunch, ShowsTheLogOfABuildThatFails) {
  support::Target target = device().target();
  if (target.spirv.features.has(support::Feature::F16)) GTEST_SKIP() << "the device has halves";
  for (const support::Feature f : {support::Feature::F16, support::Feature::Fma16})
    target.spirv.features.set(f);
  const ir::Module halves =
      ir::parse(
          "kir 1\nkernel @halves fp(native) facts(contiguous) flat (%0: view<f16, 1>) {\n  %1: i64 = thread_idx {0}\n"
          "  %2: f16 = load %0, %1\n  %3: f16 = fma %2, %2, %2\n  store.f16 %0, %1, %3\n  return\n}\n")
          .module;
  const auto code =
      load(codegen::spirv::compile(halves, target.spirv, codegen::spirv::Dialect::Kernel,
                                   codegen::Emit::Binary)
               .data);
  const std::uint64_t a = device().allocate(4096, {});
  const std::string said = message_of([&] { launch(*code, a, 1024, {64, 1, 1}); });
  EXPECT_NE(said.find("cannot build it: the program cannot be built\n"), std::string::npos) << said;
  EXPECT_NE(said.find("fma"), std::string::npos) << said;
  device().free(a, {});
}

TEST_P(OpenClLaunch, RefusesDamagedCode) {
  std::string bytes = binary();
  bytes[0] = 'x';
  EXPECT_EQ(
      message_of([&] { load(bytes); }),
      "kernel add_one: its code is damaged, or of another build: it does not begin with KRAITENV. libkrait.so and "
      "libkrait_codegen.so are of different builds: reinstall both");
  const std::string whole = binary();
  support::Envelope envelope = support::open_or_fail(std::as_bytes(std::span(whole)),
                                                     support::TargetKind::OpenCl, "add_one");
  envelope.own.resize(3);
  EXPECT_EQ(message_of([&] { load(support::seal(envelope)); }).substr(0, 52),
            "kernel add_one: its code is damaged: 3 bytes of fact");
}

TEST_P(OpenClLaunch, KernelsReachTheHostsMemoryWhereTheDeviceSaysSo) {
  EXPECT_EQ(device().reaches_host(), GetParam() == "system");
  if (!device().reaches_host()) return;
  std::vector<std::int32_t> host(1000);
  std::iota(host.begin(), host.end(), 0);
  launch(*load(binary()), reinterpret_cast<std::uint64_t>(host.data()), host.size(), {64, 1, 1});
  device().synchronize();
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(host[i], std::int32_t(i) + 1) << i;
}

/// Memory is freed while commands that use it wait.
TEST_P(OpenClLaunch, MemoryOutlivesWhatUsesIt) {
  constexpr std::size_t n = 1 << 16;
  const std::vector<std::int32_t> zeros(n);
  std::vector<std::int32_t> out(n);
  const auto code = load(binary());
  const runtime::StreamHandle stream = device().create_stream();
  const std::uint64_t sum = device().allocate(n * 4, stream);
  for (int k = 0; k < 20; ++k) {
    const std::uint64_t a = device().allocate(n * 4, stream);
    device().copy_to_device(a, zeros.data(), n * 4, stream);
    for (int j = 0; j <= k; ++j) launch(*code, a, n, {64, 1, 1}, stream);
    device().copy_on_device(sum, a, n * 4, stream);
    device().free(a, stream);
  }
  device().copy_to_host(out.data(), sum, n * 4, stream);
  EXPECT_EQ(out, std::vector<std::int32_t>(n, 20));
  device().free(sum, stream), device().destroy_stream(stream);
}

INSTANTIATE_TEST_SUITE_P(Memory, OpenClLaunch, testing::Values("buffers", "svm", "system"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace krait::test
