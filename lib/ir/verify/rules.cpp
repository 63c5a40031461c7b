// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The column Rule of ops.def, and a function for each family of rows whose rule is Custom.
#include "ir/verify/rules.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "ir/report.h"
#include "ir/text/text.h"
#include "ir/verify/tiles.h"

namespace krait::ir {
namespace {

/// One instruction under check. Every check returns empty or what is broken.
class Check {
 public:
  Check(const Module& module, const Function& f, const Inst& inst)
      : module_(module), f_(f), inst_(inst), row_(info(inst.op)) {}

  std::string all() const {
    for (const auto check : {&Check::shape, &Check::attributes, &Check::rule})
      if (std::string wrong = (this->*check)(); !wrong.empty()) return wrong;
    return {};
  }

 private:
  std::size_t count() const { return inst_.operands.size(); }
  const Type& operand(std::size_t i) const { return f_.values[inst_.operands[i]].type; }
  const Type& result(std::size_t i = 0) const { return f_.values[inst_.results[i]].type; }
  /// The scalar type of a plain value, else Void.
  Scalar scalar(std::size_t i) const {
    return operand(i).is_value() ? operand(i).scalar : Scalar::Void;
  }
  bool in_class(Scalar s) const { return takes(row_, s); }
  bool result_is(Scalar s) const { return inst_.results.size() == 1 && result() == value_type(s); }

  std::string classes() const {
    std::string out;
    const auto add = [&](bool has, const char* name) {
      if (has) out += out.empty() ? "" : " or ", out += name;
    };
    add(row_.bools, "bool"), add(row_.ints, "integer"), add(row_.floats, "float");
    return out;
  }
  static std::string needs(std::string what) { return "needs " + std::move(what); }
  std::string gives(Scalar s) const {
    return result_is(s) ? std::string() : needs("one result of type " + std::string(name_of(s)));
  }

  static std::string counted(std::size_t n, const char* one, const char* many) {
    return std::to_string(n) + ' ' + (n == 1 ? one : many);
  }

  std::string shape() const {
    if (row_.arity >= 0 && count() != std::size_t(row_.arity))
      return needs(counted(std::size_t(row_.arity), "operand", "operands") + ", not " +
                   std::to_string(count()));
    if (!inst_.results.empty() && result() != inst_.type)
      return "the instruction's type is not that of its first result";
    const bool typed = inst_.op == Op::Store || inst_.op == Op::StoreVec;
    if (inst_.results.empty() && !typed && inst_.type.scalar != Scalar::Void)
      return "only store and store_vec have a type without a result";
    const std::size_t regions = inst_.op == Op::If       ? 2
                                : is_loop(inst_.op)      ? 1
                                : inst_.op == Op::Switch ? inst_.list.size() + 1
                                                         : 0;
    if (inst_.regions.size() != regions)
      return needs(counted(regions, "region", "regions") + ", not " +
                   std::to_string(inst_.regions.size()));
    for (std::size_t i = 0; i < count(); ++i) {
      const bool place = i == 0 && (takes_array() || inst_.op == Op::Get || inst_.op == Op::Set);
      if (inst_.op == Op::Call && operand(i).is_array()) continue;
      if (is_tile_operation(inst_.op) && operand(i).is_array()) continue;
      if (!place && operand(i).is_slot()) return "a slot may be used only by get and set";
      if (!place && operand(i).is_array()) return "an array is used as a value";
    }
    return {};
  }

  bool takes_array() const {
    const Op op = inst_.op;
    return op == Op::Extent || op == Op::Stride || op == Op::SharedOf ||
           row_.effect == Effect::Read || row_.effect == Effect::Write ||
           row_.effect == Effect::Atomic;
  }

