// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a recorded kernel to code on a device: key → table of the process → disk → passes → code
// generation → load.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "devices/devices.h"
#include "host/hints.h"
#include "host/packing.h"
#include "host/raw_kernel.h"
#include "ir/abi.h"
#include "ir/shared_lengths.h"
#include "ir/text/text.h"
#include "passes/passes.h"
#include "trace/trace.h"

namespace krait::host {

struct ReportSource;
struct PackedKernel;
using passes::Effort;

/// A module with the accesses that nothing needs, which the interpreter looks at.
struct Written {
  ir::Module module;
  std::string hash;  // of its text
  trace::Spots::Of spots_of{};
};

/// What was recorded for one specialisation, prepared and canonical.
struct Recorded {
  ir::Module module;
  std::string text;         // the module's, without what is no part of its identity
  std::string hash;         // of the text: 32 hexadecimal digits
  std::string name;         // "name (file:line)", where it was made
  std::string what;         // the kernel for messages: "kernel name (file:line)"
  std::string where;        // file:line, or empty
  std::vector<Hint> hints;  // where this process has to compile it
  std::vector<trace::Table> tables;
  trace::Spots::Of spots_of;
  // where operations have their own lines; null: they have them
  std::shared_ptr<trace::Spots> spots;
  double record_ms = 0;
  const ReportSource* reports = nullptr;   // devices/reports.h; null: it prints and checks nothing
  std::shared_ptr<const Written> written;  // null: `module` has all that the program wrote
  // host/pack.h: whose code is taken where it fits; null: recorded by this process
  std::shared_ptr<const PackedKernel> packed;
  // whose code is given, and of which the module has the parameters alone; null: it is not
  std::shared_ptr<const RawKernel> raw;
};

/// Code on one device, shared by all kernel objects with the same content.
struct Compiled {
  std::unique_ptr<runtime::Executable> code;
  ir::ArgumentLayout layout;
  Packing packing;            // into it
  unsigned elements = 1;      // that a thread handles at once
  ir::SharedLengths lengths;  // of shared arrays that are sized at launch

  // For kr::stats().
  std::string name, where, hash;  // of the kernel that it was made for first
  const DeviceHandle* device = nullptr;
  std::uint64_t number = 0;  // in the order of making
  bool from_disk = false;
  Effort effort = Effort::Best;
  double record_ms = 0, passes_ms = 0, codegen_ms = 0, load_ms = 0;
  mutable std::atomic<std::uint64_t> launches{0}, found_in_memory{0};

  /// Of quick code: the best, once it is there. Whoever holds this code may take it.
  struct Successor {
    std::atomic<const Compiled*> code{nullptr};
    std::shared_ptr<const Compiled> owner;  // written before `code`, once
    std::atomic<int> begun{-1};             // the process that makes it, by its fork_generation()
  };
  mutable Successor next;
};

/// Compiles at most once per process for equal content, whoever asks first; others wait. Where the
/// best code is at hand, quick is the best. Throws error.
std::shared_ptr<const Compiled> compile(const Recorded& recorded, const ir::Facts& facts,
                                        DeviceHandle& device, Effort effort);

/// Whether first launches on the device run quick code: the switch is KRAIT_TIERS=off. Not where
/// each piece of code is looked at (KRAIT_DEBUG, KRAIT_HINTS, `krait dump --run`), and not on
/// Vulkan, whose drivers compile for longer than we do.
bool has_tiers(const DeviceHandle& device);
/// Makes the best code for quick code, in the background, once per process.
void improve(const std::shared_ptr<const Compiled>& quick, const Recorded& recorded,
             const ir::Facts& facts, DeviceHandle& device);

/// Whether operations have their own lines, which takes looking them up (host/lines.h), or the
/// nearest ones that the recording knows.
enum class Lines { Nearest, Exact };
/// The module as a back end sees it. Throws error{compile} for what passes refuse.
ir::Module lower(const Recorded& recorded, const ir::Facts& facts, const support::Target& target,
                 Effort effort = Effort::Best, Lines lines = Lines::Exact);

/// All code that the process holds, in no order.
std::vector<std::shared_ptr<const Compiled>> all_code();

/// Sums over the process's life, of code that it no longer holds too.
struct Counts {
  std::uint64_t compiled = 0, improved = 0, from_disk = 0, from_memory = 0, launches = 0;
};
Counts counts();

}  // namespace krait::host
