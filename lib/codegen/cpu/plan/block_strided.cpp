// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/block_strided.h"

#include <cstdlib>

#include "ir/walk.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using ir::Scalar;
using ir::ValueId;

// of c: a thread's place and c make no sum beyond 32 bits
constexpr std::int64_t farthest = 1 << 30;

/// What a value is to a sweep: the same in the block; the thread's place or the trip's number times
/// the width, which count only together, as the element's; or anything that differs between
/// threads.
enum class Class : std::uint8_t { Same, Place, Trip, Steps, Varying };

class Finder {
 public:
  Finder(const ir::Function& f, const ir::Calls& calls)
      : f_(f),
        calls_(calls),
        holders_(ir::holders(f)),
        classes_(f.values.size(), Class::Same),
        loose_(f.values.size()) {
    s_.needed.assign(f.insts.size(), false);
  }

  std::optional<BlockStridedLoop> find() {
    if (!find_loop(f_.body) || s_.loop == ir::none || !match_trips()) return {};
    need_region(f_.body);
    if (!is_safe(s_.bound) || !classify(f_.body, false) || classes_[s_.bound] != Class::Same)
      return {};
    return std::move(s_);
  }

 private:
  /// The kernel's only loop with effects, under conditions alone.
  bool find_loop(ir::RegionId r) {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      if (inst.op == Op::For) {
        if (s_.loop != ir::none || inst.operands.size() != 1 || leaves(inst.regions[0], true))
          return false;
        s_.loop = i;
        continue;
      }
      if (inst.op == Op::If) {
        for (const ir::RegionId side : inst.regions)
          if (!find_loop(side)) return false;
      } else if (!inst.regions.empty() || inst.op == Op::Unreachable ||
                 (inst.op == Op::Return && r != f_.body)) {
        return false;
      } else if (!ir::is_terminator(inst.op) && !calls_.is_pure(inst) &&
                 !ir::reads_constants(f_, inst)) {
        return false;
      }
    }
    return true;
  }
  /// Jumps out of the loop, or an array of the thread, whose next trip is another lane's.
  bool leaves(ir::RegionId r, bool own) const {
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      if (inst.op == Op::Return || (own && inst.op == Op::Break) || inst.op == Op::Local ||
          inst.op == Op::Shared)
        return true;
      for (const ir::RegionId inner : inst.regions)
        if (leaves(inner, own && !ir::is_loop(inst.op))) return true;
    }
    return false;
  }
  bool wide(ValueId v) const { return ir::is_int(f_.type_of(v).scalar) && bits(v) >= 32; }
  unsigned bits(ValueId v) const { return ir::bits_of(f_.type_of(v).scalar); }
  const ir::Inst* def(ValueId v, Op op) const {
    const ir::Inst* inst = f_.def(v);
    return inst && inst->op == op ? inst : nullptr;
  }
  /// Without casts between integers that hold a thread's place.
  ValueId stripped(ValueId v) const {
    for (const ir::Inst* cast; wide(v) && (cast = def(v, Op::Cast)) && wide(cast->operands[0]);)
      v = cast->operands[0];
    return v;
  }
  std::optional<std::int64_t> constant(ValueId v) const {
    if (!f_.is_const(v) || !wide(v)) return {};
    const std::uint64_t bits_of_it = f_.const_bits(v);
    if (bits(v) == 64) return std::int64_t(bits_of_it);
    if (ir::is_signed_int(f_.type_of(v).scalar)) return std::int32_t(std::uint32_t(bits_of_it));
    return std::uint32_t(bits_of_it);
  }
  bool is_constant(ValueId v, std::int64_t n) const {
    const auto c = constant(v);
    return c && *c == n;
  }
  bool is_minus_one(ValueId v) const {
    return f_.is_const(v) && wide(v) &&
           f_.const_bits(v) << (64 - bits(v)) == ~std::uint64_t(0) << (64 - bits(v));
  }
  bool is_width(ValueId v) const {
    if (f_.is_const(v)) return f_.block[0] > 0 && is_constant(v, f_.block[0]);
    const ir::Inst* d = f_.def(stripped(v));
    return d && d->op == Op::BlockDim && d->imm == 0;
  }
  /// x divided by, or times, the width.
  bool by_width(const ir::Inst& inst, Op op, Op shift) const {
    if (inst.op == op) return is_width(inst.operands[1]);
    const auto by = inst.op == shift ? constant(inst.operands[1]) : std::nullopt;
    return by && *by >= 0 && *by < 31 && f_.block[0] == std::int64_t(1) << *by;
  }
  /// thread_idx.x + c.
  std::optional<std::int64_t> place(ValueId v) const {
    v = stripped(v);
    const ir::Inst* d = f_.def(v);
    if (!d) return {};
    if (d->op == Op::ThreadIdx && d->imm == 0) return 0;
    if (d->op != Op::Add || !wide(v)) return {};
    const auto c = constant(d->operands[1]);
    const ir::Inst* thread = f_.def(stripped(d->operands[0]));
    if (!c || !thread || thread->op != Op::ThreadIdx || thread->imm != 0 || std::abs(*c) > farthest)
      return {};
    if (*c < 0 && !ir::is_signed_int(f_.type_of(v).scalar)) return {};
    return c;
  }

  /// select(lt(i, bound), (bound - i - 1) / width + 1, 0), as a range is recorded and narrowed.
  bool match_trips() {
    const ir::Inst* choice = def(f_.insts[s_.loop].operands[0], Op::Select);
    if (!choice || !is_constant(choice->operands[2], 0)) return false;
    const ir::Inst *below = def(choice->operands[0], Op::Lt),
                   *more = def(choice->operands[1], Op::Add);
    if (!below || !more || !is_constant(more->operands[1], 1)) return false;
    const ir::Inst* quotient = f_.def(more->operands[0]);
    if (!quotient || (quotient->op != Op::Div && quotient->op != Op::Shr) ||
        !by_width(*quotient, Op::Div, Op::Shr))
      return false;
    const ir::Inst* less = def(quotient->operands[0], Op::Add);
    if (!less || !is_minus_one(less->operands[1])) return false;
    const ir::Inst* apart = def(less->operands[0], Op::Sub);
    if (!apart || ir::is_signed_int(apart->type.scalar)) return false;
    const auto of_same_bits = [&](ValueId v) {
      const ir::Inst* cast = def(v, Op::Cast);
      return cast && wide(cast->operands[0]) && bits(cast->operands[0]) == bits(v)
                 ? cast->operands[0]
                 : v;
    };
    s_.bound = of_same_bits(apart->operands[0]);
    const ValueId from = of_same_bits(apart->operands[1]);
    const auto c = place(from), compared = place(below->operands[0]);
    if (!c || !compared || *c != *compared || stripped(below->operands[1]) != stripped(s_.bound))
      return false;
    if (f_.type_of(from).scalar != f_.type_of(s_.bound).scalar) return false;
    s_.first = *c;
    // The comparison is the bound's own, or of fewer bits, where an extent is known to have no
    // more.
    const Scalar s = f_.type_of(s_.bound).scalar, in = f_.type_of(below->operands[1]).scalar;
    return s == in || (f_.facts.small && def(s_.bound, Op::Extent) && ir::is_signed_int(in));
  }

  /// What is needed for effects, and for what chooses whether there are any.
  bool need_region(ir::RegionId r) {
    bool any = false;
    for (const ir::InstId i : f_.regions[r].insts) {
      const ir::Inst& inst = f_.insts[i];
      bool needed = i == s_.loop || ir::is_terminator(inst.op);
      if (inst.op == Op::If)
        for (const ir::RegionId side : inst.regions) needed = need_region(side) || needed;
      any = any || (needed && !ir::is_terminator(inst.op));
      if (!needed) continue;
      s_.needed[i] = true;
      if (i == s_.loop) {
        ir::for_each_inst(f_, inst.regions[0], [&](ir::InstId inner, ir::RegionId) {
          s_.needed[inner] = true;
          for (const ValueId v : f_.insts[inner].operands) need_value(v);
        });
      } else {
        for (const ValueId v : inst.operands) need_value(v);
      }
    }
    return any;
  }
  void need_value(ValueId v) {
    const ir::InstId i = f_.values[v].def;
    if (i == ir::none || s_.needed[i]) return;
    s_.needed[i] = true;
    for (const ValueId operand : f_.insts[i].operands) need_value(operand);
  }
  /// Whether the bound can be computed in front of everything else, whatever conditions there are.
  bool is_safe(ValueId v) {
    const ir::Inst* d = f_.def(v);
    if (!d) return true;
    need_value(v);
    if (!d->regions.empty() || !(calls_.is_pure(*d) || (ir::reads_constants(f_, *d) &&
                                                        holders_[f_.values[v].def] == f_.body)))
      return false;
    for (const ValueId operand : d->operands)
      if (!f_.type_of(operand).is_array() && !is_safe(operand)) return false;
    return true;
  }

  /// Whether places and trips meet in elements' numbers only.
  bool classify(ir::RegionId r, bool inside) {
    for (const ir::InstId i : f_.regions[r].insts) {
      if (!s_.needed[i]) continue;
      const ir::Inst& inst = f_.insts[i];
      if (i == s_.loop) {
        classes_[f_.regions[inst.regions[0]].params[0]] = Class::Trip;
        if (!classify(inst.regions[0], true)) return false;
        continue;
      }
      // What the operands are made of decides for the operation.
      bool parts = false, varies = false;
      for (const ValueId v : inst.operands) {
        const Class c = classes_[v];
        parts = parts || c == Class::Place || c == Class::Trip || c == Class::Steps;
        varies = varies || c == Class::Varying;
      }
      if (!inside && (varies || (parts && !inst.regions.empty()))) return false;
      // A place or a trip's number may be combined to an element's number, and not used otherwise.
      if (parts) {
        if (inst.results.size() != 1 || !inst.regions.empty() || !combine(inst)) return false;
        continue;
      }
      Class c = varies ? Class::Varying : Class::Same;
      switch (inst.op) {
        case Op::ThreadIdx: c = inst.imm == 0 ? Class::Place : Class::Same; break;
        case Op::GlobalId:
          if (inst.imm == 0) return false;
          break;
        default:
          if (ir::is_barrier(inst.op) || ir::is_warp_operation(inst.op) || inst.op == Op::LaneId ||
              inst.op == Op::Uniform)
            return false;
          if (inside && ir::info(inst.op).effect != ir::Effect::Pure) c = Class::Varying;
      }
      // Within the loop a nested region may differ from trip to trip in all that it gives.
      if (inside && !inst.regions.empty()) {
        c = Class::Varying;
        for (const ir::RegionId body : inst.regions) {
          for (const ValueId v : f_.regions[body].params) classes_[v] = Class::Varying;
          if (!classify(body, true)) return false;
        }
      } else {
        for (const ir::RegionId body : inst.regions)
          if (!classify(body, false)) return false;
      }
      for (const ValueId v : inst.results) classes_[v] = c;
    }
    return true;
  }

  /// An operation on a place, a trip's number or its multiple, modulo the type's size: only trips'
  /// numbers that have kept all bits get wider.
  bool combine(const ir::Inst& inst) {
    const ValueId result = inst.results[0], a = inst.operands[0];
    if (!wide(result) || !wide(a)) return false;
    const Class x = classes_[a];
    const auto give = [&](Class c, bool loose = true) {
      classes_[result] = c, loose_[result] = loose;
      return true;
    };
    if (inst.op == Op::Cast) {
      if (bits(result) > bits(a) && (x != Class::Trip || loose_[a])) return false;
      return give(x, loose_[a] || bits(result) < bits(a));
    }
    if (inst.operands.size() != 2) return false;
    const ValueId b = inst.operands[1];
    const Class y = classes_[b];
    if (x == Class::Trip)
      return y == Class::Same && by_width(inst, Op::Mul, Op::Shl) && give(Class::Steps);
    if (inst.op == Op::Mul) return y == Class::Trip && is_width(a) && give(Class::Steps);
    if (inst.op != Op::Add && inst.op != Op::Sub) return false;
    const bool add = inst.op == Op::Add;
    if (add &&
        ((x == Class::Place && y == Class::Steps) || (x == Class::Steps && y == Class::Place)))
      return give(Class::Varying);
    if ((x == Class::Place || x == Class::Steps) && y == Class::Same) return give(x);
    return add && x == Class::Same && (y == Class::Place || y == Class::Steps) && give(y);
  }

  const ir::Function& f_;
  const ir::Calls& calls_;
  const std::vector<ir::RegionId> holders_;
  std::vector<Class> classes_;
  std::vector<bool> loose_;  // has lost upper bits
  BlockStridedLoop s_;
};

}  // namespace

std::optional<BlockStridedLoop> find_sweep(const ir::Function& f, const ir::Calls& calls) {
  return Finder(f, calls).find();
}

}  // namespace krait::codegen::cpu
