// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels given as .kir text, or by their name in tests/kernels, in the interpreter.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "support/kernel_file.h"

namespace krait::ir {

template <class T>
Argument scalar(T x) {
  if constexpr (std::is_same_v<T, float>) return {.bits = std::bit_cast<std::uint32_t>(x)};
  else if constexpr (std::is_same_v<T, double>) return {.bits = std::bit_cast<std::uint64_t>(x)};
  else return {.bits = std::uint64_t(x)};
}

/// A C-contiguous view; without extents one dimension over the whole vector.
template <class T>
Argument view(std::vector<T>& data, std::vector<std::int64_t> extents = {}) {
  if (extents.empty()) extents = {std::int64_t(data.size())};
  Argument a{.data = reinterpret_cast<std::byte*>(data.data())};
  std::int64_t stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    a.extents[d] = extents[d];
    a.strides[d] = stride;
    stride *= extents[d];
  }
  return a;
}

/// The kernel's text after the line `kir 1`; a text that does not parse or verify fails the test.
inline std::string run(std::string_view kernel, const Launch& launch,
                       const std::vector<Argument>& arguments,
                       const InterpretOptions& options = {}) {
  const ParseResult parsed = parse("kir 1\n" + std::string(kernel));
  EXPECT_EQ(parsed.error, "");
  if (!parsed.error.empty()) return "not parsed";
  EXPECT_EQ(verify(parsed.module), "");
  return interpret(parsed.module, launch, arguments, options);
}

using test::kernel_of;
using test::line;

}  // namespace krait::ir
