// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that outlive the process, found by what they were made from. The host stage keeps generated
// code there, back ends what their device's driver makes of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace krait::support {

class Store {
 public:
  virtual ~Store() = default;

  /// What was made from `source` in the way that `key` names: the tool, its version, the target.
  /// Neither throws nor fails: what cannot be read is not there.
  virtual std::optional<std::string> find(std::string_view key,
                                          std::string_view source) noexcept = 0;

  /// Keeps what was made, as far as that is possible. `name` is for people. Returns what the store
  /// holds now: another process may have been first, and everybody should use the same bytes.
  virtual std::string keep(std::string_view name, std::string_view key, std::string_view source,
                           std::string made) noexcept = 0;
};

}  // namespace krait::support
