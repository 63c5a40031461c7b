// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cpu/kept_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "support/tuning/cpu.h"

namespace krait::runtime::cpu {

using tuning::cpu::kept_in_all, tuning::cpu::kept_least, tuning::cpu::kept_most;

KeptMemory::Block KeptMemory::remove(int at) noexcept {
  const Block block = blocks_[at];
  std::copy(blocks_ + at + 1, blocks_ + count_, blocks_ + at);
  --count_, bytes_ -= block.bytes;
  return block;
}

void* KeptMemory::take(std::size_t bytes, std::size_t align) noexcept {
  if (bytes < kept_least || bytes > kept_most) return nullptr;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return nullptr;
  for (int at = count_; at-- > 0;) {
    const Block& b = blocks_[at];
    // Behind an aligned block the allocator may leave as much unused as the alignment, which counts
    // as usable.
    if (b.bytes >= bytes && b.bytes - bytes <= bytes / 8 + align &&
        reinterpret_cast<std::uintptr_t>(b.memory) % align == 0)
      return remove(at).memory;
  }
  return nullptr;
}

void KeptMemory::give(void* block) noexcept {
  const std::size_t bytes = malloc_usable_size(block);
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || bytes < kept_least || bytes > kept_most) return std::free(block);
  while (count_ == places || bytes_ + bytes > kept_in_all) std::free(remove(0).memory);
  blocks_[count_++] = {block, bytes}, bytes_ += bytes;
}

void KeptMemory::drop() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  while (lock && count_ > 0) std::free(remove(0).memory);
}

}  // namespace krait::runtime::cpu
