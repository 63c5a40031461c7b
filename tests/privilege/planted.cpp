// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that somebody put where it should not be loaded from: it leaves the file that PROOF
// names.
#include <cstdio>
#include <cstdlib>

namespace {
[[maybe_unused]] const bool loaded = [] {
  const char* const proof = std::getenv("PROOF");
  std::FILE* const file = proof ? std::fopen(proof, "w") : nullptr;
  return file && std::fclose(file) == 0;
}();
}  // namespace
