// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/checks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "devices/devices.h"
#include "ir/report.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "passes/passes.h"
#include "support/device_floats.h"
#include "support/meaning.h"

namespace krait::test {
namespace {

using support::Target;
using support::TargetKind;

/// What a launch leaves: memory, and the lines and faults of a kernel that reports.
struct Result {
  std::vector<Argument> arguments;
  std::vector<std::string> lines;
  ir::Outcome outcome;
};

// Instructions of a launch: the generator's kernels take fewer, those that reduce.py cuts may never
// end.
constexpr std::uint64_t most_steps = 20'000'000;

Result interpreted(const ir::Module& m, const Kernel& k, bool races = false) {
  Result r{k.arguments, {}, {}};
  r.outcome = run_interpreted(m, k.launch, r.arguments,
                              {.races = races,
                               .print = [&](const std::string& line) { r.lines.push_back(line); },
                               .max_steps = most_steps});
  return r;
}

/// Empty, or what differs. Faults and lines come in any order; the first fault is that of the order
/// in which threads ran.
std::string compare(const ir::Module& m, const Result& expected, Result got) {
  if (!got.outcome.stopped.empty()) return got.outcome.stopped;
  if (expected.outcome.faults != got.outcome.faults)
    return fmt::format("{} faults instead of {}: {}", got.outcome.faults, expected.outcome.faults,
                       got.outcome.fault);
  std::vector<std::string> lines = expected.lines;
  std::sort(lines.begin(), lines.end()), std::sort(got.lines.begin(), got.lines.end());
  if (lines != got.lines) return "other lines";
  return difference(m, expected.arguments, got.arguments);
}

// ---- what a back end reports --------------------------------------------------------------------

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
  arguments.push_back(array(buffer));
  arguments.emplace_back().bits = 1;
}

/// Takes them off again, and what was written.
Said take_reports(std::vector<Argument>& arguments, const std::vector<ir::ReportSite>& sites) {
  const std::vector<std::byte>& bytes = arguments[arguments.size() - 2].bytes;
  const std::span<const std::uint32_t> buffer(reinterpret_cast<const std::uint32_t*>(bytes.data()),
                                              bytes.size() / 4);
  const auto find = [&](std::uint32_t kernel) { return kernel == 1 ? &sites : nullptr; };
  Said said;
  for (const ir::Report& r : ir::read_reports(buffer, false, find)) said.lines.push_back(r.text());
  for (const ir::Report& r : ir::read_reports(buffer, true, find))
    said.faults.push_back(fmt::format("{}, block ({}), thread ({})", r.text(),
                                      fmt::join(r.block, ", "), fmt::join(r.thread, ", ")));
  said.lost = ir::lost_reports(buffer, false) + ir::lost_reports(buffer, true);
  arguments.resize(arguments.size() - 2);
  return said;
}

/// Empty, or what differs between the interpreter's words and the buffer's.
std::string compare_reports(std::vector<std::string> lines, const ir::Outcome& outcome, Said said) {
  const std::uint64_t wanted = lines.size() + outcome.faults,
                      got = said.lines.size() + said.faults.size() + said.lost;
  if (wanted != got) return fmt::format("{} lines and faults, the interpreter has {}", got, wanted);
  if (said.lost) return {};
  if (outcome.faults &&
      std::find(said.faults.begin(), said.faults.end(), outcome.fault) == said.faults.end())
    return fmt::format("no fault is the interpreter's: {}; the first is {}", outcome.fault,
                       said.faults.empty() ? "none" : said.faults[0]);
  std::sort(lines.begin(), lines.end()), std::sort(said.lines.begin(), said.lines.end());
  const auto at = std::mismatch(lines.begin(), lines.end(), said.lines.begin(), said.lines.end());
  return at.first == lines.end() && at.second == said.lines.end()
             ? ""
             : fmt::format("other lines than the interpreter's, such as {}", *at.second);
}

// ---- the checks ---------------------------------------------------------------------------------

class Checker {
 public:
  Checker(const Kernel& k, runtime::Device* device, const CheckOptions& o)
      : k_(k), device_(device), o_(o) {
    if (device) target_ = o.target ? *o.target : target_of(*device);
    if (!k.module.kernel().checked) return;
    ir::Module lowered = k.module;
    passes::inline_calls(lowered);  // as the pipeline begins
    passes::check_accesses(lowered);
    sites_ = ir::report_sites(lowered);
  }

