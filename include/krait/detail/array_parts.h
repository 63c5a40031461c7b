// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a traced array: its elements by index, plain or traced.
#pragma once

#include <new>

#include <krait/detail/parts.h>

namespace krait {
namespace detail {

template <class Type>
value<Type> read_argument(const place& at);

/// An element that a traced index selects in an array that is a local or a member of an element.
/// Its value is read at the index; it can be assigned to as long as it has no name. Place()(visit)
/// calls visit on each candidate, in a branch where it is selected.
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
    static_assert(
        always_false<From>,
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
    requires(!plain<Elem>)
  auto operator[](const Which& which) const& {
    return current()[which];
  }
  template <class Which>
    requires(!plain<Elem>)
  auto operator[](const Which& which) && {
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
    for (std::size_t i = 0; i < Count; ++i)
      ::new (static_cast<void*>(elements_ + i)) Wrapper<Elem>(from);
  }
  array_parts(const array_parts& other) : memory_(other.memory_) {
    for (std::size_t i = 0; i < Count; ++i)
      ::new (static_cast<void*>(elements_ + i)) Wrapper<Elem>(other.elements_[i]);
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
  Wrapper<Elem>&& operator[](plain_index i) && {
    return static_cast<Wrapper<Elem>&&>(elements_[i.below(Count)]);
  }
  template <traced Index>
  auto operator[](const Index& i) const {
    static_assert(std::is_integral_v<typename Index::traced_type>,
                  "krait: an index must be an integer: convert it with kr::cast<int>(v)");
    const value<std::int64_t> index(convert(scalar::i64, node_of(i)));
    constexpr bool immutable = std::is_same_v<Wrapper<Elem>, value<Elem>>;
    if constexpr (immutable) {
      if (memory_.rank) {
        place at = memory_;
        const node distance =
            apply(op::Mul, scalar::i64, node_of(index), literal(scalar::i64, sizeof(Elem)));
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
      const auto each = [elements = const_cast<Wrapper<Elem>*>(elements_),
                         index](const auto& visit) {
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
class parts<Wrapper, Type>
    : public array_parts<Wrapper, typename composite<Type>::element, composite<Type>::count> {
 public:
  using array_parts<Wrapper, typename composite<Type>::element,
                    composite<Type>::count>::array_parts;
};

}  // namespace detail
}  // namespace krait
