// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/background.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <system_error>

#include "devices/fork_gate.h"
#include "support/error.h"
#include "support/threads.h"

namespace krait::host {
namespace {

using Clock = std::chrono::steady_clock;
/// How long nobody has waited for a compilation when improving begins: as long as a driver takes
/// for a kernel of some size.
constexpr auto pause_before_improving = std::chrono::milliseconds(50);
/// How long improving waits for such a pause: a program that never ceases to compile gets its best
/// code one by one.
constexpr auto longest_wait = std::chrono::milliseconds(500);
/// Improvements that wait. Each holds a recording, of some kilobytes.
constexpr std::size_t most_improvements = 1024, few_improvements = 64;

/// Compilations that somebody waits for, and when the last of them ended.
std::atomic<int> awaited{0};
std::atomic<Clock::duration> last_awaited{Clock::duration(0)};

struct Workers {
  const unsigned most_threads;
  const bool improving;
  std::mutex mutex;
  std::condition_variable wake, idle;
  std::deque<std::unique_ptr<Work>> waiting;
  std::size_t look_through_at = few_improvements;
  unsigned threads = 0, running = 0, asleep = 0, in_driver = 0, waiters = 0;
  bool closed = false;

  Workers(unsigned threads_at_most, bool improves)
      : most_threads(threads_at_most), improving(improves) {}
  void work();
  bool start();
  void put(std::unique_ptr<Work> work);
  std::unique_ptr<Work> take();
  void drop_unused();
  void wait_for_quiet(std::unique_lock<std::mutex>& lock);
};

thread_local Workers* improver = nullptr;

bool cooler(const std::unique_ptr<Work>& a, const std::unique_ptr<Work>& b) {
  return a->heat() < b->heat();
}

void Workers::drop_unused() {
  std::erase_if(waiting, [](const std::unique_ptr<Work>& w) { return w->heat() < 0; });
}

/// Under the mutex, as what follows.
void Workers::put(std::unique_ptr<Work> work) {
  waiting.push_back(std::move(work));
  if (!improving || waiting.size() < look_through_at) return;
  drop_unused();
  if (waiting.size() > most_improvements)
    waiting.erase(std::min_element(waiting.begin(), waiting.end(), cooler));
  look_through_at = std::clamp(2 * waiting.size(), few_improvements, most_improvements + 1);
}

/// Null: what waited is not used any more, or the process ends.
std::unique_ptr<Work> Workers::take() {
  if (improving) drop_unused();
  if (waiting.empty()) return nullptr;
  const auto at =
      improving ? std::max_element(waiting.begin(), waiting.end(), cooler) : waiting.begin();
  std::unique_ptr<Work> next = std::move(*at);
  waiting.erase(at);
  return next;
}

/// Unless somebody waits for what this makes.
void Workers::wait_for_quiet(std::unique_lock<std::mutex>& lock) {
  const auto end = Clock::now() + longest_wait;
  while (waiters == 0) {
    const auto now = Clock::now();
    const auto left = last_awaited.load() + pause_before_improving - now.time_since_epoch();
    if ((awaited == 0 && left <= Clock::duration(0)) || now >= end) return;
    wake.wait_for(
        lock, std::min(end - now, awaited == 0 ? left : Clock::duration(pause_before_improving)));
  }
}

void Workers::work() {
  // The program's own threads go first. (On Linux the priority is the thread's, and of the threads
  // that it starts.)
  if (improving) improver = this, setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 10);
  std::unique_lock lock(mutex);
  for (;;) {
    ++asleep;
    wake.wait(lock, [&] { return !waiting.empty(); });
    --asleep;
    if (improving) wait_for_quiet(lock);
    std::unique_ptr<Work> next = take();
    if (next) {
      ++running;
      lock.unlock();
      next->run();
      next = nullptr;  // what it holds goes before it counts as done
      lock.lock();
      --running;
    }
    if (running == 0) idle.notify_all();
  }
}

/// Another thread; false where the system gives none.
bool Workers::start() {
  try {
    support::start_thread([this] { work(); }).detach();
    ++threads;
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

unsigned cores() {
  cpu_set_t set;
  const int count = sched_getaffinity(0, sizeof set, &set) == 0
                        ? CPU_COUNT(&set)
                        : int(std::thread::hardware_concurrency());
  return unsigned(std::clamp(count, 1, 16));
}

struct Both {
  Workers asked{cores(), false}, improving{1, true};
  Workers& of(Task kind) { return kind == Task::Asked ? asked : improving; }
};

/// Leaked, as its threads run until the process ends; a forked child makes its own, since threads
/// do not survive fork.
std::atomic<Both*>& current() {
  static std::atomic<Both*> workers{nullptr};
  return workers;
}
std::atomic<int> generation{0};

[[maybe_unused]] const int registered = pthread_atfork(
    nullptr, nullptr, [] { current().store(nullptr), generation.fetch_add(1), awaited = 0; });

Both& workers() {
  std::atomic<Both*>& slot = current();
  if (Both* w = slot.load(std::memory_order_acquire)) return *w;
  auto* fresh = new Both;
  Both* expected = nullptr;
  if (slot.compare_exchange_strong(expected, fresh)) return *fresh;
  delete fresh;
  return *expected;
}

void finish() {
  Both* both = current().load();
  if (!both) return;
  for (Workers* w : {&both->asked, &both->improving}) {
    std::unique_lock lock(w->mutex);
    w->closed = true;
    w->waiting.clear();
    w->idle.wait(lock, [&] { return w->improving ? w->in_driver == 0 : w->running == 0; });
  }
}

/// Opens the device, and has exit wait for what runs ahead of what its driver does then: handlers
/// run in the reverse order. They run once a device, all but one for nothing.
void open_before(DeviceHandle& device) {
  static std::mutex mutex;
  static auto& opened = *new std::set<const DeviceHandle*>;
  const std::lock_guard lock(mutex);
  if (opened.contains(&device)) return;
  try {
    device.device->start();
  } catch (const error&) {  // it is that of the work, too
  }
  std::atexit(finish);
  opened.insert(&device);
}

}  // namespace

void run_in_background(Task kind, DeviceHandle& device, std::unique_ptr<Work> work) {
  // a child would wait for ever for a handler that another thread is registering
  const BehindForkGate behind;
  open_before(device);
  Workers& w = workers().of(kind);
  std::unique_lock lock(w.mutex);
  if (w.closed) return;  // the process ends
  if (w.asleep <= w.waiting.size() && w.threads < w.most_threads && !w.start() && w.threads == 0) {
    lock.unlock();
    if (kind == Task::Asked) work->run();
    return;
  }
  w.put(std::move(work));
  w.wake.notify_one();
}

void wait_for_background() {
  Both* both = current().load(std::memory_order_acquire);
  if (!both) return;
  for (Workers* w : {&both->asked, &both->improving}) {
    std::unique_lock lock(w->mutex);
    ++w->waiters;
    w->wake.notify_all();
    w->idle.wait(lock, [&] { return w->running == 0 && w->waiting.empty(); });
    --w->waiters;
  }
}

Awaited::Awaited() { ++awaited; }
Awaited::~Awaited() {
  last_awaited = Clock::now().time_since_epoch();
  --awaited;
}

InDriver::InDriver() {
  if (!improver) return;
  std::lock_guard lock(improver->mutex);
  if (improver->closed)
    support::fail_device("a kernel was not compiled because the process is exiting");
  ++improver->in_driver, counted_ = true;
}
InDriver::~InDriver() {
  if (!counted_) return;
  std::lock_guard lock(improver->mutex);
  if (--improver->in_driver == 0) improver->idle.notify_all();
}

bool improving_here() noexcept { return improver != nullptr; }

int fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

}  // namespace krait::host
