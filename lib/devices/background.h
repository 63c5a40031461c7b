// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that compile while the program goes on.
#pragma once

#include <memory>

#include "devices/devices.h"

namespace krait::host {

/// Asked: somebody called for the result ahead of time, and at exit what runs is waited for.
/// Improving: better code than what runs already, the most used first, by one thread of low
/// priority. It begins when nobody has been waiting for a compilation for a while, or when that has
/// not come about for long; the process's end does not wait for it.
enum class Task { Asked, Improving };

/// Compiles something, unless it is destroyed before its turn comes.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void run() noexcept = 0;
  /// How much code that is improved was used; negative: it is not used any more. Called under a
  /// lock.
  virtual double heat() const { return 0; }
};

/// Runs `work` on a thread of ours. Where the system gives no thread, what was asked for runs at
/// once on this one. When the process exits, what waits is dropped; so is what improves code that
/// is gone, and of very many the least used. `device`, which the work loads code on, is opened by
/// the caller's thread: exit waits for the work ahead of the handlers that a driver registers as it
/// is opened.
void run_in_background(Task kind, DeviceHandle& device, std::unique_ptr<Work> work);

/// Somebody waits for a compilation, as long as this lives. First calls come in bursts, and a
/// driver compiles one thing at a time.
class Awaited {
 public:
  Awaited();
  Awaited(const Awaited&) = delete;
  ~Awaited();
};

/// Until nothing runs and nothing waits.
void wait_for_background();

/// Around calls of a device's driver by a thread that improves code: such a driver shuts down when
/// the process exits, so exit waits for these calls alone. Throws krait::error{device} when the
/// process ends already. Does nothing on other threads.
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

/// How many forks lie between the program's start and this process: threads of ours do not survive
/// one.
int fork_generation() noexcept;

}  // namespace krait::host
