// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ops.def as a table, and the search for an operation by its text name.
#include <algorithm>
#include <array>

#include "ir/ir.h"

namespace krait::ir {
namespace {

enum Classes : unsigned { B = 1, I = 2, F = 4, BI = B | I, IF = I | F, BIF = B | I | F };

constexpr OpInfo row(std::string_view name, int arity, Rule rule, unsigned types, Effect effect, Level level, bool math,
                     std::string_view doc) {
  return {name, arity, rule, (types & B) != 0, (types & I) != 0, (types & F) != 0, effect, level, math, doc};
}

constexpr std::array<OpInfo, op_count> table = {
#define KRAIT_OP(Name, text, arity, rule, types, effect, level, doc) \
  row(text, arity, Rule::rule, types, Effect::effect, Level::level, false, doc),
#define KRAIT_MATH(Name, text, arity, doc) row(text, arity, Rule::Same, F, Effect::Pure, Level::Operands, true, doc),
#include "krait/ops.def"
};

constexpr auto by_name = [] {
  std::array<Op, op_count> sorted{};
  for (unsigned i = 0; i < op_count; ++i) sorted[i] = Op(i);
  std::sort(sorted.begin(), sorted.end(), [](Op x, Op y) { return table[unsigned(x)].name < table[unsigned(y)].name; });
  return sorted;
}();

}  // namespace

const OpInfo& info(Op op) { return table[unsigned(op)]; }

bool find_op(std::string_view name, Op& op) {
  const auto it = std::lower_bound(by_name.begin(), by_name.end(), name,
                                   [](Op x, std::string_view n) { return table[unsigned(x)].name < n; });
  if (it == by_name.end() || table[unsigned(*it)].name != name) return false;
  op = *it;
  return true;
}

std::string_view name_of(FpMode mode) {
  switch (mode) {
    case FpMode::Strict: return "strict";
    case FpMode::Reproducible: return "reproducible";
    case FpMode::Native: return "native";
    case FpMode::Fast: return "fast";
  }
  return "?";
}

std::string_view name_of(Order order) {
  constexpr std::string_view names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return names[unsigned(order)];
}
std::string_view name_of(Scope scope) {
  constexpr std::string_view names[] = {"block", "device", "system"};
  return names[unsigned(scope)];
}

}  // namespace krait::ir
