// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on a device.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <krait/detail/call.h>
#include <krait/device.h>

namespace krait {

/// Extents of an array, the last contiguous.
template <int Rank>
struct shape {
  std::int64_t extents[Rank]{};

  constexpr shape() = default;
  template <std::integral... Extents>
  requires(sizeof...(Extents) == Rank) constexpr shape(Extents... e) : extents{static_cast<std::int64_t>(e)...} {}
  constexpr std::int64_t operator[](int d) const { return extents[d]; }
  /// The product of the extents.
  constexpr std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t e : extents) n *= e;
    return n;
  }
  friend constexpr bool operator==(const shape&, const shape&) = default;
};

/// What the host reads back from an array: owned elements in C order. Converts to any container made from a pair of pointers.
template <class Elem>
class host_array {
 public:
  explicit host_array(std::size_t size) : data_(static_cast<Elem*>(detail::allocate_host(size * sizeof(Elem)))), size_(size) {}
  host_array(host_array&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr, other.size_ = 0; }
  host_array& operator=(host_array&& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_);
    return *this;
  }
  ~host_array() { detail::free_host(data_); }

  Elem* data() noexcept { return data_; }
  const Elem* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  Elem* begin() noexcept { return data_; }
  Elem* end() noexcept { return data_ + size_; }
  const Elem* begin() const noexcept { return data_; }
  const Elem* end() const noexcept { return data_ + size_; }
  Elem& operator[](std::size_t i) noexcept { return data_[i]; }
  const Elem& operator[](std::size_t i) const noexcept { return data_[i]; }

  template <class Container>
  requires std::constructible_from<Container, const Elem*, const Elem*>
  operator Container() const { return Container(begin(), end()); }

 private:
  Elem* data_;
  std::size_t size_;
};

/// Elements of type Elem in C order on one device. Owns its memory and moves; `copy_from` copies.
/// Work on it is asynchronous on GPUs; reading it back waits.
template <class Elem, int Rank = 1>
class array {
  static_assert(Rank >= 1 && Rank <= 4, "krait::array has 1 to 4 dimensions");
  static_assert(std::is_trivially_copyable_v<Elem>, "elements are copied as bytes: use a trivially copyable type");

 public:
  using value_type = Elem;
  static constexpr int rank = Rank;

  array() = default;
  /// Uninitialised elements. Throws error{usage} for a negative extent, error{device} when memory is short.
  explicit array(shape<Rank> extents, krait::device on = krait::device()) : shape_(extents) {
    detail::check_shape(extents.extents, Rank, sizeof(Elem));
    if (extents.size() > 0) memory_ = detail::allocate(detail::handle_of(on), bytes());
    on_ = detail::handle_of(on);
  }
  template <std::integral... Extents>
  requires(sizeof...(Extents) == Rank) explicit array(Extents... extents) : array(shape<Rank>(extents...)) {}
  /// `kr::array<float, 2> a({rows, cols});`: arrays of numbers, as {rows, cols} could as well be an array to move from.
  template <std::integral Extent>
  explicit array(const Extent (&extents)[Rank], krait::device on = krait::device()) : array(shape_of(extents), on) {}
  explicit array(const std::int64_t (&extents)[Rank], krait::device on = krait::device()) : array(shape_of(extents), on) {}

  array(array&& other) noexcept : shape_(other.shape_), memory_(other.memory_), on_(other.on_) {
    other.memory_ = nullptr, other.shape_ = {};
  }
  array& operator=(array&& other) noexcept {
    std::swap(shape_, other.shape_), std::swap(memory_, other.memory_), std::swap(on_, other.on_);
    return *this;
  }
  ~array() { detail::release(memory_); }

  /// Memory that somebody else owns: `address` is a device address of `on` and must outlive the array.
  static array wrap(std::uint64_t address, shape<Rank> extents, krait::device on) {
    array a;
    detail::check_shape(extents.extents, Rank, sizeof(Elem));
    a.shape_ = extents, a.on_ = detail::handle_of(on);
    if (extents.size() > 0) a.memory_ = detail::wrap_memory(a.on_, address, a.bytes());
    return a;
  }

  std::int64_t size() const noexcept { return shape_.size(); }
  std::int64_t extent(int d) const noexcept { return shape_[d]; }
  const shape<Rank>& extents() const noexcept { return shape_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(shape_.size()) * sizeof(Elem); }
  /// The device address of the first element (a host address on the CPU); 0 when empty.
  std::uint64_t address() const noexcept { return memory_ ? detail::address_of(memory_) : 0; }
  krait::device device() const { return detail::device_from(on_); }

  /// Copies size() elements from a container of as many elements. Throws error{usage} when the counts differ.
  template <class Container>
  requires requires(const Container& c) { c.data(), c.size(); }
  void copy_from(const Container& from) {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(*from.data())>, Elem>,
                  "the container's element type differs from the array's");
    detail::check_count(static_cast<std::int64_t>(from.size()), size(), "copy_from");
    if (memory_) detail::copy_from_host(memory_, from.data(), bytes());
  }
  template <std::size_t Count>
  void copy_from(const Elem (&from)[Count]) {
    detail::check_count(static_cast<std::int64_t>(Count), size(), "copy_from");
    if (memory_) detail::copy_from_host(memory_, from, bytes());
  }
  /// Copies another array of the same shape, from any device. Throws error{usage} when the shapes differ.
  void copy_from(const array& from) {
    detail::check_same_shape(from.shape_.extents, shape_.extents, Rank, "copy_from");
    if (memory_) detail::copy_array(memory_, from.memory_, bytes());
  }
  /// Copies size() elements into a container of as many elements, or one that can be resized.
  template <class Container>
  requires requires(Container& c) { c.data(), c.size(); }
  void copy_to(Container& to) const {
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(*to.data())>, Elem>,
                  "the container's element type differs from the array's");
    if constexpr (requires { to.resize(to.size()); }) to.resize(static_cast<decltype(to.size())>(size()));
    detail::check_count(static_cast<std::int64_t>(to.size()), size(), "copy_to");
    if (memory_) detail::copy_to_host(memory_, to.data(), bytes());
  }
  template <std::size_t Count>
  void copy_to(Elem (&to)[Count]) const {
    detail::check_count(static_cast<std::int64_t>(Count), size(), "copy_to");
    if (memory_) detail::copy_to_host(memory_, to, bytes());
  }
  /// All elements: `std::vector<float> h = a.to_host();`
  host_array<Elem> to_host() const {
    host_array<Elem> out(static_cast<std::size_t>(size()));
    if (memory_) detail::copy_to_host(memory_, out.data(), bytes());
    return out;
  }

  detail::storage* memory() const noexcept { return memory_; }

 private:
  template <class Extent>
  static shape<Rank> shape_of(const Extent (&extents)[Rank]) {
    shape<Rank> s;
    for (int d = 0; d < Rank; ++d) s.extents[d] = static_cast<std::int64_t>(extents[d]);
    return s;
  }

  shape<Rank> shape_{};
  detail::storage* memory_ = nullptr;
  void* on_ = nullptr;
};

/// Copies a container to a device.
template <class Container>
requires requires(const Container& c) { c.data(), c.size(); }
auto to_device(const Container& from, device on = device()) {
  array<std::remove_cvref_t<decltype(*from.data())>, 1> out(shape<1>(from.size()), on);
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
