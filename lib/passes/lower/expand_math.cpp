// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematical functions become their bodies. A body is parsed and simplified once in a process and
// copied to each use; the rare paths that it calls become functions of the module, once each. It
// keeps IEEE semantics operation by operation, so that its bits are the same on every target:
// contraction ran before. Reciprocals that a body marks as `fast` are exact like the rest, but
// where math_targets.def has the function as Approximate.
//
// Where fma of f32 may flush subnormals, most functions keep their bounds all the same. Those that
// are linear near zero lose subnormal arguments, and the arc tangent of a quotient one that is
// subnormal: they are mended. Remainders are exact, and need an exact fma.
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "ir/calls.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"
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
  std::map<std::tuple<Op, Scalar, bool, bool>, const Module*> known;
};
Bodies& bodies() {
  static Bodies& all = *new Bodies;
  return all;
}

const Module* parse_body(Op op, Scalar s, bool fast, bool products) {
  const std::string_view text = math::body(op, s, fast, products);
  if (text.empty()) return nullptr;
  ParseResult parsed = parse(text);
  if (!parsed.error.empty())
    support::fail(error::kind_type::internal, "the body of {} for {}: {}", info(op).name,
                  name_of(s), parsed.error);
  Module& m = parsed.module;
  promote_slots(m);
  expand_math(m, expand_all);  // bodies may use other functions
  fold(m);
  cse(m);
  dce(m);
  return new Module(std::move(m));
}

/// Null where there is no body for that type.
const Module* body_of(Op op, Scalar s, bool fast, bool products) {
  Bodies& all = bodies();
  const auto key = std::tuple(op, s, fast, products);
  {
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.known.find(key); found != all.known.end()) return found->second;
  }
  const Module* made =
      parse_body(op, s, fast, products);  // outside the lock: a body may need other bodies
  const std::lock_guard lock(all.mutex);
  const auto [entry, first] = all.known.emplace(key, made);
  if (!first) delete made;
  return entry->second;
}

constexpr std::uint64_t one = 0x3f800000, smallest_normal = 0x00800000;  // bits of f32

// The formatter joins the last case and the directive behind it.
// clang-format off
/// The slope at zero, as bits of f32, of functions that lose subnormal arguments with an fma that
/// flushes them; 0 of others.
std::uint64_t slope(Op op) {
  switch (op) {
#define FUNCTION1(Name, name)
#define FUNCTION2(Name, name)
#define LINEAR(Name, bits) \
  case Op::Name: return bits;
#include "math/functions.def"
    default: return 0;
  }
}
// clang-format on

void let_fma_flush(Inst& inst) {
  inst.fast |= inst.op == Op::Fma && inst.type.scalar == Scalar::F32;
}

/// The functions that bodies call, as functions of the module. Those of one name are one function,
/// whichever body brings it.
class Imports {
 public:
  explicit Imports(const Module& m) : m_(m) {
    for (std::size_t i = 0; i < m.functions.size(); ++i) numbers_.emplace(m.functions[i].name, i);
  }
  /// The number that a function of `body` gets in the module.
  std::size_t number(const Module& body, std::size_t function, bool flushing) {
    const auto [at, fresh] =
        numbers_.emplace(body.functions[function].name, m_.functions.size() + added_.size());
    if (!fresh) return at->second;
    const std::size_t place = added_.size();
    const std::size_t result = at->second;
    added_.push_back(std::make_unique<Function>(body.functions[function]));
    added_[place]->inherit(m_.kernel());
    for (Inst& i : added_[place]->insts) {
      i.fast = false;  // what is rare is exact
      if (flushing) let_fma_flush(i);
    }
    translate(*added_[place], 0, body, flushing);
    return result;
  }
  /// Calls among the instructions from `first` on are calls of body's functions.
  void translate(Function& f, InstId first, const Module& body, bool flushing) {
    for (InstId i = first; i < f.insts.size(); ++i)
      if (f.insts[i].op == Op::Call) f.insts[i].imm = number(body, f.insts[i].imm, flushing);
  }
  void add_to(Module& m) {
    for (auto& f : added_) m.functions.push_back(std::move(*f));
    if (!added_.empty()) sort_functions(m);
  }

 private:
  const Module& m_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::unique_ptr<Function>> added_;
};

