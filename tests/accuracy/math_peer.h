// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What another library's functions are reached through: a shared library that exports
// `krait_math_peer`.
#pragma once

struct MathPeer {
  const char* name;
  /// out[i] = function(x[i], y[i]) for n elements of float, or double when `wide`; addresses of the
  /// device that the library computes on. Returns when the work is queued; false when it has no
  /// such function.
  bool (*run)(const char* function, bool wide, const void* x, const void* y, void* out, long n);
};
