// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The axis among the options of an algorithm.
#pragma once

#include <krait/algorithm/reduce.h>

namespace krait::detail {

/// The axis counted from the first. Throws error{usage} in NumPy's words.
KRAIT_API int checked_axis(std::int64_t axis, int rank);

template <class Option>
inline constexpr bool is_word_option =
    axes_in<Option> != 0 || into_option<Option> || std::is_same_v<Option, keepdims_type> ||
    std::is_convertible_v<const Option&, const char*>;
/// An option of functions that are no reductions. Anything else is refused, so that no argument is
/// left out without a word.
template <class Option>
concept word_option = is_word_option<Option>;

}  // namespace krait::detail
