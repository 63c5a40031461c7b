// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that kernels call. A lambda or C++ function on traced values is inlined at each use. A
// function made by kr::function becomes one function of the kernel, compiled once and called.
#pragma once

#include <tuple>
#include <utility>

#include <krait/control.h>
#include <krait/detail/elementwise.h>
#include <krait/memory.h>

namespace krait {

/// Options of kr::function.
struct function_options {
  /// The name in messages and listings; by default file:line.
  const char* name = nullptr;
  /// Whether it is seldom called: the code is laid out for the paths that do not call it.
  bool rare = false;
  /// PTX instructions that CUDA devices run instead of the lambda; other devices run the lambda.
  /// $0 is the result, $1 and on are the arguments, numbers of 16, 32 or 64 bits. Registers and
  /// labels that they declare are local. The lambda tells what they do: if it has a result and no
  /// side effect, the compiler may move, merge and drop them.
  const char* ptx = nullptr;
  /// A PTX text with device functions (.func) that these instructions call.
  const char* ptx_functions = nullptr;
};

template <class Lambda>
class called;

namespace detail {

/// Calls of the function object become these instructions on CUDA devices; `functions` may be null.
KRAIT_API void use_ptx(std::uint64_t object, const char* instructions, const char* functions,
                       location where);

template <class Type>
struct is_view : std::false_type {};
template <class Elem, int Rank>
struct is_view<view<Elem, Rank>> : std::true_type {};
template <class Type>
inline constexpr bool is_kernel_argument =
    is_traced_v<std::remove_cvref_t<Type>> || is_view<std::remove_cvref_t<Type>>::value;

/// An argument inside the function. `parameter` is the type of the lambda's parameter or, if that
/// is `auto`, of the argument: var<T>& is taken by reference.
template <class Parameter>
struct inside {
  using plain = std::remove_cvref_t<Parameter>;
  static_assert(
      operand_type<plain> || std::is_enum_v<plain>,
      "krait: the parameters of a kr::function must be kr::value<T>, kr::var<T>, kr::var<T>&, "
      "kr::view<T> or auto");
  using element = storage_type_t<plain>;
  static constexpr bool by_reference = false;
  using type = const value<element>;
  static value<element> enter(node parameter) { return value<element>(parameter); }
  template <class Arg>
  static function_argument pass(const Arg& x) {
    if constexpr (is_traced_v<Arg>) return {convert(scalar_of<element>, node_of(x)), false};
    else return {node_of(convert_plain<element>(static_cast<storage_type_t<Arg>>(x))), false};
  }
};
template <class Elem>
struct inside<var<Elem>&> {
  static constexpr bool by_reference = true;
  using type = var<Elem>;
  static value<Elem> enter(node parameter) { return value<Elem>(parameter); }
  static function_argument pass(var<Elem>& x) { return {node_of(x), true}; }
};
template <class Parameter>
  requires(is_view<std::remove_cvref_t<Parameter>>::value)
struct inside<Parameter> {
  static constexpr bool by_reference = false;
  using type = const std::remove_cvref_t<Parameter>;
  static type enter(node parameter) { return type(parameter); }
  static function_argument pass(const type& x) { return {node_of(x), false}; }
};

/// The types of the function's results.
template <class Type>
struct function_results {
  static_assert(operand_type<Type>,
                "krait: a kr::function must return nothing, a number, or a std::tuple of numbers");
  using type = value<storage_type_t<Type>>;
  static constexpr scalar list[] = {scalar_of<storage_type_t<Type>>};
  static constexpr unsigned count = 1;
  static type make(const node* nodes) { return type(nodes[0]); }
};
template <>
struct function_results<void> {
  static constexpr scalar list[] = {scalar::none};
  static constexpr unsigned count = 0;
  static void make(const node*) {}
};
template <class... Types>
struct function_results<std::tuple<Types...>> {
  using type = std::tuple<value<storage_type_t<Types>>...>;
  static constexpr scalar list[] = {scalar_of<storage_type_t<Types>>...};
  static constexpr unsigned count = sizeof...(Types);
  static type make(const node* nodes) { return make(nodes, std::index_sequence_for<Types...>{}); }
  template <std::size_t... At>
  static type make(const node* nodes, std::index_sequence<At...>) {
    return type(value<storage_type_t<Types>>(nodes[At])...);
  }
};

template <class Lambda, class... Params>
inline constexpr bool takes_itself =
    (std::is_same_v<std::remove_cvref_t<Params>, called<Lambda>> || ...);

template <class Lambda, class... Params>
struct function_recording {
  static_assert(
      !takes_itself<Lambda, Params...>,
      "krait: kernels do not support recursion: write a loop, kr::while_, with a kr::local array "
      "as its stack");
  using result =
      std::remove_cvref_t<std::invoke_result_t<const Lambda&, typename inside<Params>::type&...>>;
  using results = function_results<result>;
  using every = std::index_sequence_for<Params...>;

