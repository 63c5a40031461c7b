// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of one cache file: a header with sizes, four parts, and a checksum of all that comes
// before it. docs/caching.md has the layout.
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

/// Bytes that the entry at the start of `bytes` takes, where entries follow each other; 0: its
/// header is none, or says more than there are.
std::uint64_t entry_bytes(std::string_view bytes);
/// What every version of the format begins with; a digit follows, and this library reads and writes
/// `format_version`.
inline constexpr std::string_view format_start = "KRAITCH";
inline constexpr char format_version = '2';

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
