// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A place in the user's source, caught by default arguments.
#pragma once

#include <krait/detail/cpp20.h>

namespace krait::detail {

struct location {
  const char* file = nullptr;
  unsigned line = 0;

  /// As a default argument: where the call stands that leaves it out.
  static constexpr location here(const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

}  // namespace krait::detail
