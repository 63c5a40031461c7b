// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait mpi build: the library for an MPI whose ABI Krait does not know, by that MPI's compiler.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/core.h>
#include <krait/error.h>

#include "commands.h"
#include "page.h"

namespace tool {
namespace {

/// A folder that goes with everything in it.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "krait_mpi_XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw std::system_error(errno, std::generic_category(), path_);
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The exit status of a program that is found in PATH; 127 where there is none.
int status_of(const std::vector<std::string>& words) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    fmt::print(stderr, "krait: {}: {}\n", words[0], std::strerror(errno));
    _exit(127);
  }
  int status = child < 0 ? 1 : 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int mpi_build(const MpiOptions& o) {
  const Folder folder;
  const std::string source = folder.path() + "/shim.cpp";
  std::ofstream(source) << mpi_shim().front().text;
  const int status = status_of({o.compiler, "-std=c++17", "-O2", "-fPIC", "-shared",
                                "-fvisibility=hidden", source, "-o", o.library});
  if (status != 0)
    throw krait::error(krait::error::kind_type::usage,
                       fmt::format("mpi build: {} fails with status {}: name the C++ compiler of "
                                   "the MPI by --compiler",
                                   o.compiler, status)
                           .c_str());
  fmt::print("KRAIT_MPI={}\n", std::filesystem::absolute(o.library).string());
  return 0;
}

}  // namespace tool
