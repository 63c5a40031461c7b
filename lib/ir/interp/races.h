// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds data races while the interpreter runs: two accesses of one byte by different threads, not
// both reads and not both atomic, with no barrier between them. Each byte remembers for each kind
// of access whom a later access is not ordered after: blocks are never ordered, warps of a block by
// the block's barriers, threads of a warp by its barriers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace krait::ir::interpreter {

enum class AccessKind : std::uint8_t { Read, Write, Atomic };

/// Who accesses, and after how many barriers.
struct Place {
  std::uint64_t block = 0;
  std::uint64_t epoch = 0;  // barriers the block has passed
  std::uint64_t warp_epoch = 0;
  std::uint32_t warp = 0;
  std::uint32_t thread = 0;
};

class RaceDetector {
 public:
  /// Empty, or the conflict: "write by thread 3 of block 0 and read by thread 4 of block 0".
  std::string access(bool shared, const std::byte* p, unsigned bytes, AccessKind kind,
                     const Place& place);
  /// Shared memory is another one from here on.
  void begin_block() { shared_.clear(); }
  /// What comes is ordered after everything before.
  void order_all() { global_.clear(), shared_.clear(); }

 private:
  /// Past accesses of one kind: the last one, and whether others on the same level are as unordered
  /// with what follows.
  struct Trace {
    bool any = false, blocks = false, warps = false, threads = false;
    Place last;
    void add(const Place& place);
    bool unordered_with(const Place& place) const;
  };
  struct Byte {
    Trace traces[3];  // by AccessKind
  };

  std::unordered_map<const std::byte*, Byte> global_, shared_;
};

}  // namespace krait::ir::interpreter
