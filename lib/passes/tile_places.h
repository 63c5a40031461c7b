// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes that expand operations on tiles append: the thread's number, and places in shared memory.
#pragma once

#include <bit>

#include "ir/builder.h"
#include "ir/tiles.h"

namespace krait::passes {

class TilePlaces {
 protected:
  using ValueId = ir::ValueId;

  explicit TilePlaces(ir::Function& f) : f_(f), b_(f) {}
  ~TilePlaces() = default;

  ValueId number(std::int64_t x) { return b_.constant(ir::Scalar::I32, std::uint32_t(x)); }
  ValueId binary(ir::Op op, ValueId x, ValueId y) { return b_.binary(op, {x, y}); }
  ValueId mul(ValueId x, std::int64_t c) { return c == 1 ? x : binary(ir::Op::Mul, x, number(c)); }
  /// Of numbers that are not negative, by a power of two.
  ValueId quotient(ValueId x, std::int64_t c) {
    return c == 1 ? x : b_.emit(ir::Op::Shr, ir::Scalar::I32, {x, number(std::countr_zero(std::uint64_t(c)))});
  }
  ValueId rest(ValueId x, std::int64_t c) { return binary(ir::Op::And, x, number(c - 1)); }

  /// The thread's number in the block.
  ValueId thread() {
    ValueId n = ir::none;
    for (unsigned d = 3; d-- > 0;) {
      if (f_.block[d] == 1) continue;
      const ValueId at = b_.cast(ir::Scalar::I32, b_.emit(ir::Op::ThreadIdx, ir::Scalar::I64, {}, d));
      n = n == ir::none ? at : binary(ir::Op::Add, mul(n, f_.block[d]), at);
    }
    return n == ir::none ? number(0) : n;
  }
  /// SharedTile::place.
  ValueId place(const ir::SharedTile& t, ValueId row, ValueId column) {
    const ValueId in_strip = rest(column, t.strip());
    const ValueId line = binary(ir::Op::Add, mul(quotient(column, t.strip()), t.rows), row);
    if (t.padded) return binary(ir::Op::Add, mul(line, t.pitch()), in_strip);
    const ValueId piece = binary(ir::Op::Xor, quotient(in_strip, t.piece()), rest(row, ir::pieces_of_strip));
    return binary(ir::Op::Add, binary(ir::Op::Add, mul(line, t.strip()), mul(piece, t.piece())), rest(column, t.piece()));
  }

  ir::Function& f_;
  ir::Builder b_;
};

}  // namespace krait::passes
