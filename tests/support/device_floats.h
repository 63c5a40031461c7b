// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What WGSL lets a device do with f32 in native mode: it may take subnormal operands and results of
// arithmetic for zeros, and round an fma twice.
#pragma once

#include "ir/ir.h"

namespace krait::test {

/// The module on which the interpreter computes as a device that does both. Moves, sign changes,
/// and bits are as they were.
ir::Module with_device_floats(const ir::Module& lowered);

}  // namespace krait::test
