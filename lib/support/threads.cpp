// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/threads.h"

#include <pthread.h>

namespace krait::support {

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t sent;
  sigfillset(&sent);
  for (const int raised_by_the_thread : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&sent, raised_by_the_thread);
  pthread_sigmask(SIG_BLOCK, &sent, &before_);
}
SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool start_detached(std::size_t stack_bytes, void* (*run)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  const SignalsBlocked blocked;
  pthread_t thread;
  const bool started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                       pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                       pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace krait::support
