// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace krait::test {

/// A file of this test's own.
struct File {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("krait_pack_" + std::to_string(getpid()) + ".kpack"))
                         .string();
  ~File() { std::remove(path.c_str()); }
  const char* c_str() const { return path.c_str(); }
  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
};

}  // namespace krait::test
