// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/sass.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "support/environment.h"
#include "support/error.h"

namespace krait::host {
namespace {

/// A folder that goes with what is in it.
struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    const char* const base = support::environment_text("TMPDIR");
    path = std::string(base ? base : "/tmp") + "/krait-XXXXXX";
    if (!mkdtemp(path.data())) support::fail_usage("cannot create a temporary folder in {}", path);
  }
  ~TemporaryFolder() {
    for (const char* name : {"/k.ptx", "/k.cubin", "/out"}) unlink((path + name).c_str());
    rmdir(path.c_str());
  }
};

/// The program's place on the PATH, or where the toolkit puts it; empty: not installed.
std::string find_program(const std::string& name) {
  const char* const path = support::environment_text("PATH");
  const std::string places =
      (path ? std::string(path) + ":" : std::string()) + "/usr/local/cuda/bin";
  for (std::size_t at = 0; at <= places.size();) {
    const std::size_t end = std::min(places.find(':', at), places.size());
    const std::string file = places.substr(at, end - at) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
    at = end + 1;
  }
  return "";
}

/// Runs a program with its output in a file; its exit status.
int run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(),
                                 support::environment_of_children());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return failed;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::string ptxas_report(const std::string& ptx, const support::PtxTarget& target) {
  const std::string ptxas = find_program("ptxas");
  if (ptxas.empty()) return {};
  const TemporaryFolder folder;
  const std::string out = folder.path + "/out", source = folder.path + "/k.ptx";
  std::ofstream(source) << ptx;
  if (run({ptxas, "-v", "-arch=" + target.name(), source, "-o", folder.path + "/k.cubin"}, out))
    support::fail_usage("ptxas rejects the kernel: {}", read(out));
  return read(out);
}

std::string sass(const std::string& ptx, const support::PtxTarget& target) {
  const std::string ptxas = find_program("ptxas"), nvdisasm = find_program("nvdisasm"),
                    cuobjdump = find_program("cuobjdump");
  if (ptxas.empty() || (nvdisasm.empty() && cuobjdump.empty()))
    support::fail_usage("SASS needs NVIDIA's {} on the PATH (CUDA toolkit)",
                        ptxas.empty() ? "ptxas" : "nvdisasm or cuobjdump");
  const TemporaryFolder folder;
  const std::string out = folder.path + "/out", cubin = folder.path + "/k.cubin",
                    source = folder.path + "/k.ptx";
  std::ofstream(source) << ptx;
  if (run({ptxas, "-arch=" + target.name(), source, "-o", cubin}, out))
    support::fail_usage("ptxas rejects the kernel: {}", read(out));
  const int failed =
      nvdisasm.empty() ? run({cuobjdump, "-sass", cubin}, out) : run({nvdisasm, "-c", cubin}, out);
  if (failed) support::fail_usage("the disassembler failed: {}", read(out));
  return read(out);
}

}  // namespace krait::host
