// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library makes at its first use, and the locks that are held for long: a child of fork would find them half made or
// locked for ever, by threads that it does not have. Who makes or holds them is behind this gate, and a fork waits until nobody is.
// Never entered while the user's code runs, which may fork.
#pragma once

#include <shared_mutex>

namespace krait::driver {

class BehindForkGate {
 public:
  BehindForkGate();

 private:
  const std::shared_lock<std::shared_mutex> lock_;
};

/// For the handlers of fork.
void close_fork_gate();
void open_fork_gate_in_parent();
void open_fork_gate_in_child();

}  // namespace krait::driver
