// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of traced values: overloads for (traced, traced), (traced, plain) and (plain,
// traced), and for a plain double, whose place is kept. They are noinline and cold: they run once,
// while recording, and inlining them would double the compile time of a kernel at -O2. As calls
// they also have an address to return to, by which debug information tells the user's line.
#pragma once

#include <krait/value.h>

namespace krait {

template <class Type>
class ref;

namespace detail {

template <class Left, class Right>
using common_of = arith_t<storage_type_t<Left>, storage_type_t<Right>>;

/// The type in which an operator computes.
template <class Left, class Right>
struct arithmetic_rule {
  using type = common_of<Left, Right>;
  using result = type;
};
template <class Left, class Right>
struct integer_rule : arithmetic_rule<Left, Right> {
  static_assert(std::is_integral_v<common_of<Left, Right>>,
                "krait: this operator needs integers: convert with kr::cast<int>(v)");
};
template <class Left, class Right>
struct xor_rule : arithmetic_rule<Left, Right> {
  static_assert(std::is_integral_v<common_of<Left, Right>>,
                "krait: ^ needs integers, and is not a power: that is kr::pow(x, y)");
};
template <class Left, class Right>
struct shift_rule : integer_rule<Left, Right> {
  using type = promote_t<storage_type_t<Left>>;
  using result = type;
};
template <class Left, class Right>
struct compare_rule : arithmetic_rule<Left, Right> {
  using result = bool;
};
template <class Left, class Right>  // two of one enumeration
  requires(std::is_enum_v<storage_type_t<Left>> &&
           std::is_same_v<storage_type_t<Left>, storage_type_t<Right>>)
struct compare_rule<Left, Right> {
  using type = storage_type_t<Left>;
  using result = bool;
};

/// A plain double beside a traced value, with its place: often a literal that should have been a
/// float.
class located_double {
 public:
  template <class Double>
    requires std::is_same_v<Double, double>
  located_double(Double x, location where = location::here())
      : value_(x), where_(where) {}  // NOLINT: implicit on purpose
  friend node node_of(const located_double& x) {
    set_location(x.where_);
    return node_of(x.value_);
  }

 private:
  double value_;
  location where_;
};
/// A plain operand beside a traced one of this type, as it is. Also a double beside an integer: the
/// conversion that refuses an index of std::vector would make the other way ambiguous.
template <class Type, class Traced>
concept plain_beside =
    plain<Type> && (!std::is_same_v<Type, double> || std::is_integral_v<storage_type_t<Traced>>);

/// The operation in the rule's type.
template <class Types>
value<typename Types::result> compute(op what, node x, node y) {
  return value<typename Types::result>(apply(what, scalar_of<typename Types::type>, x, y));
}
/// A plain operand as the type of the operation.
template <class Type, class Number>
node plain_node(Number x) {
  return node_of(convert_plain<Type>(x));
}

/// The left operand of && and ||: made after the left operand is recorded and before the right one
/// is, so that what follows the mark is the right operand. Only one side may be a wrapper.
class logical_left {
 public:
  template <traced Left>
  [[gnu::noinline, gnu::cold]] logical_left(const Left& left)
      : mark_((set_caller(), mark_here(node_of(left)))) {}  // NOLINT: implicit on purpose
  const mark& at() const noexcept { return mark_; }

