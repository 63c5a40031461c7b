// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/npy.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "support/product.h"

namespace krait::files {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

[[noreturn]] void no_npy(const std::string& place, std::string_view why) {
  refuse(fmt::format("{}: {}: expected a file that numpy.save wrote", place, why));
}
[[noreturn]] void ends_early(const std::string& place, std::uint64_t bytes) {
  refuse(
      fmt::format("{}: the file ends within its {} bytes of data: write it again", place, bytes));
}

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

/// Numbers of the sizes that NumPy and C++ share, and other bytes. False: none of these.
bool read_type(std::string_view text, NpyHeader& into) {
  if (text.size() < 3) return false;
  std::uint32_t bytes = 0;
  const auto [end, wrong] = std::from_chars(text.data() + 2, text.data() + text.size(), bytes);
  if (wrong != std::errc() || end != text.data() + text.size()) return false;
  const char order = text[0], kind = text[1];
  const bool power_of_2 = bytes != 0 && (bytes & (bytes - 1)) == 0;
  const auto between = [&](unsigned least, unsigned most) {
    return power_of_2 && bytes >= least && bytes <= most;
  };
  const bool known = kind == 'b'                  ? bytes == 1
                     : kind == 'i' || kind == 'u' ? between(1, 8)
                     : kind == 'f'                ? between(2, 8)
                     : kind == 'c'                ? between(8, 16)
                     : kind == 'V'                ? bytes > 0 && bytes <= 1 << 20
                                                  : false;
  if (!known || (order != '<' && order != '>' && order != '|')) return false;
  into.element = {kind, bytes};
  into.swapped = order == '>' && bytes > 1 && kind != 'V';
  return true;
}

/// Of each number, of which a complex one has two.
void swap_bytes(file_element element, std::byte* first, std::uint64_t bytes) {
  const std::size_t each = element.kind == 'c' ? element.bytes / 2 : element.bytes;
  for (std::byte* const end = first + bytes; first < end; first += each)
    std::reverse(first, first + each);
}

/// Also after swapping: a bool has one byte.
void finish(const NpyHeader& header, std::byte* first, const std::string& place) {
  if (header.swapped) swap_bytes(header.element, first, header.bytes);
  check_bools(header.element, first, header.count, place);
}

}  // namespace

std::uint64_t count_of(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes,
                       const std::string& place) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    count = support::clipped_product(count, extent);
    if (support::clipped_product(count, std::int64_t(element_bytes)) >= support::most_elements)
      refuse(fmt::format("{}: the array is larger than any memory", place));
  }
  return std::uint64_t(count);
}

std::string npy_type(file_element element) {
  return fmt::format("{}{}{}", element.bytes == 1 || element.kind == 'V' ? '|' : '<', element.kind,
                     element.bytes);
}

void check_bools(file_element element, const void* first, std::uint64_t count,
                 const std::string& place) {
  if (element.kind != 'b') return;
  const auto* const bytes = static_cast<const unsigned char*>(first);
  const auto* const bad = std::find_if(bytes, bytes + count, [](unsigned char x) { return x > 1; });
  if (bad != bytes + count)
    refuse(fmt::format("{}: element {} is {}, but a bool is 0 or 1: write the file again", place,
                       bad - bytes, *bad));
}

NpyHeader read_npy_header(Source& from, const std::string& place) {
  const auto read = [&](void* to, std::size_t bytes) { return from.read(to, bytes) == bytes; };
  unsigned char start[12] = {};
  if (!read(start, 10) || std::memcmp(start, magic.data(), magic.size()) != 0)
    no_npy(place, "not a .npy file");
  const unsigned version = start[6];
  if (version < 1 || version > 3) no_npy(place, "an unknown version of the format");
  if (version > 1 && !read(start + 10, 2)) no_npy(place, "the file ends in its header");
  std::size_t length = start[8] | std::size_t(start[9]) << 8;
  if (version > 1) length |= std::size_t(start[10]) << 16 | std::size_t(start[11]) << 24;
  constexpr std::size_t longest_header = 1 << 20;  // NumPy itself takes 10,000 bytes by default
  if (from.left().value_or(length) < length) no_npy(place, "the file ends in its header");
  if (length > longest_header) no_npy(place, fmt::format("a header of {} bytes", length));
  std::string header(length, '\0');
  if (!read(header.data(), header.size())) no_npy(place, "the file ends in its header");
  NpyHeader h;
  h.begin = (version > 1 ? 12 : 10) + length;
  const std::string_view descr = value_of(header, "descr");
  const std::string_view type =
      descr.starts_with('\'') ? descr.substr(1, descr.find('\'', 1) - 1) : std::string_view();
  if (!read_type(type, h))
    refuse(fmt::format(
        "{}: elements of type {}: expected numbers, such as numpy.save(file, x.astype('f4')) writes",
        place, type.empty() ? descr.substr(0, 40) : type));
  const std::string_view order = value_of(header, "fortran_order");
  h.fortran = order.starts_with("True");
  if (!h.fortran && !order.starts_with("False")) no_npy(place, "a header without fortran_order");
  const auto shape = read_shape(value_of(header, "shape"));
  if (!shape) no_npy(place, "a header without a shape");
  h.shape = *shape;
  h.count = count_of(h.shape, h.element.bytes, place);
  h.bytes = h.count * h.element.bytes;
  if (from.left().value_or(h.bytes) < h.bytes) ends_early(place, h.bytes);
  return h;
}

void read_npy_elements(Source& from, const NpyHeader& header, void* to, const std::string& place) {
  if (from.read(to, header.bytes) != header.bytes) ends_early(place, header.bytes);
  finish(header, static_cast<std::byte*>(to), place);
}

std::vector<std::byte> read_npy_elements(Source& from, const NpyHeader& header,
                                         const std::string& place) {
  auto read = read_bytes(from, header.bytes);
  if (!read) ends_early(place, header.bytes);
  finish(header, read->data(), place);
  return *std::move(read);
}

std::string npy_header(file_element element, const std::int64_t* extents, int rank) {
  std::string shape;
  for (int d = 0; d < rank; ++d)
    shape += fmt::format("{}{}", shape.empty() ? "" : " ", extents[d]) + ",";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                 npy_type(element), shape);
  constexpr std::size_t start = 10, alignment = 64;
  text.resize((start + text.size() + 1 + alignment - 1) / alignment * alignment - start, ' ');
  text.back() = '\n';
  std::string head(magic);
  head += {char(1), char(0), char(text.size() & 0xff), char(text.size() >> 8)};
  return head + text;
}

}  // namespace krait::files
