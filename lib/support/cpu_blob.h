// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the CPU, in an envelope (envelope.h): one image of code and read-only data that runs
// at any address which is a multiple of 64: no external symbols, no relocations. And how the
// runtime calls it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace krait {

/// How the launch is cut into work.
enum class CpuMode : std::uint32_t {
  Grid,   // threads depend on global ids only: an item is a global x of one row (y, z)
  Range,  // the kernel is one grid_stride loop: an item is an index below `extent(args, launch)`
  Block,  // an item is a block, numbered x fastest
  // the same, and blocks may wait for one another: further ones start while all that have started
  // wait
  Resident,
  Together  // the same, and the blocks meet at barriers of the grid: all of them run at once
};

/// Vector features that the code needs; each includes the ones before.
enum class CpuLevel : std::uint32_t { Sse42 = 2, Avx2 = 3, Avx512 = 4 };

/// Bytes of the smallest elements that an access packs (codegen/cpu/access/packed.cpp): AVX2 has no
/// masked accesses of fewer than four. 0: it packs none.
constexpr std::uint32_t least_packed_bytes(CpuLevel level) {
  return level == CpuLevel::Avx512 ? 1 : level == CpuLevel::Avx2 ? 4 : 0;
}

/// An array that a launch only updates, by atomics of one operation whose order does not show: a
/// worker may update a copy of its own, filled with the operation's identity, and put it together
/// with the array when it is done.
struct CpuCopy {
  // None: there is no such array
  enum class Update : std::uint8_t { None, Add, And, Or, Xor, Min, Max } update = Update::None;
  // of an element: 4 or 8
  std::uint8_t bytes = 0;
  std::uint8_t is_signed = 0;
  std::uint8_t rank = 0;          // the array is contiguous
  std::uint8_t extent_bytes = 0;  // 4 or 8
  std::uint8_t reserved = 0;
  // in the argument block: of the array's address, behind which its extents lie
  std::uint16_t address = 0;
};
static_assert(sizeof(CpuCopy) == 8);

/// What the launcher must know beside what all targets say (envelope.h).
struct CpuCode {
  // arrays of one kernel; further ones are updated in place
  static constexpr unsigned most_copies = 4;
  static constexpr std::uint32_t no_entry = ~std::uint32_t(0);

  CpuMode mode = CpuMode::Block;
  CpuLevel level = CpuLevel::Sse42;
  std::uint32_t lanes = 1, parts = 1;         // lanes × parts threads run as one gang
  std::uint32_t entry = no_entry;             // offset of CpuEntry in the image
  std::uint32_t extent = no_entry;            // offset of CpuExtent, in mode Range
  std::uint16_t rows = 1, layers = 1;         // in mode Block: of the gang's threads, along y and z
  std::uint32_t gang_bytes = 0;               // per gang of the block in work, a multiple of 64
  std::uint32_t item_cost = 1;                // estimated instructions of a gang
  std::array<CpuCopy, most_copies> copies{};  // those that there are come first
  // offset of an ELF object behind the image, which debuggers read
  std::uint32_t debug = no_entry;
};
static_assert(sizeof(CpuCode) == 72);

/// What a launch is, for the code.
struct CpuLaunch {
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t dynamic_bytes;  // of the shared arrays that are sized at launch, a multiple of 64
  const void* const* helpers;  // table of CpuHelper
  // bit i: the argument block has a copy of the worker's for CpuCode::copies[i]
  std::int64_t copied;
};

/// Work for one call. Grid: x in [begin, end), rows y + z·height in [row_begin, row_end). Range and
/// Block: items [begin, end).
struct CpuBox {
  std::int64_t begin, end;
  std::int64_t row_begin, row_end;
};

/// Functions that the code reaches through CpuLaunch::helpers.
/// TileRegisters: a u32, not 0 where the system lets this process use them; it asks once.
enum class CpuHelper : std::uint32_t { FmaF32, FmaF64, GridBarrier, Poll, TileRegisters, Count };

/// `scratch` is aligned to 64 bytes and holds Envelope::fixed_shared (with long arrays of threads)
/// + dynamic_bytes + gangs of a block · gang_bytes.
using CpuEntry = void (*)(const std::byte* args, const CpuLaunch* launch, const CpuBox* box,
                          std::byte* scratch);
using CpuExtent = std::int64_t (*)(const std::byte* args, const CpuLaunch* launch);

}  // namespace krait
