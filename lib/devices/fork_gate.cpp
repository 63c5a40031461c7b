// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/fork_gate.h"

#include <pthread.h>

namespace krait::host {
namespace {

// std::shared_mutex lets readers in while a writer waits. In this kind a reader must not lock
// twice, so that threads count.
constexpr pthread_rwlock_t fresh = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
constinit pthread_rwlock_t gate = fresh;
constinit thread_local unsigned entered = 0;

}  // namespace

BehindForkGate::BehindForkGate() {
  if (entered++ == 0) pthread_rwlock_rdlock(&gate);
}
BehindForkGate::~BehindForkGate() {
  if (--entered == 0) pthread_rwlock_unlock(&gate);
}

// A driver that forks while it is being opened does so behind the gate: it cannot wait for itself,
// and its child soon calls exec.
void close_fork_gate() {
  if (entered == 0) pthread_rwlock_wrlock(&gate);
}
void open_fork_gate_in_parent() {
  if (entered == 0) pthread_rwlock_unlock(&gate);
}
/// A fresh lock: the old one may count on threads that waited for it, and that the child does not
/// have.
void open_fork_gate_in_child() {
  gate = fresh;
  if (entered > 0) pthread_rwlock_rdlock(&gate);
}

}  // namespace krait::host
