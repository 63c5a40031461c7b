// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints that no code generator can find, since they are about launches and about kernels beside
// each other. With KRAIT_HINTS=1 alone (hints.h); then each launch is looked at.
#pragma once

#include "host/kernel_state.h"

namespace krait::host {

/// A launch, before it starts. `copied` has the bytes of each array parameter, 0 for one that is
/// not copied.
struct ObservedLaunch {
  const Specialisation& spec;
  const DeviceHandle& device;
  const detail::argument* arguments;
  const runtime::LaunchRequest& request;
  const runtime::Executable& code;
  bool grid_is_given;                        // else Krait has chosen it
  const std::vector<std::uint64_t>& copied;  // by parameter
};
void hint_at(const ObservedLaunch& launch);

/// Of a recording that has to be compiled: an earlier one of the same place is equal but for
/// captured numbers.
void hint_at_captures(const Recorded& recorded);

}  // namespace krait::host
