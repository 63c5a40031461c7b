// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's format .npy (numpy.org/doc, "NPY format"): a short text that describes the array, and its
// elements. krait::files reads and writes arrays by it, and so does the tool.
#pragma once

#include "files/source.h"
#include "krait/files.h"

namespace krait::files {

using detail::file_element;

struct NpyHeader {
  file_element element{};
  bool swapped = false;  // big-endian
  bool fortran = false;
  std::vector<std::int64_t> shape;
  std::uint64_t count = 0, bytes = 0;  // of the elements
  std::uint64_t begin = 0;             // of the elements in the file
};

/// Throws error{usage}, with `place` in front, for a file that is none, for elements that are no
/// numbers, and for more elements than the source has bytes for.
NpyHeader read_npy_header(Source& from, const std::string& place);
/// The elements that follow the header, little-endian and in the file's order, into room for them.
/// Throws error{usage} where they end too early.
void read_npy_elements(Source& from, const NpyHeader& header, void* to, const std::string& place);
/// The same, where the source need not know how long it is.
std::vector<std::byte> read_npy_elements(Source& from, const NpyHeader& header,
                                         const std::string& place);
/// The bytes before the elements of a file in C order.
std::string npy_header(file_element element, const std::int64_t* extents, int rank);

/// "<f4", as NumPy describes little-endian elements.
std::string npy_type(file_element element);
/// The number of elements; throws error{usage} where they are more than memory can hold.
std::uint64_t count_of(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes,
                       const std::string& place);
/// Throws error{usage} for an element of bool that is neither 0 nor 1.
void check_bools(file_element element, const void* first, std::uint64_t count,
                 const std::string& place);

}  // namespace krait::files
