// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traced values. value<T> does not change, var<T> is a variable; operations on them are recorded.
// Types follow C++'s usual arithmetic conversions. Traced operands are taken by reference, because
// copying a var records a new variable. Plain operands are taken by value, so that a lambda can use
// a `const int n` without capturing it.
#pragma once

#include <krait/types.h>

namespace krait {
namespace detail {

/// The base of everything traced.
class handle {
 public:
  explicit constexpr handle(node n) noexcept : node_(n) {}
  friend constexpr node node_of(const handle& h) noexcept { return h.node_; }

 protected:
  node node_;
};

/// The base of traced values and variables of one number.
template <plain Type>
class numeric_handle : public handle {
 public:
  using handle::handle;

  /// Never usable: a traced value has no value yet while the kernel is being recorded.
  template <plain Plain>
  explicit operator Plain() const {
    if constexpr (std::is_same_v<Plain, bool>)
      static_assert(
          always_false<Plain>,
          "krait: a traced value is not known while recording: use kr::if_, kr::while_ or "
          "kr::select instead of if, while and ?:");
    else
      static_assert(
          always_false<Plain>,
          "krait: a traced value cannot become a plain C++ value: keep it in `auto` or kr::value, "
          "and convert with kr::cast<T>(v)");
    return Plain();
  }
  /// Never usable: std::vector and its like take such an index. Implicit, and a template so that it
  /// becomes a std::size_t alone: of another type it would make `flag ? v : n` ambiguous.
  template <class Never = Type>
    requires(std::is_integral_v<Type> && !std::is_same_v<Type, bool>)
  operator std::size_t() const {
    static_assert(
        always_false<Never>,
        "krait: a traced value is not known while recording, so C++ cannot take it as an index or "
        "a size: a table is kr::constant(table)[i], or a parameter kr::view<const T>");
    return 0;
  }
  /// Never usable: a view of several dimensions was indexed as x[i][j].
  template <class Index>
  auto operator[](const Index&) const {
    static_assert(
        always_false<Index>,
        "krait: x[i] is one number: views and arrays of several dimensions have x(i, j) for x[i][j]");
    return Index();
  }
};

template <class Type>
concept traced = requires { typename Type::traced_type; };
template <class Type>
inline constexpr bool is_traced_v = traced<Type>;
template <class Type>
concept operand_type = traced<Type> || plain<Type>;
/// The last parameters of functions on operands, which no call ever has: argument-dependent lookup
/// finds kr::mix beside the user's own `auto mix(auto a, auto b, auto t)`, and of two templates
/// that fit equally well the one without such a pack is chosen.
template <class>
concept never = false;

/// The C++ type of the number in a traced or plain value.
template <class Type>
struct storage_type {
  using type = Type;
};
template <traced Type>
struct storage_type<Type> {
  using type = typename Type::traced_type;
};
template <class Type>
using storage_type_t = typename storage_type<Type>::type;

template <plain Type>
[[gnu::noinline, gnu::cold]] node node_of(Type x) {
  return literal(scalar_of<Type>, bits_of(x));
}

/// Which way a condition mostly goes: kr::likely and kr::unlikely say so.
constexpr expected expected_of(const handle&) noexcept { return expected::nothing; }

/// A traced or plain operand of any type, for functions that are not templates.
class operand {
 public:
  template <plain Type>
  [[gnu::noinline, gnu::cold]] operand(Type x)
      : node_((set_caller(), node_of(x))) {}  // NOLINT: implicit on purpose
  template <traced Type>
  operand(const Type& x) : node_(node_of(x)), expected_(expected_of(x)) {}  // NOLINT
  friend node node_of(const operand& o) noexcept { return o.node_; }
  friend expected expected_of(const operand& o) noexcept { return o.expected_; }

