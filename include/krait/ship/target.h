// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets that kernels are compiled for. A target needs no device: `k.ptx(kr::target::sm(90))`
// works anywhere.
#pragma once

#include <krait/detail/export.h>
#include <krait/detail/text.h>

namespace krait {

/// A target that kernels are compiled for: a kind of device with its features, as text.
/// It needs no device.
/// \code
/// kr::text code = scale.ptx(kr::target::sm(90));
/// \endcode
class KRAIT_API target {
 public:
  /// A target by its description, as `krait devices` prints it, or short.
  /// Short names are "sm_90", "sm_90a", "cpu" and "vulkan". Throws error{usage} that names the word
  /// that is not understood and the expected ones.
  target(const char* description);  // NOLINT: implicit on purpose
  /// An NVIDIA GPU with this compute capability, 75 to 121.
  /// The PTX version is that of its first drivers, 8.0 at least.
  static target sm(int capability);
  /// The CPU of this machine.
  static target cpu() { return "cpu"; }
  /// Vulkan with the features that nearly all GPUs have.
  static target vulkan() { return "vulkan"; }
  /// WebGPU as every browser with WebGPU has it.
  static target webgpu() { return "webgpu"; }

  /// The description.
  const char* c_str() const noexcept { return text_.c_str(); }

 private:
  text text_;
};

}  // namespace krait
