// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands for tests of operations: the values at which operations change what they do, all pairs
// or triples of them, and random ones. Every column is the same on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/types.h"

namespace krait::test {

/// A view's elements as bits, one an element.
using Column = std::vector<std::uint64_t>;

/// The bits that a value of the type has.
constexpr std::uint64_t mask_of(ir::Scalar s) {
  return ir::bits_of(s) == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << ir::bits_of(s)) - 1;
}

/// Integers: limits, small ones, shift counts in and beyond range. Floats: both signs of zeros,
/// subnormal and normal limits, 1 and its neighbours, halves, limits of the integer types,
/// infinity, NaNs. bool: the bytes that count as false and true.
std::vector<std::uint64_t> edges(ir::Scalar s);
/// For conversions: edges, and the neighbours of every limit of every type.
std::vector<std::uint64_t> conversion_edges(ir::Scalar s);

/// `count` columns of n elements: all tuples of the edges (short ones from three operands on), then
/// random numbers, of which half are floats near each other in size, where sums round and cancel.
std::vector<Column> tuples(ir::Scalar s, unsigned count, std::size_t n);
/// The values, then random ones.
Column filled(ir::Scalar s, std::vector<std::uint64_t> first, std::size_t n, std::uint64_t seed);
/// Triples x, y, z for a fused multiply-add: all short tuples, then products of every size that z
/// cancels, nearly cancels or meets.
std::vector<Column> fused_triples(ir::Scalar s, std::size_t n);

}  // namespace krait::test
