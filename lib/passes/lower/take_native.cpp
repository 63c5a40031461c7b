// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for which there are instructions of PTX. On PTX their bodies go, so that no pass looks
// at what is never compiled; whether a body did more than give its result is noted first. Elsewhere
// the instructions go, and they are functions as others are.
#include "ir/calls.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

/// The function without what it does: it gives zeros.
Function stub(Function& f) {
  Function g = new_function(f.name);
  g.header() = f.header();
  g.locations = f.locations;
  Builder b(g);
  for (const ValueId v : f.params()) b.new_param(g.body, f.type_of(v));
  b.at(g.body);
  std::vector<ValueId> zeros;
  for (const Scalar s : f.results) zeros.push_back(b.constant(s, 0));
  b.append(Op::Yield, {}, zeros);
  return g;
}

}  // namespace

void take_native(Module& m, bool ptx) {
  const Calls calls(m);
  for (std::size_t i = 1; i < m.functions.size(); ++i) {
    Function& f = m.functions[i];
    if (f.native.instructions.empty()) continue;
    if (!ptx) {
      f.native = {};
      continue;
    }
    Inst call;
    call.op = Op::Call, call.imm = i;
    f.native.effects = !calls.is_pure(call);
    f = stub(f);
  }
  sort_functions(m);
}

}  // namespace krait::passes
