// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling ahead of the first call.
#pragma once

#include <krait/detail/call.h>

namespace krait {

/// A compilation in the background, as kernel_object::compile_async() gives it.
/// It need not be kept: a call of the kernel waits for the code and reports errors.
/// \code
/// kr::compilation c = saxpy.compile_async();
/// c.wait();
/// \endcode
class KRAIT_API compilation {
 public:
  compilation(compilation&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  compilation& operator=(compilation&& other) noexcept {
    state* mine = state_;
    state_ = other.state_, other.state_ = mine;
    return *this;
  }
  /// Does not wait.
  ~compilation();

  /// Tests whether wait() would return at once.
  /// \code
  /// kr::compilation c = saxpy.compile_async();
  /// while (!c.ready()) std::puts("still compiling");
  /// \endcode
  bool ready() const noexcept;
  /// Waits until the code can be launched. Throws the error of the compilation.
  void wait() const;

 private:
  friend KRAIT_API compilation detail::compile_async(detail::kernel_state* of, const void* lambda,
                                                     const detail::signature& as);
  struct state;
  explicit compilation(state* s) noexcept : state_(s) {}
  state* state_;
};

/// Waits until no compilation in the background is left.
/// These are compilations by compile_async, and the optimised code of kernels whose first launch
/// ran quickly compiled code. Later launches run the optimised code. KRAIT_TIERS=off compiles it at
/// once.
/// \code
/// saxpy.compile_async();
/// kr::wait_for_compilations();
/// \endcode
KRAIT_API void wait_for_compilations();

}  // namespace krait
