// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of arrays that a launch only updates (lib/codegen/cpu/launch/private_copies.cpp): a worker
// fills its own before its first chunk, and adds what it gathered to the arrays after its last one.
// They lie in the worker's scratch memory, with an argument block that names them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/backend.h"
#include "support/cpu_blob.h"

namespace krait::runtime::cpu {

class Copies {
 public:
  /// Chooses the arrays of a launch of so many threads, on so many workers, of which it pays to
  /// have copies.
  Copies(const CpuCode& code, const LaunchRequest& request, double threads, unsigned workers);

  std::int64_t which() const { return which_; }  // CpuLaunch::copied
  std::size_t bytes() const { return bytes_; }   // of a worker's memory, a multiple of 64
  /// Makes the copies, of no updates yet; the argument block that they are in.
  const std::byte* fill(std::byte* memory) const;
  /// Updates the arrays by what the copies hold.
  void merge(const std::byte* memory) const;

 private:
  struct Array {
    CpuCopy how;
    std::int64_t elements = 0;
    std::size_t offset = 0;  // of the copy in the worker's memory
  };
  const LaunchRequest& request_;
  std::array<Array, CpuCode::most_copies> arrays_;
  unsigned count_ = 0;
  std::int64_t which_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace krait::runtime::cpu
