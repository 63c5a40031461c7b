// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "observe/dump.h"

#include "host/observer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <sstream>

#include "devices/devices.h"
#include "observe/kernel_report.h"
#include "host/lines.h"
#include "host/plugin.h"
#include "observe/sass.h"
#include "observe/text_diff.h"
#include "krait/target.h"
#include "passes/watch.h"
#include "support/blobs/envelope.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/file.h"
#include "trace/own.h"

namespace krait::host {
namespace {

/// Of the target that alone has the stage; null: all have it.
const support::TargetInfo* owner_of(const std::string& stage) {
  for (const support::TargetInfo& target : support::all_targets()) {
    std::istringstream stages{std::string(target.stages)};
    for (std::string own; stages >> own;)
      if (own == stage) return &target;
  }
  return nullptr;
}

/// The target a stage is for, where none is named: its own kind's most common one.
support::Target default_target(const std::string& stage) {
  if (const support::TargetInfo* const owner = owner_of(stage))
    return read_target(std::string(owner->usual));
  DeviceHandle& device = Devices::get().default_device();
  return device.target.kind == support::TargetKind::Interpreter ? Devices::get().cpu().target
                                                                : device.target;
}

/// A reader takes lines from OpLine; what debuggers get besides, with the text of files, would hide
/// the code.
support::Target without_debug_info(support::Target target) {
  if (target.kind == support::TargetKind::Spirv)
    target.spirv.features.set(support::Feature::DebugInfo, false);
  return target;
}

bool asks_for_lines() { return support::environment_asks("KRAIT_DEBUG"); }

/// Whether it shows what raw kernels have not.
bool is_of_recordings(const std::string& stage) {
  constexpr std::string_view all[] = {"ir", "passes", "diff", "final", "stats", "hints"};
  return std::find(std::begin(all), std::end(all), stage) != std::end(all);
}

/// The IR after each pass that changed it, beside what it was before.
std::string passes_text(const Recorded& recorded, const ir::Facts& facts,
                        const support::Target& target, bool short_) {
  ir::Module m = with_lines(recorded);
  m.kernel().facts = facts;
  if (const unsigned warp = support::info(target.kind).warp) m.kernel().facts.warp = warp;
  std::string all, last;
  const std::string refused = passes::run_pipeline(
      m, target, passes::verify_by_default, passes::Effort::Best,
      [&](const char* pass, const ir::Module& now) {
        const std::string text = ir::print(now, {.names = true, .locations = true});
        if (text != last)
          all += fmt::format("; ---- {}\n{}", pass,
                             text_diff(last.empty() ? text : last, text, short_ && !last.empty()));
        last = text;
      });
  return refused.empty() ? all : fmt::format("{}; {}\n", all, refused);
}

}  // namespace

std::string stage_text(const Recorded& recorded, const ir::Facts& facts, const std::string& stage,
                       const std::string& wanted) {
  if (recorded.raw && is_of_recordings(stage))
    support::fail_usage("{} was not recorded, so it has no {} to show", recorded.what, stage);
  if (stage == "ir") return ir::print(with_lines(recorded), {.names = true, .locations = true});
  support::Target target =
      wanted.empty() ? without_debug_info(default_target(stage)) : read_target(wanted);
  if (wanted.empty() && target.kind == support::TargetKind::Spirv && asks_for_lines())
    target.spirv.features.set(support::Feature::Debug);
  const RawText* const raw = raw_text_for(recorded, target);
  if (stage == "stats") return report_on(recorded, facts, target);
  if (stage == "passes" || stage == "diff")
    return passes_text(recorded, facts, target, stage == "diff");
  const std::string final_text =
      ir::print(lower(recorded, facts, target), {.names = true, .locations = true});
  if (stage == "final") return final_text;
  if (const support::TargetInfo* const owner = owner_of(stage);
      owner && owner != &support::info(target.kind))
    support::fail_usage("{} exists for targets \"{} …\", not for \"{}\"", stage, owner->word,
                        support::print(target));
  if (stage == "spv") {
    const std::string made =
        generate(final_text, target, "binary", recorded.what, false, raw).bytes;
    return std::string(
        support::open_or_fail(std::as_bytes(std::span(made)), target.kind, recorded.name).code);
  }
  if (stage == "spirv-cl-llvm") {
    const std::string made =
        generate(final_text, target, "binary", recorded.what, false, raw).bytes;
    return runtime::opencl_llvm_text(std::as_bytes(std::span(made)));
  }
  if (stage == "hints")
    return text_of(recorded.hints, recorded.what) +
           text_of(generate(final_text, target, "binary", recorded.what, true).hints,
                   recorded.what);
  const std::string code =
      generate(final_text, target, stage == "llvm" ? "llvm" : "asm", recorded.what, false, raw)
          .bytes;
  return stage == "sass" ? sass(code, target.ptx) : code;
}

namespace {

/// What KRAIT_DUMP asks for.
struct Wish {
  int fd = -1;         // of the tool; else:
  std::string folder;  // for a file per kernel and stage
  std::string target;
  std::vector<std::string> stages;
};

constexpr std::string_view known_stages =
    "ir passes diff final hints stats llvm asm ptx sass spirv spirv-cl spirv-cl-llvm wgsl";

void read_stages(const std::string& list, const char* wish, Wish& to) {
  std::istringstream in(list);
  for (std::string stage; std::getline(in, stage, ',');) {
    std::istringstream known{std::string(known_stages)};
    if (std::find(std::istream_iterator<std::string>(known), {}, stage) ==
        std::istream_iterator<std::string>())
      support::fail_usage("KRAIT_DUMP={}: expected FOLDER:STAGE,… with stages of {}, not \"{}\"",
                          wish, known_stages, stage);
    to.stages.push_back(stage);
  }
  if (to.stages.empty())
    support::fail_usage("KRAIT_DUMP={}: expected FOLDER:STAGE,… with stages of {}", wish,
                        known_stages);
}

Wish read_wish(const char* wish) {
  Wish w;
  const std::string text(wish);
  if (const std::size_t blank = text.find(' ');
      blank > 0 && text.find_first_not_of("0123456789") == blank) {
    std::istringstream in(text);
    std::string stages;
    in >> w.fd >> stages;
    std::getline(in >> std::ws, w.target);
    read_stages(stages, wish, w);
    return w;
  }
  const std::size_t colon = text.rfind(':');
  w.folder = text.substr(0, colon);
  if (colon == text.npos || w.folder.empty()) read_stages("", wish, w);
  read_stages(text.substr(colon + 1), wish, w);
  std::error_code failed;
  std::filesystem::create_directories(w.folder, failed);
  if (failed || access(w.folder.c_str(), W_OK))
    support::fail_usage("KRAIT_DUMP={}: {} is not a writable folder", wish, w.folder);
  return w;
}

/// "0003-saxpy.ptx": of characters that files may have.
std::string file_name(unsigned number, const Recorded& recorded, const std::string& stage) {
  std::string name = recorded.module.kernel().name.substr(0, 80);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return fmt::format("{:04}-{}.{}", number, name, stage);
}

}  // namespace

void dump_stages(const Recorded& recorded, const ir::Facts& facts, const std::string& final_text,
                 const DeviceHandle& device) {
  static const char* const text = support::environment_text("KRAIT_DUMP");
  static const char* const part = support::environment("KRAIT_DUMP_KERNEL");
  if (!text) return;
  // Krait's own kernels are shown where a name is asked for; every name has an empty part.
  const bool is_own = trace::is_own(recorded.where);
  if (part ? recorded.module.kernel().name.find(part) == std::string::npos : is_own) return;
  static const Wish wish = read_wish(text);
  std::string target = wish.target;
  const bool own = target.empty() || target == "-";
  if (own) target = support::print(without_debug_info(device.target));
  const auto text_of_stage = [&](const std::string& stage) {
    if (own && stage == "final") return final_text;
    ir::Facts there = facts;
    // The launch's facts hold for other targets, too, which may ask about alignment where the
    // device does not.
    if (!own && stage != "ir" && !support::info(device.target.kind).aligned &&
        support::info(read_target(target).kind).aligned)
      there.aligned = facts.contiguous;
    return stage_text(recorded, there, stage, target);
  };
  bool known = true;
  with_lines(recorded, &known);
  std::string all;
  static std::atomic<unsigned> kernels{0};
  const unsigned number = ++kernels;
  for (const std::string& stage : wish.stages) {
    if (wish.fd < 0) all.clear();
    all += fmt::format("; ==== {}{} — {}{}\n", recorded.what, is_own ? ", Krait's own" : "", stage,
                       stage == "ir" ? "" : " for " + target);
    if (!known)
      all +=
          "; lines: the program has no debug information: operators have the nearest line "
          "that is known; build it with -g1\n";
    try {
      all += text_of_stage(stage);
    } catch (const error& e) {
      all += fmt::format("; {}\n", e.message());
    }
    all += "\n";
    // A full disk stops no program.
    if (wish.fd < 0)
      support::write_file(wish.folder + "/" + file_name(number, recorded, stage), {all},
                          support::own_file);
  }
  if (wish.fd < 0) return;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  support::write_all(wish.fd, all);  // where the reader has gone, the program goes on
}

}  // namespace krait::host
