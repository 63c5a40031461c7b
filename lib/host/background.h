// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that compile while the program goes on.
#pragma once

#include <functional>

namespace krait::host {

/// Asked: somebody called for the result ahead of time, and at exit what runs is waited for. Improving: better code than what runs
/// already, by one thread of low priority that begins when nobody has been waiting for a compilation for a while; the process's end does
/// not wait for it.
enum class Task { Asked, Improving };

/// Runs `work`, which does not throw, on a thread of ours, which takes no signals. Where the system gives no thread, what was asked for
/// runs at once on this one. When the process exits, what waits is dropped.
void run_in_background(Task kind, std::function<void()> work);

/// Somebody waits for a compilation, as long as this lives. First calls come in bursts, and a driver compiles one thing at a time.
class Awaited {
 public:
  Awaited();
  Awaited(const Awaited&) = delete;
  ~Awaited();
};

/// Until nothing runs and nothing waits.
void wait_for_background();

/// Around calls of a device's driver by a thread that improves code: such a driver shuts down when the process exits, so exit waits for
/// these calls alone. Throws krait::error{device} when the process ends already. Does nothing on other threads.
class InDriver {
 public:
  InDriver();
  InDriver(const InDriver&) = delete;
  ~InDriver();

 private:
  bool counted_ = false;
};

/// Whether this thread improves code.
bool improving_here() noexcept;

/// How many forks lie between the program's start and this process: threads of ours do not survive one.
int fork_generation() noexcept;

}  // namespace krait::host
