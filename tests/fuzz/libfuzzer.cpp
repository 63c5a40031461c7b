// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of libFuzzer; KRAIT_FUZZ_TARGET is the target's function.
#include <cstddef>
#include <cstdint>

#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  krait::test::fuzz::KRAIT_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
