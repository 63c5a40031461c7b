// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the loop over lanes for an operation and its types, out of op_semantics.h; eval is that loop over one lane.
#include <cassert>

#include "ir/interp.h"
#include "ir/op_semantics.h"

namespace krait::ir {
namespace {

using semantics::Bits;
using Columns = const std::uint64_t* const*;

// ---- one loop a shape of operation ------------------------------------------------------------------------------------------

template <Op op, class T>
void unary_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i) out[i] = semantics::to_bits(semantics::unary<op>(semantics::from_bits<T>(x[i])));
}

template <Op op, class T>
void binary_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits *x = in[0], *y = in[1];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::to_bits(semantics::binary<op>(semantics::from_bits<T>(x[i]), semantics::from_bits<T>(y[i])));
}

template <class T>
void fma_lanes(Columns in, Bits* out, std::size_t n) {
  using semantics::from_bits;
  const Bits *x = in[0], *y = in[1], *z = in[2];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::to_bits(semantics::fused_multiply_add(from_bits<T>(x[i]), from_bits<T>(y[i]), from_bits<T>(z[i])));
}

template <class T>
void byte_permute_lanes(Columns in, Bits* out, std::size_t n) {
  using semantics::from_bits;
  const Bits *x = in[0], *y = in[1], *selector = in[2];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::to_bits(semantics::byte_permute(from_bits<T>(x[i]), from_bits<T>(y[i]), from_bits<T>(selector[i])));
}

template <Op op, class T>
void compare_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits *x = in[0], *y = in[1];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::compare<op>(semantics::from_bits<T>(x[i]), semantics::from_bits<T>(y[i]));
}

template <Op op, class T>
void test_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i) {
    const T v = semantics::from_bits<T>(x[i]);
    if constexpr (op == Op::Isnan) out[i] = semantics::is_nan(v);
    else out[i] = semantics::is_infinite(v);
  }
}

template <Op op, class T>
void shift_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits *x = in[0], *count = in[1];
  for (std::size_t i = 0; i < n; ++i) out[i] = semantics::to_bits(semantics::shift<op>(semantics::from_bits<T>(x[i]), count[i]));
}

template <Op op, class T>
void count_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i) out[i] = semantics::to_bits(semantics::count_bits<op>(semantics::from_bits<T>(x[i])));
}

/// Passes bits on, a NaN's too.
void select_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits *c = in[0], *x = in[1], *y = in[2];
  for (std::size_t i = 0; i < n; ++i) out[i] = c[i] ? x[i] : y[i];
}

void copy_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i];
}

template <class To, class From>
void cast_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i) out[i] = semantics::to_bits(semantics::convert<To>(semantics::from_bits<From>(x[i])));
}

// ---- from types at run time to types of C++ ---------------------------------------------------------------------------------

template <class T>
struct Tag {
  using type = T;
};

/// Calls make with the C++ type of s, where the operation has the type.
template <bool (*wanted)(Scalar), class Make>
LaneFunction for_types(Scalar s, Make make) {
  switch (s) {
    case Scalar::Void: break;
#define KRAIT_SCALAR(Name, dsl, text, bits, exponent, fraction, kind, computed, storage)                            \
  case Scalar::Name:                                                                                                \
    if constexpr (wanted(Scalar::Name)) return make(Tag<semantics::HostType<Scalar::Name>>{});                      \
    break;
#include "krait/types.def"
  }
  return nullptr;
}

constexpr bool is_number(Scalar s) { return is_int(s) || is_float(s); }
constexpr bool is_bool_or_int(Scalar s) { return s == Scalar::Bool || is_int(s); }
constexpr bool is_any(Scalar) { return true; }

template <class Make>
LaneFunction for_ints(Scalar s, Make make) { return for_types<is_int>(s, make); }
template <class Make>
LaneFunction for_floats(Scalar s, Make make) { return for_types<is_float>(s, make); }
template <class Make>
LaneFunction for_numbers(Scalar s, Make make) { return for_types<is_number>(s, make); }
template <class Make>
LaneFunction for_bool_and_ints(Scalar s, Make make) { return for_types<is_bool_or_int>(s, make); }
template <class Make>
LaneFunction for_all(Scalar s, Make make) { return for_types<is_any>(s, make); }

template <Op op>
constexpr auto make_unary = []<class T>(Tag<T>) -> LaneFunction { return unary_lanes<op, T>; };
template <Op op>
constexpr auto make_binary = []<class T>(Tag<T>) -> LaneFunction { return binary_lanes<op, T>; };
template <Op op>
constexpr auto make_compare = []<class T>(Tag<T>) -> LaneFunction { return compare_lanes<op, T>; };
template <Op op>
constexpr auto make_test = []<class T>(Tag<T>) -> LaneFunction { return test_lanes<op, T>; };
template <Op op>
constexpr auto make_shift = []<class T>(Tag<T>) -> LaneFunction { return shift_lanes<op, T>; };
template <Op op>
constexpr auto make_count = []<class T>(Tag<T>) -> LaneFunction { return count_lanes<op, T>; };
constexpr auto make_byte_permute = []<class T>(Tag<T>) -> LaneFunction { return byte_permute_lanes<T>; };
constexpr auto make_fma = []<class T>(Tag<T>) -> LaneFunction { return fma_lanes<T>; };

LaneFunction cast_function(Scalar to, Scalar from) {
  return for_all(to, [from]<class To>(Tag<To>) {
    return for_all(from, []<class From>(Tag<From>) -> LaneFunction { return cast_lanes<To, From>; });
  });
}

}  // namespace

