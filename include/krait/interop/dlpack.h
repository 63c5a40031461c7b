// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges arrays with other libraries through DLPack, without a copy. The structures are those of
// the program's own <dlpack/dlpack.h>, of any version: DLManagedTensor, or
// DLManagedTensorVersioned, which can also express read-only elements.
//   // keeps the tensor as long as a, or a view of it, is there
//   auto a = kr::from_dlpack<float, 2>(tensor);
//   auto* tensor = kr::to_dlpack<DLManagedTensor>(a);      // keeps a's memory until tensor->deleter(tensor)
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <krait/array.h>
#include <krait/types.h>

namespace krait {
namespace detail {

/// The structures, by their members.
template <class Managed>
concept dlpack_managed = requires(Managed& m) {
  m.dl_tensor.data;
  m.dl_tensor.shape;
  m.dl_tensor.strides;
  m.dl_tensor.byte_offset;
  m.manager_ctx;
  m.deleter(&m);
};
template <class Managed>
concept dlpack_versioned = requires(Managed& m) {
  m.version.major;
  m.flags;
};
inline constexpr std::uint64_t dlpack_read_only = 1;  // a flag of versioned tensors

/// The parts of a tensor that the library reads and fills in.
struct tensor_description {
  void* data = nullptr;
  int device_type = 0, device_id = 0, rank = 0;
  unsigned code = 0, bits = 0, lanes = 1;
  const std::int64_t *shape = nullptr, *strides = nullptr;
  std::uint64_t byte_offset = 0;
  unsigned major = 1;
  bool read_only = false;
};
/// The elements of an array: a number, or two of them.
struct tensor_element {
  scalar type;
  bool complex;
  std::size_t alignment;
  bool is_const;
};
template <class Elem>
constexpr tensor_element tensor_element_of() {
  using plain_element = std::remove_const_t<Elem>;
  if constexpr (plain<plain_element>) {
    return {scalar_of<plain_element>, false, alignof(Elem), std::is_const_v<Elem>};
  } else {
    constexpr bool complex = requires(const Elem& x) {
      typename Elem::value_type;
      x.real(), x.imag();
    };
    static_assert(complex, "krait: DLPack supports numbers and complex numbers, but not structs");
    return {scalar_of<typename Elem::value_type>, true, alignof(Elem), std::is_const_v<Elem>};
  }
}
/// Memory that returns the tensor when its last share is gone. It is null if there is no element:
/// then the tensor was returned at once. Earlier work in `producer`, if given, precedes the use of
/// the memory. Throws error{usage} for a tensor that is not such an array, and then leaves the
/// tensor alone.
KRAIT_API storage* import_tensor(const tensor_description& from, const tensor_element& element,
                                 int rank, const tensor_owner& owner, const stream* producer,
                                 layout& at, void*& on);
/// Device and type, and the address; the memory may then be used in `consumer`, or anywhere where
/// that is null. Throws error{usage} for devices that DLPack does not have.
KRAIT_API void export_tensor(storage* memory, std::uint64_t address, void* on,
                             const tensor_element& element, const stream* consumer,
                             tensor_description& to);

template <dlpack_managed Managed>
void release_tensor(void* tensor) {
  auto* managed = static_cast<Managed*>(tensor);
  if (managed->deleter) managed->deleter(managed);
}
template <class Elem, int Rank, dlpack_managed Managed>
array<Elem, Rank> import_array(Managed* tensor, const stream* producer) {
  const auto& given = tensor->dl_tensor;
  tensor_description d;
  if constexpr (dlpack_versioned<Managed>)
    d.major = static_cast<unsigned>(tensor->version.major),
    d.read_only = (tensor->flags & dlpack_read_only) != 0;
  if (d.major == 1) {  // members of other versions have other offsets
    d.data = given.data, d.byte_offset = given.byte_offset, d.shape = given.shape,
    d.strides = given.strides;
    d.device_type = static_cast<int>(given.device.device_type),
    d.device_id = static_cast<int>(given.device.device_id);
    d.rank = static_cast<int>(given.ndim);
    d.code = given.dtype.code, d.bits = given.dtype.bits, d.lanes = given.dtype.lanes;
  }
  layout at;
  void* on = nullptr;
  const memory_share memory(import_tensor(d, tensor_element_of<Elem>(), Rank,
                                          {tensor, &release_tensor<Managed>}, producer, at, on));
  return shared_view{at, memory, on};
}

/// A tensor with the arrays that it points to.
template <class Managed, int Rank>
struct exported_tensor {
  Managed tensor{};
  std::int64_t shape[Rank], strides[Rank];
  memory_share memory;

