// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that back ends know as integers (the column Storage of types.def, and halves on devices
// without) become those. Arithmetic on them is done in the type of the column Computed, f32, and
// rounded back by integer operations, whose results are the same bits on every target.
//
// f32 holds more than twice the digits plus two, so an operation that is rounded to f32 and then to
// the type is as if rounded once (Figueroa, "When is double rounding innocuous?", 1995). What f32
// does not hold is rounded to odd there first, which keeps what the second rounding has to know
// (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#include <algorithm>
#include <bit>
#include <span>

#include "ir/interp/interp.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace krait::passes {
namespace {

using namespace ir;

/// What back ends know a type as.
struct Storage {
  SmallFloats has;
  Scalar operator()(Scalar s) const {
    return s == Scalar::F16 && !has.halves ? Scalar::U16 : info(s).storage;
  }
  /// Converted by instructions.
  bool converts(Scalar s) const { return has.float8 && is_float(s) && size_of(s) == 1; }
};

class TypeLowerer {
 public:
  TypeLowerer(Function& f, Storage storage) : f_(f), b_(f), storage_(storage) {}
  void run() {
    // What is new has its types already.
    const std::size_t values = f_.values.size(), insts = f_.insts.size();
    walk(f_.body);
    results_.apply(f_);
    const auto store = [&](Scalar& s) { s = storage_(s); };
    for (Value& v : std::span(f_.values).first(values)) store(v.type.scalar);
    for (Inst& i : std::span(f_.insts).first(insts)) store(i.type.scalar);
    for (Scalar& s : f_.results) store(s);
  }

 private:
  void walk(RegionId r) {
    for (const InstId i : take_insts(f_, r)) {
      b_.at(r);
      b_.location(f_.insts[i].loc);
      if (info(f_.insts[i].op).family == Family::Report)
        for (std::size_t k = 0; k < f_.insts[i].operands.size(); ++k)
          f_.insts[i].operands[k] = wide(f_.insts[i].operands[k]);
      const Inst inst = f_.insts[i];
      if (const ValueId v = expand(inst); v != none) results_.replace(inst.results[0], v);
      else f_.regions[r].insts.push_back(i);
      for (const RegionId inner : inst.regions) walk(inner);
    }
  }

  bool is_stored(Scalar s) const { return storage_(s) != s; }
  Scalar type_of(ValueId v) const {
    return f_.type_of(v).is_value() ? f_.type_of(v).scalar : Scalar::Void;
  }

  /// None: the operation moves bits, or has nothing to do with these types.
  ValueId expand(const Inst& inst) {
    if (!is_pure(inst.op) || inst.operands.empty()) return none;
    const Scalar from = type_of(inst.operands[0]), to = inst.type.scalar;
    if (inst.op == Op::CastSat && storage_.converts(to))
      return converted(to, wide(inst.operands[0]));
    if (inst.op == Op::Cast)
      return is_stored(from) || is_stored(to) ? convert(to, inst.operands[0]) : none;
    if (inst.op == Op::Bitcast) return storage_(from) == storage_(to) ? inst.operands[0] : none;
    if (!is_stored(from)) return none;
    if (inst.op == Op::Copysign) return copysign(from, inst.operands[0], inst.operands[1]);
    std::vector<ValueId> operands;
    for (const ValueId v : inst.operands) operands.push_back(wide(v));
    if (inst.op == Op::Fma && !inst.fast && f_.fp != FpMode::Fast)
      return narrow(to, fma(operands[0], operands[1], operands[2]));
    const Scalar computed = is_stored(to) ? info(to).computed : to;
    const ValueId result = b_.emit(inst.op, value_type(computed), operands, inst.imm);
    f_.insts[f_.values[result].def].fast = inst.fast;
    return is_stored(to) ? narrow(to, result) : result;
  }

