// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The invariants of ir.h: sound tables first, so that the rest may follow ids without looking, then
// the tree of regions.
#include <algorithm>

#include "ir/hidden.h"
#include "ir/text/text.h"
#include "ir/verify/rules.h"
#include "support/product.h"

namespace krait::ir {
namespace {

constexpr unsigned max_messages = 20;
constexpr std::size_t max_hidden = 1u << 15;  // ArgumentSlot::param has 16 bits

class Verifier {
 public:
  Verifier(const Module& module, const Function& f, std::string& out)
      : module_(module), f_(f), out_(out) {}

  void run() {
    if (!tables()) return;
    header();
    visible_.assign(f_.values.size(), false);
    region(f_.body, none, none);
  }

 private:
  void report(const std::string& what) {
    if (++messages_ > max_messages) return;
    out_ += "function '" + f_.name + "': " + what + '\n';
  }
  void report(InstId i, const std::string& what) {
    if (messages_ >= max_messages) return void(++messages_);
    report('\'' + print_inst(f_, i, &module_) + "': " + what);
  }
  bool broken(const std::string& what) {
    report("the tables are broken: " + what);
    return false;
  }

  /// Every region and instruction is reached once, every id is in range, every value knows where it
  /// is defined.
  bool tables() {
    if (f_.body >= f_.regions.size()) return broken("there is no body");
    if (f_.regions[f_.body].parent != none) return broken("the body has a parent");
    if (f_.locations.empty()) return broken("there is no unknown location");
    std::vector<bool> regions(f_.regions.size()), insts(f_.insts.size()), values(f_.values.size());
    std::vector<std::pair<RegionId, unsigned>> open{{f_.body, 0}};
    regions[f_.body] = true;
    while (!open.empty()) {
      const auto [r, depth] = open.back();
      open.pop_back();
      if (depth > max_region_depth) return report("regions nest too deeply"), false;
      for (const ValueId v : f_.regions[r].params)
        if (!defines(values, v, none, r)) return broken("a region parameter");
      for (const InstId i : f_.regions[r].insts) {
        if (i >= insts.size() || insts[i])
          return broken("an instruction is missing or stands twice");
        insts[i] = true;
        if (!inst(i, values)) return false;
        for (const RegionId inner : f_.insts[i].regions) {
          if (inner >= regions.size() || regions[inner])
            return broken("a region is missing or stands twice");
          if (f_.regions[inner].parent != i) return broken("a region's parent");
          regions[inner] = true;
          open.emplace_back(inner, depth + 1);
        }
      }
    }
    return true;
  }
  bool inst(InstId i, std::vector<bool>& values) {
    const Inst& inst = f_.insts[i];
    if (unsigned(inst.op) >= op_count) return broken("an operation");
    if (inst.loc >= f_.locations.size()) return broken("a location");
    for (const ValueId v : inst.operands)
      if (v >= values.size()) return broken("an operand");
    for (const ValueId v : inst.results)
      if (!defines(values, v, i, none)) return broken("a result");
    return true;
  }
  bool defines(std::vector<bool>& values, ValueId v, InstId def, RegionId r) const {
    if (v >= values.size() || values[v] || f_.values[v].def != def || f_.values[v].region != r)
      return false;
    return values[v] = true;
  }

  void header() {
    if (!hidden()) return;
    if (f_.given_params().size() > max_given_params)
      report("has more than " + std::to_string(max_given_params) + " parameters");
    for (const ValueId v : f_.params()) {
      const Type& t = f_.type_of(v);
      const bool value = t == value_type(t.scalar) && t.scalar != Scalar::Void;
      const bool by_value = t == argument_type(t.elem_bytes) && t.elem_bytes > 0;
      const bool array =
          (t.space == Space::Global || (f_.called && t.is_array())) && t.rank >= 1 &&
          t.rank <= max_rank &&
          (t.scalar == Scalar::Void ? t.elem_bytes > 0 : t.elem_bytes == size_of(t.scalar));
      if (!value && !by_value && !array)
        report("parameter of type " + text_of(t) + ": " + (f_.called ? "" : "a kernel's ") +
               "parameters are scalars, aggregates and " + (f_.called ? "arrays" : "views") +
               " of rank 1 to 6");
    }
    if (f_.flat && f_.checked)
      report("flat accesses are not checked: check_accesses runs before lower_access");
    if (f_.called) return function_header();
    if (!f_.results.empty() || f_.rare) report("a kernel has no results and is not rare");
    const auto& b = f_.block;
    const bool open = b[0] == 0 && b[1] == 0 && b[2] == 0, fixed = b[0] > 0 && b[1] > 0 && b[2] > 0;
    if (!open && !fixed) report("a fixed block size is positive in all dimensions");
    if (fixed && support::clipped_product(b[0], b[1], b[2]) > support::most_block_threads)
      report("a fixed block has at most " + std::to_string(support::most_block_threads) +
             " threads");
    if (!fits_cluster(f_.cluster))
      report("a cluster has 1 to " + std::to_string(max_cluster) + " blocks");
  }

