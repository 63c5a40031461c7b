// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles and asynchronous copies where a target has no instructions for them: each
// thread computes its elements of a product, one k after the other, and copies become loads and
// stores. The sums are those of the interpreter, bit by bit.
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "passes/tiles/tile_places.h"

namespace krait::passes {
namespace {

using namespace ir;

class TileExpander : TilePlaces {
 public:
  TileExpander(Function& f, const TileSupport& has) : TilePlaces(f), has_(has) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[i].loc);
      const Inst inst = f_.insts[i];
      if (!is_tile_operation(inst.op) || is_kept(inst)) f_.regions[r].insts.push_back(i);
      else expand(inst);
      for (const RegionId inner : inst.regions) walk(inner);
    }
  }

  bool is_kept(const Inst& inst) const {
    if (inst.op == Op::WordProduct) return true;
    if (inst.op == Op::ProductEnd) return has_.product(inst, f_.fp);
    if (inst.op == Op::Product)
      return has_.product(inst, f_.fp) && (!has_.pieces || has_pairs(inst));
    if (is_copy(inst.op)) return f_.facts.contiguous && has_.copy(inst, f_);
    return has_.copies;
  }

  /// Whether a warp's columns are pairs of blocks, of which matrices of 16 by 16 are made.
  bool has_pairs(const Inst& inst) const {
    const Product p(inst);
    return ThreadTile::of(p.rows, p.columns, f_.block[0] * f_.block[1] * f_.block[2])
                   ->column_blocks() %
               2 ==
           0;
  }

  void expand(const Inst& inst) {
    if (inst.op == Op::Product) product(inst);
    if (inst.op == Op::ProductEnd)
      for (std::size_t i = 0; i < inst.results.size(); ++i)
        results_.replace(inst.results[i], inst.operands[i]);
    if (inst.op == Op::CopyRow) copy(inst);
    if (inst.op == Op::CopyBack) copy_back(inst);
  }

  ValueId load(ValueId array, ValueId offset, ValueId index, Scalar sums) {
    const Type element = value_type(f_.type_of(array).scalar);
    const ValueId operands[] = {array, binary(Op::Add, {b_.cast(Scalar::I32, offset), index})};
    return b_.cast(sums, b_.emit(Op::Load, element, operands));
  }

  void product(const Inst& inst) {
    const Product p(inst);
    const ThreadTile tile =
        *ThreadTile::of(p.rows, p.columns, f_.block[0] * f_.block[1] * f_.block[2]);
    const Own first = own(tile);
    const std::vector<ValueId> before(product_sums(inst).begin(), product_sums(inst).end());
    const std::vector<ValueId> all =
        loop(p.depth, before, [&](ValueId k, const std::vector<ValueId>& carried) {
          return step(inst, p, tile, first, k, carried);
        });
    for (std::size_t e = 0; e < all.size(); ++e) results_.replace(inst.results[e], all[e]);
  }

  /// The sums with the products of one k.
  std::vector<ValueId> step(const Inst& inst, const Product& p, const ThreadTile& tile,
                            const Own& first, ValueId k, std::vector<ValueId> next) {
    const Scalar sums = inst.type.scalar;
    std::vector<ValueId> left, right;
    for (std::int64_t r = 0; r < tile.row_blocks() * 2; ++r) {
      const ValueId row = add(first.row, tile.fixed_row(r));
      const ValueId at =
          p.left_transposed ? place(p.left_tile(), k, row) : place(p.left_tile(), row, k);
      left.push_back(load(inst.operands[0], inst.operands[1], at, sums));
    }
    for (std::int64_t c = 0; c < tile.column_blocks() * 2; ++c) {
      const ValueId column = add(first.column, ThreadTile::fixed_column(c));
      const ValueId at =
          p.right_transposed ? place(p.right_tile(), column, k) : place(p.right_tile(), k, column);
      right.push_back(load(inst.operands[2], inst.operands[3], at, sums));
    }
    for (std::int64_t e = 0; e < tile.elements(); ++e) {
      const ValueId x = left[std::size_t(tile.row_of(e))],
                    y = right[std::size_t(tile.column_of(e))];
      ValueId& sum = next[std::size_t(e)];
      sum = is_float(sums) ? b_.emit(Op::Fma, sums, {x, y, sum})
                           : binary(Op::Add, {sum, binary(Op::Mul, {x, y})});
    }
    return next;
  }

  /// The view, and the indices of element number e of the row.
  std::vector<ValueId> in_view(const Inst& inst, ValueId e) {
    const CopyOperands at = copy_operands(inst.op);
    std::vector<ValueId> operands{inst.operands[at.view]};
    for (std::size_t d = at.indices; d < inst.operands.size(); ++d)
      operands.push_back(b_.cast(Scalar::I64, inst.operands[d]));
    operands.back() = binary(Op::Add, {operands.back(), b_.cast(Scalar::I64, e)});
    return operands;
  }
  ValueId from_view(const Inst& inst, ValueId e) {
    return b_.emit(Op::Load,
                   value_type(f_.type_of(inst.operands[copy_operands(inst.op).view]).scalar),
                   in_view(inst, e));
  }

  void copy_back(const Inst& inst) {
    const CopyOperands at = copy_operands(inst.op);
    const ValueId given = b_.cast(Scalar::I32, inst.operands[at.count]),
                  first = b_.cast(Scalar::I32, inst.operands[at.shared + 1]);
    const Type element = value_type(f_.type_of(inst.operands[at.view]).scalar);
    for (std::int64_t e = 0; e < inst.list[0]; ++e) {
      const auto one = [&] {
        const ValueId from[] = {inst.operands[at.shared], add(first, e)};
        const ValueId x = b_.emit(Op::Load, element, from);
        std::vector<ValueId> operands = in_view(inst, number(e));
        operands.push_back(x);
        b_.append(Op::Store, element, operands);
      };
      if (f_.is_const(given) && std::int32_t(f_.const_bits(given)) > e) one();
      else append_if(b_, b_.compare(Op::Gt, {given, number(e)}), one);
    }
  }

  void copy(const Inst& inst) {
    const std::int64_t all = inst.list[0];
    const Type element = value_type(f_.type_of(inst.operands[0]).scalar);
    const ValueId given = b_.cast(Scalar::I32, inst.operands[2]);
    std::vector<ValueId> elements;
    if (f_.is_const(given) && std::int32_t(f_.const_bits(given)) >= all) {
      for (std::int64_t e = 0; e < all; ++e) elements.push_back(from_view(inst, number(e)));
    } else {
      const RegionId here = b_.region();
      const ValueId some = b_.compare(Op::Gt, {given, number(0)});
      const InstId branch = b_.append(Op::If, element, std::span(&some, 1));
      for (std::int64_t e = 0; e < all; ++e)
        elements.push_back(b_.add_result(branch, Type(element)));
      b_.at(b_.new_region(branch));
      std::vector<ValueId> there, zeros;
      const ValueId last = add(given, -1);
      for (std::int64_t e = 0; e < all; ++e) {
        const ValueId at = b_.emit(Op::Min, Scalar::I32, {number(e), last}),
                      x = from_view(inst, at);
        there.push_back(
            b_.select({b_.compare(Op::Lt, {number(e), given}), x, b_.constant(element.scalar, 0)}));
      }
      b_.append(Op::Yield, {}, there);
      b_.at(b_.new_region(branch));
      for (std::int64_t e = 0; e < all; ++e) zeros.push_back(b_.constant(element.scalar, 0));
      b_.append(Op::Yield, {}, zeros);
      b_.at(here);
    }
    const auto store = [&] {
      const ValueId first = b_.cast(Scalar::I32, inst.operands[1]);
      for (std::int64_t e = 0; e < all; ++e) {
        const ValueId operands[] = {inst.operands[0], add(first, e), elements[std::size_t(e)]};
        b_.append(Op::Store, element, operands);
      }
    };
    if (f_.is_const(given)) return store();
    append_if(b_, b_.compare(Op::Ge, {given, number(0)}), store);
  }

  const TileSupport& has_;
  Substitution results_;
};

}  // namespace

void expand_tiles(Module& m, const TileSupport& has) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return is_tile_operation(i.op); }))
      TileExpander(f, has).run();
}

}  // namespace krait::passes
