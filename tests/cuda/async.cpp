// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned and managed memory, copies that nobody waits for, and copies between two GPUs, on a
// made-up driver that notes what it is told.
#include "runtime/cuda/async.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "krait/error.h"
#include "runtime/cuda/device.h"

namespace krait::runtime::cuda {
namespace {

/// Devices are 0 and 1, their contexts and pools are at these places.
struct Fake {
  int contexts[2], pools[2];
  Context now = nullptr;
  std::vector<std::string> calls;
  int managed = 1, peers = 1;
  Result answer = 0, event = 0;
} fake;

std::string number_of(const void* at, const int (&places)[2]) {
  return at == &places[0] ? "0" : at == &places[1] ? "1" : "?";
}
Result note(const std::string& call) {
  fake.calls.push_back(number_of(fake.now, fake.contexts) + ": " + call);
  return fake.answer;
}

template <class... Params>
Result succeed(Params...) {
  return 0;
}

DriverApi make_api() {
  DriverApi api;
#define X(name, symbol, parameters) api.name = succeed;
  KRAIT_CUDA_ENTRY_POINTS(X)
#undef X
  api.device_get = [](DeviceId* d, int index) -> Result { return *d = index, 0; };
  api.device_name = [](char* name, int, DeviceId) -> Result { return *name = 0, 0; };
  api.device_attribute = [](int* value, int which, DeviceId) -> Result {
    *value = which == ComputeMajor    ? 9
             : which == ComputeMinor  ? 0
             : which == ManagedMemory ? fake.managed
                                      : 1;
    return 0;
  };
  api.driver_version = [](int* version) -> Result { return *version = 13000, 0; };
  api.primary_retain = [](Context* c, DeviceId d) -> Result { return *c = &fake.contexts[d], 0; };
  api.context_current = [](Context* c) -> Result { return *c = fake.now, 0; };
  api.context_push = [](Context c) -> Result { return fake.now = c, 0; };
  api.context_pop = [](Context*) -> Result { return fake.now = nullptr, 0; };
  api.default_pool = [](Pool* p, DeviceId d) -> Result { return *p = &fake.pools[d], 0; };
  api.pool_get = [](Pool, int, void* bytes) -> Result {
    return *static_cast<std::uint64_t*>(bytes) = 1000, 0;
  };
  api.context_synchronize = [] { return note("wait"); };
  api.mem_host_alloc = [](void** to, std::size_t bytes, unsigned flags) -> Result {
    *to = reinterpret_cast<void*>(std::uintptr_t(64));
    return note("pin " + std::to_string(bytes) + (flags == 1 ? " for all" : ""));
  };
  api.mem_free_host = [](void* p) {
    return note("unpin " + std::to_string(reinterpret_cast<std::uintptr_t>(p)));
  };
  api.mem_alloc_managed = [](Address* to, std::size_t bytes, unsigned flags) -> Result {
    *to = 128;
    return note("manage " + std::to_string(bytes) + (flags == 1 ? " for all" : ""));
  };
  api.mem_free = [](Address a) { return note("free " + std::to_string(a)); };
  api.mem_free_async = [](Address a, Stream) {
    return note("free to the pool " + std::to_string(a));
  };
  api.mem_alloc_async = [](Address* a, std::size_t, Stream) -> Result { return *a = 4096, 0; };
  api.copy_to_device = [](Address to, const void*, std::size_t n, Stream) {
    return note("copy " + std::to_string(n) + " to " + std::to_string(to));
  };
  api.copy_to_host = [](void*, Address from, std::size_t n, Stream) {
    return note("copy " + std::to_string(n) + " from " + std::to_string(from));
  };
  api.copy_peer = [](Address to, Context target, Address from, Context source, std::size_t n,
                     Stream) {
    return note("copy " + std::to_string(n) + " from " + std::to_string(from) + " of " +
                number_of(source, fake.contexts) + " to " + std::to_string(to) + " of " +
                number_of(target, fake.contexts));
  };
  api.stream_priorities = [](int* least, int* greatest) -> Result {
    return *least = 0, *greatest = -5, 0;
  };
  api.stream_create_ranked = [](Stream* s, unsigned flags, int priority) -> Result {
    *s = &fake;
    return note("make a stream of " + std::to_string(priority) + " by " + std::to_string(flags));
  };
  api.launch_host = [](Stream, void (*function)(void*), void* with) -> Result {
    if (fake.answer == 0) function(with);
    return note("call the host");
  };
  api.can_access_peer = [](int* able, DeviceId, DeviceId) -> Result {
    return *able = fake.peers, 0;
  };
  api.enable_peer = [](Context c, unsigned) {
    return note("reach " + number_of(c, fake.contexts));
  };
  api.pool_access = [](Pool p, const PoolAccess* who, std::size_t) {
    return note("let " + std::to_string(who->device) + " into pool " + number_of(p, fake.pools));
  };
  api.event_query = [](Event) -> Result { return fake.event; };
  api.device_id = [](UniqueId* id, DeviceId d) -> Result {
    *id = {};
    return id->bytes[15] = char('0' + d), fake.answer;
  };
  api.error_name = [](Result, const char** name) -> Result {
    return *name = "CUDA_ERROR_OTHER", 0;
  };
  api.error_text = [](Result, const char** text) -> Result { return *text = nullptr, 0; };
  return api;
}

using Calls = std::vector<std::string>;

class CudaAsyncTest : public testing::Test {
 protected:
  CudaAsyncTest() {
    fake.now = nullptr, fake.calls.clear(), fake.managed = fake.peers = 1, fake.answer = 0;
  }
  Calls taken() { return std::exchange(fake.calls, {}); }
  const DriverApi api = make_api();
  CudaDevice first{api, 0}, second{api, 1};
};

TEST_F(CudaAsyncTest, PinnedMemoryIsFreedWithTheNextWait) {
  void* const memory = first.async()->allocate_pinned(100);
  EXPECT_EQ(taken(), (Calls{"0: pin 100 for all"}));
  EXPECT_TRUE(first.async()->free_pinned(memory));
  first.allocate(16, {});
  EXPECT_EQ(taken(), Calls{});  // arrays of a pipeline do not wait for it
  first.synchronize();
  EXPECT_EQ(taken(), (Calls{"0: wait", "0: unpin 64"}));
  EXPECT_TRUE(first.async()->free_pinned(memory));
  first.async()->allocate_pinned(200);
  EXPECT_EQ(taken(), (Calls{"0: wait", "0: unpin 64", "0: pin 200 for all"}));
}

TEST_F(CudaAsyncTest, ManagedMemoryIsFreedWithTheNextWaitAndCounted) {
  first.allocate(16, {});
  EXPECT_EQ(first.reserved_memory(), 1000);
  const std::uint64_t memory = first.async()->allocate_managed(100);
  EXPECT_EQ(memory, 128u);
  EXPECT_EQ(first.reserved_memory(), 1100);
  first.async()->free_managed(memory, 100);
  EXPECT_EQ(taken(), (Calls{"0: manage 100 for all"}));
  first.trim();
  EXPECT_EQ(taken(), (Calls{"0: wait", "0: free 128"}));
  EXPECT_EQ(first.reserved_memory(), 1000);
  fake.managed = 0;
  EXPECT_EQ(first.async()->allocate_managed(100), 0u);
  EXPECT_EQ(taken(), Calls{});
}

TEST_F(CudaAsyncTest, CopiesAreLeftToTheDriver) {
  std::byte bytes[8] = {};
  first.async()->copy_to_device(4096, bytes, 8, {});
  first.async()->copy_to_host(bytes, 8192, 8, {});
  EXPECT_EQ(taken(), (Calls{"0: copy 8 to 4096", "0: copy 8 from 8192"}));
}

TEST_F(CudaAsyncTest, TheWayBetweenTwoDevicesIsOpenedOnce) {
  EXPECT_TRUE(first.async()->is_peer(second));
  first.async()->copy_between({second, 4096}, {first, 8192}, 32, {});
  EXPECT_EQ(taken(), (Calls{"0: reach 1", "0: let 0 into pool 1", "1: reach 0",
                            "1: let 1 into pool 0", "0: copy 32 from 8192 of 0 to 4096 of 1"}));
  first.async()->copy_between({first, 4096}, {second, 8192}, 32, {});
  EXPECT_EQ(taken(), (Calls{"0: copy 32 from 8192 of 1 to 4096 of 0"}));
}

TEST_F(CudaAsyncTest, DevicesWithoutAConnectionCopyAllTheSame) {
  fake.peers = 0;
  second.async()->copy_between({second, 4096}, {first, 8192}, 32, {});
  EXPECT_EQ(taken(), (Calls{"1: copy 32 from 8192 of 0 to 4096 of 1"}));
}

TEST_F(CudaAsyncTest, StreamsHavePriorities) {
  using Priority = Async::Priority;
  for (const Priority p : {Priority::Low, Priority::Normal, Priority::High})
    EXPECT_EQ(second.async()->create_stream(p).native, &fake);
  EXPECT_EQ(taken(), (Calls{"1: make a stream of 0 by 0", "1: make a stream of 0 by 0",
                            "1: make a stream of -5 by 0"}));
}

TEST_F(CudaAsyncTest, StreamsCallTheHost) {
  int calls = 0;
  EXPECT_TRUE(first.async()->call_host([](void* n) { ++*static_cast<int*>(n); }, &calls, {}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(taken(), (Calls{"0: call the host"}));
}

TEST_F(CudaAsyncTest, OtherLibrariesHaveAStreamApartAndTheContext) {
  EXPECT_EQ(first.async()->create_stream_apart().native, &fake);
  EXPECT_EQ(taken(), (Calls{"0: make a stream of -5 by 1"}));
  Context seen = nullptr;
  second.async()->in_context([&] { seen = fake.now; });
  EXPECT_EQ(seen, &fake.contexts[1]);
  EXPECT_EQ(fake.now, nullptr);
  EXPECT_EQ(second.async()->hardware(), std::string(15, 0) + "1");
  EXPECT_NE(first.async()->hardware(), second.async()->hardware());
  EXPECT_TRUE(first.async()->is_done({&fake}));
  fake.event = NotReady;
  EXPECT_FALSE(first.async()->is_done({&fake}));
  fake.event = 0;
}

TEST_F(CudaAsyncTest, FailuresAreNamed) {
  const auto expect = [](const char* step, const auto& action) {
    try {
      action();
      ADD_FAILURE() << "no error";
    } catch (const error& e) {
      EXPECT_EQ(e.message(), "cuda:0 (): " + std::string(step) + " failed: CUDA_ERROR_OTHER");
    }
  };
  fake.answer = 999;
  std::byte bytes[8] = {};
  expect("allocating pinned memory", [&] { first.async()->allocate_pinned(8); });
  expect("allocating managed memory", [&] { first.async()->allocate_managed(8); });
  expect("copying to the device", [&] { first.async()->copy_to_device(4096, bytes, 8, {}); });
  expect("copying to the host", [&] { first.async()->copy_to_host(bytes, 4096, 8, {}); });
  expect("creating a stream", [&] { first.async()->create_stream(Async::Priority::High); });
  expect("calling the host from a stream",
         [&] { first.async()->call_host([](void*) {}, nullptr, {}); });
  expect("reading the device's number", [&] { first.async()->hardware(); });
  fake.event = 999;
  expect("asking for an event", [&] { first.async()->is_done({&fake}); });
  fake.event = 0;
  expect("copying between devices", [&] {
    first.async()->copy_between({first, 4096}, {second, 8192}, 8, {});
  });
  EXPECT_EQ(first.reserved_memory(), 1000);
  DriverApi without = api;
  without.stream_priorities = [](int*, int*) -> Result { return 999; };
  CudaDevice d(without, 0);
  expect("reading the device's priorities",
         [&] { d.async()->create_stream(Async::Priority::High); });
}

}  // namespace
}  // namespace krait::runtime::cuda
