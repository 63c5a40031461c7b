// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/dump.h"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <sstream>

#include "driver/devices.h"
#include "driver/plugin.h"
#include "driver/sass.h"
#include "krait/target.h"
#include "support/error.h"
#include "support/spirv_blob.h"

namespace krait::driver {
namespace {

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n <= 0) return;  // the reader has gone: the program goes on
    at += std::size_t(n);
  }
}

/// The target a stage is for, where none is named: its own kind's most common one.
std::string default_target(const std::string& stage) {
  if (stage == "ptx" || stage == "sass") return target::sm(90).c_str();
  if (stage == "spirv" || stage == "spv") return target::vulkan().c_str();
  DeviceHandle& device = Devices::get().default_device();
  return device.kind == passes::TargetKind::Interpreter ? Devices::get().cpu().target : device.target;
}

}  // namespace

std::string stage_text(const Recorded& recorded, const ir::Facts& facts, const std::string& stage, const std::string& wanted) {
  if (stage == "ir") return ir::print(recorded.module, {.names = true, .locations = true});
  const std::string target = wanted.empty() ? default_target(stage) : krait::target(wanted.c_str()).c_str();
  const std::string final_text = ir::print(lower(recorded, facts, kind_of(target)), {.names = true, .locations = true});
  if (stage == "final") return final_text;
  if ((stage == "ptx" || stage == "sass") && !target.starts_with("ptx"))
    support::fail_usage("{} is made for targets \"ptx …\", not for \"{}\"", stage == "ptx" ? "PTX" : "SASS", target);
  if ((stage == "spirv" || stage == "spv") && !target.starts_with("spirv")) support::fail_usage("SPIR-V is made for targets \"spirv …\", not for \"{}\"", target);
  if (stage == "spv") return generate(final_text, target, "binary", recorded.what).bytes.substr(sizeof(support::SpirvBlobHeader));
  if (stage == "hints") return text_of(recorded.hints, recorded.what) + text_of(generate(final_text, target, "binary", recorded.what, true).hints, recorded.what);
  const std::string code = generate(final_text, target, stage == "llvm" ? "llvm" : "asm", recorded.what).bytes;
  return stage == "sass" ? sass(code, target) : code;
}

void dump_stages(const Recorded& recorded, ir::Facts facts, const std::string& final_text, const DeviceHandle& device) {
  static const char* const wish = std::getenv("KRAIT_DUMP");
  if (!wish || !*wish) return;
  std::istringstream in(wish);
  int fd = 2;
  std::string stages, target;
  in >> fd >> stages;
  std::getline(in >> std::ws, target);
  if (target.empty() || target == "-") target = device.target;
  // The launch's facts hold for other targets too, and the CPU does not ask for alignment.
  if (device.kind == passes::TargetKind::Cpu && kind_of(target) != device.kind) facts.aligned = facts.contiguous;
  std::string all;
  std::istringstream list(stages);
  for (std::string stage; std::getline(list, stage, ',');) {
    all += fmt::format("; ==== {} — {}{}\n", recorded.what, stage, stage == "ir" ? "" : " for " + target);
    try {
      all += stage == "final" && target == device.target ? final_text : stage_text(recorded, facts, stage, target);
    } catch (const error& e) {
      all += fmt::format("; {}\n", e.message());
    }
    all += "\n";
  }
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  write_all(fd, all);
}

}  // namespace krait::driver
