// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared arrays that are sized at launch. The first extent of such an array is computed from the
// launch's shape and arguments before the kernel runs, is passed to it in the argument block
// (abi.h), and decides where the arrays lie: one behind the other in the block's dynamic shared
// memory, in the order of the text, each at a multiple of 16 bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "ir/launch.h"

namespace krait::ir {

/// Multiples of this are where such arrays begin.
inline constexpr std::int64_t shared_alignment = 16;
constexpr std::int64_t aligned_shared(std::int64_t bytes) {
  return (bytes + shared_alignment - 1) / shared_alignment * shared_alignment;
}

/// The arrays of a kernel that are sized at launch, in the order of the text.
std::vector<InstId> arrays_sized_at_launch(const Function& kernel);
/// Bytes of an array for one step of its first extent.
std::int64_t row_bytes(const Function& kernel, const Inst& shared);

/// Computes the lengths. Made once for a kernel, asked at every launch.
class SharedLengths {
 public:
  SharedLengths() = default;
  /// Where a length depends on what no launch knows, `wrong` says which and on what.
  SharedLengths(const Function& kernel, std::string& wrong);

  /// For keeping them.
  std::vector<std::uint64_t> words() const;
  /// What words() gave for a kernel with the parameters of `kernel`, and that many hidden ones.
  /// False, and empty, where they are damaged: a pack's words come from whoever made its checksum.
  bool read(std::span<const std::uint64_t> words, const Function& kernel, std::size_t parameters);

  std::size_t count() const { return rows_.size(); }
  struct Sizes {
    std::vector<std::int64_t> lengths;  // first extents
    std::vector<std::int64_t> bytes;    // of each array
    std::int64_t total = 0;             // with the gaps between them
    std::string wrong;                  // a length is negative or beyond 2 GiB
  };
  Sizes at(const Launch& launch, std::span<const Argument> arguments) const;

 private:
  struct Step {
    Op op;
    Scalar result, operand;
    std::uint64_t imm;    // Const: bits; positions: dimension; of a parameter: dimension and index
    std::uint32_t in[3];  // earlier steps
  };
  class Builder;
  static constexpr std::uint64_t scalar_argument = 255;  // in the place of a dimension
  bool is_sound(std::size_t step, const Function& kernel, std::size_t parameters) const;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> lengths_;  // steps
  std::vector<std::int64_t> rows_;
};

}  // namespace krait::ir
