// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics of the process: compiled kernels, their compile times and launches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/export.h>

namespace krait {

/// Statistics of one kernel's code, for one device and one set of launch facts.
/// Kernel objects with equal content share it.
struct kernel_stats {
  /// The name of the first kernel that it was made for.
  const char* name;
  /// The file:line of that kernel, or "".
  const char* where;
  /// The hash of the recording: 32 hexadecimal digits, the same in every process.
  const char* hash;
  /// The device: "cpu", "cuda:0" and so on.
  const char* device;
  /// Whether it was found in the cache on disk or in a pack, and not compiled by this process.
  bool from_disk;
  /// Whether it is quickly compiled code of first launches; later launches run optimised code.
  bool quick;
  /// How many more kernel objects asked for it.
  std::uint64_t found_in_memory;
  /// Milliseconds to run the lambda.
  double record_ms;
  /// Milliseconds of the passes; 0 if found on disk.
  double passes_ms;
  /// Milliseconds of code generation; 0 if found on disk.
  double codegen_ms;
  /// Milliseconds to load it on the device, including the driver's compilation.
  double load_ms;
  /// The number of calls, and of launches by replays of graphs.
  std::uint64_t launches;
  /// Registers per thread; 0 if the device does not report it.
  std::int64_t registers;
  /// Shared bytes per block, without arrays sized at launch.
  std::int64_t shared_bytes;
  /// Local bytes per thread: local arrays and spilled registers.
  std::int64_t local_bytes;
};

/// A snapshot of the process's statistics: totals, and each code that it holds now.
/// \code
/// for (const kr::kernel_stats& k : kr::stats())
///   std::printf("%s: %.1f ms\n", k.name, k.codegen_ms);
/// \endcode
class KRAIT_API statistics {
 public:
  statistics(statistics&& other) noexcept;
  statistics& operator=(statistics&&) = delete;
  ~statistics();

  /// The number of compiled kernels.
  std::uint64_t compiled() const noexcept { return compiled_; }
  /// The number of kernels whose optimised code was made in the background after the first launch.
  std::uint64_t improved() const noexcept { return improved_; }
  /// The number of kernels found in the cache on disk or in a pack.
  std::uint64_t from_disk() const noexcept { return from_disk_; }
  /// The number of kernels found in memory, compiled for another kernel object.
  std::uint64_t from_memory() const noexcept { return from_memory_; }
  /// The number of launches.
  std::uint64_t launches() const noexcept { return launches_; }

  /// The first code.
  const kernel_stats* begin() const noexcept { return first_; }
  /// The end of the list of codes.
  const kernel_stats* end() const noexcept { return first_ + size_; }
  /// The number of codes.
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
/// Takes a snapshot of the process's statistics.
/// \code
/// std::printf("%d compiled\n", int(kr::stats().compiled()));
/// \endcode
KRAIT_API statistics stats();

}  // namespace krait
