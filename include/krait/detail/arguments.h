// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From C++ argument types to parameters of a kernel: arithmetic → value<T>, container → view<T>,
// const container or temporary → view<const T>. Host containers are recognised by data() and
// size().
#pragma once

#include <type_traits>
#include <utility>

#include <krait/aggregate.h>
#include <krait/array.h>
#include <krait/detail/call.h>
#include <krait/memory.h>
#include <krait/types.h>
#include <krait/value.h>

namespace krait {

/// A parameter of a kernel whose value becomes part of the code, as a constant: loops over it
/// unroll and branches on it go. Each value compiles anew, for the first 16 combinations of values
/// of a kernel object; then one code for all values is made and taken.
/// \code
/// auto power = kr::kernel([](kr::view<float> x, kr::specialized<int> n) {
///   for (auto k : kr::range(n)) x[0] = x[0] * x[0];
/// });
/// \endcode
template <detail::plain Type>
class specialized : public value<Type> {
 public:
  explicit constexpr specialized(detail::node n) noexcept : value<Type>(n) {}
};

}  // namespace krait

namespace krait::detail {

template <class Type>
struct is_device_array : std::false_type {};
template <class Elem, int Rank>
struct is_device_array<array<Elem, Rank>> : std::true_type {};
template <class Elem, int Rank>
struct is_device_array<array_row<Elem, Rank>> : std::true_type {};
template <class Type>
struct is_device_array<const Type> : is_device_array<Type> {};

/// What becomes an array by kr::eval: an expression, or a selection of elements.
template <class Type>
inline constexpr bool is_deferred = false;
template <class Type>
concept deferred = is_deferred<std::remove_cvref_t<Type>>;
template <class... Types>
concept some_deferred = (deferred<Types> || ...);
/// An argument as an algorithm of arrays takes it.
template <class Type>
decltype(auto) evaluated(const Type& x) {
  if constexpr (deferred<Type>) return eval(x);
  else return (x);
}
/// An argument that a call of a kernel or of an element-wise function does not take as it is.
template <class Arg>
concept unready = deferred<Arg> || unread_number<std::remove_cvref_t<Arg>>;
/// An argument as these calls take it. Of an expression or a selection it is an array that cannot
/// be written, as no one would see it.
template <class Arg>
decltype(auto) as_argument(Arg&& x) {
  if constexpr (deferred<Arg>) return evaluated(x).share();
  else if constexpr (unready<Arg>) return as_number(x);
  else return static_cast<Arg&&>(x);
}

template <class Type>
concept plain_scalar = std::is_arithmetic_v<Type> || std::is_enum_v<Type> || is_narrow_v<Type>;

template <class Type>
concept host_container = !is_device_array<Type>::value && !any_traced<Type> && requires(Type& c) {
  { *c.data() };
  { c.size() } -> std::integral;
};
template <class Type>
concept container =
    is_device_array<Type>::value || host_container<Type> || std::is_bounded_array_v<Type>;

/// An argument that travels in the launch itself: a number or a struct of numbers.
template <class Type>
concept by_value = plain_scalar<Type> || (is_struct<Type> && !container<Type> && !any_traced<Type>);

template <class Type>
inline constexpr bool is_vector_of_bool = requires {
  typename Type::value_type;
  requires std::is_same_v<typename Type::value_type, bool>;
  requires !host_container<Type>;
  requires !is_device_array<Type>::value;
};

/// Element type (const where the argument may not be written) and rank of a container argument.
template <class Arg>
struct container_traits;
template <class Elem, int Rank>
struct container_traits<array<Elem, Rank>> {
  using element = Elem;
  static constexpr int rank = Rank;
};
template <class Elem, int Rank>
struct container_traits<const array<Elem, Rank>> {
  using element = const Elem;
  static constexpr int rank = Rank;
};
template <class Elem, int Rank>
struct container_traits<array_row<Elem, Rank>> : container_traits<array<Elem, Rank>> {};
template <class Elem, int Rank>
struct container_traits<const array_row<Elem, Rank>> : container_traits<const array<Elem, Rank>> {};
template <class Elem, std::size_t Count>
struct container_traits<Elem[Count]> {
  using element = Elem;
  static constexpr int rank = 1;
};
template <host_container Type>
struct container_traits<Type> {
  using element = std::remove_reference_t<decltype(*std::declval<Type&>().data())>;
  static constexpr int rank = 1;
};

template <class Arg>
using referred = std::remove_reference_t<Arg>;

/// Whether a container of the type refers to elements that outlive it, as std::span and a view of
/// an array do: its own constness says nothing of theirs.
template <class Type>
inline constexpr bool refers = false;
template <class Elem, int Rank>
inline constexpr bool refers<array<Elem, Rank>> = !std::is_const_v<Elem>;
template <class Elem, int Rank>
inline constexpr bool refers<array_row<Elem, Rank>> = !std::is_const_v<Elem>;
template <host_container Type>
inline constexpr bool refers<Type> =
    !std::is_const_v<std::remove_reference_t<decltype(*std::declval<const Type&>().data())>>;

/// Whether an argument of (forwarded) type Arg can be written: it is a variable, or refers to
/// elements elsewhere.
template <class Arg>
inline constexpr bool stays = std::is_lvalue_reference_v<Arg> || refers<std::remove_cvref_t<Arg>>;

/// The view parameter that an argument of (forwarded) type Arg gives: read-only for temporaries
/// that own their elements.
template <class Arg>
struct view_parameter {
  using traits = container_traits<referred<Arg>>;
  using element =
      std::conditional_t<stays<Arg>, typename traits::element, const typename traits::element>;
  using type = view<element, traits::rank>;
};

template <class Arg>
constexpr auto parameter_for() {
  using plain = std::remove_cvref_t<Arg>;
  static_assert(
      !is_vector_of_bool<plain>,
      "std::vector<bool> stores bits, which a kernel cannot access: use std::vector<unsigned char>");
  static_assert(
      by_value<plain> || container<referred<Arg>> || is_vector_of_bool<plain>,
      "a kernel's arguments must be numbers, plain structs of numbers, kr::array, or containers "
      "with data() and size()");
  if constexpr (by_value<plain>) return std::type_identity<value<plain>>{};
  else return std::type_identity<typename view_parameter<Arg>::type>{};
}

template <class Type>
struct parameter_traits;  // of a kernel's parameter: value<T> or view<T, N>
/// A struct of a few scalars is a parameter a scalar, which stay in registers; one that has an
/// array, or many, is one as bytes.
template <class Elem>
inline constexpr bool travels_as_bytes = leaf_count<Elem> > 16 || has_array<Elem>;
template <class Elem>
struct parameter_traits<value<Elem>> {
  static constexpr bool is_view = false;
  using element = Elem;
  static constexpr std::size_t nodes = travels_as_bytes<Elem> ? 1 : leaf_count<Elem>;
  static constexpr void describe(parameter_type*& next) {
    if constexpr (travels_as_bytes<Elem>) *next++ = {scalar::none, 0, false, false, sizeof(Elem)};
    else
      for (const scalar s : scalars_of<Elem>.at) *next++ = {s, 0, false, false, 0};
  }
  static value<Elem> make(const node* at) {
    if constexpr (travels_as_bytes<Elem>) {
      return read_argument<Elem>({*at, {literal(scalar::i64, 0)}, 1});
    } else {
      node_source from{at};
      return value<Elem>(from);
    }
  }
};
template <class Elem>
struct parameter_traits<specialized<Elem>> {
  static constexpr bool is_view = false;
  using element = Elem;
  static constexpr std::size_t nodes = 1;
  static constexpr void describe(parameter_type*& next) {
    *next++ = {scalar_of<Elem>, 0, false, false, 0, true};
  }
  static specialized<Elem> make(const node* at) { return specialized<Elem>(*at); }
};
template <class Elem, int Rank>
struct parameter_traits<view<Elem, Rank>> {
  static constexpr bool is_view = true;
  static constexpr int rank = Rank;
  using element = Elem;
  static constexpr std::size_t nodes = 1;
  static constexpr void describe(parameter_type*& next) {
    *next++ = {detail::element<std::remove_const_t<Elem>>::type, Rank, !std::is_const_v<Elem>,
               false, sizeof(Elem)};
  }
  static view<Elem, Rank> make(const node* at) { return view<Elem, Rank>(*at); }
};
template <class Type>
concept kernel_parameter = requires { parameter_traits<Type>::is_view; };

/// C-order strides of an argument whose extents are set.
inline void set_strides(argument& a) {
  std::int64_t stride = 1;
  for (int d = a.rank - 1; d >= 0; --d) a.strides[d] = stride, stride *= a.extents[d];
}

template <class Elem, int Rank>
argument array_argument(const array<Elem, Rank>& from) {
  argument a;
  const layout at = layout_of(from);
  a.kind = argument::device_array, a.memory = memory_of(from), a.rank = Rank;
  a.offset = static_cast<std::uint64_t>(at.offset) * sizeof(Elem);
  for (int d = 0; d < Rank; ++d) a.extents[d] = at.extents[d], a.strides[d] = at.strides[d];
  return a;
}

template <class Container>
argument container_argument(Container& from) {
  if constexpr (is_device_array<std::remove_const_t<Container>>::value) {
    return array_argument(from);
  } else {
    argument a;
    a.kind = argument::host, a.rank = 1;
    if constexpr (std::is_bounded_array_v<Container>) {
      a.data = const_cast<std::remove_cv_t<std::remove_extent_t<Container>>*>(from),
      a.extents[0] = std::extent_v<Container>;
    } else {
      using element = std::remove_cvref_t<decltype(*from.data())>;
      a.data = const_cast<element*>(from.data()),
      a.extents[0] = static_cast<std::int64_t>(from.size());
    }
    set_strides(a);
    return a;
  }
}

/// A number as the type of the parameter: floating-point numbers as kr::cast converts them,
/// integers only where they fit.
template <class Elem, class Given>
Elem as_parameter(Given x, const kernel_state* state, unsigned parameter) {
  if constexpr (std::is_same_v<Elem, Given>) {
    return x;
  } else if constexpr (std::is_enum_v<Given>) {
    return as_parameter<Elem>(static_cast<std::underlying_type_t<Given>>(x), state, parameter);
  } else if constexpr (std::is_enum_v<Elem>) {
    return static_cast<Elem>(as_parameter<std::underlying_type_t<Elem>>(x, state, parameter));
  } else if constexpr (std::is_integral_v<Elem> && !std::is_same_v<Elem, bool> &&
                       std::is_integral_v<Given>) {
    Elem converted{};
    if (__builtin_add_overflow(+x, 0, &converted))
      refuse_number(state, parameter, scalar_of<Elem>, x < Given(0), static_cast<std::uint64_t>(x));
    return converted;
  } else if constexpr (std::is_same_v<Given, long double>) {
    return is_float_v<Elem> ? static_cast<Elem>(x) : convert_plain<Elem>(static_cast<double>(x));
  } else {
    return convert_plain<Elem>(x);
  }
}

/// One argument per scalar, or the object itself, which outlives the call. `parameter` is its
/// number, from 1.
template <class Elem, class Given>
void add_value(argument*& next, const Given& given, const kernel_state* state, unsigned parameter) {
  if constexpr (travels_as_bytes<Elem>) {
    next->data = const_cast<Given*>(&given);
    ++next;
    return;
  }
  const auto& converted = [&]() -> decltype(auto) {
    if constexpr (std::is_same_v<Elem, Given>) return (given);
    else return as_parameter<Elem>(given, state, parameter);
  }();
  each_leaf(converted, [&](const auto& leaf) {
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &leaf, sizeof leaf);  // <cstring> would cost each user 264 lines
    (next++)->bits = bits;  // whole: reading eight bytes after writing four would wait for memory
  });
}