class MathExpander {
 public:
  MathExpander(Function& f, ChooseExpansion choose, bool flushing, Imports& imports)
      : f_(f), b_(f), choose_(choose), flushing_(flushing), imports_(imports) {}
  void run() {
    walk(f_.body);
    results_.apply(f_);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      if (!is_math(f_.insts[i].op) || !expand(i, r)) f_.regions[r].insts.push_back(i);
      const std::vector<RegionId> regions = f_.insts[i].regions;
      for (const RegionId inner : regions) walk(inner);
    }
  }

  bool expand(InstId i, RegionId r) {
    const Inst inst = f_.insts[i];
    const Expansion how = choose_(inst, f_.fp);
    if (how == Expansion::Instructions) return false;
    const Scalar s = inst.type.scalar, computed = info(s).computed;
    const Module* module =
        body_of(inst.op, computed, inst.fast || f_.fp == FpMode::Fast, has_products(inst));
    if (!module) return false;
    const Function* body = &module->kernel();
    b_.at(r);
    b_.location(inst.loc);
    std::vector<ValueId> map(body->values.size(), none);
    for (std::size_t k = 0; k < inst.operands.size(); ++k)
      map[body->params()[k]] = b_.cast(computed, inst.operands[k]);
    const auto first = InstId(f_.insts.size());
    const std::vector<ValueId> result = clone_region(*body, body->body, b_, map, false, false);
    if (how == Expansion::Exact)
      for (std::size_t k = first; k < f_.insts.size(); ++k) f_.insts[k].fast = false;
    const bool flushing =
        flushing_ && computed == Scalar::F32 && inst.op != Op::Fmod && inst.op != Op::Remainder;
    if (flushing)
      for (std::size_t k = first; k < f_.insts.size(); ++k) let_fma_flush(f_.insts[k]);
    if (module->functions.size() > 1) imports_.translate(f_, first, *module, flushing);
    results_.replace(inst.results[0],
                     b_.cast(s, flushing ? mend(inst.op, r, map[body->params()[0]],
                                                map[body->params().back()], result[0])
                                         : result[0]));
    return true;
  }

  /// A second operand that is a constant for which the function is some products. Other constants
  /// keep the whole body: it has the same bits.
  bool has_products(const Inst& inst) const {
    if (inst.operands.size() != 2 || !f_.is_const(inst.operands[1])) return false;
    const std::uint64_t given = f_.const_bits(inst.operands[1]);
    const std::uint64_t bits = inst.type.scalar == Scalar::F64
                                   ? given
                                   : eval(Op::Cast, Scalar::F64, inst.type.scalar, {&given, 1});
    return math::has_products(inst.op, std::bit_cast<double>(bits));
  }

  /// The result of a function that an fma which flushes may have lost.
  ValueId mend(Op op, RegionId r, ValueId x, ValueId y, ValueId result) {
    const Scalar f = Scalar::F32;
    if (const std::uint64_t k = slope(op)) {
      const ValueId small =
          b_.compare(Op::Lt, {b_.unary(Op::Abs, x), b_.constant(f, smallest_normal)});
      return b_.emit(Op::Select, f,
                     {small, k == one ? x : b_.binary(Op::Mul, {x, b_.constant(f, k)}), result});
    }
    if (op != Op::Atan2) return result;
    // Of (x, y), whose quotient is the angle where that is subnormal. Only there, and of zeros, it
    // comes out as zero.
    const ValueId zero = b_.constant(f, 0);
    const ValueId lost =
        b_.binary(Op::And, {b_.compare(Op::Eq, {result, zero}), b_.compare(Op::Gt, {y, zero})});
    const InstId branch = b_.append(Op::If, value_type(f), std::span(&lost, 1));
    const ValueId joined = b_.add_result(branch, value_type(f));
    const RegionId yes = b_.new_region(branch), no = b_.new_region(branch);
    b_.at(yes);
    const ValueId quotient = b_.binary(Op::Div, {x, y});
    b_.append(Op::Yield, {}, std::span(&quotient, 1));
    b_.at(no);
    b_.append(Op::Yield, {}, std::span(&result, 1));
    b_.at(r);
    return joined;
  }

  Function& f_;
  Builder b_;
  ChooseExpansion choose_;
  const bool flushing_;
  Imports& imports_;
  Substitution results_;
};

}  // namespace

void expand_math(Module& m, ChooseExpansion choose, bool flushing) {
  Imports imports(m);
  for (Function& f : m.functions) MathExpander(f, choose, flushing, imports).run();
  imports.add_to(m);
}

}  // namespace krait::passes
