// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/interp/turns.h"

#include <exception>

#include "support/threads.h"

namespace krait::ir::interpreter {

void Turns::pass_on() {
  for (std::size_t tried = 0; tried < ended_.size(); ++tried) {
    if (++turn_ == ended_.size()) {
      turn_ = 0, missing_ = gone_;
      if (!missing_) (*met_)();  // every block has come to a barrier
    }
    if (!ended_[turn_]) break;
  }
  next_.notify_all();
}

std::size_t Turns::meet() {
  std::unique_lock lock(mutex_);
  const std::size_t mine = turn_;
  pass_on();
  next_.wait(lock, [&] { return turn_ == mine; });
  return missing_;
}

void Turns::run(std::size_t blocks, const std::function<void(std::size_t)>& block,
                const std::function<void()>& met) {
  ended_.assign(blocks, false), turn_ = gone_ = missing_ = 0, met_ = &met;
  std::exception_ptr failed;
  std::vector<std::jthread> threads;
  {
    const std::unique_lock not_yet(mutex_);
    try {
      for (std::size_t i = 0; i < blocks; ++i)
        threads.push_back(support::start_thread([&, i] {
          std::unique_lock lock(mutex_);
          next_.wait(lock, [&] { return turn_ == i; });
          lock.unlock();
          try {
            if (!failed) block(i);
          } catch (...) {
            failed = std::current_exception();
          }
          lock.lock();
          ended_[i] = true, ++gone_;
          pass_on();
        }));
    } catch (...) {  // the system has no thread for each: those that there are end at once
      failed = std::current_exception();
      ended_.resize(threads.size());
    }
  }
  threads.clear();  // waits for them
  if (failed) std::rethrow_exception(failed);
}

}  // namespace krait::ir::interpreter
