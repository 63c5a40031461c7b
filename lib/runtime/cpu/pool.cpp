// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/pool.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <system_error>

#include "runtime/cpu/host.h"
#include "runtime/cpu/share.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/threads.h"
#include "support/tuning/cpu.h"

namespace krait::runtime::cpu {
namespace {

unsigned count_threads() {
  if (const char* asked = support::environment_text("KRAIT_NUM_THREADS")) {
    constexpr long most = 4096;
    char* end = nullptr;
    const long n = std::strtol(asked, &end, 10);
    if (*end != '\0' || n < 1 || n > most)
      support::fail_usage("KRAIT_NUM_THREADS={}: expected a number of threads from 1 to {}", asked,
                          most);
    return unsigned(n);
  }
  return threads_of_process();
}

/// Leaked: kernels may run until the process ends.
std::atomic<Pool*>& current() {
  static std::atomic<Pool*> pool{nullptr};
  return pool;
}
[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, [] { current().store(nullptr); });

}  // namespace

Pool::Pool() : threads_(count_threads()) {}

Pool& Pool::get() {
  std::atomic<Pool*>& slot = current();
  if (Pool* pool = slot.load(std::memory_order_acquire)) return *pool;
  Pool* fresh = new Pool;
  Pool* expected = nullptr;
  if (slot.compare_exchange_strong(expected, fresh)) return *fresh;
  delete fresh;
  return *expected;
}

/// A job with chunks left, or null. Under the mutex.
Pool::Job* Pool::pick() {
  for (Job* job : jobs_)
    if (job->chunks.left()) return job;
  return nullptr;
}

void Pool::worker() {
  reset_float_control();
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    wake_.wait(lock, [&] { return (job = pick()) != nullptr; });
    job->users.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    job->work(job->context, job->chunks);
    // The job is gone as soon as its last user has left and the caller has seen it: nothing may
    // touch it after this line.
    bool last = job->users.fetch_sub(1, std::memory_order_acq_rel) == 1;
    lock.lock();
    if (last) finished_.notify_all();
  }
}

/// Under the mutex. A thread that the system refuses is done without.
void Pool::start_workers() {
  while (started_ + 1 < threads_) {
    try {
      support::start_thread([this] { worker(); }).detach();
    } catch (const std::system_error&) {
      threads_ = started_ + 1;
      return;
    } catch (const std::bad_alloc&) {  // the next launch tries again
      return;
    }
    ++started_;
  }
}

void Pool::run(std::int64_t chunks, Work work, void* context) {
  Job job{work, context, Chunks(chunks)};
  if (chunks > 1 && threads_ > 1) {
    {
      std::lock_guard lock(mutex_);
      start_workers();
      jobs_.push_back(&job);
    }
    if (chunks > 2) wake_.notify_all();
    else wake_.notify_one();
    work(context, job.chunks);
    {
      std::lock_guard lock(mutex_);
      jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    }
    for (int i = 0; i < tuning::cpu::spins && job.users.load(std::memory_order_acquire); ++i)
      pause_core();
    if (job.users.load(std::memory_order_acquire)) {
      std::unique_lock lock(mutex_);
      finished_.wait(lock, [&] { return job.users.load(std::memory_order_acquire) == 0; });
    }
    return;
  }
  work(context, job.chunks);
}

Pool::Scratch::Block Pool::Scratch::allocate(std::size_t bytes) {
  const std::size_t whole = (bytes + 4095) & ~std::size_t(4095);
  return {static_cast<std::byte*>(std::aligned_alloc(64, whole)), whole};
}

void Pool::reserve(std::size_t bytes) {
  if (bytes == 0) return;
  std::lock_guard lock(mutex_);
  auto fits = [&](const Scratch::Block& b) { return b.bytes >= bytes; };
  auto have = std::count_if(free_scratch_.begin(), free_scratch_.end(), fits);
  for (auto i = have; i < std::ptrdiff_t(threads_); ++i) {
    free_scratch_.reserve(free_scratch_.size() + 1);
    const Scratch::Block block = Scratch::allocate(bytes);
    if (!block.data)
      support::fail_device("cpu: no memory for {} bytes of shared arrays per thread", bytes);
    free_scratch_.push_back(block);
  }
}

Pool::Scratch::Scratch(Pool& pool, std::size_t bytes) : pool_(pool) {
  while (bytes != 0 && !block_.data) {
    {
      std::lock_guard lock(pool.mutex_);
      auto fits = [&](const Block& b) { return b.bytes >= bytes; };
      auto found = std::find_if(pool.free_scratch_.begin(), pool.free_scratch_.end(), fits);
      if (found != pool.free_scratch_.end()) {
        block_ = *found;
        pool.free_scratch_.erase(found);
        return;
      }
    }
    // another launch took what was reserved; if this fails, somebody gives a block back soon
    block_ = allocate(bytes);
    if (!block_.data) std::this_thread::yield();
  }
}

Pool::Scratch::~Scratch() {
  if (!block_.data) return;
  std::lock_guard lock(pool_.mutex_);
  try {
    pool_.free_scratch_.push_back(block_);
  } catch (const std::bad_alloc&) {  // the list could not grow
    std::free(block_.data);
    return;
  }
  if (pool_.free_scratch_.size() <= 2 * std::size_t(pool_.threads_)) return;
  auto smaller = [](const Block& a, const Block& b) { return a.bytes < b.bytes; };
  auto smallest = std::min_element(pool_.free_scratch_.begin(), pool_.free_scratch_.end(), smaller);
  std::free(smallest->data);
  pool_.free_scratch_.erase(smallest);
}

}  // namespace krait::runtime::cpu
