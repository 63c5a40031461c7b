// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of kernels and vectorised functions: the slot with the compiled code, and
// functions to inspect it.
#pragma once

#include <krait/detail/call.h>
#include <krait/detail/lasting.h>
#include <krait/target.h>

namespace krait::detail {

/// Owns the compiled code of one kernel object, together with its copies. Never shared by type: two
/// objects that were made from one lambda type are two kernels.
class object {
 public:
  object(const options& with, const dims& fixed_block, location where)
      : state_(make_kernel_state(with, fixed_block, where)) {}
  /// Of a kernel that the library made: of a pack.
  explicit object(kernel_state* made) noexcept : state_(made) {}
  object(object&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  object(const object& other) noexcept : state_(share_kernel_state(other.state_)) {}
  object& operator=(object&&) = delete;
  ~object() { free_kernel_state(state_); }

  /// The recorded IR of the last specialisation, as text.
  /// Throws error{usage} before the first call; so do the next functions. Generated code is for the
  /// default device, or for a target without its device.
  text ir() const { return inspect(state_, "ir", nullptr); }
  /// The LLVM IR.
  text llvm() const { return inspect(state_, "llvm", nullptr); }
  /// The LLVM IR for a target.
  text llvm(const target& on) const { return inspect(state_, "llvm", on.c_str()); }
  /// The assembly of the processor.
  text assembly() const { return inspect(state_, "asm", nullptr); }
  /// The assembly for a target.
  text assembly(const target& on) const { return inspect(state_, "asm", on.c_str()); }
  /// The PTX for an NVIDIA GPU.
  /// \code
  /// std::puts(scale.ptx(kr::target::sm(90)).c_str());
  /// \endcode
  text ptx(const target& on = target::sm(90)) const { return inspect(state_, "ptx", on.c_str()); }
  /// The machine code for an NVIDIA GPU; it needs ptxas, and nvdisasm or cuobjdump, on the PATH.
  text sass(const target& on = target::sm(90)) const { return inspect(state_, "sass", on.c_str()); }
  /// The WGSL for web pages.
  text wgsl(const target& on = target::webgpu()) const {
    return inspect(state_, "wgsl", on.c_str());
  }
  /// The SPIR-V for Vulkan, disassembled.
  text spirv(const target& on = target::vulkan()) const {
    return inspect(state_, "spirv", on.c_str());
  }
  /// Hints about what makes the kernel slow, one line each with the place in the source
  /// (docs/hints.md).
  text hints() const { return inspect(state_, "hints", nullptr); }
  text hints(const target& on) const { return inspect(state_, "hints", on.c_str()); }
  /// The registers, memory and block sizes of the code that was compiled last.
  /// Throws error{usage} before the first call.
  attributes_type attributes() const { return attributes_of(state_); }

 protected:
  kernel_state* state() const noexcept { return state_; }

 private:
  kernel_state* state_;
};

}  // namespace krait::detail
