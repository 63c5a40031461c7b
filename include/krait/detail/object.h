// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels and vectorised functions share: the slot with the compiled code, and how to look at it.
#pragma once

#include <krait/detail/call.h>
#include <krait/detail/lasting.h>
#include <krait/target.h>

namespace krait::detail {

/// Owns the compiled code of one kernel object. Never shared by type: two objects of one lambda type are two kernels.
class object {
 public:
  object(const options& with, const dims& fixed_block, location where) : state_(make_kernel_state(with, fixed_block, where)) {}
  /// Of a kernel that the library made: of a pack.
  explicit object(kernel_state* made) noexcept : state_(made) {}
  object(object&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  object& operator=(object&&) = delete;
  ~object() { free_kernel_state(state_); }

  /// Texts of the last specialisation; of generated code for the default device, or for a target without its device. `sass` needs
  /// NVIDIA's ptxas and a disassembler (nvdisasm or cuobjdump) on the PATH. Throw error{usage} before the first call.
  text ir() const { return inspect(state_, "ir", nullptr); }
  text llvm() const { return inspect(state_, "llvm", nullptr); }
  text llvm(const target& on) const { return inspect(state_, "llvm", on.c_str()); }
  text assembly() const { return inspect(state_, "asm", nullptr); }
  text assembly(const target& on) const { return inspect(state_, "asm", on.c_str()); }
  text ptx(const target& on = target::sm(90)) const { return inspect(state_, "ptx", on.c_str()); }
  text sass(const target& on = target::sm(90)) const { return inspect(state_, "sass", on.c_str()); }
  text wgsl(const target& on = target::webgpu()) const { return inspect(state_, "wgsl", on.c_str()); }
  text spirv(const target& on = target::vulkan()) const { return inspect(state_, "spirv", on.c_str()); }
  /// What makes it slow there, a line each with the place in the source (docs/hints.md).
  text hints() const { return inspect(state_, "hints", nullptr); }
  text hints(const target& on) const { return inspect(state_, "hints", on.c_str()); }
  /// What the code compiled last uses. Throws error{usage} before the first call.
  attributes_type attributes() const { return attributes_of(state_); }

 protected:
  kernel_state* state() const noexcept { return state_; }

 private:
  kernel_state* state_;
};

}  // namespace krait::detail