LaneFunction lane_function(Op op, Scalar result, Scalar operand) {
  switch (op) {
    case Op::Add: return for_numbers(result, make_binary<Op::Add>);
    case Op::Sub: return for_numbers(result, make_binary<Op::Sub>);
    case Op::Mul: return for_numbers(result, make_binary<Op::Mul>);
    case Op::Div: return for_numbers(result, make_binary<Op::Div>);
    case Op::Rem: return for_ints(result, make_binary<Op::Rem>);
    case Op::Fma: return for_floats(result, make_fma);
    case Op::Neg: return for_numbers(result, make_unary<Op::Neg>);
    case Op::Abs: return for_numbers(result, make_unary<Op::Abs>);
    case Op::Min: return for_numbers(result, make_binary<Op::Min>);
    case Op::Max: return for_numbers(result, make_binary<Op::Max>);
    case Op::And: return for_bool_and_ints(result, make_binary<Op::And>);
    case Op::Or: return for_bool_and_ints(result, make_binary<Op::Or>);
    case Op::Xor: return for_bool_and_ints(result, make_binary<Op::Xor>);
    case Op::Not: return for_bool_and_ints(result, make_unary<Op::Not>);
    case Op::Shl: return for_ints(result, make_shift<Op::Shl>);
    case Op::Shr: return for_ints(result, make_shift<Op::Shr>);
    case Op::Eq: return for_all(operand, make_compare<Op::Eq>);
    case Op::Ne: return for_all(operand, make_compare<Op::Ne>);
    case Op::Lt: return for_numbers(operand, make_compare<Op::Lt>);
    case Op::Le: return for_numbers(operand, make_compare<Op::Le>);
    case Op::Gt: return for_numbers(operand, make_compare<Op::Gt>);
    case Op::Ge: return for_numbers(operand, make_compare<Op::Ge>);
    case Op::Select: return select_lanes;
    case Op::Cast: return cast_function(result, operand);
    case Op::Bitcast: return copy_lanes;
    case Op::Sqrt: return for_floats(result, make_unary<Op::Sqrt>);
    case Op::Floor: return for_floats(result, make_unary<Op::Floor>);
    case Op::Ceil: return for_floats(result, make_unary<Op::Ceil>);
    case Op::Trunc: return for_floats(result, make_unary<Op::Trunc>);
    case Op::Rint: return for_floats(result, make_unary<Op::Rint>);
    case Op::Copysign: return for_floats(result, make_binary<Op::Copysign>);
    case Op::Isnan: return for_floats(operand, make_test<Op::Isnan>);
    case Op::Isinf: return for_floats(operand, make_test<Op::Isinf>);
    case Op::Popcount: return for_ints(operand, make_count<Op::Popcount>);
    case Op::Clz: return for_ints(operand, make_count<Op::Clz>);
    case Op::Ctz: return for_ints(operand, make_count<Op::Ctz>);
    case Op::Bitrev: return for_ints(result, make_unary<Op::Bitrev>);
    case Op::Bswap: return for_ints(result, make_unary<Op::Bswap>);
    case Op::MulHi: return for_ints(result, make_binary<Op::MulHi>);
    case Op::AddSat: return for_ints(result, make_binary<Op::AddSat>);
    case Op::SubSat: return for_ints(result, make_binary<Op::SubSat>);
    case Op::BytePermute: return for_ints(result, make_byte_permute);
#define KRAIT_OP(Name, text, arity, rule, types, effect, level, doc)
#define KRAIT_MATH(Name, text, arity, doc) case Op::Name:
#include "krait/ops.def"
    case Op::Const: case Op::ThreadIdx: case Op::BlockIdx: case Op::BlockDim: case Op::GridDim: case Op::GlobalId:
    case Op::GlobalSize: case Op::Shared: case Op::Local: case Op::Extent: case Op::Stride: case Op::Load: case Op::Store:
    case Op::LoadVec: case Op::StoreVec: case Op::AtomicLoad: case Op::AtomicInc: case Op::AtomicDec: case Op::AtomicAdd: case Op::AtomicMin: case Op::AtomicMax: case Op::AtomicAnd:
    case Op::AtomicOr: case Op::AtomicXor: case Op::AtomicExchange: case Op::AtomicCas: case Op::Barrier: case Op::BarrierCount:
    case Op::BarrierAnd: case Op::BarrierOr: case Op::Fence: case Op::WarpSize: case Op::LaneId: case Op::WarpSync:
    case Op::Ballot: case Op::WarpAny: case Op::WarpAll: case Op::Shuffle: case Op::MatchAny: case Op::WarpReduce: case Op::WarpScan: case Op::Uniform: case Op::Slot: case Op::Get:
    case Op::Set: case Op::Print: case Op::Fault: case Op::If: case Op::Switch: case Op::Loop: case Op::For: case Op::GridStride:
    case Op::Yield: case Op::Continue: case Op::Break: case Op::Return: case Op::Unreachable: case Op::Call: break;
  }
  return nullptr;
}

std::uint64_t eval(Op op, Scalar result, Scalar operand, std::span<const std::uint64_t> operands) {
  const LaneFunction lanes = lane_function(op, result, operand);
  assert(lanes && operands.size() <= 3);
  const std::uint64_t* columns[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) columns[i] = &operands[i];
  std::uint64_t out = 0;
  lanes(columns, &out, 1);
  return out;
}

}  // namespace krait::ir
