// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the CUDA runtime tells what the driver reports, on a table of entry points that fail when a
// test says so: no GPU is needed.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "krait/error.h"
#include "runtime/cuda/device.h"
#include "support/blobs/ptx.h"

namespace krait::runtime::cuda {
namespace {

/// What the driver of a test does.
struct Fake {
  Result launch = 0, synchronize = 0, allocate = 0;
  int out_of_memory = 0;           // so many allocations fail
  std::vector<std::string> texts;  // of all modules that were loaded
  // of code without such a limit; bytes of local memory of code with one
  int registers = 64, spilled = 0;
  std::string looked_for;  // the entry point
  std::string log;         // of its compiler
  std::vector<ModuleHandle> unloaded;
  int blocks_each = 2;  // of one multiprocessor at once
  // grid, block and shared bytes of launches whose blocks meet
  std::vector<std::vector<unsigned>> together;
  std::vector<std::uint32_t> parameters;  // of the last of them
  int capability = 90, driver = 13000, trims = 0, waits = 0, frees = 0, early = 0, plain = 0;
} fake;

template <class... Params>
Result succeed(Params...) {
  return 0;
}

Result attribute(int* value, int which, DeviceId) {
  *value = which == ComputeMajor      ? fake.capability / 10
           : which == ComputeMinor    ? fake.capability % 10
           : which == MemoryPools     ? 1
           : which == Multiprocessors ? 10
           : which == MaxSharedOptin  ? 96 << 10
                                      : 1024;
  return 0;
}

DriverApi make_api() {
  DriverApi api;
#define X(name, symbol, parameters) api.name = succeed;
  KRAIT_CUDA_ENTRY_POINTS(X)
#undef X
  api.device_name = [](char* name, int size, DeviceId) -> Result {
    std::strncpy(name, "Fake GPU", std::size_t(size));
    return 0;
  };
  api.device_attribute = attribute;
  api.device_memory = [](std::size_t* bytes, DeviceId) -> Result { return *bytes = 1 << 20, 0; };
  api.driver_version = [](int* version) -> Result { return *version = fake.driver, 0; };
  api.primary_retain = [](Context* c, DeviceId) -> Result { return *c = &fake, 0; };
  api.context_current = [](Context* c) -> Result { return *c = &fake, 0; };
  api.default_pool = [](Pool* p, DeviceId) -> Result { return *p = &fake, 0; };
  api.pool_trim = [](Pool, std::size_t) -> Result { return ++fake.trims, 0; };
  api.module_load = [](ModuleHandle* m, const void* text, unsigned count, int* options,
                       void** values) -> Result {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == JitInfoLog) fake.log.copy(static_cast<char*>(values[i]), fake.log.size());
    const std::string ptx = static_cast<const char*>(text);
    fake.texts.push_back(ptx);
    *m = ptx.find(".maxnreg") != ptx.npos ? static_cast<void*>(&fake.registers)
                                          : static_cast<void*>(&fake);
    return 0;
  };
  api.module_unload = [](ModuleHandle m) -> Result { return fake.unloaded.push_back(m), 0; };
  api.module_function = [](FunctionHandle* f, ModuleHandle m, const char* name) -> Result {
    return *f = m, fake.looked_for = name, 0;
  };
  api.function_attribute = [](int* value, int which, FunctionHandle f) -> Result {
    const bool limited = f == &fake.registers;
    *value = which == FnRegisters    ? limited ? 32 : fake.registers
             : which == FnLocalBytes ? limited ? fake.spilled : 0
                                     : 64;
    return 0;
  };
  api.launch = [](FunctionHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, Stream, void**, void**) -> Result { return ++fake.plain, fake.launch; };
  api.launch_early = [](const LaunchConfig*, FunctionHandle, void**, void**) -> Result {
    return ++fake.early, fake.launch;
  };
  api.occupancy_blocks = [](int* blocks, FunctionHandle, int, std::size_t) -> Result {
    return *blocks = fake.blocks_each, 0;
  };
  api.launch_together = [](FunctionHandle, unsigned x, unsigned y, unsigned z, unsigned u,
                           unsigned v, unsigned w, unsigned shared, Stream,
                           void** parameters) -> Result {
    fake.together.push_back(std::vector<unsigned>{x, y, z, u, v, w, shared});
    for (std::uint32_t& p : fake.parameters) std::memcpy(&p, *parameters++, sizeof p);
    return fake.launch;
  };
  api.stream_synchronize = [](Stream) -> Result { return fake.synchronize; };
  api.context_synchronize = [] { return ++fake.waits, fake.synchronize; };
  api.mem_free_async = [](Address, Stream) -> Result { return ++fake.frees, 0; };
  api.mem_alloc_async = [](Address* a, std::size_t, Stream) -> Result {
    if (fake.out_of_memory > 0) return --fake.out_of_memory, OutOfMemory;
    return *a = 4096, fake.allocate;
  };
  api.error_name = [](Result r, const char** name) -> Result {
    *name = r == IllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : r == OutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
                                : "CUDA_ERROR_OTHER";
    return 0;
  };
  api.error_text = [](Result, const char** text) -> Result { return *text = nullptr, 0; };
  return api;
}

class DriverFaults : public testing::Test {
 protected:
  DriverFaults() { fake = {}; }
  const DriverApi api = make_api();

