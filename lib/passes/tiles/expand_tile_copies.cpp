// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a tile becomes what each thread of the block copies of it: pieces of 16 bytes where the
// view's rows are made of them, else element by element; zeros where it leaves the view, for which
// whole tiles are not tested. A target that copies tiles by itself does so where rows are made of
// pieces.
#include <algorithm>
#include <numeric>

#include "ir/hidden.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/tiles/tile_places.h"
#include "support/tuning/passes.h"

namespace krait::passes {
namespace {

using namespace ir;

class CopyExpander : TilePlaces {
 public:
  CopyExpander(Function& f, const TileSupport& has) : TilePlaces(f), has_(has) {}
  void run() { walk(f_.body); }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      const Inst inst = f_.insts[i];
      for (const RegionId inner : inst.regions) walk(inner);
      b_.at(r);
      b_.location(inst.loc);
      const bool copy = inst.op == Op::CopyTile, kept = copy && has_.tile(inst, f_);
      if (!copy || (kept && !has_.tile_maps)) f_.regions[r].insts.push_back(i);
      else if (kept) keep(i, r);
      else expand(inst);
    }
  }

  ValueId wide(std::int64_t x) { return b_.constant(Scalar::I64, std::uint64_t(x)); }
  ValueId add(ValueId x, ValueId y) { return b_.binary(Op::Add, {x, y}); }
  ValueId both(ValueId x, ValueId y) { return b_.binary(Op::And, {x, y}); }
  ValueId is_multiple(ValueId x, std::int64_t c) {
    return b_.compare(Op::Eq, {b_.binary(Op::Rem, {x, wide(c)}), wide(0)});
  }

  template <class Yes, class No>
  void branch(ValueId condition, const Yes& yes, const No& no) {
    const RegionId here = b_.region();
    const InstId i = b_.append(Op::If, {}, std::span(&condition, 1));
    b_.at(b_.new_region(i));
    yes();
    b_.append(Op::Yield, {}, {});
    b_.at(b_.new_region(i));
    no();
    b_.append(Op::Yield, {}, {});
    b_.at(here);
  }

  struct Copy {
    explicit Copy(const Inst& i, const Function& f)
        : inst(i),
          is(i),
          tile(is.tile(f.type_of(i.operands[TileCopy::shared]).elem_bytes)),
          rank(f.type_of(i.operands[TileCopy::view]).rank) {}
    const Inst& inst;
    TileCopy is;
    SharedTile tile;
    unsigned rank;
    // the first, and how many the view has
    ValueId row = none, column = none, rows = none, columns = none;
  };
  Copy copy_of(const Inst& inst) {
    Copy c(inst, f_);
    const ValueId view = inst.operands[TileCopy::view];
    c.row = b_.cast(Scalar::I64, inst.operands[TileCopy::indices + c.rank - 2]);
    c.column = b_.cast(Scalar::I64, inst.operands[TileCopy::indices + c.rank - 1]);
    c.rows = extent_of(f_, b_, view, c.rank - 2), c.columns = extent_of(f_, b_, view, c.rank - 1);
    return c;
  }

  /// Elements `size` by `size`; tested: those outside of the view become zeros.
  void every(const Copy& c, std::int64_t size, bool tested, bool gathered = false) {
    const std::int64_t threads = f_.block[0] * f_.block[1] * f_.block[2],
                       all = c.is.rows * c.is.columns / size, trips = (all + threads - 1) / threads;
    const ValueId own = thread();
    const auto trip = [&](ValueId e) {
      const ValueId i = add(own, mul(e, threads));
      if (gathered) gather(c, i, all % threads == 0);
      else one(c, i, size, all % threads == 0, tested);
    };
    if (trips <= tuning::passes::copies_written_out && !tested && size > 1 && !gathered) {
      for (std::int64_t e = 0; e < trips; ++e) trip(number(e));
      return;
    }
    repeat(trips, trip);
  }
  /// Element by element: neighbours beside each other in a line of `lanes` elements, of which
  /// several make a row.
  void lines(const Copy& c, bool tested) {
    const std::int64_t lanes = std::gcd(std::gcd(std::int64_t(ThreadTile::warp), c.is.columns),
                                        c.tile.strip()),
                       of_row = c.is.columns / lanes,
                       at_once = f_.block[0] * f_.block[1] * f_.block[2] / lanes,
                       all = c.is.rows * of_row;
    const ValueId own = thread(), lane = rest(own, lanes),
                  offset = b_.cast(Scalar::I32, c.inst.operands[TileCopy::offset]);
    repeat((all + at_once - 1) / at_once, [&](ValueId trip) {
      const ValueId line = binary(Op::Add, {quotient(own, lanes), mul(trip, at_once)});
      const ValueId row = of_row == 1 ? line : binary(Op::Div, {line, number(of_row)}),
                    first = of_row == 1 ? number(0)
                                        : mul(binary(Op::Rem, {line, number(of_row)}), lanes);
      copy(c, {row, add(first, lane), add(add(offset, place(c.tile, row, first)), lane)}, 1, tested,
           all % at_once == 0 ? none : b_.compare(Op::Lt, {line, number(all)}));
    });
  }

