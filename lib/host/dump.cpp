// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/dump.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sstream>

#include "host/devices.h"
#include "host/plugin.h"
#include "host/sass.h"
#include "krait/target.h"
#include "support/envelope.h"
#include "support/error.h"

namespace krait::host {
namespace {

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n <= 0) return;  // the reader has gone: the program goes on
    at += std::size_t(n);
  }
}

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
  if (const support::TargetInfo* const owner = owner_of(stage)) return read_target(std::string(owner->usual));
  DeviceHandle& device = Devices::get().default_device();
  return device.target.kind == support::TargetKind::Interpreter ? Devices::get().cpu().target : device.target;
}

}  // namespace

std::string stage_text(const Recorded& recorded, const ir::Facts& facts, const std::string& stage, const std::string& wanted) {
  if (stage == "ir") return ir::print(recorded.module, {.names = true, .locations = true});
  const support::Target target = wanted.empty() ? default_target(stage) : read_target(wanted);
  const std::string final_text = ir::print(lower(recorded, facts, target), {.names = true, .locations = true});
  if (stage == "final") return final_text;
  if (const support::TargetInfo* const owner = owner_of(stage); owner && owner != &support::info(target.kind))
    support::fail_usage("{} exists for targets \"{} …\", not for \"{}\"", stage, owner->word, support::print(target));
  if (stage == "spv") {
    const std::string made = generate(final_text, target, "binary", recorded.what).bytes;
    return std::string(support::open_or_fail(std::as_bytes(std::span(made)), target.kind, recorded.name).code);
  }
  if (stage == "spirv-cl-llvm") {
    const std::string made = generate(final_text, target, "binary", recorded.what).bytes;
    return runtime::opencl_llvm_text(std::as_bytes(std::span(made)));
  }
  if (stage == "hints")
    return text_of(recorded.hints, recorded.what) +
           text_of(generate(final_text, target, "binary", recorded.what, true).hints, recorded.what);
  const std::string code = generate(final_text, target, stage == "llvm" ? "llvm" : "asm", recorded.what).bytes;
  return stage == "sass" ? sass(code, target.ptx) : code;
}

void dump_stages(const Recorded& recorded, const ir::Facts& facts, const std::string& final_text, const DeviceHandle& device) {
  static const char* const wish = std::getenv("KRAIT_DUMP");
  if (!wish || !*wish) return;
  std::istringstream in(wish);
  int fd = 2;
  std::string stages, target;
  in >> fd >> stages;
  std::getline(in >> std::ws, target);
  if (target.empty() || target == "-") target = device.target_text;
  const auto text_of_stage = [&](const std::string& stage) {
    const bool own = target == device.target_text;
    if (own && stage == "final") return final_text;
    ir::Facts there = facts;
    // The launch's facts hold for other targets, too, which may ask about alignment where the device does not.
    if (!own && stage != "ir" && !support::info(device.target.kind).aligned && support::info(read_target(target).kind).aligned)
      there.aligned = facts.contiguous;
    return stage_text(recorded, there, stage, target);
  };
  std::string all;
  std::istringstream list(stages);
  for (std::string stage; std::getline(list, stage, ',');) {
    all += fmt::format("; ==== {} — {}{}\n", recorded.what, stage, stage == "ir" ? "" : " for " + target);
    try {
      all += text_of_stage(stage);
    } catch (const error& e) {
      all += fmt::format("; {}\n", e.message());
    }
    all += "\n";
  }
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  write_all(fd, all);
}

}  // namespace krait::host
