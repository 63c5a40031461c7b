// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a local array, as messages need them.
#pragma once

#include <cstddef>

#include "devices/layout.h"
#include "krait/detail/dist/calls.h"

namespace krait::dist::detail {

inline std::size_t bytes_of(const layout& of, std::size_t element) {
  return std::size_t(host::size_of(of)) * element;
}

}  // namespace krait::dist::detail
