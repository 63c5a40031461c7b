// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles the kernels of files with LLVM's machine verifier, for processors and NVIDIA GPUs;
// nothing runs:
//   verified [--seconds S] FILE|FOLDER…
// Files: those of tests/kernels, golden ones, of which the input is taken, and what `krait dump`
// writes; a program's with KRAIT_DUMP=FOLDER:ir get the facts of a launch with whole arrays.
// Without --seconds each kernel is compiled for every target. With it, kernels and targets come in
// an order that KRAIT_TEST_SEED decides, until so many seconds of processor time are used. A kernel
// that a target cannot run is left out. Ends with 1 where the verifier finds something, or nothing
// was compiled.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/codegen.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/checks.h"
#include "support/kernel_file.h"
#include "support/meaning.h"

using namespace krait;

namespace {

namespace fs = std::filesystem;

// Level 2 has no masks, 3 has them in vectors, 4 in registers of their own; the code of first
// launches has another instruction selection.
constexpr const char* targets[] = {"x86-64-v2",
                                   "x86-64-v3",
                                   "x86-64-v4",
                                   "cpu x86-64 lanes=8 cpu=x86-64-v3 effort=quick",
                                   "cpu x86-64 lanes=16 cpu=x86-64-v4 effort=quick",
                                   "ptx sm=75 isa=63",
                                   "ptx sm=90 isa=80"};

struct Piece {
  std::string name;
  ir::Module module;
};

void add_pieces(std::vector<Piece>& pieces, const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find("\n; run:") != text.npos || text.starts_with("; run:") ||
      text.find("; kernel:") != text.npos) {
    const test::KernelFile file(text, path.parent_path().string());
    for (const test::Choice& choice : file.choices())
      for (test::Case& c : file.cases(choice)) {
        test::set_facts(c.kernel.module, test::facts_of(c.kernel).back());
        pieces.push_back(
            {fmt::format("{}: {}", path.string(), c.name), std::move(c.kernel.module)});
        break;  // launches differ in what is not in the code
      }
    return;
  }
  text.resize(std::min(text.size(), text.find("; ----\n")));  // what follows is the expected output
  ir::ParseResult parsed = ir::parse(text);
  if (!parsed.error.empty()) std::printf("%s: left out: %s\n", path.c_str(), parsed.error.c_str());
  else if (ir::verify(parsed.module).empty()) {
    if (path.extension() == ".ir")
      test::set_facts(parsed.module,
                      {.contiguous = true, .aligned = true, .small = true, .disjoint = true});
    pieces.push_back({path.string(), std::move(parsed.module)});
  }
}

enum class Result { Right, Wrong, LeftOut };

struct Plugin {
  krait_codegen_fn compile;
  krait_codegen_release_fn release;
};

Plugin load() {
  void* const library = dlopen(KRAIT_CODEGEN_PATH, RTLD_NOW | RTLD_LOCAL);
  if (!library) std::printf("verified: %s\n", dlerror()), std::exit(1);
  return {reinterpret_cast<krait_codegen_fn>(dlsym(library, "krait_codegen")),
          reinterpret_cast<krait_codegen_release_fn>(dlsym(library, "krait_codegen_release"))};
}

Result compile(const Plugin& plugin, const Piece& piece, const support::Target& target) {
  ir::Module m = piece.module;
  if (!m.kernel().flat && !passes::run_pipeline(m, target).empty()) return Result::LeftOut;
  const std::string kir = ir::print(m), on = support::print(target);
  krait_codegen_request request{kir.data(), kir.size(), on.c_str(), "binary", 0};
  request.verify = 1;
  krait_codegen_reply reply{};
  plugin.compile(&request, &reply);
  const int status = reply.status;
  if (status >= 2) std::printf("%s, %s: %s\n", piece.name.c_str(), on.c_str(), reply.log);
  plugin.release(&reply);
  // 1: the target lacks something
  return status == 0 ? Result::Right : status == 1 ? Result::LeftOut : Result::Wrong;
}

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 0;
  std::vector<Piece> pieces;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--seconds" && i + 1 < argc) {
      seconds = std::strtod(argv[++i], nullptr);
    } else if (fs::is_directory(argv[i])) {
      std::vector<fs::path> files;
      for (const fs::directory_entry& e : fs::directory_iterator(argv[i]))
        if (e.path().extension() == ".kir" || e.path().extension() == ".ir")
          files.push_back(e.path());
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) add_pieces(pieces, file);
    } else {
      add_pieces(pieces, argv[i]);
    }
  }
  std::vector<std::pair<std::size_t, const char*>> work;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (const char* target : targets) work.emplace_back(i, target);
  if (seconds > 0) {
    const char* const text = std::getenv("KRAIT_TEST_SEED");
    const std::string seed = text ? text : std::to_string(std::random_device()());
    std::seed_seq sequence(seed.begin(), seed.end());
    std::shuffle(work.begin(), work.end(), std::mt19937(sequence));
  }
  const Plugin plugin = load();
  std::map<Result, unsigned> count;
  std::size_t done = 0;
  for (const auto& [piece, target] : work) {
    if (seconds > 0 && double(std::clock()) / CLOCKS_PER_SEC >= seconds) break;
    ++count[compile(plugin, pieces[piece], support::parse_target(target).target)], ++done;
  }
  std::printf(
      "%zu kernels for %zu targets, %zu of %zu compilations: LLVM's machine verifier accepts %u, %u are for other targets, %u "
      "are wrong; %.0f s\n",
      pieces.size(), std::size(targets), done, work.size(), count[Result::Right],
      count[Result::LeftOut], count[Result::Wrong], double(std::clock()) / CLOCKS_PER_SEC);
  return count[Result::Wrong] || !count[Result::Right];
} catch (const std::exception& e) {
  return std::printf("verified: %s\n", e.what()), 1;
}