  std::string attributes() const {
    const Op op = inst_.op;
    if (inst_.imm != 0 && row_.number == Number::None) return "has no number as attribute";
    if (!inst_.list.empty() && op != Op::Shared && op != Op::Local && op != Op::Switch &&
        !is_tile_operation(op))
      return "has no list as attribute";
    if (!inst_.text.empty() && row_.family != Family::Report) return "has no text as attribute";
    if (row_.family == Family::Position && inst_.imm > 2) return "the dimension is 0, 1 or 2";
    if (op == Op::Fence && inst_.imm > 2) return "the scope is 0, 1 or 2";
    if (inst_.streaming && row_.effect != Effect::Read && row_.effect != Effect::Write)
      return "only loads and stores are streaming";
    if (inst_.expected != Expected::Nothing && op != Op::If)
      return "only an if is likely or unlikely";
    if (inst_.rolled && op != Op::For) return "only a counted loop is rolled";
    if (inst_.ahead && op != Op::Load) return "only loads fetch ahead";
    if (row_.effect != Effect::Atomic &&
        (inst_.order != Order::Relaxed || inst_.scope != Scope::Device))
      return "only atomics have an order and a scope";
    if (op == Op::AtomicLoad &&
        (inst_.order == Order::Release || inst_.order == Order::AcquireRelease))
      return "a load has nothing to release";
    return {};
  }

  std::string rule() const {
    switch (row_.rule) {
      case Rule::Same: return same();
      case Rule::Compare:
        if (!in_class(scalar(0)) || operand(0) != operand(1))
          return needs("two operands of one " + classes() + " type");
        return gives(Scalar::Bool);
      case Rule::Test:
        return in_class(scalar(0)) ? gives(Scalar::Bool)
                                   : needs("an operand of " + classes() + " type");
      case Rule::Shift:
        if (!is_int(scalar(0)) || !is_int(scalar(1))) return needs("integer operands");
        return gives(scalar(0));
      case Rule::Select:
        if (scalar(0) != Scalar::Bool || !in_class(scalar(1)) || operand(1) != operand(2))
          return needs("a bool and two operands of one type");
        return gives(scalar(1));
      case Rule::Convert:
        if (!in_class(scalar(0))) return needs("an operand of " + classes() + " type");
        return inst_.results.size() == 1 && result().is_value() && result().scalar != Scalar::Void
                   ? ""
                   : needs("one scalar result");
      case Rule::Bits:
        if (!in_class(scalar(0))) return needs("an operand of " + classes() + " type");
        if (inst_.results.size() != 1 || !result().is_value() || !in_class(result().scalar) ||
            size_of(result().scalar) != size_of(scalar(0)))
          return needs("one result of the operand's size, not bool");
        return {};
      case Rule::Count:
        return in_class(scalar(0)) ? gives(Scalar::I32)
                                   : needs("an operand of " + classes() + " type");
      case Rule::Id: return gives(Scalar::I64);
      case Rule::Custom: return custom();
    }
    return {};
  }

  std::string same() const {
    if (!in_class(scalar(0))) return needs("operands of " + classes() + " type");
    for (std::size_t i = 1; i < count(); ++i)
      if (operand(i) != operand(0)) return needs("operands of one type");
    return gives(scalar(0));
  }

  std::string custom() const {
    switch (row_.effect) {
      case Effect::Read: return inst_.op == Op::LoadVec ? vector() : load();
      case Effect::Write: return inst_.op == Op::StoreVec ? vector() : store();
      case Effect::Atomic: return atomic();
      case Effect::Sync:
        if (is_tile_operation(inst_.op)) return broken_tile(f_, inst_);
        if (inst_.op == Op::ClusterBarrier && !f_.in_clusters())
          return needs("a kernel of clusters");
        return inst_.op == Op::BarrierCount ? count_of_bools() : nothing();
      case Effect::Report: return row_.family == Family::Report ? report() : other();
      case Effect::Control: return control();
      case Effect::Call: return call();
      case Effect::Pure:
      case Effect::Cross:
      case Effect::Slot: return other();
    }
    return {};
  }

