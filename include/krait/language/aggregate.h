// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs in kernels: plain structs, arrays in them, std::array, and the common part of all
// composite types (kr::vec is in krait/vec.h). A value of a struct has values as members, a var has
// vars, and an element of a view has elements.
//
//   struct particle { kr::vec<float, 3> position; float mass; };
//   auto [position, mass] = particles[i];
//   particles[i][&particle::mass] = 2 * mass;
#pragma once

#include <krait/detail/array_parts.h>

namespace krait {
/// A traced value of a struct, std::array or kr::vec that does not change.
/// It is made of a plain or traced value of the type, or of one value per member. Members are read
/// by a pointer to member or by structured bindings.
/// \code
/// kr::value<kr::vec<float, 2>> p(x[i], y[i]);
/// auto [px, py] = p;
/// \endcode
template <class Type>
class value : public detail::parts<value, Type> {
 public:
  /// The struct, array or vector type.
  using composite_type = Type;

  explicit value(detail::node_source& from) : detail::parts<value, Type>(from) {}
  explicit value(detail::node_list<Type>&& from) : value(from.source) {}
  /// Not usable: a value needs an initial value. The compile error names the cure.
  template <class Never = Type>
  value() : value(detail::node_list<Type>()) {
    static_assert(
        detail::always_false<Never>,
        "krait: a kr::value is immutable and must be initialised: give it a value, or declare a kr::var");
  }
  value(const value&) = default;
  template <detail::gives<Type> From>
  explicit(!detail::becomes_implicitly<detail::held_t<From>, Type>) value(const From& from)
      : value(detail::node_list<Type>(from)) {}
  template <class... From>
    requires detail::gives_parts<Type, From...>
  value(From... members) : value(detail::node_list<Type>(members...)) {}

  void operator=(const value&) {
    static_assert(
        detail::always_false<Type>,
        "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it");
  }
  template <class Other>
  void operator=(const Other&) {
    static_assert(
        detail::always_false<Other>,
        "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it");
  }
};
template <detail::traced_composite Other>
value(const Other&) -> value<typename Other::composite_type>;
template <class Struct>
  requires detail::is_struct<Struct>
value(Struct) -> value<Struct>;

/// A local variable of a struct, std::array or kr::vec type; its members are kr::var.
/// A copy is a new variable with the current value.
/// \code
/// kr::var p = kr::vec{0.0f, 1.0f};
/// p.x += x[i];
/// \endcode
template <class Type>
class var : public detail::parts<var, Type> {
 public:
  /// The struct, array or vector type.
  using composite_type = Type;

  explicit var(detail::location where = detail::location::here()) : var(first(), where) {}
  explicit var(detail::node_source& from) : detail::parts<var, Type>(from) {}
  var(const var&) = default;
  template <detail::gives<Type> From>
  var(const From& from, detail::location where = detail::location::here())
      : var(detail::node_list<Type>(from), where) {}
  template <class... From>
    requires detail::gives_parts<Type, From...>
  var(From... members) : var(detail::node_list<Type>(members...), detail::location{}) {}

  var& operator=(const var& from) { return set(detail::node_list<Type>(from)); }
  template <detail::gives<Type> From>
  var& operator=(const From& from) {
    return set(detail::node_list<Type>(from));
  }

 private:
  var(detail::node_list<Type>&& from, detail::location where)
      : var((detail::set_location(where), from.source)) {}
  static detail::node_list<Type> first() {
    if constexpr (std::is_class_v<Type>) return detail::node_list<Type>(Type{});
    else return detail::node_list<Type>();
  }
  var& set(const detail::node_list<Type>& from) {
    const detail::node* next = from.at;
    detail::access::visit(*this, [&](const auto& leaf) { detail::assign(node_of(leaf), *next++); });
    return *this;
  }
};
template <detail::traced_composite Other>
var(const Other&) -> var<typename Other::composite_type>;
template <class Struct>
  requires detail::is_struct<Struct>
var(Struct) -> var<Struct>;

/// An element of a view of structs, std::arrays or kr::vec; its members are elements.
/// A member can be stored alone: `x[i][&particle::mass] = m`.
template <class Type>
class ref : public detail::parts<ref, Type> {
 public:
  /// The struct, array or vector type.
  using composite_type = Type;

