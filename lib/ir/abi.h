// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The argument block: how a kernel's arguments lie in memory, identical on every target (design 3.11). Each item has its natural
// alignment. A scalar is itself (bool: one byte 0/1). An aggregate by value is its bytes, aligned to 16. A view is its address (u64), then its extents (u32 where facts.small, else
// i64), then its strides in elements (i64; omitted where facts.contiguous). Behind them the first extents (i64) of the shared arrays
// that are sized at launch, in the order of the text.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/ir.h"

namespace krait::ir {

struct ArgumentSlot {
  enum class What : std::uint8_t { Scalar, Bytes, Address, Extent, Stride, SharedLength } what;
  std::uint8_t param;      // index of the parameter, or of the shared array
  std::uint8_t dimension;  // of an extent or stride
  std::uint32_t bytes;     // 1, 2, 4 or 8; of an aggregate any number
  std::uint32_t offset;    // from the start of the block
};

struct ArgumentLayout {
  std::vector<ArgumentSlot> slots;
  std::uint32_t size = 0;  // a multiple of 8
  /// Offset of one item.
  std::uint32_t find(ArgumentSlot::What what, unsigned param, unsigned dimension = 0) const;
};
ArgumentLayout argument_layout(const Function& kernel);
/// The same from the parameters and facts alone, with the number of shared arrays that are sized at launch.
ArgumentLayout argument_layout(const Function& kernel, std::size_t sized_at_launch);

}  // namespace krait::ir
