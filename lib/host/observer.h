// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who watches compilations and launches. The functions are in lib/observe, one floor above: the
// path of a call names them here and knows nothing else of that room.
#pragma once

#include "host/kernel_state.h"

namespace krait::host {

/// For `krait dump --run` and KRAIT_DUMP (observe/dump.h). `facts` are the launch's; final_text is
/// what they give on the device.
void dump_stages(const Recorded& recorded, const ir::Facts& facts, const std::string& final_text,
                 const DeviceHandle& device);

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
/// Hints that no code generator can find, with KRAIT_HINTS=1 alone: then each launch is looked at.
void hint_at(const ObservedLaunch& launch);

/// Of a recording that has to be compiled: an earlier one of the same place is equal but for
/// captured numbers.
void hint_at_captures(const Recorded& recorded);

}  // namespace krait::host
