// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Krait's own kernels record of tiles beside krait/detail/emit.h.
#pragma once

#include "ir/tiles.h"
#include "krait/detail/emit.h"

namespace krait::trace {

/// Arrays of one dimension that lie dense, with the index of what is taken of them.
struct WordProductOperands {
  detail::node sums, sums_at, left, left_at, right, right_at, words;
};
/// Op::WordProduct. All threads of the block come to it, behind a barrier.
KRAIT_API void multiply_words(const ir::WordProduct& form, const WordProductOperands& of);

}  // namespace krait::trace
