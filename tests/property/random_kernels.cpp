// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares back ends with the interpreter on random kernels (checks.h says how):
//   random_kernels [--back-end cpu|cuda|vulkan] [--mode strict|reproducible|native] [--reports yes | --meet yes | --aggregates yes | --tiles yes]
//                  [--seconds S] [--fewest N] [--count N] [--seed K] [--jobs N] [--limit S] [--passes no] [--go-on yes] [--keep FOLDER] [--print yes]
// Runs until the time is up, but at least --fewest (300) kernels, or exactly --count, and prints
// how many. The seeds begin at one that is drawn, or at --seed; with KRAIT_TEST_SEED in the
// environment, at one that follows from its text and the arguments. It ends with 1 at the first
// difference, with --go-on after all of them; the line of a difference has the arguments that give
// the kernel again, and --keep writes it to a file, which the program kernels takes. --jobs: so
// many processes; one that dies counts as a difference. --limit: a kernel that takes longer than so
// many seconds (60; 0: any number) is named. On the CPU it is skipped; on other back ends it counts
// as a difference, and with one job ends the process. --reports: kernels are checked, print, and
// leave their arrays. --meet: threads exchange values, update accumulators and use what a warp does
// together. --aggregates: arrays of aggregates, and aggregates by value. --tiles: tiles and their
// products.
// --passes no: the back end alone, without the passes one by one. --print: shows the lowered
// kernels.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "krait/error.h"
#include "support/checks.h"
#include "property/generator.h"
#include "support/kernel_file.h"
#include "support/workers.h"
#include "support/meaning.h"
#include "support/runner.h"
#include "support/webgpu_device.h"

using namespace krait;
using test::Kernel;

namespace {

namespace fs = std::filesystem;

/// Seconds for a kernel: WebGPU's driver on the CPU compiles some for minutes.
constexpr double webgpu_patience = 6;

struct Options {
  std::string back_end = "cpu", mode = "strict", kind = "plain", keep;
  double seconds = 20, limit = 60;
  bool print = false, go_on = false, passes = true, seeded = false;
  long count = 0, fewest = 300;
  unsigned jobs = 1;
  std::uint64_t seed = 0;
  test::CheckOptions check() const { return {.passes = passes, .print = print}; }
};

/// New in every run, except that CI can be repeated: it names the commit.
std::uint64_t drawn_seed(const Options& o) {
  const char* const text = std::getenv("KRAIT_TEST_SEED");
  if (!text) return std::random_device()();
  const char* const target = std::getenv("KRAIT_CPU");
  const std::string all =
      fmt::format("{} {} {} {} {}", text, o.back_end, o.kind, o.mode, target ? target : "");
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
    if (given.count(name))
      to = std::remove_reference_t<decltype(to)>(std::strtod(given[name].c_str(), nullptr));
  };
  text("--back-end", o.back_end), text("--mode", o.mode), text("--keep", o.keep);
  number("--seconds", o.seconds), number("--fewest", o.fewest), number("--count", o.count),
      number("--jobs", o.jobs), number("--limit", o.limit);
  for (const char* kind : {"aggregates", "meet", "reports", "tiles"})
    if (given.count(std::string("--") + kind)) o.kind = kind;
  o.print = given.count("--print"), o.go_on = given.count("--go-on"),
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
  if (const runtime::Device* const device =
          o.back_end == "opencl" ? test::find_device(o.back_end, why) : nullptr)
    generate.f64 = !opencl_lacks(*device, support::Feature::F64),
    generate.warps = !opencl_lacks(*device, support::Feature::Warp);
  if (o.back_end == "webgpu") generate.f64 = generate.warps = false, generate.small = true;
  generate.fp = test::exact_mode(o.mode);
  generate.warp = warp, generate.any_flow = o.back_end == "cpu";
  generate.meet = o.kind == "meet", generate.reports = o.kind == "reports",
  generate.aggregates = o.kind == "aggregates", generate.tiles = o.kind == "tiles";
  return generate;
}

/// The kernel of a seed, with the facts of its launch: views are dense, aligned and apart, and hold
/// few elements; the seed decides which of these facts the code may use.
Kernel kernel_of(std::uint64_t seed, const test::GeneratorOptions& generate) {
  Kernel k = test::random_kernel(seed, generate);
  ir::Facts facts{true, (seed & 1) == 0, (seed & 2) == 0, true};
  if ((seed & 4) == 0) facts.set_block(k.launch.block[0], k.launch.block[1], k.launch.block[2]);
  if ((seed & 8) == 0) facts.warp = unsigned(k.launch.warp_size);
  if ((seed & 48) == 0) facts.contiguous = false, facts.dense_rows = (seed & 64) == 0;
  test::set_facts(k.module, facts);
  return k;
}

/// Writes a kernel into the folder.
void keep(const Kernel& k, const Options& o, const std::string& origin, std::uint64_t seed) {
  fs::create_directories(o.keep);
  const fs::path file = fs::path(o.keep) / fmt::format("{}.{}.{}.kir", o.kind, o.mode, seed);
  std::ofstream(file) << test::write_kernel(k, "random_kernels " + origin);
  std::printf("kept as %s\n", file.c_str());
}

