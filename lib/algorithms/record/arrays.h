// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays whose element types are known at run time. A copy shares the memory.
#pragma once

#include <initializer_list>

#include "devices/layout.h"
#include "krait/algorithm/detail/any_array.h"
#include "krait/detail/call.h"

namespace krait::host {

using detail::any_array;
using detail::scalar;
using ElementType = detail::element_type;

/// Elements of 16 bytes that are numbers of a type, one after another.
const ElementType* pack_of(scalar number) noexcept;

/// A new array of a dense layout, in any order of dimensions.
any_array new_array(const ElementType* type, const detail::layout& at, void* on);
/// In C order.
any_array new_array(const ElementType* type, std::initializer_list<std::int64_t> extents, void* on);
inline any_array new_array(scalar type, std::initializer_list<std::int64_t> extents, void* on) {
  return new_array(detail::number_type(type), extents, on);
}
/// Without elements or memory, for a parameter that is not read.
any_array no_elements(const ElementType* type, int rank, void* on);
/// The elements in a new array in C order.
any_array copied(const any_array& x);
/// With other extents, in C order: shared where strides can say it, else copied.
any_array reshaped(any_array x, const std::int64_t* extents, int rank);
inline any_array reshaped(any_array x, std::initializer_list<std::int64_t> extents) {
  return reshaped(std::move(x), extents.begin(), int(extents.size()));
}
/// Its memory without gaps, whatever the order of its dimensions, as rows.
any_array memory_as(any_array x, std::int64_t rows, std::int64_t length);
/// One dimension as one row.
any_array one_row(any_array x);
/// (rows, length) of the elements along an axis: shared or copied as reshaped does.
any_array rows_along(any_array x, std::int64_t axis);
/// With the last two dimensions exchanged.
any_array transposed(any_array x);
/// Bytes from address 0; 0 where there is no element.
std::uint64_t address_of(const any_array& x);
/// As an argument of a launch, and of the functions for elements.
detail::argument argument_of(const any_array& x);
inline detail::elements elements_of(const any_array& x) {
  return {x.memory.get(), &x.at, x.type->bytes};
}

}  // namespace krait::host
