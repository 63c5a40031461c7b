// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory as arrays on the CPU, and arrays on the CPU as std::span and std::mdspan; nothing is
// copied.
//   auto a = kr::wrap(v.data(), {rows, columns});     // of a std::vector<float> v
//   kr::to_span(a)[0] = 1.0f;
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <utility>
#include <version>
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

#include <krait/array.h>
#include <krait/detail/arguments.h>

namespace krait {
namespace detail {

/// std::mdspan or a similar type, with elements in memory.
template <class Type>
concept multidimensional_span = requires(const Type& m) {
  { m.data_handle() } -> std::convertible_to<const typename Type::element_type*>;
  typename Type::mapping_type;
  m.extent(0);
  m.stride(0);
  Type::rank();
};
/// Elements that the host may read through an address: throws error{usage} for arrays of other
/// devices, which `operation` does not take.
KRAIT_API void check_host_memory(const storage* memory, void* on, const char* operation);
/// Throws error{usage} if the elements are not contiguous in C order.
KRAIT_API void check_in_order(const layout& of, const char* operation);
/// The strides for std::layout_stride. Throws error{usage} for an array that has others.
KRAIT_API void mdspan_strides(const layout& of, std::int64_t* strides);
[[noreturn]] KRAIT_API void refuse_mdspan_extent(int dimension, std::int64_t extent);

}  // namespace detail

/// An array on the CPU that shares host memory, in C or Fortran order.
/// The memory must outlive the array and its views. Nothing is copied.
/// \code
/// std::vector<float> h(12);
/// auto matrix = kr::wrap(h.data(), {3, 4});
/// \endcode
template <class Elem, int Rank>
array<Elem, Rank> wrap(Elem* first, const shape<Rank>& extents,
                       storage_order order = storage_order::c) {
  const detail::layout at = detail::dense(extents.extents, Rank, order == storage_order::fortran);
  return array<Elem, Rank>::wrap(reinterpret_cast<std::uintptr_t>(first), extents, at.strides,
                                 device::cpu());
}
template <class Elem, int Rank>
array<Elem, Rank> wrap(Elem* first, const detail::any_extent (&extents)[Rank],
                       storage_order order = storage_order::c) {
  return wrap(first, detail::to_shape(extents), order);
}
template <class Elem, std::integral Extent, int Rank>
array<Elem, Rank> wrap(Elem* first, const Extent (&extents)[Rank],
                       storage_order order = storage_order::c) {
  return wrap(first, detail::to_shape(extents), order);
}
/// An array on the CPU that shares the elements of a container or a std::span.
/// The container must be a variable, or refer to elements that live elsewhere.
template <class Container>
  requires detail::host_container<std::remove_cvref_t<Container>>
auto wrap(Container&& from) {
  static_assert(detail::stays<Container>,
                "krait: wrap shares memory, and this container is a temporary: give it a name");
  return wrap(from.data(), shape<1>(from.size()));
}
/// An array on the CPU that shares the elements of a std::mdspan, with any strides.
template <detail::multidimensional_span Span>
  requires(!detail::host_container<Span>)
auto wrap(const Span& from) {
  constexpr int rank = static_cast<int>(Span::rank());
  shape<rank> extents;
  std::int64_t strides[rank];
  for (int d = 0; d < rank; ++d) {
    const auto r = static_cast<typename Span::rank_type>(d);
    extents.extents[d] = static_cast<std::int64_t>(from.extent(r)),
    strides[d] = static_cast<std::int64_t>(from.stride(r));
  }
  return array<typename Span::element_type, rank>::wrap(
      reinterpret_cast<std::uintptr_t>(from.data_handle()), extents, strides, device::cpu());
}

/// The elements of an array as a std::span.
/// The array is on the CPU or from kr::managed, contiguous in C order, and outlives the span.
/// Throws error{usage} for others: use kr::wrap, `copy` or `copy_to`.
/// \code
/// kr::array<float> on_cpu = x.copy(kr::device::cpu());
/// kr::to_span(on_cpu)[0] = 1.0f;
/// \endcode
template <class Array>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
auto to_span(Array&& a) {
  static_assert(std::is_lvalue_reference_v<Array>,
                "krait: this array is a temporary: give it a name");
  using element = detail::element_through<std::remove_reference_t<Array>>;
  detail::check_host_memory(detail::memory_of(a), detail::handle_of(a.device()), "to_span");
  detail::check_in_order(detail::layout_of(a), "to_span");
  return std::span<element>(reinterpret_cast<element*>(a.address()),
                            static_cast<std::size_t>(a.size()));
}

/// The elements of an array on the CPU as a std::mdspan type of the same rank, with strides.
/// Throws error{usage} for arrays of other devices, for extents that Span does not have, and for
/// strides below 1, which std::layout_stride excludes.
template <class Span, class Array>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
Span to_mdspan(Array&& a) {
  static_assert(std::is_lvalue_reference_v<Array>,
                "krait: this array is a temporary: give it a name");
  constexpr int rank = std::remove_reference_t<Array>::rank;
  static_assert(Span::rank() == rank,
                "krait: the array and the mdspan differ in their number of dimensions");
  using element = detail::element_through<std::remove_reference_t<Array>>;
  using index = typename Span::index_type;
  detail::check_host_memory(detail::memory_of(a), detail::handle_of(a.device()), "to_mdspan");
  std::int64_t of_array[rank];
  detail::mdspan_strides(detail::layout_of(a), of_array);
  std::array<index, rank> extents, strides;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = a.extent(static_cast<int>(d));
    const std::size_t fixed = Span::static_extent(d);
    extents[d] = static_cast<index>(extent), strides[d] = static_cast<index>(of_array[d]);
    const bool fits = std::cmp_equal(extents[d], extent) && std::cmp_equal(strides[d], of_array[d]);
    if (!fits || (fixed != std::dynamic_extent && std::cmp_not_equal(fixed, extent)))
      detail::refuse_mdspan_extent(static_cast<int>(d), extent);
  }
  return Span(reinterpret_cast<element*>(a.address()),
              typename Span::mapping_type(typename Span::extents_type(extents), strides));
}
#ifdef __cpp_lib_mdspan
template <class Array>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
auto to_mdspan(Array&& a) {
  using plain_array = std::remove_reference_t<Array>;
  using span =
      std::mdspan<detail::element_through<plain_array>,
                  std::dextents<std::int64_t, std::size_t(plain_array::rank)>, std::layout_stride>;
  return to_mdspan<span>(a);
}
#endif

}  // namespace krait
