// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composite types in kernels: plain structs, arrays in them, std::array, and what every composite type has in common (kr::vec is
// in krait/vec.h). A value of a struct is a struct of values, a var a struct of vars, an element of a view a struct of elements.
//
//   struct particle { kr::vec<float, 3> position; float mass; };
//   auto [position, mass] = particles[i];
//   particles[i][&particle::mass] = 2 * mass;
#pragma once

#include <new>

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

/// What a traced struct has: its members by structured bindings, and by name.
template <template <class> class Wrapper, class Type>
class parts {
  using types = typename composite<Type>::types;

 public:
  static constexpr std::size_t count = std::tuple_size_v<types>;
  template <std::size_t Index>
  using part_type = std::tuple_element_t<Index, types>;

  template <source Source>
  explicit parts(Source& from) : list_(from) {}
  template <class Visit>
  void leaves(const Visit& visit) const {
    list_.leaves(visit);
  }

  /// `p[&particle::mass]`.
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
  template <class Member, std::size_t... Indices>
  const Wrapper<Member>* find(Member Type::*which, std::index_sequence<Indices...>) const {
    alignas(Type) unsigned char storage[sizeof(Type)];
    auto& object = *reinterpret_cast<Type*>(storage);  // never read: only where its members lie
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

template <class Type>
value<Type> read_argument(const place& at);

/// What a traced index names in an array that is a local or a member of an element: its value, read where the index stands, that can
/// be assigned to as long as it has no name. Place()(visit) calls visit on each thing that may be meant, in a branch where it is.
template <class Elem, class Place>
class chosen : public value<Elem> {
 public:
  chosen(const value<Elem>& x, const Place& place) : value<Elem>(x), place_(place) {}
  chosen(const chosen&) = default;

  value<Elem> operator=(const chosen& from) && { return set(from); }
  template <class From>
  value<Elem> operator=(const From& from) && {
    return set(from);
  }
  template <class From>
  void operator=(const From&) & {
    static_assert(always_false<From>,
                  "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }
#define KRAIT_UPDATE(symbol)                          \
  template <class Right>                              \
  value<Elem> operator symbol##=(const Right& by)&& { \
    return set(current() symbol by);                  \
  }
  KRAIT_UPDATE(+)
  KRAIT_UPDATE(-)
  KRAIT_UPDATE(*)
  KRAIT_UPDATE(/)
  KRAIT_UPDATE(%)
  KRAIT_UPDATE(&)
  KRAIT_UPDATE(|)
  KRAIT_UPDATE(^)
  KRAIT_UPDATE(<<)
  KRAIT_UPDATE(>>)
#undef KRAIT_UPDATE

  /// A part: an index, or the name of a member.
  template <class Which>
  requires(!plain<Elem>) auto operator[](const Which& which) const& { return current()[which]; }
  template <class Which>
  requires(!plain<Elem>) auto operator[](const Which& which) && {
    const auto part = current()[which];
    const auto place = [whole = place_, which](const auto& visit) {
      whole([&](auto&& one) { visit(static_cast<decltype(one)>(one)[which]); });
    };
    return chosen<held_t<decltype(part)>, decltype(place)>(part, place);
  }

 private:
  const value<Elem>& current() const { return *this; }
  template <class From>
  value<Elem> set(const From& from) const {
    const value<Elem> x(from);
    place_([&](auto&& one) { static_cast<decltype(one)>(one) = x; });
    return x;
  }

  Place place_;
};

/// The parts of an array. An index is a plain integer, or traced.
template <template <class> class Wrapper, class Elem, std::size_t Count>
class array_parts {
 public:
  static constexpr std::size_t count = Count;
  template <std::size_t Index>
  using part_type = Elem;

  template <source Source>
  explicit array_parts(Source& from) {
    if constexpr (std::is_same_v<Source, node_source>)
      if (from.memory) memory_ = from.memory->next(from);
    for (std::size_t i = 0; i < Count; ++i) ::new (static_cast<void*>(elements_ + i)) Wrapper<Elem>(from);
  }
  array_parts(const array_parts& other) : memory_(other.memory_) {
    for (std::size_t i = 0; i < Count; ++i) ::new (static_cast<void*>(elements_ + i)) Wrapper<Elem>(other.elements_[i]);
  }
  void operator=(const array_parts&) = delete;
  ~array_parts() {}

  template <class Visit>
  void leaves(const Visit& visit) const {
    for (const Wrapper<Elem>& e : elements_) visit_leaves(e, visit);
  }
  static constexpr std::size_t size() { return Count; }

  const Wrapper<Elem>& operator[](plain_index i) const& { return elements_[i.below(Count)]; }
  Wrapper<Elem>& operator[](plain_index i) & { return elements_[i.below(Count)]; }
  Wrapper<Elem>&& operator[](plain_index i) && { return static_cast<Wrapper<Elem>&&>(elements_[i.below(Count)]); }
  template <traced Index>
  auto operator[](const Index& i) const {
    static_assert(std::is_integral_v<typename Index::traced_type>,
                  "krait: an index must be an integer: convert it with kr::cast<int>(v)");
    const value<std::int64_t> index(convert(scalar::i64, node_of(i)));
    constexpr bool immutable = std::is_same_v<Wrapper<Elem>, value<Elem>>;
    if constexpr (immutable) {
      if (memory_.rank) {
        place at = memory_;
        const node distance = apply(op::Mul, scalar::i64, node_of(index), literal(scalar::i64, sizeof(Elem)));
        at.indices[0] = apply(op::Add, scalar::i64, at.indices[0], distance);
        return read_argument<Elem>(at);
      }
    }
    const auto copy = local<Elem, static_cast<std::int64_t>(Count)>();
    for (std::size_t k = 0; k < Count; ++k) copy[k] = elements_[k];
    const value<Elem> x = copy[index];
    if constexpr (immutable) {
      return x;
    } else {
      const auto each = [elements = const_cast<Wrapper<Elem>*>(elements_), index](const auto& visit) {
        for (std::size_t k = 0; k < Count; ++k) {
          const node here = apply(op::Eq, scalar::i64, node_of(index), literal(scalar::i64, k));
          record_if(
              here, [&] { visit(static_cast<Wrapper<Elem>&&>(elements[k])); }, location{});
        }
      };
      return chosen<Elem, decltype(each)>(x, each);
    }
  }

  template <std::size_t Index>
  const Wrapper<Elem>& get() const& {
    return elements_[Index];
  }
  template <std::size_t Index>
  Wrapper<Elem>& get() & {
    return elements_[Index];
  }
  template <std::size_t Index>
  Wrapper<Elem>&& get() && {
    return static_cast<Wrapper<Elem>&&>(elements_[Index]);
  }

 private:
  place memory_;  // where the elements were loaded from, if that never changes; rank 0: nowhere
  union {
    Wrapper<Elem> elements_[Count];
  };
};
template <template <class> class Wrapper, array_type Type>
class parts<Wrapper, Type> : public array_parts<Wrapper, typename composite<Type>::element, composite<Type>::count> {
 public:
  using array_parts<Wrapper, typename composite<Type>::element, composite<Type>::count>::array_parts;
};

/// What a value, var or element of a Type can be made from or assigned.
template <class From, class Type>
concept gives = becomes<held_t<From>, Type>;
template <class Parts, class... From>
inline constexpr bool gives_each = false;
template <class... Parts, class... From>
requires(sizeof...(Parts) ==
         sizeof...(From)) inline constexpr bool gives_each<std::tuple<Parts...>, From...> = (becomes<held_t<From>, Parts> && ...);
template <class Type, class... From>
constexpr bool gives_all_parts() {
  if constexpr (sizeof...(From) < 2) return false;
  else if constexpr (array_type<Type>)
    return sizeof...(From) == composite<Type>::count && (becomes<held_t<From>, typename composite<Type>::element> && ...);
  else return gives_each<typename composite<Type>::types, From...>;
}
template <class Type, class... From>
concept gives_parts = gives_all_parts<Type, From...>();

}  // namespace detail

/// An immutable traced value of a composite type. Made of a plain or traced value of that type, or of one value a member:
/// `kr::value<particle>(position, mass)`.
template <class Type>
class value : public detail::parts<value, Type> {
 public:
  using composite_type = Type;

  explicit value(detail::node_source& from) : detail::parts<value, Type>(from) {}
  explicit value(detail::node_list<Type>&& from) : value(from.source) {}
  /// Never usable: what is immutable needs its value at once.
  template <class Never = Type>
  value() : value(detail::node_list<Type>()) {
    static_assert(detail::always_false<Never>,
                  "krait: a kr::value is immutable and must be initialised: give it a value, or declare a kr::var");
  }
  value(const value&) = default;
  template <detail::gives<Type> From>
  explicit(!detail::becomes_implicitly<detail::held_t<From>, Type>) value(const From& from)
      : value(detail::node_list<Type>(from)) {}
  template <class... From>
  requires detail::gives_parts<Type, From...> value(From... members) : value(detail::node_list<Type>(members...)) {}

  void operator=(const value&) {
    static_assert(detail::always_false<Type>, "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it");
  }
  template <class Other>
  void operator=(const Other&) {
    static_assert(detail::always_false<Other>,
                  "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it");
  }
};
template <detail::traced_composite Other>
value(const Other&) -> value<typename Other::composite_type>;
template <class Struct>
requires detail::is_struct<Struct> value(Struct)
->value<Struct>;

/// A mutable local of a composite type: its members are kr::var. A copy is a new local with the current value.
template <class Type>
class var : public detail::parts<var, Type> {
 public:
  using composite_type = Type;

  explicit var(detail::location where = detail::location::here()) : var(first(), where) {}
  explicit var(detail::node_source& from) : detail::parts<var, Type>(from) {}
  var(const var&) = default;
  template <detail::gives<Type> From>
  var(const From& from, detail::location where = detail::location::here()) : var(detail::node_list<Type>(from), where) {}
  template <class... From>
  requires detail::gives_parts<Type, From...> var(From... members)
      : var(detail::node_list<Type>(members...), detail::location{}) {}

  var& operator=(const var& from) { return set(detail::node_list<Type>(from)); }
  template <detail::gives<Type> From>
  var& operator=(const From& from) {
    return set(detail::node_list<Type>(from));
  }

 private:
  var(detail::node_list<Type>&& from, detail::location where) : var((detail::set_location(where), from.source)) {}
  static detail::node_list<Type> first() {
    if constexpr (std::is_class_v<Type>) return detail::node_list<Type>(Type{});
    else return detail::node_list<Type>();
  }
  var& set(const detail::node_list<Type>& from) {
    const detail::node* next = from.at;
    this->leaves([&](const auto& leaf) { detail::assign(node_of(leaf), *next++); });
    return *this;
  }
};
template <detail::traced_composite Other>
var(const Other&) -> var<typename Other::composite_type>;
template <class Struct>
requires detail::is_struct<Struct> var(Struct)
->var<Struct>;

/// An element of a composite type: its members are elements, so that `x[i][&particle::mass] = m` stores one of them.
template <class Type>
class ref : public detail::parts<ref, Type> {
 public:
  using composite_type = Type;

  explicit ref(detail::place_source& from) : detail::parts<ref, Type>(from) {}
  ref(const ref&) = default;

  value<Type> operator=(const ref& from) && { return store(from); }
  template <detail::gives<Type> From>
  value<Type> operator=(const From& from) && {
    return store(from);
  }
  void operator=(const ref&) & {
    static_assert(detail::always_false<Type>,
                  "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }
  template <class From>
  void operator=(const From&) & {
    static_assert(detail::always_false<From>,
                  "krait: `auto t = x[i]` is a copy of the element: assign to x[i] itself, or declare t kr::var");
  }

 private:
  template <class From>
  value<Type> store(const From& from) const {
    detail::node_list<Type> stored(from);
    detail::node* next = stored.at;
    this->leaves([&](const auto& leaf) { detail::store(place_of(leaf), *next++); });
    return value<Type>(stored.source);
  }
};

namespace detail {

/// A value of the argument block, whose arrays are read there where a traced index names an element.
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
requires(!plain<Type>) struct element<Type> {
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

/// Exchanges two locals, or two elements.
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
requires(!krait::detail::plain<Type>) struct std::tuple_size<krait::value<Type>>
    : std::integral_constant<std::size_t, krait::value<Type>::count> {
};
template <class Type>
requires(!krait::detail::plain<Type>) struct std::tuple_size<krait::var<Type>>
    : std::integral_constant<std::size_t, krait::var<Type>::count> {
};
template <class Type>
requires(!krait::detail::plain<Type>) struct std::tuple_size<krait::ref<Type>>
    : std::integral_constant<std::size_t, krait::ref<Type>::count> {
};
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
