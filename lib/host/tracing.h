// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes for kr::trace_file and NVTX: who does what, from when to when. One load of an atomic where nobody listens.
#pragma once

#include <chrono>
#include <string_view>

#include "host/devices.h"

namespace krait::host {

bool tracing() noexcept;

/// A moment of the host, on this thread.
void note_moment(std::string_view name) noexcept;

/// A span of the host: as long as it lives, on its thread.
class HostSpan {
 public:
  /// `what` is empty for a label of the user. `name` lives as long as the span.
  HostSpan(const char* what, std::string_view name) noexcept;
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;
  ~HostSpan();

 private:
  const char* what_ = nullptr;  // null: nobody traces
  bool pushed_ = false;         // as a range of NVTX
  std::string_view name_;
  std::chrono::steady_clock::time_point begin_;
};

/// Work that is put into a stream while it lives, "run" or "copy". What cannot be noted is left out.
class DeviceSpan {
 public:
  DeviceSpan(DeviceHandle& device, runtime::StreamHandle stream, std::string_view name, const char* what = "run") noexcept;
  DeviceSpan(const DeviceSpan&) = delete;
  DeviceSpan& operator=(const DeviceSpan&) = delete;
  ~DeviceSpan();

 private:
  DeviceHandle* device_ = nullptr;  // null: nobody traces
  runtime::StreamHandle stream_;
  const char* what_ = nullptr;
  std::string_view name_;
  std::chrono::steady_clock::time_point begin_;
  runtime::EventHandle begun_{};
};

}  // namespace krait::host
