// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the loop over lanes for an operation and its types, out of op_semantics.h; eval is that
// loop over one lane.
#include <cassert>

#include "ir/interp/interp.h"
#include "ir/op_semantics.h"

namespace krait::ir {
namespace {

using semantics::Bits;
using Columns = const std::uint64_t* const*;

// ---- loops over lanes ---------------------------------------------------------------------------

template <Op op, class T>
void lanes(Columns in, Bits* out, std::size_t n) {
  using semantics::from_bits, semantics::to_bits, semantics::compute;
  constexpr OpInfo row = info(op);
  const Bits *x = in[0], *y = row.arity > 1 ? in[1] : nullptr, *z = row.arity > 2 ? in[2] : nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (row.rule == Rule::Shift) out[i] = to_bits(compute<op>(from_bits<T>(x[i]), y[i]));
    else if constexpr (row.arity == 1) out[i] = to_bits(compute<op>(from_bits<T>(x[i])));
    else if constexpr (row.arity == 2)
      out[i] = to_bits(compute<op>(from_bits<T>(x[i]), from_bits<T>(y[i])));
    else out[i] = to_bits(compute<op>(from_bits<T>(x[i]), from_bits<T>(y[i]), from_bits<T>(z[i])));
  }
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

void dot_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits *x = in[0], *y = in[1], *z = in[2];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::to_bits(semantics::dot_pairs(std::uint32_t(x[i]), std::uint32_t(y[i]),
                                                     semantics::from_bits<float>(z[i])));
}

template <Op op, class To, class From>
void cast_lanes(Columns in, Bits* out, std::size_t n) {
  const Bits* x = in[0];
  for (std::size_t i = 0; i < n; ++i)
    out[i] = semantics::to_bits(semantics::convert_by<op, To>(semantics::from_bits<From>(x[i])));
}

// ---- from types at run time to types of C++ -----------------------------------------------------

template <Scalar s>
struct Tag {
  static constexpr Scalar scalar = s;
  using type = semantics::HostType<s>;
};

/// Calls make with a Tag of s.
// The formatter joins the last case and the directive behind it.
// clang-format off
template <class Make>
LaneFunction for_type(Scalar s, Make make) {
  switch (s) {
    case Scalar::Void: break;
#define KRAIT_SCALAR(Name, ...) \
  case Scalar::Name: return make(Tag<Scalar::Name>{});
#include "krait/types.def"
  }
  return nullptr;
}
// clang-format on

template <Op op>
LaneFunction cast_function(Scalar to, Scalar from) {
  return for_type(to, [from]<class To>(To) {
    return for_type(from, []<class From>(From) -> LaneFunction {
      if constexpr (takes(info(op), From::scalar))
        return cast_lanes<op, typename To::type, typename From::type>;
      else return nullptr;
    });
  });
}

/// The loop for the operation on the types that its row has.
template <Op op>
LaneFunction choose(Scalar result, Scalar operand) {
  constexpr Rule rule = info(op).rule;
  if constexpr (rule == Rule::Select) return select_lanes;
  else if constexpr (rule == Rule::Bits) return copy_lanes;
  else if constexpr (op == Op::DotPairs) return dot_lanes;
  else if constexpr (rule == Rule::Convert) return cast_function<op>(result, operand);
  else
    return for_type(rule == Rule::Same || rule == Rule::Shift ? result : operand,
                    []<class T>(T) -> LaneFunction {
                      if constexpr (takes(info(op), T::scalar)) return lanes<op, typename T::type>;
                      else return nullptr;
                    });
}

}  // namespace

// The formatter joins the last case and the directive behind it.
// clang-format off
LaneFunction lane_function(Op op, Scalar result, Scalar operand) {
  switch (op) {
#define KRAIT_VALUE(Name, ...) \
  case Op::Name: return choose<Op::Name>(result, operand);
#include "krait/ops.def"
    default: return nullptr;
  }
}
// clang-format on

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
