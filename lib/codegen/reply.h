// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code generators share: what to emit, and how a compilation ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace krait::codegen {

enum class Emit : std::uint8_t { Binary, Llvm, Asm };

/// Throws Failure 1 that quotes what was not understood.
Emit parse_emit(std::string_view text);

/// What a compilation gives. The times go to the reply.
struct Reply {
  std::string data;
  std::string warnings;
  double lower_ms = 0, optimise_ms = 0, emit_ms = 0;
};

/// Thrown by code generators and caught at the plug-in's boundary; never through an LLVM frame (no
/// throw inside callbacks that LLVM calls). Status as in krait_codegen_reply.
struct Failure {
  int status;
  std::string message;
};
/// The kernel cannot be compiled for the target: names what is missing.
[[noreturn]] void unsupported(std::string message);
/// A defect of ours.
[[noreturn]] void defect(std::string message);

/// Milliseconds since construction or the last call of `lap`.
class Stopwatch {
 public:
  Stopwatch();
  double lap();

 private:
  std::int64_t last_;
};

}  // namespace krait::codegen
