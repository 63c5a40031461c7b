// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that a program gives to what it does, for profilers (docs/debugging.md#labels).
#pragma once

#include <krait/detail/export.h>

namespace krait {

/// Names what its thread does as long as it lives. Labels nest:
///   kr::label step("step");
/// NVIDIA's tools show it as a range of NVTX, kr::trace_file as a span, and tools for Vulkan around the kernels that are launched
/// inside. The text is copied. Ends on its thread, before labels that began earlier. Throws error{usage} for a null name.
class KRAIT_API label {
 public:
  explicit label(const char* name);
  label(const label&) = delete;
  label& operator=(const label&) = delete;
  ~label();

 private:
  void* span_ = nullptr;
};

/// Names a moment, in NVTX and kr::trace_file. The text is copied. Throws error{usage} for a null name.
KRAIT_API void mark(const char* name);

}  // namespace krait