  std::string run() {
    if (o_.passes)
      if (const std::string wrong = check_text(); !wrong.empty()) return wrong;
    plain_ = k_.module;
    expand_functions(plain_);
    recorded_ = interpreted(plain_, k_, o_.races);
    if (!recorded_.outcome.stopped.empty()) return "interpreter: " + recorded_.outcome.stopped;
    if (recorded_.outcome.faults && !k_.module.kernel().checked)
      return "interpreter: " + recorded_.outcome.fault;
    const bool flushing =
        device_ && target_.flushes_fma() && k_.module.kernel().fp == ir::FpMode::Native;
    const Result expected = meant(!flushing);
    if (o_.passes && !final()) {
      ir::Facts all{true, true, true, true, false};
      all.warp = unsigned(k_.launch.warp_size);
      const ir::Facts own = k_.module.kernel().facts;
      for (const ir::Facts& facts : {ir::Facts{}, own})
        if (const std::string wrong = check_passes(facts); !wrong.empty()) return wrong;
      const Result usual = flushing ? meant(true) : expected;
      std::vector<ir::Facts> launches{all};
      if (own != all) launches.push_back(own);
      for (const TargetKind kind : {TargetKind::Cpu, TargetKind::Ptx, TargetKind::Spirv})
        for (const ir::Facts& facts : launches)
          if (const std::string wrong = check_pipeline(kind, facts, usual); !wrong.empty())
            return wrong;
    }
    return device_ ? check_back_end(expected) : "";
  }

 private:
  bool final() const { return k_.module.kernel().flat; }

  std::string check_text() const {
    if (const std::string broken = ir::verify(k_.module); !broken.empty())
      return "the recording is not valid: " + broken;
    const std::string text = ir::print(k_.module);
    const ir::ParseResult parsed = ir::parse(text);
    if (!parsed.error.empty()) return "its own text does not parse: " + parsed.error;
    return ir::print(parsed.module) == text ? "" : "printing and parsing are not inverse";
  }

  Result meant(bool singles) const {
    return final() || k_.module.kernel().fp == ir::FpMode::Strict
               ? recorded_
               : interpreted(meaning_of(k_.module, singles), k_);
  }

  /// All passes, one after another. What they made is interpreted in front of and behind those that
  /// change results, and at the end; where that differs, once more behind every pass, so that its
  /// name is known.
  std::string check_passes(const ir::Facts& facts) const {
    const std::string wrong = check_passes(facts, false);
    if (wrong.empty()) return wrong;
    const std::string named = check_passes(facts, true);
    return named.empty() ? wrong : named;
  }
  std::string check_passes(const ir::Facts& facts, bool each) const {
    ir::Module m = plain_;
    set_facts(m, facts);
    Result expected = recorded_;
    std::string failure;
    const auto compared = [&](std::string_view when) {
      if (const std::string wrong = compare(k_.module, expected, interpreted(m, k_));
          !wrong.empty())  // any NaN, where the recorded type has some
        failure = fmt::format("another result {}{}: {}", when,
                              facts == ir::Facts{} ? ", without facts" : "", wrong);
    };
    passes::for_each_pass([&](const passes::Pass& pass) {
      if (!failure.empty()) return;
      const bool inexact = !pass.exact && m.kernel().fp != ir::FpMode::Strict;
      if (inexact) compared(fmt::format("before {}", pass.name));
      pass.run(m);
      if (const std::string broken = ir::verify(m); !broken.empty())
        failure = fmt::format("not valid after {}: {}", pass.name, broken);
      else if (inexact) expected = interpreted(m, k_);  // what later passes have to keep
      else if (each) compared(fmt::format("after {}", pass.name));
    });
    if (failure.empty()) compared("after all passes");
    return failure;
  }

  /// Up to what a target's code generator makes instructions of.
  std::string check_pipeline(TargetKind kind, const ir::Facts& facts,
                             const Result& expected) const {
    if (device_ && kind == TargetKind::Cpu && facts == k_.module.kernel().facts &&
        target_.kind == kind)
      return {};
    ir::Module m = k_.module;
    set_facts(m, facts);
    if (const std::string refused = passes::run_pipeline(m, {kind}, true); !refused.empty())
      return "passes: " + refused;
    return compared(fmt::format("the pipeline of {}", support::info(kind).word), expected,
                    [&](std::vector<Argument>& got) { return run_interpreted(m, k_.launch, got); });
  }

