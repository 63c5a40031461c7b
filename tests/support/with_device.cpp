// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   with_device PROGRAM ARGUMENTS…
// Runs the program where KRAIT_DEVICE's device is there. Else it prints why not, and ends as
// skipped, or as failed where KRAIT_TEST_BACK_ENDS names the back end. A process of its own looks:
// the program's first use of the device stays its first. KRAIT_TEST_THIRD: googletest runs a third
// of the tests, which KRAIT_TEST_SEED draws; all of them where that is not set.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include <krait/krait.h>

#include "support/wanted.h"

namespace {

bool is_there(const char* device) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      (void)krait::device::find(device);
      _exit(0);
    } catch (const krait::error& e) {
      std::printf("%s\n", e.message());
      std::fflush(stdout);
      _exit(1);
    }
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const device = std::getenv("KRAIT_DEVICE");
  if (argc < 2 || !device)
    return std::printf("with_device: expected a program, and KRAIT_DEVICE\n"), 2;
  if (!is_there(device)) return krait::test::missing(device);
  if (const char* const seed = std::getenv("KRAIT_TEST_SEED");
      seed && std::getenv("KRAIT_TEST_THIRD")) {
    const std::size_t drawn = std::hash<std::string>{}(std::string(seed) + argv[1]) % 3;
    setenv("GTEST_TOTAL_SHARDS", "3", 1);
    setenv("GTEST_SHARD_INDEX", std::to_string(drawn).c_str(), 1);
  }
  execv(argv[1], argv + 1);
  return std::perror(argv[1]), 2;
}
