// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/weight.h"

#include <algorithm>

#include "ir/walk.h"

namespace krait::ir {
namespace {

constexpr unsigned trips = 16, most = 1u << 20;

unsigned weight_of(const Module& m, const Inst& inst, const Function& f) {
  unsigned total = 1;
  for (const RegionId r : inst.regions) total = std::min(total + weight(m, f, r), most);
  if (inst.op == Op::Div || inst.op == Op::Rem || inst.op == Op::Sqrt) total += 8;
  if (info(inst.op).math) total += 20;  // its body
  if (inst.op == Op::Call) total += weight(m, m.callee(inst), m.callee(inst).body);
  return is_loop(inst.op) ? total * trips : total;
}

}  // namespace

unsigned weight(const Module& m, const Function& f, RegionId region) {
  unsigned total = 0;
  for (const InstId i : f.regions[region].insts) total = std::min(total + weight_of(m, f.insts[i], f), most);
  return total;
}

double weight(const Module& m, bool& strides) {
  strides = false;
  for_each_inst(m.kernel(), [&](InstId i, RegionId) { strides = strides || m.kernel().insts[i].op == Op::GridStride; });
  return double(weight(m, m.kernel(), m.kernel().body)) / (strides ? trips : 1);
}

}  // namespace krait::ir
