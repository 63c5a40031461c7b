// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of the tool. Each gives the process's exit status and throws krait::error.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tool {

struct DumpOptions {
  std::string file;                  // a .kir file, "-" for standard input
  std::vector<std::string> program;  // --run: a program and its arguments
  std::string html;                  // a page to write instead
  std::vector<std::string> sources;  // --html: folders of sources
  // ir, passes, diff, final, hints, stats, llvm, asm, ptx, sass, spirv, wgsl
  std::vector<std::string> emit;
  std::string target;
  bool all = false;    // --run: Krait's own kernels, too
  std::string kernel;  // --run: a part of the kernels' names
  std::string hash;    // of a cache entry, in the place of a file
};
int dump(const DumpOptions& options);

/// The whole file, or standard input for "-". Throws krait::error where it cannot be read, or is
/// longer than any kernel.
std::string read_file(const std::string& file);
/// As messages name it.
std::string name_of_file(const std::string& file);

int devices(bool as_json);
int doctor();

struct CallOptions {
  std::string file;                    // a .kir file, "-" for standard input
  std::vector<std::string> arguments;  // a number, a .npy file or "zeros:64,32" per parameter
  std::string grid, block;             // empty: not given
  long long count = -1;                // threads; negative: not given
};
struct RunOptions {
  CallOptions call;
  std::vector<std::string> outputs;  // "3=file.npy": where to write parameter 3
  std::string device;                // empty: not given
  // --no-check: accesses outside of arrays are undefined, and cost nothing
  bool unchecked = false;
};
int run(const RunOptions& options);

struct BenchOptions {
  std::string device, only;  // empty: all
  double seconds = 0.2;      // per row
};
int bench(const BenchOptions& options);

struct ExportOptions {
  std::string folder;
  std::vector<std::string> words;  // kernels in text form with launches; or one, and its arguments
  CallOptions call;                // the launch of one kernel
  std::string target;
};
int export_(const ExportOptions& options);

struct PackOptions {
  std::string pack;
  std::vector<std::string> files;  // kernels in text form; none: the pack is listed
  std::string targets;
};
int pack(const PackOptions& options);

struct MpiOptions {
  std::string compiler, library;
};
int mpi_build(const MpiOptions& options);

struct CacheOptions {
  std::string command;  // list, show, verify, prune or clear
  std::string hash;     // show: how it starts
  std::string size;     // prune: bytes to keep at most, such as 500M; empty: KRAIT_CACHE_MAXSIZE
};
int cache(const CacheOptions& options);
/// The kernel of the only entry whose hash starts so, with the facts that its code was made for,
/// and the target of that code. Throws krait::error where there is none, or more than one.
std::pair<std::string, std::string> kernel_of_entry(const std::string& hash);

}  // namespace tool
