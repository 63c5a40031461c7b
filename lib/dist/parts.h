// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of a local array, as messages need them.
#pragma once

#include <cstddef>

#include "devices/devices.h"
#include "devices/layout.h"
#include "krait/detail/dist/calls.h"

namespace krait::dist::detail {

inline std::size_t bytes_of(const layout& of, std::size_t element) {
  return std::size_t(host::size_of(of)) * element;
}

/// Memory that MPI can use in place: contiguous, and the host's; null for other memory.
inline std::byte* in_place(const elements& of, const layout& part) {
  const auto& handle = *static_cast<const host::DeviceHandle*>(krait::detail::device_of(of.memory));
  if (!handle.device->host_memory() || !krait::detail::is_dense(part, false)) return nullptr;
  return reinterpret_cast<std::byte*>(krait::detail::address_of(of.memory)) +
         part.offset * std::int64_t(of.element_bytes);
}

}  // namespace krait::dist::detail
