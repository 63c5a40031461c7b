// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code is made for. A target needs no device: `k.ptx(kr::target::sm(90))` works anywhere.
#pragma once

#include <krait/detail/export.h>
#include <krait/detail/text.h>

namespace krait {

class KRAIT_API target {  ///< What code is made for: a kind of device with its features, as text.
 public:
  /// As `krait devices` prints it ("ptx sm=90 isa=80", "cpu x86-64 lanes=16 …", "spirv features=…"), or short: "sm_90", "sm_90a", "cpu",
  /// "vulkan". Throws error{usage} that names the word that is not understood, and what was expected.
  target(const char* description);  // NOLINT: implicit on purpose
  /// An NVIDIA GPU of that compute capability, 75 … 121, with the PTX version of its first drivers, 8.0 at least.
  static target sm(int capability);
  /// This machine's CPU.
  static target cpu() { return "cpu"; }
  /// Vulkan with the features that nearly all GPUs have.
  static target vulkan() { return "vulkan"; }
  /// Of every browser that has WebGPU.
  static target webgpu() { return "webgpu"; }

  const char* c_str() const noexcept { return text_.c_str(); }

 private:
  text text_;
};

}  // namespace krait
