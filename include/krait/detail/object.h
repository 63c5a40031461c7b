// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels and vectorised functions share: the slot with the compiled code, and how to look at it.
#pragma once

#include <krait/detail/call.h>

namespace krait::detail {

/// Owns the compiled code of one kernel object. Never shared by type: two objects of one lambda type are two kernels.
class object {
 public:
  object(const options& with, const dims& fixed_block, location where) : state_(make_kernel_state(with, fixed_block, where)) {}
  object(object&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  object& operator=(object&&) = delete;
  ~object() { free_kernel_state(state_); }

  /// Texts of the last specialisation, for the default device or for a target ("ptx sm=90 isa=80") without its device.
  /// Throws error{usage} before the first call.
  text ir() const { return inspect(state_, "ir", nullptr); }
  text llvm(const char* target = nullptr) const { return inspect(state_, "llvm", target); }
  text assembly(const char* target = nullptr) const { return inspect(state_, "asm", target); }
  text ptx(const char* target = nullptr) const { return inspect(state_, "ptx", target); }
  text spirv(const char* target = nullptr) const { return inspect(state_, "spirv", target); }

 protected:
  kernel_state* state() const noexcept { return state_; }

 private:
  kernel_state* state_;
};

}  // namespace krait::detail
