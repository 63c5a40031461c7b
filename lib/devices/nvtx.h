// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX, by which NVIDIA's tools learn what a program calls its parts. Version 3 has no library: a
// program loads the tool's, which the variable NVTX_INJECTION64_PATH names, and gives it a table of
// pointers to functions, which the tool sets.
#pragma once

namespace krait::host {

/// Functions of a tool that listens, for the default domain; none is null. Ranges nest by thread.
struct Nvtx {
  void (*mark)(const char* name);
  int (*push)(const char* name);
  int (*pop)();
};
/// Null where nobody listens.
const Nvtx* nvtx() noexcept;

}  // namespace krait::host
