// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/idioms.h"

#include <algorithm>
#include <array>

#include "support/target.h"

namespace krait::support {
namespace {

constexpr std::array words = {
#define IDIOM(Name, word, matches, asks, code) std::string_view(#word),
#include "support/idioms.def"
};

}  // namespace

std::optional<Idiom> idiom_of(std::string_view word) {
  const auto* const found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? std::nullopt : std::optional(Idiom(found - words.begin()));
}

std::string idiom_words() {
  std::string all;
  for (const std::string_view word : words) all.append(all.empty() ? "" : ", ").append(word);
  return all;
}

std::string text_of(const Idioms& without) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (without[i]) text.append(",-").append(words[i]);
  return text;
}

Idioms idioms_without(const CpuTarget& target) {
  Idioms without;
  for (std::size_t i = 0; i < words.size(); ++i)
    without[i] = target.adds(std::string("-").append(words[i]));
  return without;
}

}  // namespace krait::support
