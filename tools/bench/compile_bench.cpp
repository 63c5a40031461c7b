// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiling a kernel costs, stage by stage, for targets whose devices need not be there:
//   bench_compile [--rounds N] [--kernel NAME] [--large [N]] [--json FILE] [--kir FOLDER] [FILE.kir…] [TARGET…]
// A target is cpu (default), ptx, spirv, or a whole one. Files are kernels as `krait dump --emit
// ir` prints them, in place of the workloads; with --run PROGRAM --all it has those of kr::sort and
// others.
// --large takes generated kernels of 1,000 to 100,000 operations, or of N, three rounds each.
// Times are the smallest of the rounds in a warm process, in ms: compiling is the same work every
// time, and what is above the smallest is the machine's. `processor` is all of it in processor
// time, the mean of the rounds behind the first, which others on the machine disturb less. `first`
// is the first round of all: with the plug-in loaded, LLVM not yet touched. --kir writes the final
// IR of each kernel.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "devices/devices.h"
#include "host/plugin.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "krait/target.h"
#include "large_kernels.h"
#include "recorded.h"

namespace {

namespace kr = krait;
using bench::Workload;
using Clock = std::chrono::steady_clock;

constexpr const char* stages[] = {"record", "passes",   "print", "parse",
                                  "lower",  "optimise", "emit",  "load"};
constexpr std::size_t stage_count = std::size(stages);
struct Times {
  double ms[stage_count]{};
  std::size_t bytes = 0, operations = 0;
  double total() const {
    double sum = 0;
    for (const double t : ms) sum += t;
    return sum;
  }
};

/// Milliseconds that this process has run: code is generated on a thread of its own.
double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
}

Times compile(const Workload& w, const kr::support::Target& target, const std::string& kir_folder) {
  const kr::support::TargetInfo& kind = kr::support::info(target.kind);
  Times t;
  std::size_t stage = 0;
  auto from = Clock::now();
  const auto lap = [&] {
    const auto now = Clock::now();
    t.ms[stage++] = std::chrono::duration<double, std::milli>(now - from).count();
    from = now;
  };
  const kr::host::Recorded recorded = bench::record(w);
  lap();
  // What a launch on whole, separate arrays promises; the CPU makes no difference between aligned
  // and other ones.
  const kr::ir::Module lowered =
      kr::host::lower(recorded, {true, kind.aligned, true, true, true}, target);
  lap();
  const std::string text = kr::ir::print(lowered, {.names = true, .locations = true});
  lap();
  const kr::host::Generated made = kr::host::generate(text, target, "binary", w.name);
  for (const double ms : {made.parse_ms, made.lower_ms, made.optimise_ms, made.emit_ms})
    t.ms[stage++] = ms;
  from = Clock::now();
  if (auto& cpu = kr::host::Devices::get().cpu(); kr::support::print(target) == cpu.target_text) {
    const auto code = cpu.device->load(std::as_bytes(std::span(made.bytes)), w.name);
    lap();
  }
  for (const kr::ir::Function& f : lowered.functions)
    kr::ir::for_each_inst(f, [&](kr::ir::InstId, kr::ir::RegionId) { ++t.operations; });
  t.bytes = made.bytes.size();
  if (!kir_folder.empty())
    std::ofstream(kir_folder + "/" + w.name + "." + std::string(kind.word) + ".kir") << text;
  return t;
}

/// Generated kernels, which nothing else owns: of `only` operations, or of all sizes where it is 0.
std::vector<Workload> large_workloads(int only) {
  static std::deque<std::string> names;
  static std::deque<decltype(bench::large_straight(0))> straight;
  static std::deque<decltype(bench::large_control(0))> control;
  std::vector<Workload> all;
  for (const int n :
       only ? std::vector<int>{only} : std::vector<int>{1000, 3000, 10000, 30000, 100000}) {
    const auto name = [&](const char* kind) {
      return names.emplace_back(fmt::format("{}_{}", kind, n)).c_str();
    };
    all.push_back(
        bench::whole_kernel(name("straight"), straight.emplace_back(bench::large_straight(n))));
    all.push_back(
        bench::whole_kernel(name("control"), control.emplace_back(bench::large_control(n))));
  }
  return all;
}

/// The kernel of a file, by the file's name.
Workload file_workload(const std::string& path) {
  static std::deque<std::string> kept;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw kr::error(kr::error::kind_type::usage, (path + " cannot be read").c_str());
  const char* const text =
      kept.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())
          .c_str();
  const char* const name = kept.emplace_back(std::filesystem::path(path).stem().string()).c_str();
  return {name, nullptr, nullptr, kr::fp::native, text};
}

std::string whole_target(const std::string& name) {
  if (name == "ptx") return kr::target::sm(90).c_str();
  return kr::target(name.c_str()).c_str();
}

}  // namespace

int main(int argc, char** argv) try {
  int rounds = 0;
  std::vector<Workload> all = bench::workloads();
  std::string only, json, kir_folder;
  std::vector<std::string> targets;
  std::vector<Workload> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--rounds") && i + 1 < argc)
      rounds = std::max(std::atoi(argv[++i]), 1);
    else if (!std::strcmp(argv[i], "--large")) {
      const int size = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
      all = large_workloads(size), i += size > 0;
      if (!rounds) rounds = 3;
    } else if (!std::strcmp(argv[i], "--kernel") && i + 1 < argc) only = argv[++i];
    else if (!std::strcmp(argv[i], "--json") && i + 1 < argc) json = argv[++i];
    else if (!std::strcmp(argv[i], "--kir") && i + 1 < argc) kir_folder = argv[++i];
    else if (std::string_view(argv[i]).ends_with(".kir")) files.push_back(file_workload(argv[i]));
    else targets.push_back(whole_target(argv[i]));
  }
  if (!files.empty()) all = files;
  if (!rounds) rounds = 20;
  if (targets.empty()) targets.push_back(whole_target("cpu"));
  kr::host::plugin_build_id();  // loads the plug-in
  std::string out = "[";
  for (const std::string& target : targets) {
    const kr::support::Target made_for = kr::host::read_target(target);
    fmt::print("\n{}\n\n| kernel | {} | all | processor | first | operations | bytes |\n", target,
               fmt::join(stages, " | "));
    for (const Workload& w : all) {
      if (!only.empty() && only != w.name) continue;
      Times best = compile(w, made_for, kir_folder);
      const double first = best.total();
      const double began = processor_ms();
      for (int r = 1; r < rounds; ++r) {
        const Times t = compile(w, made_for, {});
        for (std::size_t s = 0; s < stage_count; ++s) best.ms[s] = std::min(best.ms[s], t.ms[s]);
      }
      const double processor = (processor_ms() - began) / std::max(rounds - 1, 1);
      fmt::print("| {} |", w.name);
      for (const double ms : best.ms) fmt::print(" {:.2f} |", ms);
      fmt::print(" {:.2f} | {:.2f} | {:.2f} | {} | {} |\n", best.total(), processor, first,
                 best.operations, best.bytes);
      std::fflush(stdout);
      out += fmt::format("{}\n  {{\"target\": \"{}\", \"kernel\": \"{}\"",
                         out.size() > 1 ? "," : "", target, w.name);
      for (std::size_t s = 0; s < stage_count; ++s)
        out += fmt::format(", \"{}\": {:.4f}", stages[s], best.ms[s]);
      out += fmt::format(
          ", \"processor\": {:.4f}, \"first\": {:.4f}, \"operations\": {}, \"bytes\": {}}}",
          processor, first, best.operations, best.bytes);
    }
  }
  if (!json.empty()) std::ofstream(json) << out << "\n]\n";
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
