// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of CUDA, in an envelope (envelope.h): PTX with one entry. What codegen/nvptx/nvptx.h
// promises of it holds.
#pragma once

#include <cstdint>
#include <vector>

#include "support/blobs/envelope.h"

namespace krait::support {

/// What the launcher must know beside what all targets say.
struct PtxCode {
  // Where in the text the entry takes directives: behind its parameters. A limit of registers is
  // said there, as the driver's compiler ignores the option of the same meaning for entries with
  // `.reqntid` (ptxas of CUDA 13.0: sin of f64 keeps 40 registers with -maxrregcount 32, and takes
  // 32 with `.maxnreg 32`).
  std::uint64_t directives = 0;
  // 1: the entry waits for the launch before it by itself (ir::Overlap::Second), so it may begin
  // early
  std::uint64_t waits = 0;
  // 1: for a launch whose threads all have the registers that the envelope wishes for
  // (ir::Facts::resident)
  std::uint64_t resident = 0;
};

/// Bytes of the parameters behind those of the layout's slots: a launch's block is a multiple of 8,
/// and the driver refuses one that is longer than the parameters.
inline std::vector<std::uint32_t> padding_of(const ArgumentLayout& layout) {
  std::vector<std::uint32_t> all;
  std::uint32_t end =
      layout.slots.empty() ? 0 : layout.slots.back().offset + layout.slots.back().bytes;
  for (std::uint32_t bytes = 1; end < layout.size; bytes *= 2)
    if (end & bytes) all.push_back(bytes), end += bytes;
  return all;
}

}  // namespace krait::support