 private:
  node node_;
  expected expected_ = expected::nothing;
};

/// The scalars that the traced counterpart of a type is made of, in the order of its members.
struct node_source {
  const node* next;
  // where they were loaded from, if that never changes
  const struct argument_source* memory = nullptr;
};

}  // namespace detail

/// A traced value that does not change: the result of an operation in a kernel.
/// This form holds one number. Values of kr::vec, structs and arrays have the same operations
/// (krait/aggregate.h). Parameters of kernels are declared with it.
/// \code
/// kr::value<float> t = 2.0f * x[i];
/// y[i] = t * t + 1.0f;
/// \endcode
template <class Type>
class value;

template <detail::plain Type>
class value<Type> : public detail::numeric_handle<Type> {
 public:
  /// The element type: `float` for a kr::value<float>.
  using traced_type = Type;

  explicit constexpr value(detail::node n) noexcept : value::numeric_handle(n) {}
  /// Not usable: a value needs an initial value. The compile error names the cure.
  template <class Never = Type>
  value() : value::numeric_handle(detail::node()) {
    static_assert(
        detail::always_false<Never>,
        "krait: a kr::value is immutable and must be initialised: give it a value, or declare a "
        "kr::var, as in kr::var<float> a[4] or std::array<kr::var<float>, 4>");
  }
  explicit value(detail::node_source& from) noexcept : value::numeric_handle(*from.next++) {}
  value(const value&) = default;
  /// Converts implicitly where C++ widens; otherwise write kr::value<T>(x) or kr::cast<T>(x).
  template <detail::plain Number>
  [[gnu::noinline, gnu::cold]] explicit(!detail::widens<Number, Type>) value(Number x)
      : value::numeric_handle(
            (detail::set_caller(), detail::node_of(detail::convert_plain<Type>(x)))) {}
  template <detail::traced Other>
  [[gnu::noinline, gnu::cold]] explicit(!detail::widens<typename Other::traced_type, Type>)
      value(const Other& x)
      : value::numeric_handle(
            (detail::set_caller(), detail::convert(detail::scalar_of<Type>, node_of(x)))) {}

  value& operator=(const value& other) {
    static_assert(
        detail::always_false<Type>,
        "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it; elements of a "
        "kr::view<const T> are read-only");
    return const_cast<value&>(other);
  }
  template <detail::operand_type Other>
  void operator=(const Other&) {
    static_assert(
        detail::always_false<Other>,
        "krait: a kr::value (and `auto`) is immutable: declare it kr::var to assign to it; elements of a "
        "kr::view<const T> are read-only");
  }
};
template <detail::plain Number>
value(Number) -> value<Number>;
template <detail::traced Other>
value(const Other&) -> value<typename Other::traced_type>;

/// A local variable of a thread, which can be assigned to.
/// A copy is a new variable with the current value. Initialisation and assignment convert as C++
/// does. Without an initial value it is 0.
/// \code
/// kr::var sum = 0.0f;
/// sum += x[i];
/// \endcode
template <class Type>
class var;

template <detail::plain Type>
class var<Type> : public detail::numeric_handle<Type> {
 public:
  /// The element type: `float` for a kr::var<float>.
  using traced_type = Type;

  explicit var(detail::node_source& from)
      : var::numeric_handle(detail::make_slot(detail::scalar_of<Type>, *from.next++)) {}

  explicit var(detail::location where = detail::location::here()) : var(Type(), where) {}
  template <detail::plain Number>
  [[gnu::noinline, gnu::cold]] var(Number x, detail::location where = detail::location::here())
      : var::numeric_handle(detail::node()) {
    detail::set_location(where);
    this->node_ =
        detail::make_slot(detail::scalar_of<Type>, detail::node_of(detail::convert_plain<Type>(x)));
  }
  template <detail::traced Other>
  [[gnu::noinline, gnu::cold]] var(const Other& x,
                                   detail::location where = detail::location::here())
      : var::numeric_handle(detail::node()) {
    detail::set_location(where);
    this->node_ = detail::make_slot(detail::scalar_of<Type>, node_of(x));
  }
  [[gnu::noinline, gnu::cold]] var(const var& x)
      : var::numeric_handle(
            (detail::set_caller(), detail::make_slot(detail::scalar_of<Type>, node_of(x)))) {}

