// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait: shows what is generated, where kernels can run, and what is kept of them.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include <fmt/core.h>
#include <krait/error.h>
#include <krait/pack.h>
#include <CLI/CLI.hpp>

#include "commands.h"

namespace {

/// "krait cache show": the commands that the words have named so far, the last of them in `last`.
std::string named(const CLI::App& app, const CLI::App*& last) {
  std::string name = "krait";
  for (last = &app; !last->get_subcommands().empty(); name += " " + last->get_name())
    last = last->get_subcommands().front();
  return name;
}

/// Words that no command takes: tells which, and the command whose help says what it takes. The
/// exit status.
int refuse_words(const CLI::App& app, const std::string& what) {
  const CLI::App* last = nullptr;
  const std::string command = named(app, last);
  fmt::print(stderr, "{}: {}; {} --help shows its options\n", command, what, command);
  return 2;
}

int refuse_words(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App* last = nullptr;
  named(app, last);
  // A word too many may be what the missing one was meant to be.
  if (const std::vector<std::string> left = app.remaining(true); !left.empty())
    return refuse_words(app,
                        fmt::format("unknown command, option or argument \"{}\"", left.front()));
  if (last->get_require_subcommand_min() > 0) return refuse_words(app, "a command is missing");
  return refuse_words(app, e.what());
}

/// An error's text, without the control characters that a file may have brought into it: they are a
/// terminal's orders.
int fail(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) && c != '\n'; }, '?');
  fmt::print(stderr, "krait: {}\n", text);
  return 1;
}

