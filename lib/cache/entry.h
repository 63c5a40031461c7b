// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of one cache file: a header with sizes, four parts, and a checksum of all that comes before it. docs/caching.md has the
// layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace krait::cache {

struct Entry {
  std::string_view name;    // for people
  std::string_view key;     // how the payload was made: tool, version, target
  std::string_view source;  // what it was made from
  std::string_view payload;
};

std::string encode(const Entry& entry);

/// Views into `bytes`. Null: it is sound; else what is wrong with it.
const char* decode(std::string_view bytes, Entry& entry);

/// 128 bits of hash in hexadecimal.
std::string content_hash(std::string_view text);
/// The file of what has this key and source: their hash, and an ending.
std::string file_name(std::string_view key, std::string_view source);
/// That a name is one of `file_name`'s. The cache touches no other files.
bool is_entry_name(std::string_view name);

inline constexpr std::string_view entry_ending = ".krait";
/// Sizes beyond this are taken for damage.
inline constexpr std::uint64_t largest_entry = std::uint64_t(1) << 30;

}  // namespace krait::cache
