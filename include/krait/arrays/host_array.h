// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, and the elements that the host reads from an array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <krait/detail/call.h>

namespace krait {

/// The extents of an array: `kr::shape<2>(480, 640)`.
template <int Rank>
struct shape {
  /// The number of elements along each dimension.
  std::int64_t extents[Rank]{};

  constexpr shape() = default;
  template <std::integral... Extents>
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
}  // namespace detail

/// A container of elements that the host read from an array, in C order.
/// It converts to any container that has a constructor from a pair of pointers.
/// \code
/// std::vector<float> h = x.to_host();
/// \endcode
template <class Elem>
class host_array {
 public:
  explicit host_array(std::size_t size)
      : data_(static_cast<Elem*>(detail::allocate_host(size * sizeof(Elem)))), size_(size) {}
  host_array(host_array&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr, other.size_ = 0;
  }
  host_array(const host_array& other) : host_array(other.size_) {
    for (std::size_t i = 0; i < size_; ++i) data_[i] = other.data_[i];
  }
  host_array& operator=(host_array other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_);
    return *this;
  }
  ~host_array() { detail::free_host(data_); }

  /// The first element.
  Elem* data() noexcept { return data_; }
  const Elem* data() const noexcept { return data_; }
  /// The number of elements.
  std::size_t size() const noexcept { return size_; }
  /// The first element.
  Elem* begin() noexcept { return data_; }
  /// The end of the elements.
  Elem* end() noexcept { return data_ + size_; }
  const Elem* begin() const noexcept { return data_; }
  const Elem* end() const noexcept { return data_ + size_; }
  Elem& operator[](std::size_t i) noexcept { return data_[i]; }
  const Elem& operator[](std::size_t i) const noexcept { return data_[i]; }

  /// Tests whether a container has as many elements, and equal ones.
  /// \code
  /// const bool same = x.to_host() == y.to_host();
  /// \endcode
  template <class Container>
    requires requires(const Container& c, const Elem& x) { c.size(), bool(x == *c.begin()); }
  friend bool operator==(const host_array& x, const Container& y) {
    if (x.size_ != static_cast<std::size_t>(y.size())) return false;
    auto other = y.begin();
    for (const Elem& element : x)
      if (!bool(element == *other++)) return false;
    return true;
  }

  template <class Container>
    requires std::constructible_from<Container, const Elem*, const Elem*>
  operator Container() const {
    return Container(begin(), end());
  }

 private:
  Elem* data_;
  std::size_t size_;
};

}  // namespace krait
