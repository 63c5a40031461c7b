// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch takes behind the arguments of its call: the values of a kernel's hidden parameters (support/hidden.def), by one binder
// per kind.
#pragma once

#include <memory>
#include <vector>

#include "host/kernel_state.h"

namespace krait::host {

class Reports;

/// The values of a launch, and what goes with them.
struct HiddenArguments {
  std::vector<HiddenValue> values;    // in the layout's order; empty, and allocates nothing, where the code has none
  Reports* reports = nullptr;         // the buffer that the launch writes
  std::shared_ptr<const void> keeps;  // owner of memory that the values name, for whoever launches again later
};

/// Throws what making them throws: error{device} where memory is short.
HiddenArguments bind_hidden(const Compiled& code, detail::kernel_state& state, Specialisation& spec, DeviceHandle& device);

}  // namespace krait::host
