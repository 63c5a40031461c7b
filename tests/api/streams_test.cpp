// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Priorities, functions of the host in the order of a stream, and streams that wait for other
// devices.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "expect.h"

using krait::test::expect_usage;

namespace {

auto make_step() {
  return kr::kernel([](kr::view<int> x, kr::value<int> by, kr::value<int> plus) {
    for (auto i : kr::grid_stride(x.size())) x[i] = x[i] * by + plus;
  });
}

/// What the action throws.
template <class Action>
std::string thrown_by(const Action& action) {
  try {
    action();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(Streams, HavePriorities) {
  const auto step = make_step();
  for (const kr::device& d : kr::devices()) {
    kr::array<int> x = kr::to_device(std::vector<int>(1000, 1), d);
    d.synchronize();
    for (const kr::priority rank : {kr::priority::low, kr::priority::normal, kr::priority::high}) {
      const kr::stream s(d, rank);
      step.launch({4, 64, s}, x, 2, 0);
      s.synchronize();
    }
    EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(1000, 8)) << d.id();
  }
}

TEST(Streams, CallTheHostInTheirOrder) {
  const auto step = make_step();
  for (const kr::device& d : kr::devices()) {
    kr::array<int> x = kr::to_device(std::vector<int>(100'000, 1), d);
    d.synchronize();
    const kr::stream s(d);
    std::vector<int> calls;  // by one thread after the other
    for (int i = 0; i < 10; ++i) {
      step.launch({16, 64, s}, x, 1, 1);
      s.call_host([&calls, i] { calls.push_back(i); });
    }
    s.synchronize();
    EXPECT_EQ(calls, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << d.id();
    EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(100'000, 11)) << d.id();
  }
}

TEST(Streams, OwnTheFunctionsThatTheyCall) {
  auto counted = std::make_shared<int>(0);
  {
    const kr::stream s;
    s.call_host([only = std::make_unique<int>(3), counted] { *counted += *only; });  // it is moved
    s.synchronize();
  }
  EXPECT_EQ(*counted, 3);
  EXPECT_EQ(counted.use_count(), 1);
  kr::stream gone;
  const kr::stream kept = std::move(gone);
  expect_usage({"a moved-from stream is used"}, [&] { gone.call_host([counted] {}); });
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Streams, KeepWhatFunctionsThrow) {
  for (const kr::device& d : kr::devices()) {
    const kr::stream s(d);
    const auto fail = [](const char* what) { return [what] { throw std::runtime_error(what); }; };
    s.call_host(fail("first"));
    s.call_host(fail("second"));
    EXPECT_EQ(thrown_by([&] { s.synchronize(); }), "first") << d.id();
    EXPECT_EQ(thrown_by([&] { d.synchronize(); }), "second") << d.id();
    EXPECT_EQ(thrown_by([&] { d.synchronize(); }), "nothing") << d.id();
    s.call_host(fail("third"));
    kr::event e(d);
    e.record(s);
    EXPECT_EQ(thrown_by([&] { e.wait(); }), "third") << d.id();
    {
      const kr::stream brief(d);
      brief.call_host(fail("of a stream that has ended"));
    }
    s.call_host(fail("fourth"));
    EXPECT_EQ(thrown_by([] { kr::synchronize(); }), "fourth") << d.id();
    EXPECT_EQ(thrown_by([] { kr::synchronize(); }), "nothing") << d.id();
  }
}

TEST(Streams, CallTheHostFromSeveralThreads) {
  const kr::device d;
  constexpr int threads = 4, calls = 50;
  std::atomic<int> done{0}, faults{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      const kr::stream s(d);
      for (int i = 0; i < calls; ++i) {
        s.call_host([&done, i] {
          ++done;
          if (i % 10 == 0) throw std::runtime_error("tenth");
        });
        if (thrown_by([&] { s.synchronize(); }) == "tenth") ++faults;
      }
    });
  for (std::thread& t : all) t.join();
  EXPECT_EQ(done, threads * calls);
  while (thrown_by([&] { d.synchronize(); }) == "tenth") ++faults;
  EXPECT_EQ(faults, threads * calls / 10);
}

/// On a machine with several GPUs these are pairs of GPUs, too.
TEST(Streams, WaitForEventsOfOtherDevices) {
  const auto step = make_step();
  for (const kr::device& a : kr::devices())
    for (const kr::device& b : kr::devices()) {
      const kr::stream first(a), second(b);
      kr::array<int> x = kr::to_device(std::vector<int>(100'000, 1), a),
                     y = kr::to_device(std::vector<int>(100'000, 1), b);
      kr::synchronize();
      std::vector<int> order;
      kr::event done(a);
      step.launch({16, 64, first}, x, 2, 0);
      first.call_host([&] { order.push_back(1); });
      done.record(first);
      done.wait(second);
      second.call_host([&] { order.push_back(2); });
      step.launch({16, 64, second}, y, 3, 0);
      second.synchronize();
      EXPECT_EQ(order, (std::vector<int>{1, 2})) << a.id() << " before " << b.id();
      EXPECT_EQ(std::vector<int>(x.to_host()), std::vector<int>(100'000, 2)) << a.id();
      EXPECT_EQ(std::vector<int>(y.to_host()), std::vector<int>(100'000, 3)) << b.id();
    }
}

}  // namespace
