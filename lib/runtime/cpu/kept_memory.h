// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of arrays that were freed, for the next ones of their size: the allocator gives blocks of
// this size back to the system, and what it then gives is mapped page by page, which takes longer
// than many kernels.
#pragma once

#include <cstddef>
#include <mutex>

namespace krait::runtime::cpu {

class KeptMemory {
 public:
  /// A block of so many bytes or up to an eighth and `align` more, at a multiple of `align`; null:
  /// there is none.
  void* take(std::size_t bytes, std::size_t align) noexcept;
  /// Gives a block of aligned_alloc back, or keeps it, and gives back those that were kept for
  /// longest.
  void give(void* block) noexcept;
  /// Gives all back, for a device that has no more memory.
  void drop() noexcept;

 private:
  struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  static constexpr int places = 16;

  Block remove(int at) noexcept;

  std::mutex mutex_;      // only tried: a child of fork may find it locked for ever
  Block blocks_[places];  // the oldest first
  int count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace krait::runtime::cpu
