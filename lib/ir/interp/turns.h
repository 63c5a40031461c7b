// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that meet at barriers of the grid. Each has a thread of its own, to keep its place in the
// kernel; one of them runs at a time, in ascending order from barrier to barrier.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace krait::ir::interpreter {

class Turns {
 public:
  /// Calls `block(number)` for all, and `met()` at each barrier that all have come to.
  void run(std::size_t blocks, const std::function<void(std::size_t)>& block,
           const std::function<void()>& met);
  /// A block is at a barrier, and goes on when it is its turn again. How many blocks ended instead
  /// of coming.
  std::size_t meet();

 private:
  /// The next block that has not ended. The lock is held.
  void pass_on();

  std::mutex mutex_;
  std::condition_variable next_;
  std::vector<bool> ended_;
  std::size_t turn_ = 0, gone_ = 0;
  // of the blocks, when the last one of those that are left had come to its barrier
  std::size_t missing_ = 0;
  const std::function<void()>* met_ = nullptr;
};

}  // namespace krait::ir::interpreter
