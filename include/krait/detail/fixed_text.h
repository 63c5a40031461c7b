// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that are template arguments: the layouts of kr::guvectorize and kr::einsum, which are read
// while compiling.
#pragma once

#include <cstddef>

#include <krait/detail/cpp20.h>

namespace krait::detail {

template <std::size_t Size>
struct fixed_text {
  char at[Size]{};
  constexpr fixed_text(const char (&text)[Size]) {  // NOLINT: implicit on purpose
    for (std::size_t i = 0; i < Size; ++i) at[i] = text[i];
  }
  constexpr std::size_t size() const { return Size - 1; }
};

}  // namespace krait::detail
