// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print and what goes wrong in them: a device's buffer, which kernels with print, check or checked accesses write
// (ir/report.h), and its way to the user. Kernels without them come nowhere near it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "host/jit.h"
#include "ir/report.h"

namespace krait::host {

/// A kernel's sites. Kept as long as the process, equal ones once, as records name them by their number.
struct ReportSource {
  std::uint32_t number = 0;
  std::string what;  // the kernel for messages
  std::vector<ir::ReportSite> sites;
};
/// The recording with calls inlined and accesses checked, as the pipeline begins: its sites have the numbers of records.
ir::Module with_reports(const Recorded& recorded);

/// Null for a kernel that reports nothing.
const ReportSource* find_reports(const Recorded& recorded);

/// The buffer of one device.
class Reports {
 public:
  explicit Reports(runtime::Device& device);

  std::uint64_t address() const { return address_; }
  static std::uint32_t words();

  /// Launches what writes to the buffer, which nobody reads or empties meanwhile. Where launches are synchronous the rest follows
  /// at once.
  template <class Launch>
  void during(Launch launch) {
    std::unique_lock lock(gate_);
    pending_.store(true, std::memory_order_release);
    launch();
    if (!device_.host_memory()) return;
    lock.unlock();
    collect();
  }
  /// Waits for the device where launches are under way that may report. Hands out the lines, then throws the first fault.
  void collect();
  bool pending() const { return pending_.load(std::memory_order_acquire); }

 private:
  struct Found;
  Found read();

  runtime::Device& device_;
  std::uint64_t address_ = 0;
  std::mutex gate_;
  std::atomic<bool> pending_{false};
};

/// The device's buffer, made when the first kernel needs it.
Reports& reports_of(DeviceHandle& device);
/// What a call does that has waited for the device.
void collect_reports(DeviceHandle& device);
/// KRAIT_DEBUG=1: what goes wrong in a kernel is the error of its call.
bool debug_mode();

/// The line, without its end, to the user's handler or stdout.
void print_line(const std::string& line);
/// The error of a fault; `faults`: how many there were.
[[noreturn]] void throw_fault(const std::string& what, const std::string& fault, const ir::Location& where, std::uint64_t faults);

}  // namespace krait::host
