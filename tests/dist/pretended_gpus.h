// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUs that the CPU pretends to be: kernels, copies and made-up NCCL run late, in streams that are
// threads, so that what does not wait for them reads too early.
#pragma once

#include <functional>

namespace dist_test {

/// What a native stream points to.
struct PretendedStream {
  virtual ~PretendedStream() = default;
  /// Runs f after what the stream has got so far.
  virtual void put(std::function<void()> f) = 0;
};

}  // namespace dist_test
