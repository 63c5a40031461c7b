// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of work that goes on beside the host belong to their launch: they come out once, in the
// thread that launched or waits for it.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

// Under a thread sanitizer two threads that ask for one lock without a pause take long.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define KRAIT_FEWER
#endif
#endif
#ifdef KRAIT_FEWER
constexpr int times = 50;
#else
constexpr int times = 500;
#endif

/// Every device that there is, and the interpreter.
std::vector<kr::device> every_device() {
  std::vector<kr::device> all(kr::devices().begin(), kr::devices().end());
  all.push_back(kr::device::find("interpreter"));
  return all;
}

/// Where a fault is an error of the launch itself.
bool throws_at_launch(const kr::device& d) {
  return d == kr::device::cpu() || std::getenv("KRAIT_DEBUG");
}

auto make_wrong() {
  return kr::kernel(
      [](kr::view<float> y) {
        auto i = kr::grid<1>();
        kr::check(y[i] < 0, "wrong");
        y[i] = kr::abs(y[i]);
      },
      {.name = "wrong"});
}
/// It may report, too, and never does.
auto make_right() {
  return kr::kernel(
      [](kr::view<float> y) {
        auto i = kr::grid<1>();
        kr::check(y[i] >= 0, "right");
        y[i] = y[i] * 0.5f;
      },
      {.name = "right"});
}
auto make_beyond() {
  return kr::kernel([](kr::view<float> y) { y[kr::grid<1>()] = y[kr::grid<1>() + 1'000'000]; },
                    {.name = "beyond", .checked = true});
}

/// The message of what it throws; empty: nothing.
std::string thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const kr::error& e) {
    return e.message();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}
bool says(const std::string& message, const char* part) {
  return message.find(part) != std::string::npos;
}

/// Runs `guilty` 500 times in a thread of its own while `innocent` runs in another: what each of
/// them was thrown.
struct Counts {
  int guilty = 0, innocent = 0;
  std::string first;
};
Counts beside(const std::function<void()>& guilty, const std::function<void()>& innocent,
              int count = times) {
  Counts counts;
  std::atomic<bool> stop{false};
  std::atomic<int> calls{0};
  std::thread other([&] {
    while (!stop) {
      if (const std::string what = thrown_by(innocent); !what.empty() && ++counts.innocent == 1)
        counts.first = what;
      ++calls;
      std::this_thread::yield();
    }
  });
  while (calls == 0) std::this_thread::yield();
  for (int i = 0; i < count; ++i) counts.guilty += !thrown_by(guilty).empty();
  stop = true;
  other.join();
  return counts;
}

#define EXPECT_ALL_GUILTY(counts, device)                               \
  do {                                                                  \
    const Counts seen = counts;                                         \
    EXPECT_EQ(seen.guilty, times) << (device).id();                     \
    EXPECT_EQ(seen.innocent, 0) << (device).id() << ": " << seen.first; \
  } while (false)

TEST(Errors, OfAStreamComeToItsThread) {
  const auto wrong = make_wrong();
  const auto beyond = make_beyond();
  const auto right = make_right();
  for (const kr::device& d : every_device()) {
    kr::array<float> x = kr::zeros<float>({100}, d), y = kr::zeros<float>({100}, d);
    const kr::stream mine(d), others(d);
    const auto run_right = [&] { right.launch({1, 64, others}, y), others.synchronize(); };
    EXPECT_ALL_GUILTY(beside(
                          [&] {
                            wrong.launch({1, 64, mine}, x), mine.synchronize();
                          },
                          run_right),
                      d);
    EXPECT_ALL_GUILTY(beside(
                          [&] {
                            beyond.launch({1, 64, mine}, x), mine.synchronize();
                          },
                          run_right),
                      d);
  }
}