  /// Number i of all.
  void one(const Copy& c, ValueId i, std::int64_t size, bool all_there, bool tested) {
    const std::int64_t per_row = c.is.columns / size;
    const ValueId r = binary(Op::Div, {i, number(per_row)}),
                  column = mul(binary(Op::Rem, {i, number(per_row)}), size);
    const ValueId offset = b_.cast(Scalar::I32, c.inst.operands[TileCopy::offset]);
    copy(c, {r, column, add(offset, place(c.tile, r, column))}, size, tested,
         all_there ? none : b_.compare(Op::Lt, {i, number(c.is.rows * per_row)}));
  }
  /// An element of the tile, and where it is in the shared array.
  struct Element {
    ValueId row, column, at;
  };
  /// Of `size` elements from this one on; `there_at_all`: whether the tile has them, if that is to
  /// be tested.
  void copy(const Copy& c, const Element& e, std::int64_t size, bool tested, ValueId there_at_all) {
    const ValueId line = add(c.row, b_.cast(Scalar::I64, e.row)),
                  first = add(c.column, b_.cast(Scalar::I64, e.column));
    ValueId given = number(size);
    if (tested) {
      const ValueId left = b_.binary(Op::Max, {b_.binary(Op::Sub, {c.columns, first}), wide(0)});
      const ValueId there = b_.cast(Scalar::I32, b_.binary(Op::Min, {left, wide(size)}));
      // A negative number is a large one.
      const ValueId inside =
          b_.compare(Op::Lt, {b_.cast(Scalar::U64, line), b_.cast(Scalar::U64, c.rows)});
      given = b_.select({both(inside, b_.compare(Op::Ge, {first, wide(0)})), there, number(0)});
    }
    if (there_at_all != none) given = b_.select({there_at_all, given, number(-1)});
    std::vector<ValueId> operands{c.inst.operands[TileCopy::shared], e.at, given,
                                  c.inst.operands[TileCopy::view]};
    for (unsigned d = 0; d + 2 < c.rank; ++d)
      operands.push_back(c.inst.operands[TileCopy::indices + d]);
    operands.push_back(line), operands.push_back(first);  // anything, where nothing is read
    f_.insts[b_.append(Op::CopyRow, {}, operands)].list = {size};
  }

