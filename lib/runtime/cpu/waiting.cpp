// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/waiting.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdlib>
#include <deque>

#include "runtime/cpu/host.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/together.h"
#include "support/environment.h"
#include "support/tuning/cpu.h"

namespace krait::runtime::cpu {

class Waiting::Seat {
 public:
  explicit Seat(Waiting& in) : launch(in) {}
  Waiting& launch;
  std::atomic<bool> at_barrier{false};
  std::atomic<std::int64_t> asked{0};  // when a loop of its block last said that it waits; 0: never
  std::uint32_t loop = 0, trips = 0;   // of that
  std::int64_t since = 0;              // when it began to wait
  std::jmp_buf out;                    // of the block
};

namespace {

thread_local Waiting::Seat* current = nullptr;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// How long all may wait before a launch is given up, in nanoseconds: KRAIT_WAIT_SECONDS, 0 for
/// ever.
std::int64_t patience() {
  static const std::int64_t of_process = [] {
    const char* const given = support::environment_text("KRAIT_WAIT_SECONDS");
    const double seconds = given ? std::strtod(given, nullptr) : tuning::cpu::patience;
    return seconds > 0 && seconds < 1e9 ? std::int64_t(seconds * 1e9) : std::int64_t(1) << 62;
  }();
  return of_process;
}

/// The code behind has no frame that must be unwound: it is Krait's own.
bool run_until_left(std::jmp_buf& out, detail::function_ref<void()> block) {
  if (setjmp(out)) return false;
  block();
  return true;
}

}  // namespace

Waiting::Waiting(detail::function_ref<bool()> start) : start_(start) {}
Waiting::~Waiting() = default;

Waiting::Seat& Waiting::enter() {
  std::lock_guard lock(mutex_);
  seats_.push_back(std::make_unique<Seat>(*this));
  ++count_;
  return *seats_.back();
}

void Waiting::leave(Seat& seat) {
  std::lock_guard lock(mutex_);
  seats_.erase(
      std::find_if(seats_.begin(), seats_.end(), [&](const auto& s) { return s.get() == &seat; }));
  --count_;
  idle_ = 0;  // its block ended, so something in the launch goes on
}

bool Waiting::run(Seat& seat, detail::function_ref<void()> block) {
  seat.asked = 0, seat.trips = ~std::uint32_t(0);
  current = &seat;
  const bool ended = run_until_left(seat.out, block);
  current = nullptr;
  return ended;
}

/// Between two looks of a thread that waits: the more there are, the longer, so that all of them
/// leave time to those that work.
std::int64_t Waiting::pause() const {
  return std::min<std::int64_t>(20'000 * count_.load(std::memory_order_relaxed), 20'000'000);
}

void Waiting::wait(Seat& seat, std::uint32_t loop, std::uint32_t trips) {
  const std::int64_t time = now();
  // it went on since it last asked
  if (trips <= seat.trips || loop != seat.loop) seat.since = time, idle_ = 0;
  seat.loop = loop, seat.trips = trips;
  seat.asked = time;
  if (time - seat.since > tuning::cpu::looks_after) look(time);
  if (given_up_.load(std::memory_order_acquire)) std::longjmp(seat.out, 1);
  if (time - seat.since < tuning::cpu::looks_after) {
    sched_yield();
  } else {
    const timespec sleep{0, long(pause())};
    nanosleep(&sleep, nullptr);
  }
}

/// What the thread that waits does for all: whether all do, and what comes of that.
void Waiting::look(std::int64_t time) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  // A block that went on does not say so: it is seen by its silence.
  const std::int64_t silence = 5'000'000 + 4 * pause();
  const bool all = std::all_of(seats_.begin(), seats_.end(), [&](const auto& s) {
    return s->at_barrier.load() || time - s->asked.load() < silence;
  });
  // A process that was stopped, by a debugger or to sleep, waits for no longer than it runs.
  const std::int64_t passed = std::min<std::int64_t>(time - looked_, 10'000'000);
  looked_ = time;
  if (!all) {
    idle_ = 0;
    return;
  }
  lock.unlock();
  if (start_()) {
    idle_ = 0;
    return;
  }
  if ((idle_ += passed) < patience()) return;
  lock.lock();
  if (given_up()) return;
  loop_ = current->loop;
  given_up_.store(true, std::memory_order_release);
}

double waiting_seconds() { return double(patience()) / 1e9; }

AtBarrier::AtBarrier() {
  if (current) current->at_barrier = true;
}
AtBarrier::~AtBarrier() {
  if (current) current->at_barrier = false;
}

void poll(std::uint32_t loop, std::uint32_t trips) {
  if (trips < tuning::cpu::polls_before_waiting) return pause_core();
  if (current) current->launch.wait(*current, loop, trips);
  else sched_yield();
}

std::int64_t run_resident(
    Pool& pool, std::int64_t blocks,
    detail::function_ref<void(detail::function_ref<void(detail::function_ref<void(std::int64_t)>)>)>
        work) {
  std::atomic<std::int64_t> next{0};
  std::deque<std::thread> further;
  std::mutex making;  // threads: only one that waits makes them, but not always the same
  bool full = false;
  Waiting* launch = nullptr;
  const auto sit = [&](Waiting::Seat& seat) {
    const Seated seated(*launch, seat);
    work([&](detail::function_ref<void(std::int64_t)> run) {
      while (!launch->given_up()) {
        const std::int64_t block = next.fetch_add(1, std::memory_order_relaxed);
        if (block >= blocks) return;
        launch->run(seat, [&] { run(block); });
      }
    });
  };
  const auto start = [&] {
    std::lock_guard lock(making);
    if (full || next.load(std::memory_order_relaxed) >= blocks) return false;
    full = std::int64_t(further.size()) + 1 >= most_together;
    Waiting::Seat* seat = nullptr;
    try {
      seat = &launch->enter();  // before the thread runs: it counts as one that works
      further.emplace_back([&, seat] {
        reset_float_control();
        try {
          sit(*seat);
        } catch (...) {  // no memory for its arrays: the others go on
          std::lock_guard again(making);
          full = true;
        }
      });
      return true;
    } catch (...) {  // the system has no thread
      if (seat) launch->leave(*seat);
      full = true;
      return false;
    }
  };
  Waiting waiting(start);
  launch = &waiting;
  const auto join = [&](Pool::Chunks& chunks) {
    if (chunks.take() >= 0) sit(waiting.enter());
  };
  pool.run(
      std::min<std::int64_t>(pool.threads(), blocks),
      [](void* p, Pool::Chunks& chunks) { (*static_cast<decltype(join)*>(p))(chunks); },
      const_cast<void*>(static_cast<const void*>(&join)));
  // A thread may still make another one.
  for (std::size_t i = 0;; ++i) {
    std::thread* one = nullptr;
    {
      std::lock_guard lock(making);
      if (i == further.size()) break;
      one = &further[i];
    }
    one->join();
  }
  return waiting.given_up() ? std::int64_t(waiting.loop()) : -1;
}

}  // namespace krait::runtime::cpu
