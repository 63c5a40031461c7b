// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices as the library computes them, for all element types.
#pragma once

#include <krait/algorithm/detail/product_ending.h>
#include <krait/tile.h>

namespace krait::detail {

/// The type in which products are added up, and that in which tensor cores do, or none.
struct product_words {
  scalar word, sums;
};

/// Extents of the batch of a product. Throws error{usage} in NumPy's words.
KRAIT_API void matmul_shape(const layout& x, const layout& y, int batch, std::int64_t* extents);
/// The dimension of y that dot sums over with the last one of x. Throws error{usage} in NumPy's
/// words where their extents differ.
KRAIT_API int dot_dimension(const layout& x, const layout& y);
/// A stack of matrices repeated to a batch of `count` dimensions of these extents, as three
/// dimensions.
KRAIT_API any_array batch_of(any_array x, const std::int64_t* batch, int count);
/// Whether tiles and panels would be empty for the most part, or there are none.
KRAIT_API bool is_small_product(const any_array& x, const any_array& y);

/// Rows and columns from which on it is not.
KRAIT_API std::int64_t least_product_side();

/// Operands and the result have three dimensions, the batch first. The result has elements.
KRAIT_API void multiply(const any_array& x, const any_array& y, const any_array& out,
                        const product_words& words, precision how, const product_ending& ending);
/// x has one matrix, y one for each group of rows, whose ends are `ends`.
KRAIT_API void multiply_groups(const any_array& x, const any_array& y, const any_array& ends,
                               const any_array& out, const product_words& words, precision how,
                               const product_ending& ending);
/// Throws error{usage} where extents do not go together.
KRAIT_API void check_grouped_matmul(const layout& x, const layout& y, const layout& ends);

}  // namespace krait::detail
