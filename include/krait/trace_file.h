// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the process does and when, as a file for chrome://tracing and ui.perfetto.dev (docs/howto.md).
#pragma once

#include <krait/detail/export.h>

namespace krait {

/// While it lives, every kernel that is recorded, compiled, loaded and launched is noted, by the thread that does it, and when its work ran
/// on which device; so are asynchronous copies, and labels (krait/label.h); the end writes the file. Launches by replays of graphs are not among them.
///   kr::trace_file trace("steps.json");
/// There is one at a time. Throws error{usage} for a second one, and where the file cannot be written.
class KRAIT_API trace_file {
 public:
  explicit trace_file(const char* path);
  trace_file(const trace_file&) = delete;
  trace_file& operator=(const trace_file&) = delete;
  /// Waits for the devices that were used.
  ~trace_file();
};

}  // namespace krait
