// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies while kernels run, and memory for them: page-locked host memory, and memory
// that host and device share (docs/howto.md).
//   kr::pinned<float> in(n), out(n);
//   kr::copy_async(in, x, stream);
//   step.launch({blocks, 256, stream}, x);
//   kr::copy_async(x, out, stream);
//   stream.synchronize();                       // now `out` may be read, and `in` be written
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <krait/array.h>
#include <krait/detail/arguments.h>

namespace krait {
namespace detail {

/// Memory of the host for copies to and from the device; null for 0 bytes.
KRAIT_API void* allocate_pinned(void* device_handle, std::size_t bytes);
KRAIT_API void free_pinned(void* device_handle, void* memory) noexcept;
KRAIT_API storage* allocate_managed(void* device_handle, std::size_t bytes);

KRAIT_API void copy_from_host_async(const elements& to, const void* from, const stream& in);
KRAIT_API void copy_to_host_async(const elements& from, void* to, const stream& in);
KRAIT_API void copy_elements_async(const elements& to, const elements& from, const stream& in);

}  // namespace detail

/// Host memory that a GPU copies from and to directly, so that copies are fast and overlap kernels.
/// It is page-locked memory for CUDA devices, a mapped buffer for Vulkan, and plain memory for
/// others. Its elements are uninitialised. It is a container, and converts to std::span. Make it
/// once, not for each copy: it is freed late, at a wait for the whole device or with the next
/// `pinned`. Throws error{usage} for a negative size, error{device} if memory is short.
/// \code
/// kr::pinned<float> in(1000);
/// kr::copy_async(in, x, kr::stream());
/// \endcode
template <class Elem>
class pinned {
  static_assert(std::is_trivially_copyable_v<Elem> && !std::is_const_v<Elem>,
                "elements are copied as bytes: use a trivially copyable type that is not const");

 public:
  /// The element type.
  using value_type = Elem;

  explicit pinned(std::int64_t size, krait::device near = krait::device())
      : device_(detail::handle_of(near)) {
    detail::check_shape(&size, 1, sizeof(Elem));
    size_ = static_cast<std::size_t>(size);
    data_ = static_cast<Elem*>(detail::allocate_pinned(device_, size_ * sizeof(Elem)));
  }
  pinned(pinned&& other) noexcept : data_(other.data_), size_(other.size_), device_(other.device_) {
    other.data_ = nullptr, other.size_ = 0;
  }
  pinned& operator=(pinned&& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(device_, other.device_);
    return *this;
  }
  ~pinned() {
    if (data_) detail::free_pinned(device_, data_);
  }

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

 private:
  Elem* data_ = nullptr;
  std::size_t size_ = 0;
  void* device_;
};

/// An uninitialised array in memory that host and device share; kr::to_span gives it to the host.
/// The driver moves pages to where they are used. The host must not access it while work on it
/// runs. It exists on CUDA devices and on the CPU; it counts as the device's memory. Throws
/// error{device} on other devices, and if memory is short.
/// \code
/// auto shared = kr::managed<float>(1000);
/// for (float& e : kr::to_span(shared)) e = 1;
/// \endcode
template <class Elem, int Rank>
array<Elem, Rank> managed(const shape<Rank>& extents, device on = device()) {
  detail::check_shape(extents.extents, Rank, sizeof(Elem));
  void* const handle = detail::handle_of(on);
  const std::size_t bytes = static_cast<std::size_t>(extents.size()) * sizeof(Elem);
  detail::memory_share memory;
  if (bytes > 0) memory = detail::memory_share(detail::allocate_managed(handle, bytes));
  return detail::shared_view{detail::dense(extents.extents, Rank, false), memory, handle};
}
template <class Elem>
array<Elem, 1> managed(std::int64_t size, device on = device()) {
  return managed<Elem>(shape<1>(size), on);
}

/// Puts a copy into a stream and returns, where the device can: between host and array, or two
/// arrays.
/// Arrays are contiguous in C order. The host side is a kr::pinned, a std::span of a part of one,
/// or another container of the same size; two arrays have the same shape. Leave host memory alone,
/// and alive, until the stream has done the copy. Arrays may be destroyed at once.
/// - CUDA: no wait with kr::pinned. For other memory the call returns when it was read or written.
/// - Vulkan: the same, but copies do not overlap kernels.
/// - OpenCL: no wait. CPU: every copy is done on return. The stream belongs to the device of an
///   array. Between two devices it follows the other array's last stream; CUDA devices copy
///   directly where they can, otherwise the host waits. Throws error{usage} while a graph is
///   recorded, and for a stream, size, shape, strides or overlap that does not fit.
/// \code
/// kr::copy_async(x, y, kr::stream());
/// \endcode
template <class From, class To>
  requires((detail::is_device_array<From>::value || detail::host_container<const From>) &&
           (detail::is_device_array<std::remove_reference_t<To>>::value ||
            detail::host_container<std::remove_reference_t<To>>))
void copy_async(const From& from, To&& to, const stream& in) {
  using receiver = std::remove_cvref_t<To>;
  constexpr bool from_array = detail::is_device_array<From>::value,
                 to_array = detail::is_device_array<receiver>::value;
  static_assert(
      from_array || to_array,
      "krait: copy_async copies from an array or to one: for two containers use std::copy");
  using element = typename detail::container_traits<std::remove_reference_t<To>>::element;
  using source = typename detail::container_traits<const From>::element;
  static_assert(!std::is_const_v<element>,
                "krait: the elements of copy_async's target cannot be written");
  static_assert(std::is_same_v<std::remove_const_t<source>, element>,
                "krait: copy_async's element types differ");
  if constexpr (from_array && to_array) {
    static_assert(From::rank == receiver::rank,
                  "krait: copy_async's arrays differ in their number of dimensions");
    detail::check_same_shape(from.extents().extents, to.extents().extents, From::rank,
                             "copy_async");
    const detail::layout here = detail::layout_of(to), there = detail::layout_of(from);
    detail::copy_elements_async({detail::memory_of(to), &here, sizeof(element)},
                                {detail::memory_of(from), &there, sizeof(element)}, in);
  } else if constexpr (to_array) {
    detail::check_count(static_cast<std::int64_t>(from.size()), to.size(), "copy_async");
    const detail::layout at = detail::layout_of(to);
    detail::copy_from_host_async({detail::memory_of(to), &at, sizeof(element)}, from.data(), in);
  } else {
    static_assert(detail::stays<To>, "krait: copy_async's target is a temporary: give it a name");
    detail::check_count(static_cast<std::int64_t>(to.size()), from.size(), "copy_async");
    const detail::layout at = detail::layout_of(from);
    detail::copy_to_host_async({detail::memory_of(from), &at, sizeof(element)}, to.data(), in);
  }
}

}  // namespace krait
