// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel takes of its target, as text: `krait dump --emit stats`.
#pragma once

#include <string>

#include "host/jit.h"

namespace krait::host {

/// Operations, bytes and flops of an element, and the side of the roofline; for the CPU, PTX and
/// Vulkan the most frequent instructions; for PTX also registers, shared memory, spills and
/// occupancy, as NVIDIA's ptxas says where it is installed.
std::string report_on(const Recorded& recorded, const ir::Facts& facts,
                      const support::Target& target);

}  // namespace krait::host
