// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KRAIT_CODEGEN_LLVM_INDEX_CONSTANTS_H
#define KRAIT_CODEGEN_LLVM_INDEX_CONSTANTS_H

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

namespace krait::codegen {

/// What may be taken out of an index, in elements: a sum within [least, most].
struct IndexConstants {
  std::int64_t least, most;
};

/// Takes the constants of an index of 32 bits out of its sums, for the offsets that instructions
/// hold; gives their sum. The index may wrap: what is left is the element's number less that sum,
/// modulo 2^32. It is that number as 32 bits with a sign where the elements' numbers lie within
/// [0, 2^31 + least), which the caller knows, and -2^31 + most is negative enough.
std::int64_t take_constants(llvm::IRBuilderBase& b, llvm::Value*& index, IndexConstants within);

}  // namespace krait::codegen

#endif  // KRAIT_CODEGEN_LLVM_INDEX_CONSTANTS_H
