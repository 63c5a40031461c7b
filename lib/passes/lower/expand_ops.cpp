// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that a target has no instruction for become others: saturating arithmetic and
// conversions, byte_permute, sums of products of bytes and pairs, and those of the warp that need
// more than a ballot and shuffles. What they compute is exact, or in one order that is part of
// their meaning, so that a target that keeps them gives the same bits.
#include <array>
#include <bit>

#include "ir/interp/interp.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

class Expander {
 public:
  Expander(Function& f, bool (*keep)(const Inst&), unsigned warp)
      : f_(f), b_(f), keep_(keep), warp_(warp) {}
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
      if (const ValueId v = is_kept(inst) ? none : expand(inst); v != none)
        results_.replace(inst.results[0], v);
      else f_.regions[r].insts.push_back(i);
      for (const RegionId inner : inst.regions) walk(inner);
    }
  }

  /// Combining lanes rounds in each step: a type that lower_types takes away must not be combined
  /// in a wider one.
  bool is_kept(const Inst& inst) const {
    return keep_(inst) && (info(inst.type.scalar).storage == inst.type.scalar ||
                           (inst.op == Op::CastSat && !is_wide(inst.operands[0])));
  }
  bool is_wide(ValueId v) const { return size_of(f_.type_of(v).scalar) == 8; }

  /// None: the operation stays.
  ValueId expand(const Inst& inst) {
    switch (inst.op) {
      case Op::AddSat:
      case Op::SubSat: return saturating(inst);
      case Op::BytePermute: return byte_permute(inst);
      case Op::DotBytes:
      case Op::DotMixed: return dot_bytes(inst);
      case Op::DotPairs: return dot_pairs(inst);
      case Op::CastSat: return cast_saturating(inst.type.scalar, inst.operands[0]);
      case Op::MatchAny: return match_any(inst.operands[0]);
      case Op::WarpPrefixCount: return prefix_count(inst.operands[0]);
      case Op::WarpScan: return scan(inst, active_lanes());
      case Op::WarpReduce: return reduce(inst);
      default: return none;
    }
  }

  ValueId number(Scalar s, std::uint64_t x) { return b_.constant(s, x & mask_of(s)); }
  ValueId select(Choice of) { return b_.select(of); }

  // Hacker's Delight 2-13: a sum overflows where its sign is neither operand's, a difference where
  // x and y differ in sign and the difference has not the sign of x.
  ValueId saturating(const Inst& inst) {
    const Scalar s = inst.type.scalar;
    const bool sum = inst.op == Op::AddSat;
    const ValueId x = inst.operands[0], y = inst.operands[1],
                  r = b_.binary(sum ? Op::Add : Op::Sub, {x, y});
    if (s == Scalar::U64) {
      // Of bits: the comparison below is wrong on a driver (support/quirks.def).
      const auto inverse = [&](ValueId v) { return b_.emit(Op::Not, s, {v}); };
      const ValueId a = sum ? x : inverse(x), outer = b_.binary(Op::And, {a, y}),
                    inner = b_.binary(Op::Or, {a, y});
      const ValueId carry =
          b_.binary(Op::Or, {outer, b_.binary(Op::And, {inner, sum ? inverse(r) : r})});
      const ValueId all =
          b_.binary(Op::Sub, {number(s, 0), b_.emit(Op::Shr, s, {carry, number(Scalar::U32, 63)})});
      return sum ? b_.binary(Op::Or, {r, all}) : b_.binary(Op::And, {r, inverse(all)});
    }
    if (is_unsigned_int(s))
      return sum ? select({b_.compare(Op::Lt, {r, x}), number(s, ~0ull), r})
                 : select({b_.compare(Op::Lt, {x, y}), number(s, 0), r});
    const ValueId changed = b_.binary(Op::Xor, {x, r}),
                  other = sum ? b_.binary(Op::Xor, {y, r}) : b_.binary(Op::Xor, {x, y});
    const ValueId overflow =
        b_.compare(Op::Lt, {b_.binary(Op::And, {changed, other}), number(s, 0)});
    const ValueId sign = b_.emit(Op::Shr, s, {x, number(Scalar::U32, bits_of(s) - 1)});
    return select({overflow, b_.binary(Op::Xor, {sign, number(s, mask_of(s) >> 1)}), r});
  }

  /// In a type that holds both, where a NaN is on neither side.
  ValueId cast_saturating(Scalar to, ValueId x) {
    if (!is_float(to)) return b_.cast(to, x);
    const Scalar wide = is_wide(x) || size_of(to) == 8 ? Scalar::F64 : Scalar::F32;
    const std::uint64_t bits[] = {largest_finite(to)};
    const ValueId given = b_.cast(wide, x),
                  most = b_.constant(wide, eval(Op::Cast, wide, to, bits)),
                  least = b_.unary(Op::Neg, most);
    const ValueId low = select({b_.compare(Op::Gt, {given, most}), most, given});
    return b_.cast(to, select({b_.compare(Op::Lt, {low, least}), least, low}));
  }

  ValueId byte_permute(const Inst& inst) {
    const Scalar s = inst.type.scalar, u = to_unsigned(s);
    const unsigned size = size_of(s);
    const ValueId x = b_.cast(u, inst.operands[0]), y = b_.cast(u, inst.operands[1]),
                  selector = b_.cast(u, inst.operands[2]);
    ValueId result = none;
    for (unsigned i = 0; i < size; ++i) {
      const ValueId from =
          i ? b_.emit(Op::Shr, u, {selector, number(Scalar::U32, 4 * i)}) : selector;
      const ValueId in_y =
          b_.compare(Op::Ne, {b_.binary(Op::And, {from, number(u, size)}), number(u, 0)});
      const ValueId bits =
          b_.binary(Op::Mul, {b_.binary(Op::And, {from, number(u, size - 1)}), number(u, 8)});
      ValueId byte =
          b_.binary(Op::And, {b_.emit(Op::Shr, u, {select({in_y, y, x}), bits}), number(u, 0xff)});
      if (i) byte = b_.emit(Op::Shl, u, {byte, number(Scalar::U32, 8 * i)});
      result = i ? b_.binary(Op::Or, {result, byte}) : byte;
    }
    return b_.cast(s, result);
  }

  ValueId dot_bytes(const Inst& inst) {
    const Scalar s = inst.type.scalar;
    const bool mixed = inst.op == Op::DotMixed;
    const auto byte = [&](ValueId x, unsigned i, bool is_signed) {
      const auto moved = [&](Op by, Scalar as, ValueId v, unsigned bits) {
        return bits ? b_.emit(by, as, {v, number(Scalar::U32, bits)}) : v;
      };
      const Scalar as = is_signed ? to_signed(s) : to_unsigned(s);
      const unsigned top = bits_of(s) - 8;
      const ValueId word = b_.cast(as, x);
      return b_.cast(
          s, is_signed ? moved(Op::Shr, as, moved(Op::Shl, as, word, top - 8 * i), top)
                       : b_.binary(Op::And, {moved(Op::Shr, as, word, 8 * i), number(as, 0xff)}));
    };
    ValueId sum = inst.operands[2];
    for (unsigned i = 0; i < size_of(s); ++i) {
      const ValueId x = byte(inst.operands[0], i, !mixed && is_signed_int(s)),
                    y = byte(inst.operands[1], i, mixed || is_signed_int(s));
      sum = b_.binary(Op::Add, {sum, b_.binary(Op::Mul, {x, y})});
    }
    return sum;
  }

  ValueId dot_pairs(const Inst& inst) {
    ValueId sum = inst.operands[2];
    for (const bool high : {false, true}) {
      const auto part = [&](ValueId pair) {
        const ValueId bits = high ? b_.binary(Op::And, {pair, number(Scalar::U32, 0xffff0000)})
                                  : b_.emit(Op::Shl, Scalar::U32, {pair, number(Scalar::U32, 16)});
        return b_.emit(Op::Bitcast, Scalar::F32, {bits});
      };
      sum = b_.emit(Op::Fma, Scalar::F32, {part(inst.operands[0]), part(inst.operands[1]), sum});
    }
    return sum;
  }

  // ---- the warp ---------------------------------------------------------------------------------

  ValueId active_lanes() {
    return b_.emit(Op::Ballot, Scalar::U64, {b_.constant(Scalar::Bool, 1)});
  }
  ValueId shuffle(Pair of) {
    return b_.emit(Op::Shuffle, f_.type_of(of.x), std::array{of.x, of.y});
  }
  /// The number of the highest one bit; -1 where there is none.
  ValueId highest(ValueId bits) {
    return b_.binary(Op::Sub, {number(Scalar::I32, 63), b_.emit(Op::Clz, Scalar::I32, {bits})});
  }

  /// Those of the lanes that are below this one.
  ValueId below(ValueId lanes, ValueId lane) {
    const ValueId one = number(Scalar::U64, 1);
    return b_.binary(
        Op::And, {lanes, b_.binary(Op::Sub, {b_.emit(Op::Shl, Scalar::U64, {one, lane}), one})});
  }
  ValueId prefix_count(ValueId counted) {
    const ValueId votes = b_.emit(Op::Ballot, Scalar::U64, {counted}),
                  lane = b_.emit(Op::LaneId, Scalar::I32, {});
    return b_.emit(Op::Popcount, Scalar::I32, {below(votes, lane)});
  }

  /// A ballot for every bit keeps the lanes that agree in it.
  ValueId match_any(ValueId x) {
    const Scalar s = f_.type_of(x).scalar;
    ValueId same = active_lanes();
    const auto keep_equal = [&](ValueId bit) {
      const ValueId votes = b_.emit(Op::Ballot, Scalar::U64, {bit});
      same =
          b_.binary(Op::And, {same, select({bit, votes, b_.emit(Op::Not, Scalar::U64, {votes})})});
    };
    if (s == Scalar::Bool) return keep_equal(x), same;
    const Scalar u = bits_type(s);
    const ValueId bits = s == u ? x : b_.emit(Op::Bitcast, u, {x});
    for (unsigned i = 0; i < bits_of(s); ++i)
      keep_equal(
          b_.compare(Op::Ne, {b_.binary(Op::And, {bits, number(u, 1ull << i)}), number(u, 0)}));
    return same;
  }

  /// Every lane knows the active lane whose value reaches up to just below its own, takes that
  /// value in, and then knows the one below that: pointer jumping (Hillis and Steele, "Data
  /// parallel algorithms", 1986), which needs no gapless lanes.
  ValueId scan(const Inst& inst, ValueId active) {
    const ValueId lane = b_.emit(Op::LaneId, Scalar::I32, {});
    ValueId before = highest(below(active, lane)), sum = inst.operands[0];
    for (unsigned reach = 1; reach < warp_; reach *= 2) {
      const ValueId some = b_.compare(Op::Ge, {before, number(Scalar::I32, 0)}),
                    from = select({some, before, lane});
      sum = select(
          {some,
           b_.emit(combining[inst.imm], f_.type_of(sum), std::array{shuffle({sum, from}), sum}),
           sum});
      if (2 * reach < warp_) before = select({some, shuffle({before, from}), before});
    }
    return sum;
  }

  ValueId reduce_some(const Inst& inst, ValueId active) {
    return shuffle({scan(inst, active), highest(active)});
  }

  /// Of all lanes: in each step a lane combines with the one whose number differs in one bit. The
  /// scan's last lane combines the same ones.
  ValueId reduce_all(const Inst& inst) {
    const ValueId lane = b_.emit(Op::LaneId, Scalar::I32, {});
    ValueId sum = inst.operands[0];
    for (unsigned reach = 1; reach < f_.facts.warp; reach *= 2)
      sum = b_.emit(
          combining[inst.imm], f_.type_of(sum),
          std::array{sum, shuffle({sum, b_.binary(Op::Xor, {lane, number(Scalar::I32, reach)})})});
    return sum;
  }

  ValueId reduce(const Inst& inst) {
    const ValueId active = active_lanes();
    const unsigned lanes = f_.facts.warp;
    if (!std::has_single_bit(lanes) || lanes > 64) return reduce_some(inst, active);
    const ValueId whole = b_.compare(Op::Eq, {active, number(Scalar::U64, ~0ull >> (64 - lanes))});
    const RegionId here = b_.region();
    const InstId branch = b_.append(Op::If, {}, std::span(&whole, 1));
    for (const bool all : {true, false}) {
      b_.at(b_.new_region(branch));
      const ValueId sum = all ? reduce_all(inst) : reduce_some(inst, active);
      b_.append(Op::Yield, {}, std::span(&sum, 1));
    }
    b_.at(here);
    return b_.add_result(branch, f_.type_of(inst.operands[0]));
  }

  Function& f_;
  Builder b_;
  bool (*keep_)(const Inst&);
  unsigned warp_;  // lanes at most
  Substitution results_;
};

}  // namespace

void expand_ops(Module& m, bool (*keep)(const Inst&), unsigned warp) {
  for (Function& f : m.functions) Expander(f, keep, warp).run();
}

}  // namespace krait::passes
