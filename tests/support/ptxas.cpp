// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ptxas.h"

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <fmt/core.h>

namespace krait::test {
namespace {

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool has_ptxas() {
  static const bool found = std::system("ptxas --version > /dev/null 2>&1") == 0;
  return found;
}

}  // namespace

bool Assembled::uses_stack() const {
  return log.find("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads") == log.npos;
}

Assembled assemble(const std::string& ptx, unsigned sm) {
  if (!has_ptxas()) return {false, 0, {}};
  char folder[] = "/tmp/krait_ptx_XXXXXX";
  if (!mkdtemp(folder)) return {true, -1, "no temporary folder"};
  std::string base = folder;
  std::ofstream(base + "/k.ptx") << ptx;
  std::string command =
      fmt::format("ptxas -v -arch=sm_{0} -o {1}/k.cubin {1}/k.ptx > {1}/log 2>&1", sm, base);
  int status = std::system(command.c_str());
  Assembled result{true, status, read(base + "/log")};
  for (const char* name : {"/k.ptx", "/k.cubin", "/log"}) unlink((base + name).c_str());
  rmdir(folder);
  return result;
}

}  // namespace krait::test
