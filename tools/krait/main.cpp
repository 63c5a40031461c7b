// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait: shows what is generated, where kernels can run, and what is kept of them.
#include <fmt/core.h>
#include <krait/error.h>
#include <krait/pack.h>
#include <CLI/CLI.hpp>

#include "commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Inspects Krait's kernels and devices", "krait"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "krait " KRAIT_VERSION);

  tool::DumpOptions dump;
  CLI::App* dump_command = app.add_subcommand("dump", "print a kernel, stage by stage");
  dump_command->add_option("FILE", dump.file, "a kernel in text form (.kir), - for standard input");
  dump_command
      ->add_option("--emit", dump.emit,
                   "ir, passes (what each pass leaves, its changes marked), diff (the changes alone), final, hints, stats, llvm, "
                   "asm, ptx, sass, spirv, "
                   "spirv-cl, spirv-cl-llvm, wgsl (a comma list); spv alone: the words of a SPIR-V module, for a file")
      ->delimiter(',')
      ->default_val(std::vector<std::string>{"ir"})
      ->check(CLI::IsMember({"ir", "passes", "diff", "final", "hints", "stats", "llvm", "asm", "ptx", "sass", "spirv", "spirv-cl",
                             "spirv-cl-llvm", "wgsl", "spv"}));
  dump_command->add_option("--target", dump.target,
                           "cpu, sm_90, vulkan, opencl, webgpu, or a full target string as printed by `krait devices`");
  dump_command->add_option("--kernel", dump.kernel, "with --run: kernels with this in their names alone");
  dump_command->add_option("--hash", dump.hash, "the kernel of a cache entry, by the beginning of its hash (krait cache list)");
  dump_command
      ->add_option("--html", dump.html,
                   "write a page with the stages side by side, whose lines light up together; without --emit all stages")
      ->type_name("FILE");
  dump_command
      ->add_option("--run", dump.program, "run a program and print every kernel that it compiles; its output goes to stderr")
      ->type_name("PROGRAM [ARGS]")
      ->allow_extra_args();
  CLI::App* devices_command = app.add_subcommand("devices", "list the devices");
  bool devices_json = false;
  devices_command->add_flag("--json", devices_json, "for programs");
  CLI::App* doctor_command = app.add_subcommand(
      "doctor", "say what this machine has, and run a kernel on each device; exit with status 1 where something is wrong");

  tool::RunOptions run;
  CLI::App* run_command = app.add_subcommand("run", "run a kernel in text form");
  run_command->add_option("FILE", run.file, "a kernel in text form (.kir), - for standard input")->required();
  run_command->add_option("ARG", run.arguments, "per parameter a number, a .npy file, or zeros:64,32 for an array of that shape");
  run_command
      ->add_option("--out", run.outputs,
                   "N=FILE: write parameter N to a .npy file; other arrays that the kernel writes are printed")
      ->take_all();
  run_command->add_option("--grid", run.grid, "blocks: X, X,Y or X,Y,Z");
  run_command->add_option("--block", run.block, "threads of a block, likewise");
  run_command->add_option("--count", run.count,
                          "threads, in blocks that Krait chooses; default: the elements of the first array that is written");
  run_command->add_option("--device", run.device, "as KRAIT_DEVICE");

  tool::BenchOptions bench;
  CLI::App* bench_command = app.add_subcommand("bench", "measure rows of the benchmark suite on this machine");
  bench_command->add_option("--device", bench.device, "as KRAIT_DEVICE; default: all");
  bench_command->add_option("--only", bench.only, "a part of the rows' names");
  bench_command->add_option("--seconds", bench.seconds, "that each row is measured for, at least")->check(CLI::Range(0.0, 60.0));

  tool::ExportOptions web;
  CLI::App* export_command = app.add_subcommand("export", "write a web page that runs and checks kernels by WebGPU");
  export_command->add_option("FOLDER", web.folder, "is made where it is missing")->required();
  export_command->add_option("FILE", web.files, "kernels in text form with launches (.kir, ; run: …)")->required();
  export_command->add_option("--target", web.target, "webgpu, or its limits and features: \"wgsl buffers=10\"")
      ->default_val("webgpu");

  tool::PackOptions pack;
  CLI::App* pack_command = app.add_subcommand("pack", "write kernels into a file that programs load, or list what is in one");
  pack_command->add_option("PACK", pack.pack, "the file, such as kernels.kpack")->required();
  pack_command->add_option("FILE", pack.files, "kernels in text form (.kir); without them the pack is listed");
  pack_command->add_option("--targets", pack.targets, "what it has code for, with semicolons between; \"\": the IR alone")
      ->default_val(krait::pack_options{}.targets);

  tool::CacheOptions cache;
  CLI::App* cache_command = app.add_subcommand("cache", "list, check or remove the compiled kernels on disk");
  cache_command->require_subcommand(1);
  cache_command->add_subcommand("list", "every entry, most recently used first");
  cache_command->add_subcommand("show", "an entry: how it was made, and from what")
      ->add_option("HASH", cache.hash, "the beginning of its hash")
      ->required();
  cache_command->add_subcommand("verify", "check every entry; exit with status 1 if one is damaged");
  cache_command->add_subcommand("prune", "remove damaged entries, and the least recently used ones beyond the size")
      ->add_option("--size", cache.size, "bytes to keep, such as 500M; default: KRAIT_CACHE_MAXSIZE, else 1G");
  cache_command->add_subcommand("clear", "remove every entry");

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
  } catch (const CLI::ParseError& e) {
    // A word that is no command: the message would be that a command is missing.
    if (const std::vector<std::string> left = app.remaining(true); !left.empty()) {
      fmt::print(stderr, "krait: unknown command or argument \"{}\"; --help lists them\n", left.front());
      return e.get_exit_code();
    }
    return app.exit(e);
  }
  if (!rest.empty()) dump.program = rest;
  if (!dump.html.empty() && !dump_command->count("--emit")) {
    dump.emit = {"ir", "passes", "final", "llvm", "asm"};
    if (!dump.file.empty() && dump.target.empty()) dump.emit.insert(dump.emit.end(), {"ptx", "spirv", "wgsl"});
  }

  try {
    if (*cache_command) {
      cache.command = cache_command->get_subcommands().front()->get_name();
      return tool::cache(cache);
    }
    if (*pack_command) return tool::pack(pack);
    if (*export_command) return tool::export_(web);
    if (*devices_command) return tool::devices(devices_json);
    if (*doctor_command) return tool::doctor();
    if (*run_command) return tool::run(run);
    if (*bench_command) return tool::bench(bench);
    return tool::dump(dump);
  } catch (const krait::error& e) {
    fmt::print(stderr, "krait: {}\n", e.message());
    return 1;
  } catch (const std::exception& e) {  // no memory
    fmt::print(stderr, "krait: {}\n", e.what());
    return 1;
  }
}