TEST(Errors, OfCallsThatWaitAreTheirOwn) {
  for (const kr::device& d : every_device()) {
    const auto wrong = kr::kernel([](kr::view<float> v, kr::view<const float> on) {
      kr::check(v[kr::grid<1>()] < on[0], "wrong");
    });
    const auto right = kr::kernel([](kr::view<float> v, kr::view<const float> on) {
      kr::check(v[kr::grid<1>()] >= on[0], "right");
    });
    std::vector<float> x(100), y(100);
    kr::array<float> on = kr::zeros<float>({1}, d);  // says on which device
    EXPECT_ALL_GUILTY(beside(
                          [&] {
                            wrong.launch({1, 64}, x, on);
                          },
                          [&] {
                            right.launch({1, 64}, y, on);
                          }),
                      d);
  }
}

TEST(Errors, OfTheDefaultStreamComeToWhoReadsTheArray) {
  for (const kr::device& d : every_device()) {
    const auto wrong = make_wrong();
    const auto right = make_right();
    kr::array<float> x = kr::zeros<float>({100}, d), y = kr::zeros<float>({100}, d),
                     z = kr::zeros<float>({100}, d);
    EXPECT_ALL_GUILTY(beside(
                          [&] {
                            wrong.launch({1, 64}, x), static_cast<void>(x.to_host());
                          },
                          [&] {
                            right.launch({1, 64}, y), static_cast<void>(y.to_host());
                          }),
                      d);
    // Another array's copy waits for the same stream, so the thread's own errors come out there.
    EXPECT_ALL_GUILTY(beside(
                          [&] {
                            wrong.launch({1, 64}, x), static_cast<void>(z.to_host());
                          },
                          [&] {
                            right.launch({1, 64}, y), static_cast<void>(y.to_host());
                          }),
                      d);
  }
}

TEST(Errors, OfFunctionsComeToTheirStream) {
  for (const kr::device& d : every_device()) {
    const kr::stream mine(d), others(d);
    const auto fail = [] { throw std::runtime_error("thrown"); };
    EXPECT_ALL_GUILTY(beside([&] { mine.call_host(fail), mine.synchronize(); },
                             [&] { others.call_host([] {}), others.synchronize(); }),
                      d);
  }
}

TEST(Errors, OfAStreamThatHasEndedHarmNobody) {
  const auto wrong = make_wrong();
  for (const kr::device& d : kr::devices()) {
    const kr::stream other(d);
    {
      const kr::stream brief(d);
      brief.call_host([] { throw std::runtime_error("thrown"); });
    }
    EXPECT_EQ(thrown_by([&] { other.synchronize(); }), "") << d.id();
    EXPECT_EQ(thrown_by([&] { d.synchronize(); }), "") << d.id();
    if (throws_at_launch(d)) continue;
    kr::array<float> x = kr::zeros<float>({64}, d), y = kr::zeros<float>({64}, d);
    {
      const kr::stream brief(d);
      wrong.launch({1, 64, brief}, x);
    }
    EXPECT_EQ(thrown_by([&] { other.synchronize(); }), "") << d.id();
    std::string elsewhere;
    std::thread([&] {
      elsewhere = thrown_by([&] { d.synchronize(), static_cast<void>(y.to_host()); });
    }).join();
    EXPECT_EQ(elsewhere, "") << d.id();
    // What the array holds is wrong, so who reads it is told.
    EXPECT_TRUE(says(thrown_by([&] { static_cast<void>(x.to_host()); }), "wrong")) << d.id();
    EXPECT_EQ(thrown_by([&] { static_cast<void>(x.to_host()); }), "") << d.id();
  }
}

TEST(Errors, ComeOutOnceWhereverTheyAreWaitedFor) {
  const auto wrong = make_wrong();
  for (const kr::device& d : kr::devices()) {
    if (throws_at_launch(d)) continue;
    kr::array<float> x = kr::zeros<float>({64}, d), y = kr::zeros<float>({64}, d);
    const kr::stream s(d), other(d);
    kr::event before(d), after(d), in_other(d);
    const std::function<void()> waits[] = {[&] { s.synchronize(); }, [&] { after.wait(); },
                                           [&] { static_cast<void>(x.to_host()); },
                                           [&] { d.synchronize(); }, [] { kr::synchronize(); }};
    const std::function<void()> others[] = {[&] { other.synchronize(); }, [&] { before.wait(); },
                                            [&] { in_other.wait(); },
                                            [&] { static_cast<void>(y.to_host()); }};
    int n = 0;
    for (const auto& wait : waits)
      for (const bool in_a_third : {false, true}) {
        SCOPED_TRACE(std::string(d.id()) + ", wait " + std::to_string(n++));
        before.record(s), in_other.record(other);
        wrong.launch({1, 64, s}, x);
        after.record(s);
        for (const auto& o : others) EXPECT_EQ(thrown_by(o), "");
        std::string what;
        if (in_a_third) std::thread([&] { what = thrown_by(wait); }).join();
        else what = thrown_by(wait);
        EXPECT_TRUE(says(what, "; and 63 further faults")) << what;
        for (const auto& w : waits) EXPECT_EQ(thrown_by(w), "");
      }
  }
}

