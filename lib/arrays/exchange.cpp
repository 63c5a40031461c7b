// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that share memory with other libraries: DLPack's tensors, and std::span and std::mdspan of
// the host.
#include <string>

#include <fmt/format.h>

#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/streams.h"
#include "ir/types.h"
#include "krait/dlpack.h"
#include "krait/span.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::tensor_description;
using detail::tensor_element;

// DLDeviceType: host memory, CUDA's, the host's that CUDA reaches, and what CUDA moves between
// both.
constexpr int on_host = 1, on_cuda = 2, on_cuda_host = 3, on_cuda_managed = 13;

// DLDataTypeCode.
enum Code : unsigned {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8E4M3FN = 10,
  Float8E5M2 = 12
};
struct TensorType {
  unsigned code, bits;
};

TensorType type_of(const tensor_element& element) {
  const ir::ScalarInfo& info = ir::info(ir::Scalar(element.type));
  if (element.complex) return {Complex, 2 * info.bits};
  switch (info.kind) {
    case ir::ScalarClass::Bool: return {Bool, 8};
    case ir::ScalarClass::Signed: return {Int, info.bits};
    case ir::ScalarClass::Unsigned: return {UInt, info.bits};
    default: break;
  }
  if (info.bits == 8) return {info.top == ir::Top::Numbers ? Float8E4M3FN : Float8E5M2, 8};
  return {info.bits == 16 && info.exponent == 8 ? BFloat : Float, info.bits};
}

std::string text_of(TensorType type, unsigned lanes) {
  const char* word = nullptr;
  switch (type.code) {
    case Int: word = "int"; break;
    case UInt: word = "uint"; break;
    case Float: word = "float"; break;
    case BFloat: word = "bfloat"; break;
    case Complex: word = "complex"; break;
    case Bool: word = "bool"; break;
    case Float8E4M3FN: word = "float8_e4m3fn, of "; break;
    case Float8E5M2: word = "float8_e5m2, of "; break;
    default: break;
  }
  const std::string bits = word ? fmt::format("{}{}", word, type.bits)
                                : fmt::format("type {} of {} bits", type.code, type.bits);
  return lanes == 1 ? bits : fmt::format("{} in vectors of {}", bits, lanes);
}

DeviceHandle& device_of(const tensor_description& from) {
  if (from.device_type == on_host || from.device_type == on_cuda_host) return Devices::get().cpu();
  if (from.device_type != on_cuda && from.device_type != on_cuda_managed)
    support::fail_usage(
        "from_dlpack: the tensor is on a device of DLPack's type {}, "
        "but arrays share memory only with the host (1) and with CUDA (2): copy it there first",
        from.device_type);
  const std::string id = "cuda:" + std::to_string(from.device_id);
  DeviceHandle* const found = Devices::get().find(id);
  if (!found)
    support::fail_usage(
        "from_dlpack: the tensor is on {}, which this machine does not have: "
        "`krait devices` lists its devices",
        id);
  return *found;
}

