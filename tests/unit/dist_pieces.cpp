// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of more bytes than MPI counts.
#include "dist/pieces.h"

#include <climits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace krait::test {
namespace {

using Pieces = std::vector<std::pair<std::size_t, std::size_t>>;

Pieces pieces_of(std::size_t bytes, std::size_t most) {
  Pieces all;
  dist::each_piece(bytes, most, [&](std::size_t at, std::size_t n) { all.emplace_back(at, n); });
  return all;
}

TEST(DistPieces, CoverAMessageOnce) {
  EXPECT_EQ(pieces_of(0, 3), Pieces());
  EXPECT_EQ(pieces_of(3, 3), (Pieces{{0, 3}}));
  EXPECT_EQ(pieces_of(10, 3), (Pieces{{0, 3}, {3, 3}, {6, 3}, {9, 1}}));
}

TEST(DistPieces, AreCountedInInt) {
  static_assert(dist::largest_piece <= INT_MAX);
  const std::size_t gib = std::size_t(1) << 30;
  EXPECT_EQ(pieces_of((std::size_t(1) << 31) + 18, dist::largest_piece),
            (Pieces{{0, gib}, {gib, gib}, {2 * gib, 18}}));
}

}  // namespace
}  // namespace krait::test
