// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared array of tiles, all of one shape, that nothing but copies and products names, may lie as
// a target likes it. Its rows get a piece of 16 bytes more, and their pieces stay in their order:
// rows and columns of pieces meet in few banks then, and whole rows lie in one piece.
#include <bit>
#include <map>

#include "ir/builder.h"
#include "ir/tiles.h"
#include "ir/walk.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Padder {
 public:
  Padder(Function& f, bool (*has)(const Inst&, FpMode)) : f_(f), b_(f), has_(has) {}

  void run() {
    find(f_.body);
    for (auto at = arrays_.begin(); at != arrays_.end();)
      at = at->second.product && at->second.fits ? std::next(at) : arrays_.erase(at);
    if (!arrays_.empty()) rewrite(f_.body);
  }

 private:
  struct Tiles {
    SharedTile tile;
    bool fits = true, product = false;
  };

  void find(RegionId r) {
    for (const InstId id : f_.regions[r].insts) {
      const Inst& i = f_.insts[id];
      for (std::size_t n = 0; n < i.operands.size(); ++n) {
        const Inst* def = f_.def(i.operands[n]);
        if (!def || def->op != Op::Shared) continue;
        const unsigned bytes = f_.type_of(i.operands[n]).elem_bytes;
        if (i.op == Op::CopyTile && n == TileCopy::shared)
          use(i, n, TileCopy(i).tile(bytes), false);
        else if (i.op == Op::Product && n == 0) use(i, n, Product(i).left_tile(), true);
        else if (i.op == Op::Product && n == 2) use(i, n, Product(i).right_tile(), true);
        else arrays_[i.operands[n]].fits = false;
      }
      for (const RegionId inner : i.regions) find(inner);
    }
  }

  void use(const Inst& i, std::size_t operand, const SharedTile& tile, bool product) {
    Tiles& of = arrays_[i.operands[operand]];
    const Inst& array = *f_.def(i.operands[operand]);
    if (of.tile.rows == 0) of.tile = tile;
    const bool same = of.tile.rows == tile.rows && of.tile.columns == tile.columns;
    of.fits = of.fits && same && !tile.padded && array.list.size() == 1 && array.list[0] > 0 &&
              array.list[0] % tile.size() == 0 &&
              is_multiple(i.operands[operand + 1], tile.size()) && (!product || has_(i, f_.fp));
    of.product |= product;
  }
  /// Of numbers of tiles times their size, as krait/tile.h records them.
  bool is_multiple(ValueId offset, std::int64_t size) const {
    if (f_.is_const(offset)) return f_.const_bits(offset) % std::uint64_t(size) == 0;
    const Inst* def = f_.def(offset);
    if (!def) return false;
    if (def->op == Op::Mul)
      for (const ValueId factor : def->operands)
        if (f_.is_const(factor) && f_.const_bits(factor) % std::uint64_t(size) == 0) return true;
    return def->op == Op::Shl && f_.is_const(def->operands[1]) &&
           f_.const_bits(def->operands[1]) < 32 &&
           (std::int64_t(1) << f_.const_bits(def->operands[1])) % size == 0;
  }

  void rewrite(RegionId r) {
    for (const InstId id : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[id].loc);
      if (f_.insts[id].op == Op::Shared) {
        if (const auto at = arrays_.find(f_.insts[id].results[0]); at != arrays_.end())
          f_.insts[id].list[0] = padded(f_.insts[id].list[0]);
      } else if (f_.insts[id].op == Op::CopyTile) {
        TileCopy copy(f_.insts[id]);
        copy.padded |= move(id, TileCopy::shared);
        f_.insts[id].list = copy.list();
      } else if (f_.insts[id].op == Op::Product) {
        Product product(f_.insts[id]);
        product.left_padded |= move(id, 0), product.right_padded |= move(id, 2);
        f_.insts[id].list = product.list();
      }
      f_.regions[r].insts.push_back(id);
      const std::vector<RegionId> regions = f_.insts[id].regions;
      for (const RegionId inner : regions) rewrite(inner);
    }
  }
  static std::int64_t padded(std::int64_t elements) {
    return elements + elements / pieces_of_strip;
  }
  /// Whether the array is padded: then the offset behind it is, too.
  bool move(InstId id, std::size_t operand) {
    if (!arrays_.contains(f_.insts[id].operands[operand])) return false;
    const ValueId offset = f_.insts[id].operands[operand + 1];
    const Scalar s = f_.type_of(offset).scalar;
    ValueId moved;
    if (f_.is_const(offset)) {
      moved = b_.constant(s, std::uint64_t(padded(std::int64_t(f_.const_bits(offset)))));
    } else {
      const ValueId eighth =
          b_.emit(Op::Shr, s, {offset, b_.constant(s, std::countr_zero(pieces_of_strip))});
      moved = b_.binary(Op::Add, {offset, eighth});
    }
    f_.insts[id].operands[operand + 1] = moved;
    return true;
  }

  Function& f_;
  Builder b_;
  bool (*has_)(const Inst&, FpMode);
  std::map<ValueId, Tiles> arrays_;
};

}  // namespace

void pad_tiles(Module& m, bool (*has)(const Inst&, FpMode)) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::CopyTile; })) Padder(f, has).run();
}

}  // namespace krait::passes
