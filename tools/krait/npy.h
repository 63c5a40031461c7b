// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in .npy files, for the command line: those of the library (lib/files/npy.h), in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/source.h"

namespace tool {

struct Array {
  std::string type;  // as NumPy writes it: "<f4", "|u1", "|V12"
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// Throws krait::error that says what of the file is not as it has to be.
Array read_npy(const std::string& path);
/// Replaces the file. Throws krait::error where it cannot be written.
void write_npy(const std::string& path, const Array& array);
using krait::files::refuse;

}  // namespace tool