  ValueId number(std::uint64_t x) { return b_.constant(Scalar::U32, x); }
  ValueId single(std::uint64_t bits) { return b_.constant(Scalar::F32, bits); }
  ValueId shift(Op op, ValueId x, unsigned by) { return b_.emit(op, Scalar::U32, {x, number(by)}); }
  ValueId select(Choice of) { return b_.select(of); }
  ValueId bits_of_single(ValueId x) { return b_.emit(Op::Bitcast, Scalar::U32, {x}); }
  ValueId single_of_bits(ValueId x) { return b_.emit(Op::Bitcast, Scalar::F32, {x}); }
  ValueId both(Pair of) { return b_.binary(Op::And, of); }
  ValueId either(Pair of) { return b_.binary(Op::Or, of); }

  /// The value in the type that it is computed in.
  ValueId wide(ValueId v) {
    if (!is_stored(type_of(v))) return v;
    if (storage_.converts(type_of(v)))
      return b_.cast(Scalar::F32, b_.emit(Op::Bitcast, type_of(v), {v}));
    const ValueId bits = b_.emit(Op::Cast, Scalar::U32, {v});
    return is_upper(type_of(v)) ? single_of_bits(shift(Op::Shl, bits, 16))
                                : wide_bits(Format(type_of(v)), bits);
  }

  /// An f32, rounded to nearest even. A NaN becomes the canonical one.
  ValueId narrow(Scalar to, ValueId x) {
    if (storage_.converts(to)) return beyond(to, x, converted(to, x));
    const ValueId rounded = is_upper(to) ? rounded_upper(x) : rounded_bits(Format(to), x);
    ValueId nan = b_.emit(Op::Isnan, Scalar::Bool, {x});
    if (!has_infinity(to))
      nan = either({nan, b_.compare(Op::Gt, {both({rounded, number(largest_finite(to) + 1)}),
                                             number(largest_finite(to))})});
    return b_.cast(storage_(to), select({nan, number(canonical_nan(to)), rounded}));
  }
  /// By the target's instruction, which saturates.
  ValueId converted(Scalar to, ValueId x) {
    return b_.emit(Op::Bitcast, storage_(to), {b_.emit(Op::CastSat, to, {x})});
  }
  /// `saturated`, or infinity or NaN where x is beyond the last midpoint.
  ValueId beyond(Scalar to, ValueId x, ValueId saturated) {
    const std::uint64_t largest[] = {largest_finite(to)}, last[] = {largest_finite(to) - 1};
    const double top = std::bit_cast<double>(eval(Op::Cast, Scalar::F64, to, largest)),
                 below = std::bit_cast<double>(eval(Op::Cast, Scalar::F64, to, last));
    // The midpoint itself goes to the even neighbour.
    const bool even = !(largest[0] & 1);
    const ValueId midpoint = single(std::bit_cast<std::uint32_t>(float(top + (top - below) / 2)));
    const ValueId outside = b_.compare(even ? Op::Gt : Op::Ge, {b_.unary(Op::Abs, x), midpoint});
    ValueId special = b_.constant(storage_(to), largest[0] + 1);
    if (has_infinity(to))
      special = both(
          {b_.emit(Op::Or, storage_(to), {saturated, special}), b_.constant(storage_(to), 0xfc)});
    return select({outside, special, saturated});
  }
  /// bf16: of f32's exponents.
  static bool is_upper(Scalar s) { return info(s).exponent == info(Scalar::F32).exponent; }
  /// The upper half of the bits, which bf16 is.
  ValueId rounded_upper(ValueId x) {
    const ValueId bits = bits_of_single(x), odd = both({shift(Op::Shr, bits, 16), number(1)});
    return shift(Op::Shr, b_.binary(Op::Add, {b_.binary(Op::Add, {bits, number(0x7fff)}), odd}),
                 16);
  }

