// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and writing 8-bit PNG files with libpng, for the examples.
#pragma once

#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // 3 bytes a pixel, rows from the top
};

inline void write_png(const std::string& path, const Image& image) {
  png_image out{};
  out.version = PNG_IMAGE_VERSION;
  out.width = static_cast<png_uint_32>(image.width), out.height = static_cast<png_uint_32>(image.height);
  out.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&out, path.c_str(), 0, image.rgb.data(), 0, nullptr))
    throw std::runtime_error("cannot write " + path + ": " + out.message);
}

inline Image read_png(const std::string& path) {
  png_image in{};
  in.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&in, path.c_str())) throw std::runtime_error("cannot read " + path + ": " + in.message);
  in.format = PNG_FORMAT_RGB;
  Image image{static_cast<int>(in.width), static_cast<int>(in.height), std::vector<std::uint8_t>(PNG_IMAGE_SIZE(in))};
  if (!png_image_finish_read(&in, nullptr, image.rgb.data(), 0, nullptr))
    throw std::runtime_error("cannot read " + path + ": " + in.message);
  return image;
}
