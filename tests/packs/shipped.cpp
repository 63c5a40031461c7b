// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pack that one process makes and another runs: shipped make FILE TARGETS; shipped age FILE makes
// its code that of another format, with checksums that are right; shipped run FILE prints whether
// the code generator was loaded, as /proc/self/maps says, or the error. Exit status 1: another
// result than expected.
#include <krait/krait.h>
#include <krait/pack.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cache/entry.h"

namespace kr = krait;

namespace {

bool generator_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libkrait_codegen") != line.npos) return true;
  return false;
}

int run(const char* file) {
  const kr::kernel_pack pack = kr::load_pack(file);
  const auto saxpy = pack.get<void(float, kr::view<const float>, kr::view<float>)>("saxpy");
  std::vector<float> x(10'000, 1.5f), y(10'000, 2.0f);
  saxpy.launch({30, 128}, 2.0f, x, y);
  saxpy.forall(10'000)(1.0f, y, y);
  kr::synchronize();
  if (y[0] != 10.0f || y[9'999] != 10.0f) return std::puts("another result"), 1;
  std::puts(generator_is_loaded() ? "with the code generator" : "without the code generator");
  return 0;
}

/// The number of the format stands behind the envelope's first eight bytes.
int age(const char* file) {
  std::ostringstream read;
  read << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string bytes = read.str();
  kr::cache::Entry pack, entry;
  if (kr::cache::decode(bytes, pack)) return 1;
  std::string entries;
  for (std::string_view rest = pack.payload; !rest.empty();
       rest.remove_prefix(kr::cache::entry_bytes(rest))) {
    if (kr::cache::decode(rest.substr(0, kr::cache::entry_bytes(rest)), entry)) return 1;
    std::string code(entry.payload);
    if (!code.empty()) code[8] = 99;
    entries += kr::cache::encode({entry.name, entry.key, entry.source, code});
  }
  std::ofstream(file, std::ios::binary)
      << kr::cache::encode({pack.name, pack.key, pack.source, entries});
  return 0;
}

}  // namespace

int main(int, char** argv) {
  try {
    const std::string_view command = argv[1];
    if (command == "run") return run(argv[2]);
    if (command == "age") return age(argv[2]);
    const auto saxpy = kr::kernel(
        [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
          for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
        },
        {.name = "saxpy"});
    kr::pack(argv[2], {.targets = argv[3]}, saxpy);
    return 0;
  } catch (const kr::error& e) {
    std::puts(e.message());
    return 2;
  }
}
