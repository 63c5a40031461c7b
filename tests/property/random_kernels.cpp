// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares back ends with the interpreter on random kernels (checks.h says how):
//   random_kernels [--back-end cpu|cuda|vulkan] [--mode strict|reproducible|native] [--reports yes | --meet yes | --aggregates yes]
//                  [--seconds S] [--fewest N] [--count N] [--seed K] [--jobs N] [--passes no] [--go-on yes] [--keep FOLDER] [--print yes]
//   random_kernels --file KERNEL|FOLDER [--back-end …] [--jobs N] [--passes no] [--races yes] [--print yes]
// Runs until the time is up, but at least --fewest (300) kernels, or exactly --count, and prints how many. The seeds begin at one that
// is drawn, or at --seed; with KRAIT_TEST_SEED in the environment, at one that follows from its text and the arguments. It ends with 1 at the first difference, with --go-on after all of them; the line of a difference has the
// arguments that give the kernel again, and --keep writes it to a file, which --file takes. --jobs: so many processes; one that dies
// or hangs counts as a difference. --reports: kernels are checked, print, and leave their arrays. --meet: threads exchange values, update
// accumulators and use what a warp does together. --aggregates: arrays of aggregates, and aggregates by value. --passes no: the back end
// alone, without the passes one by one. --races: kernels with data races are wrong, too. --print: shows the lowered kernels.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ir/walk.h"
#include "krait/error.h"
#include "property/checks.h"
#include "property/generator.h"
#include "property/kernel_file.h"
#include "property/workers.h"
#include "support/meaning.h"
#include "support/runner.h"

using namespace krait;
using test::RandomKernel;

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string back_end = "cpu", mode = "strict", kind = "plain", keep, file;
  double seconds = 20;
  bool print = false, go_on = false, passes = true, seeded = false, races = false;
  long count = 0, fewest = 300;
  unsigned jobs = 1;
  std::uint64_t seed = 0;
  test::CheckOptions check() const { return {back_end, passes, print, races}; }
};

/// New in every run, except that CI can be repeated: it names the commit.
std::uint64_t drawn_seed(const Options& o) {
  const char* const text = std::getenv("KRAIT_TEST_SEED");
  if (!text) return std::random_device()();
  const char* const target = std::getenv("KRAIT_CPU");
  const std::string all = fmt::format("{} {} {} {} {}", text, o.back_end, o.kind, o.mode, target ? target : "");
  std::uint32_t seed = 0;
  std::seed_seq(all.begin(), all.end()).generate(&seed, &seed + 1);
  return seed;
}

Options parse(int argc, char** argv) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  Options o;
  const auto text = [&](const char* name, std::string& to) {
    if (given.count(name)) to = given[name];
  };
  const auto number = [&](const char* name, auto& to) {
    if (given.count(name)) to = std::remove_reference_t<decltype(to)>(std::strtod(given[name].c_str(), nullptr));
  };
  text("--back-end", o.back_end), text("--mode", o.mode), text("--keep", o.keep), text("--file", o.file);
  number("--seconds", o.seconds), number("--fewest", o.fewest), number("--count", o.count), number("--jobs", o.jobs);
  for (const char* kind : {"aggregates", "meet", "reports"})
    if (given.count(std::string("--") + kind)) o.kind = kind;
  o.print = given.count("--print"), o.go_on = given.count("--go-on"), o.races = given.count("--races"),
  o.passes = given["--passes"] != "no";
  o.seeded = given.count("--seed");
  o.seed = o.seeded ? std::strtoull(given["--seed"].c_str(), nullptr, 10) : drawn_seed(o);
  o.jobs = std::max(o.jobs, 1u);
  return o;
}

bool opencl_lacks(const runtime::Device& device, support::Feature f) {
  const support::Target target = device.target();
  return target.kind == support::TargetKind::OpenCl && !target.spirv.features.has(f);
}