/// The first option or argument that is there and empty; nothing takes that but a list of targets.
std::string empty_word(const CLI::App& app) {
  const CLI::App* last = nullptr;
  named(app, last);
  for (const CLI::Option* o : last->get_options())
    for (const std::string& word : o->results())
      if (word.empty() && o->get_name() != "--targets") return o->get_name();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Inspects Krait's kernels and devices", "krait"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "krait " KRAIT_VERSION);

  tool::DumpOptions dump;
  CLI::App* dump_command = app.add_subcommand("dump", "print a kernel, stage by stage");
  dump_command->add_option("FILE", dump.file, "a kernel in text form (.kir), - for standard input");
  dump_command
      ->add_option(
          "--emit", dump.emit,
          "a comma list of ir, passes (IR after each pass, changes marked), "
          "diff (only the changes), final, hints, stats, llvm, asm, ptx, sass, spirv, "
          "spirv-cl, spirv-cl-llvm, wgsl. Given alone, spv writes the words of a SPIR-V module")
      ->delimiter(',')
      ->allow_extra_args(false)  // a word behind the list is the file
      ->default_val(std::vector<std::string>{"ir"})
      ->check(CLI::IsMember({"ir", "passes", "diff", "final", "hints", "stats", "llvm", "asm",
                             "ptx", "sass", "spirv", "spirv-cl", "spirv-cl-llvm", "wgsl", "spv"}));
  dump_command->add_option(
      "--target", dump.target,
      "cpu, sm_90, vulkan, opencl, webgpu, or a full target string as printed by `krait devices`");
  dump_command->add_option("--kernel", dump.kernel,
                           "with --run: only kernels with this text in their names");
  dump_command->add_flag("--all", dump.all,
                         "with --run: also the kernels of Krait's own algorithms");
  dump_command->add_option(
      "--hash", dump.hash,
      "the kernel of the cache entry with a hash that starts with this text (krait cache list)");
  dump_command
      ->add_option(
          "--html", dump.html,
          "write a page with the stages side by side and linked lines; without --emit: all stages")
      ->type_name("FILE");
  dump_command
      ->add_option("--sources", dump.sources,
                   "with --html: a folder of sources besides the current one and the kernel's or "
                   "program's; may be repeated")
      ->type_name("FOLDER")
      ->take_all()
      ->allow_extra_args(false);
  dump_command
      ->add_option(
          "--run", dump.program,
          "run a program and print every kernel that it compiles; its output goes to stderr")
      ->type_name("PROGRAM [ARGS]")
      ->allow_extra_args();
  CLI::App* devices_command = app.add_subcommand("devices", "list the devices");
  bool devices_json = false;
  devices_command->add_flag("--json", devices_json, "print JSON");
  CLI::App* doctor_command =
      app.add_subcommand("doctor",
                         "report what this machine has and run a kernel on each device; "
                         "exit with status 1 if something is wrong");

  tool::RunOptions run;
  CLI::App* run_command = app.add_subcommand("run", "run a kernel in text form");
  run_command
      ->add_option("FILE", run.call.file, "a kernel in text form (.kir), - for standard input")
      ->required();
  run_command->add_option(
      "ARG", run.call.arguments,
      "per parameter a number, a .npy file, or zeros:64,32 for an array of that shape");
  run_command
      ->add_option(
          "--out", run.outputs,
          "N=FILE: write parameter N to a .npy file; other arrays that the kernel writes are "
          "printed")
      ->take_all()
      ->allow_extra_args(false);
  run_command->add_option("--grid", run.call.grid, "blocks: X, X,Y or X,Y,Z");
  run_command->add_option("--block", run.call.block, "threads of a block, likewise");
  run_command->add_option(
      "--count", run.call.count,
      "threads, in blocks that Krait chooses; default: the elements of the first array that "
      "is written");
  run_command->add_option("--device", run.device, "device name, as in KRAIT_DEVICE");
  run_command->add_flag(
      "--no-check", run.unchecked,
      "do not check accesses: by default an access out of bounds is an error with its place");

  tool::BenchOptions bench;
  CLI::App* bench_command =
      app.add_subcommand("bench", "measure rows of the benchmark suite on this machine");
  bench_command->add_option("--device", bench.device,
                            "device name, as in KRAIT_DEVICE; default: all devices");
  bench_command->add_option("--only", bench.only, "only rows with this text in their names");
  bench_command->add_option("--seconds", bench.seconds, "least time to measure each row")
      ->check(CLI::Validator(
          [](const std::string& text) {
            double seconds = 0;
            const auto [end, wrong] =
                std::from_chars(text.data(), text.data() + text.size(), seconds);
            const bool whole = wrong == std::errc() && end == text.data() + text.size();
            return whole && seconds >= 0 && seconds <= 60  // not "nan"
                       ? std::string()
                       : fmt::format("\"{}\" is not a number of seconds from 0 to 60", text);
          },
          "[0 - 60]"));

  tool::ExportOptions web;
  CLI::App* export_command =
      app.add_subcommand("export", "write a web page that runs and checks kernels by WebGPU");
  export_command->add_option("FOLDER", web.folder, "is made where it is missing")->required();
  export_command
      ->add_option("FILE", web.words,
                   "kernels in text form with launches (.kir, ; run: …). "
                   "One kernel without a launch, as krait dump --emit ir prints it, "
                   "needs arguments after it: per parameter a number, a .npy file, or zeros:64,32")
      ->required();
  export_command->add_option("--grid", web.call.grid, "of one kernel, blocks: X, X,Y or X,Y,Z");
  export_command->add_option("--block", web.call.block, "threads of a block, likewise");
  export_command->add_option("--count", web.call.count,
                             "threads, in blocks of 64 or as the kernel fixes them; default: "
                             "the elements of the first array that is written");
  export_command
      ->add_option("--target", web.target,
                   "webgpu, or its limits and features: \"wgsl buffers=10\"")
      ->default_val("webgpu");

  tool::PackOptions pack;
  CLI::App* pack_command = app.add_subcommand(
      "pack", "write kernels into a file that programs load, or list the contents of one");
  pack_command->add_option("PACK", pack.pack, "the file, such as kernels.kpack")->required();
  pack_command->add_option("FILE", pack.files,
                           "kernels in text form (.kir); without them the pack is listed");
  pack_command
      ->add_option("--targets", pack.targets,
                   "targets to compile for, separated by semicolons; \"\": only the IR")
      ->default_val(krait::pack_options{}.targets);

  tool::CacheOptions cache;
  CLI::App* cache_command =
      app.add_subcommand("cache", "list, check or remove the compiled kernels on disk");
  cache_command->require_subcommand(1);
  cache_command->add_subcommand("list", "every entry, most recently used first");
  cache_command->add_subcommand("show", "show an entry: its source and how it was compiled")
      ->add_option("HASH", cache.hash, "the beginning of its hash")
      ->required();
  cache_command->add_subcommand("verify",
                                "check every entry; exit with status 1 if one is damaged");
  cache_command
      ->add_subcommand("prune",
                       "remove damaged entries, and the least recently used ones beyond the size")
      ->add_option("--size", cache.size,
                   "bytes to keep, such as 500M; default: KRAIT_CACHE_MAXSIZE, else 1G");
  cache_command->add_subcommand("clear", "remove every entry");

  tool::MpiOptions mpi;
  CLI::App* mpi_command = app.add_subcommand("mpi", "make krait/dist.h work with another MPI");
  mpi_command->require_subcommand(1);
  CLI::App* mpi_build_command = mpi_command->add_subcommand(
      "build", "compile the library for an MPI of unknown ABI, which KRAIT_MPI then names");
  mpi_build_command->add_option("LIBRARY", mpi.library, "the file, such as libkrait_mpi.so")
      ->required();
  mpi_build_command->add_option("--compiler", mpi.compiler, "the C++ compiler of that MPI")
      ->default_val("mpicxx");

  // What follows --run PROGRAM is the program's own.
  std::vector<std::string> own, rest;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--run" && i + 1 < argc) {
      rest.assign(argv + i + 1, argv + argc);
      break;
    }
    own.emplace_back(argv[i]);
  }
  std::reverse(own.begin(), own.end());
  try {
    app.parse(own);
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return refuse_words(app, e);
  }
  if (!rest.empty()) {
    if (!*dump_command) return refuse_words(app, "unknown command, option or argument \"--run\"");
    dump.program = rest;
  }
  const std::string empty = rest.empty() || !rest.front().empty() ? empty_word(app) : "--run";
  if (!empty.empty()) return refuse_words(app, fmt::format("{} is given an empty text", empty));
  if (*cache_command) cache.command = cache_command->get_subcommands().front()->get_name();
  if (!dump.html.empty() && !dump_command->count("--emit")) {
    dump.emit = {"ir", "passes", "final", "llvm", "asm"};
    if (!dump.file.empty() && dump.target.empty())
      dump.emit.insert(dump.emit.end(), {"ptx", "spirv", "wgsl"});
  }

  try {
    const int status = *cache_command     ? tool::cache(cache)
                       : *pack_command    ? tool::pack(pack)
                       : *export_command  ? tool::export_(web)
                       : *mpi_command     ? tool::mpi_build(mpi)
                       : *devices_command ? tool::devices(devices_json)
                       : *doctor_command  ? tool::doctor()
                       : *run_command     ? tool::run(run)
                       : *bench_command   ? tool::bench(bench)
                                          : tool::dump(dump);
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    return fail(fmt::format("standard output: {}", std::strerror(errno)));
  } catch (const krait::error& e) {
    return fail(e.message());
  } catch (const std::exception& e) {  // no memory
    return fail(e.what());
  }
}