TEST(Errors, OfGraphsBelongToTheReplaysStream) {
  const auto once = kr::kernel([](kr::view<int> x) {
    kr::check(x[0] == 1, "wrong");
    x[0] = 1;
  });
  for (const kr::device& d : every_device()) {
    kr::array<int> x = kr::zeros<int>({1}, d), y = kr::zeros<int>({1}, d);
    kr::graph graph([&] { once.launch({1, 1}, x); }, d);
    const kr::stream first(d), second(d);
    kr::event done(d);
    std::string at_first = thrown_by([&] { graph.launch(first); });  // on the CPU the launch's own
    done.record(first), done.wait(second);
    EXPECT_EQ(thrown_by([&] { graph.launch(second), second.synchronize(); }), "") << d.id();
    at_first += thrown_by([&] { first.synchronize(); });
    EXPECT_TRUE(says(at_first, "wrong")) << d.id();

    const auto wrong = make_wrong();
    const auto right = make_right();
    kr::array<float> a = kr::zeros<float>({64}, d), b = kr::zeros<float>({64}, d);
    kr::graph guilty(
        [&] {
          right.launch({1, 64}, a), wrong.launch({1, 64}, a);
        },
        d),
        innocent(
            [&] {
              right.launch({1, 64}, b);
            },
            d);
    EXPECT_ALL_GUILTY(beside([&] { guilty.launch(first), first.synchronize(); },
                             [&] { innocent.launch(second), second.synchronize(); }),
                      d);
    { const kr::graph gone = std::move(guilty); }
    EXPECT_EQ(thrown_by([&] { right.launch({1, 64}, b), d.synchronize(); }), "") << d.id();
  }
}

/// One thread's faults take all the room that there is, and the other's are counted all the same.
TEST(Errors, OfOneThreadDoNotDrownAnothers) {
  const auto many = kr::kernel([](kr::view<float> y) {
    for (auto i : kr::range(200)) kr::check(y[0] < kr::cast<float>(i) * 0, "{}", i);
  });
  const auto wrong = make_wrong();
  for (const kr::device& d : kr::devices()) {
    kr::array<float> x = kr::zeros<float>({512}, d), y = kr::zeros<float>({512}, d);
    const kr::stream first(d), second(d);
    std::string a, b;
    std::atomic<int> launched{0};
    const auto run = [&](const auto& kernel, kr::array<float>& on, const kr::stream& in,
                         std::string& what) {
      what = thrown_by([&] {
        kernel.launch({8, 64, in}, on);
        ++launched;
        while (launched < 2) std::this_thread::yield();
        in.synchronize();
      });
      ++launched;  // the launch itself may throw
    };
    std::thread other([&] { run(many, x, first, a); });
    run(wrong, y, second, b);
    other.join();
    EXPECT_TRUE(says(a, "; and 102,399 further faults")) << d.id() << ": " << a;
    EXPECT_TRUE(says(b, "wrong") && says(b, "; and 511 further faults")) << d.id() << ": " << b;
  }
}

