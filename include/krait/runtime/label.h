// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for parts of a program, for profilers (docs/debugging.md#labels).
#pragma once

#include <krait/detail/export.h>

namespace krait {

/// Names the work of a thread for profilers, as long as the object lives; labels nest.
/// NVIDIA's tools show it as an NVTX range, kr::trace_file as a span, and Vulkan's tools around the
/// kernels launched inside. The text is copied. It must end on its thread, before labels that began
/// earlier. Throws error{usage} for a null name.
/// \code
/// kr::label step("time step");
/// \endcode
class KRAIT_API label {
 public:
  explicit label(const char* name);
  label(const label&) = delete;
  label& operator=(const label&) = delete;
  ~label();

 private:
  void* span_ = nullptr;
};

/// Names a moment for profilers, in NVTX and kr::trace_file; the text is copied.
/// Throws error{usage} for a null name.
/// \code
/// kr::mark("converged");
/// \endcode
KRAIT_API void mark(const char* name);

}  // namespace krait