  static void record(const void* lambda, const node* parameters, node* nodes) {
    run(*static_cast<const Lambda*>(lambda), parameters, nodes, every{});
  }
  template <std::size_t... At>
  static void run(const Lambda& lambda, [[maybe_unused]] const node* parameters,
                  [[maybe_unused]] node* nodes, std::index_sequence<At...>) {
    std::tuple<typename inside<Params>::type...> in{inside<Params>::enter(parameters[At])...};
    const auto call = [&] { return lambda(std::get<At>(in)...); };
    if constexpr (std::is_void_v<result>) {
      const body_scope body = begin_body(nullptr, nullptr);
      call();
      end_body(body);
    } else if constexpr (is_tuple<result>::value) {
      const result all = call();
      [&]<std::size_t... Out>(std::index_sequence<Out...>) {
        ((nodes[Out] = node_of(operand(std::get<Out>(all)))), ...);
      }(std::make_index_sequence<results::count>{});
    } else {
      nodes[0] = node_of(call_inlined(call));
    }
    ((inside<Params>::by_reference ? void(nodes[results::count + At] = local_of(std::get<At>(in)))
                                   : void()),
     ...);
  }
  static node local_of(const handle& x) { return node_of(x); }

  template <class... Args>
  static auto call(std::uint64_t object, const Lambda& lambda, const function_options& with,
                   location where, Args&... args) {
    static_assert(
        sizeof...(Args) == sizeof...(Params),
        "krait: the call and the lambda differ in their number of arguments: pass one argument "
        "per parameter");
    const function_argument passed[sizeof...(Params) + 1] = {inside<Params>::pass(args)...};
    node nodes[results::count + 1];
    call_function(
        {object, &lambda, &record, results::list, results::count, with.name, where, with.rare},
        passed, sizeof...(Params), nodes);
    if (with.ptx) use_ptx(object, with.ptx, with.ptx_functions, where);
    return results::make(nodes);
  }
};

/// By the lambda's parameters where they have types, else by the arguments.
template <class Member>
struct declared_function;
template <class Lambda, class Result, class... Params>
struct declared_function<Result (Lambda::*)(Params...) const> {
  using type = function_recording<Lambda, Params...>;
  static constexpr bool takes_traced = (is_kernel_argument<Params> && ...);
};
template <class Lambda, class Result, class... Params>
struct declared_function<Result (Lambda::*)(Params...) const noexcept>
    : declared_function<Result (Lambda::*)(Params...) const> {};
template <class Lambda, class... Args>
struct recording_of {
  using type = function_recording<Lambda, Args...>;
  static constexpr bool takes_traced = false;
};
template <class Lambda, class... Args>
  requires requires { &Lambda::operator(); }
struct recording_of<Lambda, Args...> : declared_function<decltype(&Lambda::operator())> {};

/// The lambda's result for plain arguments. In a kernel return_ leaves the lambda here too.
template <class Call>
auto call_plain(const Call& call) {
  using result = std::remove_cvref_t<decltype(call())>;
  if constexpr (is_traced_v<result>) {
    return call_inlined(call);
  } else if constexpr (std::is_void_v<result>) {
    if (!recording_active()) return call();
    const body_scope body = begin_body(nullptr, nullptr);
    call();
    end_body(body);
  } else {
    if (!recording_active()) return call();
    return call_without_return(
        call,
        "return_ cannot leave a kr::function whose arguments and result are all plain numbers: pass a "
        "traced value, f(kr::value(n))");
  }
}

}  // namespace detail

/// A function made by kr::function; copies are the same function.
template <class Lambda>
class called {
 public:
  called(Lambda lambda, const function_options& with, detail::location where)
      : lambda_(std::move(lambda)), with_(with), where_(where) {}

  /// Calls the function in a kernel.
  /// If all arguments are plain and the lambda's parameters are auto, it computes the result now.
  template <class... Args>
  auto operator()(Args&&... args) const {
    if constexpr ((detail::is_kernel_argument<Args> || ...)) {
      return call<Args...>(args...);
    } else if constexpr (sizeof...(Args) == 0 && std::is_invocable_v<const Lambda&>) {
      using result = std::remove_cvref_t<std::invoke_result_t<const Lambda&>>;
      if constexpr (std::is_void_v<result> || detail::is_traced_v<result> ||
                    detail::is_tuple<result>::value)
        return call<>();
      else return detail::call_plain(lambda_);
    } else if constexpr (detail::recording_of<Lambda, Args...>::takes_traced) {
      return call<Args...>(args...);
    } else {
      return detail::call_plain([&] { return lambda_(std::forward<Args>(args)...); });
    }
  }

 private:
  template <class... Args>
  auto call(std::remove_reference_t<Args>&... args) const {
    return detail::recording_of<Lambda, Args...>::type::call(object_, lambda_, with_, where_,
                                                             args...);
  }
  Lambda lambda_;
  function_options with_;
  detail::location where_;
  std::uint64_t object_ = detail::next_function();
};

/// Makes a function that kernels, element-wise functions and other functions can call.
/// It is compiled once and called, not inlined. Its lambda sees its arguments only: pass traced
/// values, do not capture them. A parameter kr::var<T>& is the caller's variable. It returns
/// nothing, a value or a std::tuple; kr::return_ leaves it. It uses the kernel's options. Recursion
/// is not allowed.
/// \code
/// auto square = kr::function([](auto v) { return v * v; });
/// auto squares = kr::vectorize([square](auto v) { return square(v); });
/// \endcode
template <class Lambda>
called<Lambda> function(Lambda lambda, const function_options& with = {},
                        detail::location where = detail::location::here()) {
  return {std::move(lambda), with, where};
}

}  // namespace krait
