// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's own instructions and device functions in kernels, beside what other devices run in their place.
#pragma once

#include <krait/debug.h>
#include <krait/function.h>

namespace krait {
namespace detail {

/// The instructions of PTX that call a device function, kept as long as the process. Throws error{usage} where the text has no such one.
KRAIT_API const char* call_of_ptx(const char* function, const char* text, scalar result, const scalar* arguments, unsigned count);
/// The same text, kept as long as the process.
KRAIT_API const char* kept_text(const char* text);

template <class Signature>
struct linked;
template <class Result, class... Args>
struct linked<Result(Args...)> {
  template <class Type>
  static constexpr bool passes =
      std::is_arithmetic_v<Type> && !std::is_same_v<Type, bool> && (sizeof(Type) == 4 || sizeof(Type) == 8);
  static_assert((passes<Args> && ...) && (std::is_void_v<Result> || passes<Result>),
                "krait: a linked function takes and returns numbers of 32 or 64 bits");

  template <class Fallback>
  static auto make(const char* name, const char* ptx, const Fallback& fallback, location where) {
    constexpr scalar types[] = {scalar_of<Args>..., scalar::none};
    constexpr scalar result = [] {
      if constexpr (std::is_void_v<Result>) return scalar::none;
      else return scalar_of<Result>;
    }();
    function_options with{.name = name};
    with.ptx = call_of_ptx(name, ptx, result, types, sizeof...(Args)), with.ptx_functions = kept_text(ptx);
    if constexpr (std::is_void_v<Result>) return function([fallback](value<Args>... x) { fallback(x...); }, with, where);
    else return function([fallback](value<Args>... x) { return value<Result>(fallback(x...)); }, with, where);
  }
};

}  // namespace detail

/// Instructions of PTX at this place, on CUDA devices: $0 is the result, $1 and on are the operands. Other devices run the lambda on the
/// operands (kr::function, whose option .ptx this is).
///   auto r = kr::inline_asm<float>("rsqrt.approx.f32 $0, $1;", [](auto v) { return 1 / kr::sqrt(v); }, x);
template <class Result, class Fallback, class... Operands>
auto inline_asm(const detail::located_text& ptx, const Fallback& fallback, const Operands&... operands) {
  const function_options with{.name = nullptr, .rare = false, .ptx = ptx.text};
  if constexpr (std::is_void_v<Result>) {
    function([fallback](const auto&... x) { fallback(x...); }, with, ptx.where)(value(operands)...);
  } else {
    return function([fallback](const auto&... x) { return value<Result>(fallback(x...)); }, with, ptx.where)(value(operands)...);
  }
}

/// A device function of a text of PTX (`.func`, as `nvcc -ptx -rdc=true` makes of a __device__ function), which kernels on CUDA devices call.
/// Other devices run the lambda. Throws error{usage} where the text has no function of that name; the driver checks the rest of it.
///   auto lerp = kr::linked_function<float(float, float, float)>("lerp", ptx, [](auto a, auto b, auto t) { return a + t * (b - a); });
template <class Signature, class Fallback>
auto linked_function(const char* name, const char* ptx, const Fallback& fallback,
                     detail::location where = detail::location::here()) {
  return detail::linked<Signature>::make(name, ptx, fallback, where);
}

}  // namespace krait
