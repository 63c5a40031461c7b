// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hidden parameters of a kernel (support/hidden.def): the recorder and passes add them here, and
// the library binds them at each launch.
#pragma once

#include "ir/ir.h"

namespace krait::ir {

using support::Hidden;
using support::HiddenKind;

/// Whether a hidden parameter of that kind may have the type.
bool fits(HiddenKind kind, const Type& type);

/// The kernel's parameter of that kind and index: the one that is there, or a new one behind all
/// others. The type is that of the kind's row, and `type` where the row leaves it open.
ValueId hidden_parameter(Function& kernel, Hidden what, Type type = {});

/// The type that the kind's row names; Type{} where it leaves that open.
Type type_of(HiddenKind kind);

}  // namespace krait::ir