/// What a device of so many lanes a warp is given.
test::GeneratorOptions generated(const Options& o, int warp) {
  test::GeneratorOptions generate;
  std::string why;
  if (const runtime::Device* const device = o.back_end == "opencl" ? test::find_device(o.back_end, why) : nullptr)
    generate.f64 = !opencl_lacks(*device, support::Feature::F64), generate.warps = !opencl_lacks(*device, support::Feature::Warp);
  generate.fp = test::exact_mode(o.mode);
  generate.warp = warp, generate.any_flow = o.back_end == "cpu";
  generate.meet = o.kind == "meet", generate.reports = o.kind == "reports", generate.aggregates = o.kind == "aggregates";
  return generate;
}

/// The kernel of a seed, with the facts of its launch: views are dense, aligned and apart, and hold few elements; the seed decides
/// which of these facts the code may use.
RandomKernel kernel_of(std::uint64_t seed, const test::GeneratorOptions& generate) {
  RandomKernel k = test::random_kernel(seed, generate);
  ir::Facts facts{true, (seed & 1) == 0, (seed & 2) == 0, true};
  if ((seed & 4) == 0) facts.set_block(k.launch.block[0], k.launch.block[1], k.launch.block[2]);
  if ((seed & 8) == 0) facts.warp = unsigned(k.launch.warp_size);
  test::set_facts(k.module, facts);
  return k;
}

/// Writes a kernel into the folder.
void keep(const RandomKernel& k, const Options& o, const std::string& origin, std::uint64_t seed) {
  fs::create_directories(o.keep);
  const fs::path file = fs::path(o.keep) / fmt::format("{}.{}.{}.kir", o.kind, o.mode, seed);
  std::ofstream(file) << test::write_kernel(k, "random_kernels " + origin);
  std::printf("kept as %s\n", file.c_str());
}

void differs(const Options& o, test::Progress& shared, std::uint64_t seed, const std::string& wrong) {
  ++shared.different;
  if (!o.go_on) shared.stop = true;
  const std::string kind = o.kind == "plain" ? "" : fmt::format("--{} yes ", o.kind),
                    origin = fmt::format("{}--mode {} --seed {}", kind, o.mode, seed);
  std::printf("seed %llu: %s\nto reproduce: --back-end %s %s --count 1\n", static_cast<unsigned long long>(seed), wrong.c_str(),
              o.back_end.c_str(), origin.c_str());
  if (!o.keep.empty()) keep(kernel_of(seed, generated(o, shared.warp)), o, origin, seed);
}

/// The kernels of seeds, until there have been enough. False where the device was lost before.
bool run_seeds(const Options& o, test::Progress& shared, std::atomic<long>& at) {
  std::string why;
  runtime::Device* const device = test::find_device(o.back_end, why);
  const std::string& name = device ? device->name() : why;
  shared.device[name.copy(shared.device, sizeof shared.device - 1)] = 0;
  if (!device) return shared.missing = true;
  shared.warp = test::warp_of(*device);
  const test::GeneratorOptions generate = generated(o, shared.warp);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  while (!shared.stop) {
    const long i = shared.next++;
    if (o.count ? i >= o.count : i >= o.fewest && elapsed() >= o.seconds) break;
    at = i;
    const std::uint64_t seed = o.seed + std::uint64_t(i);
    const std::string wrong = test::check(kernel_of(seed, generate), *device, o.check());
    ++shared.done;
    if (!wrong.empty()) differs(o, shared, seed, wrong);
    if (wrong.find("lost to this process") != std::string::npos) return false;
  }
  return true;
}

/// Of a given seed the result is wanted.
int missing(const Options& o, const char* why) {
  return std::printf("random_kernels: %s\n", why), o.seeded ? 1 : test::missing(o.back_end);
}

