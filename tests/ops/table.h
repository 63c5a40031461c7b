// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The published table of operations: what each computes, how a program calls it, and which targets
// compile it for which types.
#pragma once

#include <string>

namespace krait::test {

/// docs/operations.md. Support is not listed anywhere: each operation is given to each code
/// generator with each type.
std::string operations_table();

}  // namespace krait::test
