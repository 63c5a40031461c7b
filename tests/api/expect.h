// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expecting krait::error: its kind and parts of its message.
#pragma once

#include <gtest/gtest.h>
#include <krait/krait.h>

#include <initializer_list>
#include <string>

#include "../support/says.h"

namespace kr = krait;

namespace krait::test {

/// Why a test that forks beside threads cannot run, or null.
inline const char* cannot_fork() {
#ifdef __SANITIZE_ADDRESS__
  return "this sanitizer's allocator stays locked in a forked child where another thread allocated";
#else
  return nullptr;
#endif
}

/// Runs `action`, which must throw krait::error of this kind, with a message that has every part;
/// {} is any value.
template <class Action>
void expect_error(kr::error::kind_type kind, std::initializer_list<std::string> parts,
                  const Action& action) {
  try {
    action();
    ADD_FAILURE() << "no error; expected one with: " << *parts.begin();
  } catch (const kr::error& e) {
    EXPECT_EQ(int(e.kind()), int(kind)) << e.message();
    for (const std::string& part : parts)
      EXPECT_TRUE(says(e.message(), part)) << "\"" << part << "\" is not in: " << e.message();
  }
}
template <class Action>
void expect_usage(std::initializer_list<std::string> parts, const Action& action) {
  expect_error(kr::error::kind_type::usage, parts, action);
}

/// A kernel runs as it should: what a failed call or recording must not spoil.
inline void expect_library_works() {
  EXPECT_FALSE(kr::detail::recording_active());
  auto twice = kr::vectorize([](auto x) { return x + x; });
  EXPECT_EQ(twice(21), 42);
}

/// Why kernels with warps do not run on the default device, or empty.
inline std::string no_warps() {
  auto ask = kr::kernel([](kr::view<int> x) { x[0] = kr::warp_size(); });
  kr::array<int> x(1);
  try {
    ask.launch({1, 1}, x);
  } catch (const kr::error& e) {
    if (e.kind() == kr::error::kind_type::compile) return std::string(e.message());
    throw;
  }
  return {};
}

/// "file.cpp:line" of the caller, as messages have it.
inline std::string place(unsigned line, const char* file = __builtin_FILE()) {
  return std::string(file) + ":" + std::to_string(line);
}

}  // namespace krait::test
