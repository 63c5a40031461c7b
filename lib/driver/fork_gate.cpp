// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/fork_gate.h"

#include <new>

namespace krait::driver {
namespace {

constinit std::shared_mutex gate;

}  // namespace

BehindForkGate::BehindForkGate() : lock_(gate) {}

void close_fork_gate() { gate.lock(); }
void open_fork_gate_in_parent() { gate.unlock(); }
/// A fresh lock: the old one may count on threads that waited for it, and that the child does not have.
void open_fork_gate_in_child() { new (&gate) std::shared_mutex; }

}  // namespace krait::driver
