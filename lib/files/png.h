// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of 8 bits per channel in PNG files.
#pragma once

#include "files/arrays.h"

namespace krait::files {

/// The image in these bytes, as (height, width) or (height, width, channels). Throws error{usage},
/// with `path` in front, where there is none, and error{device} without libpng.
file_array read_png(std::string_view bytes, const std::string& path, const file_request& as);

}  // namespace krait::files
