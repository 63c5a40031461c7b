// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the IR means. `eval` gives the value of a pure operation; `interpret` runs a whole launch
// and is the oracle of every back end. Threads of a block run together under masks, so divergent
// flow, barriers and warp operations need no scheduler; blocks run one after another in ascending
// order, between barriers of the grid too.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "ir/ir.h"
#include "ir/launch.h"

namespace krait::ir {

/// Value of a pure operation that is not Custom, Id or KRAIT_MATH, on operand bits (zero-extended
/// to 64). `operand` is the type of the first operand (select and shift go by the result's). Float
/// results that are NaN are the canonical quiet NaN; select and bitcast pass bits on. Call it under
/// DefaultFloatEnvironment (support/float_environment.h).
std::uint64_t eval(Op op, Scalar result, Scalar operand, std::span<const std::uint64_t> operands);

struct InterpretOptions {
  /// Reports accesses of different threads to one byte, one of them a write, that no barrier
  /// orders. Fences are not followed: kernels that pass data between blocks by atomics and fences
  /// are reported too.
  bool races = false;
  // reports reads of shared memory that nothing wrote (they give 0)
  bool uninitialised = false;
  // gets what the kernel prints; where empty nobody does
  std::function<void(const std::string& line)> print{};
  // seconds after which a loop that waits for what nobody writes ends the launch, as a fault
  double patience = 5;
  // ends the launch after so many instructions, counted once for a block; 0: never
  std::uint64_t max_steps = 0;
};

/// How a launch went.
struct Outcome {
  std::uint64_t faults = 0;
  // the first one, with block and thread: an access out of bounds, a data race, a failed check …
  std::string fault;
  Location where;       // its place
  std::string stopped;  // why the launch could not run to its end
};

/// Runs a launch. Out-of-bounds reads give 0 and writes are dropped. Does not depend on the
/// caller's floating-point environment.
Outcome run(const Module& module, const Launch& launch, std::span<const Argument> arguments,
            const InterpretOptions& options = {});

/// The same; empty when the launch ran without fault, else the first fault and its place. Where the
/// launch could not run to its end, the last line says why.
std::string interpret(const Module& module, const Launch& launch,
                      std::span<const Argument> arguments, const InterpretOptions& options = {});

}  // namespace krait::ir
