// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of this folder that every exported folder gets as they are; cmake/embed.cmake makes
// them part of the library.
#pragma once

#include <span>
#include <string_view>

namespace krait::host::web {

struct EmbeddedFile {
  std::string_view name, text;
};
std::span<const EmbeddedFile> files();

}  // namespace krait::host::web
