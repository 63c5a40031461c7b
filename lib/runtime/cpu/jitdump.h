// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code made at run time for perf, with its lines: the file jit-PID.dump that `perf inject --jit`
// reads.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace krait::runtime::cpu {

/// Appends the code to the file in the folder of KRAIT_PERF; without that variable it does nothing.
/// `object` has the lines (line_table.h), or is empty. Throws error{usage} where the file cannot be
/// written.
void tell_perf_inject(std::span<const std::byte> code, const std::string& symbol,
                      std::span<const std::byte> object);

}  // namespace krait::runtime::cpu
