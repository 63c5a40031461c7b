// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/together.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

#include "runtime/cpu/waiting.h"
#include "support/error.h"
#include "support/threads.h"

namespace krait::runtime::cpu {
namespace {

/// Where the blocks of a launch meet.
class Meeting {
 public:
  explicit Meeting(std::int64_t blocks) : blocks_(blocks) {}

  /// Waits until all have arrived. What can be met no more, as some have ended, nobody waits for.
  void arrive() {
    std::unique_lock lock(mutex_);
    if (ended_) miss();
    if (missed_) return;
    const std::uint64_t round = round_;
    if (++arrived_ == blocks_) {
      arrived_ = 0, ++round_;
      all_here_.notify_all();
    }
    const AtBarrier waits;
    all_here_.wait(lock, [&] { return round != round_ || missed_; });
  }
  void end() {
    std::lock_guard lock(mutex_);
    ++ended_;
    if (arrived_) miss();
  }
  /// How many had ended when others waited for them first; 0: all met.
  std::int64_t missed() const { return missed_; }

 private:
  void miss() {
    if (!missed_) missed_ = ended_;
    all_here_.notify_all();
  }

  const std::int64_t blocks_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::int64_t arrived_ = 0, ended_ = 0, missed_ = 0;
  std::uint64_t round_ = 0;
};

thread_local Meeting* current = nullptr;  // of the block that this thread runs

}  // namespace

std::int64_t run_together(std::int64_t blocks, const std::string& kernel_name, BlockOfMany block) {
  if (blocks > most_together)
    support::fail_usage(
        "kernel {}: {} blocks meet at kr::grid_sync(), but the CPU runs at most {} at once: "
        "launch fewer blocks, each with more of the work",
        kernel_name, blocks, most_together);
  Meeting meeting(blocks);
  const auto no_further = [] { return false; };
  Waiting waiting(no_further);
  std::mutex start;
  bool refused = false;
  std::atomic<bool> no_memory = false;
  // Nothing leaves a thread. A block that has no memory ends, so that none waits for it.
  const auto run = [&](std::int64_t number) {
    current = &meeting;
    try {
      const Seated seated(waiting);
      block(number, [&](detail::function_ref<void()> code) { waiting.run(seated.seat(), code); });
    } catch (const std::bad_alloc&) {
      no_memory = true;
    }
    current = nullptr;
    meeting.end();
  };
  std::vector<std::jthread> threads;
  {
    std::lock_guard not_yet(start);
    try {
      // A thread that finds no place would be waited for, while it waits for `start`.
      threads.reserve(std::size_t(blocks - 1));
      for (std::int64_t i = 1; i < blocks; ++i)
        threads.push_back(support::start_thread([&, i] {
          const bool runs = [&] {
            std::lock_guard wait(start);
            return !refused;
          }();
          if (runs) run(i);
        }));
    } catch (const std::system_error&) {
      refused = true;
    } catch (const std::bad_alloc&) {
      refused = true;
    }
  }
  if (!refused) run(0);
  threads.clear();  // waits for them
  if (refused)
    support::fail_device(
        "kernel {}: {} blocks meet at kr::grid_sync(), but the system cannot start a thread "
        "for each: launch fewer blocks, each with more of the work",
        kernel_name, blocks);
  if (no_memory) throw std::bad_alloc();
  if (waiting.given_up()) return waiting.loop();
  if (meeting.missed())
    support::fail_usage(
        "kernel {}: {} of {} blocks ended while others waited for them at kr::grid_sync(): "
        "every block must reach it as often as the others",
        kernel_name, meeting.missed(), blocks);
  return -1;
}

void wait_for_blocks() {
  if (current) current->arrive();  // else the block is the whole launch
}

}  // namespace krait::runtime::cpu
