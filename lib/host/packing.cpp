// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/packing.h"

#include <cstring>

namespace krait::host {

using detail::argument;
using What = ir::ArgumentSlot::What;

Packing::Packing(const ir::ArgumentLayout& layout) : given_(layout.given) {
  for (const ir::ArgumentSlot& s : layout.slots) {
    const auto of_argument = [&](std::size_t member) {
      numbers_.push_back({s.offset, std::uint32_t(s.param * sizeof(argument) + member)});
    };
    if (s.what == What::SharedLength || s.what == What::Bytes || s.param >= given_) {
      rest_.push_back(s);
      continue;
    }
    switch (s.what) {
      case What::Address:
        addresses_.push_back({s.offset, std::uint32_t(s.param * sizeof(std::uint64_t))});
        break;
      case What::Scalar: of_argument(offsetof(argument, bits)); break;
      case What::Extent:
        of_argument(offsetof(argument, extents) + s.dimension * sizeof(std::int64_t));
        break;
      case What::Stride:
        of_argument(offsetof(argument, strides) + s.dimension * sizeof(std::int64_t));
        break;
      case What::SharedLength:
      case What::Bytes: break;
    }
  }
}

void Packing::pack(std::byte* block, const Sources& from) const {
  const auto move = [&](const std::vector<Move>& all, const void* start) {
    for (const Move& m : all)
      std::memcpy(block + m.to, static_cast<const std::byte*>(start) + m.from, 8);
  };
  move(numbers_, from.given);
  move(addresses_, from.addresses);
  for (const ir::ArgumentSlot& s : rest_) {  // little-endian, as every target
    if (s.what == What::SharedLength) {
      std::memcpy(block + s.offset, &from.lengths[s.param], s.bytes);
      continue;
    }
    if (s.what == What::Bytes && s.param < given_) {
      std::memcpy(block + s.offset, from.given[s.param].data, s.bytes);
      continue;
    }
    const HiddenValue& value = from.hidden[s.param - given_];
    constexpr std::int64_t one = 1;
    switch (s.what) {
      case What::Address:
      case What::Scalar: std::memcpy(block + s.offset, &value.bits, s.bytes); break;
      case What::Extent: std::memcpy(block + s.offset, &value.count, s.bytes); break;
      case What::Stride: std::memcpy(block + s.offset, &one, s.bytes); break;
      case What::Bytes:
        std::memcpy(block + s.offset, reinterpret_cast<const void*>(value.bits), s.bytes);
        break;
      case What::SharedLength: break;
    }
  }
}

}  // namespace krait::host