void differs(const Options& o, test::Progress& shared, std::uint64_t seed,
             const std::string& wrong) {
  ++shared.different;
  if (!o.go_on) shared.stop = true;
  const std::string kind = o.kind == "plain" ? "" : fmt::format("--{} yes ", o.kind),
                    origin = fmt::format("{}--mode {} --seed {}", kind, o.mode, seed);
  std::printf("seed %llu: %s\nto reproduce: --back-end %s %s --count 1\n",
              static_cast<unsigned long long>(seed), wrong.c_str(), o.back_end.c_str(),
              origin.c_str());
  std::fflush(stdout);  // behind a hang what follows may hang, too
  if (!o.keep.empty()) keep(kernel_of(seed, generated(o, shared.warp)), o, origin, seed);
}

/// The kernels of seeds, until there have been enough. False where the device was lost before.
bool run_seeds(const Options& o, test::Progress& shared, std::atomic<long>& at) {
  std::string why;
  runtime::Device* const device = test::find_device(o.back_end, why);
  const std::string& name = device ? device->name() : why;
  shared.device[name.copy(shared.device, sizeof shared.device - 1)] = 0;
  if (!device) return shared.missing = true;
  shared.warp = test::warp_of(device->target());
  if (o.back_end == "webgpu") test::set_webgpu_patience(webgpu_patience);
  const test::GeneratorOptions generate = generated(o, shared.warp);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (!shared.stop) {
    const long i = shared.next++;
    if (o.count ? i >= o.count : i >= o.fewest && elapsed() >= o.seconds) break;
    at = i;
    const std::uint64_t seed = o.seed + std::uint64_t(i);
    const std::string wrong = test::check(kernel_of(seed, generate), device, o.check());
    if (o.back_end == "webgpu" && test::webgpu_lacks(wrong)) continue;  // the next seed has another
    if (wrong.find(test::webgpu_gave_up) != std::string::npos && ++shared.given_up) continue;
    ++shared.done;
    if (!wrong.empty()) differs(o, shared, seed, wrong);
    if (wrong.find("lost to this process") != std::string::npos) return false;
  }
  return true;
}

/// What is said of a kernel that takes too long. The processor's compiler is slow at times; a GPU's
/// that does not come back is wrong.
void too_late(const Options& o, test::Progress& shared, long at) {
  const std::uint64_t seed = o.seed + std::uint64_t(at);
  const std::string text = fmt::format("more than {:g} s", o.limit);
  if (o.back_end != "cpu") return differs(o, shared, seed, text), static_cast<void>(++shared.done);
  std::printf("seed %llu: %s: skipped\n", static_cast<unsigned long long>(seed), text.c_str());
  ++shared.late;
}

/// Ends this process where a kernel hangs in it: a call of a driver's cannot be left.
void watch(const Options& o, test::Progress& shared, const std::atomic<long>& at) {
  std::thread([&] {
    const auto tick = std::chrono::milliseconds(100);
    double waited = 0;
    for (long seen = -1;; std::this_thread::sleep_for(tick)) {
      const long now_at = at;
      waited = now_at == seen ? waited + 0.1 : 0, seen = now_at;
      if (waited <= o.limit || now_at < 0) continue;
      too_late(o, shared, now_at);
      std::fflush(stdout);
      std::_Exit(1);
    }
  }).detach();
}

/// Of a given seed the result is wanted.
int missing(const Options& o, const char* why) {
  return std::printf("random_kernels: %s\n", why), o.seeded ? 1 : test::missing(o.back_end);
}

}  // namespace

int main(int argc, char** argv) try {
  // the thread of watch() reads it until the process is gone
  static const Options& o = *new Options(parse(argc, argv));
  test::exact_mode(o.mode);  // throws for others
  const auto start = std::chrono::steady_clock::now();
  const bool watched = o.jobs == 1 && o.back_end != "cpu" && o.limit > 0;
  const test::Progress& all = test::run_workers(
      o.jobs,
      [&](test::Progress& shared, std::atomic<long>& at) {
        if (watched) watch(o, shared, at);
        return run_seeds(o, shared, at);
      },
      [&](test::Progress& shared, long at, int signal) {
        if (at < 0)
          std::printf("random_kernels: a process ended by signal %d without a kernel\n", signal),
              std::exit(1);
        differs(o, shared, o.seed + std::uint64_t(at),
                fmt::format("the process ended by signal {}", signal)),
            ++shared.done;
      },
      {.seconds = o.limit > 0 ? o.limit : 1e9,
       .late = [&](test::Progress& shared, long at) { too_late(o, shared, at); },
       .apart = o.back_end == "cpu" && o.limit > 0});
  if (all.missing) return missing(o, all.device);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string given_up = all.given_up ? fmt::format(", {} were given up", all.given_up.load()) : "";
  if (all.late) given_up += fmt::format(", {} took more than {:g} s", all.late.load(), o.limit);
  std::printf(
      "%ld random kernels, %s, %s, from seed %llu: interpreter against %s (%s), %.0f s; %ld differ%s\n",
      all.done.load(), o.kind.c_str(), o.mode.c_str(), static_cast<unsigned long long>(o.seed),
      o.back_end.c_str(), all.device, seconds, all.different.load(), given_up.c_str());
  return all.different || (all.late && !all.done) ? 1 : 0;
} catch (const std::exception& e) {
  std::printf("random_kernels: %s\n", e.what());
  return 1;
}
