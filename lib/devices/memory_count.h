// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Krait holds of a device's memory, and how much it may hold: bytes as they were asked for,
// whatever the back end rounds.
#pragma once

#include <atomic>
#include <cstdint>

namespace krait::host {

class MemoryCount {
 public:
  /// False, with nothing counted, where the limit does not allow it. Throws error{usage} where the
  /// environment's is not a size.
  bool add(std::int64_t bytes);
  void remove(std::int64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::int64_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  std::int64_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  std::int64_t limit() const;  // 0: none; throws as add
  void set_limit(std::int64_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t unset = -1;  // the environment has not been asked
  std::atomic<std::int64_t> used_{0}, peak_{0}, limit_{unset};
};

}  // namespace krait::host