/// The arguments for a parameter of type Param: one, or one a scalar of a struct.
template <class Param, class Arg>
void add_argument(argument*& next, const kernel_state* state, unsigned parameter, Arg&& from) {
  using traits = parameter_traits<Param>;
  using plain = std::remove_cvref_t<Arg>;
  if constexpr (traits::is_view) {
    static_assert(container<referred<Arg>>,
                  "this parameter is a view: pass kr::array or a container with data() and size()");
    using given = typename view_parameter<Arg>::element;
    using wanted = typename traits::element;
    static_assert(
        std::is_same_v<std::remove_const_t<given>, std::remove_const_t<wanted>>,
        "the container's element type differs from the view's: convert the container, or declare "
        "the parameter kr::view of its type");
    static_assert(
        container_traits<referred<Arg>>::rank == traits::rank,
        "the array and the view differ in their number of dimensions: declare the parameter "
        "kr::view<T, N> with the array's number, or pass a.reshape(...)");
    static_assert(
        std::is_const_v<wanted> || !std::is_const_v<given>,
        "a const or temporary container cannot be written: declare the parameter kr::view<const "
        "T>, or pass a variable (of an expression or a selection, kr::eval(x) makes an array)");
    *next++ = container_argument(from);
  } else {
    using wanted = typename traits::element;
    static_assert(std::is_same_v<plain, wanted> || (plain_scalar<plain> && detail::plain<wanted>),
                  "this parameter is a kr::value: pass a number, or a struct of exactly its type");
    add_value<wanted>(next, from, state, parameter);
  }
}

}  // namespace krait::detail