void check(const tensor_description& from, const tensor_element& element, int rank) {
  if (from.major != 1)
    support::fail_usage("from_dlpack: the tensor is of DLPack {}, but Krait reads version 1",
                        from.major);
  const TensorType wanted = type_of(element);
  if (from.code != wanted.code || from.bits != wanted.bits || from.lanes != 1)
    support::fail_usage(
        "from_dlpack: the tensor's elements are {}, but the array's are {}: "
        "import it with its own type",
        text_of({from.code, from.bits}, from.lanes), text_of(wanted, 1));
  if (from.rank != rank)
    support::fail_usage(
        "from_dlpack: the tensor has {} dimensions, but the array has {}: import it with its own",
        from.rank, rank);
  if (from.read_only && !element.is_const)
    support::fail_usage(
        "from_dlpack: the tensor is read-only: import it with const elements, or copy it first");
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using host::DeviceHandle;

storage* import_tensor(const tensor_description& from, const tensor_element& element, int rank,
                       const tensor_owner& owner, const stream* producer, layout& at, void*& on) {
  host::check(from, element, rank);
  DeviceHandle& device = host::device_of(from);
  if (producer) host::stream_on(device, *producer, "from_dlpack");
  const std::size_t element_bytes = host::type_of(element).bits / 8;
  check_shape(from.shape, rank, element_bytes);
  at = dense(from.shape, rank, false);
  for (int d = 0; d < rank && from.strides; ++d) at.strides[d] = from.strides[d];
  on = &device;
  const std::int64_t size = host::size_of(at);
  if (size == 0) {
    owner.release(owner.tensor);
    return nullptr;
  }
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(from.data) + from.byte_offset;
  if (!from.data)
    support::fail_usage("from_dlpack: the tensor has {} elements but a null address", size);
  if (address % element.alignment != 0)
    support::fail_usage(
        "from_dlpack: the tensor's address is not a multiple of {}, which its elements need: "
        "copy it first",
        element.alignment);
  if (producer)
    host::order({*device.device, host::record_of(*producer)->handle}, {*device.device, {}});
  storage* const memory = wrap_memory(&device, address, std::size_t(size) * element_bytes);
  memory->foreign = owner;
  return memory;
}

void export_tensor(storage* memory, std::uint64_t address, void* on, const tensor_element& element,
                   const stream* consumer, tensor_description& to) {
  DeviceHandle& device = *static_cast<DeviceHandle*>(on);
  const bool cuda = device.target.kind == support::TargetKind::Ptx;
  if (!cuda && !device.device->host_memory())
    support::fail_usage(
        "to_dlpack: the array is on {}, whose memory DLPack cannot name: "
        "export a.copy(kr::device::cpu())",
        device.id);
  to.device_type = cuda ? host::on_cuda : host::on_host;
  to.device_id = cuda ? std::stoi(device.id.substr(device.id.find(':') + 1)) : 0;
  to.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  const host::TensorType type = host::type_of(element);
  to.code = type.code, to.bits = type.bits;
  if (consumer) host::stream_on(device, *consumer, "to_dlpack");
  if (!memory) return;
  if (consumer && !memory->several_streams)
    host::order({*device.device, host::order_of(*memory)},
                {*device.device, host::record_of(*consumer)->handle});
  else host::wait_for(*memory);
  // Whoever has the tensor uses it in streams that nobody tells of.
  memory->several_streams = true;
}

void check_host_memory(const storage* memory, void* on, const char* operation) {
  const auto& device = *static_cast<DeviceHandle*>(on);
  if (!device.device->host_memory() && !(memory && memory->managed))
    support::fail_usage(
        "{}: the array is on {}, whose memory the host cannot address: "
        "use a.copy(kr::device::cpu())",
        operation, device.id);
}

void check_in_order(const layout& of, const char* operation) {
  if (!is_dense(of, false))
    support::fail_usage(
        "{}: the elements are not contiguous in C order: use a.copy(), or kr::to_mdspan",
        operation);
}

void mdspan_strides(const layout& of, std::int64_t* strides) {
  std::int64_t stride = 1;
  const bool empty = host::size_of(of) == 0;
  for (int d = of.rank - 1; d >= 0; --d) {
    const bool any = empty || of.extents[d] == 1;  // nothing is ever that far away
    if (!any && of.strides[d] < 1)
      support::fail_usage(
          "to_mdspan: stride({}) is {}, but std::layout_stride needs positive strides: "
          "use a.copy()",
          d, of.strides[d]);
    strides[d] = empty ? stride : any ? 1 : of.strides[d];
    if (of.extents[d] > 0) stride *= of.extents[d];
  }
}
void refuse_mdspan_extent(int dimension, std::int64_t extent) {
  support::fail_usage("to_mdspan: extent({}) is {}, which the mdspan's type does not allow",
                      dimension, extent);
}
void refuse_mdspan_stride(int dimension, std::int64_t stride, std::int64_t wanted) {
  support::fail_usage(
      "to_mdspan: stride({}) is {}, but {} in the mdspan's layout: use a.copy(), or a layout of strides",
      dimension, stride, wanted);
}

}  // namespace krait::detail
