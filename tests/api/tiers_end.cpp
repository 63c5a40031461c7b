// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that ends while better code is made, and a cache folder that goes meanwhile:
//   krait_tiers_end exit     ends right after first launches: exit status 0, and nothing half written in the cache
//   krait_tiers_end folder   removes the cache folder while kernels are improved: right results
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <krait/krait.h>

namespace kr = krait;
namespace fs = std::filesystem;

namespace {

/// Long straight code, so that the best takes a while.
auto numbered(int n) {
  return kr::kernel(
      [n](kr::view<const float> in, kr::view<float> out) {
        auto i = kr::grid();
        kr::var x = in[i];
        for (int k = 0; k < 12; ++k) x = kr::sin(x) + kr::exp(-x) * kr::log(x + float(n + k + 2));
        out[i] = x;
      },
      {.fp = kr::fp::reproducible});
}

std::vector<float> run(int n) {
  std::vector<float> in(256), out(256);
  for (int i = 0; i < 256; ++i) in[std::size_t(i)] = float(i) * 0.01f;
  auto k = numbered(n);
  k.launch({1, 256}, in, out);
  static auto* const kept = new std::vector<decltype(k)>;  // it stays in use
  kept->push_back(std::move(k));
  return out;
}

int fail(const char* what) { return std::printf("failed: %s\n", what), 1; }

int run_self(const char* how) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "krait_tiers_end", how, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "short") {
    for (int n = 0; n < 3; ++n) run(n);
    return 0;
  }
  char folder[] = "/tmp/krait-tiers-XXXXXX";
  if (!mkdtemp(folder)) return std::perror("mkdtemp"), 1;
  setenv("KRAIT_CACHE_DIR", folder, 1), setenv("KRAIT_CACHE", "rw", 1);
  if (how == "exit") {
    for (int r = 0; r < 10; ++r)
      if (const int status = run_self("short"))
        return fail(
            ("a process that ends while it compiles: status " + std::to_string(status)).c_str());
    // Another process reads what they wrote.
    std::vector<float> first = run(0);
    kr::wait_for_compilations();
    if (run(0) != first) return fail("the best code gives other bits");
  } else if (how == "folder") {
    std::vector<std::vector<float>> first;
    for (int n = 0; n < 3; ++n) first.push_back(run(n));
    fs::remove_all(folder);
    kr::wait_for_compilations();
    for (int n = 0; n < 3; ++n)
      if (run(n) != first[std::size_t(n)]) return fail("another result after the folder went");
  } else {
    return fail("say exit or folder");
  }
  fs::remove_all(folder);
}
