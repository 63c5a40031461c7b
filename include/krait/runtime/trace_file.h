// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A timeline of the process, as a file for chrome://tracing and ui.perfetto.dev (docs/howto.md).
#pragma once

#include <krait/detail/export.h>

namespace krait {

/// Writes a timeline of kernels, copies and labels for chrome://tracing and ui.perfetto.dev.
/// It records from its construction to its destruction: recording, compiling, loading and launching
/// by thread, and the work by device. Launches by replays of graphs are missing. Only one may exist
/// at a time: throws error{usage} for a second one, and if the file cannot be written.
/// \code
/// kr::trace_file trace("steps.json");
/// scale.launch({64, 256}, x);
/// \endcode
class KRAIT_API trace_file {
 public:
  explicit trace_file(const char* path);
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;
  /// Waits for the devices that were used, and writes the file.
  ~trace_file();
};

}  // namespace krait
