// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions threw that streams called (stream::call_host), until somebody waits for their device.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <mutex>

namespace krait::host {

class Thrown {
 public:
  void keep(std::exception_ptr what) noexcept;
  /// Throws the oldest that is kept.
  void raise() {
    if (any_.load(std::memory_order_acquire)) raise_oldest();
  }

 private:
  void raise_oldest();

  std::atomic<bool> any_{false};
  std::mutex gate_;
  std::deque<std::exception_ptr> kept_;
};

}  // namespace krait::host
