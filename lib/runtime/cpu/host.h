// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor that the library runs on.
#pragma once

#include <cstdint>
#include <string>

#include "support/target.h"

namespace krait::runtime::cpu {

/// Why this process cannot run the code that is made for processors; empty: it can.
std::string host_lacks();
CpuLevel host_level();
std::string host_name();
/// The target of this host. KRAIT_CPU changes it: a comma-separated list of v2, v3 or v4 (no higher
/// than the host's, and without instructions that some processors of the level have), amd or intel
/// (whose tuning), lanes=N, parts=N, and -IDIOM, which switches a row of idioms.def off. Throws
/// usage for anything else.
support::Target host_target();

/// Floating point as C++ starts a program with: nearest even, subnormals kept, no traps.
void reset_float_control();
unsigned float_control();
void set_float_control(unsigned control);
void pause_core();
inline constexpr unsigned default_float_control = 0x1f80;

}  // namespace krait::runtime::cpu
