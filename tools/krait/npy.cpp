// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"
#include "support/file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/core.h>
#include <krait/error.h>

#include "support/product.h"

namespace tool {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// What follows 'key': in the header, without blanks at its begin; empty: there is no such key.
std::string_view value_of(std::string_view header, std::string_view key) {
  std::size_t at = header.find(fmt::format("'{}'", key));
  if (at == header.npos) return {};
  at = header.find(':', at);
  if (at == header.npos) return {};
  const std::string_view rest = header.substr(at + 1);
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

std::optional<std::vector<std::int64_t>> read_shape(std::string_view text) {
  if (!text.starts_with('(')) return {};
  std::vector<std::int64_t> shape;
  for (const char *at = text.data() + 1, *const end = text.data() + text.size(); at < end;) {
    if (*at == ')') return shape;
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t extent = 0;
    const auto [next, wrong] = std::from_chars(at, end, extent);
    if (wrong != std::errc() || extent < 0) return {};
    shape.push_back(extent);
    at = next;
  }
  return {};
}

/// Bytes of an element; 0: a type of another kind or byte order.
std::uint64_t bytes_of(std::string_view type) {
  if (type.size() < 3 || (type[0] != '<' && type[0] != '|') ||
      std::string_view("biufVc").find(type[1]) == std::string_view::npos)
    return 0;
  std::uint64_t bytes = 0;
  const auto [end, wrong] = std::from_chars(type.data() + 2, type.data() + type.size(), bytes);
  return wrong == std::errc() && end == type.data() + type.size() && bytes <= 1 << 20 ? bytes : 0;
}

}  // namespace

void refuse(const std::string& message) {
  throw krait::error(krait::error::kind_type::usage, message.c_str());
}

std::uint64_t count_of(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes,
                       const std::string& path) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count = krait::support::clipped_product(count, extent);
    if (krait::support::clipped_product(count, std::int64_t(element_bytes)) >=
        krait::support::most_elements)
      refuse(fmt::format("{}: the array is larger than any memory", path));
  }
  return std::uint64_t(count);
}

Array read_npy(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) refuse(fmt::format("{}: {}", path, std::strerror(errno)));
  struct Closed {
    std::FILE* file;
    ~Closed() { std::fclose(file); }
  } const closed{file};
  return read_npy(file, path);
}

Array read_npy(std::FILE* file, const std::string& path) {
  const auto read = [&](void* to, std::size_t bytes) {
    const bool whole = std::fread(to, 1, bytes, file) == bytes;
    if (std::ferror(file)) refuse(fmt::format("{}: {}", path, std::strerror(errno)));  // a folder
    return whole;
  };
  unsigned char start[12] = {};
  const auto no_npy = [&](const char* why) {
    refuse(fmt::format("{}: {}: expected a file that numpy.save wrote", path, why));
  };
  if (!read(start, 10) || std::memcmp(start, magic.data(), magic.size()) != 0)
    no_npy("not a .npy file");
  const unsigned version = start[6];
  if (version < 1 || version > 3) no_npy("an unknown version of the format");
  if (version > 1 && !read(start + 10, 2)) no_npy("the file ends in its header");
  std::size_t length = start[8] | std::size_t(start[9]) << 8;
  if (version > 1) length |= std::size_t(start[10]) << 16 | std::size_t(start[11]) << 24;
  constexpr std::size_t longest_header = 1 << 20;
  std::string header(std::min(length, longest_header), '\0');
  if (length > longest_header || !read(header.data(), header.size()))
    no_npy("the file ends in its header");
  Array a;
  const std::string_view type = value_of(header, "descr");
  if (type.starts_with('\'')) a.type = type.substr(1, type.find('\'', 1) - 1);
  const std::uint64_t bytes = bytes_of(a.type);
  if (!bytes)
    refuse(fmt::format(
        "{}: elements of type {}: expected little-endian numbers, such as numpy.save(file, "
        "x.astype('<f4')) writes",
        path, a.type.empty() ? std::string(type.substr(0, 40)) : a.type));
  if (!value_of(header, "fortran_order").starts_with("False"))
    refuse(
        fmt::format("{}: an array in Fortran order: expected C order, which numpy.save(file, "
                    "numpy.ascontiguousarray(x)) writes",
                    path));
  const auto shape = read_shape(value_of(header, "shape"));
  if (!shape) no_npy("a header without a shape");
  a.shape = *shape;
  const std::uint64_t all = count_of(a.shape, bytes, path) * bytes;
  // What is announced and not there takes no memory.
  constexpr std::size_t step = 64 << 20;
  while (a.bytes.size() < all) {
    const std::size_t at = a.bytes.size(), more = std::min<std::uint64_t>(step, all - at);
    a.bytes.resize(at + more);
    if (!read(a.bytes.data() + at, more))
      refuse(
          fmt::format("{}: the file ends within its {} bytes of data: write it again", path, all));
  }
  return a;
}

void write_npy(const std::string& path, const Array& array) {
  std::string shape;
  for (const std::int64_t extent : array.shape)
    shape += fmt::format("{}{}", shape.empty() ? "" : " ", extent) + ",";
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", array.type, shape);
  constexpr std::size_t start = 10, alignment = 64;
  header.resize((start + header.size() + 1 + alignment - 1) / alignment * alignment - start, ' ');
  header.back() = '\n';
  std::string head(magic);
  head += {char(1), char(0), char(header.size() & 0xff), char(header.size() >> 8)};
  const std::string_view elements(reinterpret_cast<const char*>(array.bytes.data()),
                                  array.bytes.size());
  if (!krait::support::write_file(path, {head, header, elements}, krait::support::shared_file))
    refuse(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace tool
