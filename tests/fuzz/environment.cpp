// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that has these variables and runs a kernel: it ends well, or says by krait::error what
// is wrong with them.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "krait/detail/text_kernel.h"
#include "krait/krait.h"
#include "targets.h"

namespace krait::test::fuzz {
namespace {

constexpr std::string_view kernel = "kir 1\nkernel @k fp(native) (%0: i32) {\n  return\n}\n";

void run_kernel() {
  const std::unique_ptr<detail::text_kernel, decltype(&detail::free_text_kernel)> k(
      detail::make_text_kernel(kernel.data(), kernel.size(), "k.kir"), detail::free_text_kernel);
  detail::argument one;
  detail::call_config config;
  config.grid = config.block = {1, 1, 1};
  detail::launch(k.get(), &one, config);
  krait::synchronize();
}

/// Only variables of Krait, and only names of files in the current folder.
void set(std::string_view line) {
  const std::size_t equal = line.find('=');
  std::string name(line.substr(0, equal)), value(equal == line.npos ? "" : line.substr(equal + 1));
  if (!name.starts_with("KRAIT_") || name.find('\0') != name.npos) return;
  std::replace(value.begin(), value.end(), '/', '_');
  if (value == "..") value = "up";
  setenv(name.c_str(), value.c_str(), 1);
}

[[noreturn]] void be_child(std::string_view lines) {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 0), dup2(nowhere, 1);
  // Drivers of GPUs read other things than these variables, and take long.
  setenv("KRAIT_DEVICE", "interpreter", 1);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    set(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  if (const std::string device = std::getenv("KRAIT_DEVICE");
      device.find("vulkan") != device.npos || device.find("opencl") != device.npos)
    setenv("KRAIT_DEVICE", "cpu", 1);
  alarm(60);
  int status = 0;
  try {
    run_kernel();
  } catch (const error&) {
    status = 1;
  }
  std::exit(status);
}

}  // namespace

bool environment(std::string_view lines) {
  std::string folder = (std::filesystem::temp_directory_path() / "krait_fuzz_XXXXXX").string();
  if (!mkdtemp(folder.data())) broken("no temporary folder can be made");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(3);
    be_child(lines);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    broken("the process ends with " + (WIFEXITED(status)
                                           ? "status " + std::to_string(WEXITSTATUS(status))
                                           : "signal " + std::to_string(WTERMSIG(status))));
  return WEXITSTATUS(status) == 0;
}

std::vector<std::string> environment_seeds() {
  return {"KRAIT_CPU=v2,lanes=4,parts=2,-clamped_loads\nKRAIT_DEVICE=cpu",
          "KRAIT_NUM_THREADS=3\nKRAIT_DEVICE=cpu",
          "KRAIT_MEMORY_LIMIT=512M",
          "KRAIT_CACHE=rw\nKRAIT_CACHE_DIR=cache\nKRAIT_CACHE_MAXSIZE=1G",
          "KRAIT_DUMP=dumped:ir,final\nKRAIT_DUMP_KERNEL=k",
          "KRAIT_LOG=debug",
          "KRAIT_HINTS=1\nKRAIT_CHECK=1",
          "KRAIT_DEBUG=1\nKRAIT_RACES=0",
          "KRAIT_TIERS=0\nKRAIT_TUNE=off",
          "KRAIT_DEVICE=cuda:0"};
}

}  // namespace krait::test::fuzz
