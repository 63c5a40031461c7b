// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda.so.1 that is made up: each entry point gives the number in the variable MADE_UP_CUDA,
// or 0, and there is no device.
#include "runtime/cuda/driver_api.h"

#include <cstdlib>
#include <string_view>

namespace krait::runtime::cuda {
namespace {

Result answer(std::string_view symbol) {
  const char* const wrong = std::getenv("MADE_UP_CUDA");
  return symbol == "cuDeviceGetCount" ? Result(NoDevice) : wrong ? std::atoi(wrong) : 0;
}

}  // namespace

#define X(name, symbol, parameters)                                            \
  [[gnu::visibility("default")]] Result made_up_##name parameters asm(symbol); \
  Result made_up_##name parameters { return answer(symbol); }
KRAIT_CUDA_ENTRY_POINTS(X)
#undef X

}  // namespace krait::runtime::cuda