  explicit ref(detail::place_source& from) : detail::parts<ref, Type>(from) {}
  ref(const ref&) = default;

  [[gnu::noinline, gnu::cold]] value<Type> operator=(const ref& from) && {
    detail::set_caller();
    return store(from);
  }
  template <detail::gives<Type> From>
  [[gnu::noinline, gnu::cold]] value<Type> operator=(const From& from) && {
    detail::set_caller();
    return store(from);
  }
  void operator=(const ref&) & {
    static_assert(
        detail::always_false<Type>,
        "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }
  template <class From>
  void operator=(const From&) & {
    static_assert(
        detail::always_false<From>,
        "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }

 private:
  template <class From>
  value<Type> store(const From& from) const {
    detail::node_list<Type> stored(from);
    detail::node* next = stored.at;
    detail::access::visit(*this, [&](const auto& leaf) { detail::store(place_of(leaf), *next++); });
    return value<Type>(stored.source);
  }
};

namespace detail {

/// A value of the argument block, whose arrays are read there where a traced index names an
/// element.
template <class Type>
value<Type> read_argument(const place& at) {
  place from = at;
  if constexpr (plain<Type>) {
    from.type = scalar_of<Type>;
    return value<Type>(load(from));
  } else {
    const node_list<Type> nodes(at);
    const leaf_list<Type> leaves;
    const argument_source memory{at, nodes.at, leaves.at};
    node_source each{nodes.at, &memory};
    return value<Type>(each);
  }
}

template <class Type>
  requires(!plain<Type>)
struct element<Type> {
  static value<Type> read(const place& at) { return value<Type>(node_list<Type>(at)); }
  static ref<Type> name(place at) {
    locate(at);
    const leaf_list<Type> leaves;
    place_source from{at, leaves.at};
    return ref<Type>(from);
  }
  static constexpr scalar type = scalar::none;
};

}  // namespace detail

/// Exchanges the values of two variables, or of two elements.
/// \code
/// kr::var first = kr::vec{1.0f, 2.0f}, second = kr::vec{3.0f, 4.0f};
/// kr::swap(first, second);
/// \endcode
template <class Type>
void swap(var<Type>& x, var<Type>& y) {
  const value<Type> old(x);
  x = y;
  y = old;
}
template <class Type>
void swap(ref<Type>&& x, ref<Type>&& y) {
  const value<Type> first(x), second(y);
  static_cast<ref<Type>&&>(x) = second;
  static_cast<ref<Type>&&>(y) = first;
}

}  // namespace krait

template <class Type>
  requires(!krait::detail::plain<Type>)
struct std::tuple_size<krait::value<Type>>
    : std::integral_constant<std::size_t, krait::value<Type>::count> {};
template <class Type>
  requires(!krait::detail::plain<Type>)
struct std::tuple_size<krait::var<Type>>
    : std::integral_constant<std::size_t, krait::var<Type>::count> {};
template <class Type>
  requires(!krait::detail::plain<Type>)
struct std::tuple_size<krait::ref<Type>>
    : std::integral_constant<std::size_t, krait::ref<Type>::count> {};
template <std::size_t Index, class Type>
struct std::tuple_element<Index, krait::value<Type>> {
  using type = krait::value<typename krait::value<Type>::template part_type<Index>>;
};
template <std::size_t Index, class Type>
struct std::tuple_element<Index, krait::var<Type>> {
  using type = krait::var<typename krait::var<Type>::template part_type<Index>>;
};
template <std::size_t Index, class Type>
struct std::tuple_element<Index, krait::ref<Type>> {
  using type = krait::ref<typename krait::ref<Type>::template part_type<Index>>;
};
