// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of `krait dump --html`: stages side by side, whose lines light up with the user's line
// that they come from.
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
  bool own = false;  // Krait's own
  std::vector<Stage> stages;
};

/// Kernels as the library prints them for KRAIT_DUMP: a line "; ==== WHAT — STAGE for TARGET"
/// before each stage; for Krait's own kernels
/// "; ==== WHAT, Krait's own — …".
std::vector<DumpedKernel> dumped_kernels(std::string_view text);
/// Where the page may take sources from, besides the current folder: below the kernel's or the
/// program's, and below those of --sources.
struct SourceFolders {
  std::string of_kernel;
  std::vector<std::string> asked;
};
/// Writes the page, on which the user's kernels come first. Sources that lines name and that lie
/// below these folders become a part of it; others that are there are named on it and on stderr.
/// Throws krait::error where the file cannot be written.
void write_page(const std::string& path, const std::vector<DumpedKernel>& kernels,
                const SourceFolders& folders);

struct EmbeddedFile {
  std::string_view name, text;
};
// cmake/embed.cmake makes it of the folder page; index.html is the first
std::span<const EmbeddedFile> page_files();
// the source of `krait mpi build`
std::span<const EmbeddedFile> mpi_shim();

}  // namespace tool
