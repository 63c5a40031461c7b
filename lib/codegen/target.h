// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the three code generators share: the parsed target text (codegen.h describes it), what to emit, and how a compilation
// ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace krait::codegen {

enum class Emit : std::uint8_t { Binary, Llvm, Asm };

/// "cpu x86-64 lanes=16 parts=2 features=+avx2,+fma": a kind, an optional bare word (the architecture), options.
struct Target {
  enum class Kind : std::uint8_t { Cpu, Ptx, Spirv } kind = Kind::Cpu;
  std::string arch;  // the word without '=', or empty
  std::vector<std::pair<std::string, std::string>> options;

  /// The option's text, or the fallback where it is absent.
  std::string_view option(std::string_view name, std::string_view fallback = {}) const;
  /// The option as a number; throws Failure 1 where it is none.
  unsigned number(std::string_view name, unsigned fallback) const;
  /// Whether a comma-separated option such as features=f64,i64 lists `item`.
  bool lists(std::string_view name, std::string_view item) const;
};

/// Both throw Failure 1 that quotes what was not understood.
Target parse_target(std::string_view text);
Emit parse_emit(std::string_view text);

/// What a compilation gives. The times go to the reply.
struct Reply {
  std::string data;
  std::string warnings;
  double lower_ms = 0, optimise_ms = 0, emit_ms = 0;
};

/// Thrown by code generators and caught at the plug-in's boundary; never through an LLVM frame (no throw inside callbacks that
/// LLVM calls). Status as in krait_codegen_reply.
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
