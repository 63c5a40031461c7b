// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/facts_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

namespace krait::host {

using ir::fact_names, ir::FactName, ir::Facts;

std::string text_of(const Facts& f) {
  std::string out;
  for (const FactName& n : fact_names)
    if (f.*n.fact) out.append(" ").append(n.name);
  if (f.brick.x)
    out += fmt::format(" {}bricks({}, {})", f.brick.whole ? "whole_" : "", f.brick.x, f.brick.y);
  return out;
}

std::optional<Facts> read_facts(std::string_view text) {
  Facts f;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const auto* const known = std::find_if(std::begin(fact_names), std::end(fact_names),
                                           [&](const FactName& n) { return n.name == word; });
    if (known == std::end(fact_names)) return std::nullopt;
    f.*known->fact = true;
  }
  return f;
}

bool holds(const Facts& code, const Facts& launch) {
  return std::all_of(std::begin(fact_names), std::end(fact_names),
                     [&](const FactName& n) { return launch.*n.fact || !(code.*n.fact); });
}

unsigned count_of(const Facts& facts) {
  return unsigned(std::count_if(std::begin(fact_names), std::end(fact_names),
                                [&](const FactName& n) { return facts.*n.fact; }));
}

}  // namespace krait::host
