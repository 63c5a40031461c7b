// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of WGSL as text. What scalars of the IR are there: bool is bool; i8, i16 and i32 are
// i32, u8, u16 and u32 are u32, narrow ones always extended; f32 is f32, and f16, which comes here
// where the target has it, f16; 64 bits are a vec2u, low word first, or the i32 of which they are
// the extension; f64 is the sum of a vec2f, in memory its bits.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ir/ir.h"

namespace krait::codegen::wgsl {

using ir::Scalar;

struct Expr {
  std::string text;
  bool whole = false;        // needs no brackets as an operand
  bool literal = false;      // WGSL would compute with it, and refuse what overflows
  bool from_narrow = false;  // of 64 bits: text is the i32 of which it is the extension

  /// As an operand.
  std::string operator()() const { return whole ? text : "(" + text + ")"; }
};

inline Expr name(std::string text) { return {std::move(text), true}; }
template <class... Args>
Expr call(fmt::format_string<Args...> text, Args&&... args) {
  return {fmt::format(text, std::forward<Args>(args)...), true};
}
template <class... Args>
Expr term(fmt::format_string<Args...> text, Args&&... args) {
  return {fmt::format(text, std::forward<Args>(args)...)};
}

constexpr bool is_wide(Scalar s) { return ir::is_int(s) && ir::bits_of(s) == 64; }
constexpr bool is_narrow(Scalar s) { return ir::is_int(s) && ir::bits_of(s) < 32; }
/// Values of that type.
std::string_view type_of(Scalar s);
/// An element of that type in memory, which has no bool, and of f64 the bits.
std::string_view cell_type(Scalar s);

}  // namespace krait::codegen::wgsl
