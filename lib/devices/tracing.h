// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes for kr::trace_file and NVTX: who does what, from when to when. One load of an atomic where
// nobody listens.
#pragma once

#include <atomic>
#include <chrono>
#include <string_view>

#include "devices/devices.h"

namespace krait::host {

/// Whether kr::trace_file has been on, or there is a tool of NVTX: where nobody listens a span is
/// one load.
extern std::atomic<bool> anyone_listens;
bool tracing() noexcept;

/// A moment of the host, on this thread.
void note_moment(std::string_view name) noexcept;

/// A span of the host: as long as it lives, on its thread.
class HostSpan {
 public:
  /// `what` is empty for a label of the user. `name` lives as long as the span.
  HostSpan(const char* what, std::string_view name) noexcept {
    if (anyone_listens.load(std::memory_order_relaxed)) begin(what, name);
  }
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;
  ~HostSpan() {
    if (what_ || pushed_) end();
  }

 private:
  void begin(const char* what, std::string_view name) noexcept;
  void end();

  const char* what_ = nullptr;  // null: nobody traces
  bool pushed_ = false;         // as a range of NVTX
  std::string_view name_;
  std::chrono::steady_clock::time_point begin_;
};

/// Work that is put into a stream while it lives, "run" or "copy". What cannot be noted is left
/// out.
class DeviceSpan {
 public:
  DeviceSpan(DeviceHandle& device, runtime::StreamHandle stream, std::string_view name,
             const char* what = "run") noexcept {
    if (anyone_listens.load(std::memory_order_relaxed)) begin(device, stream, name, what);
  }
  DeviceSpan(const DeviceSpan&) = delete;
  DeviceSpan& operator=(const DeviceSpan&) = delete;
  ~DeviceSpan() {
    if (device_) end();
  }

 private:
  void begin(DeviceHandle& device, runtime::StreamHandle stream, std::string_view name,
             const char* what) noexcept;
  void end();

  DeviceHandle* device_ = nullptr;  // null: nobody traces
  runtime::StreamHandle stream_;
  const char* what_ = nullptr;
  std::string_view name_;
  std::chrono::steady_clock::time_point begin_;
  runtime::EventHandle begun_{};
};

}  // namespace krait::host
