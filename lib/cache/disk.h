// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache on disk: bytes in, bytes out. It knows nothing of kernels. An entry that is damaged, or
// was made from something else, is not there; a folder that cannot be used is not used, with one
// warning.
#pragma once

#include <atomic>

#include "cache/folder.h"
#include "support/store.h"

namespace krait::cache {

enum class Mode { Off, Memory, ReadOnly, ReadWrite };

struct Settings {
  Mode mode = Mode::ReadWrite;
  std::string folder;  // empty: no place is known
  std::uint64_t most_bytes = std::uint64_t(1) << 30;
};
/// KRAIT_CACHE, KRAIT_CACHE_DIR, KRAIT_CACHE_MAXSIZE, XDG_CACHE_HOME and HOME, read now. Throws
/// error{usage} for values that mean nothing.
Settings settings_from_environment();
/// A number of bytes, with K, M or G behind it where wanted. Throws error{usage}, whose message
/// begins with `what` and the text.
std::uint64_t parse_size(std::string_view text, std::string_view what);

class Disk final : public support::Store {
 public:
  /// Opens nothing yet.
  explicit Disk(Settings settings) : settings_(std::move(settings)) {}

  std::optional<std::string> find(std::string_view key, std::string_view source) noexcept override;
  std::string keep(std::string_view name, std::string_view key, std::string_view source,
                   std::string made) noexcept override;

 private:
  /// The folder cannot be used: neither read nor written any more.
  void give_up(const std::string& why);
  /// Says once why kernels are not kept.
  void warn(const std::string& why);
  void write(const Folder& folder, std::string_view name, std::string_view key,
             std::string_view source, std::string& made);
  void sweep_if_due(const Folder& folder, std::size_t bytes_written);

  const Settings settings_;
  std::atomic<bool> usable_{true}, writable_{true}, warned_{false};
  std::atomic<std::uint64_t> written_{0};  // bytes since this process swept
};

}  // namespace krait::cache