  /// A float of fewer exponents than f32, whose fields lie as f32's do once its bits are shifted.
  struct Format {
    explicit Format(Scalar s)
        : special(has_infinity(s)),
          fraction(info(s).fraction),
          sign(1u << (bits_of(s) - 1)),
          bias((1u << (info(s).exponent - 1)) - 1),
          largest(std::uint32_t(largest_finite(s))) {}
    bool special;
    std::uint32_t fraction, sign, bias, largest;
    unsigned shift() const { return 23 - fraction; }
    std::uint32_t rebias() const { return (127 - bias) << 23; }
    // as f32, the least normal number
    std::uint32_t least() const { return rebias() + (1u << 23); }
    // shifted: from here on infinite or NaN
    std::uint32_t first_special() const { return (largest + 1) << shift(); }
    std::uint32_t half() const {
      return (127 + 24 - bias - fraction) << 23;
    }  // as f32, whose last digit is the least subnormal number
  };

  // After Giesen ("Float->half variants", 2016). No f32 here is subnormal, which a device might
  // take for zero.
  ValueId wide_bits(const Format& s, ValueId bits) {
    const ValueId size = shift(Op::Shl, both({bits, number(s.sign - 1)}), s.shift());
    const ValueId ordinary = b_.binary(Op::Add, {size, number(s.rebias())});
    const ValueId infinite =
        b_.binary(Op::Add, {size, number((0xffu << 23) - (s.first_special() & 0x7f800000))});
    const ValueId small = b_.binary(
        Op::Sub,
        {single_of_bits(b_.binary(Op::Add, {size, number(s.least())})), single(s.least())});
    const ValueId finite =
        select({b_.compare(Op::Lt, {size, number(1u << 23)}), bits_of_single(small), ordinary});
    const ValueId all =
        select({b_.compare(Op::Ge, {size, number(s.first_special())}), infinite, finite});
    return single_of_bits(
        either({all, shift(Op::Shl, both({bits, number(s.sign)}), 32 - std::bit_width(s.sign))}));
  }
  ValueId rounded_bits(const Format& to, ValueId x) {
    const ValueId bits = bits_of_single(x), size = both({bits, number(0x7fffffff)}),
                  odd = both({shift(Op::Shr, bits, to.shift()), number(1)});
    const ValueId small = b_.compare(Op::Lt, {size, number(to.least())});
    const ValueId sum =
        b_.binary(Op::Add, {single_of_bits(select({small, size, number(0)})), single(to.half())});
    const ValueId subnormal = b_.binary(Op::Sub, {bits_of_single(sum), number(to.half())});
    const ValueId near =
        // from here on infinite or NaN
        b_.emit(Op::Min, Scalar::U32, {size, number(to.first_special() + to.rebias())});
    const std::uint32_t below_half = (1u << (to.shift() - 1)) - 1;
    const ValueId normal = shift(
        Op::Shr,
        b_.binary(Op::Add, {b_.binary(Op::Add, {near, number(below_half - to.rebias())}), odd}),
        to.shift());
    return either({select({small, subnormal, normal}),
                   both({shift(Op::Shr, bits, 32 - std::bit_width(to.sign)), number(to.sign)})});
  }

  ValueId convert(Scalar to, ValueId x) {
    const Scalar from = type_of(x);
    if (from == to) return x;
    if (!is_stored(to)) return b_.cast(to, wide(x));
    return narrow(to, is_stored(from) ? wide(x) : odd_single(x));
  }

  /// An f32 next to x: itself where it is exact, else the odd one of the two around it.
  ValueId odd_single(ValueId x) {
    const Scalar from = type_of(x);
    const ValueId near = b_.cast(Scalar::F32, x);
    if (from == Scalar::Bool || size_of(from) < 4 || from == Scalar::F32) return near;
    const ValueId back = b_.cast(from, near), zero = b_.constant(from, 0);
    const ValueId below = b_.compare(Op::Lt, {back, x}), above = b_.compare(Op::Gt, {back, x});
    const ValueId outwards =
        is_unsigned_int(from) ? above : select({b_.compare(Op::Lt, {x, zero}), below, above});
    const ValueId inner =
        b_.binary(Op::Sub, {bits_of_single(near), b_.cast(Scalar::U32, outwards)});
    return single_of_bits(either({inner, b_.cast(Scalar::U32, either({below, above}))}));
  }

