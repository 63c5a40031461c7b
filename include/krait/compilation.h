// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling ahead of the first call.
#pragma once

#include <krait/detail/call.h>

namespace krait {

/// A compilation that goes on in the background. It need not be kept: a call of the kernel waits for what it needs, and reports
/// what went wrong.
class KRAIT_API compilation {
 public:
  compilation(compilation&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  compilation& operator=(compilation&& other) noexcept {
    state* mine = state_;
    state_ = other.state_, other.state_ = mine;
    return *this;
  }
  /// Waits for nothing.
  ~compilation();

  /// Whether wait() would return at once.
  bool ready() const noexcept;
  /// Until the code can be launched. Throws the error of the compilation.
  void wait() const;

 private:
  friend KRAIT_API compilation detail::compile_async(detail::kernel_state* of, const void* lambda, const detail::signature& as);
  struct state;
  explicit compilation(state* s) noexcept : state_(s) {}
  state* state_;
};

/// Until nothing is compiled in the background any more: what was asked for with compile_async, and the best code for kernels whose
/// first launch ran code that was soon compiled. Launches that follow run the best. (KRAIT_TIERS=off makes the best code at once.)
KRAIT_API void wait_for_compilations();

}  // namespace krait
