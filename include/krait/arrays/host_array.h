// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, and the elements that the host reads from an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <krait/detail/call.h>
#include <krait/detail/layout.h>
#include <krait/types.h>

namespace krait {

/// The extents of an array: `kr::shape<2>(480, 640)`.
template <int Rank>
struct shape {
  /// The number of elements along each dimension.
  std::int64_t extents[Rank]{};

  constexpr shape() = default;
  template <detail::host_integer... Extents>
    requires(sizeof...(Extents) == Rank)
  constexpr shape(Extents... e) : extents{static_cast<std::int64_t>(e)...} {}
  constexpr std::int64_t operator[](int d) const { return extents[d]; }
  /// The number of elements: the product of the extents.
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t e : extents) n *= e;
    return n;
  }
  friend constexpr bool operator==(const shape&, const shape&) = default;
};

namespace detail {
/// An extent of any type of integers: braces narrow none of {v.size(), 3} to it, as they would to
/// 64 bits.
__extension__ using any_extent = __int128;
template <int Rank, class Extent>
shape<Rank> to_shape(const Extent (&extents)[Rank]) {
  shape<Rank> s;
  for (int d = 0; d < Rank; ++d) s.extents[d] = static_cast<std::int64_t>(extents[d]);
  return s;
}
/// Makes the result of host_array::vector(); krait/span.h has it.
template <class Elem>
struct vector_maker {
  static Elem of(const Elem*, const Elem*) {
    static_assert(
        sizeof(Elem) == 0,
        "krait: vector() needs #include <krait/span.h>; std::vector<T> v = x.to_host() needs none");
    return Elem();
  }
};
}  // namespace detail

/// The elements of an array on the host, in C order, as to_host() gives them: a container with
/// the array's shape.
/// It owns its elements, can be copied, compared and changed, and is a contiguous range for
/// algorithms and std::span. It converts to any container that has a constructor from a pair of
/// pointers, and all that takes a container takes it.
/// \code
/// auto h = a.to_host();              // a: kr::array<float, 2>
/// float last = h(-1, -1);
/// std::ranges::sort(h);
/// a.copy_from(h);
/// std::vector<float> flat = h;
/// \endcode
template <class Elem, int Rank = 1>
class host_array {
 public:
  /// The element type.
  using value_type = Elem;
  /// Iterators are pointers.
  using iterator = Elem*;
  /// Of a const array.
  using const_iterator = const Elem*;
  /// The number of dimensions.
  static constexpr int rank = Rank;

  /// Uninitialised elements of that shape.
  explicit host_array(const krait::shape<Rank>& extents)
      : data_(static_cast<Elem*>(
            detail::allocate_host(static_cast<std::size_t>(extents.size()) * sizeof(Elem)))),
        shape_(extents) {}
  explicit host_array(std::size_t size)
    requires(Rank == 1)
      : host_array(krait::shape<1>(size)) {}
  host_array(host_array&& other) noexcept : data_(other.data_), shape_(other.shape_) {
    other.data_ = nullptr, other.shape_ = krait::shape<Rank>();
  }
  host_array(const host_array& other) : host_array(other.shape_) {
    for (std::size_t i = 0; i < size(); ++i) data_[i] = other.data_[i];
  }
  host_array& operator=(host_array other) noexcept {
    std::swap(data_, other.data_), std::swap(shape_, other.shape_);
    return *this;
  }
  ~host_array() { detail::free_host(data_); }

  /// The first element.
  Elem* data() noexcept { return data_; }
  const Elem* data() const noexcept { return data_; }
  /// The number of elements in all dimensions together.
  std::size_t size() const noexcept { return static_cast<std::size_t>(shape_.size()); }
  /// Tests whether there is no element.
  bool empty() const noexcept { return size() == 0; }
  /// The extents of all dimensions.
  const krait::shape<Rank>& extents() const noexcept { return shape_; }
  /// The same, by NumPy's name.
  const krait::shape<Rank>& shape() const noexcept { return shape_; }
  /// The number of elements along dimension d.
  std::int64_t extent(int d) const noexcept { return shape_[d]; }
  /// The first element.
  Elem* begin() noexcept { return data_; }
  /// The end of the elements.
  Elem* end() noexcept { return data_ + size(); }
  const Elem* begin() const noexcept { return data_; }
  const Elem* end() const noexcept { return data_ + size(); }
  /// The i-th element in C order; not checked.
  Elem& operator[](std::size_t i) noexcept { return data_[i]; }
  const Elem& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// The element at these indices, one for each dimension; below 0 they count from the end.
  /// Throws error{usage} for an index out of bounds.
  template <detail::host_integer... Indices>
    requires(sizeof...(Indices) == Rank)
  Elem& operator()(Indices... indices) {
    return data_[place({static_cast<std::int64_t>(indices)...})];
  }
  template <detail::host_integer... Indices>
    requires(sizeof...(Indices) == Rank)
  const Elem& operator()(Indices... indices) const {
    return data_[place({static_cast<std::int64_t>(indices)...})];
  }
  /// The elements in C order as a std::vector. It needs <krait/span.h>.
  /// \code
  /// auto v = x.to_host().vector();
  /// \endcode
  template <class Type = Elem>
  auto vector() const {
    return detail::vector_maker<Type>::of(begin(), end());
  }

  /// Tests whether the shapes and all elements are equal.
  /// \code
  /// const bool same = x.to_host() == y.to_host();
  /// \endcode
  friend bool operator==(const host_array& x, const host_array& y) {
    return x.shape_ == y.shape_ && x.has_elements_of(y);
  }
  /// Tests whether a container has as many elements, and equal ones, in C order.
  template <class Container>
    requires requires(const Container& c, const Elem& x) { c.size(), bool(x == *c.begin()); }
  friend bool operator==(const host_array& x, const Container& y) {
    return x.size() == static_cast<std::size_t>(y.size()) && x.has_elements_of(y);
  }

  template <class Container>
    requires std::constructible_from<Container, const Elem*, const Elem*>
  operator Container() const {
    return Container(begin(), end());
  }

 private:
  std::size_t place(const std::int64_t (&indices)[Rank]) const {
    std::int64_t at = 0;
    for (int d = 0; d < Rank; ++d) {
      const std::int64_t i = indices[d] < 0 ? indices[d] + shape_[d] : indices[d];
      if (i < 0 || i >= shape_[d]) detail::refuse_index(indices[d], d, shape_[d]);
      at = at * shape_[d] + i;
    }
    return static_cast<std::size_t>(at);
  }
  template <class Container>
  bool has_elements_of(const Container& y) const {
    auto other = y.begin();
    for (const Elem& element : *this)
      if (!bool(element == *other++)) return false;
    return true;
  }

  Elem* data_;
  krait::shape<Rank> shape_;
};

}  // namespace krait
