// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations through which threads meet: atomics, barriers, votes and exchanges, on every type and
// memory they take. A case is a whole kernel; the interpreter says what it leaves in memory, which
// depends on no order of threads.
#pragma once

#include <string>
#include <vector>

#include "ir/interp/interp.h"
#include "support/runner.h"

namespace krait::test {

struct Meeting {
  std::string name;  // "atomic_add i32 shared contended"
  ir::Module module;
  ir::Launch launch;
  std::vector<Argument> arguments;
};

/// `warp`: lanes of the device's warps.
std::vector<Meeting> all_meetings(int warp);

}  // namespace krait::test
