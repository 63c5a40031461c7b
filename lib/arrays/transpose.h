// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "krait/detail/layout.h"

namespace krait::host {

/// Which dimensions of a copy have neighbours in memory: `read` of the source, `written` of the
/// target. -1: the copy is none that tiles make faster.
struct Tiling {
  int read = -1, written = -1;
};
Tiling tiling_of(const detail::layout& to, const detail::layout& from);
/// Copies elements of `bytes`, made of words of `word` bytes, which their addresses are multiples
/// of, by tiles.
void copy_by_tiles(const detail::elements& to, const detail::elements& from, Tiling tiling,
                   std::size_t word);

}  // namespace krait::host
