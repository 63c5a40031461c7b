// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of 8 bits per channel in PNG files.
#include "files/arrays.h"
#include "devices/layout.h"
#include "files/library.h"
#include "support/environment.h"
#include "files/png_table.h"
#include "support/file.h"

namespace krait::files {
namespace {

const PngTable& png_table() {
  static const auto* const opened = new Opened<PngTable>({"PNG files",
                                                          "libpng",
                                                          "libpng16-16",
                                                          "KRAIT_LIBPNG",
                                                          support::environment_text("KRAIT_LIBPNG"),
                                                          {"libpng16.so.16"}});
  return opened->table();
}

/// The most bytes of an image per byte of its file: deflate makes 1032 of one, and an image of one
/// bit per pixel has eight pixels in each, of up to four channels.
constexpr std::uint64_t most_per_byte = 1032 * 8 * 4;

struct Image : PngImage {
  explicit Image(const PngTable& table) : PngImage{}, table_(table) { version = png_version; }
  ~Image() { table_.free(this); }
  Image(const Image&) = delete;

 private:
  const PngTable& table_;
};

}  // namespace

file_array read_png(std::string_view bytes, const std::string& path, const file_request& as) {
  const PngTable& png = png_table();
  Image image(png);
  if (!png.begin_read(&image, bytes.data(), bytes.size()))
    support::fail_usage("{}: not a PNG file ({})", path, image.message);
  if (image.format & png_wide)
    support::fail_usage("{}: an image of 16 bits per channel: save it with 8", path);
  const bool colour = image.format & png_colour, alpha = image.format & png_alpha;
  if (as.rank == 2 && (colour || alpha))
    support::fail_usage("{}: an image with {}: use kr::load_png<3>", path,
                        colour ? "colours" : "alpha");
  const std::int64_t channels = as.rank == 2 ? 1 : alpha ? 4 : 3;
  std::vector<std::int64_t> shape{image.height, image.width};
  if (as.rank == 3) shape.push_back(channels);
  if (std::uint64_t(image.height) * image.width * std::uint64_t(channels) >
      bytes.size() * most_per_byte)
    support::fail_usage("{}: an image of {} x {} pixels, which a file of {} bytes cannot hold",
                        path, image.width, image.height, bytes.size());
  image.format = as.rank == 2 ? 0 : alpha ? png_colour | png_alpha : png_colour;
  return filled(shape, false, as, [&](void* to) {
    if (!png.finish_read(&image, nullptr, to, 0, nullptr))
      support::fail_usage("{}: the image is damaged ({}): write it again", path, image.message);
  });
}

}  // namespace krait::files

namespace krait::detail {

using namespace krait::files;

file_array load_png(const char* path, const file_request& as) {
  FileSource file(path);
  const auto bytes = read_bytes(file, file.left().value_or(0));
  if (!file.left()) support::fail_usage("{}: an image is read from a regular file only", path);
  const std::size_t size = bytes ? bytes->size() : 0;
  return read_png({reinterpret_cast<const char*>(size ? bytes->data() : nullptr), size}, path, as);
}

void save_png(const char* path, const file_array& x) {
  const std::int64_t height = x.at.extents[0], width = x.at.extents[1],
                     channels = x.at.rank == 2 ? 1 : x.at.extents[2];
  if (channels != 1 || x.at.rank == 3)
    if (channels != 3 && channels != 4)
      support::fail_usage(
          "kr::save_png: the last extent is {}: expected 3 (red, green, blue) or 4 (and alpha)",
          channels);
  constexpr std::int64_t most = 1000000;  // libpng's own limit
  if (height < 1 || width < 1 || height > most || width > most)
    support::fail_usage("kr::save_png: an image of {} x {} pixels: expected 1 to {} each", width,
                        height, most);
  const PngTable& png = png_table();
  const HostBytes pixels(x);
  Image image(png);
  image.width = std::uint32_t(width), image.height = std::uint32_t(height);
  image.format = channels == 1 ? 0 : channels == 3 ? png_colour : png_colour | png_alpha;
  const auto fail = [&] { support::fail_usage("{}: cannot be written: {}", path, image.message); };
  // libpng's bound (PNG_IMAGE_PNG_SIZE_MAX): the rows with a byte each for their filter, as zlib
  // may have to store them, in chunks.
  std::size_t bytes = pixels.size() + std::size_t(height);
  bytes += bytes / 8 + bytes / 64;
  bytes += 12 * (bytes / 8192) + 1024;
  std::vector<char> file(bytes);
  if (!png.write(&image, file.data(), &bytes, 0, pixels.data(), 0, nullptr)) fail();
  if (!support::write_file(path, {{file.data(), bytes}}, support::shared_file)) cannot_write(path);
}

}  // namespace krait::detail
