// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages in pieces: MPI counts in int.
#pragma once

#include <algorithm>
#include <cstddef>

namespace krait::dist {

constexpr std::size_t largest_piece = std::size_t(1) << 30;

/// Calls f(offset, bytes) for the pieces of a message, in order.
template <class Function>
void each_piece(std::size_t bytes, std::size_t most, const Function& f) {
  for (std::size_t at = 0; at < bytes; at += most) f(at, std::min(most, bytes - at));
}

}  // namespace krait::dist
