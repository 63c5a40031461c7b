// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The SPIR-V code generator: straight from the structured IR to a Vulkan compute module, without LLVM.
//
// Target: "spirv features=… subgroup=32 push=128"
//   features   f64 i64 i16 i8 f16     arithmetic on and storage of the type
//              a64 sa64               64-bit integer atomics in buffers, in shared memory
//              fadd32 fadd64 sfadd32  native float atomic addition in buffers, in shared memory
//              vmm                    the Vulkan memory model with device scope
//              warp                   ballot, vote and shuffle
//              fma16 fma32 fma64      Fma rounds once (probed); nfma32: but flushes subnormals
//              div32 div64 sqrt32 sqrt64  division and square root round correctly (probed)
//              whole64                floor, ceil, trunc and rint of f64 are right for large numbers (probed)
//              rsqrt32                InverseSqrt is right for zeros, infinity and subnormals, and within 2 ULP (probed)
//              szin16 szin32 szin64 rte16 rte32 rte64 keep16 keep32 keep64   float-control execution modes
//              hide0                  the driver mistreats zeros: operations with one that it knows, the sign of a root, and
//                     its own among the doubles of an atomic
//              walks                  the driver follows the indices of loads back, again for each path to a shared operand
//              joins                  the driver takes memory barriers of workgroup or device scope for barriers of the workgroup
//              round16                the driver drops conversions to f16 and back (NVIDIA's to f32, llvmpipe's of integers to integers)
//              round32                the driver drops conversions of f64 to f32 and back (llvmpipe of Mesa 25)
//              swap16                 the driver swaps the bytes of an extended u16 wrongly
//              count16                the driver counts the bits of narrow numbers with those of their extension
//              neg16                  the driver takes the negation of -128 or -32768 for +128 or +32768 where it is compared
//              bool0                  the driver takes -0 for 0 where the zero is a bool's
//   subgroup   lanes of a subgroup where that is fixed; 0 where it varies
//   push       bytes of push constants
#pragma once

#include "codegen/target.h"
#include "ir/ir.h"

namespace krait::codegen::spirv {

/// Binary: support/spirv_blob.h. Asm: the disassembly.
Reply compile(const ir::Module& module, const Target& target, Emit emit);

}  // namespace krait::codegen::spirv
