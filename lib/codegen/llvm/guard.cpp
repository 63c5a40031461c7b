// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compile thread, and LLVM's handlers of what it cannot go on from. A thread that LLVM gives up
// is parked, as it may hold locks and have half changed LLVM's state; so this copy of the plug-in
// is spent, and the host loads another (host/plugin.cpp). Kernels that are compiled already are not
// touched.
#include "codegen/llvm/guard.h"

#include <unistd.h>

#include <cfenv>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>

#include <llvm/Support/ErrorHandling.h>

#include "support/threads.h"

namespace krait::codegen {
namespace {

// address space; pages are used as touched
constexpr std::size_t stack_bytes = std::size_t(256) << 20;

/// Shared by the waiting caller and the compile thread; outlives both.
struct Job {
  std::function<void()> work;
  bool finished = false;  // under the gate, as the result is
  Failure result{0, {}};
};

// State of this copy of the plug-in: LLVM's handlers are global and get no hint of the compilation
// they belong to.
thread_local Job* current_job = nullptr;
std::mutex gate;
std::condition_variable changed;
bool spent = false;

/// With `spends`, those who wait for other compilations wait no longer: what the thread holds, they
/// may need.
void finish(Job* job, Failure failure, bool spends) {
  {
    const std::lock_guard lock(gate);
    spent |= spends;
    if (job && !job->finished) job->finished = true, job->result = std::move(failure);
  }
  changed.notify_all();
}

[[noreturn]] void park(Failure failure) {
  finish(current_job, std::move(failure), true);
  for (;;) pause();
}

void on_fatal_error(void*, const char* reason, bool) { park({2, std::string("LLVM: ") + reason}); }
void on_bad_alloc(void*, const char*, bool) { no_memory(); }

void* run(void* argument) {
  auto job = *std::unique_ptr<std::shared_ptr<Job>>(static_cast<std::shared_ptr<Job>*>(argument));
  if (!has_thread_data()) {
    finish(job.get(), {3, "out of memory"}, false);
    return nullptr;
  }
  current_job = job.get();
  std::fesetenv(FE_DFL_ENV);
  Failure failure{0, {}};
  try {
    job->work();
  } catch (Failure& f) {
    failure = std::move(f);
  } catch (const std::bad_alloc&) {
    failure = {3, "out of memory"};  // short, so that the string allocates nothing
  } catch (const std::exception& e) {
    failure = {2, e.what()};
  } catch (...) {
    failure = {2, "an unknown exception while compiling"};
  }
  finish(job.get(), std::move(failure), false);
  return nullptr;
}

bool start(const std::shared_ptr<Job>& job) {
  auto argument = std::make_unique<std::shared_ptr<Job>>(job);
  const bool started = support::start_detached(stack_bytes, run, argument.get());
  if (started) static_cast<void>(argument.release());
  return started;
}

}  // namespace

Failure run_guarded(std::function<void()> work) {
  static const bool installed = [] {
    llvm::install_fatal_error_handler(on_fatal_error);
    llvm::install_bad_alloc_error_handler(on_bad_alloc);
    return true;
  }();
  (void)installed;
  const auto elsewhere = [] {
    return Failure{spent_status,
                   "this copy of the code generator no longer compiles, because LLVM failed in it"};
  };
  {
    const std::lock_guard lock(gate);
    if (spent) return elsewhere();
  }
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  if (!start(job))
    return {3, "cannot start a compiler thread with a stack of " +
                   std::to_string(stack_bytes >> 20) +
                   " MiB of address space: raise the limits of processes and memory (ulimit -u, "
                   "ulimit -v)"};
  std::unique_lock lock(gate);
  changed.wait(lock, [&] { return job->finished || spent; });
  return job->finished ? job->result : elsewhere();
}

// The loader gives a thread that data at the first use. It takes a block that this thread has just
// freed, of whichever size it needs.
bool has_thread_data() noexcept {
  void* blocks[16];
  bool complete = true;
  for (std::size_t i = 0; i < std::size(blocks); ++i)
    complete = (blocks[i] = std::malloc(16 * (i + 1))) && complete;
  for (void* const block : blocks) std::free(block);
  if (!complete) return false;
  Job* volatile& first_use = const_cast<Job* volatile&>(current_job);
  first_use = first_use;
  return true;
}

void no_memory() {
  if (current_job) park({3, "out of memory"});  // short, so that the string allocates nothing
  throw std::bad_alloc();
}

}  // namespace krait::codegen
