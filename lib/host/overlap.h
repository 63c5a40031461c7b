// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls whose outputs overlap their inputs: what is read is what was there before.
#pragma once

#include <string>
#include <vector>

#include "devices/layout.h"

namespace krait::host {

/// An element-wise function in messages; null: it was moved from.
std::string function_of(const detail::kernel_state* of);

/// Copies of inputs that an output overlaps, while the call runs. Arguments have their final
/// extents and strides. Throws error{usage} where elements of an output repeat, or outputs overlap.
class Apart {
 public:
  /// By element: an input that is the output itself is read where it is written, and is not copied.
  enum Order : bool { any_order, by_element };

  Apart(const detail::kernel_state* of, const detail::signature& as, detail::argument* arguments,
        unsigned outputs, const detail::call_config& config, Order order);

 private:
  void copy(detail::argument& a, std::int64_t first, const Reach& reach);

  const detail::kernel_state* of_;
  const detail::call_config& config_;
  std::vector<std::vector<std::byte>> host_;  // both allocate nothing where nothing overlaps
  std::vector<detail::memory_share> device_;
};

}  // namespace krait::host
