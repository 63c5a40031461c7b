// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C function pointers made from lambdas on traced values, for libraries that call them once per
// number on the host (docs/shipping.md).
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <krait/kernel.h>

namespace krait {
namespace detail {

/// How C passes an argument and gives a result.
struct native_type {
  enum kind_type : unsigned char { nothing, integer, floating } kind;
  unsigned char bytes;
  bool is_signed;
};
template <class Type>
inline constexpr native_type native_type_of{
    std::is_void_v<Type>             ? native_type::nothing
    : std::is_floating_point_v<Type> ? native_type::floating
                                     : native_type::integer,
    sizeof(std::conditional_t<std::is_void_v<Type>, char, Type>), std::is_signed_v<Type>};

struct native_function;
KRAIT_API native_function* make_native_function(const options& with, location where,
                                                const void* lambda, const signature& as,
                                                const native_type* parameters, native_type result);
KRAIT_API void free_native_function(native_function* function) noexcept;
KRAIT_API void* address_of(const native_function* function) noexcept;

/// The traced type of a C parameter for an `auto` parameter of the lambda, and the other types that
/// it may declare.
template <class Param>
struct native_parameter {
  using type = value<Param>;
  template <class Declared>
  static constexpr bool takes = std::is_same_v<Declared, type>;
};
template <class Elem>
struct native_parameter<Elem*> {
  using type = view<Elem>;
  template <class Declared>
  static constexpr bool takes =
      std::is_same_v<Declared, value<std::uint64_t>> || std::is_same_v<Declared, view<Elem>> ||
      std::is_same_v<Declared, view<const Elem>>;
};
template <class Type>
struct element_of_view {
  using type = void;
};
template <class Elem>
struct element_of_view<view<Elem>> {
  using type = Elem;
};
template <class Void>
  requires std::is_void_v<Void>
struct native_parameter<Void*> {
  using type = value<std::uint64_t>;
  template <class Declared, class Elem = typename element_of_view<Declared>::type>
  static constexpr bool takes =
      std::is_same_v<Declared, type> ||
      (!std::is_void_v<Elem> && (std::is_const_v<Elem> || !std::is_const_v<Void>));
};

template <class Lambda, class Result, class... Params>
struct native_body {
  const Lambda& lambda;
  void operator()(Params... params, view<Result> result) const {
    result[0] = cast<Result>(call_inlined([&] { return lambda(params...); }));
  }
  static constexpr const signature& as = kernel_recording<native_body, Params..., view<Result>>::as;
};
template <class Lambda, class... Params>
struct native_body<Lambda, void, Params...> {
  const Lambda& lambda;
  void operator()(Params... params) const { lambda(params...); }
  static constexpr const signature& as = kernel_recording<native_body, Params...>::as;
};

/// By the lambda's parameters where they have types.
template <class Lambda, class Result, class... Args>
struct native_recording {
  using body = native_body<Lambda, Result, typename native_parameter<Args>::type...>;
};
template <class Member, class Result, class... Args>
struct native_declared;
template <class Lambda, class Given, class... Params, class Result, class... Args>
struct native_declared<Given (Lambda::*)(Params...) const, Result, Args...> {
  static_assert(
      sizeof...(Params) == sizeof...(Args),
      "krait: the function pointer and the lambda differ in their number of parameters: declare "
      "one per argument");
  template <class... Each>
  static constexpr bool all_taken() {
    if constexpr (sizeof...(Each) == sizeof...(Params))
      return (native_parameter<Each>::template takes<std::remove_cvref_t<Params>> && ...);
    else return true;
  }
  static_assert(
      all_taken<Args...>(),
      "krait: the lambda of a function pointer takes kr::value<T> for a number T, kr::view<T> for "
      "T* and void*, and kr::view<const T> for const T*. kr::value<std::uint64_t> takes any "
      "pointer");
  using body = native_body<Lambda, Result, std::remove_cvref_t<Params>...>;
};
template <class Lambda, class Result, class... Args>
  requires requires { &Lambda::operator(); }
struct native_recording<Lambda, Result, Args...>
    : native_declared<decltype(&Lambda::operator()), Result, Args...> {};

template <class Type>
inline constexpr bool is_native =
    std::is_pointer_v<Type> || (std::is_arithmetic_v<Type> && sizeof(Type) <= 8);

}  // namespace detail

template <class Signature>
class function_pointer;

/// A lambda as a C function pointer, which libraries call on the host from any thread.
/// The lambda is recorded and compiled for the CPU when the object is made. Pointers become views
/// of one dimension, without bounds checks. The lambda must not print or check. The pointer is
/// valid as long as the object; with KRAIT_DEBUG=1 a later call is reported on stderr and gives 0.
/// Throws error.
/// \code
/// kr::function_pointer<double(double)> f([](kr::value<double> v) { return kr::exp(-v * v); });
/// double (*pointer)(double) = f;
/// \endcode
template <class Result, class... Args>
class function_pointer<Result(Args...)> {
 public:
  /// The type of the C function pointer.
  using type = Result (*)(Args...);

  template <class Lambda>
  explicit function_pointer(const Lambda& lambda, const options& with = {},
                            detail::location where = detail::location::here()) {
    static_assert(
        (detail::is_native<Args> && ...) &&
            (std::is_void_v<Result> ||
             std::is_arithmetic_v<Result>)&&(detail::native_type_of<Result>.bytes <= 8),
        "krait: a function pointer takes numbers and pointers, and returns a number or nothing");
    using body = typename detail::native_recording<Lambda, Result, Args...>::body;
    const detail::native_type parameters[] = {detail::native_type_of<Args>..., {}};
    const body recorded{lambda};
    function_ = detail::make_native_function(with, where, &recorded, body::as, parameters,
                                             detail::native_type_of<Result>);
  }
  function_pointer(function_pointer&& other) noexcept
      : function_(std::exchange(other.function_, nullptr)) {}
  function_pointer& operator=(function_pointer&&) = delete;
  ~function_pointer() { detail::free_native_function(function_); }

  operator type() const noexcept { return reinterpret_cast<type>(detail::address_of(function_)); }
  Result operator()(Args... args) const { return type(*this)(args...); }

 private:
  detail::native_function* function_;
};

}  // namespace krait
