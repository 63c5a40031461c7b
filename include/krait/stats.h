// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the process compiled, what that took, and how often it ran.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/export.h>

namespace krait {

/// Code of one kernel for one device and one set of launch facts. Kernel objects of equal content share it.
struct kernel_stats {
  const char* name;               ///< of the kernel that it was made for first
  const char* where;              ///< file:line of that kernel, or ""
  const char* hash;               ///< of what was recorded: 32 hexadecimal digits, the same in every process
  const char* device;             ///< "cpu", "cuda:0", …
  bool from_disk;                 ///< found in the cache on disk or in a pack, not compiled by this process
  bool quick;                     ///< code of first launches, soon compiled; later launches run the best
  std::uint64_t found_in_memory;  ///< how often more kernel objects asked for it
  double record_ms;               ///< running the lambda
  double passes_ms;               ///< 0 where found on disk
  double codegen_ms;              ///< 0 where found on disk
  double load_ms;                 ///< making it ready on the device, the driver's own compilation included
  std::uint64_t launches;         ///< calls, and launches by replays of graphs
  std::int64_t registers;         ///< of a thread; 0 where the device does not tell
  std::int64_t shared_bytes;      ///< of a block, without arrays sized at launch
  std::int64_t local_bytes;       ///< of a thread: local arrays, and registers that were spilled
};

/// A snapshot: sums over the life of the process, and the code that it holds now, in the order in which it was made.
///   for (const kr::kernel_stats& k : kr::stats()) std::printf("%s: %llu launches\n", k.name, (unsigned long long)k.launches);
class KRAIT_API statistics {
 public:
  statistics(statistics&& other) noexcept;
  statistics& operator=(statistics&&) = delete;
  ~statistics();

  std::uint64_t compiled() const noexcept { return compiled_; }
  /// Kernels whose best code was made in the background after a first launch of quick code.
  std::uint64_t improved() const noexcept { return improved_; }
  std::uint64_t from_disk() const noexcept { return from_disk_; }
  std::uint64_t from_memory() const noexcept { return from_memory_; }
  std::uint64_t launches() const noexcept { return launches_; }

  const kernel_stats* begin() const noexcept { return first_; }
  const kernel_stats* end() const noexcept { return first_ + size_; }
  std::size_t size() const noexcept { return size_; }
  const kernel_stats& operator[](std::size_t i) const noexcept { return first_[i]; }

 private:
  friend KRAIT_API statistics stats();
  statistics() = default;
  struct state;
  state* state_ = nullptr;
  const kernel_stats* first_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t compiled_ = 0, improved_ = 0, from_disk_ = 0, from_memory_ = 0, launches_ = 0;
};
KRAIT_API statistics stats();  ///< Takes a snapshot.

}  // namespace krait
