// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions become their bodies. A body is parsed and simplified once in a process and copied to each use. It keeps
// IEEE semantics operation by operation, so that its bits are the same on every target: contraction ran before. Reciprocals that a
// body marks as `fast` are exact like the rest, but where math_targets.def has the function as Approximate.
#include <map>
#include <mutex>
#include <tuple>

#include "ir/text.h"
#include "math/bodies.h"
#include "passes/passes.h"
#include "passes/rewrite.h"
#include "support/error.h"

namespace krait::passes {
namespace {

using namespace ir;

/// The bodies asked for so far; leaked, so that it outlives every thread that compiles.
struct Bodies {
  std::mutex mutex;
  std::map<std::tuple<Op, Scalar, bool>, const Function*> known;
};
Bodies& bodies() {
  static Bodies& all = *new Bodies;
  return all;
}

const Function* parse_body(Op op, Scalar s, bool fast) {
  const std::string_view text = math::body(op, s, fast);
  if (text.empty()) return nullptr;
  ParseResult parsed = parse(text);
  if (!parsed.error.empty())
    support::fail(error::kind_type::internal, "the body of {} for {}: {}", info(op).name, name_of(s), parsed.error);
  Module& m = parsed.module;
  promote_slots(m);
  expand_math(m, expand_all);  // bodies may use other functions
  fold(m);
  cse(m);
  dce(m);
  return new Function(std::move(m.kernel()));
}

/// Null where there is no body for that type.
const Function* body_of(Op op, Scalar s, bool fast) {
  Bodies& all = bodies();
  const auto key = std::tuple(op, s, fast);
  {
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.known.find(key); found != all.known.end()) return found->second;
  }
  const Function* made = parse_body(op, s, fast);  // outside the lock: a body may need other bodies
  const std::lock_guard lock(all.mutex);
  const auto [entry, first] = all.known.emplace(key, made);
  if (!first) delete made;
  return entry->second;
}

class Expander {
 public:
  Expander(Function& f, ChooseExpansion choose) : f_(f), b_(f), choose_(choose) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      if (!info(f_.insts[i].op).math || !expand(i, r)) f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  bool expand(InstId i, RegionId r) {
    const Inst inst = f_.insts[i];
    const Expansion how = choose_(inst, f_.fp);
    if (how == Expansion::Instructions) return false;
    const Scalar s = inst.type.scalar, computed = s == Scalar::F16 ? Scalar::F32 : s;
    const Function* body = body_of(inst.op, computed, inst.fast || f_.fp == FpMode::Fast);
    if (!body) return false;
    b_.at(r);
    b_.location(inst.loc);
    std::vector<ValueId> map(body->values.size(), none);
    for (std::size_t k = 0; k < inst.operands.size(); ++k) map[body->params()[k]] = b_.cast(computed, inst.operands[k]);
    const std::size_t first = f_.insts.size();
    const std::vector<ValueId> result = clone_region(*body, body->body, b_, map, false, false);
    if (how == Expansion::Exact)
      for (std::size_t k = first; k < f_.insts.size(); ++k) f_.insts[k].fast = false;
    results_.replace(inst.results[0], b_.cast(s, result[0]));
    return true;
  }

  Function& f_;
  Builder b_;
  ChooseExpansion choose_;
  Substitution results_;
};

}  // namespace

void expand_math(Module& m, ChooseExpansion choose) {
  for (Function& f : m.functions) Expander(f, choose).run();
}

}  // namespace krait::passes