  std::string other() const {
    const Op op = inst_.op;
    if (op == Op::Const) return constant();
    if (op == Op::Shared || op == Op::Local) return array();
    if (op == Op::Slot || op == Op::Get || op == Op::Set) return slot();
    if (op == Op::WarpSize || op == Op::LaneId) return gives(Scalar::I32);
    if (op == Op::Clock) return gives(Scalar::I64);
    if (op == Op::Nanosleep || op == Op::Poll)
      return scalar(0) == Scalar::U32 ? nothing() : needs("an operand of type u32");
    if (op == Op::Assume) return scalar(0) == Scalar::Bool ? nothing() : needs("a bool operand");
    if (op == Op::Ballot)
      return scalar(0) == Scalar::Bool ? gives(Scalar::U64) : needs("a bool operand");
    if (op == Op::Extent || op == Op::Stride) {
      if (operand(0).space == Space::Cluster) return needs("the shared array itself");
      if (!operand(0).is_array() || inst_.imm >= operand(0).rank)
        return needs("an array and one of its dimensions");
      return gives(Scalar::I64);
    }
    if (op == Op::SharedOf) return shared_of();
    if (op == Op::Shuffle) {
      if (scalar(0) == Scalar::Void || scalar(1) != Scalar::I32)
        return needs("a value and an i32 lane");
      return gives(scalar(0));
    }
    if (op == Op::DotPairs) {
      if (scalar(0) != Scalar::U32 || scalar(1) != Scalar::U32 || scalar(2) != Scalar::F32)
        return needs("two u32 and an f32");
      return gives(Scalar::F32);
    }
    if (op == Op::MatchAny)
      return scalar(0) == Scalar::Void ? needs("a value") : gives(Scalar::U64);
    if (op == Op::WarpReduce || op == Op::WarpScan) {
      if (inst_.imm >= std::size(combining)) return "the attribute is 0 (add) to 5 (xor)";
      const bool bitwise = info(combining[inst_.imm]).bools;
      if (!in_class(scalar(0)) || (bitwise && !is_int(scalar(0))))
        return needs(bitwise ? "an operand of integer type"
                             : "an operand of " + classes() + " type");
      return gives(scalar(0));
    }
    return "has no rule";  // a new Custom row of ops.def comes here until it is given one
  }

  std::string slot() const {
    if (inst_.op == Op::Slot) {
      if (scalar(0) == Scalar::Void) return needs("a first value");
      return inst_.results.size() == 1 && result() == slot_type(scalar(0))
                 ? ""
                 : needs("one result, a slot of the operand's type");
    }
    if (inst_.op == Op::Get)
      return operand(0).is_slot() ? gives(operand(0).scalar) : needs("a slot");
    if (!operand(0).is_slot() || scalar(1) != operand(0).scalar)
      return needs("a slot and a value of its type");
    return nothing();
  }

  std::string report() const {
    std::vector<Scalar> types;
    for (std::size_t i = 0; i < count(); ++i) types.push_back(scalar(i));
    return first({nothing(), misfit(inst_.text, types)});
  }

  std::string nothing() const { return inst_.results.empty() ? "" : "has no result"; }
  std::string count_of_bools() const {
    return scalar(0) == Scalar::Bool ? gives(Scalar::I32) : needs("a bool operand");
  }

  std::string constant() const {
    if (inst_.results.size() != 1 || !result().is_value() || result().scalar == Scalar::Void)
      return needs("one scalar result");
    const unsigned bits = bits_of(result().scalar);
    return bits < 64 && inst_.imm >> bits ? "the constant has more bits than its type" : "";
  }

  std::string array() const {
    const Space space = inst_.op == Op::Shared ? Space::Shared : Space::Local;
    if (inst_.results.size() != 1 || result().space != space)
      return needs("one result, an array in that space");
    const Type& t = result();
    if (t.rank < 1 || t.rank > max_rank || t.rank != inst_.list.size())
      return needs("one to six extents, as many as the rank");
    if (!t.writable) return "the array is writable";
    if (std::string wrong = element(t); !wrong.empty()) return wrong;
    const bool sized_at_launch = space == Space::Shared && inst_.list[0] == 0;
    if (count() != (sized_at_launch ? 1 : 0))
      return needs(sized_at_launch ? "the first extent as operand" : "no operand");
    if (sized_at_launch && scalar(0) != Scalar::I64) return needs("an operand of type i64");
    std::uint64_t bytes = t.elem_bytes;
    for (std::size_t d = 0; d < inst_.list.size(); ++d) {
      const std::int64_t extent = inst_.list[d];
      if (extent < 0 || (extent == 0 && (d > 0 || space == Space::Local)))
        return "extents are positive";
      if (std::uint64_t(extent) > max_array_bytes) return "the array is too large";
      bytes *= extent ? std::uint64_t(extent) : 1;
      if (bytes > max_array_bytes) return "the array is too large";
    }
    return {};
  }
  std::string shared_of() const {
    if (!f_.in_clusters()) return needs("a kernel of clusters");
    if (operand(0).space != Space::Shared || scalar(1) != Scalar::I32)
      return needs("a shared array and an i32 rank");
    Type of = operand(0);
    of.space = Space::Cluster;
    return inst_.results.size() == 1 && result() == of
               ? ""
               : needs("one result, the array in the cluster");
  }
  static std::string element(const Type& t) {
    if (t.scalar == Scalar::Void ? t.elem_bytes == 0 : t.elem_bytes != size_of(t.scalar))
      return "the element has no size, or not that of its type";
    return {};
  }

