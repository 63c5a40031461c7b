// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps of tensors for copies of tiles (CUDA driver API, "Tensor Map Object Management"): dimensions
// are listed from the innermost on.
#include "runtime/cuda/tile_map.h"

#include <cstring>

namespace krait::runtime::cuda {
namespace {

/// CUtensorMapDataType, by size: a copy moves bits.
int type_of(unsigned bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 4; }
/// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill.
constexpr int none = 0, swizzle_of_strips = 3, promotes_256_bytes = 3, zeros = 0;

}  // namespace

Result make_tile_map(const DriverApi& api, std::byte* at) {
  support::TiledArray of;
  std::memcpy(&of, at, sizeof of);
  if (of.rank == 0) return 0;
  constexpr unsigned most = support::TiledArray::most_rank;
  std::uint64_t extents[most], strides[most], bytes = of.elem_bytes;
  unsigned box[most], steps[most];
  for (unsigned d = 0; d < of.rank; ++d) {
    extents[d] = std::uint64_t(of.extents[of.rank - 1 - d]);
    bytes *= extents[d];
    strides[d] = bytes;  // of the next dimension
    box[d] = steps[d] = 1;
  }
  box[0] = of.columns, box[1] = of.rows;
  alignas(support::tile_map_alignment) std::byte map[support::tile_map_bytes];
  void* const address = reinterpret_cast<void*>(of.address);  // NOLINT: of the device
  const Result r = api.tile_map(map, type_of(of.elem_bytes), of.rank, address, extents, strides,
                                box, steps, none, swizzle_of_strips, promotes_256_bytes, zeros);
  if (r == 0) std::memcpy(at, map, sizeof map);
  return r;
}

}  // namespace krait::runtime::cuda
