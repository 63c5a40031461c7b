// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of a plain struct, found without a macro: how many there are, by trying initialisers,
// and references to them, by structured bindings. The method of counting is that of Boost.PFR and
// reflect-cpp.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <krait/types.h>

namespace krait::detail {

/// An initialiser of anything.
struct anything {
  template <class Type>
  constexpr operator Type() const noexcept;
};
template <std::size_t>
using anything_at = anything;

template <class Type, std::size_t... A>
consteval bool takes(std::index_sequence<A...>) {
  return requires { Type{anything_at<A>{}...}; };
}
/// A initialisers, then a nested list of B, then C.
template <class Type, std::size_t... A, std::size_t... B, std::size_t... C>
consteval bool takes_nested(std::index_sequence<A...>, std::index_sequence<B...>,
                            std::index_sequence<C...>) {
  return requires { Type{anything_at<A>{}..., {anything_at<B>{}...}, anything_at<C>{}...}; };
}

/// The most initialisers, arrays flattened; Low are taken, High are not.
template <class Type, std::size_t Low, std::size_t High>
consteval std::size_t initialisers() {
  constexpr std::size_t middle = (Low + High) / 2;
  if constexpr (High - Low <= 1) return Low;
  else if constexpr (takes<Type>(std::make_index_sequence<middle>()))
    return initialisers<Type, middle, High>();
  else return initialisers<Type, Low, middle>();
}
template <class Type, std::size_t Before, std::size_t Low, std::size_t High>
consteval std::size_t nested_initialisers() {
  constexpr std::size_t middle = (Low + High) / 2;
  if constexpr (High - Low <= 1) return Low;
  else if constexpr (takes_nested<Type>(std::make_index_sequence<Before>(),
                                        std::make_index_sequence<middle>(),
                                        std::index_sequence<>()))
    return nested_initialisers<Type, Before, middle, High>();
  else return nested_initialisers<Type, Before, Low, middle>();
}
/// Initialisers that the member behind `Before` of `All` takes: several where it is an array, which
/// needs no braces of its own.
template <class Type, std::size_t Before, std::size_t All>
consteval std::size_t taken_by_member() {
  constexpr std::size_t nested = nested_initialisers<Type, Before, 1, All - Before + 1>();
  if constexpr (nested > 1) {
    constexpr std::make_index_sequence<Before> before;
    constexpr std::make_index_sequence<nested> list;
    constexpr bool array =
        !takes_nested<Type>(before, list, std::make_index_sequence<All - Before - nested + 1>());
    return array ? nested : 1;
  } else {
    return 1;
  }
}
template <class Type, std::size_t Before, std::size_t All>
consteval std::size_t count_members() {
  if constexpr (Before == All) return 0;
  else return 1 + count_members<Type, Before + taken_by_member<Type, Before, All>(), All>();
}
template <class Type>
inline constexpr std::size_t member_count =
    count_members<Type, 0, initialisers<Type, 0, sizeof(Type) + 1>()>();

inline constexpr std::size_t most_members = 24;

/// visit(members…) of a struct.
template <class Object, class Visit>
constexpr decltype(auto) visit_members(Object& object, Visit&& visit) {
  constexpr std::size_t count = member_count<std::remove_const_t<Object>>;
  // C++20 has no structured binding of a number of names that depends on the type.
  if constexpr (count == 1) {
    auto& [a] = object;
    return visit(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = object;
    return visit(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = object;
    return visit(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = object;
    return visit(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = object;
    return visit(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = object;
    return visit(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = object;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = object;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = object;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = object;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
  }
}

/// Refuses a type that is not a plain struct, in the user's words.
template <class Type>
consteval bool check_aggregate() {
  static_assert(!std::is_reference_v<Type>,
                "krait: a reference is not valid on another device: store the value itself");
  static_assert(
      !std::is_pointer_v<Type>,
      "krait: a pointer is not valid on another device: pass the data as a separate array");
  static_assert(
      !std::is_union_v<Type>,
      "krait: kernels cannot access the members of a union: use a struct and kr::bitcast");
  static_assert(
      std::is_class_v<Type> || std::is_union_v<Type> || std::is_pointer_v<Type> ||
          std::is_reference_v<Type>,
      "krait: kernels support the arithmetic types except long double, enumerations, kr::f16, "
      "kr::bf16, kr::f8e4m3, kr::f8e5m2, kr::vec and plain structs of these");
  if constexpr (std::is_class_v<Type>) {
    static_assert(std::is_trivially_copyable_v<Type>,
                  "krait: kernels copy structs as bytes: this one must be trivially copyable");
    static_assert(std::is_aggregate_v<Type>,
                  "krait: this class has constructors or private members: use a plain struct, or "
                  "std::complex with krait/complex.h");
    static_assert(
        std::is_copy_assignable_v<Type>,
        "krait: a struct in a kernel cannot have references or const members: store plain values");
    static_assert(!std::is_empty_v<Type>, "krait: a struct in a kernel needs at least one member");
  }
  return std::is_class_v<Type> && std::is_trivially_copyable_v<Type> && std::is_aggregate_v<Type> &&
         std::is_copy_assignable_v<Type> && !std::is_empty_v<Type>;
}

}  // namespace krait::detail
