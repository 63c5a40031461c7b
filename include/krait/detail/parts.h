// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a traced struct, its members by name, and what a composite can be made from.
// array_parts.h has arrays.
#pragma once

#include <krait/detail/composite.h>

namespace krait {
namespace detail {

template <class Source>
concept source = std::is_same_v<Source, node_source> || std::is_same_v<Source, place_source>;

/// An index that is known while recording, with its place.
class plain_index {
 public:
  template <plain_integer Index>
  plain_index(Index i, location where = location::here())
      : at_(static_cast<std::uint64_t>(i)), where_(where) {}  // NOLINT: implicit
  std::size_t below(std::size_t count) const {
    if (at_ < count) return static_cast<std::size_t>(at_);
    misuse("an index is out of bounds of a fixed-size array or vector", where_);
    return 0;
  }

 private:
  std::uint64_t at_;
  location where_;
};

/// The members of a struct, each in the wrapper: value, var or ref.
template <template <class> class Wrapper, class... Types>
class part_list {
 public:
  template <source Source>
  explicit part_list(Source&) {}
  template <class Visit>
  void leaves(const Visit&) const {}
};
template <template <class> class Wrapper, class First, class... Rest>
class part_list<Wrapper, First, Rest...> {
 public:
  template <source Source>
  explicit part_list(Source& from) : first_(from), rest_(from) {}
  part_list(const part_list&) = default;
  void operator=(const part_list&) = delete;
  template <class Visit>
  void leaves(const Visit& visit) const {
    visit_leaves(first_, visit);
    rest_.leaves(visit);
  }
  template <std::size_t Index>
  const auto& at() const {
    if constexpr (Index == 0) return first_;
    else return rest_.template at<Index - 1>();
  }

 private:
  Wrapper<First> first_;
  part_list<Wrapper, Rest...> rest_;
};

template <template <class> class Wrapper, class Types>
struct list_of_parts;
template <template <class> class Wrapper, class... Types>
struct list_of_parts<Wrapper, std::tuple<Types...>> {
  using type = part_list<Wrapper, Types...>;
};

/// The common part of traced structs: members by structured bindings, and by name.
template <template <class> class Wrapper, class Type>
class parts {
  using types = typename composite<Type>::types;

 public:
  /// The number of members.
  static constexpr std::size_t count = std::tuple_size_v<types>;
  /// The type of a member, by its number.
  template <std::size_t Index>
  using part_type = std::tuple_element_t<Index, types>;

  template <source Source>
  explicit parts(Source& from) : list_(from) {}
  /// A member by its pointer: `p[&particle::mass]`.
  template <class Member>
  const Wrapper<Member>& operator[](Member Type::*which) const& {
    return *find<Member>(which, std::make_index_sequence<count>());
  }
  template <class Member>
  Wrapper<Member>& operator[](Member Type::*which) & {
    return const_cast<Wrapper<Member>&>(std::as_const(*this)[which]);
  }
  template <class Member>
  Wrapper<Member>&& operator[](Member Type::*which) && {
    return static_cast<Wrapper<Member>&&>((*this)[which]);
  }

  /// A member by its number, for structured bindings.
  template <std::size_t Index>
  const Wrapper<part_type<Index>>& get() const& {
    return list_.template at<Index>();
  }
  template <std::size_t Index>
  Wrapper<part_type<Index>>& get() & {
    return const_cast<Wrapper<part_type<Index>>&>(list_.template at<Index>());
  }
  template <std::size_t Index>
  Wrapper<part_type<Index>>&& get() && {
    return static_cast<Wrapper<part_type<Index>>&&>(get<Index>());
  }

 private:
  friend struct access;
  /// Visits the scalars in it.
  template <class Visit>
  void leaves(const Visit& visit) const {
    list_.leaves(visit);
  }
  template <class Member, std::size_t... Indices>
  const Wrapper<Member>* find(Member Type::*which, std::index_sequence<Indices...>) const {
    alignas(Type) unsigned char storage[sizeof(Type)];
    // never read: only for the offsets of its members
    auto& object = *reinterpret_cast<Type*>(storage);
    const void* const wanted = &(object.*which);
    const Wrapper<Member>* found = nullptr;
    visit_members(object, [&](auto&... members) {
      const void* const addresses[] = {&members...};
      ((addresses[Indices] == wanted ? keep(found, list_.template at<Indices>()) : void()), ...);
    });
    return found;
  }
  template <class Wanted>
  static void keep(const Wanted*& found, const Wanted& x) {
    found = &x;
  }
  template <class Wanted, class Other>
  static void keep(const Wanted*&, const Other&) {}

  typename list_of_parts<Wrapper, types>::type list_;
};

/// The types from which a value, var or element of a Type can be made or assigned.
template <class From, class Type>
concept gives = becomes<held_t<From>, Type>;
template <class Parts, class... From>
inline constexpr bool gives_each = false;
template <class... Parts, class... From>
  requires(sizeof...(Parts) == sizeof...(From))
inline constexpr bool gives_each<std::tuple<Parts...>, From...> =
    (becomes<held_t<From>, Parts> && ...);
template <class Type, class... From>
constexpr bool gives_all_parts() {
  if constexpr (sizeof...(From) < 2) return false;
  else if constexpr (array_type<Type>)
    return sizeof...(From) == composite<Type>::count &&
           (becomes<held_t<From>, typename composite<Type>::element> && ...);
  else return gives_each<typename composite<Type>::types, From...>;
}
template <class Type, class... From>
concept gives_parts = gives_all_parts<Type, From...>();

}  // namespace detail
}  // namespace krait
