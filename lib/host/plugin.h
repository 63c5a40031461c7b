// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code-generation plug-in: found beside this library, loaded at the first cache miss.
#pragma once

#include <string>
#include <vector>

#include "host/hints.h"
#include "host/raw_kernel.h"
#include "support/target.h"

namespace krait::host {

struct Generated {
  std::string bytes;
  std::string log;  // warnings
  std::vector<Hint> hints;
  double parse_ms = 0, lower_ms = 0, optimise_ms = 0, emit_ms = 0;
};

/// Throws error{compile} when the target cannot run the kernel, error{internal} for a defect,
/// error{device} when the plug-in is missing. `what` names the kernel in messages. `hints`: what
/// makes it slow on the target is asked for, too. `raw`: the code of a raw kernel, instead of that
/// of the text.
Generated generate(const std::string& kir, const support::Target& target, const char* emit,
                   const std::string& what, bool hints = false, const RawText* raw = nullptr);
/// Lines of the program's own code (codegen/llvm/lines.h); nothing without the plug-in.
std::string find_lines(const std::string& request);
/// Why the plug-in cannot be loaded, which is tried now; empty: it is.
std::string plugin_failure();
/// The plug-in's build, part of every cache key: read from its file, without loading it. Empty
/// where it has none.
const std::string& plugin_build_id();
/// That of the plug-in that `generate` uses, which may have been replaced since.
const std::string& loaded_plugin_build_id();

}  // namespace krait::host
