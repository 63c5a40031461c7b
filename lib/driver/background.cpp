// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/background.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace krait::driver {
namespace {

struct Workers {
  std::mutex mutex;
  std::condition_variable wake, idle;
  std::deque<std::function<void()>> waiting;
  unsigned threads = 0, running = 0, asleep = 0;
  bool closed = false;

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++asleep;
      wake.wait(lock, [&] { return !waiting.empty(); });
      --asleep;
      const std::function<void()> task = std::move(waiting.front());
      waiting.pop_front();
      ++running;
      lock.unlock();
      task();
      lock.lock();
      if (--running == 0) idle.notify_all();
    }
  }
};

/// Leaked, as its threads run until the process ends; a forked child makes its own, since threads do not survive fork.
std::atomic<Workers*>& current() {
  static std::atomic<Workers*> workers{nullptr};
  return workers;
}

[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { current().store(nullptr); });

Workers& workers() {
  std::atomic<Workers*>& slot = current();
  if (Workers* w = slot.load(std::memory_order_acquire)) return *w;
  auto* fresh = new Workers;
  Workers* expected = nullptr;
  if (slot.compare_exchange_strong(expected, fresh)) return *fresh;
  delete fresh;
  return *expected;
}

void finish() {
  Workers* w = current().load();
  if (!w) return;
  std::unique_lock lock(w->mutex);
  w->closed = true;
  w->waiting.clear();
  w->idle.wait(lock, [&] { return w->running == 0; });
}

unsigned most_threads() {
  cpu_set_t cores;
  const int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : int(std::thread::hardware_concurrency());
  return unsigned(std::clamp(count, 1, 16));
}

}  // namespace

void run_in_background(std::function<void()> work) {
  static const int at_exit = std::atexit(finish);  // before the drivers' own handlers: a device is chosen before this
  (void)at_exit;
  Workers& w = workers();
  std::unique_lock lock(w.mutex);
  if (w.closed) return;  // the process ends
  if (w.asleep <= w.waiting.size() && w.threads < most_threads()) {
    try {
      std::thread([&w] { w.work(); }).detach();
      ++w.threads;
    } catch (const std::system_error&) {
      if (w.threads == 0) {
        lock.unlock();
        return work();
      }
    }
  }
  w.waiting.push_back(std::move(work));
  w.wake.notify_one();
}

}  // namespace krait::driver
