// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact text of a message, as the sources have it: {} stands for each value. tools/messages.py
// looks for these texts.
#pragma once

#include <string_view>

namespace krait::test {

/// Whether the message has the whole text, with anything in the place of each {}.
inline bool says(std::string_view message, std::string_view text) {
  std::size_t from = 0;
  while (true) {
    const std::size_t hole = text.find("{}");
    const std::size_t at = message.find(text.substr(0, hole), from);
    if (at == message.npos) return false;
    if (hole == text.npos) return true;
    from = at + hole;
    text.remove_prefix(hole + 2);
  }
}

}  // namespace krait::test
