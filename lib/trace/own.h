// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels are Krait's own: those of the library's algorithms, and of its headers. No user can
// change them.
#pragma once

#include <string_view>

namespace krait::trace {

/// A file, or "file:line", of the library or of include/krait.
bool is_own(std::string_view file);

}  // namespace krait::trace
