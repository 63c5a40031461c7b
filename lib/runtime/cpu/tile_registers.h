// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile registers of AMX. Linux gives them to a process that asks (Documentation/arch/x86/
// xstate.rst): from then on its threads save 8 KiB more in frames of signals while they use them,
// and a new sigaltstack must have room for that.
#pragma once

#include <cstdint>

namespace krait::runtime::cpu {

/// The processor and the system have them, for products of bytes and of bf16. Asks for nothing.
bool has_tile_registers();
/// Asks for them at the first call, from kernels that would use them. 0: the system refuses, as it
/// does where a thread's sigaltstack is too small for them; the answer stays.
std::uint32_t may_use_tile_registers();

}  // namespace krait::runtime::cpu
