// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX instructions and CUDA device functions in kernels, with a replacement for other devices.
#pragma once

#include <krait/debug.h>
#include <krait/function.h>

namespace krait {
namespace detail {

/// The instructions of PTX that call a device function, kept as long as the process. Throws
/// error{usage} where the text has no such one.
KRAIT_API const char* call_of_ptx(const char* function, const char* text, scalar result,
                                  const scalar* arguments, unsigned count);
/// The same text, kept as long as the process.
KRAIT_API const char* kept_text(const char* text);

template <class Signature>
struct linked;
template <class Result, class... Args>
struct linked<Result(Args...)> {
  template <class Type>
  static constexpr bool passes = std::is_arithmetic_v<Type> && !std::is_same_v<Type, bool> &&
                                 (sizeof(Type) == 4 || sizeof(Type) == 8);
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
    with.ptx = call_of_ptx(name, ptx, result, types, sizeof...(Args)),
    with.ptx_functions = kept_text(ptx);
    if constexpr (std::is_void_v<Result>)
      return function([fallback](value<Args>... x) { fallback(x...); }, with, where);
    else
      return function([fallback](value<Args>... x) { return value<Result>(fallback(x...)); }, with,
                      where);
  }
};

}  // namespace detail

/// Runs PTX instructions on CUDA devices, and a lambda on other devices.
/// In the text $0 is the result, $1 and on are the operands. It is kr::function with the option
/// .ptx, at one place.
/// \code
/// const auto other = [](auto v) { return kr::rsqrt(v); };
/// y[i] = kr::inline_asm<float>("rsqrt.approx.f32 $0, $1;", other, x[i]);
/// \endcode
template <class Result, class Fallback, class... Operands>
auto inline_asm(const detail::located_text& ptx, const Fallback& fallback,
                const Operands&... operands) {
  const function_options with{.name = nullptr, .rare = false, .ptx = ptx.text};
  if constexpr (std::is_void_v<Result>) {
    function([fallback](const auto&... x) { fallback(x...); }, with, ptx.where)(value(operands)...);
  } else {
    return function([fallback](const auto&... x) { return value<Result>(fallback(x...)); }, with,
                    ptx.where)(value(operands)...);
  }
}

/// Makes a function that calls a device function of a PTX text on CUDA, and a lambda elsewhere.
/// The text has a `.func` of that name, as `nvcc -ptx -rdc=true` makes of a __device__ function;
/// else it throws error{usage}. The driver checks the rest of the text.
/// \code
/// auto twice = kr::linked_function<float(float)>("twice", ptx, [](auto v) { return v + v; });
/// \endcode
template <class Signature, class Fallback>
auto linked_function(const char* name, const char* ptx, const Fallback& fallback,
                     detail::location where = detail::location::here()) {
  return detail::linked<Signature>::make(name, ptx, fallback, where);
}

}  // namespace krait
