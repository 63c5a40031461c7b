// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line of each operation, from the debug information of whoever recorded it (-g or -g1). It is
// looked up where somebody reads lines, and never else: a recording itself knows the nearest line
// that a call gave (trace/spots.h).
#pragma once

#include "host/jit.h"

namespace krait::host {

/// The recording's module, each operation with its own line. `*known`: whether there is debug
/// information.
ir::Module with_lines(const Recorded& recorded, bool* known = nullptr);
/// Of a recording as it was written.
ir::Module with_lines(const Written& written, const Recorded& recorded);
/// Whether the environment asks for code that somebody looks at by lines: in a debugger, a
/// profiler, a dump or hints.
bool reads_lines();

}  // namespace krait::host