 private:
  mark mark_;
};

}  // namespace detail

// Undefined below: the overloads of one operator differ only in its symbol, its operation and the
// rule of its types.
#define KRAIT_BINARY(symbol, name, rule)                                                           \
  template <detail::traced Left, detail::traced Right>                                             \
  [[gnu::noinline, gnu::cold]] auto operator symbol(const Left& x, const Right& y) {               \
    detail::set_caller();                                                                          \
    return detail::compute<detail::rule<Left, Right>>(detail::op::name, node_of(x), node_of(y));   \
  }                                                                                                \
  template <detail::traced Left, detail::plain_beside<Left> Right>                                 \
  [[gnu::noinline, gnu::cold]] auto operator symbol(const Left& x, Right y) {                      \
    detail::set_caller();                                                                          \
    using types = detail::rule<Left, Right>;                                                       \
    return detail::compute<types>(detail::op::name, node_of(x),                                    \
                                  detail::plain_node<typename types::type>(y));                    \
  }                                                                                                \
  template <class Left, detail::traced Right>                                                      \
    requires detail::plain_beside<Left, Right>                                                     \
  [[gnu::noinline, gnu::cold]] auto operator symbol(Left x, const Right& y) {                      \
    detail::set_caller();                                                                          \
    using types = detail::rule<Left, Right>;                                                       \
    return detail::compute<types>(detail::op::name, detail::plain_node<typename types::type>(x),   \
                                  node_of(y));                                                     \
  }                                                                                                \
  template <detail::traced Left>                                                                   \
  [[gnu::noinline, gnu::cold]] auto operator symbol(const Left& x, detail::located_double y) {     \
    detail::set_caller();                                                                          \
    return detail::compute<detail::rule<Left, double>>(detail::op::name, node_of(x), node_of(y));  \
  }                                                                                                \
  template <detail::traced Right>                                                                  \
  [[gnu::noinline, gnu::cold]] auto operator symbol(detail::located_double x, const Right& y) {    \
    detail::set_caller();                                                                          \
    return detail::compute<detail::rule<double, Right>>(detail::op::name, node_of(x), node_of(y)); \
  }
KRAIT_BINARY(+, Add, arithmetic_rule)
KRAIT_BINARY(-, Sub, arithmetic_rule)
KRAIT_BINARY(*, Mul, arithmetic_rule)
KRAIT_BINARY(/, Div, arithmetic_rule)
KRAIT_BINARY(%, Rem, integer_rule)
KRAIT_BINARY(&, And, integer_rule)
KRAIT_BINARY(|, Or, integer_rule)
KRAIT_BINARY(^, Xor, xor_rule)
KRAIT_BINARY(<<, Shl, shift_rule)
KRAIT_BINARY(>>, Shr, shift_rule)
KRAIT_BINARY(==, Eq, compare_rule)
KRAIT_BINARY(!=, Ne, compare_rule)
KRAIT_BINARY(<, Lt, compare_rule)
KRAIT_BINARY(<=, Le, compare_rule)
KRAIT_BINARY(>, Gt, compare_rule)
KRAIT_BINARY(>=, Ge, compare_rule)
#undef KRAIT_BINARY

// Undefined below. A value on the left is refused with the cure; a named element (`auto t = x[i]; t
// += 1`) is a value.
#define KRAIT_COMPOUND(symbol, name, rule)                                                          \
  template <detail::plain Type, detail::traced Right>                                               \
  [[gnu::noinline, gnu::cold]] var<Type>& operator symbol(var<Type>& x, const Right& y) {           \
    detail::set_caller();                                                                           \
    using type = typename detail::rule<Type, Right>::type;                                          \
    detail::update(detail::op::name, detail::scalar_of<type>, node_of(x), node_of(y));              \
    return x;                                                                                       \
  }                                                                                                 \
  template <detail::plain Type, detail::plain Right>                                                \
  [[gnu::noinline, gnu::cold]] var<Type>& operator symbol(var<Type>& x, Right y) {                  \
    detail::set_caller();                                                                           \
    using type = typename detail::rule<Type, Right>::type;                                          \
    detail::update(detail::op::name, detail::scalar_of<type>, node_of(x),                           \
                   detail::plain_node<type>(y));                                                    \
    return x;                                                                                       \
  }                                                                                                 \
  template <detail::plain Type, detail::traced Right>                                               \
  [[gnu::noinline, gnu::cold]] value<Type> operator symbol(ref<Type>&& x, const Right& y) {         \
    detail::set_caller();                                                                           \
    const auto result =                                                                             \
        detail::compute<detail::rule<Type, Right>>(detail::op::name, node_of(x), node_of(y));       \
    return value<Type>(detail::store(place_of(x), node_of(result)));                                \
  }                                                                                                 \
  template <detail::plain Type, detail::plain Right>                                                \
  [[gnu::noinline, gnu::cold]] value<Type> operator symbol(ref<Type>&& x, Right y) {                \
    detail::set_caller();                                                                           \
    using types = detail::rule<Type, Right>;                                                        \
    const detail::node other = detail::plain_node<typename types::type>(y);                         \
    const auto result = detail::compute<types>(detail::op::name, node_of(x), other);                \
    return value<Type>(detail::store(place_of(x), node_of(result)));                                \
  }                                                                                                 \
  template <detail::plain Type, detail::operand_type Right>                                         \
  void operator symbol(const var<Type>&, const Right&) {                                            \
    static_assert(                                                                                  \
        detail::always_false<Right>,                                                                \
        "krait: this kr::var is const: a lambda that captures it by copy, [=], has a local of its " \
        "own: capture by reference, [&]");                                                          \
  }                                                                                                 \
  template <detail::plain Type, class Right>                                                        \
  void operator symbol(const value<Type>&, const Right&) {                                          \
    static_assert(detail::always_false<Right>,                                                      \
                  "krait: a kr::value (and `auto`) is immutable: declare it kr::var to "            \
                  "change it, or write the element itself: x[i] " #symbol " v");                    \
  }                                                                                                 \
  template <detail::plain Left, detail::traced Right>                                               \
  void operator symbol(Left&, const Right&) {                                                       \
    static_assert(                                                                                  \
        detail::always_false<Right>,                                                                \
        "krait: a plain C++ variable cannot hold a per-thread value: declare it kr::var, as "       \
        "in kr::var sum = 0.0f; sum " #symbol " v");                                                \
  }
KRAIT_COMPOUND(+=, Add, arithmetic_rule)
KRAIT_COMPOUND(-=, Sub, arithmetic_rule)
KRAIT_COMPOUND(*=, Mul, arithmetic_rule)
KRAIT_COMPOUND(/=, Div, arithmetic_rule)
KRAIT_COMPOUND(%=, Rem, integer_rule)
KRAIT_COMPOUND(&=, And, integer_rule)
KRAIT_COMPOUND(|=, Or, integer_rule)
KRAIT_COMPOUND(^=, Xor, xor_rule)
KRAIT_COMPOUND(<<=, Shl, shift_rule)
KRAIT_COMPOUND(>>=, Shr, shift_rule)
#undef KRAIT_COMPOUND

#define KRAIT_STEP(symbol, ...)                                                           \
  template <detail::plain Type>                                                           \
  void operator symbol(const value<Type>& __VA_OPT__(, ) __VA_ARGS__) {                   \
    static_assert(                                                                        \
        detail::always_false<Type>,                                                       \
        "krait: a kr::value (and `auto`) is immutable: declare it kr::var for " #symbol); \
  }
KRAIT_STEP(++)
KRAIT_STEP(++, int)
KRAIT_STEP(--)
KRAIT_STEP(--, int)
#undef KRAIT_STEP

template <detail::traced Type>
[[gnu::noinline, gnu::cold]] auto operator+(const Type& x) {
  detail::set_caller();
  using result = detail::promote_t<typename Type::traced_type>;
  return value<result>(detail::convert(detail::scalar_of<result>, node_of(x)));
}
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] auto operator-(const Type& x) {
  detail::set_caller();
  using result = detail::promote_t<typename Type::traced_type>;
  return value<result>(detail::apply(detail::op::Neg, detail::scalar_of<result>, node_of(x)));
}
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] auto operator~(const Type& x) {
  detail::set_caller();
  using result = detail::promote_t<typename Type::traced_type>;
  static_assert(std::is_integral_v<result>,
                "krait: this operator needs integers: convert with kr::cast<int>(v)");
  return value<result>(detail::apply(detail::op::Not, detail::scalar_of<result>, node_of(x)));
}
template <detail::traced Type>
[[gnu::noinline, gnu::cold]] value<bool> operator!(const Type& x) {
  detail::set_caller();
  return value<bool>(detail::apply(detail::op::Not, detail::scalar::boolean, node_of(x)));
}

/// The right operand is computed only where the left one is true, as in C++. After a plain left
/// operand, which leaves no mark, a right one with side effects is refused where it would not be
/// computed.
template <detail::traced Right>
[[gnu::noinline, gnu::cold]] value<bool> operator&&(detail::logical_left x, const Right& y) {
  detail::set_caller();
  return value<bool>(detail::logical(detail::op::And, x.at(), node_of(y)));
}
template <detail::traced Left, detail::plain Right>
[[gnu::noinline, gnu::cold]] value<bool> operator&&(const Left& x, Right y) {
  detail::set_caller();
  return value<bool>(detail::apply(detail::op::And, detail::scalar::boolean, node_of(x),
                                   detail::plain_node<bool>(y)));
}
template <detail::plain Left, detail::traced Right>
[[gnu::noinline, gnu::cold]] value<bool> operator&&(Left x, const Right& y) {
  detail::set_caller();
  return value<bool>(detail::logical(detail::op::And, detail::convert_plain<bool>(x), node_of(y)));
}
/// The right operand is computed only where the left one is false.
template <detail::traced Right>
[[gnu::noinline, gnu::cold]] value<bool> operator||(detail::logical_left x, const Right& y) {
  detail::set_caller();
  return value<bool>(detail::logical(detail::op::Or, x.at(), node_of(y)));
}
template <detail::traced Left, detail::plain Right>
[[gnu::noinline, gnu::cold]] value<bool> operator||(const Left& x, Right y) {
  detail::set_caller();
  return value<bool>(detail::apply(detail::op::Or, detail::scalar::boolean, node_of(x),
                                   detail::plain_node<bool>(y)));
}
template <detail::plain Left, detail::traced Right>
[[gnu::noinline, gnu::cold]] value<bool> operator||(Left x, const Right& y) {
  detail::set_caller();
  return value<bool>(detail::logical(detail::op::Or, detail::convert_plain<bool>(x), node_of(y)));
}

}  // namespace krait