  static std::unique_ptr<Executable> load(CudaDevice& d, const char* name) {
    return load(d, name, {});
  }
  static std::unique_ptr<Executable> load(CudaDevice& d, const char* name, support::Envelope code) {
    code.kind = support::TargetKind::Ptx;
    const std::string sealed = support::seal(code);
    return d.load(std::as_bytes(std::span(sealed)), name);
  }
};

/// The message of the error that the action throws.
template <class Action>
std::string message(const Action& action) {
  try {
    action();
  } catch (const error& e) {
    EXPECT_EQ(int(e.kind()), int(error::kind_type::device)) << e.message();
    return e.message();
  }
  ADD_FAILURE() << "no error";
  return {};
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), text.npos) << "\"" << part << "\" is not in: " << text;
}

TEST_F(DriverFaults, AForkHasNoDevice) {
  CudaDevice d(api, 0);
  const pid_t child = fork();
  if (child == 0)
    _exit(
        message([&] { d.allocate(16, {}); }) ==
        "cuda:0: this process is a fork of one that used CUDA, which the driver does not support: start the child with exec");
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

TEST_F(DriverFaults, AnErrorWithoutANameIsANumber) {
  DriverApi nameless = api;
  nameless.error_name = [](Result, const char** name) -> Result { return *name = nullptr, 1; };
  nameless.error_text = [](Result, const char** text) -> Result { return *text = "made up", 0; };
  EXPECT_EQ(text_of(nameless, Result(999)), "CUDA error 999: made up");
}

TEST_F(DriverFaults, AFaultShowsAtTheNextWaitAndNamesTheLastKernels) {
  CudaDevice d(api, 0);
  const auto first = load(d, "first (a.cpp:1)");
  auto second = load(d, "second (b.cpp:2)");
  d.launch(*first, {});
  d.launch(*second, {});
  second.reset();  // the code may be gone when the fault shows
  fake.synchronize = fake.allocate = IllegalAddress;
  EXPECT_EQ(
      message([&] { d.synchronize(); }),
      "cuda:0 (Fake GPU): waiting for the device failed: CUDA_ERROR_ILLEGAL_ADDRESS. A kernel that ran before caused it; the "
      "last ones, newest first: second (b.cpp:2), first (a.cpp:1). KRAIT_DEBUG=1 reports it at the launch. KRAIT_CHECK=1 finds "
      "accesses outside their arrays. The device is lost to this process; the CPU and other devices go on");
  expect_parts(
      message([&] { d.allocate(16, {}); }),
      {"allocating memory failed: the device is lost to this process since an earlier fault (CUDA_ERROR_ILLEGAL_ADDRESS)",
       "cuda:0 (Fake GPU): allocating memory failed: the device is lost to this process since an earlier fault "
       "(CUDA_ERROR_ILLEGAL_ADDRESS). The CPU and other devices go on"});
}

TEST_F(DriverFaults, WithDebugTheLaunchItselfReports) {
  setenv("KRAIT_DEBUG", "1", 1);
  CudaDevice d(api, 0);
  unsetenv("KRAIT_DEBUG");
  const auto k = load(d, "k (a.cpp:1)");
  fake.synchronize = IllegalAddress;
  LaunchRequest request;
  request.grid = {3, 1, 1};
  expect_parts(
      message([&] { d.launch(*k, request); }),
      {"kernel k (a.cpp:1) with grid 3 x 1 x 1 and block 1 x 1 x 1 failed: CUDA_ERROR_ILLEGAL_ADDRESS",
       "is lost"});
}

TEST_F(DriverFaults, ALaunchThatTheDriverRefusesLosesNothing) {
  CudaDevice d(api, 0);
  const auto k = load(d, "k (a.cpp:1)");
  fake.launch = 701;  // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
  EXPECT_EQ(
      message([&] { d.launch(*k, {}); }),
      "cuda:0 (Fake GPU): kernel k (a.cpp:1) with grid 1 x 1 x 1 and block 1 x 1 x 1 failed: CUDA_ERROR_OTHER. It uses 64 "
      "registers per thread and takes blocks of up to 64 threads");
  fake.launch = 0;
  d.launch(*k, {});
  d.synchronize();
}

TEST_F(DriverFaults, MoreSharedMemoryThanTheDeviceHas) {
  CudaDevice d(api, 0);
  const auto k = load(d, "k (a.cpp:1)");
  LaunchRequest request;
  request.dynamic_shared = 96 << 10;
  try {
    d.launch(*k, request);
    ADD_FAILURE() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(int(e.kind()), int(error::kind_type::usage));
    EXPECT_STREQ(
        e.message(),
        "kernel k (a.cpp:1): 98368 bytes of shared memory requested; cuda:0 (Fake GPU) has 98304");
  }
}

TEST_F(DriverFaults, BlocksThatMeetRunAtOnceOrNotAtAll) {
  CudaDevice d(api, 0);
  support::Envelope code;
  using What = support::ArgumentSlot::What;
  code.arguments.slots = {
      {What::Scalar, 0, 0, 4, 4}, {What::Address, 0, 1, 8, 8}, {What::Extent, 0, 1, 4, 16}};
  code.arguments.size = 24, code.arguments.given = 1;
  code.arguments.hidden = {{support::HiddenKind::Arrivals}};
  const auto k = load(d, "k (a.cpp:1)", code);
  const std::uint32_t arguments[] = {0, 7, 8, 0, 9, 5};
  LaunchRequest request;
  request.args = reinterpret_cast<const std::byte*>(arguments),
  request.args_size = sizeof arguments;
  request.grid = {5, 2, 2}, request.block = {32, 4, 1}, request.dynamic_shared = 128;
  fake.parameters.resize(4);
  d.launch(*k, request);
  EXPECT_EQ(fake.together, (std::vector<std::vector<unsigned>>{{5, 2, 2, 32, 4, 1, 128}}));
  EXPECT_EQ(fake.parameters, (std::vector<std::uint32_t>{7, 8, 9, 5}))
      << "the last one fills the block up";
  request.grid = {21, 1, 1};
  try {
    d.launch(*k, request);
    ADD_FAILURE() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(int(e.kind()), int(error::kind_type::usage));
    EXPECT_STREQ(
        e.message(),
        "kernel k (a.cpp:1): 21 blocks of 128 threads meet at kr::grid_sync(), but cuda:0 (Fake GPU) runs at most 20 of them at once: "
        "launch fewer blocks, each with more of the work");
  }
  EXPECT_EQ(fake.together.size(), 1u);
  fake.launch = 720;  // CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
  request.grid = {20, 1, 1};
  expect_parts(message([&] { d.launch(*k, request); }),
               {"kernel k (a.cpp:1) with grid 20 x 1 x 1 and block 32 x 4 x 1 failed"});
  fake.launch = 0;
}

TEST_F(DriverFaults, AGraphIsNamed) {
  CudaDevice d(api, 0);
  const auto k = load(d, "k (a.cpp:1)");
  const GraphLaunch launches[] = {{k.get(), {}}, {k.get(), {}}};
  void* const graph = d.make_graph(launches);
  d.launch_graph(graph, {});
  fake.synchronize = LaunchFailed;
  expect_parts(message([&] { d.synchronize(StreamHandle{}); }),
               {"newest first: a graph of 2 (k (a.cpp:1), k (a.cpp:1))"});
  d.destroy_graph(graph);
}

/// The driver's answer to one entry point.
template <class... Params>
Result fail_once(Params...) {
  return 999;
}

TEST_F(DriverFaults, EachStepIsNamed) {
  DriverApi driver = make_api();
  const auto expect = [&](const char* step, const auto& action) {
    EXPECT_EQ(message(action),
              "cuda:0 (Fake GPU): " + std::string(step) + " failed: CUDA_ERROR_OTHER");
  };
  const auto at_start = [&](const char* step, auto DriverApi::*entry, const char* name) {
    const DriverApi sound = std::exchange(driver, make_api());
    driver.*entry = fail_once;
    EXPECT_EQ(message([&] { CudaDevice d(driver, 0); }),
              "cuda:0 (" + std::string(name) + "): " + step + " failed: CUDA_ERROR_OTHER");
    driver = sound;
  };
  at_start("finding the device", &DriverApi::device_get, "");
  at_start("reading the device's name", &DriverApi::device_name, "");
  at_start("reading the device's attributes", &DriverApi::device_attribute, "Fake GPU");
  at_start("reading the device's memory size", &DriverApi::device_memory, "Fake GPU");
  at_start("reading the driver's version", &DriverApi::driver_version, "Fake GPU");

  driver.primary_retain = fail_once;
  CudaDevice unused(driver, 0);
  expect("starting the device", [&] { unused.create_stream(); });
  driver = make_api();
  CudaDevice d(driver, 0);
  const auto code = load(d, "k (a.cpp:1)");
  const auto with = [&](const char* step, auto DriverApi::*entry, const auto& action) {
    const auto sound = std::exchange(driver.*entry, fail_once);
    expect(step, action);
    driver.*entry = sound;
  };
  const GraphLaunch launches[] = {{code.get(), {}}};
  with("finding the kernel in its module", &DriverApi::module_function,
       [&] { load(d, "lost (a.cpp:1)"); });
  driver.context_current = fail_once;  // another context than the device's, or none
  with("making the device's context current", &DriverApi::context_push, [&] { d.trim(); });
  driver.context_current = make_api().context_current;
  fake.out_of_memory = 1;
  with("waiting for memory", &DriverApi::context_synchronize, [&] { d.allocate(16, {}); });
  LaunchRequest wants_shared;
  wants_shared.dynamic_shared = 64 << 10;
  with("opting in to more shared memory", &DriverApi::function_set_attribute,
       [&] { d.launch(*code, wants_shared); });
  with("creating a stream", &DriverApi::stream_create, [&] { d.create_stream(); });
  with("waiting for a stream", &DriverApi::stream_synchronize,
       [&] { d.synchronize(StreamHandle{}); });
  with("creating an event", &DriverApi::event_create, [&] { d.create_event(); });
  with("recording an event", &DriverApi::event_record, [&] { d.record(EventHandle{}, {}); });
  with("waiting for an event", &DriverApi::event_synchronize, [&] { d.wait(EventHandle{}); });
  with("letting a stream wait for an event", &DriverApi::stream_wait,
       [&] { d.wait(EventHandle{}, StreamHandle{}); });
  with("taking the time between two events", &DriverApi::event_elapsed,
       [&] { d.elapsed_ms({}, {}); });
  std::byte element[4] = {};
  void* room = element;
  driver.mem_host_alloc = [](void** to, std::size_t bytes, unsigned) -> Result {
    static std::vector<std::byte> chunk;  // staging keeps it as long as the process
    return chunk.resize(bytes), *to = chunk.data(), 0;
  };
  with("copying to the device", &DriverApi::copy_to_device,
       [&] { d.copy_to_device(4096, element, sizeof element, {}); });
  with("copying to the host", &DriverApi::copy_to_host,
       [&] { d.copy_to_host(room, 4096, sizeof element, {}); });
  with("copying on the device", &DriverApi::copy_on_device,
       [&] { d.copy_on_device(4096, 8192, 4, {}); });
  with("asking for the memory in use", &DriverApi::pool_get, [&] { d.reserved_memory(); });
  with("giving memory back", &DriverApi::pool_trim, [&] { d.trim(); });
  with("making a graph", &DriverApi::graph_instantiate, [&] { d.make_graph(launches); });
  void* const graph = d.make_graph(launches);
  with("launching a graph", &DriverApi::graph_launch, [&] { d.launch_graph(graph, {}); });
  d.destroy_graph(graph);
  d.synchronize();
}

TEST_F(DriverFaults, OutOfMemoryTrimsAndTriesAgain) {
  CudaDevice d(api, 0);
  fake.out_of_memory = 1;
  EXPECT_EQ(d.allocate(16, {}), 4096u);
  EXPECT_EQ(fake.trims, 1);
  fake.out_of_memory = 2;
  EXPECT_EQ(
      message([&] { d.allocate(1 << 21, {}); }),
      "cuda:0 (Fake GPU): out of memory: 2097152 bytes requested; the device has 1048576 in all");
  EXPECT_EQ(d.allocate(16, {}), 4096u);
}

TEST_F(DriverFaults, MemoryOfSeveralStreamsIsFreedByTheNextWaitOrAllocation) {
  CudaDevice d(api, 0);
  const auto seen = [] { return std::pair(fake.waits, fake.frees); };
  const std::uint64_t first = d.allocate(16, {}), second = d.allocate(16, {}),
                      third = d.allocate(16, {});
  EXPECT_EQ(seen(), std::pair(0, 0));
  d.free_when_idle(first);
  d.free_when_idle(second);
  EXPECT_EQ(seen(), std::pair(0, 0));  // a library that is unloaded must not wait
  d.allocate(16, {});
  EXPECT_EQ(seen(), std::pair(1, 2));
  d.allocate(16, {});
  EXPECT_EQ(seen(), std::pair(1, 2));
  d.free_when_idle(third);
  d.synchronize();
  EXPECT_EQ(seen(), std::pair(2, 3));
  d.free_when_idle(0);
  d.free_when_idle(4096);
  fake.synchronize = IllegalAddress;
  expect_parts(message([&] { d.allocate(16, {}); }), {"waiting for the device failed"});
}

TEST_F(DriverFaults, ADriverOlderThanThePtx) {
  fake.capability = 100, fake.driver = 12020;
  CudaDevice d(api, 0);  // which does not keep others from being found
  EXPECT_EQ(
      message([&] { d.allocate(16, {}); }),
      "cuda:0 (Fake GPU): the device needs PTX 8.6, the driver (CUDA 12.2) reads up to 8.2: install a newer driver, or choose "
      "another device (KRAIT_DEVICE)");
}

TEST_F(DriverFaults, ADeviceThatIsTooOld) {
  fake.capability = 70;
  CudaDevice d(api, 0);
  EXPECT_EQ(
      message([&] { d.allocate(16, {}); }),
      "cuda:0 (Fake GPU): kernels compile for compute capability 7.5 and later, the device has 7.0: choose another device "
      "(KRAIT_DEVICE)");
}

TEST_F(DriverFaults, RemarksOfTheCompilerAreKept) {
  CudaDevice d(api, 0);
  support::Envelope code;
  code.entry = "krait_entry", code.code = ".entry krait_entry()\n{ }";
  code.set_own(support::PtxCode{code.code.find("\n{")});
  EXPECT_TRUE(load(d, "quiet", code)->attributes().remarks.empty());
  fake.log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized in the function "
      "'krait_entry'\n"
      "ptxas info    : setmaxnreg ignored to maintain minimum register requirements.";
  EXPECT_EQ(
      load(d, "slow", code)->attributes().remarks,
      (std::vector<std::string>{
          "Potential Performance Loss: wgmma.mma_async instructions are serialized in the function 'krait_entry'",
          "setmaxnreg ignored to maintain minimum register requirements."}));
}

/// What the compiler says of a kernel counts, and not its text, which may be a user's.
TEST_F(DriverFaults, OnlyKernelsThatWaitBeginEarly) {
  CudaDevice d(api, 0);
  support::Envelope code;
  code.entry = "krait_entry", code.code = ".entry krait_entry()\n{ // griddepcontrol.wait;\n}";
  const auto launch = [&](std::uint64_t waits) {
    code.set_own(support::PtxCode{code.code.find("\n{"), waits});
    const std::unique_ptr<Executable> k = load(d, "second", code);
    fake.early = fake.plain = 0;
    d.launch(*k, {});
    return std::pair(fake.early, fake.plain);
  };
  EXPECT_EQ(launch(1), std::pair(1, 0));
  EXPECT_EQ(launch(0), std::pair(0, 1));
}

/// What was loaded, and what the kernel that stays takes.
struct Wished {
  std::vector<std::string> texts;
  int registers = 0;
  std::size_t unloaded = 0;
};

TEST_F(DriverFaults, FewRegistersAreAWish) {
  const auto of = [&](int takes, int spilled, unsigned wish, std::uint64_t resident = 0) {
    fake = {};
    fake.registers = takes, fake.spilled = spilled;
    CudaDevice d(api, 0);
    support::Envelope code;
    code.registers = wish, code.entry = "krait_entry", code.code = ".entry krait_entry()\n{ }";
    code.set_own(support::PtxCode{code.code.find("\n{"), 0, resident});
    const std::unique_ptr<Executable> loaded = load(d, "wide", code);
    EXPECT_EQ(fake.looked_for, "krait_entry");
    return Wished{fake.texts, loaded->attributes().registers, fake.unloaded.size()};
  };
  using Texts = std::vector<std::string>;
  const std::string free = ".entry krait_entry()\n{ }",
                    held = ".entry krait_entry()\n.maxnreg 32\n{ }";
  Wished w = of(36, 0, 32);  // held, and the other one given back
  EXPECT_EQ(w.texts, (Texts{free, held}));
  EXPECT_EQ(w.registers, 32);
  EXPECT_EQ(w.unloaded, 1u);
  w = of(36, 16, 32);  // what spills then keeps its registers
  EXPECT_EQ(w.texts, (Texts{free, held}));
  EXPECT_EQ(w.registers, 36);
  EXPECT_EQ(w.unloaded, 1u);
  for (const int takes : {32, 41}) {  // no need, or too far
    w = of(takes, 0, 32);
    EXPECT_EQ(w.texts, Texts{free});
    EXPECT_EQ(w.registers, takes);
    EXPECT_EQ(w.unloaded, 0u);
  }
  EXPECT_EQ(of(40, 0, 32).texts, (Texts{free, held}));
  EXPECT_EQ(of(36, 0, 0).texts, Texts{free});
  // Of threads that all have so many: they are taken at once, and a few words may spill.
  w = of(181, 64, 32, 1);
  EXPECT_EQ(w.texts, Texts{held});
  EXPECT_EQ(w.unloaded, 0u);
  w = of(181, 68, 32, 1);
  EXPECT_EQ(w.texts, (Texts{held, free}));
  EXPECT_EQ(w.registers, 181);
  EXPECT_EQ(w.unloaded, 1u);
}

TEST_F(DriverFaults, CodeThatIsNoneIsRefused) {
  CudaDevice d(api, 0);
  const std::string ptx(200, ' ');
  expect_parts(message([&] { d.load(std::as_bytes(std::span(ptx)), "plain"); }),
               {"kernel plain: its code is damaged", "KRAITENV"});
  support::Envelope wishes;
  wishes.registers = 32;
  EXPECT_EQ(
      message([&] { load(d, "wide", wishes); }),
      "kernel wide: its code is damaged: 0 bytes of facts about it, expected 24 with a place in the text");
}

TEST_F(DriverFaults, CodeThatTheDriverRefuses) {
  DriverApi driver = make_api();
  driver.module_load = [](ModuleHandle*, const void*, unsigned, int*, void** values) -> Result {
    std::strcpy(static_cast<char*>(values[0]), "ptxas fatal");
    return 999;
  };
  CudaDevice d(driver, 0);
  EXPECT_EQ(
      message([&] { load(d, "k (a.cpp:1)"); }),
      "cuda:0 (Fake GPU): the driver rejects the code of kernel k (a.cpp:1): CUDA_ERROR_OTHER. It says: ptxas fatal");
}

}  // namespace
}  // namespace krait::runtime::cuda
