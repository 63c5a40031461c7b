// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hidden parameters: what a kernel takes behind the arguments of its call, by kinds (hidden.def).
// They are a kernel's last parameters.
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
/// Which tiles a hidden parameter of kind TileMap is for: its index.
struct TileMapOf {
  std::uint32_t param, rows;  // the view's place among the call's parameters, and rows of the tile
  constexpr explicit TileMapOf(std::uint32_t index) : param(index / base), rows(index % base) {}
  constexpr TileMapOf(std::uint32_t of_param, std::uint32_t of_rows)
      : param(of_param), rows(of_rows) {}
  constexpr std::uint32_t index() const { return param * base + rows; }

 private:
  static constexpr std::uint32_t base = 512;
};
/// Bytes of such a parameter and their alignment: a CUtensorMap.
inline constexpr std::uint32_t tile_map_bytes = 128, tile_map_alignment = 64;
/// What the host gives for one, and the runtime makes the device's map of: a contiguous array, of
/// which strips of so many rows and columns are copied.
struct TiledArray {
  static constexpr unsigned most_rank = 5;
  std::uint64_t address = 0;
  std::int64_t extents[most_rank]{};
  std::uint32_t rank = 0;  // 0: the kernel looks at no map
  std::uint32_t elem_bytes = 1, rows = 0, columns = 0;
};
static_assert(sizeof(TiledArray) <= tile_map_bytes);

/// As in the text form: "table(2)", "reports".
inline std::string text_of(const Hidden& h) {
  const std::string word(info(h.kind).word);
  return info(h.kind).indexed ? word + '(' + std::to_string(h.index) + ')' : word;
}

}  // namespace krait::support