  /// The array and its indices, which `values` operands follow.
  std::string access(std::size_t values) const {
    if (count() < 1 || !operand(0).is_array()) return needs("an array first");
    const std::size_t indices = f_.flat ? 1 : operand(0).rank;
    if (count() != 1 + indices + values)
      return needs(counted(indices, "index", "indices") +
                   (values ? " and " + counted(values, "value", "values") : "") +
                   " after the array");
    for (std::size_t i = 1; i <= indices; ++i)
      if (!is_int(scalar(i))) return needs("integer indices");
    return {};
  }
  /// `s` at the byte offset lies within an element.
  std::string member(Scalar s) const {
    const Type& t = operand(0);
    if (s == Scalar::Void) return needs("a scalar type");
    if (t.space == Space::Argument)
      return inst_.imm > t.elem_bytes ? "the byte offset leaves the argument" : "";
    if (t.scalar != Scalar::Void)
      return s != t.scalar ? "the type is not that of the elements"
             : inst_.imm   ? "only aggregates have a byte offset"
                           : "";
    return inst_.imm > t.elem_bytes || t.elem_bytes - inst_.imm < size_of(s)
               ? "the byte offset leaves the element"
               : "";
  }
  std::string writable() const { return operand(0).writable ? "" : "the view is read-only"; }

  static std::string first(std::initializer_list<std::string> checks) {
    for (const std::string& c : checks)
      if (!c.empty()) return c;
    return {};
  }

  std::string load() const {
    if (std::string wrong = access(0); !wrong.empty()) return wrong;
    if (inst_.results.size() != 1 || !result().is_value()) return needs("one scalar result");
    return member(result().scalar);
  }
  std::string store() const {
    if (std::string wrong = first({nothing(), access(1)}); !wrong.empty()) return wrong;
    if (std::string wrong = writable(); !wrong.empty()) return wrong;
    if (inst_.type != value_type(scalar(count() - 1))) return "the type is not that of the value";
    return member(inst_.type.scalar);
  }

  std::string vector() const {
    const bool loads = inst_.op == Op::LoadVec;
    if (count() < 2 || !operand(0).is_array()) return needs("an array and a flat index");
    if (!is_int(scalar(1))) return needs("integer indices");
    const bool aggregate = operand(0).scalar == Scalar::Void;
    const Scalar s = aggregate ? inst_.type.scalar : operand(0).scalar;
    if (!in_class(s)) return needs("elements of " + classes() + " type");
    if (operand(0).space == Space::Argument) return needs("a view, shared or local array");
    if (inst_.imm != 0 && !aggregate) return "only aggregates have a byte offset";
    if (inst_.imm >= operand(0).elem_bytes) return "the byte offset leaves the element";
    const std::size_t n = loads ? inst_.results.size() : count() - 2;
    if ((n != 2 && n != 4 && n != 8 && n != 16) || n * size_of(s) > 16)
      return needs("2, 4, 8 or 16 elements, at most 16 bytes");
    for (std::size_t i = 0; i < n; ++i)
      if ((loads ? result(i) : operand(i + 2)) != value_type(s))
        return "the type is not that of the elements";
    if (loads) return {};
    return inst_.type != value_type(s) ? "the type is not that of the elements"
                                       : first({nothing(), writable()});
  }

