// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `krait dump --html`: stages side by side, whose lines light up with the user's line that they come from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tool {

struct Stage {
  std::string name, text;
};
struct DumpedKernel {
  std::string what;
  std::vector<Stage> stages;
};

/// Kernels as the library prints them for KRAIT_DUMP: a line "; ==== WHAT — STAGE for TARGET" before each stage.
std::vector<DumpedKernel> dumped_kernels(std::string_view text);
/// Writes the page. Sources that lines name are looked for in `folder` and in the folders above, and become a part of it. Throws
/// krait::error where the file cannot be written.
void write_page(const std::string& path, const std::vector<DumpedKernel>& kernels, const std::string& folder);

struct EmbeddedFile {
  std::string_view name, text;
};
std::span<const EmbeddedFile> page_files();  // cmake/embed.cmake makes it of dump.html

}  // namespace tool
