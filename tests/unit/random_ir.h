// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random modules that verify: every operation of the table, nested control flow, slots, arrays. For
// the tests of text, verifier and canonical order; they compute nothing meaningful.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace krait::test {

ir::Module random_module(std::uint32_t seed, unsigned size = 40);

}  // namespace krait::test
