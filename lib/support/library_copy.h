// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace krait::support {

/// Loads a copy of a shared library that is loaded already, with static objects of its own, from
/// memory that only this process reaches. `number` is another one for each copy. Null, and why,
/// where that cannot be.
void* open_copy(const std::string& path, unsigned number, std::string& why);

}  // namespace krait::support
