// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host copies through pinned memory. The driver's own copies from and to pageable memory wait for
// the device, and those from memory that the caller pinned return before it was read; through
// chunks of ours both return when the host's bytes are done with, while the device still copies.
#pragma once

#include <array>
#include <mutex>

#include "runtime/cuda/driver_api.h"
#include "support/tuning/gpu.h"

namespace krait::runtime::cuda {

/// Of one device, whose context is current at each call. The chunks are allocated at the first copy
/// and kept.
class Staging {
 public:
  explicit Staging(const DriverApi& api) : api_(api) {}
  /// The bytes are read when this returns, and arrive in the stream's order.
  Result to_device(Address to, const std::byte* from, std::size_t bytes, Stream stream);
  /// The bytes are there when this returns.
  Result to_host(std::byte* to, Address from, std::size_t bytes, Stream stream);

 private:
  static constexpr std::size_t chunk_bytes = tuning::gpu::staged_bytes,
                               chunk_count = tuning::gpu::staged_pieces;
  struct Chunk {
    std::byte* memory = nullptr;
    Event copied = nullptr;  // the last copy from or to it
  };
  /// The chunk for the i-th piece of a copy, allocated and not in use.
  Result prepare(std::size_t i, Chunk*& chunk);
  Chunk& chunk_of(std::size_t i) { return chunks_[i % chunk_count]; }

  const DriverApi& api_;
  std::mutex mutex_;
  std::array<Chunk, chunk_count> chunks_;
};

}  // namespace krait::runtime::cuda
