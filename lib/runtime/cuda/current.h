// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's primary context as the calling thread's for a scope.
#pragma once

#include "runtime/cuda/device.h"

namespace krait::runtime::cuda {

class CudaDevice::Current {
 public:
  explicit Current(CudaDevice& d) : api_(d.api_) {
    const Context wanted = d.context();
    Context now = nullptr;
    api_.context_current(&now);
    if (now == wanted) return;
    d.check(api_.context_push(wanted), "making the device's context current");
    pushed_ = true;
  }
  Current(const Current&) = delete;
  ~Current() {
    Context old = nullptr;
    if (pushed_) api_.context_pop(&old);
  }

 private:
  const DriverApi& api_;
  bool pushed_ = false;
};

}  // namespace krait::runtime::cuda
