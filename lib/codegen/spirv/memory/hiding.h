// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of which drivers that compute wrongly with what they know must know nothing
// (support/quirks.def).
#pragma once

#include "codegen/spirv/kit/emitter.h"

namespace krait::codegen::spirv {

/// A floating-point number that the driver may know, kept from drivers that compute wrongly with
/// known ones (feature hide0).
Id opaque(Emitter& e, Scalar s, Id x);
/// x, of which no driver knows anything.
Id unknown(Emitter& e, Scalar s, Id x);
/// An index that the driver does not follow back (feature walks).
Id opaque_index(Emitter& e, Scalar s, Id x);
/// The bits of what an atomic of integers gets.
Id atomic_operand(Emitter& e, Scalar s, Id x);

}  // namespace krait::codegen::spirv
