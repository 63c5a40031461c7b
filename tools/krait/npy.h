// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in files of NumPy's format .npy (numpy.org/doc, "NPY format"): little-endian numbers in C
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace tool {

struct Array {
  std::string type;  // as NumPy writes it: "<f4", "|u1", "|V12"
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Throws krait::error that says what of the file is not as it has to be.
Array read_npy(const std::string& path);
/// Of an open file, which `path` names in messages.
Array read_npy(std::FILE* file, const std::string& path);
/// Replaces the file. Throws krait::error where it cannot be written.
void write_npy(const std::string& path, const Array& array);
/// Elements; throws krait::error where they are more than memory can hold. `path` stands in the
/// message.
std::uint64_t count_of(const std::vector<std::int64_t>& shape, std::uint64_t element_bytes,
                       const std::string& path);
/// Throws krait::error of kind usage.
[[noreturn]] void refuse(const std::string& message);

}  // namespace tool