/// Whether what it computes depends on how many lanes a warp has.
bool asks_for_warp(const ir::Module& m) {
  bool asks = false;
  for (const ir::Function& f : m.functions)
    ir::for_each_inst(f, [&](ir::InstId i, ir::RegionId) {
      const ir::Op op = f.insts[i].op;
      asks = asks || ir::is_warp_operation(op) || op == ir::Op::LaneId || op == ir::Op::WarpSize;
    });
  return asks;
}

std::vector<fs::path> files_of(const Options& o) {
  std::vector<fs::path> files;
  if (fs::is_directory(o.file))
    for (const fs::directory_entry& e : fs::directory_iterator(o.file)) files.push_back(e.path());
  else files.push_back(o.file);
  std::sort(files.begin(), files.end());
  return files;
}

void tell(test::Progress& shared, const fs::path& file, const std::string& what, bool right) {
  std::printf("%s: %s\n", file.c_str(), what.c_str());
  ++shared.done;
  if (!right) ++shared.different;
}

/// The kernels of files, until there are no more. False where the device was lost before.
bool run_files(const Options& o, const std::vector<fs::path>& files, test::Progress& shared, std::atomic<long>& at) {
  std::string why;
  runtime::Device* const device = test::find_device(o.back_end, why);
  if (!device) return shared.device[why.copy(shared.device, sizeof shared.device - 1)] = 0, shared.missing = true;
  for (long i; (i = shared.next++) < long(files.size());) {
    at = i;
    const fs::path& file = files[std::size_t(i)];
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
      tell(shared, file, "cannot be read", false);
      continue;
    }
    const RandomKernel k = test::read_kernel(text);
    if (asks_for_warp(k.module) &&
        (opencl_lacks(*device, support::Feature::Warp) || k.launch.warp_size != test::warp_of(*device))) {
      tell(shared, file, fmt::format("is for warps of {}", k.launch.warp_size), true);
      continue;
    }
    const std::string wrong = test::check(k, *device, o.check());
    tell(shared, file, wrong.empty() ? "the same on " + device->name() : wrong, wrong.empty());
    if (wrong.find("lost to this process") != std::string::npos) return false;
  }
  return true;
}

int run_files(const Options& o) {
  const std::vector<fs::path> files = files_of(o);
  const test::Progress& all = test::run_workers(
      o.jobs, [&](test::Progress& shared, std::atomic<long>& at) { return run_files(o, files, shared, at); },
      [&](test::Progress& shared, long at, int signal) {
        if (at < 0) std::printf("random_kernels: a process ended by signal %d without a kernel\n", signal), std::exit(1);
        tell(shared, files[std::size_t(at)], fmt::format("the process ended by signal {}", signal), false);
      });
  if (all.missing) return missing(o, all.device);
  std::printf("%ld files on %s, %ld differ\n", all.done.load(), o.back_end.c_str(), all.different.load());
  return all.different || all.done != long(files.size()) || files.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options o = parse(argc, argv);
  if (!o.file.empty()) return run_files(o);
  test::exact_mode(o.mode);  // throws for others
  const auto start = std::chrono::steady_clock::now();
  const test::Progress& all = test::run_workers(
      o.jobs, [&](test::Progress& shared, std::atomic<long>& at) { return run_seeds(o, shared, at); },
      [&](test::Progress& shared, long at, int signal) {
        if (at < 0) std::printf("random_kernels: a process ended by signal %d without a kernel\n", signal), std::exit(1);
        differs(o, shared, o.seed + std::uint64_t(at), fmt::format("the process ended by signal {}", signal)), ++shared.done;
      });
  if (all.missing) return missing(o, all.device);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%ld random kernels, %s, %s, from seed %llu: interpreter against %s (%s), %.0f s; %ld differ\n", all.done.load(),
              o.kind.c_str(), o.mode.c_str(), static_cast<unsigned long long>(o.seed), o.back_end.c_str(), all.device, seconds,
              all.different.load());
  return all.different ? 1 : 0;
} catch (const std::exception& e) {
  std::printf("random_kernels: %s\n", e.what());
  return 1;
}
