// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of WGSL that stand for operations which WGSL lacks or leaves open. A module gets those
// that it calls.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace krait::codegen::wgsl {

/// The texts of these, and of what they call.
std::string helpers_text(const std::set<std::string>& names);

}  // namespace krait::codegen::wgsl
