// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/facts_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

namespace krait::host {
namespace {

using ir::Facts;

struct Word {
  std::string_view text;
  bool Facts::*fact;
};
constexpr Word words[] = {{"contiguous", &Facts::contiguous},
                          {"aligned", &Facts::aligned},
                          {"small", &Facts::small},
                          {"disjoint", &Facts::disjoint},
                          {"whole_rows", &Facts::whole_rows},
                          {"one_row", &Facts::one_row},
                          {"aligned_rows", &Facts::aligned_rows}};

}  // namespace

std::string text_of(const Facts& f) {
  std::string out;
  for (const Word& w : words)
    if (f.*w.fact) out.append(" ").append(w.text);
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
    const auto* const known = std::find_if(std::begin(words), std::end(words),
                                           [&](const Word& w) { return w.text == word; });
    if (known == std::end(words)) return std::nullopt;
    f.*known->fact = true;
  }
  return f;
}

bool holds(const Facts& code, const Facts& launch) {
  return std::all_of(std::begin(words), std::end(words),
                     [&](const Word& w) { return launch.*w.fact || !(code.*w.fact); });
}

unsigned count_of(const Facts& facts) {
  return unsigned(std::count_if(std::begin(words), std::end(words),
                                [&](const Word& w) { return facts.*w.fact; }));
}

}  // namespace krait::host