  /// By bits: f32 would lose the sign of y where that is a NaN.
  ValueId copysign(Scalar s, ValueId x, ValueId y) {
    const Scalar u = storage_(s);
    const std::uint64_t sign = 1ull << (bits_of(s) - 1);
    const auto part = [&](ValueId v, std::uint64_t mask) {
      return b_.emit(Op::And, u, {v, b_.constant(u, mask)});
    };
    return select({b_.emit(Op::Isnan, Scalar::Bool, {wide(x)}), b_.constant(u, canonical_nan(s)),
                   b_.emit(Op::Or, u, {part(x, sign - 1), part(y, sign)})});
  }

  /// x y + z, rounded to odd. The product is exact unless it leaves the range of f32: where the sum
  /// may be in it all the same, both sides are computed as sixteenths, which are exact. What a
  /// product below the range loses is no more than the sign of a zero.
  ValueId fma(ValueId x, ValueId y, ValueId z) {
    constexpr std::uint64_t one = 0x3f800000, sixteen = 0x41800000, sixteenth = 0x3d800000,
                            much = 0x71800000,
                            infinity = 0x7f800000;  // much: 2^100
    const auto mul = [&](Pair of) { return b_.binary(Op::Mul, of); };
    const auto sub = [&](Pair of) { return b_.binary(Op::Sub, of); };
    const auto size = [&](ValueId v) { return b_.unary(Op::Abs, v); };
    const auto is = [&](Op compare, ValueId v, std::uint64_t bits) {
      return b_.compare(compare, {v, single(bits)});
    };
    const ValueId large = either({is(Op::Ge, size(mul({x, y})), much), is(Op::Ge, size(z), much)});
    const ValueId scale = select({large, single(sixteenth), single(one)});
    const ValueId product = mul({mul({x, scale}), y}), other = mul({z, scale}),
                  sum = b_.binary(Op::Add, {product, other});
    const ValueId part = sub({sum, product}),
                  // Knuth
        error = b_.binary(Op::Add, {sub({product, sub({sum, part})}), sub({other, part})});
    const ValueId bits = bits_of_single(sum), more = is(Op::Gt, error, 0),
                  inexact = either({more, is(Op::Lt, error, 0)});
    const ValueId even = b_.compare(Op::Eq, {both({bits, number(1)}), number(0)});
    const ValueId outwards = b_.compare(Op::Eq, {more, is(Op::Gt, sum, 0)});
    const ValueId moved =
        b_.binary(Op::Add, {bits, select({outwards, number(1), number(0xffffffff)})});
    const ValueId odd = mul({single_of_bits(select({both({even, inexact}), moved, bits})),
                             select({large, single(sixteen), single(one)})});
    const ValueId tiny = both({is(Op::Eq, z, 0), both({is(Op::Ne, x, 0), is(Op::Ne, y, 0)})});
    const ValueId finite = both({is(Op::Lt, size(x), infinity), is(Op::Lt, size(y), infinity)});
    return select({tiny, mul({x, y}),
                   select({both({finite, b_.emit(Op::Isinf, Scalar::Bool, {z})}), z, odd})});
  }

  Function& f_;
  Builder b_;
  Storage storage_;
  Substitution results_;
};

}  // namespace

void lower_types(Module& m, SmallFloats has) {
  const Storage storage{has};
  for (Function& f : m.functions)
    if (std::any_of(f.values.begin(), f.values.end(),
                    [&](const Value& v) { return storage(v.type.scalar) != v.type.scalar; }))
      TypeLowerer(f, storage).run();
}

}  // namespace krait::passes