  [[gnu::noinline, gnu::cold]] var& operator=(const var& x) {
    detail::set_caller();
    return set(node_of(x));
  }
  template <detail::traced Other>
  [[gnu::noinline, gnu::cold]] var& operator=(const Other& x) {
    detail::set_caller();
    return set(node_of(x));
  }
  template <detail::plain Number>
  [[gnu::noinline, gnu::cold]] var& operator=(Number x) {
    detail::set_caller();
    return set(detail::node_of(detail::convert_plain<Type>(x)));
  }
  /// Never usable.
  template <detail::operand_type Other>
  void operator=(const Other&) const {
    static_assert(
        detail::always_false<Other>,
        "krait: this kr::var is const: a lambda that captures it by copy, [=], has a local of its "
        "own: capture by reference, [&]");
  }

  [[gnu::noinline, gnu::cold]] var& operator++() {
    detail::set_caller();
    return *this += 1;
  }
  [[gnu::noinline, gnu::cold]] var& operator--() {
    detail::set_caller();
    return *this -= 1;
  }
  [[gnu::noinline, gnu::cold]] value<Type> operator++(int) {
    detail::set_caller();
    const value<Type> old(*this);
    *this += 1;
    return old;
  }
  [[gnu::noinline, gnu::cold]] value<Type> operator--(int) {
    detail::set_caller();
    const value<Type> old(*this);
    *this -= 1;
    return old;
  }

 private:
  var& set(detail::node x) {
    detail::assign(this->node_, x);
    return *this;
  }
};
template <detail::plain Number>
var(Number) -> var<Number>;
template <detail::traced Other>
var(const Other&) -> var<typename Other::traced_type>;

/// Converts x to another type, as C++ does.
/// A float becomes an integer by truncation; it saturates at the type's limits, and NaN becomes 0.
/// For arrays and expressions it converts each element, like NumPy's astype.
/// \code
/// auto index = kr::cast<int>(x[i]);
/// \endcode
template <detail::plain To, detail::traced From>
[[gnu::noinline, gnu::cold]] value<To> cast(const From& x) {
  detail::set_caller();
  return value<To>(detail::convert(detail::scalar_of<To>, node_of(x)));
}
template <detail::plain To, detail::plain From>
constexpr To cast(From x) {
  return detail::convert_plain<To>(x);
}
/// Converts x to a float type like kr::cast, but saturates.
/// Numbers beyond the largest finite number, infinities included, become that number. NaN stays
/// NaN.
/// \code
/// auto small = kr::cast_sat<kr::f8e4m3>(x[i]);
/// \endcode
template <detail::plain To, detail::traced From>
[[gnu::noinline, gnu::cold]] value<To> cast_sat(const From& x) {
  detail::set_caller();
  return value<To>(detail::convert_saturating(detail::scalar_of<To>, node_of(x)));
}
template <detail::plain To, detail::plain From>
constexpr To cast_sat(From x) {
  return detail::convert_plain_saturating<To>(x);
}
/// The bits of x, read as a type of the same size; bool is not allowed.
/// \code
/// auto bits = kr::bitcast<std::uint32_t>(x[i]);
/// \endcode
template <detail::plain To, detail::traced From>
[[gnu::noinline, gnu::cold]] value<To> bitcast(const From& x) {
  detail::set_caller();
  using from = typename From::traced_type;
  static_assert(sizeof(To) == sizeof(from), "krait: bitcast needs two types of the same size");
  static_assert(!std::is_same_v<To, bool> && !std::is_same_v<from, bool>,
                "krait: bitcast does not support bool: use kr::cast");
  return value<To>(detail::bit_convert(detail::scalar_of<To>, node_of(x)));
}
template <detail::plain To, detail::plain From>
constexpr To bitcast(From x) {
  static_assert(sizeof(To) == sizeof(From), "krait: bitcast needs two types of the same size");
  return detail::from_bits<To>(detail::bits_of(x));
}

}  // namespace krait

#include <krait/detail/operators.h>
