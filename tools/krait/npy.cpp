// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/core.h>

#include "files/npy.h"
#include "support/file.h"

namespace tool {
namespace {

/// The bytes of an array in Fortran order, in C order.
std::vector<std::byte> in_c_order(const std::vector<std::byte>& given,
                                  const std::vector<std::int64_t>& shape, std::size_t each) {
  std::vector<std::byte> out(given.size());
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t at = 0; at < given.size(); at += each) {
    std::int64_t from = 0;
    for (std::size_t d = shape.size(); d-- > 0;) from = from * shape[d] + index[d];
    std::memcpy(out.data() + at, given.data() + std::size_t(from) * each, each);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}

}  // namespace

Array read_npy(const std::string& path) {
  krait::files::FileSource file(path);
  const krait::files::NpyHeader header = krait::files::read_npy_header(file, path);
  Array a{krait::files::npy_type(header.element), header.shape,
          krait::files::read_npy_elements(file, header, path)};
  if (header.fortran) a.bytes = in_c_order(a.bytes, a.shape, header.element.bytes);
  return a;
}

void write_npy(const std::string& path, const Array& array) {
  krait::detail::file_element element{array.type[1], 0};
  std::from_chars(array.type.data() + 2, array.type.data() + array.type.size(), element.bytes);
  const std::string header =
      krait::files::npy_header(element, array.shape.data(), int(array.shape.size()));
  const std::string_view elements(reinterpret_cast<const char*>(array.bytes.data()),
                                  array.bytes.size());
  if (!krait::support::write_file(path, {header, elements}, krait::support::shared_file))
    refuse(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace tool
