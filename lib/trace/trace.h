// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording gives. include/krait/detail/emit.h is its other side: the functions that the DSL calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "krait/detail/emit.h"

namespace krait::trace {

/// Something that is allowed but probably not meant.
struct Warning {
  std::string text;
  std::string file;  // empty: unknown
  unsigned line = 0;
};

struct Recorded {
  ir::Module module;
  std::vector<Warning> warnings;
};

/// Takes over what detail::finish_recording gave.
std::unique_ptr<Recorded> take(void* finished);

/// The operation that gave this value may be approximate (ir::Inst::fast).
void allow_approximation(detail::node result);

/// A recording longer than this ends with an error: a C++ loop that waits for a traced value never ends by itself.
inline constexpr std::size_t max_instructions = 2'000'000;

}  // namespace krait::trace
