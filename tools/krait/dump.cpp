// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include <fmt/core.h>
#include <krait/krait.h>

#include "commands.h"
#include "npy.h"

namespace tool {
namespace {

int failed(const std::string& what) {
  fmt::print(stderr, "krait: {}: {}\n", what, std::strerror(errno));
  return 1;
}

int dump_file(const DumpOptions& o) {
  std::string text, target = o.target;
  if (o.hash.empty()) {
    text = read_file(o.file);
  } else {
    std::string own;
    std::tie(text, own) = kernel_of_entry(o.hash);
    if (target.empty()) target = own;
  }
  for (const std::string& stage : o.emit) {
    const krait::text out = krait::detail::inspect_text(text.data(), text.size(), stage.c_str(), target.c_str());
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  return std::fflush(stdout) == 0 && !std::ferror(stdout) ? 0 : failed("standard output");
}

/// The program's standard output goes to standard error; what the library dumps takes its place.
int dump_program(const DumpOptions& o) {
  std::string stages;
  for (const std::string& s : o.emit) stages += (stages.empty() ? "" : ",") + s;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("krait: fork");
    return 1;
  }
  if (child == 0) {
    const int out = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const std::string target = o.target.empty() ? "-" : o.target;
    setenv("KRAIT_DUMP", fmt::format("{} {} {}", out, stages, target).c_str(), 1);
    if (!o.kernel.empty()) setenv("KRAIT_DUMP_KERNEL", o.kernel.c_str(), 1);
    std::vector<char*> argv;
    for (const std::string& a : o.program) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    fmt::print(stderr, "krait: {}: {}\n", o.program[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string read_file(const std::string& file) {
  const bool standard = file == "-";
  std::FILE* const in = standard ? stdin : std::fopen(file.c_str(), "rb");
  if (!in) refuse(fmt::format("{}: {}", file, std::strerror(errno)));
  constexpr std::size_t most = 256 << 20, step = 1 << 16;  // no kernel is so long; a device may never end
  std::string text;
  for (std::size_t got = step; got == step && text.size() <= most;) {
    const std::size_t at = text.size();
    text.resize(at + step);
    got = std::fread(text.data() + at, 1, step, in);
    text.resize(at + got);
  }
  const int failed = std::ferror(in) ? errno : 0;  // a folder
  if (!standard) std::fclose(in);
  if (failed) refuse(fmt::format("{}: {}", file, std::strerror(failed)));
  if (text.size() > most) refuse(fmt::format("{}: a kernel's text is shorter than {} MiB", file, most >> 20));
  return text;
}

int dump(const DumpOptions& o) {
  if (!o.program.empty() + !o.file.empty() + !o.hash.empty() != 1) {
    fmt::print(stderr, "krait dump: give a .kir file, or --run PROGRAM [ARGS], or --hash HASH\n");
    return 2;
  }
  if (!o.kernel.empty() && o.program.empty()) {
    fmt::print(stderr, "krait dump: --kernel is for --run: a file has one kernel\n");
    return 2;
  }
  if (std::find(o.emit.begin(), o.emit.end(), "spv") != o.emit.end() && (o.emit.size() > 1 || !o.program.empty())) {
    fmt::print(stderr,
               "krait dump: --emit spv is binary and cannot be combined with other stages: give it alone, with a .kir file\n");
    return 2;
  }
  return o.program.empty() ? dump_file(o) : dump_program(o);
}

}  // namespace tool
