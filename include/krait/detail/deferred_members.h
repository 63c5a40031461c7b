// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of expressions and selections: those of the array that they become.
#pragma once

#include <krait/array.h>
#include <krait/detail/arguments.h>

namespace krait::detail {

/// The end of a loop over rows.
struct after_rows {};
/// A loop over the rows or elements of an array that it owns.
template <class Array>
class owning_row_iterator {
 public:
  explicit owning_row_iterator(Array&& of) : of_(std::move(of)) {}
  auto operator*() const { return std::as_const(of_)(at_); }
  owning_row_iterator& operator++() {
    ++at_;
    return *this;
  }
  friend bool operator==(const owning_row_iterator& x, after_rows) {
    return x.at_ == x.of_.extent(0);
  }

 private:
  Array of_;
  std::int64_t at_ = 0;
};

/// `Self` has extents(), and becomes an array by eval.
template <class Self>
class deferred_members {
 public:
  /// The extents of all dimensions, by NumPy's name; extents() is the same.
  auto shape() const { return self().extents(); }
  /// The number of elements along dimension d.
  std::int64_t extent(int d) const { return self().extents()[d]; }
  /// The number of elements in all dimensions together.
  std::int64_t size() const { return self().extents().size(); }

  // ---- of the array that it becomes, which is computed by each call. Its elements cannot be
  // written: what is written to them would be lost.

  /// The elements with other extents.
  template <host_integer... Extents>
  auto reshape(Extents... extents) const {
    return made().reshape(extents...);
  }
  template <int To>
  auto reshape(const krait::shape<To>& extents) const {
    return made().reshape(extents);
  }
  template <std::size_t To>
  auto reshape(const any_extent (&extents)[To]) const {
    return made().reshape(to_shape<int(To)>(extents));
  }
  /// The elements with the dimensions in reverse order.
  auto transpose() const { return made().transpose(); }
  /// The elements with the dimensions in another order.
  template <host_integer... Axes>
  auto permute(Axes... axes) const {
    return made().permute(axes...);
  }
  /// The elements in reverse order along these dimensions, or along all.
  template <host_integer... Axes>
  auto flip(Axes... axes) const {
    return made().flip(axes...);
  }
  /// The elements without these dimensions, which must have extent 1.
  template <host_integer... Axes>
  auto squeeze(Axes... axes) const {
    return made().squeeze(axes...);
  }
  /// A diagonal of two dimensions; see kr::array.
  auto diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const {
    return made().diagonal(offset, axis1, axis2);
  }
  /// The elements repeated to these extents.
  template <host_integer... Extents>
  auto broadcast_to(Extents... extents) const {
    return made().broadcast_to(extents...);
  }
  /// Elements and parts, as of an array: `(x + y)(0)`.
  template <class... Items>
  auto operator()(const Items&... items) const {
    return made()(items...);
  }
  /// The rows or elements, which a loop computes once: `for (float v : 2.0f * x)`.
  auto begin() const { return owning_row_iterator(eval(self())); }
  /// The end of that.
  after_rows end() const { return {}; }
  /// The elements in a new array, on the same device or another one.
  auto copy() const { return eval(self()); }
  auto copy(const device& on) const { return made().copy(on); }
  /// Copies the elements into a container of the host; see kr::array.
  template <class Container>
  void copy_to(Container& to) const {
    made().copy_to(to);
  }
  /// All elements on the host, in C order; see kr::host_array.
  auto to_host() const { return made().to_host(); }
  /// The same in a container of the host.
  template <owning_container Container>
  operator Container() const {
    return to_host();
  }
  /// Never usable: write kr::all(x) or kr::any(x).
  template <class Never = Self>
  explicit operator bool() const {
    static_assert(
        always_false<Never>,
        "krait: the truth value of an array is ambiguous: write kr::all(x) or kr::any(x)");
    return false;
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  auto made() const { return eval(self()).share(); }
};

}  // namespace krait::detail
