// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staged copies on a made-up driver that copies as late as it may: when an event behind the copy is
// waited for.
#include "runtime/cuda/staging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <vector>

namespace krait::runtime::cuda {
namespace {

struct Copy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
};
/// Copies that were asked for, the oldest first, and how many were asked for before an event was
/// recorded.
struct LateDriver {
  std::deque<Copy> waiting;
  std::size_t asked = 0, done = 0, most_waiting = 0, fail_after = ~std::size_t(0);
  std::list<std::size_t> events;
  std::vector<std::unique_ptr<std::byte[]>> pinned;

  Result ask(Copy c) {
    if (asked == fail_after) return IllegalAddress;
    waiting.push_back(c), ++asked;
    most_waiting = std::max(most_waiting, waiting.size());
    return 0;
  }
  void run_to(std::size_t count) {
    for (; done < count; ++done, waiting.pop_front())
      std::memcpy(waiting.front().to, waiting.front().from, waiting.front().bytes);
  }
} late;

std::byte* place(Address a) { return reinterpret_cast<std::byte*>(a); }

DriverApi make_api() {
  DriverApi api;
  api.mem_host_alloc = [](void** memory, std::size_t bytes, unsigned) -> Result {
    late.pinned.push_back(std::make_unique<std::byte[]>(bytes));
    return *memory = late.pinned.back().get(), 0;
  };
  api.event_create = [](Event* e, unsigned) -> Result {
    return *e = &late.events.emplace_back(0), 0;
  };
  api.event_record = [](Event e, Stream) -> Result {
    return *static_cast<std::size_t*>(e) = late.asked, 0;
  };
  api.event_synchronize = [](Event e) -> Result {
    return late.run_to(*static_cast<std::size_t*>(e)), 0;
  };
  api.copy_to_device = [](Address to, const void* from, std::size_t n, Stream) -> Result {
    return late.ask({place(to), static_cast<const std::byte*>(from), n});
  };
  api.copy_to_host = [](void* to, Address from, std::size_t n, Stream) -> Result {
    return late.ask({static_cast<std::byte*>(to), place(from), n});
  };
  return api;
}

class StagedCopies : public testing::TestWithParam<std::size_t> {
 protected:
  StagedCopies() { late = {}; }
  const DriverApi api = make_api();
  Staging staging{api};

  static std::vector<std::byte> numbers(std::size_t n) {
    std::vector<std::byte> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = std::byte(i * 7 + (i >> 8));
    return v;
  }
  static Address address(std::vector<std::byte>& v) { return reinterpret_cast<Address>(v.data()); }
};

TEST_P(StagedCopies, ToTheDeviceLeaveTheHostAlone) {
  std::vector<std::byte> host = numbers(GetParam()), device(GetParam());
  const std::vector<std::byte> wanted = host;
  ASSERT_EQ(staging.to_device(address(device), host.data(), host.size(), nullptr), 0);
  std::fill(host.begin(), host.end(), std::byte(255));  // the caller may
  std::vector<std::byte> other(GetParam());
  ASSERT_EQ(staging.to_device(address(other), host.data(), host.size(), nullptr), 0);
  EXPECT_FALSE(late.waiting.empty()) << "the last piece need not be waited for";
  late.run_to(late.asked);
  EXPECT_EQ(device, wanted);
  EXPECT_EQ(other, host);
}

TEST_P(StagedCopies, ToTheHostAreThere) {
  std::vector<std::byte> device = numbers(GetParam()), host(GetParam());
  ASSERT_EQ(staging.to_host(host.data(), address(device), host.size(), nullptr), 0);
  EXPECT_EQ(host, device);
  if (GetParam() > (6u << 20)) {
    EXPECT_GT(late.most_waiting, 1u) << "pieces are asked for ahead";
  }
}

TEST_P(StagedCopies, TellWhatFails) {
  std::vector<std::byte> device = numbers(GetParam()), host(GetParam());
  late.fail_after = 0;
  EXPECT_EQ(staging.to_host(host.data(), address(device), host.size(), nullptr), IllegalAddress);
  EXPECT_EQ(staging.to_device(address(device), host.data(), host.size(), nullptr), IllegalAddress);
  late.fail_after = ~std::size_t(0);
  ASSERT_EQ(staging.to_host(host.data(), address(device), host.size(), nullptr), 0);
  EXPECT_EQ(host, device);
}

INSTANTIATE_TEST_SUITE_P(Sizes, StagedCopies,
                         testing::Values(1, 1000, 2 << 20, (2 << 20) + 1, (19 << 20) + 12345));

}  // namespace
}  // namespace krait::runtime::cuda
