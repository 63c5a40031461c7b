// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher: memory, copies, streams, events, folded grids, arguments in memory, and what it
// refuses.
#include <gtest/gtest.h>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

#include "codegen/spirv/spirv.h"
#include "device.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "krait/error.h"
#include "runtime/vulkan/features.h"
#include "support/blobs/envelope.h"
#include "support/says.h"
#include "support/blobs/spirv.h"

namespace krait::test {
namespace {

#include "runtime/vulkan/probe_words.inc"

class VulkanLaunch : public OnVulkan<testing::Test> {};

TEST_F(VulkanLaunch, TargetNamesWhatTheDriverDoes) {
  const std::string target = support::print(device()->target());
  RecordProperty("target", target);
  EXPECT_EQ(target.rfind("spirv features=i64", 0), 0u) << target;
  EXPECT_NE(target.find(" push="), target.npos) << target;
}

/// A device array of i32 and a loaded kernel that adds 1 to each.
struct Counter {
  explicit Counter(std::int64_t n)
      : bytes(std::size_t(n) * 4),
        address(d.allocate(bytes, {})),
        block{address, std::uint64_t(n)} {
    const std::string binary = compile(kernel_of("add_one"));
    code = d.load(std::as_bytes(std::span(binary)), "add_one");
  }
  ~Counter() { d.free(address, {}); }
  void launch(runtime::StreamHandle s = {}, runtime::Dim3 grid = {4, 1, 1}) {
    runtime::LaunchRequest r;
    r.grid = grid;
    r.block = {64, 1, 1};
    r.args = reinterpret_cast<const std::byte*>(block);
    r.args_size = sizeof block;
    r.stream = s;
    r.one_trip = one_trip;
    d.launch(*code, r);
  }
  void put(const std::vector<std::int32_t>& v, runtime::StreamHandle s = {}) {
    d.copy_to_device(address, v.data(), bytes, s);
  }
  std::vector<std::int32_t> get(runtime::StreamHandle s = {}) {
    std::vector<std::int32_t> v(bytes / 4);
    d.copy_to_host(v.data(), address, bytes, s);
    return v;
  }

