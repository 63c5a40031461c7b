// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the arguments of a launch become its block, found once a compilation: a launch with many
// numbers is a few moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/abi.h"
#include "krait/detail/call.h"

namespace krait::host {

/// The value of a hidden parameter: a number, the address of so many elements side by side, or of
/// bytes that are passed by value.
struct HiddenValue {
  std::uint64_t bits = 0;
  std::int64_t count = 0;
};

class Packing {
 public:
  /// Bytes behind the block that `pack` may write.
  static constexpr std::size_t slack = 8;

  Packing() = default;
  explicit Packing(const ir::ArgumentLayout& layout);

  struct Sources {
    const detail::argument* given;
    const std::uint64_t* addresses;         // of those that are arrays
    const HiddenValue* hidden;              // in the layout's order
    std::span<const std::int64_t> lengths;  // of shared arrays that are sized at launch
  };
  void pack(std::byte* block, const Sources& from) const;

 private:
  /// Eight bytes, whatever the size of the item: they ascend, and what goes beyond an item is
  /// written right by what follows.
  struct Move {
    // bytes from the start of the block; of the arguments, or of the addresses
    std::uint32_t to, from;
  };
  std::vector<Move> numbers_, addresses_;
  std::vector<ir::ArgumentSlot> rest_;
  unsigned given_ = 0;
};

}  // namespace krait::host