  /// Piece number i of all, whose elements are loaded one by one.
  void gather(const Copy& c, ValueId i, bool all_there) {
    const std::int64_t piece = c.tile.piece(), per_row = c.is.columns / piece;
    const Type element = value_type(f_.type_of(c.inst.operands[TileCopy::view]).scalar);
    const RegionId here = b_.region();
    if (!all_there) {
      const ValueId there = b_.compare(Op::Lt, {i, number(c.is.rows * per_row)});
      const InstId branch = b_.append(Op::If, {}, std::span(&there, 1));
      const RegionId yes = b_.new_region(branch);
      b_.at(b_.new_region(branch));
      b_.append(Op::Yield, {}, {});
      b_.at(yes);
    }
    const ValueId r = binary(Op::Div, {i, number(per_row)}),
                  column = mul(binary(Op::Rem, {i, number(per_row)}), piece);
    const ValueId line = add(c.row, b_.cast(Scalar::I64, r)),
                  first = add(c.column, b_.cast(Scalar::I64, column));
    const auto within = [&](ValueId at, ValueId extent) {  // a negative number is a large one
      return b_.compare(Op::Lt, {b_.cast(Scalar::U64, at), b_.cast(Scalar::U64, extent)});
    };
    const ValueId in_rows = within(line, c.rows);
    std::vector<ValueId> stored;
    for (std::int64_t e = 0; e < piece; ++e) {
      const ValueId at = add(first, wide(e)), inside = both(in_rows, within(at, c.columns));
      const RegionId before = b_.region();
      const InstId branch = b_.append(Op::If, element, std::span(&inside, 1));
      stored.push_back(b_.add_result(branch, Type(element)));
      b_.at(b_.new_region(branch));
      std::vector<ValueId> operands{c.inst.operands[TileCopy::view]};
      for (unsigned d = 0; d + 2 < c.rank; ++d)
        operands.push_back(b_.cast(Scalar::I64, c.inst.operands[TileCopy::indices + d]));
      operands.push_back(line), operands.push_back(at);
      const ValueId x = b_.emit(Op::Load, element, operands);
      b_.append(Op::Yield, {}, std::span(&x, 1));
      b_.at(b_.new_region(branch));
      const ValueId zero = b_.constant(element.scalar, 0);
      b_.append(Op::Yield, {}, std::span(&zero, 1));
      b_.at(before);
    }
    const ValueId start =
        add(b_.cast(Scalar::I32, c.inst.operands[TileCopy::offset]), place(c.tile, r, column));
    for (std::int64_t e = 0; e < piece; ++e) {
      const ValueId operands[] = {c.inst.operands[TileCopy::shared],
                                  e ? add(start, number(e)) : start, stored[std::size_t(e)]};
      b_.append(Op::Store, element, operands);
    }
    if (!all_there) b_.append(Op::Yield, {}, {});
    b_.at(here);
  }

  void expand(const Inst& inst) {
    const Copy c = copy_of(inst);
    const std::int64_t piece = c.tile.piece();
    const auto fits = [&](ValueId first, std::int64_t count, ValueId of) {
      return both(b_.compare(Op::Ge, {first, wide(0)}),
                  b_.compare(Op::Le, {add(first, wide(count)), of}));
    };
    const auto inside = [&] {
      return both(fits(c.row, c.is.rows, c.rows), fits(c.column, c.is.columns, c.columns));
    };
    // Lanes beside each other have elements beside each other, in the view and in padded rows.
    if (has_.block_sums && c.tile.padded) {
      if (c.is.inside) return lines(c, false);
      return branch(
          inside(), [&] { lines(c, false); }, [&] { lines(c, true); });
    }
    if (c.is.columns % piece != 0) return every(c, 1, !c.is.inside);
    if (c.is.inside && c.is.pieces) return every(c, piece, false);
    const ValueId pieces = both(is_multiple(c.columns, piece), is_multiple(c.column, piece));
    const auto elements = [&] { every(c, has_.pieces ? piece : 1, !c.is.inside, has_.pieces); };
    if (c.is.inside)
      return branch(
          pieces, [&] { every(c, piece, false); }, elements);
    branch(
        pieces,
        [&] {
          branch(
              inside(), [&] { every(c, piece, false); }, [&] { every(c, piece, true); });
        },
        elements);
  }

  /// The host makes no map of a view without elements, or with rows that are not made of pieces;
  /// and a copy that begins within a piece is an illegal instruction on an H100.
  void keep(InstId i, RegionId r) {
    const Inst inst = f_.insts[i];
    const Copy c = copy_of(inst);
    const auto params = f_.params();
    const auto param = std::uint32_t(
        std::find(params.begin(), params.end(), inst.operands[TileCopy::view]) - params.begin());
    const support::TileMapOf which(param, std::uint32_t(c.is.rows));
    const ValueId any =
        both(b_.compare(Op::Gt, {c.rows, wide(0)}), b_.compare(Op::Gt, {c.columns, wide(0)}));
    branch(
        both(any,
             both(is_multiple(c.columns, c.tile.piece()), is_multiple(c.column, c.tile.piece()))),
        [&] {
          f_.insts[i].operands.push_back(
              hidden_parameter(f_, {HiddenKind::TileMap, which.index()}));
          f_.regions[b_.region()].insts.push_back(i);
        },
        [&] { every(c, 1, !c.is.inside); });
    b_.at(r);
  }

  const TileSupport& has_;
};

}  // namespace

void expand_tile_copies(Module& m, const TileSupport& has) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::CopyTile; })) CopyExpander(f, has).run();
}

}  // namespace krait::passes
