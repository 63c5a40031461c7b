// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hidden parameters: what a kernel takes behind the arguments of its call, by kinds (hidden.def). They are a kernel's last parameters.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace krait::support {

enum class HiddenKind : std::uint8_t {
#define KRAIT_HIDDEN(Name, ...) Name,
#include "support/hidden.def"
};

/// A row of hidden.def, without the type, which is the IR's.
struct HiddenInfo {
  std::string_view word;
  bool indexed;
};
namespace hidden_table {
inline constexpr bool Yes = true, No = false;
inline constexpr HiddenInfo rows[] = {
#define KRAIT_HIDDEN(Name, word, indexed, ...) {word, indexed},
#include "support/hidden.def"
};
}  // namespace hidden_table
inline constexpr unsigned hidden_kinds = std::size(hidden_table::rows);
constexpr const HiddenInfo& info(HiddenKind kind) { return hidden_table::rows[unsigned(kind)]; }

/// What one hidden parameter is for.
struct Hidden {
  HiddenKind kind{};
  std::uint32_t index = 0;  // among those of a kind of which a kernel may have several
  friend bool operator==(const Hidden&, const Hidden&) = default;
};
/// As in the text form: "table(2)", "reports".
inline std::string text_of(const Hidden& h) {
  const std::string word(info(h.kind).word);
  return info(h.kind).indexed ? word + '(' + std::to_string(h.index) + ')' : word;
}

}  // namespace krait::support
