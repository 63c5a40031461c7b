// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of an array on the host, and arrays made from containers of the host.
#pragma once

#include <krait/array.h>

namespace krait {
namespace detail {

/// An element of an array of complex numbers.
template <class Type>
concept unread_complex = unread_number<Type> && complex_number<number_t<Type>>;
/// Operands of an operator on the host: one is a complex element, the other a number.
template <class Left, class Right>
concept complex_beside =
    (unread_complex<Left> && (complex_number<number_t<Right>> || host_number<Right>)) ||
    (unread_complex<Right> && (complex_number<number_t<Left>> || host_number<Left>));
/// The number; a real one as the parts of `Other` are.
template <class Other, class Type>
auto number_beside(const Type& x) {
  if constexpr (complex_number<number_t<Type>>) return as_number(x);
  else return static_cast<typename number_t<Other>::value_type>(as_number(x));
}

}  // namespace detail

/// One element of an array, as `a(1, 2)` gives it on the host.
/// Reading waits for the work on the array and copies one element; assigning writes it. For many
/// elements use to_host() or copy_to().
/// \code
/// float first = x(0);
/// x(0) = 2.0f * first;
/// \endcode
template <class Elem>
class array_element {
 public:
  /// The element type without const.
  using value_type = std::remove_const_t<Elem>;

  /// The same, for all that takes a number of the host.
  using number_type = value_type;

  explicit array_element(array<Elem, 1>&& only) : only_(std::move(only)) {}
  /// Names the same element.
  array_element(const array_element& other)
      : only_(detail::view_at(detail::layout_of(other.only_), other.only_)) {}
  array_element(array_element&&) = default;
  operator value_type() const {  // NOLINT: implicit on purpose
    value_type x[1];
    only_.copy_to(x);
    return x[0];
  }
  /// The real part of a complex number, which is read.
  auto real() const
    requires detail::complex_number<value_type>
  {
    return detail::as_number(*this).real();
  }
  /// The imaginary part of a complex number, which is read.
  auto imag() const
    requires detail::complex_number<value_type>
  {
    return detail::as_number(*this).imag();
  }
  value_type operator=(const value_type& x) && {
    if constexpr (detail::writable<Elem>()) only_.fill(x);
    return x;
  }
  value_type operator=(const array_element& other) && {
    return std::move(*this) = static_cast<value_type>(other);
  }
// Undefined below. `a(i) += x`, where x is a number or an element: on the device, as for arrays.
#define KRAIT_ELEMENT_ASSIGNMENT(symbol)                         \
  template <class Other>                                         \
  void operator symbol##=(const Other& x)&& {                    \
    if constexpr (detail::writable<Elem>())                      \
      assign_elements(detail::all_tag(), only_, only_ symbol x); \
  }                                                              \
  template <class Other>                                         \
  void operator symbol##=(const Other&)& {                       \
    refuse_name<Other>();                                        \
  }
  KRAIT_ELEMENT_ASSIGNMENT(+)
  KRAIT_ELEMENT_ASSIGNMENT(-)
  KRAIT_ELEMENT_ASSIGNMENT(*)
  KRAIT_ELEMENT_ASSIGNMENT(/)
  KRAIT_ELEMENT_ASSIGNMENT(%)
  KRAIT_ELEMENT_ASSIGNMENT(&)
  KRAIT_ELEMENT_ASSIGNMENT(|)
  KRAIT_ELEMENT_ASSIGNMENT(^)
#undef KRAIT_ELEMENT_ASSIGNMENT
  /// Never usable: the element has a name, which looks like a variable of its own.
  template <class Other>
  void operator=(const Other&) & {
    refuse_name<Other>();
  }
  /// The element as a read-only array with one element.
  array<const Elem, 1> share() const { return only_.share(); }

 private:
  template <class Other>
  static void refuse_name() {
    static_assert(
        detail::always_false<Other>,
        "krait: `auto v = x(i)` names the element of the array: write x(i) = y to change it, or "
        "declare `float v = x(i)` for a variable");
  }
  array<Elem, 1> only_;
};

// Undefined below. Operators of complex elements: those of std::complex are templates, which
// convert no operand.
#define KRAIT_COMPLEX_ELEMENTS(symbol)                                            \
  template <class Left, class Right>                                              \
    requires detail::complex_beside<Left, Right>                                  \
  auto operator symbol(const Left& x, const Right& y) {                           \
    return detail::number_beside<Right>(x) symbol detail::number_beside<Left>(y); \
  }
KRAIT_COMPLEX_ELEMENTS(+)
KRAIT_COMPLEX_ELEMENTS(-)
KRAIT_COMPLEX_ELEMENTS(*)
KRAIT_COMPLEX_ELEMENTS(/)
#undef KRAIT_COMPLEX_ELEMENTS
template <class Left, class Right>
  requires detail::complex_beside<Left, Right>
bool operator==(const Left& x, const Right& y) {
  return detail::number_beside<Right>(x) == detail::number_beside<Left>(y);
}
template <detail::unread_complex Type>
auto operator-(const Type& z) {
  return -detail::as_number(z);
}
/// Writes a complex element to a stream, as its number is.
template <class Stream, detail::unread_complex Type>
  requires requires(Stream& to, const char* text, long size) { to.write(text, size).width(); }
Stream& operator<<(Stream& to, const Type& z) {
  to << detail::as_number(z);
  return to;
}

/// Copies a container to a new one-dimensional array on a device.
/// \code
/// std::vector<float> h{1, 2, 3};
/// kr::array<float> d = kr::to_device(h);
/// \endcode
template <detail::contiguous_container Container>
auto to_device(const Container& from, device on = device()) {
  array<std::remove_cvref_t<decltype(*from.data())>, 1> out(shape<1>(from.size()), on);
  out.copy_from(from);
  return out;
}
/// Of the elements of an array on the host: an array of that shape.
template <class Elem, int Rank>
array<Elem, Rank> to_device(const host_array<Elem, Rank>& from, device on = device()) {
  array<Elem, Rank> out(from.extents(), on);
  out.copy_from(from);
  return out;
}
/// `kr::array d = h;` of a container.
template <detail::contiguous_container Container>
array(const Container&, device = device())
    -> array<std::remove_cvref_t<decltype(*std::declval<const Container&>().data())>, 1>;
template <class Elem, int Rank>
array(const host_array<Elem, Rank>&, device = device()) -> array<Elem, Rank>;
template <class Elem, std::size_t Count>
array<Elem, 1> to_device(const Elem (&from)[Count], device on = device()) {
  array<Elem, 1> out({Count}, on);
  out.copy_from(from);
  return out;
}
/// Of numbers of several types, which become double: `kr::to_device({1, 2.5, NAN})`.
template <std::size_t Count>
array<double, 1> to_device(const double (&from)[Count], device on = device()) {
  array<double, 1> out({Count}, on);
  out.copy_from(from);
  return out;
}

}  // namespace krait
