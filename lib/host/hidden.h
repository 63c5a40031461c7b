// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch takes behind the arguments of its call: the values of a kernel's hidden parameters
// (support/hidden.def), by one binder per kind.
#pragma once

#include <array>
#include <cstddef>
#include <forward_list>
#include <memory>
#include <span>
#include <vector>

#include "host/kernel_state.h"
#include "devices/reports.h"

namespace krait::host {

/// The values of a launch, and what goes with them.
struct HiddenArguments {
  // in the layout's order; empty, and allocates nothing, where the code has none
  std::vector<HiddenValue> values;
  std::unique_ptr<ReportedLaunch> reports;  // of a launch that may report, and is in no graph
  // owner of memory that the values name, for whoever launches again later
  std::shared_ptr<const void> keeps;
  // values name them until they are packed
  std::forward_list<std::array<std::byte, support::tile_map_bytes>> maps;
};

/// What a kernel is told of a view of which it copies tiles: nothing where it looks at no map, as
/// the view has no elements, or rows that are not made of pieces.
support::TiledArray tiled_array(support::TileMapOf which, std::uint64_t address,
                                std::span<const std::int64_t> extents, unsigned elem_bytes);

/// The call's arguments, and the addresses of those that are arrays. Throws what making the values
/// throws: error{device} where memory is short.
HiddenArguments bind_hidden(const Compiled& code, detail::kernel_state& state, Specialisation& spec,
                            DeviceHandle& device, StreamRecord* stream,
                            const detail::argument* arguments, const std::uint64_t* addresses);

}  // namespace krait::host
