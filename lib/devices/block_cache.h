// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small blocks of a device that were freed, kept for arrays to come: to ask CUDA's driver for a
// block and to give it back takes 0.8 µs on an H100's host, a quarter of a small call
// (bench_algorithms). Only for devices that allocate and free in the order of a stream, and of the
// default one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "support/tuning/gpu.h"

namespace krait::host {

class BlockCache {
 public:
  // bytes
  static constexpr std::size_t largest = tuning::gpu::kept_largest, most = tuning::gpu::kept_in_all;

  /// What to ask the driver for instead of so many bytes, at most an eighth more and 512: blocks of
  /// one such size replace each other.
  static std::size_t rounded(std::size_t bytes) noexcept;

  /// A kept block of so many bytes or more; 0: there is none.
  std::uint64_t take(std::size_t bytes) noexcept;
  /// Keeps a block that was asked for as rounded(bytes); false: it is not kept.
  bool keep(std::uint64_t address, std::size_t bytes) noexcept;
  /// All blocks, which are not kept any more.
  std::vector<std::uint64_t> drain();

 private:
  struct Blocks {
    std::array<std::uint64_t, 8> addresses;
    unsigned count = 0;
  };
  // bytes that drivers round to; sizes from a power of two to the next
  static constexpr std::size_t unit = 512, steps = 8;
  static unsigned number_of(std::size_t rounded_bytes) noexcept;

  std::mutex gate_;               // never held while the driver is called
  std::array<Blocks, 73> sizes_;  // by number_of(1 to largest)
  std::size_t kept_ = 0;
};

}  // namespace krait::host