  static void release(Managed* tensor) {
    delete static_cast<exported_tensor*>(tensor->manager_ctx);
  }
};
template <dlpack_managed Managed, class Elem, int Rank>
Managed* export_array(const array<Elem, Rank>& a, const stream* consumer) {
  static_assert(
      !std::is_const_v<Elem> || dlpack_versioned<Managed>,
      "krait: the elements of this array are const, which DLManagedTensor cannot express: use "
      "DLManagedTensorVersioned, or a copy()");
  tensor_description d;
  export_tensor(memory_of(a), a.address(), handle_of(a.device()), tensor_element_of<Elem>(),
                consumer, d);
  auto* const out = new exported_tensor<Managed, Rank>{{}, {}, {}, access::memory(a)};
  auto& to = out->tensor.dl_tensor;
  to.data = d.data, to.shape = out->shape, to.strides = out->strides, to.byte_offset = 0;
  to.device.device_type = static_cast<decltype(to.device.device_type)>(d.device_type);
  to.device.device_id = static_cast<decltype(to.device.device_id)>(d.device_id);
  to.ndim = static_cast<decltype(to.ndim)>(Rank);
  to.dtype.code = static_cast<decltype(to.dtype.code)>(d.code),
  to.dtype.bits = static_cast<decltype(to.dtype.bits)>(d.bits);
  to.dtype.lanes = 1;
  for (int i = 0; i < Rank; ++i) out->shape[i] = a.extent(i), out->strides[i] = a.stride(i);
  out->tensor.manager_ctx = out, out->tensor.deleter = &exported_tensor<Managed, Rank>::release;
  if constexpr (dlpack_versioned<Managed>) {
    out->tensor.version.major = 1, out->tensor.version.minor = 0;
    out->tensor.flags = std::is_const_v<Elem> ? dlpack_read_only : 0;
  }
  return &out->tensor;
}

}  // namespace detail

/// An array that shares the memory of a DLPack tensor on the host or on CUDA.
/// `Elem` and `Rank` must match. The array and its views own the tensor from then on; the last one
/// calls its deleter when the work on the memory is done. Strides may have any sign. The elements
/// must be ready for CUDA's default stream, or for `producer`, the stream that writes them. A
/// read-only tensor needs a const `Elem`. Throws error{usage} for another type, rank, device or
/// version; the caller then keeps the tensor.
template <class Elem, int Rank, detail::dlpack_managed Managed>
array<Elem, Rank> from_dlpack(Managed* tensor) {
  return detail::import_array<Elem, Rank>(tensor, nullptr);
}
template <class Elem, int Rank, detail::dlpack_managed Managed>
array<Elem, Rank> from_dlpack(Managed* tensor, const stream& producer) {
  return detail::import_array<Elem, Rank>(tensor, &producer);
}

/// A DLPack tensor that shares the memory of an array, and keeps it until its deleter is called.
/// It waits for work on the array, or makes `consumer`, the stream that uses the tensor next, wait
/// for it. A const array gives a read-only tensor. Throws error{usage} for arrays that are neither
/// on the CPU nor on CUDA.
template <detail::dlpack_managed Managed, class Array>
Managed* to_dlpack(Array&& a) {
  using plain_array = std::remove_reference_t<Array>;
  if constexpr (std::is_const_v<plain_array>)
    return detail::export_array<Managed>(a.share(), nullptr);
  else return detail::export_array<Managed>(a, nullptr);
}
template <detail::dlpack_managed Managed, class Array>
Managed* to_dlpack(Array&& a, const stream& consumer) {
  using plain_array = std::remove_reference_t<Array>;
  if constexpr (std::is_const_v<plain_array>)
    return detail::export_array<Managed>(a.share(), &consumer);
  else return detail::export_array<Managed>(a, &consumer);
}

}  // namespace krait
