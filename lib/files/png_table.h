// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simplified interface of libpng 1.6 (libpng.org) without png.h. tests/files/tables.cpp
// compares it with the header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace krait::files {

struct PngImage {  // png_image
  void* opaque;
  std::uint32_t version, width, height, format, flags, colours, warning_or_error;
  char message[64];
};
inline constexpr std::uint32_t png_version = 1;
inline constexpr std::uint32_t png_alpha = 1, png_colour = 2, png_wide = 4;

struct PngTable {
  int (*begin_read)(PngImage*, const void*, std::size_t);
  int (*finish_read)(PngImage*, const void* background, void*, std::int32_t, void*);
  int (*write)(PngImage*, void*, std::size_t*, int, const void*, std::int32_t, const void*);
  void (*free)(PngImage*);

  template <class Find>
  void bind(const Find& find) {
    find(begin_read, "png_image_begin_read_from_memory");
    find(finish_read, "png_image_finish_read");
    find(write, "png_image_write_to_memory");
    find(free, "png_image_free");
  }
};

}  // namespace krait::files
