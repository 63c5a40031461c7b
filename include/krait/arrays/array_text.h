// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays as text, in the format of NumPy.
#pragma once

#include <krait/array.h>
#include <krait/types.h>

namespace krait {
namespace detail {

/// How an element is printed: a number, or two of them.
struct printed_element {
  scalar type;
  bool complex;
};
template <class Elem>
constexpr printed_element printed() {
  if constexpr (plain<Elem>) {
    return {scalar_of<Elem>, false};
  } else {
    constexpr bool complex = requires(const Elem& x) {
      typename Elem::value_type;
      x.real(), x.imag();
    };
    static_assert(complex, "krait: arrays of numbers and of complex numbers can be printed");
    return {scalar_of<typename Elem::value_type>, true};
  }
}

}  // namespace detail

/// How one call prints an array; the defaults and their meaning are those of
/// numpy.set_printoptions. No option lasts longer than its call.
struct print_options {
  /// Digits after the point, at most.
  int precision = 8;
  /// An array of more elements is abbreviated with `...`.
  std::int64_t threshold = 1000;
  /// Elements that are shown at each end of an abbreviated dimension, 1 or more.
  int edge_items = 3;
  /// Columns of a line, 1 or more.
  int line_width = 75;
  /// Small numbers are shown as 0 rather than with exponents.
  bool suppress = false;
};

namespace detail {
KRAIT_API text print_elements(const elements& of, const printed_element& as,
                              const print_options& how);
}  // namespace detail

/// The elements as text, in the format of NumPy's str().
/// Floats have 8 digits after the point at most. Arrays of more than 1,000 elements are abbreviated
/// with `...`. Only the elements that are shown are read, and it waits for them. Throws
/// error{usage} for options out of their bounds.
/// \code
/// std::string s = kr::to_string(x);
/// std::cout << kr::to_string(x, {.precision = 3, .suppress = true}) << "\n";
/// \endcode
template <class Elem, int Rank>
text to_string(const array<Elem, Rank>& a, const print_options& how = {}) {
  const detail::layout at = detail::layout_of(a);
  return detail::print_elements({detail::memory_of(a), &at, sizeof(Elem)},
                                detail::printed<std::remove_const_t<Elem>>(), how);
}
/// The text of one element, as of a number in an array.
template <detail::unread_number Number>
text to_string(const Number& x, const print_options& how = {}) {
  const text whole = to_string(x.share(), how);  // "[1.5]"
  return text(whole.data() + 1, whole.size() - 2);
}
/// Writes an array to a stream as kr::to_string gives it: `std::cout << a`.
template <class Stream, class Elem, int Rank>
  requires requires(Stream& to, const char* text, long size) { to.write(text, size).width(); }
Stream& operator<<(Stream& to, const array<Elem, Rank>& a) {
  return to << to_string(a);
}
/// Writes a shape to a stream as a tuple of Python's: `std::cout << a.shape()` gives (480, 640).
template <class Stream, int Rank>
  requires requires(Stream& to, const char* text, long size) { to.write(text, size).width(); }
Stream& operator<<(Stream& to, const shape<Rank>& s) {
  for (int d = 0; d < Rank; ++d) to << (d == 0 ? "(" : ", ") << static_cast<long long>(s[d]);
  to << (Rank == 1 ? ",)" : ")");
  return to;
}

}  // namespace krait