  /// False where the counts of parameters make no sense.
  bool hidden() {
    if (f_.hidden.size() > f_.params().size() || f_.hidden.size() > max_hidden)
      return report("has more hidden parameters than parameters, or than " +
                    std::to_string(max_hidden)),
             false;
    if (f_.called && !f_.hidden.empty()) report("only a kernel has hidden parameters");
    for (std::size_t k = 0; k < f_.hidden.size(); ++k) {
      const Hidden& what = f_.hidden[k];
      if (unsigned(what.kind) >= support::hidden_kinds)
        return report("has a hidden parameter of an unknown kind"), false;
      const Type& type = f_.type_of(f_.params()[f_.given_params().size() + k]);
      if (!fits(what.kind, type))
        report("the hidden parameter " + text_of(what) + " cannot be of type " + text_of(type));
      if (std::find(f_.hidden.begin(), f_.hidden.begin() + std::ptrdiff_t(k), what) !=
          f_.hidden.begin() + std::ptrdiff_t(k))
        report("has the hidden parameter " + text_of(what) + " twice");
    }
    return true;
  }

  /// Of a function that is called.
  void native() {
    const auto fits = [](Scalar s) {
      return s != Scalar::Void && s != Scalar::Bool && size_of(s) > 1;
    };
    bool all = f_.results.size() <= 1;
    for (const ValueId v : f_.params())
      all = all && f_.type_of(v).is_value() && fits(f_.type_of(v).scalar);
    for (const Scalar s : f_.results) all = all && fits(s);
    if (!all)
      report("instructions of PTX take numbers of 16, 32 or 64 bits, and return at most one");
  }

  void function_header() {
    for (const Scalar s : f_.results)
      if (s == Scalar::Void) report("a result has no type");
    if (!f_.native.instructions.empty()) native();
    if (&f_ == module_.functions.data()) return;  // a body of lib/math stands alone
    const Function& kernel = module_.kernel();
    if (f_.fp != kernel.fp || f_.facts != kernel.facts || f_.checked != kernel.checked ||
        f_.flat != kernel.flat || f_.block != kernel.block || f_.cluster != kernel.cluster)
      report(
          "a called function must have the fp mode, facts, checks, "
          "block and cluster of its kernel");
    if (f_.name.empty()) report("a called function must have a name");
    for (const Function& other : module_.functions)
      if (&other != &f_ && other.name == f_.name) return report("two functions have this name");
  }

  /// `parent` controls the region, `loop` is the innermost loop around.
  void region(RegionId r, InstId parent, InstId loop) {
    const Region& region = f_.regions[r];
    for (const ValueId v : region.params) {
      visible_[v] = true;
      if (r != f_.body && !f_.type_of(v).is_value())
        report("region parameter of type " + text_of(f_.type_of(v)) +
               ": carried values are scalars");
    }
    if (region.insts.empty() || !is_terminator(f_.insts[region.insts.back()].op))
      report((parent == none ? "the body" : "a region of '" + print_inst(f_, parent) + '\'') +
             " does not end in a terminator");
    for (const InstId i : region.insts) {
      const Inst& inst = f_.insts[i];
      for (const ValueId v : inst.operands)
        if (!visible_[v]) report(i, "an operand is not defined before it in an enclosing region");
      if (std::string wrong = broken_rule(module_, f_, inst); !wrong.empty()) report(i, wrong);
      if (is_terminator(inst.op)) terminator(i, i == region.insts.back(), parent, loop);
      if (inst.op == Op::Shared && r != f_.body)
        report(i, "shared arrays are declared in the body itself");
      for (const RegionId inner : inst.regions) this->region(inner, i, is_loop(inst.op) ? i : loop);
      for (const ValueId v : inst.results) visible_[v] = true;
    }
    for (const ValueId v : region.params) visible_[v] = false;
    for (const InstId i : region.insts)
      for (const ValueId v : f_.insts[i].results) visible_[v] = false;
  }

  void terminator(InstId i, bool last, InstId parent, InstId loop) {
    const Inst& inst = f_.insts[i];
    if (!last) report(i, "a terminator stands before the end of its region");
    if (inst.op == Op::Yield) {
      if (parent == none && f_.called) {
        yields(i);
      } else if (parent == none || is_loop(f_.insts[parent].op)) {
        report(i, "yield ends the regions of if and switch");
      } else {
        carried(i, f_.insts[parent].results, "the results");
      }
    } else if (inst.op == Op::Return && f_.called) {
      report(i, "a function that is called ends in yield, not by ending the thread");
    } else if (inst.op == Op::Break || inst.op == Op::Continue) {
      if (loop == none) report(i, "there is no loop around it");
      else carried(i, f_.insts[loop].results, "the carried values of the innermost loop");
    }
  }
  void yields(InstId i) {
    const std::vector<ValueId>& given = f_.insts[i].operands;
    bool equal = given.size() == f_.results.size();
    for (std::size_t k = 0; equal && k < given.size(); ++k)
      equal = f_.type_of(given[k]) == value_type(f_.results[k]);
    if (!equal) report(i, "its operands do not match the function's results");
  }
  void carried(InstId i, const std::vector<ValueId>& expected, const char* what) {
    const std::vector<ValueId>& given = f_.insts[i].operands;
    bool equal = given.size() == expected.size();
    for (std::size_t k = 0; equal && k < given.size(); ++k)
      equal = f_.type_of(given[k]) == f_.type_of(expected[k]);
    if (!equal) report(i, std::string("its operands do not match ") + what);
  }

  const Module& module_;
  const Function& f_;
  std::string& out_;
  std::vector<bool> visible_;
  unsigned messages_ = 0;
};

}  // namespace

std::string verify(const Module& module) {
  std::string out;
  if (module.functions.empty()) out = "the module has no kernel\n";
  for (std::size_t i = 1; i < module.functions.size(); ++i)
    if (!module.functions[i].called)
      out += "function '" + module.functions[i].name + "': a module has one kernel\n";
  for (const Function& f : module.functions) Verifier(module, f, out).run();
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace krait::ir
