// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory as arrays on the CPU, and arrays on the CPU as std::span and std::mdspan; nothing is
// copied. An mdspan that is read is any type with data_handle(), extent(d), stride(d) and a static
// rank(): std::mdspan, that of the Kokkos project before C++23, or a few lines of your own.
//   auto a = kr::wrap(v.data(), {rows, columns});     // of a std::vector<float> v
//   kr::to_span(a)[0] = 1.0f;
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <utility>
#include <vector>
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
  *m.data_handle();
  m.extent(0);
  m.stride(0);
  shape<static_cast<int>(Type::rank())>();
};
/// Elements that the host may read through an address: throws error{usage} for arrays of other
/// devices, which `operation` does not take.
KRAIT_API void check_host_memory(const storage* memory, void* on, const char* operation);
/// Throws error{usage} if the elements are not contiguous in C order.
KRAIT_API void check_in_order(const layout& of, const char* operation);
/// The strides for std::layout_stride. Throws error{usage} for an array that has others.
KRAIT_API void mdspan_strides(const layout& of, std::int64_t* strides);
[[noreturn]] KRAIT_API void refuse_mdspan_extent(int dimension, std::int64_t extent);
[[noreturn]] KRAIT_API void refuse_mdspan_stride(int dimension, std::int64_t stride,
                                                 std::int64_t wanted);

/// A mdspan type of elements at `first`. Throws error{usage} where its extents or its layout have
/// no such elements.
template <class Span, int Rank, class Elem>
Span make_mdspan(Elem* first, const layout& at) {
  static_assert(Span::rank() == Rank,
                "krait: the array and the mdspan differ in their number of dimensions");
  using index = typename Span::index_type;
  using mapping_type = typename Span::mapping_type;
  std::array<index, std::size_t(Rank)> extents;
  for (std::size_t d = 0; d < Rank; ++d) {
    const std::size_t fixed = Span::static_extent(d);
    extents[d] = static_cast<index>(at.extents[d]);
    if (std::cmp_not_equal(extents[d], at.extents[d]) ||
        (fixed != std::dynamic_extent && std::cmp_not_equal(fixed, at.extents[d])))
      refuse_mdspan_extent(static_cast<int>(d), at.extents[d]);
  }
  const typename Span::extents_type own_extents(extents);
  if constexpr (std::constructible_from<mapping_type, typename Span::extents_type,
                                        std::array<index, std::size_t(Rank)>>) {
    std::int64_t wanted[Rank];
    mdspan_strides(at, wanted);
    std::array<index, std::size_t(Rank)> strides;
    for (std::size_t d = 0; d < Rank; ++d) {
      strides[d] = static_cast<index>(wanted[d]);
      if (std::cmp_not_equal(strides[d], wanted[d]))
        refuse_mdspan_extent(static_cast<int>(d), at.extents[d]);
    }
    return Span(first, mapping_type(own_extents, strides));
  } else {  // a layout that knows its strides, as std::layout_right does
    const mapping_type mapping(own_extents);
    for (int d = 0; d < Rank; ++d) {
      const auto own = mapping.stride(static_cast<typename Span::rank_type>(d));
      if (at.extents[d] > 1 && std::cmp_not_equal(own, at.strides[d]))
        refuse_mdspan_stride(d, at.strides[d], static_cast<std::int64_t>(own));
    }
    return Span(first, mapping);
  }
}

template <class Elem>
  requires std::is_object_v<Elem>
struct vector_maker<Elem> {
  static std::vector<Elem> of(const Elem* first, const Elem* last) {
    return std::vector<Elem>(first, last);
  }
};

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
/// The same with a shape, in C order: `kr::wrap(v, {3, 4})`. Throws error{usage} where the
/// container has another number of elements.
template <class Container, int Rank>
  requires detail::host_container<std::remove_cvref_t<Container>>
auto wrap(Container&& from, const shape<Rank>& extents) {
  auto flat = wrap(static_cast<Container&&>(from));
  return detail::views::reshape(flat, extents);
}
template <class Container, int Rank>
  requires detail::host_container<std::remove_cvref_t<Container>>
auto wrap(Container&& from, const detail::any_extent (&extents)[Rank]) {
  return wrap(static_cast<Container&&>(from), detail::to_shape(extents));
}
template <class Container, std::integral Extent, int Rank>
  requires detail::host_container<std::remove_cvref_t<Container>>
auto wrap(Container&& from, const Extent (&extents)[Rank]) {
  return wrap(static_cast<Container&&>(from), detail::to_shape(extents));
}
/// An array on the CPU that shares the elements of a host_array, and has its shape.
/// The host_array must be a variable.
template <class Elem, int Rank>
array<Elem, Rank> wrap(host_array<Elem, Rank>& from) {
  return wrap(from.data(), from.extents());
}
template <class Elem, int Rank>
array<const Elem, Rank> wrap(const host_array<Elem, Rank>& from) {
  return wrap(from.data(), from.extents());
}
template <class Elem, int Rank>
void wrap(host_array<Elem, Rank>&&) {
  static_assert(detail::always_false<Elem>,
                "krait: wrap shares memory, and this container is a temporary: give it a name");
}
/// An array on the CPU that shares the elements of a std::mdspan, with any strides.
template <detail::multidimensional_span Span>
  requires(!detail::host_container<Span>)
auto wrap(const Span& from) {
  constexpr int rank = static_cast<int>(Span::rank());
  shape<rank> extents;
  std::int64_t strides[rank];
  for (int d = 0; d < rank; ++d) {
    const auto r = static_cast<std::size_t>(d);
    extents.extents[d] = static_cast<std::int64_t>(from.extent(r)),
    strides[d] = static_cast<std::int64_t>(from.stride(r));
  }
  return array<std::remove_reference_t<decltype(*from.data_handle())>, rank>::wrap(
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

/// The elements of an array on the CPU, or of a host_array, as a std::mdspan type of the same rank.
/// The layout is std::layout_stride, or one that has the array's strides, such as
/// std::layout_right for C order: kr::to_mdspan<std::mdspan<float, std::dextents<int, 2>>>(a).
/// Throws error{usage} for arrays of other devices, for extents and strides that Span does not
/// have, and for strides below 1.
template <class Span, class Array>
  requires detail::is_device_array<std::remove_reference_t<Array>>::value
Span to_mdspan(Array&& a) {
  static_assert(std::is_lvalue_reference_v<Array>,
                "krait: this array is a temporary: give it a name");
  using element = detail::element_through<std::remove_reference_t<Array>>;
  detail::check_host_memory(detail::memory_of(a), detail::handle_of(a.device()), "to_mdspan");
  return detail::make_mdspan<Span, std::remove_reference_t<Array>::rank>(
      reinterpret_cast<element*>(a.address()), detail::layout_of(a));
}
template <class Span, class Elem, int Rank>
Span to_mdspan(host_array<Elem, Rank>& h) {
  return detail::make_mdspan<Span, Rank>(h.data(), detail::dense(h.extents().extents, Rank, false));
}
template <class Span, class Elem, int Rank>
Span to_mdspan(const host_array<Elem, Rank>& h) {
  return detail::make_mdspan<Span, Rank>(h.data(), detail::dense(h.extents().extents, Rank, false));
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

/// Copies the elements of a std::mdspan to a new array of its shape on a device.
template <detail::multidimensional_span Span>
  requires(!detail::host_container<Span>)
auto to_device(const Span& from, device on = device()) {
  return wrap(from).copy(on);
}

}  // namespace krait
