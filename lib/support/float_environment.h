// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point as the C++ standard starts a program with. A program linked with -Ofast flushes
// subnormals in every thread, and callers may have changed the rounding; what the compiler computes
// itself must not depend on either.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace krait {

/// While it lives: rounding to nearest even, subnormals kept, no traps. The caller's control word
/// returns when it dies.
class DefaultFloatEnvironment {
 public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
#else
  DefaultFloatEnvironment() {}
  ~DefaultFloatEnvironment() {}
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

#if defined(__x86_64__)
 private:
  unsigned saved_;
#endif
};

}  // namespace krait
