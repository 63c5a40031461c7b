// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes code made at run time known to debuggers and profilers, where KRAIT_DEBUG=1 asks for it:
// gdb and lldb by their interface for just-in-time compilers, perf by /tmp/perf-PID.map. perf's
// file with lines is in jitdump.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace krait::runtime::cpu {

/// What debuggers know of one piece of code; they forget it with the object.
class DebugEntry {
 public:
  /// `code` is where it runs, `symbol` its name, `object` an ELF object whose sections' addresses
  /// count from the code's begin; where it is empty, debuggers get the symbol alone.
  DebugEntry(std::span<const std::byte> code, std::span<const std::byte> object,
             const std::string& symbol);
  ~DebugEntry();
  DebugEntry(const DebugEntry&) = delete;
  DebugEntry& operator=(const DebugEntry&) = delete;

 private:
  struct Registered;
  std::unique_ptr<Registered> registered_;
};

/// Whether the bytes are an ELF object with its table of sections.
bool is_object(std::span<const std::byte> bytes);
/// KRAIT_DEBUG is set, and not to 0.
bool debugging();

}  // namespace krait::runtime::cpu
