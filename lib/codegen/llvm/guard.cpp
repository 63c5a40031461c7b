// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compile thread and LLVM's fatal-error handler. A poisoned plug-in compiles no more, since the parked thread may hold locks
// and half-made global state of LLVM's; running kernels are not touched.
#include "codegen/llvm/guard.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

#include <llvm/Support/ErrorHandling.h>

namespace krait::codegen {
namespace {

constexpr std::size_t stack_bytes = std::size_t(256) << 20;  // address space; pages are used as touched

/// Shared by the waiting caller and the compile thread; outlives both.
struct Job {
  std::function<void()> work;
  std::mutex mutex;
  std::condition_variable done;
  bool finished = false;
  Failure result{0, {}};

  void finish(Failure failure) {
    {
      std::lock_guard lock(mutex);
      if (finished) return;
      finished = true;
      result = std::move(failure);
    }
    done.notify_one();
  }
};

// Process state of the plug-in: LLVM's handlers are global and get no hint of the compilation they belong to.
thread_local Job* current_job = nullptr;
std::atomic<bool> poisoned{false};

[[noreturn]] void park(const char* reason) {
  poisoned = true;
  if (current_job) current_job->finish({2, std::string("LLVM: ") + reason});
  for (;;) pause();
}

void on_fatal_error(void*, const char* reason, bool) { park(reason); }
void on_bad_alloc(void*, const char* reason, bool) { park(reason); }

void* run(void* argument) {
  auto job = *std::unique_ptr<std::shared_ptr<Job>>(static_cast<std::shared_ptr<Job>*>(argument));
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
  job->finish(std::move(failure));
  return nullptr;
}

bool start(const std::shared_ptr<Job>& job) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  auto argument = std::make_unique<std::shared_ptr<Job>>(job);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, run, argument.get()) == 0;
  pthread_attr_destroy(&attributes);
  if (started) argument.release();
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
  if (poisoned) return {2, "an earlier compilation ended in a fatal error of LLVM: this process cannot compile any more kernels"};
  auto job = std::make_shared<Job>();
  job->work = std::move(work);
  if (!start(job))
    return {3, "cannot start a compiler thread with a stack of " + std::to_string(stack_bytes >> 20) +
                   " MiB of address space: raise the limits of processes and memory (ulimit -u, ulimit -v)"};
  std::unique_lock lock(job->mutex);
  job->done.wait(lock, [&] { return job->finished; });
  return job->result;
}

}  // namespace krait::codegen
