// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that all functions of arrays keep: how an axis is named, which type two element types
// have in common, how arrays of any rank are taken. A row per function; rules.py finds the
// functions that have none.
#pragma once

#include <krait/algorithm.h>
#include <krait/algorithm/compare.h>
#include <krait/algorithm/order.h>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace kr = krait;

namespace krait::test::rules {

/// Extents and elements of a result: an array, an expression, a number, or what has two of them.
template <class Result>
std::string described(const Result& x, bool shaped = true) {
  if constexpr (kr::detail::deferred<Result>) {
    return described(kr::eval(x), shaped);
  } else if constexpr (kr::detail::is_device_array<Result>::value) {
    std::string text = "[";
    for (int d = 0; shaped && d < Result::rank; ++d) text += " " + std::to_string(x.extent(d));
    text += "]";
    for (const auto each : x.to_host()) text += described(each);
    return text;
  } else if constexpr (requires { x.imag(); }) {
    return described(x.real()) + described(x.imag());
  } else if constexpr (kr::detail::plain<Result>) {
    return " " + std::to_string(double(x));
  } else if constexpr (requires { std::tuple_size<Result>::value; }) {
    return std::apply([&](const auto&... each) { return (described(each, shaped) + ...); }, x);
  } else {
    const auto& [first, second] = x;
    return described(first, shaped) + described(second, shaped);
  }
}

}  // namespace krait::test::rules
