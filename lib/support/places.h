// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

namespace krait::support {

/// Where a plug-in of ours may be: beside the library in a build folder, in a folder of its own where installed, and in ../lib of a
/// test program.
std::array<std::string, 3> places_of(const std::string& file);

}  // namespace krait::support