  std::string atomic() const {
    const std::size_t values = values_of_access(inst_.op);
    if (std::string wrong = access(values); !wrong.empty()) return wrong;
    const Scalar s = values ? scalar(count() - 1) : inst_.type.scalar;
    if (operand(0).space == Space::Local || operand(0).space == Space::Argument)
      return needs("a view or a shared array");
    if (!in_class(s) || size_of(s) < 4)
      return needs("a value of 32- or 64-bit " + classes() + " type");
    if (values == 2 && operand(count() - 2) != value_type(s))
      return needs("two values of one type");
    return first({writable(), member(s), gives(s)});
  }

  std::string control() const {
    for (std::size_t i = 0; i < inst_.results.size(); ++i)
      if (!result(i).is_value() || result(i).scalar == Scalar::Void) return needs("scalar results");
    if (is_terminator(inst_.op)) return nothing();
    if (inst_.op == Op::If)
      return scalar(0) == Scalar::Bool ? plain_regions() : needs("a bool condition");
    if (inst_.op == Op::Switch)
      return first(
          {is_int(scalar(0)) ? "" : needs("an integer selector"), cases(), plain_regions()});
    return loop();
  }

  /// Only functions behind the caller: what calls itself, directly or through others, cannot be
  /// ordered so.
  std::string call() const {
    const auto caller = std::size_t(&f_ - module_.functions.data());
    if (inst_.imm >= module_.functions.size() || !module_.callee(inst_).called)
      return "there is no such function";
    if (inst_.imm <= caller)
      return "a function may call only functions after it: recursion is not supported";
    const Function& callee = module_.callee(inst_);
    if (callee.body >= callee.regions.size()) return "the function has no body";
    const auto params = callee.params();
    if (params.size() != count())
      return needs(counted(params.size(), "operand", "operands") + ", not " +
                   std::to_string(count()));
    for (std::size_t i = 0; i < count(); ++i)
      if (operand(i) != callee.type_of(params[i]))
        return "operand " + std::to_string(i) + " does not have the parameter's type";
    bool same = inst_.results.size() == callee.results.size();
    for (std::size_t i = 0; same && i < callee.results.size(); ++i)
      same = result(i) == value_type(callee.results[i]);
    return same ? "" : "its results are not the function's";
  }

  std::string plain_regions() const {
    for (const RegionId r : inst_.regions)
      if (!f_.regions[r].params.empty()) return "its regions have no parameters";
    return {};
  }

  std::string cases() const {
    const Scalar s = scalar(0);
    const unsigned bits = bits_of(s);
    const std::int64_t high = is_signed_int(s) || bits == 64
                                  ? std::numeric_limits<std::int64_t>::max() >> (64 - bits)
                                  : (std::int64_t(1) << bits) - 1;
    const std::int64_t low = is_signed_int(s) ? -high - 1
                             : bits == 64     ? std::numeric_limits<std::int64_t>::min()
                                              : 0;
    std::vector<std::int64_t> sorted = inst_.list;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return "two cases have one value";
    if (!sorted.empty() && (sorted.front() < low || sorted.back() > high))
      return "a case value is out of range of the selector's type";
    return {};
  }

  std::string loop() const {
    const bool counted = inst_.op != Op::Loop;
    const std::vector<ValueId>& params = f_.regions[inst_.regions[0]].params;
    if (counted && count() < 1) return needs("a bound");
    if (inst_.op == Op::For && scalar(0) != Scalar::U32 && scalar(0) != Scalar::U64)
      return needs("a count of type u32 or u64");
    if (inst_.op == Op::GridStride && scalar(0) != Scalar::I64) return needs("a bound of type i64");
    if (params.size() != count()) return needs("a parameter for each operand");
    for (std::size_t i = 0; i < count(); ++i)
      if (operand(i) != f_.values[params[i]].type)
        return "a parameter's type is not that of its operand";
    const std::size_t carried = count() - (counted ? 1 : 0);
    if (inst_.results.size() != carried) return needs("a result for each carried value");
    for (std::size_t i = 0; i < carried; ++i)
      if (result(i) != operand(i + (counted ? 1 : 0)))
        return "a result's type is not that of its carried value";
    return {};
  }

  const Module& module_;
  const Function& f_;
  const Inst& inst_;
  const OpInfo& row_;
};

}  // namespace

std::string broken_rule(const Module& module, const Function& f, const Inst& inst) {
  return Check(module, f, inst).all();
}

}  // namespace krait::ir
