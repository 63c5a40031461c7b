// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library makes at its first use, and the locks that are held for long: a child of fork
// would find them half made or locked for ever, by threads that it does not have. Who makes or
// holds them is behind this gate, and a fork waits until nobody is. A fork that waits goes first:
// others wait in front of the gate until it is done, or compilations that overlap would keep it
// waiting for ever. A thread behind the gate may enter again. It must not wait there for what
// another thread does in front of it. Never entered while the user's code runs, which may fork.
#pragma once

namespace krait::host {

class BehindForkGate {
 public:
  BehindForkGate();
  BehindForkGate(const BehindForkGate&) = delete;
  BehindForkGate& operator=(const BehindForkGate&) = delete;
  ~BehindForkGate();
};

/// For the handlers of fork.
void close_fork_gate();
void open_fork_gate_in_parent();
void open_fork_gate_in_child();

}  // namespace krait::host
