// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composite types: kr::vec, plain structs, arrays, std::array (and std::complex, in
// krait/complex.h). Each is an ordered list of parts, down to scalars, the leaves. Kernels hold one
// traced scalar a leaf; memory has the host's layout, each leaf at its offset.
#pragma once

#include <krait/detail/access.h>
#include <krait/detail/call.h>
#include <krait/detail/members.h>
#include <krait/memory.h>

namespace krait {

template <class Type, int Size>
struct vec;

namespace detail {

template <class Type, bool Valid = check_aggregate<Type>()>
struct struct_parts {  // refused: nothing that would only repeat it
  using types = std::tuple<>;
  template <class Object, class Visit>
  static void each(Object&, const Visit&) {}
};
template <class Type>
struct struct_parts<Type, true> {
  static_assert(
      member_count<Type> <= most_members,
      "krait: a struct in a kernel can have at most 24 members: move some into a nested struct");
  using types = typename decltype(visit_members(std::declval<Type&>(), [](auto&... members) {
    return std::type_identity<std::tuple<std::remove_reference_t<decltype(members)>...>>();
  }))::type;
  template <class Object, class Visit>
  static void each(Object& object, const Visit& visit) {
    visit_members(object, [&](auto&... members) { (visit(members), ...); });
  }
};

/// The parts of a composite type: `types`, a std::tuple or for arrays `element` and `count`, and
/// each(object, visit), which visits references to them in order.
template <class Type>
struct composite : struct_parts<Type> {};
template <class Elem, std::size_t Count>
struct array_parts_of {
  using element = Elem;
  static constexpr std::size_t count = Count;
  template <class Object, class Visit>
  static void each(Object& object, const Visit& visit) {
    for (std::size_t i = 0; i < Count; ++i) visit(object[i]);
  }
};
template <class Elem, std::size_t Count>
struct composite<Elem[Count]> : array_parts_of<Elem, Count> {};
/// std::array and its like.
template <template <class, std::size_t> class Array, class Elem, std::size_t Count>
  requires requires(Array<Elem, Count>& a) {
    a[0];
    a.size();
  }
struct composite<Array<Elem, Count>> : array_parts_of<Elem, Count> {};

/// Passed by value and kept in arrays as it is: plain structs, kr::vec, std::complex.
template <class Type>
inline constexpr bool is_struct =
    std::is_class_v<Type> && std::is_aggregate_v<Type> && std::is_trivially_copyable_v<Type>;
template <class Type>
inline constexpr bool is_array_type = std::is_array_v<Type>;
template <template <class, std::size_t> class Array, class Elem, std::size_t Count>
inline constexpr bool is_array_type<Array<Elem, Count>> = requires(Array<Elem, Count>& a) {
  a[0];
  a.size();
};
template <class Type>
concept array_type = is_array_type<Type>;

template <class Type>
inline constexpr bool has_array = array_type<Type>;
template <class Types>
inline constexpr bool list_has_array = false;
template <class... Types>
inline constexpr bool list_has_array<std::tuple<Types...>> = (has_array<Types> || ...);
template <class Type>
  requires(std::is_class_v<Type> && !array_type<Type> && !plain<Type>)
inline constexpr bool has_array<Type> = list_has_array<typename composite<Type>::types>;

template <class Types>
inline constexpr std::size_t leaves_of_list = 0;
template <class Type>
constexpr std::size_t count_leaves();
template <class... Types>
inline constexpr std::size_t leaves_of_list<std::tuple<Types...>> =
    (count_leaves<Types>() + ... + 0);
template <class Type>
constexpr std::size_t count_leaves() {
  if constexpr (plain<Type>) return 1;
  else if constexpr (array_type<Type>)
    return composite<Type>::count * count_leaves<typename composite<Type>::element>();
  else return leaves_of_list<typename composite<Type>::types>;
}
template <class Type>
inline constexpr std::size_t leaf_count = count_leaves<Type>();

/// visit(reference) of every scalar.
template <class Object, class Visit>
void each_leaf(Object& object, const Visit& visit) {
  if constexpr (plain<std::remove_const_t<Object>>) visit(object);
  else
    composite<std::remove_const_t<Object>>::each(object,
                                                 [&](auto& part) { each_leaf(part, visit); });
}

/// The types of a composite's scalars, written one after another; `next` ends after the last.
template <class Type>
constexpr void write_scalars(scalar*& next);
template <class... Types>
constexpr void write_scalars(scalar*& next, std::type_identity<std::tuple<Types...>>) {
  (write_scalars<Types>(next), ...);
}
template <class Type>
constexpr void write_scalars(scalar*& next) {
  if constexpr (plain<Type>) {
    *next++ = scalar_of<Type>;
  } else if constexpr (array_type<Type>) {
    for (std::size_t i = 0; i < composite<Type>::count; ++i)
      write_scalars<typename composite<Type>::element>(next);
  } else {
    write_scalars(next, std::type_identity<typename composite<Type>::types>());
  }
}
template <class Type>
struct scalar_list {
  scalar at[leaf_count<Type>]{};
  constexpr scalar_list() {
    scalar* next = at;
    write_scalars<Type>(next);
  }
};
template <class Type>
inline constexpr scalar_list<Type> scalars_of{};

/// The leaves with their offsets, taken from the addresses of the members of storage that is never
/// read.
template <class Type>
struct leaf_list {
  leaf at[leaf_count<Type>];
  leaf_list() {
    alignas(Type) unsigned char storage[sizeof(Type)];
    auto& object = *reinterpret_cast<Type*>(storage);
    leaf* next = at;
    each_leaf(object, [&](auto& member) {
      using type = std::remove_reference_t<decltype(member)>;
      *next++ = {scalar_of<type>,
                 static_cast<std::uint32_t>(reinterpret_cast<unsigned char*>(&member) - storage)};
    });
  }
};

// ---- traced composites --------------------------------------------------------------------------
template <class Type>
concept traced_composite = requires { typename Type::composite_type; };
template <class Type>
concept any_traced = traced<Type> || traced_composite<Type>;

/// Sets the location of the next records if one of the types is traced: for functions of plain
/// values, too.
template <class... Types>
constexpr void set_location_of([[maybe_unused]] location where) {
  if constexpr ((any_traced<Types> || ...)) set_location(where);
}

/// The type in a traced or plain value.
template <class Type>
struct held {
  using type = Type;
};
template <traced Type>
struct held<Type> {
  using type = typename Type::traced_type;
};
template <traced_composite Type>
struct held<Type> {
  using type = typename Type::composite_type;
};
template <class Type>
using held_t = typename held<std::remove_cvref_t<Type>>::type;

/// From can become a To: it is one, or both are vectors of one size.
template <class From, class To>
inline constexpr bool becomes = std::is_same_v<From, To> || (plain<From> && plain<To>);
template <class From, class To, int Size>
inline constexpr bool becomes<vec<From, Size>, vec<To, Size>> = true;
template <class From, class To>
inline constexpr bool becomes_implicitly = std::is_same_v<From, To>;
template <class From, class To, int Size>
inline constexpr bool becomes_implicitly<vec<From, Size>, vec<To, Size>> = widens<From, To>;

template <class Leaf, class Visit>
  requires std::is_base_of_v<handle, Leaf>
void visit_leaves(Leaf& x, const Visit& visit) {
  visit(x);
}
template <class Parts, class Visit>
  requires traced_composite<std::remove_const_t<Parts>>
void visit_leaves(Parts& x, const Visit& visit) {
  access::visit(x, visit);
}

/// Writes the nodes of a traced or plain value.
template <class Value>
void write_nodes(const Value& x, node*& next) {
  if constexpr (any_traced<Value>)
    visit_leaves(x, [&](const auto& leaf) { *next++ = node_of(leaf); });
  else each_leaf(x, [&](const auto& leaf) { *next++ = node_of(leaf); });
}

/// An aggregate in the argument block: leaves that are read, from `first` on, have the offsets of
/// `leaves`.
struct argument_source {
  place at;
  const node* first;
  const leaf* leaves;
  /// The place of the next leaf of the source.
  place next(const node_source& from) const {
    place p = at;
    p.offset += leaves[from.next - first].offset;
    return p;
  }
};

/// One node per leaf of Type, read at once and converted to the leaf's type.
template <class Type>
struct node_list {
  node at[leaf_count<Type>];
  node_source source{at};

  /// Zeros.
  node_list() {
    for (std::size_t i = 0; i < leaf_count<Type>; ++i) at[i] = literal(scalars_of<Type>.at[i], 0);
  }
  /// One value, or one a part.
  template <class... Values>
    requires(sizeof...(Values) > 0)
  explicit node_list(const Values&... x) {
    static_assert((leaf_count<held_t<Values>> + ...) == leaf_count<Type>);
    node* next = at;
    (write_nodes(x, next), ...);
    for (std::size_t i = 0; i < leaf_count<Type>; ++i)
      at[i] = convert(scalars_of<Type>.at[i], at[i]);
  }
  explicit node_list(place from) {
    locate(from);
    const leaf_list<Type> leaves;
    place_source places{from, leaves.at};
    for (node& n : at) {
      place p = places.take();
      n = load(p);
    }
  }
  node_list(const node_list&) = delete;
};

}  // namespace detail
}  // namespace krait
