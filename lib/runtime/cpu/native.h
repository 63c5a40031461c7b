// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Function pointers of C's calling convention (System V, x86-64) that carry an object: a few
// instructions of their own for each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::runtime::cpu {

/// What a C caller has passed, as the instructions lay it on the stack.
struct NativeCall {
  std::uint64_t integers[6];    // rdi, rsi, rdx, rcx, r8, r9
  std::uint64_t floats[8];      // the lower halves of xmm0 … xmm7
  const std::uint64_t* behind;  // what did not fit into registers
  std::uint64_t result;         // comes back in rax and xmm0
};

class NativeFunction {
 public:
  using Target = void (*)(void* object, NativeCall* call) noexcept;
  /// Throws device where the system allows no code made at run time.
  NativeFunction(void* object, Target target);
  ~NativeFunction();
  NativeFunction(const NativeFunction&) = delete;
  NativeFunction& operator=(const NativeFunction&) = delete;

  void* address() const;

 private:
  void* memory_;
};

}  // namespace krait::runtime::cpu
