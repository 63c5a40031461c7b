// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for what others write: loops that found nothing new for some trips say so
// (CpuHelper::Poll). While all threads of a launch wait, the next block starts, in a thread made
// for it; so a block may wait for any other, as long as no more than `most_together` wait at once.
// Where all wait, and no block is left that could start, nothing in the launch can write what they
// wait for. Then the host may, or another launch: only after some seconds in which that stays so
// the waiting blocks are left where they are, and the launch is an error.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "krait/detail/function_ref.h"

namespace krait::runtime::cpu {

class Pool;

/// The threads that run a launch's blocks.
class Waiting {
 public:
  /// One thread's place in the launch.
  class Seat;
  /// `start` makes a thread for a further block, and gives false where there is none, or no room
  /// for it; called while all wait.
  explicit Waiting(detail::function_ref<bool()> start);
  ~Waiting();
  Waiting(const Waiting&) = delete;

  Seat& enter();
  void leave(Seat& seat);
  /// Runs `block()` in the calling thread, which has the seat. False where it was left waiting.
  bool run(Seat& seat, detail::function_ref<void()> block);
  /// A loop that waits found nothing new for so many trips in a row. Does not return where the
  /// launch is given up.
  void wait(Seat& seat, std::uint32_t loop, std::uint32_t trips);

  bool given_up() const { return given_up_.load(std::memory_order_relaxed); }
  /// The loop in which a block was left.
  std::uint32_t loop() const { return loop_; }

 private:
  void look(std::int64_t now);
  std::int64_t pause() const;

  const detail::function_ref<bool()> start_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::atomic<std::int64_t> count_{0};  // of seats
  std::atomic<std::int64_t> idle_{0};   // nanoseconds for which all have waited
  std::int64_t looked_ = 0;             // when
  std::atomic<bool> given_up_{false};
  std::uint32_t loop_ = 0;
};

/// Takes a seat, and leaves it.
class Seated {
 public:
  explicit Seated(Waiting& launch) : Seated(launch, launch.enter()) {}
  Seated(Waiting& launch, Waiting::Seat& taken) : launch_(launch), seat_(taken) {}
  Seated(const Seated&) = delete;
  ~Seated() { launch_.leave(seat_); }
  Waiting::Seat& seat() const { return seat_; }

 private:
  Waiting& launch_;
  Waiting::Seat& seat_;
};

/// The seat of the calling thread waits at a barrier of the grid while this lives.
class AtBarrier {
 public:
  AtBarrier();
  ~AtBarrier();
  AtBarrier(const AtBarrier&) = delete;
};

/// For how long all may wait, as a number for messages.
double waiting_seconds();
/// CpuHelper::Poll.
void poll(std::uint32_t loop, std::uint32_t trips);

/// Runs blocks 0 to `blocks` - 1, begun in ascending order by the pool's threads, and by further
/// ones while all wait. `work(take)` is called once in each thread, and runs the blocks that
/// `take(run)` gives: `run(block)`; it may throw in a further thread, which then does without.
/// Returns the number of the loop in which blocks were left waiting, or -1.
std::int64_t run_resident(
    Pool& pool, std::int64_t blocks,
    detail::function_ref<void(detail::function_ref<void(detail::function_ref<void(std::int64_t)>)>)>
        work);

}  // namespace krait::runtime::cpu
