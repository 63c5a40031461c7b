// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/block_cache.h"

#include <bit>

namespace krait::host {

std::size_t BlockCache::rounded(std::size_t bytes) noexcept {
  const std::size_t units = (bytes + unit - 1) / unit, power = std::bit_floor(units),
                    step = power > steps ? power / steps : 1;
  return (units + step - 1) / step * step * unit;
}

unsigned BlockCache::number_of(std::size_t rounded_bytes) noexcept {
  // Of units: up to 8 by themselves, then the power of two and the three bits below it.
  const std::size_t units = rounded_bytes / unit;
  if (units < steps) return unsigned(units);
  const unsigned power = unsigned(std::bit_width(units)) - 4;
  return unsigned(power * steps + (units >> power));
}

std::uint64_t BlockCache::take(std::size_t bytes) noexcept {
  if (bytes > largest) return 0;
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(gate_);
  Blocks& blocks = sizes_[number_of(size)];
  if (blocks.count == 0) return 0;
  kept_ -= size;
  return blocks.addresses[--blocks.count];
}

bool BlockCache::keep(std::uint64_t address, std::size_t bytes) noexcept {
  if (bytes > largest) return false;
  const std::size_t size = rounded(bytes);
  const std::lock_guard lock(gate_);
  Blocks& blocks = sizes_[number_of(size)];
  if (blocks.count == blocks.addresses.size() || kept_ + size > most) return false;
  kept_ += size;
  blocks.addresses[blocks.count++] = address;
  return true;
}

std::vector<std::uint64_t> BlockCache::drain() {
  std::vector<std::uint64_t> all;
  const std::lock_guard lock(gate_);
  for (Blocks& blocks : sizes_) {
    all.insert(all.end(), blocks.addresses.begin(), blocks.addresses.begin() + blocks.count);
    blocks.count = 0;
  }
  kept_ = 0;
  return all;
}

}  // namespace krait::host