  runtime::Device& d = *device();
  bool one_trip = false;
  std::size_t bytes;
  std::uint64_t address;
  std::uint64_t block[2];
  std::unique_ptr<runtime::Executable> code;
};

TEST_F(VulkanLaunch, ManyDependentDispatchesRunInOrder) {
  Counter c(1000);
  c.put(std::vector<std::int32_t>(1000, 5));
  for (int i = 0; i < 300; ++i) c.launch();
  EXPECT_EQ(c.get(), std::vector<std::int32_t>(1000, 305));
}

TEST_F(VulkanLaunch, CopiesLargerThanTheStagingBuffer) {
  const std::int64_t n = 30'000'000;
  Counter c(n);
  std::vector<std::int32_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  c.put(v);
  const std::uint64_t second = c.d.allocate(c.bytes, {});
  c.d.copy_on_device(second, c.address, c.bytes, {});
  c.launch({}, {1000, 1, 1});  // lavapipe ends all loops after 65,535 trips of a thread
  std::vector<std::int32_t> copied(n);
  c.d.copy_to_host(copied.data(), second, c.bytes, {});
  c.d.free(second, {});
  EXPECT_EQ(copied, v);
  for (auto& x : v) ++x;
  EXPECT_EQ(c.get(), v);
}

TEST_F(VulkanLaunch, StreamsAndEventsKeepTheirOrder) {
  Counter c(256);
  runtime::StreamHandle a = c.d.create_stream(), b = c.d.create_stream();
  runtime::EventHandle begin = c.d.create_event(), end = c.d.create_event();
  c.put(std::vector<std::int32_t>(256, 0), a);
  c.d.record(begin, a);
  for (int i = 0; i < 10; ++i) c.launch(a);
  c.d.record(end, a);
  c.d.wait(end, b);
  for (int i = 0; i < 10; ++i) c.launch(b);
  c.d.synchronize(b);
  c.d.wait(end);
  EXPECT_GE(c.d.elapsed_ms(begin, end), 0.0);
  EXPECT_EQ(c.get(b), std::vector<std::int32_t>(256, 20));
  c.d.destroy_event(begin);
  c.d.destroy_event(end);
  c.d.destroy_stream(a);
  c.d.destroy_stream(b);
}

TEST_F(VulkanLaunch, FreedMemoryIsUsedAgainInOrder) {
  Counter c(1024);
  c.put(std::vector<std::int32_t>(1024, 1));
  for (int i = 0; i < 50; ++i) {
    // Freed while the device may still copy from it; whoever gets the memory next writes behind
    // that.
    const std::uint64_t other = c.d.allocate(c.bytes, {});
    EXPECT_EQ(other % 256, 0u);
    c.d.copy_on_device(other, c.address, c.bytes, {});
    c.launch();
    c.d.copy_on_device(c.address, other, c.bytes, {});
    c.launch();
    c.d.free(other, {});
  }
  EXPECT_EQ(c.get(), std::vector<std::int32_t>(1024, 51));
}

TEST_F(VulkanLaunch, AllocationsDoNotOverlap) {
  runtime::Device& d = *device();
  std::vector<std::pair<std::uint64_t, std::size_t>> live;
  std::uint64_t state = 7;
  for (int i = 0; i < 400; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::size_t bytes = 1 + (state >> 33) % (i % 20 == 0 ? 50'000'000 : 100'000);
    const std::uint64_t address = d.allocate(bytes, {});
    for (auto [other, size] : live)
      ASSERT_TRUE(address + bytes <= other || other + size <= address);
    live.push_back({address, bytes});
    if (state >> 63 && live.size() > 3) {
      std::swap(live[(state >> 40) % live.size()], live.back());
      d.free(live.back().first, {});
      live.pop_back();
    }
  }
  for (auto [address, bytes] : live) d.free(address, {});
}

class VulkanFolding : public VulkanLaunch, public testing::WithParamInterface<const char*> {};

TEST_P(VulkanFolding, GridsBeyondTheDevicesLimitFold) {
  const ir::Module m = kernel_of("blocks_in_order", {{"FACTS", GetParam()}});
  for (ir::Launch launch :
       {ir::Launch{{70'001, 1, 1}, {1, 1, 1}}, ir::Launch{{2, 66'000, 1}, {1, 1, 1}},
        ir::Launch{{3, 2, 65'536}, {1, 1, 1}}}) {
    const std::int64_t blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    std::vector<Argument> after{array(std::vector<std::int32_t>(std::size_t(blocks))),
                                scalar(blocks)};
    EXPECT_EQ(run_on(*device(), m, launch, after), "");
    EXPECT_EQ(after[0].bytes, array(std::vector<std::int32_t>(std::size_t(blocks), 1)).bytes)
        << "each block once";
  }
}

INSTANTIATE_TEST_SUITE_P(Ids, VulkanFolding, testing::Values("contiguous", "contiguous, small"),
                         [](const auto& of) { return of.index ? "Small" : "Large"; });

TEST_F(VulkanLaunch, OneTripIsWhatAThreadMakes) {
  Counter c(1000);
  c.put(std::vector<std::int32_t>(1000, 1));
  c.one_trip = true;
  c.launch({}, {20, 1, 1});
  EXPECT_EQ(c.get(), std::vector<std::int32_t>(1000, 2)) << "the grid covers all";
  c.launch({}, {3, 1, 1});  // a promise that is not true shows that the loop is gone
  std::vector<std::int32_t> expected(1000, 2);
  std::fill_n(expected.begin(), 192, 3);
  EXPECT_EQ(c.get(), expected);
}

TEST_F(VulkanLaunch, ThreadsLaunchAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::vector<std::int32_t>> results(4);
  for (auto& result : results)
    threads.emplace_back([&result] {
      Counter c(512);
      c.put(std::vector<std::int32_t>(512, 0));
      for (int i = 0; i < 50; ++i) c.launch();
      result = c.get();
    });
  for (std::thread& t : threads) t.join();
  for (auto& result : results) EXPECT_EQ(result, std::vector<std::int32_t>(512, 50));
}

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const error& e) {
    return test::without_place(e.message());
  }
  return {};
}

TEST_F(VulkanLaunch, FailuresNameWhatIsMissing) {
  runtime::Device& d = *device();
  EXPECT_EQ(message_of([&] {
              d.allocate(std::size_t(1) << 60, {});
            }).find(d.name() + ": out of device memory: 1152921504606846976 bytes requested, "),
            0u);
  EXPECT_TRUE(says(message_of([&] { d.allocate(std::size_t(1) << 60, {}); }),
                   "{}: out of device memory: {} bytes requested, {} of {} in use by Krait"));
  std::int32_t x = 0;
  EXPECT_EQ(message_of([&] { d.copy_to_host(&x, 8, 4, {}); }),
            "Vulkan: 4 bytes at address 0x8 are not memory of " + d.name());
  const std::string damaged = "not a module";
  EXPECT_NE(message_of([&] { d.load(std::as_bytes(std::span(damaged)), "k"); }).find("damaged"),
            std::string::npos);

  const std::string binary = compile(parse_kernel(
      "kir 1\nkernel @greedy fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n"
      "  %1: i64 = const 268435456\n  %2: shared<i32, 1> = shared %1 {0}\n  return\n}\n"));
  const auto code = d.load(std::as_bytes(std::span(binary)), "greedy");
  runtime::LaunchRequest r;
  r.dynamic_shared = std::int64_t(1) << 30;
  const std::uint64_t block[3] = {0, 0, 268435456};
  r.args = reinterpret_cast<const std::byte*>(block);
  r.args_size = sizeof block;
  EXPECT_NE(message_of([&] { d.launch(*code, r); }).find("shared memory"), std::string::npos);
  const std::string large = compile(
      parse_kernel("kir 1\nkernel @large fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n"
                   "  %1: shared<i32, 1> = shared {4000000}\n  return\n}\n"));
  const auto too_large = d.load(std::as_bytes(std::span(large)), "large");
  r.dynamic_shared = 0;
  EXPECT_NE(message_of([&] {
              d.launch(*too_large, r);
            }).find("kernel large: 16000000 bytes of shared memory requested; "),
            std::string::npos);
  const std::string eight = compile(parse_kernel(
      "kir 1\nkernel @eight fp(native) facts(contiguous) flat block(8, 1, 1) (%0: view<i32, 1>) {\n  return\n}\n"));
  support::Envelope other;
  EXPECT_EQ(support::open(eight, support::TargetKind::Spirv, other), "");
  other.own = "x", other.code = "words";
  const std::string unlike = support::seal(other);
  EXPECT_TRUE(says(
      message_of([&] { d.load(std::as_bytes(std::span(unlike)), "eight"); }),
      "kernel eight: its code is damaged: 1 bytes of facts about it and 5 of words, expected {} and a multiple of 4"));
  EXPECT_EQ(support::open(eight, support::TargetKind::Spirv, other), "");
  support::SpirvCode own;
  ASSERT_TRUE(other.get_own(own));
  own.push_bytes = 1 << 20, other.set_own(own);
  const std::string pushes = support::seal(other);
  EXPECT_TRUE(says(message_of([&] { d.load(std::as_bytes(std::span(pushes)), "eight"); }),
                   "kernel eight: 1048576 bytes of push constants; {} has {}"));
  const auto of_eight = d.load(std::as_bytes(std::span(eight)), "eight");
  r.block = {4, 1, 1};
  EXPECT_EQ(message_of([&] { d.launch(*of_eight, r); }),
            "kernel eight: compiled for blocks of 8 × 1 × 1 threads");
  r.block = {8, 1, 1};
  r.grid = {std::int64_t(1) << 62, 4, 4};
  EXPECT_EQ(message_of([&] { d.launch(*of_eight, r); }),
            "a grid of 4611686018427387904 × 4 × 4 blocks is too large");
  r.grid = {std::int64_t(1) << 62, 1, 1};
  EXPECT_EQ(message_of([&] { d.launch(*of_eight, r); }),
            "a grid of 4611686018427387904 blocks is more than the device takes in one launch");
  const runtime::EventHandle event = d.create_event();
  EXPECT_EQ(
      message_of([&] { d.elapsed_ms(event, event); }),
      d.name() + ": elapsed time of an event that was not recorded, or of more than 1024 events");
  d.destroy_event(event);
  Counter still(64);
  still.put(std::vector<std::int32_t>(64, 1));
  still.launch();
  EXPECT_EQ(still.get(), std::vector<std::int32_t>(64, 2)) << "the device goes on";
}

/// A kernel in which conditions, or conditional returns, follow each other `levels` times.
std::string nested_kernel(int levels, bool returns) {
  std::string text =
      "kir 1\nkernel @nested fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: i64 = global_id {0}\n";
  std::string end;
  for (int n = 0; n < levels; ++n) {
    const int at = 2 + n * 2;
    text += fmt::format("  %{}: i32 = load %0, %1\n  %{}: bool = cast %{}\n  if %{} {{\n", at,
                        at + 1, at, at + 1);
    if (returns) text += "    return\n  }\n";
    else end += "  yield\n  }\n";
    text += returns ? fmt::format("  store.i32 %0, %1, %{}\n", at) : "";
  }
  return text + end + "  return\n}\n";
}

TEST(VulkanTarget, MeasuresConditionsAndTrips) {
  const auto header = [](const std::string& text) {
    const std::string blob =
        compile(parse_kernel(text), "spirv features=i64,vmm subgroup=32 push=128");
    support::Envelope e;
    EXPECT_EQ(support::open(blob, support::TargetKind::Spirv, e), "");
    support::SpirvCode own;
    EXPECT_TRUE(e.get_own(own));
    return std::pair(own.depth, own.trips);
  };
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(header(nested_kernel(7, false)), Pair(7, 0));
  EXPECT_EQ(header(nested_kernel(7, true)), Pair(7, 0));
  const auto loops = [&](std::string inside) {
    return header(
        "kir 1\nkernel @loops fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: u32 = const 1000\n  %2: bool = const "
        "true\n"
        "  %3: i64 = global_id {0}\n  %4: u32 = cast %3\n  for %1 {\n  ^(%5: u32):\n" +
        inside + "    continue\n  }\n  for %1 {\n  ^(%8: u32):\n    continue\n  }\n  return\n}\n");
  };
  const auto twice = [](const std::string& count) {
    return "    for " + count + " {\n    ^(%6: u32):\n      continue\n    }\n";
  };
  EXPECT_EQ(loops(""), Pair(1, 2000));
  EXPECT_EQ(loops(twice("%1")), Pair(2, 1'002'000));
  EXPECT_EQ(loops(twice("%4")), Pair(2, 2000)) << "the inner loop's count is not known";
  EXPECT_EQ(loops("    if %2 {\n      break\n    }\n"), Pair(2, 1000))
      << "the first loop may end at once";
  EXPECT_EQ(loops("    if %2 {\n      return\n    }\n"), Pair(2, 1000));
  EXPECT_EQ(loops("    %9: local<i32, 1> = local {64}\n"), Pair(1, 2000))
      << "zeros of a short array are no loop";
  EXPECT_EQ(loops("    %9: local<i32, 1> = local {800}\n"), Pair(1, 102'000));
}

// Mesa's llvmpipe takes no notice of deeper conditions, and ends loops after 65,535 trips.
TEST_F(VulkanLaunch, KernelsThatTheDriverGetsWrongAreRefused) {
  const bool wrong = device()->name().find("llvmpipe") != std::string::npos;
  const auto loaded = [&](const std::string& text, const char* name) {
    const std::string blob = compile(parse_kernel(text));
    return message_of([&] { device()->load(std::as_bytes(std::span(blob)), name); });
  };
  for (bool returns : {false, true}) {
    EXPECT_EQ(loaded(nested_kernel(79, returns), "nested"), "");
    EXPECT_EQ(loaded(nested_kernel(80, returns), "nested"),
              wrong ? "kernel nested: conditions, loops and early returns nest 80 deep, but " +
                          device()->name() +
                          " computes wrong results beyond 79: use another device (KRAIT_DEVICE=cpu)"
                    : "");
  }
  const auto counted = [](const char* trips) {
    return fmt::format(
        "kir 1\nkernel @loops fp(native) facts(contiguous) flat (%0: view<i32, 1>) {{\n  %1: u32 = const {}\n"
        "  for %1 {{\n  ^(%2: u32):\n    continue\n  }}\n  return\n}}\n",
        trips);
  };
  EXPECT_EQ(loaded(counted("65535"), "loops"), "");
  EXPECT_EQ(
      loaded(counted("65536"), "loops"),
      wrong
          ? "kernel loops: a thread's loops make 65536 iterations, but " + device()->name() +
                " ends all loops after 65535: use another device (KRAIT_DEVICE=cpu), or divide the iterations among threads"
          : "");
  const std::string many =
      "kir 1\nkernel @loops fp(native) facts(contiguous) flat (%0: view<i32, 1>) {\n  %1: u32 = const 4294967295\n  for %1 {\n"
      "  ^(%2: u32):\n    for %1 {\n    ^(%3: u32):\n      continue\n    }\n    continue\n  }\n  return\n}\n";
  EXPECT_TRUE(says(
      loaded(many, "loops"),
      wrong
          ? "kernel loops: a thread's loops make 2^32 or more iterations, but {} ends all loops after 65535"
          : ""));
}

TEST_F(VulkanLaunch, AForkHasNoDevice) {
  Counter c(64);
  c.put(std::vector<std::int32_t>(64, 1));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto refused = [&](auto&& call) {
      return message_of(call).find(
                 "this process is a fork of one that used Vulkan, which drivers do not support: start the child with exec") !=
             std::string::npos;
    };
    const bool all = refused([&] { c.launch(); }) && refused([&] { c.get(); }) &&
                     refused([&] { c.d.allocate(64, {}); }) && refused([&] { c.d.synchronize(); });
    c.d.free(c.address, {});
    c.code.reset();
    _exit(all ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  c.launch();
  EXPECT_EQ(c.get(), std::vector<std::int32_t>(64, 2)) << "the parent goes on";
}

TEST(VulkanTarget, DevicesThatCannotBeUsedAreRefusedWithTheReason) {
  runtime::vulkan::Features f;
  const auto missing = [&] { return runtime::vulkan::missing_for_krait(f); };
  EXPECT_EQ(missing(), "the driver is older than Vulkan 1.2");
  f.api = VK_API_VERSION_1_2;
  EXPECT_EQ(missing(), "it has no compute queue");
  f.queue_family = 0;
  EXPECT_EQ(missing(), "it lacks bufferDeviceAddress: Krait passes addresses, not descriptors");
  f.buffer_address = true;
  EXPECT_EQ(missing(), "it lacks shaderInt64, which addresses need");
  f.i64 = true;
  EXPECT_EQ(missing(), "it lacks timelineSemaphore");
  f.timeline = true;
  EXPECT_EQ(missing(), "");
}

TEST(VulkanTarget, FailuresOfTheDriverNameTheCall) {
  const auto failed = [](VkResult r) {
    return message_of([&] { runtime::vulkan::check(r, "vkQueueSubmit"); });
  };
  EXPECT_EQ(failed(VK_ERROR_DEVICE_LOST),
            "Vulkan: vkQueueSubmit failed: device lost (a kernel faulted or ran too long)");
  EXPECT_EQ(failed(VK_ERROR_OUT_OF_DEVICE_MEMORY),
            "Vulkan: vkQueueSubmit failed: out of device memory");
  EXPECT_EQ(failed(VK_SUCCESS), "");
  const std::pair<VkResult, const char*> all[] = {
      {VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory"},
      {VK_ERROR_MEMORY_MAP_FAILED, "memory cannot be mapped"},
      {VK_ERROR_LAYER_NOT_PRESENT, "a layer is missing"},
      {VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is missing"},
      {VK_ERROR_FEATURE_NOT_PRESENT, "a feature is missing"},
      {VK_ERROR_TOO_MANY_OBJECTS, "too many objects"},
      {VK_ERROR_FRAGMENTATION, "memory is fragmented"},
      {VK_ERROR_UNKNOWN, "VkResult -13"},
  };
  for (const auto& [result, words] : all) EXPECT_EQ(runtime::vulkan::name_of(result), words);
}

TEST(VulkanTarget, MissingFeaturesAreNamed) {
  const ir::Module m = parse_kernel(R"(kir 1
kernel @doubles fp(native) facts(contiguous) flat (%0: view<f64, 1>) {
  %1: i64 = thread_idx {0}
  %2: f64 = load %0, %1
  store.f64 %0, %1, %2
  return
}
)");
  try {
    codegen::spirv::compile(m, support::parse_target("spirv features=i64 push=128").target.spirv,
                            codegen::spirv::Dialect::Shader, codegen::Emit::Binary);
    FAIL() << "compiled without f64";
  } catch (const codegen::Failure& f) {
    EXPECT_EQ(f.status, 1);
    EXPECT_EQ(
        f.message,
        "operation load: a 64-bit float needs the device feature \"f64\", which the device lacks");
  }
}

/// The probes' words are checked in, as the launcher has no compiler. BLESS=1 writes them anew.
TEST(VulkanTarget, ProbesAreWhatTheirTextsCompileTo) {
  const std::string folder = KRAIT_SOURCE_DIR "/lib/runtime/";
  struct Probe {
    const char *name, *text, *more;
    std::span<const std::uint32_t> words;
  };
  const Probe probes[] = {
      {"probe_f16_words", "probe_f16.kir", "", probe_f16_words},
      {"probe_f32_words", "probe_f32.kir", "", probe_f32_words},
      {"probe_f32_keep_words", "probe_f32.kir", "keep32,", probe_f32_keep_words},
      {"probe_f64_words", "probe_f64.kir", "", probe_f64_words},
      {"probe_quick_words", "probe_quick.kir", "", probe_quick_words},
      {"probe_quick_keep_words", "probe_quick.kir", "keep32,", probe_quick_keep_words}};
  std::string all =
      "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//\n// Made out of probe_*.kir (see "
      "probe.cpp).\n";
  const bool bless = std::getenv("BLESS") != nullptr;
  for (const Probe& p : probes) {
    std::ifstream file(folder + p.text);
    const std::string kir{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(kir.empty()) << folder << p.text;
    const std::string binary = compile(
        parse_kernel(kir),
        fmt::format(
            "spirv features={}i64,f64,i16,f16,fma16,fma32,fma64,div32,div64,sqrt32,sqrt64,rsqrt32,whole64,order32 push=128",
            p.more));
    std::vector<std::uint32_t> words(binary.size() / 4);
    std::memcpy(words.data(), binary.data(), binary.size());
    if (!bless) {
      EXPECT_TRUE(std::equal(words.begin(), words.end(), p.words.begin(), p.words.end())) << p.text;
    }
    all += fmt::format("constexpr std::uint32_t {}[] = {{", p.name);
    for (std::size_t i = 0; i < words.size(); ++i)
      all += fmt::format("{}{:#x},", i % 16 ? " " : "\n    ", words[i]);
    all += "\n};\n";
  }
  if (bless) std::ofstream(folder + "vulkan/probe_words.inc") << all;
}

TEST(VulkanTarget, TakesInstructionsThatADeviceWasAskedAbout) {
  const auto with = [](const char* features) {
    return disassembled(parse_kernel(R"(kir 1
kernel @asked fp(native) facts(contiguous) flat (%0: view<f32, 1>) {
  %1: i64 = global_id {0}
  %2: f32 = load %0, %1
  %3: f32 = exp %2
  %4: f32 = max %3, %2
  store.f32 %0, %1, %4
  return
}
)"),
                        fmt::format("spirv features=i64,f64,nfma32{} push=128", features));
  };
  EXPECT_EQ(with("").find("NMax"), std::string::npos);
  const std::string asked = with(",order32,power32");
  for (const char* instruction : {"NMax", "Exp2", "NClamp"})
    EXPECT_NE(asked.find(instruction), std::string::npos) << asked;
}

TEST(VulkanTarget, StreamingAccessesAreNontemporal) {
  constexpr const char* target = "spirv features=i64 push=128";
  EXPECT_EQ(disassembled(kernel_of("add_one"), target).find("Nontemporal"), std::string::npos);
  const std::string hinted = disassembled(kernel_of("add_one", {{"HINT", ".streaming"}}), target);
  EXPECT_EQ(hinted.find("Aligned|Nontemporal 4"),
            hinted.rfind("Aligned|Nontemporal 4", hinted.find("OpStore")))
      << hinted;
  EXPECT_NE(hinted.find("Aligned|Nontemporal 4", hinted.find("OpStore")), std::string::npos)
      << hinted;
}

TEST(VulkanTarget, HidesWhatADriverCountsAndNegatesWrongly) {
  const auto with = [](const char* features) {
    return disassembled(
        parse_kernel(
            "kir 1\nkernel @hides fp(strict) flat (%0: view<u8, 1>, %1: view<f32, 1>, %2: u8, %3: bool) {\n"
            "  %4: i64 = global_id {0}\n  %5: i32 = popcount %2\n  %6: u8 = cast %5\n"
            "  %9: i64 = thread_idx {0}\n  %10: i64 = const 2147483819\n  %11: i64 = mul %9, %10\n"
            "  %12: u8 = cast %11\n  store.u8 %0, %4, %12\n  %13: i64 = const 31\n  %14: i64 = shl %9, %13\n"
            "  %15: u8 = cast %14\n  store.u8 %0, %4, %15\n"
            "  store.u8 %0, %4, %6\n  %7: f32 = cast %3\n  %8: f32 = neg %7\n"
            "  store.f32 %1, %4, %8\n  return\n}\n"),
        std::string("spirv features=i64,i8") + features + " push=128");
  };
  const auto count = [](const std::string& text, const std::string& word) {
    int n = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++n;
    return n;
  };
  const int without = count(with(""), "OpBitwiseOr");
  EXPECT_EQ(count(with(",count16"), "OpBitwiseOr"), without + 1) << with(",count16");
  EXPECT_EQ(count(with(",wide31"), "OpBitwiseOr"), without + 2) << with(",wide31");
  EXPECT_EQ(count(with(",bool0"), "OpBitwiseOr"), without + 1) << with(",bool0");
}

/// A warp's product goes to cooperative matrices where the device has them for its type, and to a
/// loop elsewhere.
// Of other types than matrices have, tiles are copied element by element: pieces of f64 divided by
// zero.
TEST(VulkanTarget, TilesOfDoublesAreCopiedByElements) {
  ir::Module module = parse_kernel(R"(kir 1
kernel @k fp(native) facts(contiguous, aligned) block(32, 1, 1) (%0: view<f64, 2, const>, %1: view<f64, 1>) {
  %2: shared<f64, 1> = shared {128}
  %3: i32 = const 0
  %4: i64 = const 0
  copy_tile %2, %3, %0, %4, %4 {8, 8, 0}
  barrier
  %5: i64 = thread_idx {0}
  %6: f64 = load %2, %5
  store.f64 %1, %5, %6
  return
}
)");
  const std::string target =
      "spirv features=i64,f64,i16,i8,f16,vmm,warp,coop,coopbf16 subgroup=32 push=128";
  EXPECT_EQ(passes::run_pipeline(module, support::parse_target(target).target, true), "");
  const std::string text = disassembled(module, target);
  EXPECT_NE(text.find("OpEntryPoint"), std::string::npos) << text;
  EXPECT_EQ(text.find("OpBitFieldUExtract"), std::string::npos) << text;
}

TEST(VulkanTarget, ProductsAreMatricesWhereTheTypeHasThem) {
  const auto products = [](const char* type, const char* features) {
    const std::string kir = fmt::format(R"(kir 1
kernel @k fp(native) block(32, 1, 1) (%0: view<{0}, 1, const>, %1: view<f32, 1>) {{
  %2: shared<{0}, 1> = shared {{256}}
  %3: i32 = const 0
  %4: i64 = thread_idx {{0}}
  %5: {0} = load %0, %4
  store.{0} %2, %4, %5
  barrier
  %6: f32 = const 0
  %7: f32, %8: f32, %9: f32, %10: f32, %11: f32, %12: f32, %13: f32, %14: f32 = product %2, %3, %2, %3, %6, %6, %6, %6, %6, %6, %6, %6 {{16, 16, 16, {0}, {0}, 0}}
  %15: f32, %16: f32, %17: f32, %18: f32, %19: f32, %20: f32, %21: f32, %22: f32 = product_end %7, %8, %9, %10, %11, %12, %13, %14
  store.f32 %1, %4, %15
  return
}}
)",
                                        type);
    const std::string target =
        fmt::format("spirv features=i64,f64,i16,i8,f16,vmm,warp{} subgroup=32 push=128", features);
    ir::Module module = parse_kernel(kir);
    EXPECT_EQ(passes::run_pipeline(module, support::parse_target(target).target, true), "");
    support::Envelope e;
    const std::string blob = compile(module, target);
    EXPECT_EQ(support::open(blob, support::TargetKind::Spirv, e), "");
    const std::string text = disassembled(module, target);
    const bool shown = text.find("OpEntryPoint") != std::string::npos;
    EXPECT_TRUE(
        shown ||
        text ==
            "; This SPIRV-Tools is older than the module's cooperative matrices and has no text for them: for one without,\n"
            "; give a target without the features coop and coopbf16.\n")
        << text;
    // OpCooperativeMatrixMulAddKHR, younger than some headers
    constexpr std::uint32_t multiply_add = 4459;
    int found = 0;
    std::uint32_t word = 0;
    for (std::size_t at = 5; at * sizeof word < e.code.size(); at += word >> 16) {
      std::memcpy(&word, e.code.data() + at * sizeof word, sizeof word);
      found += (word & 0xffff) == multiply_add;
    }
    return found;
  };
  EXPECT_EQ(products("f16", ",coop"), 1);
  EXPECT_EQ(products("f16", ""), 0);
  EXPECT_EQ(products("bf16", ",coop,coopbf16"), 1);
  EXPECT_EQ(products("bf16", ",coop"), 0);
}

TEST(VulkanTarget, DisassemblesWithoutADevice) {
  const std::string text = disassembled(kernel_of("add_one"), "spirv features=i64 push=128");
  EXPECT_NE(text.find("OpName %add_one \"add_one\""), std::string::npos) << text;
  EXPECT_NE(text.find("OpLoopMerge"), std::string::npos) << text;
}

}  // namespace
}  // namespace krait::test
