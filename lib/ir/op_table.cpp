// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for an operation by its text name, and the names of modes, orders and scopes.
#include <algorithm>
#include <array>

#include "ir/ir.h"

namespace krait::ir {
namespace {

constexpr auto by_name = [] {
  std::array<Op, op_count> sorted{};
  for (unsigned i = 0; i < op_count; ++i) sorted[i] = Op(i);
  std::sort(sorted.begin(), sorted.end(), [](Op x, Op y) { return info(x).name < info(y).name; });
  return sorted;
}();

}  // namespace

bool find_op(std::string_view name, Op& op) {
  const auto it = std::lower_bound(by_name.begin(), by_name.end(), name,
                                   [](Op x, std::string_view n) { return info(x).name < n; });
  if (it == by_name.end() || info(*it).name != name) return false;
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
