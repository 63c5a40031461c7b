// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process's devices: found lazily, one back end at a time, and kept for ever (the one leaked
// object of the process).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/block_cache.h"
#include "devices/errors.h"
#include "devices/memory_count.h"
#include "krait/device.h"
#include "runtime/backend.h"
#include "support/target.h"

namespace krait::host {

/// What a krait::device points to.
struct DeviceHandle {
  std::unique_ptr<runtime::Device> device;
  std::string id, name;
  support::Target target;
  std::string target_text;
  std::atomic<class Reports*> reports{nullptr};  // devices/reports.h; null until a kernel needs it
  std::atomic<class Arrivals*> arrivals{nullptr};  // devices/arrivals.h; the same
  MemoryCount memory;
  BlockCache blocks;
  Errors errors;
};

/// Threads that the machine runs at once, asked for once: the question takes microseconds.
unsigned processors();

/// What a krait::stream points to. Arrays remember the stream of their last use, which may be
/// destroyed before they are.
struct StreamRecord {
  DeviceHandle* device = nullptr;
  runtime::StreamHandle handle{};
  bool owned = true;
  std::atomic<bool> alive{true};
};

class Devices {
 public:
  static Devices& get();

  DeviceHandle& default_device();
  DeviceHandle& cpu();
  /// Null when nothing has that name.
  DeviceHandle* find(const std::string& name);
  /// Every device, the CPU last.
  std::vector<DeviceHandle*> all();
  /// Those found so far; probes nothing.
  std::vector<DeviceHandle*> known();
  /// A device that a program brings, which `make` gives for its id; only who has the handle finds
  /// it.
  DeviceHandle& adopt(
      const std::function<std::unique_ptr<runtime::Device>(const std::string& id)>& make);
  /// It is not used any more; the handle stays.
  void forget(const DeviceHandle& adopted);
  /// What was found and cannot be used, with the reasons, in lines that begin with `before`; of the
  /// back ends that were probed.
  std::string skipped(const char* before);

 private:
  /// What was found by a row of the table in devices.cpp.
  struct List {
    bool probed = false;
    std::vector<std::string> skipped;
    std::vector<DeviceHandle*> devices;
  };
  Devices();
  std::vector<DeviceHandle*>& list(std::size_t back_end);
  void probe(std::size_t back_end);
  DeviceHandle* find_locked(const std::string& name);

  std::recursive_mutex mutex_;
  std::vector<List> lists_;
  std::vector<DeviceHandle*> adopted_;
  unsigned adoptions_ = 0;
  std::atomic<DeviceHandle*> default_{nullptr};
};

/// The interpreter, which watches what kernels do; only where it is named.
runtime::Found interpreter_devices();

/// Of a text that a user gave: "cpu" is this machine's, too. Throws error{usage}.
support::Target read_target(const std::string& text);
krait::device to_public(DeviceHandle& d) noexcept;
DeviceHandle& handle(const krait::device& d) noexcept;
StreamRecord* record_of(const krait::stream& s) noexcept;

}  // namespace krait::host
