// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The build id that the linker wrote into an ELF file: a hash of its contents, in hexadecimal.
// Empty where it has none.
#pragma once

#include <string>

namespace krait::support {

/// Of a file, which need not be loaded; reads a few hundred bytes of it.
std::string build_id_of_file(const std::string& path);
/// Of the loaded program or library that holds this address.
std::string build_id_at(const void* address);

}  // namespace krait::support
