// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idioms of the CPU back end, by idioms.def. A target goes without one where its features have
// -word, as KRAIT_CPU=-word asks.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace krait::support {

struct CpuTarget;

enum class Idiom : std::uint8_t {
#define IDIOM(Name, word, matches, asks, code) Name,
#include "support/idioms.def"
  Count
};
using Idioms = std::bitset<unsigned(Idiom::Count)>;

std::optional<Idiom> idiom_of(std::string_view word);
/// "clamped_loads, …", for messages.
std::string idiom_words();
/// ",-clamped_loads" for each.
std::string text_of(const Idioms& without);
/// Those that the target goes without.
Idioms idioms_without(const CpuTarget& target);

}  // namespace krait::support
