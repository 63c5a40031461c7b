// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a recorded kernel to code on a device: key → table of the process → passes → code generation → load.
#pragma once

#include <memory>
#include <string>

#include "driver/devices.h"
#include "ir/abi.h"
#include "ir/text.h"

namespace krait::driver {

struct ReportSource;

/// What was recorded for one specialisation, prepared and canonical.
struct Recorded {
  ir::Module module;
  ir::Key key;
  std::string what;  // for messages: "kernel name (file:line)", where it was made
  const ReportSource* reports = nullptr;  // driver/reports.h; null: it prints and checks nothing
};

/// Code on one device, shared by all kernel objects with the same content.
struct Compiled {
  std::unique_ptr<runtime::Executable> code;
  ir::ArgumentLayout layout;
  unsigned elements_per_thread = 1;  // more than 1 where widen ran
  double passes_ms = 0, codegen_ms = 0, load_ms = 0;
};

/// Compiles at most once a process for equal content, whoever asks first; others wait. Throws error.
std::shared_ptr<const Compiled> compile(const Recorded& recorded, const ir::Facts& facts, DeviceHandle& device);

/// The module as a back end sees it. Throws error{compile} for what passes refuse.
ir::Module lower(const Recorded& recorded, const ir::Facts& facts, passes::TargetKind kind);

/// How many kernels were compiled, and how many found in the table, in this process.
struct Counts { std::uint64_t compiled = 0, shared = 0; };
Counts counts();

}  // namespace krait::driver
