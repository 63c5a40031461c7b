// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A left factor that its threads hold as the product's sums lie, row by row, need not go through
// shared memory: tensor cores take it from registers (PTX ISA, wgmma.mma_async and mma.sync: A of
// m16k16 lies as two blocks of 8 columns of sums do). Then its array, the stores to it and barriers
// that order nothing else go. Other products forget the values and read the array.
#include <algorithm>

#include "ir/tiles.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class LeftValues {
 public:
  LeftValues(Function& f, const TileSupport& has)
      : f_(f), has_(has), uses_(use_counts(f)), stores_(f.values.size(), 0) {}

  void run() {
    for_each_inst(f_, [&](InstId i, RegionId) {
      if (f_.insts[i].op == Op::Store) ++stores_[f_.insts[i].operands[0]];
    });
    for_each_inst(f_, [&](InstId i, RegionId r) {
      Inst& inst = f_.insts[i];
      if (inst.op != Op::Product || left_values(inst).empty()) return;
      if (!has_.left_values || !has_.product(inst, f_.fp) || !lies_well(Product(inst)))
        inst.operands.resize(product_lead + inst.results.size());
      else if (stores_[inst.operands[0]] + 1 == uses_[inst.operands[0]]) kept_.push_back({i, r});
    });
    std::erase_if(kept_, [&](const Kept& k) { return !drop_array(k); });
    for (const Kept& k : kept_) drop_barriers(k);
  }

 private:
  struct Kept {
    InstId product;
    RegionId region;
  };

  bool lies_well(const Product& p) const {
    const std::int64_t threads = f_.block[0] * f_.block[1] * f_.block[2];
    const ThreadTile left = *ThreadTile::of(p.rows, p.depth, threads),
                     sums = *ThreadTile::of(p.rows, p.columns, threads);
    return size_of(p.left) == 2 && left.across == 1 && left.down == sums.down;
  }

  /// Stores that do not all stand in the product's region stay.
  bool drop_array(const Kept& k) {
    std::vector<InstId>& insts = f_.regions[k.region].insts;
    const ValueId array = f_.insts[k.product].operands[0];
    const auto is_its_store = [&](InstId i) {
      return f_.insts[i].op == Op::Store && f_.insts[i].operands[0] == array;
    };
    if (std::uint32_t(std::count_if(insts.begin(), insts.end(), is_its_store)) != stores_[array])
      return false;
    f_.insts[k.product].operands[0] = f_.insts[k.product].operands[2];
    f_.insts[k.product].operands[1] = f_.insts[k.product].operands[3];
    std::erase_if(insts, is_its_store);
    return true;
  }

  /// The second of the barriers orders nothing where there is only arithmetic between it and the
  /// first, and so does the first where the region stores nothing in shared memory.
  void drop_barriers(const Kept& k) {
    std::vector<InstId>& insts = f_.regions[k.region].insts;
    std::vector<InstId> found;  // from the product backwards
    for (auto at = std::find(insts.begin(), insts.end(), k.product); at != insts.begin();) {
      const Op op = f_.insts[*--at].op;
      if (op == Op::Barrier) found.push_back(*at);
      else if (!is_pure(op)) break;
      if (found.size() == 2) break;
    }
    if (found.size() < 2) return;  // the right factor is stored between them
    if (stores_in(k.region)) found.pop_back();
    std::erase_if(insts, [&](InstId i) { return std::count(found.begin(), found.end(), i) != 0; });
  }
  bool stores_in(RegionId r) const {
    bool stores = false;
    for_each_inst(f_, r, [&](InstId i, RegionId) {
      const Inst& inst = f_.insts[i];
      stores = stores || inst.op == Op::Call ||
               (is_access(inst.op) && inst.op != Op::Load &&
                f_.type_of(inst.operands[0]).space == Space::Shared);
    });
    return stores;
  }

  Function& f_;
  const TileSupport& has_;
  std::vector<std::uint32_t> uses_, stores_;  // by value
  std::vector<Kept> kept_;
};

}  // namespace

void left_values(Module& m, const TileSupport& has) {
  for (Function& f : m.functions)
    if (any_inst(f, [](const Inst& i) { return i.op == Op::Product; })) LeftValues(f, has).run();
}

}  // namespace krait::passes
