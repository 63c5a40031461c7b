// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/core.h>
#include <krait/krait.h>

#include "commands.h"
#include "npy.h"
#include "page.h"

namespace tool {
namespace {

int failed(const std::string& what) {
  fmt::print(stderr, "krait: {}: {}\n", what, std::strerror(errno));
  return 1;
}

/// A kernel of a file or of an entry of the cache.
struct Source {
  std::string name, text, target;

  explicit Source(const DumpOptions& o)
      : name(o.hash.empty() ? name_of_file(o.file) : o.hash), target(o.target) {
    if (o.hash.empty()) {
      text = read_file(o.file);
      return;
    }
    auto [kernel, own] = kernel_of_entry(o.hash);
    text = std::move(kernel);
    if (target.empty()) target = std::move(own);
  }
  krait::text stage(const std::string& stage) const try {
    return krait::detail::inspect_text(text.data(), text.size(), stage.c_str(), target.c_str());
  } catch (const krait::error& e) {
    throw krait::error(e.kind(), fmt::format("{}: {}", name, e.message()).c_str());
  }
};

int dump_file(const DumpOptions& o) {
  const Source source(o);
  for (const std::string& stage : o.emit) {
    const krait::text out = source.stage(stage);
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  return 0;
}

/// What the library dumps goes to `out`; without one it takes the place of the program's standard
/// output, which goes to standard error.
int dump_program(const DumpOptions& o, int out = -1) {
  std::string stages;
  for (const std::string& s : o.emit) stages += (stages.empty() ? "" : ",") + s;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("krait: fork");
    return 1;
  }
  if (child == 0) {
    const int to = dup(out < 0 ? STDOUT_FILENO : out);
    if (out < 0) dup2(STDERR_FILENO, STDOUT_FILENO);
    const std::string target = o.target.empty() ? "-" : o.target;
    setenv("KRAIT_DUMP", fmt::format("{} {} {}", to, stages, target).c_str(), 1);
    // every name has an empty part
    if (o.all || !o.kernel.empty()) setenv("KRAIT_DUMP_KERNEL", o.kernel.c_str(), 1);
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

/// A stage that a target does not have says so in its column.
std::vector<DumpedKernel> kernel_of_file(const DumpOptions& o) {
  const Source source(o);
  DumpedKernel kernel{source.name, false, {}};
  for (const std::string& stage : o.emit) try {
      const krait::text out = source.stage(stage);
      kernel.stages.push_back({stage, {out.data(), out.size()}});
    } catch (const krait::error& e) {
      if (stage == "ir") throw;  // the file is no kernel
      kernel.stages.push_back({stage, fmt::format("; {}\n", e.message())});
    }
  return {std::move(kernel)};
}

std::string folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

int dump_page(DumpOptions o) {
  if (std::find(o.emit.begin(), o.emit.end(), "ir") == o.emit.end())
    o.emit.insert(o.emit.begin(), "ir");
  setenv("KRAIT_DEBUG", "1", 0);  // lines in PTX and SPIR-V
  if (o.program.empty())
    return write_page(o.html, kernel_of_file(o), {folder_of(o.file), o.sources}), 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> kept(std::tmpfile(), std::fclose);
  if (!kept) return failed("a temporary file");
  const int status = dump_program(o, fileno(kept.get()));
  std::string text;
  std::rewind(kept.get());
  char part[4096];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, kept.get())) > 0;) text.append(part, n);
  const std::vector<DumpedKernel> kernels = dumped_kernels(text);
  if (kernels.empty()) {
    fmt::print(stderr, "krait dump: {} compiled no kernel{}\n", o.program[0],
               o.all || !o.kernel.empty() ? ": there is nothing to show"
                                          : " of its own; --all shows Krait's own kernels, too");
    return status ? status : 1;
  }
  write_page(o.html, kernels, {folder_of(o.program[0]), o.sources});
  return status;
}

}  // namespace

std::string name_of_file(const std::string& file) { return file == "-" ? "standard input" : file; }

std::string read_file(const std::string& file) {
  const bool standard = file == "-";
  std::FILE* const in = standard ? stdin : std::fopen(file.c_str(), "rb");
  if (!in) refuse(fmt::format("{}: {}", file, std::strerror(errno)));
  // no kernel is so long; a device may never end
  constexpr std::size_t most = 256 << 20, step = 1 << 16;
  std::string text;
  for (std::size_t got = step; got == step && text.size() <= most;) {
    const std::size_t at = text.size();
    text.resize(at + step);
    got = std::fread(text.data() + at, 1, step, in);
    text.resize(at + got);
  }
  const int failed = std::ferror(in) ? errno : 0;  // a folder
  if (!standard) std::fclose(in);
  if (failed) refuse(fmt::format("{}: {}", name_of_file(file), std::strerror(failed)));
  if (text.size() > most)
    refuse(
        fmt::format("{}: a kernel's text is shorter than {} MiB", name_of_file(file), most >> 20));
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
  if (o.all && o.program.empty()) {
    fmt::print(stderr, "krait dump: --all is for --run: a file has one kernel\n");
    return 2;
  }
  if (std::find(o.emit.begin(), o.emit.end(), "spv") != o.emit.end() &&
      (o.emit.size() > 1 || !o.program.empty() || !o.html.empty())) {
    fmt::print(stderr,
               "krait dump: --emit spv is binary and cannot be combined with other stages: "
               "give it alone, with a .kir file\n");
    return 2;
  }
  if (!o.target.empty()) krait::target{o.target.c_str()};  // also where no stage asks for it
  if (!o.html.empty()) return dump_page(o);
  return o.program.empty() ? dump_file(o) : dump_program(o);
}

}  // namespace tool
