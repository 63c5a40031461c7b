// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kinds of sorts ask of each other.
#pragma once

#include "algorithms/record/arrays.h"
#include "krait/algorithm/detail/keys.h"

namespace krait::detail {

/// Whether so few elements of a row are wanted that selecting them first is faster than sorting the
/// row. That takes four reads of it instead of a read and a write of keys and places for each
/// digit.
bool is_few_of(std::int64_t k, std::int64_t rows, std::int64_t length) noexcept;
/// The places, in any order, of the first k elements of the one row in this order, of equal ones
/// the first, and maybe of elements that come after them. Rows have fewer than 2^32 elements, and k
/// or more.
array<unsigned> select_places(const algorithm_device& how, const key_order& order,
                              const any_array& keys, std::int64_t k);
/// to(r, i) = x(r, places(r, i)), where places are within the row.
void gather_rows(const any_array& x, const any_array& places, const any_array& to);

}  // namespace krait::detail
