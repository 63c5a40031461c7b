// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/entry.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace krait::cache {
namespace {

constexpr char magic[8] = {'K', 'R', 'A', 'I', 'T', 'C', 'H', format_version};

struct Header {
  char magic[8];
  std::uint32_t name_bytes, key_bytes;
  std::uint64_t source_bytes, payload_bytes;
};
static_assert(sizeof(Header) == 32);

struct Checksum {
  std::uint64_t low, high;
};

/// XXH3-128 (Collet), which finds any damage with a probability of 1 - 2^-128; it is no protection
/// against intent, which the owner and mode of files are.
Checksum checksum_of(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

std::string hexadecimal(const XXH128_hash_t& h) {
  std::string digits;
  for (const std::uint64_t half : {h.high64, h.low64})
    for (int shift = 60; shift >= 0; shift -= 4)
      digits.push_back("0123456789abcdef"[half >> shift & 15]);
  return digits;
}

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::string encode(const Entry& e) {
  Header h{};
  std::memcpy(h.magic, magic, sizeof magic);
  h.name_bytes = std::uint32_t(e.name.size()), h.key_bytes = std::uint32_t(e.key.size());
  h.source_bytes = e.source.size(), h.payload_bytes = e.payload.size();
  std::string bytes;
  bytes.reserve(sizeof h + e.name.size() + e.key.size() + e.source.size() + e.payload.size() +
                sizeof(Checksum));
  bytes.append(reinterpret_cast<const char*>(&h), sizeof h)
      .append(e.name)
      .append(e.key)
      .append(e.source)
      .append(e.payload);
  const Checksum sum = checksum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

std::uint64_t entry_bytes(std::string_view bytes) {
  Header h;
  if (bytes.size() < sizeof h + sizeof(Checksum)) return 0;
  std::memcpy(&h, bytes.data(), sizeof h);
  if (std::memcmp(h.magic, magic, sizeof magic) != 0) return 0;
  if (h.source_bytes > largest_entry || h.payload_bytes > largest_entry) return 0;
  const std::uint64_t all = sizeof h + sizeof(Checksum) + h.name_bytes +
                            std::uint64_t(h.key_bytes) + h.source_bytes + h.payload_bytes;
  return all <= bytes.size() ? all : 0;
}

const char* decode(std::string_view bytes, Entry& e) {
  Header h;
  if (bytes.size() < sizeof h + sizeof(Checksum)) return "shorter than its header";
  std::memcpy(&h, bytes.data(), sizeof h);
  if (std::memcmp(h.magic, magic, sizeof magic) != 0) return "of another format";
  if (h.source_bytes > largest_entry || h.payload_bytes > largest_entry)
    return "sizes that do not fit";
  const std::uint64_t parts =
      std::uint64_t(h.name_bytes) + h.key_bytes + h.source_bytes + h.payload_bytes;
  if (parts != bytes.size() - sizeof h - sizeof(Checksum)) return "sizes that do not fit";
  Checksum stored;
  std::memcpy(&stored, bytes.data() + bytes.size() - sizeof stored, sizeof stored);
  const Checksum found = checksum_of(bytes.substr(0, bytes.size() - sizeof stored));
  if (stored.low != found.low || stored.high != found.high) return "another checksum";
  bytes.remove_prefix(sizeof h);
  const auto take = [&bytes](std::uint64_t n) {
    const std::string_view part = bytes.substr(0, n);
    bytes.remove_prefix(n);
    return part;
  };
  e.name = take(h.name_bytes), e.key = take(h.key_bytes), e.source = take(h.source_bytes),
  e.payload = take(h.payload_bytes);
  return nullptr;
}

std::string content_hash(std::string_view text) {
  return hexadecimal(XXH3_128bits(text.data(), text.size()));
}

std::string file_name(std::string_view key, std::string_view source) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const std::uint64_t key_bytes = key.size();
  XXH3_128bits_update(&state, &key_bytes, sizeof key_bytes);  // so that no two pairs are one text
  XXH3_128bits_update(&state, key.data(), key.size());
  XXH3_128bits_update(&state, source.data(), source.size());
  return hexadecimal(XXH3_128bits_digest(&state)).append(entry_ending);
}

bool is_entry_name(std::string_view name) {
  if (name.size() != 32 + entry_ending.size() || !name.ends_with(entry_ending)) return false;
  for (const char c : name.substr(0, 32))
    if (!is_hexadecimal(c)) return false;
  return true;
}

}  // namespace krait::cache
