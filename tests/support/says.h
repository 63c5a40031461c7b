// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact text of a message, as the sources have it: {} stands for each value. tools/messages.py
// looks for these texts.
#pragma once

#include <string>
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

/// The message without the place of the call in a test. Errors of usage begin with it where the
/// program has debug information.
inline std::string without_place(std::string_view message) {
  const std::size_t file = message.find(".cpp:"), end = message.find(": ");
  if (file < end && end != message.npos && message.find(' ') > end) message.remove_prefix(end + 2);
  return std::string(message);
}

}  // namespace krait::test
