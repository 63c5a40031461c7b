// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that makes threads (tools/layers.py looks for others). A program takes its signals
// where it likes: by handlers on its own threads, by sigwait, or by a signalfd. So the library's
// threads block every signal that somebody sends. Those that a fault of the thread itself raises
// stay as they are: blocked, they would end the process past the program's handlers.
#pragma once

#include <csignal>
#include <cstddef>
#include <thread>
#include <utility>

namespace krait::support {

/// Threads that are made while this lives have those signals blocked: ours, and those that a driver
/// makes as it is opened.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked();

 private:
  sigset_t before_;
};

/// A thread that runs `work`, and is waited for where it is not detached. Throws std::system_error
/// where the system has none.
template <class Work>
std::jthread start_thread(Work&& work) {
  const SignalsBlocked blocked;
  return std::jthread(std::forward<Work>(work));
}

/// A thread with a stack of its own size that nobody waits for; false where the system has none.
bool start_detached(std::size_t stack_bytes, void* (*run)(void*), void* argument) noexcept;

}  // namespace krait::support
