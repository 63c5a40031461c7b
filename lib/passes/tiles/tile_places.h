// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes that expand operations on tiles append: the thread's number, and places in shared
// memory.
#pragma once

#include <bit>
#include <vector>

#include "ir/builder.h"
#include "ir/tiles.h"

namespace krait::passes {

class TilePlaces {
 protected:
  using ValueId = ir::ValueId;

  explicit TilePlaces(ir::Function& f) : f_(f), b_(f) {}
  ~TilePlaces() = default;

  ValueId number(std::int64_t x) { return b_.constant(ir::Scalar::I32, std::uint32_t(x)); }
  ValueId binary(ir::Op op, ir::Pair of) { return b_.binary(op, of); }
  ValueId mul(ValueId x, std::int64_t c) {
    return c == 1 ? x : binary(ir::Op::Mul, {x, number(c)});
  }
  /// Of numbers that are not negative, by a power of two.
  ValueId quotient(ValueId x, std::int64_t c) {
    return c == 1 ? x
                  : b_.emit(ir::Op::Shr, ir::Scalar::I32,
                            {x, number(std::countr_zero(std::uint64_t(c)))});
  }
  ValueId rest(ValueId x, std::int64_t c) { return binary(ir::Op::And, {x, number(c - 1)}); }
  ValueId add(ValueId x, std::int64_t c) { return c ? binary(ir::Op::Add, {x, number(c)}) : x; }

  /// The thread's number in the block.
  ValueId thread() {
    ValueId n = ir::none;
    for (unsigned d = 3; d-- > 0;) {
      if (f_.block[d] == 1) continue;
      const ValueId at =
          b_.cast(ir::Scalar::I32, b_.emit(ir::Op::ThreadIdx, ir::Scalar::I64, {}, d));
      n = n == ir::none ? at : binary(ir::Op::Add, {mul(n, f_.block[d]), at});
    }
    return n == ir::none ? number(0) : n;
  }
  /// The first row and column that the thread has of a tile.
  struct Own {
    ValueId row, column;
  };
  Own own(const ir::ThreadTile& t) {
    const ValueId n = thread(), warp = quotient(n, ir::ThreadTile::warp),
                  lane = rest(n, ir::ThreadTile::warp);
    const ValueId down = rest(warp, t.down), across = quotient(warp, t.down);
    const ValueId row =
        binary(ir::Op::Add, {mul(down, ir::ThreadTile::block_rows), quotient(lane, 4)});
    return {row, binary(ir::Op::Add, {mul(across, t.columns / t.across), mul(rest(lane, 4), 2)})};
  }
  /// A loop of so many trips; `body(trip, carried)` gives what is carried on.
  template <class Body>
  std::vector<ValueId> loop(std::int64_t trips, const std::vector<ValueId>& start,
                            const Body& body) {
    if (trips == 1) return body(number(0), start);
    std::vector<ValueId> operands{b_.constant(ir::Scalar::U32, std::uint64_t(trips))};
    operands.insert(operands.end(), start.begin(), start.end());
    const ir::RegionId here = b_.region();
    const ir::InstId i =
        b_.append(ir::Op::For, start.empty() ? ir::Type{} : f_.type_of(start[0]), operands);
    std::vector<ValueId> results, carried;
    for (const ValueId v : start) results.push_back(b_.add_result(i, ir::Type(f_.type_of(v))));
    const ir::RegionId inside = b_.new_region(i);
    b_.at(inside);
    const ValueId trip =
        b_.cast(ir::Scalar::I32, b_.new_param(inside, ir::value_type(ir::Scalar::U32)));
    for (const ValueId v : start) carried.push_back(b_.new_param(inside, ir::Type(f_.type_of(v))));
    const std::vector<ValueId> next = body(trip, carried);
    b_.append(ir::Op::Continue, {}, next);
    b_.at(here);
    return results;
  }
  /// Without anything carried.
  template <class Body>
  void repeat(std::int64_t trips, const Body& body) {
    loop(trips, {}, [&](ValueId trip, const std::vector<ValueId>&) {
      return body(trip), std::vector<ValueId>();
    });
  }
  /// SharedTile::place.
  ValueId place(const ir::SharedTile& t, ValueId row, ValueId column) {
    const ValueId in_strip = rest(column, t.strip());
    const ValueId line = binary(ir::Op::Add, {mul(quotient(column, t.strip()), t.rows), row});
    if (t.padded) return binary(ir::Op::Add, {mul(line, t.pitch()), in_strip});
    const ValueId piece =
        binary(ir::Op::Xor, {quotient(in_strip, t.piece()), rest(row, ir::pieces_of_strip)});
    return binary(ir::Op::Add, {binary(ir::Op::Add, {mul(line, t.strip()), mul(piece, t.piece())}),
                                rest(column, t.piece())});
  }

  ir::Function& f_;
  ir::Builder b_;
};

}  // namespace krait::passes
