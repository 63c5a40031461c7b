// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of an array on the host, and arrays made from containers of the host.
#pragma once

#include <krait/array.h>

namespace krait {

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

  explicit array_element(array<Elem, 1>&& only) : only_(std::move(only)) {}
  operator value_type() const {  // NOLINT: implicit on purpose
    value_type x[1];
    only_.copy_to(x);
    return x[0];
  }
  value_type operator=(const value_type& x) &&
        requires(!std::is_const_v<Elem>)
  {
    only_.fill(x);
    return x;
  }
  value_type operator=(const array_element& other) &&
        requires(!std::is_const_v<Elem>)
  {
    return std::move(*this) = static_cast<value_type>(other);
  }
// Undefined below. `a(i) += x`, where x is a number or an element: on the device, as for arrays.
#define KRAIT_ELEMENT_ASSIGNMENT(symbol)      \
  template <class Other>                      \
      void operator symbol(const Other& x) && \
        requires(!std::is_const_v<Elem>)      \
  {                                           \
    only_ symbol x;                           \
  }
  KRAIT_ELEMENT_ASSIGNMENT(+=)
  KRAIT_ELEMENT_ASSIGNMENT(-=)
  KRAIT_ELEMENT_ASSIGNMENT(*=)
  KRAIT_ELEMENT_ASSIGNMENT(/=)
  KRAIT_ELEMENT_ASSIGNMENT(%=)
  KRAIT_ELEMENT_ASSIGNMENT(&=)
  KRAIT_ELEMENT_ASSIGNMENT(|=)
  KRAIT_ELEMENT_ASSIGNMENT(^=)
#undef KRAIT_ELEMENT_ASSIGNMENT
  /// The element as a read-only array with one element.
  array<const Elem, 1> share() const { return only_.share(); }

 private:
  array<Elem, 1> only_;
};

/// Copies a container to a new one-dimensional array on a device.
/// \code
/// std::vector<float> h{1, 2, 3};
/// kr::array<float> d = kr::to_device(h);
/// \endcode
template <class Container>
  requires requires(const Container& c) { c.data(), c.size(); }
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
template <class Elem, std::size_t Count>
array<Elem, 1> to_device(const Elem (&from)[Count], device on = device()) {
  array<Elem, 1> out({Count}, on);
  out.copy_from(from);
  return out;
}

}  // namespace krait
