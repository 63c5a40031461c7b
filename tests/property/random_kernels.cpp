// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares back ends with the interpreter on random kernels:
//   random_kernels [--back-end cpu|cuda|vulkan] [--seconds S] [--fewest N] [--count N] [--seed K] [--mode strict|reproducible|native] [--print yes] [--go-on yes] [--reports yes] [--meet yes] [--aggregates yes] [--keep FOLDER] [--file KERNEL]
// Runs until the time is up (with --go-on also after differences), but at least --fewest (300) kernels (or exactly --count), prints how many, and exits with 1 at the first
// difference, whose seed reproduces it: --seed K --count 1. For every kernel also: the text form is its own inverse, every exact
// pass keeps what the interpreter computes, and the lowered module is valid. --print shows the lowered kernel of each seed. With --reports the
// kernels are checked, print, and leave their arrays; lines, faults and memory must be those of the interpreter.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

#include "driver/devices.h"
#include "ir/report.h"
#include "ir/text.h"
#include "krait/error.h"
#include "passes/passes.h"
#include "property/generator.h"
#include "property/kernel_file.h"

using namespace krait;
using test::Argument;
using test::RandomKernel;

namespace {

struct Options {
  std::string back_end = "cpu", mode = "strict", keep, file;
  double seconds = 20;
  bool print = false, go_on = false, reports = false, meet = false, aggregates = false;
  long count = 0, fewest = 300;
  std::uint64_t seed = 0;
};

/// Empty, or what is wrong with the kernel.
std::string check_passes(const RandomKernel& kernel, std::vector<Argument> expected) {
  RandomKernel k = kernel;
  k.module.kernel().facts = {};
  for (ir::Function& f : k.module.called()) f.inherit(k.module.kernel());
  if (const std::string broken = ir::verify(k.module); !broken.empty()) return "the recording is not valid: " + broken;
  const std::string text = ir::print(k.module);
  const ir::ParseResult parsed = ir::parse(text);
  if (!parsed.error.empty()) return "its own text does not parse: " + parsed.error;
  if (ir::print(parsed.module) != text) return "printing and parsing are not inverse";

  ir::Module m = k.module;
  std::string failure;
  passes::for_each_pass([&](const passes::Pass& pass) {
    if (!failure.empty()) return;
    pass.run(m);
    if (const std::string broken = ir::verify(m); !broken.empty()) {
      failure = fmt::format("not valid after {}: {}", pass.name, broken);
      return;
    }
    std::vector<Argument> got = k.arguments;
    std::string fault = run_interpreted(m, k.launch, got);
    if (!pass.exact) expected = got;  // what later passes have to keep
    if (fault.empty()) fault = difference(m, expected, got);
    if (!fault.empty()) failure = fmt::format("another result after {}: {}", pass.name, fault);
  });
  return failure;
}

/// Lines and faults of a launch.
struct Said {
  std::vector<std::string> lines, faults;
  std::uint64_t lost = 0;
};

/// The two arguments that lower_reports adds.
void add_report_arguments(std::vector<Argument>& arguments) {
  constexpr std::uint32_t lines = 1u << 18, faults = 1u << 16;
  std::vector<std::uint32_t> buffer(ir::report_first_word + lines + faults);
  const auto heads = ir::empty_reports(lines, faults);
  std::copy(heads.begin(), heads.end(), buffer.begin());
  arguments.push_back(test::array_of(buffer));
  arguments.emplace_back().bits = 1;
}

/// Takes them off again, and what was written.
Said take_reports(std::vector<Argument>& arguments, const std::vector<ir::ReportSite>& sites) {
  const std::vector<std::byte>& bytes = arguments[arguments.size() - 2].bytes;
  const std::span<const std::uint32_t> buffer(reinterpret_cast<const std::uint32_t*>(bytes.data()), bytes.size() / 4);
  const auto find = [&](std::uint32_t kernel) { return kernel == 1 ? &sites : nullptr; };
  Said said;
  for (const ir::Report& r : ir::read_reports(buffer, false, find)) said.lines.push_back(r.text());
  for (const ir::Report& r : ir::read_reports(buffer, true, find))
    said.faults.push_back(fmt::format("{}, block ({}), thread ({})", r.text(), fmt::join(r.block, ", "), fmt::join(r.thread, ", ")));
  said.lost = ir::lost_reports(buffer, false) + ir::lost_reports(buffer, true);
  arguments.resize(arguments.size() - 2);
  return said;
}

/// Empty, or what differs between the interpreter's words and the buffer's.
std::string compare(std::vector<std::string> lines, const ir::Outcome& outcome, Said said) {
  const std::uint64_t wanted = lines.size() + outcome.faults, got = said.lines.size() + said.faults.size() + said.lost;
  if (wanted != got) return fmt::format("{} lines and faults, the interpreter has {}", got, wanted);
  if (said.lost) return {};
  if (outcome.faults && std::find(said.faults.begin(), said.faults.end(), outcome.fault) == said.faults.end())
    return fmt::format("no fault is the interpreter's: {}; the first is {}", outcome.fault, said.faults.empty() ? "none" : said.faults[0]);
  std::sort(lines.begin(), lines.end()), std::sort(said.lines.begin(), said.lines.end());
  const auto at = std::mismatch(lines.begin(), lines.end(), said.lines.begin(), said.lines.end());
  return at.first == lines.end() && at.second == said.lines.end() ? ""
                                                                  : fmt::format("other lines than the interpreter's, such as {}", *at.second);
}

/// A kernel that reports: the interpreter on the recording against the interpreter and the back end on the final IR.
std::string check_reports(const RandomKernel& k, const Options& o, runtime::Device& device) {
  std::vector<std::string> lines;
  std::vector<Argument> expected = k.arguments;
  const ir::Outcome outcome =
      run_interpreted(k.module, k.launch, expected, {.print = [&](const std::string& line) { lines.push_back(line); }});
  if (!outcome.stopped.empty()) return "interpreter: " + outcome.stopped;

  ir::Module lowered = k.module;
  for (ir::Function& f : lowered.called()) f.inherit(lowered.kernel());
  passes::inline_calls(lowered);  // as the pipeline begins
  passes::check_accesses(lowered);
  const std::vector<ir::ReportSite> sites = ir::report_sites(lowered);
  lowered = k.module;
  const passes::TargetKind kind = driver::kind_of(device.target());
  if (const std::string refused = passes::run_pipeline(lowered, kind, true); !refused.empty()) return "passes: " + refused;
  if (o.print) std::fputs(ir::print(lowered).c_str(), stdout);
  const auto compared = [&](const std::string& who, auto run) -> std::string {
    std::vector<Argument> got = k.arguments;
    if (!sites.empty()) add_report_arguments(got);
    if (const std::string fault = run(got); !fault.empty()) return who + ": " + fault;
    const Said said = sites.empty() ? Said{} : take_reports(got, sites);
    std::string wrong = compare(lines, outcome, said);
    if (wrong.empty()) wrong = difference(k.module, expected, got);
    return wrong.empty() ? "" : who + ": " + wrong;
  };
  std::string wrong =
      compared("interpreter, lowered", [&](std::vector<Argument>& got) { return run_interpreted(lowered, k.launch, got); });
  if (wrong.empty()) wrong = compared(o.back_end, [&](std::vector<Argument>& got) { return run_on(device, lowered, k.launch, got); });
  return wrong;
}

std::string check_kernel(const RandomKernel& k, const Options& o, runtime::Device& device) {
  std::vector<Argument> expected = k.arguments;
  if (const std::string fault = run_interpreted(k.module, k.launch, expected); !fault.empty()) return "interpreter: " + fault;
  if (const std::string wrong = check_passes(k, expected); !wrong.empty()) return wrong;

  ir::Module lowered = k.module;
  const passes::TargetKind kind = driver::kind_of(device.target());
  if (const std::string refused = passes::run_pipeline(lowered, kind, true); !refused.empty()) return "passes: " + refused;
  if (o.print) {
    std::fputs(ir::print(lowered).c_str(), stdout);
    for (const Argument& a : k.arguments)
      if (a.rank == 0) std::printf("; scalar argument: bits %llx\n", static_cast<unsigned long long>(a.bits));
  }
  expected = k.arguments;  // of the final IR: contraction changes what recorded IR computes
  if (const std::string fault = run_interpreted(lowered, k.launch, expected); !fault.empty()) return "interpreter, lowered: " + fault;
  std::vector<Argument> got = k.arguments;
  if (const std::string fault = run_on(device, lowered, k.launch, got); !fault.empty()) return o.back_end + ": " + fault;
  return difference(lowered, expected, got);
}

/// Empty, or what is wrong with the kernel.
std::string check(const RandomKernel& k, const Options& o, runtime::Device& device) try {
  return (k.module.kernel().checked ? check_reports : check_kernel)(k, o, device);
} catch (const error& e) {
  return std::string("exception: ") + e.message();
}

/// The kernel of a seed, with the facts of its launch: views are dense, aligned and apart, and hold few elements; the seed decides
/// which of these facts the code may use.
RandomKernel kernel_of(std::uint64_t seed, const test::GeneratorOptions& generate) {
  RandomKernel k = test::random_kernel(seed, generate);
  k.module.kernel().facts = {true, (seed & 1) == 0, (seed & 2) == 0, true,
                             !generate.reports && (seed & 4) == 0 && k.launch.block[0] % 32 == 0};
  for (ir::Function& f : k.module.called()) f.inherit(k.module.kernel());
  return k;
}

/// Writes a kernel into the folder.
void keep(const RandomKernel& k, const Options& o, const std::string& origin, std::uint64_t seed) {
  const char* const kind = o.reports ? "reports" : o.meet ? "meet" : o.aggregates ? "aggregates" : "plain";
  std::filesystem::create_directories(o.keep);
  const std::filesystem::path file = std::filesystem::path(o.keep) / fmt::format("{}.{}.{}.kir", kind, o.mode, seed);
  std::ofstream(file) << test::write_kernel(k, "random_kernels " + origin);
  std::printf("kept as %s\n", file.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  Options o;
  // A fixed part and one that changes every day.
  o.seed = std::uint64_t(std::time(nullptr) / 86400) * 1'000'000;
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < argc; i += 2) given[argv[i]] = argv[i + 1];
  if (given.count("--back-end")) o.back_end = given["--back-end"];
  o.print = given.count("--print"), o.go_on = given.count("--go-on"), o.reports = given.count("--reports");
  o.aggregates = given.count("--aggregates");
  o.meet = given.count("--meet");  // threads exchange values, update accumulators and use what a warp does together
  if (given.count("--keep")) o.keep = given["--keep"];
  if (given.count("--file")) o.file = given["--file"];
  if (given.count("--mode")) o.mode = given["--mode"];
  if (given.count("--seconds")) o.seconds = std::atof(given["--seconds"].c_str());
  if (given.count("--fewest")) o.fewest = std::atol(given["--fewest"].c_str());
  if (given.count("--count")) o.count = std::atol(given["--count"].c_str());
  const bool one_seed = given.count("--seed");
  if (one_seed) o.seed = std::strtoull(given["--seed"].c_str(), nullptr, 10);

  std::string why;
  runtime::Device* device = test::find_device(o.back_end, why);
  if (!device) {
    const std::vector<std::string> wanted = test::wanted_back_ends();
    const bool needed = one_seed || std::find(wanted.begin(), wanted.end(), o.back_end) != wanted.end();
    return std::printf("random_kernels: %s\n", why.c_str()), needed ? 1 : 77;  // what ctest counts as skipped
  }
  if (!o.file.empty()) {
    std::ifstream in(o.file, std::ios::binary);
    if (!in) return std::printf("random_kernels: there is no %s\n", o.file.c_str()), 1;
    const std::string text{std::istreambuf_iterator<char>(in), {}}, wrong = check(test::read_kernel(text), o, *device);
    std::printf("%s: %s\n", o.file.c_str(), wrong.empty() ? ("the same on " + device->name()).c_str() : wrong.c_str());
    return wrong.empty() ? 0 : 1;
  }
  test::GeneratorOptions generate;
  generate.fp = test::exact_mode(o.mode);
  generate.meet = o.meet && !o.reports, generate.warp = test::warp_of(*device), generate.any_flow = o.back_end == "cpu";
  generate.reports = o.reports, generate.aggregates = o.aggregates && !o.reports;

  const std::string kind = o.reports ? "--reports yes " : o.meet ? "--meet yes " : o.aggregates ? "--aggregates yes " : "";
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  long done = 0, different = 0;
  for (; o.count ? done < o.count : done < o.fewest || elapsed() < o.seconds; ++done) {
    const std::uint64_t seed = one_seed ? o.seed + std::uint64_t(done) : done % 2 ? o.seed + std::uint64_t(done) : std::uint64_t(done);
    const RandomKernel k = kernel_of(seed, generate);
    const std::string wrong = check(k, o, *device);
    if (!wrong.empty()) {
      const std::string origin = fmt::format("{}--mode {} --seed {}", kind, o.mode, seed);
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
      std::printf("to reproduce: --back-end %s %s --count 1\n", o.back_end.c_str(), origin.c_str());
      if (!o.keep.empty()) keep(k, o, origin, seed);
      ++different;
      if (!o.go_on) return 1;
    }
  }
  std::printf("%ld random kernels, %s: interpreter against %s (%s), %.0f s\n", done, o.mode.c_str(), o.back_end.c_str(), device->name().c_str(), elapsed());
  if (different) return std::printf("%ld of them differ\n", different), 1;
} catch (const std::exception& e) {
  std::printf("random_kernels: %s\n", e.what());
  return 1;
}
