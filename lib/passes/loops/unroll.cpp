// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/loops/unroll.h"

#include <algorithm>
#include <bit>

namespace krait::passes {

using namespace ir;

bool Unroller::run(const Choose& choose) {
  walk(f_.body, choose);
  results_.apply(f_);
  return done_;
}

void Unroller::walk(RegionId r, const Choose& choose) {
  for (const InstId i : take_insts(f_, r)) {
    const std::vector<RegionId> regions = f_.insts[i].regions;
    for (const RegionId inner : regions) walk(inner, choose);
    b_.at(r);
    const bool asked = f_.insts[i].op == Op::For && has_one_end(i);
    const Choice how = asked ? choose(i) : Choice{};
    if (how.width == 1 || !unroll(i, how)) f_.regions[r].insts.push_back(i);
  }
}

bool Unroller::has_one_end(InstId loop) const {
  if (loop >= exits_.breaks.size()) return false;
  const std::vector<InstId>& continues = exits_.continues[loop];
  return exits_.breaks[loop].empty() && continues.size() == 1 &&
         continues[0] == f_.regions[f_.insts[loop].regions[0]].insts.back();
}

/// True: nothing is left of the loop itself.
bool Unroller::unroll(InstId loop, const Choice& how) {
  const unsigned width = how.width;
  const ValueId trips = f_.insts[loop].operands[0];
  const bool known = f_.is_const(trips);
  if (known && f_.const_bits(trips) < width) return false;
  done_ = true;
  for_each_inst(f_, f_.insts[loop].regions[0],
                // loops inside may be gone
                [&](InstId i, RegionId) { resolve(results_, f_.insts[i]); });

  if (how.most) return unroll_to_most(loop, how), true;
  const Scalar s = f_.type_of(trips).scalar;
  b_.location(f_.insts[loop].loc);
  const RegionId outside = b_.region(), body = f_.insts[loop].regions[0];
  std::vector<ValueId> carried(f_.insts[loop].operands.begin() + 1, f_.insts[loop].operands.end());
  const auto finish = [&] {
    for (std::size_t k = 0; k < carried.size(); ++k)
      results_.replace(f_.insts[loop].results[k], carried[k]);
    return true;
  };
  // All trips at once where there are no more.
  if (known && f_.const_bits(trips) == width) {
    carried = copies(body, b_.constant(s, 0), carried, how, width);
    return finish();
  }
  const ValueId bits = b_.constant(s, unsigned(std::countr_zero(width)));
  const ValueId whole = b_.binary(Op::Shr, {trips, bits}), done = b_.binary(Op::Shl, {whole, bits});
  std::vector<ValueId> operands{whole};
  operands.insert(operands.end(), carried.begin(), carried.end());
  const InstId wide = b_.append(Op::For, {}, operands);
  f_.insts[wide].rolled = how.rolled;
  const RegionId into = b_.new_region(wide);
  const ValueId group = b_.new_param(into, f_.type_of(trips));
  std::vector<ValueId> inside;
  for (const ValueId v : carried) inside.push_back(b_.new_param(into, f_.type_of(v)));
  for (ValueId& v : carried) v = b_.add_result(wide, f_.type_of(v));
  b_.at(into);
  const std::vector<ValueId> next =
      copies(body, b_.binary(Op::Shl, {group, b_.constant(s, unsigned(std::countr_zero(width)))}),
             inside, how, width);
  b_.append(Op::Continue, {}, next);
  b_.at(outside);
  if (known && f_.const_bits(trips) % width == 0) return finish();
  // The rest, by the loop itself, which counts on.
  Inst& rest = f_.insts[loop];
  rest.rolled = true;
  for (std::size_t k = 0; k < carried.size(); ++k) rest.operands[1 + k] = carried[k];
  const ValueId left = b_.binary(Op::Sub, {trips, done});
  f_.insts[loop].operands[0] = left;
  count_on(f_, b_, body, done);
  b_.at(outside);
  return false;
}

void Unroller::unroll_to_most(InstId loop, const Choice& how) {
  const Inst original = f_.insts[loop];
  const ValueId trips = original.operands[0];
  const Scalar s = f_.type_of(trips).scalar;
  const RegionId outside = b_.region();
  b_.location(original.loc);
  const InstId once = b_.append(Op::Loop, {}, std::span(original.operands).subspan(1));
  const RegionId into = b_.new_region(once);
  std::vector<ValueId> carried;
  for (const ValueId v : original.results) carried.push_back(b_.new_param(into, f_.type_of(v)));
  for (const ValueId v : original.results) results_.replace(v, b_.add_result(once, f_.type_of(v)));
  for (unsigned k = 0; k < how.width; ++k) {
    b_.at(into);
    const ValueId number = b_.constant(s, k), over = b_.compare(Op::Le, {trips, number});
    const InstId test = b_.append(Op::If, {}, std::span(&over, 1));
    b_.at(b_.new_region(test));
    b_.append(Op::Break, {}, carried);
    b_.at(b_.new_region(test));
    b_.append(Op::Yield, {}, {});
    b_.at(into);
    carried = copies(original.regions[0], number, carried, how, 1);
  }
  b_.append(Op::Break, {}, carried);
  b_.at(outside);
}

/// The body one time after another; what the last one carries on.
std::vector<ValueId> Unroller::copies(RegionId body, ValueId first, std::vector<ValueId> carried,
                                      const Choice& how, unsigned count) {
  std::vector<std::vector<ValueId>> loaded(f_.insts.size());
  const std::vector<InstId> insts = f_.regions[body].insts;
  const Scalar s = f_.type_of(first).scalar;
  for (unsigned k = 0; k < count; ++k) {
    std::vector<ValueId> map(f_.values.size(), none);
    map[f_.regions[body].params[0]] =
        k == 0 ? first : b_.binary(Op::Add, {first, b_.constant(s, k)});
    for (std::size_t c = 0; c < carried.size(); ++c)
      map[f_.regions[body].params[1 + c]] = carried[c];
    for (const InstId i : insts) {
      const Inst inst = f_.insts[i];
      if (is_terminator(inst.op)) {
        for (std::size_t c = 0; c < carried.size(); ++c) carried[c] = mapped(map, inst.operands[c]);
        continue;
      }
      b_.location(inst.loc);
      if (!std::count(how.rows.begin(), how.rows.end(), i)) {
        clone_inst(f_, i, b_, map);
        continue;
      }
      if (k == 0) {
        const ValueId operands[] = {inst.operands[0], mapped(map, inst.operands[1])};
        const InstId wide = b_.append(Op::LoadVec, inst.type, operands);
        f_.insts[wide].streaming = inst.streaming;
        for (unsigned e = 0; e < how.width; ++e)
          loaded[i].push_back(b_.add_result(wide, inst.type));
      }
      set_mapped(map, inst.results[0], loaded[i][k]);
    }
  }
  return carried;
}

}  // namespace krait::passes
