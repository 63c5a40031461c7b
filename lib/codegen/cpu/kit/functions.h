// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of a module share while they are lowered: those that are called, once for each
// way of passing their arguments.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <vector>

#include "ir/calls.h"
#include "ir/ir.h"
#include "support/blobs/envelope.h"

namespace llvm {
class Function;
}

namespace krait::codegen::cpu {

class Record;

struct Functions {
  const ir::Module& module;
  support::Envelope& envelope;
  Record* record = nullptr;  // where hints are asked for
  ir::Calls calls{module};
  /// A function and which of its parameters are scalars instead of vectors.
  struct Way {
    std::size_t function;
    std::vector<bool> uniform;
    bool alone = false;  // all of them, of a pure function: no mask
    bool lane = false;   // alone, for one lane
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  struct Made {
    llvm::Function* code;
    std::vector<bool> uniform;  // by result: a scalar
  };
  std::map<Way, Made> made{};
};

}  // namespace krait::codegen::cpu
