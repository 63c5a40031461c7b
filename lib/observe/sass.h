// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "support/target.h"

namespace krait::host {

/// The machine code that NVIDIA's ptxas makes of a PTX text, disassembled. Throws error{usage}
/// where the tools are not installed. What ptxas says of it (-v); empty where it is not installed.
std::string ptxas_report(const std::string& ptx, const support::PtxTarget& target);
std::string sass(const std::string& ptx, const support::PtxTarget& target);

}  // namespace krait::host
