// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/cuda/driver_api.h"
#include "support/hidden.h"

namespace krait::runtime::cuda {

/// Replaces a parameter's support::TiledArray by the driver's map of it. A context is current.
Result make_tile_map(const DriverApi& api, std::byte* at);

}  // namespace krait::runtime::cuda
