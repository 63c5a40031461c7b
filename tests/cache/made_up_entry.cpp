// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an entry as a driver's: made of bytes that are no text, in the folder of KRAIT_CACHE_DIR.
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "cache/entry.h"

int main() {
  using namespace krait::cache;
  constexpr std::string_view key = "pipeline of a test\n", words("\1\2\3\0", 4);
  const char* const folder = std::getenv("KRAIT_CACHE_DIR");
  if (!folder) return 1;
  const std::string path = std::string(folder) + "/" + file_name(key, words);
  std::ofstream(path, std::ios::binary) << encode({"shaded", key, words, "machine code"});
  return chmod(path.c_str(), 0600);
}
