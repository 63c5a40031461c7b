// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include <llvm/IR/IRBuilder.h>

namespace krait::codegen {

/// What may be taken out of an index, in elements: a sum within [least, most].
struct IndexConstants {
  std::int64_t least, most;
};

/// Takes the constants of an index of 32 bits out of its sums, for the offsets that instructions
/// hold; gives their sum. What is left is the element's number less that sum, modulo 2^32. As 32
/// bits with a sign it is that number where no element's number is 2^31 + least or above, which the
/// caller knows; `most` is at most 2^31.
std::int64_t take_constants(llvm::IRBuilderBase& b, llvm::Value*& index, IndexConstants within);

}  // namespace krait::codegen