  std::string check_back_end(const Result& expected) const {
    ir::Module lowered = k_.module;
    if (const std::string refused = final() ? "" : passes::run_pipeline(lowered, target_, true);
        !refused.empty())
      return "passes: " + refused;
    if (o_.print) {
      std::fputs(ir::print(lowered).c_str(), stdout);
      for (const Argument& a : k_.arguments)
        if (a.rank == 0)
          std::printf("; scalar argument: bits %llx\n", static_cast<unsigned long long>(a.bits));
    }
    std::string wrong = compared(
        std::string(support::info(target_.kind).word), expected, [&](std::vector<Argument>& got) {
          const std::string failed = run_on(*device_, target_, lowered, k_.launch, got);
          if (failed.empty() && target_.kind == TargetKind::WebGpu &&
              k_.module.kernel().fp == ir::FpMode::Native)
            take_device_floats(lowered, expected, got);
          return failed;
        });
    if (wrong.empty()) return wrong;
    const std::string before = compared(
        "interpreter, lowered", expected,
        [&](std::vector<Argument>& got) { return run_interpreted(lowered, k_.launch, got); });
    return before.empty() ? wrong : before;
  }

  /// Elements that are what the device's own floats make of them count as the expected ones; so do
  /// zeros of the other sign, which WGSL lets an implementation ignore (WGSL, "differences from
  /// IEEE-754").
  void take_device_floats(const ir::Module& lowered, const Result& expected,
                          std::vector<Argument>& got) const {
    if (difference(k_.module, expected.arguments, got).empty()) return;
    std::vector<Argument> own = k_.arguments;
    if (!sites_.empty()) add_report_arguments(own);
    if (!run_interpreted(with_device_floats(lowered), k_.launch, own).empty()) return;
    const ir::Function& f = k_.module.kernel();
    for (std::size_t i = 0; i < expected.arguments.size(); ++i) {
      const ir::Type& t = f.type_of(f.params()[i]);
      const std::size_t size = t.is_array() ? t.elem_bytes : 1;
      const auto is_zero = [&](const std::vector<std::byte>& of, std::size_t at) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &of[at], sizeof bits);
        return bits << 1 == 0;
      };
      for (std::size_t at = 0; at + size <= got[i].bytes.size(); at += size) {
        const bool zeros = t.is_array() && t.scalar == ir::Scalar::F32 &&
                           is_zero(got[i].bytes, at) && is_zero(expected.arguments[i].bytes, at);
        if (zeros || std::memcmp(&got[i].bytes[at], &own[i].bytes[at], size) == 0)
          std::memcpy(&got[i].bytes[at], &expected.arguments[i].bytes[at], size);
      }
    }
  }

  /// `run` executes a module that a pipeline made: reports are in a buffer.
  template <class Run>
  std::string compared(const std::string& who, const Result& expected, Run&& run) const {
    std::vector<Argument> got = k_.arguments;
    if (!sites_.empty()) add_report_arguments(got);
    std::string wrong = run(got);
    if (wrong.empty() && !sites_.empty())
      wrong = compare_reports(expected.lines, expected.outcome, take_reports(got, sites_));
    if (wrong.empty()) wrong = difference(k_.module, expected.arguments, got);
    return wrong.empty() ? "" : who + ": " + wrong;
  }

  const Kernel& k_;
  runtime::Device* const device_;
  const CheckOptions& o_;
  Target target_;
  ir::Module plain_;  // the recording, with the bodies of functions
  std::vector<ir::ReportSite> sites_;
  Result recorded_;
};

}  // namespace

std::string check(const Kernel& kernel, runtime::Device* device, const CheckOptions& options) try {
  return Checker(kernel, device, options).run();
} catch (const error& e) {
  return std::string("exception: ") + e.message();
}

std::vector<ir::Facts> facts_of(const Kernel& kernel) {
  const ir::Function& f = kernel.module.kernel();
  if (f.facts != ir::Facts{} || f.flat) return {f.facts};
  const ir::Facts little{.contiguous = true, .aligned = false, .small = true};
  ir::Facts all{true, true, true, true};
  all.set_block(kernel.launch.block[0], kernel.launch.block[1], kernel.launch.block[2]);
  all.warp = unsigned(kernel.launch.warp_size);
  return {little, all};
}

bool webgpu_lacks(const std::string& wrong) {
  constexpr const char* said[] = {"which WebGPU lacks", "but WebGPU has", "but WebGPU's",
                                  ": WebGPU "};
  return std::any_of(std::begin(said), std::end(said),
                     [&](const char* text) { return wrong.find(text) != wrong.npos; });
}

}  // namespace krait::test
