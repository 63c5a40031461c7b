// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Throwing krait::error with a formatted text.
#pragma once

#include <atomic>
#include <string>

#include <fmt/core.h>

#include "krait/error.h"

namespace krait::support {

/// The line of the user's program that called the library.
struct CallerLine {
  std::string file;  // empty: not known
  unsigned line = 0;
};
/// How an error of usage finds the call that it is about: host/lines.cpp sets it. Only a thrown
/// error asks, so that calls cost nothing more.
extern std::atomic<CallerLine (*)() noexcept> find_caller;

[[noreturn]] void fail_formatted(error::kind_type kind, fmt::string_view text,
                                 fmt::format_args args);

template <class... Args>
[[noreturn]] void fail(error::kind_type kind, fmt::format_string<Args...> text, Args&&... args) {
  fail_formatted(kind, text, fmt::make_format_args(args...));
}
template <class... Args>
[[noreturn]] void fail_usage(fmt::format_string<Args...> text, Args&&... args) {
  fail_formatted(error::kind_type::usage, text, fmt::make_format_args(args...));
}
template <class... Args>
[[noreturn]] void fail_device(fmt::format_string<Args...> text, Args&&... args) {
  fail_formatted(error::kind_type::device, text, fmt::make_format_args(args...));
}

}  // namespace krait::support
