// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Throwing krait::error with a formatted text.
#pragma once

#include <fmt/format.h>

#include "krait/error.h"

namespace krait::support {

template <class... Args>
[[noreturn]] void fail(error::kind_type kind, fmt::format_string<Args...> text, Args&&... args) {
  throw error(kind, fmt::format(text, std::forward<Args>(args)...).c_str());
}
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  throw error(error::kind_type::usage, fmt::format(text, std::forward<Args>(args)...).c_str());
}
template <class... Args>
[[noreturn]] void fail_device(fmt::format_string<Args...> text, Args&&... args) {
  throw error(error::kind_type::device, fmt::format(text, std::forward<Args>(args)...).c_str());
}

}  // namespace krait::support