TEST(Errors, OfManyLaunchesAndStreamsAreCounted) {
  const auto wrong = make_wrong();
  for (const kr::device& d : kr::devices()) {
    if (throws_at_launch(d)) continue;
    kr::array<float> x = kr::zeros<float>({64}, d);
    {
      const kr::stream s(d);
      for (int i = 0; i < 5000; ++i) wrong.launch({1, 1, s}, x);
      const std::string what = thrown_by([&] { s.synchronize(); });
      EXPECT_TRUE(says(what, "; and 4,999 further faults")) << d.id() << ": " << what;
    }
    std::vector<kr::stream> streams;
    for (int i = 0; i < 80; ++i) wrong.launch({1, 2, streams.emplace_back(d)}, x);
    for (const kr::stream& s : streams) {
      const std::string what = thrown_by([&] { s.synchronize(); });
      EXPECT_TRUE(says(what, "; and 1 further fault")) << d.id() << ": " << what;
    }
    EXPECT_EQ(thrown_by([&] { static_cast<void>(x.to_host()); }), "") << d.id();
  }
}

/// Streams are destroyed while other threads wait for the whole device.
TEST(Errors, OfStreamsThatEndBesideWaitsForTheDevice) {
  const auto wrong = make_wrong();
  for (const kr::device& d : kr::devices()) {
    kr::array<float> x = kr::zeros<float>({64}, d);
    std::atomic<bool> stop{false};
    std::atomic<int> taken{0};
    std::thread waits([&] {
      while (!stop) taken += !thrown_by([&] { d.synchronize(); }).empty();
    });
    for (int i = 0; i < 100; ++i)
      taken += !thrown_by([&] {
                  const kr::stream s(d);
                  wrong.launch({1, 1, s}, x);
                }).empty();
    stop = true;
    waits.join();
    taken += !thrown_by([&] { static_cast<void>(x.to_host()); }).empty();
    EXPECT_GT(taken, 0) << d.id();
    EXPECT_EQ(thrown_by([&] { d.synchronize(); }), "") << d.id();
  }
}

TEST(Errors, OfTheHandlerOfLinesBelongToTheLaunch) {
  const auto say =
      kr::kernel([](kr::value<int> from) { kr::print("{}", kr::cast<int>(kr::grid<1>()) + from); });
  struct NoHandler {
    ~NoHandler() { kr::on_print(nullptr); }
  } const at_end;
  std::atomic<int> lines{0};
  kr::on_print([&lines](const char* line) {
    ++lines;
    if (std::atoi(line) >= 1000) throw std::runtime_error("the handler throws");
  });
  for (const kr::device& d : every_device()) {
    lines = 0;
    const kr::stream mine(d), others(d);
    const Counts seen = beside(
        [&] {
          say.launch({1, 10, mine}, 1000), mine.synchronize();
        },
        [&] {
          say.launch({1, 10, others}, 0), others.synchronize();
        },
        50);
    EXPECT_EQ(seen.guilty, 50) << d.id();
    EXPECT_EQ(seen.innocent, 0) << d.id() << ": " << seen.first;
    d.synchronize();
    EXPECT_EQ(lines % 10, 0) << d.id() << ": lines are lost";
    EXPECT_GE(lines, 510) << d.id();
  }
}

/// A thread's lines come in their order, whoever waits.
TEST(Errors, LinesOfSeveralThreadsAreNotLost) {
  const auto say = kr::kernel([](kr::value<int> what) { kr::print("{}", what); });
  struct NoHandler {
    ~NoHandler() { kr::on_print(nullptr); }
  } const at_end;
  std::vector<int> lines;  // handlers are called one at a time
  kr::on_print([&lines](const char* line) { lines.push_back(std::atoi(line)); });
  constexpr int threads = 4, each = 200;
  for (const kr::device& d : every_device()) {
    lines.clear();
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        const kr::stream s(d);
        for (int i = 0; i < each; ++i) {
          say.launch({1, 1, s}, t * each + i);
          if (i % 7 == 0) s.synchronize();
        }
        s.synchronize();
      });
    for (std::thread& t : all) t.join();
    EXPECT_EQ(lines.size(), std::size_t(threads * each)) << d.id();
    std::vector<int> next{0, each, 2 * each, 3 * each};
    for (const int line : lines) EXPECT_EQ(line, next[std::size_t(line / each)]++) << d.id();
  }
}

}  // namespace
