// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print and what goes wrong in them: buffers that kernels with print, check or checked
// accesses write (ir/report.h), and their way to the user. Kernels without them come nowhere near
// it.
//
// A buffer holds what one thread's launches into one stream write: others cannot fill it, and to
// read it nobody waits for others' work. It is theirs until it is read. A record's number is the
// launch's place in the buffer's list, counted from 1.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/devices.h"
#include "ir/report.h"

namespace krait::host {

/// A kernel's sites. Kept as long as the process, equal ones once: records outlive their kernel.
struct ReportSource {
  std::string what;  // the kernel for messages
  std::vector<ir::ReportSite> sites;
};
/// The source of that content, made from `sites` the first time.
const ReportSource* keep_source(const std::string& content, const std::string& what,
                                std::vector<ir::ReportSite> sites);

/// A launch that may report.
struct Reporting {
  const ReportSource* source = nullptr;
  std::shared_ptr<const Origin> of;
};

struct ReportBuffer {
  std::uint64_t address = 0;
  // held while a launch is made and put into its stream, and while the buffer is read
  std::mutex gate;
  // What follows changes under the device's mutex; the launches only with the gate held, too.
  std::vector<Reporting> launches;  // since it was last read
  StreamRecord* stream = nullptr;
  std::uint64_t thread = 0;
  bool taken = false;
  bool is_graphs = false;  // its address is among a graph's arguments, so that nobody else gets it
};

/// The buffers of one device.
class Reports {
 public:
  explicit Reports(DeviceHandle& device) : device_(device) {}
  static std::uint32_t words();

  struct Held {
    ReportBuffer* buffer = nullptr;
    std::unique_lock<std::mutex> gate{};
  };
  /// This thread's for the stream.
  Held take(StreamRecord* stream);
  /// For what is launched next into the stream, before it is: from then on a wait may read the
  /// buffer.
  void expect(ReportBuffer& buffer, Reporting launch);
  /// Where nothing was launched.
  void give_back(ReportBuffer& buffer) noexcept;

  ReportBuffer& take_for_graph();
  /// Of a graph that is launched into the stream; own: it is waited for at once. The number by
  /// which a wait knows it.
  std::uint64_t expect_graph(Held& held, StreamRecord* stream, std::span<const Reporting> launches,
                             bool own);
  void leave_graph(ReportBuffer& buffer) noexcept;

  /// Whether launches are under way that may report.
  bool pending() const noexcept { return pending_.load(std::memory_order_acquire) != 0; }
  /// Reads what the wait covers: lines and faults go to where this and other waits find them.
  void read(const Wait& wait);

 private:
  ReportBuffer& add_buffer();
  void read_held(ReportBuffer& buffer, const Wait& wait);
  void sort_out(const ReportBuffer& buffer, std::span<const std::uint32_t> words);

  DeviceHandle& device_;
  std::atomic<unsigned> pending_{0};  // buffers with launches
  std::mutex mutex_;
  std::vector<std::unique_ptr<ReportBuffer>> buffers_;
};

/// The device's, made when the first kernel needs them.
Reports& reports_of(DeviceHandle& device);

/// A launch that may report, from when its arguments are made.
class ReportedLaunch {
 public:
  ReportedLaunch(DeviceHandle& device, StreamRecord* stream)
      : reports_(reports_of(device)), held_(reports_.take(stream)) {}
  ReportedLaunch(const ReportedLaunch&) = delete;
  ~ReportedLaunch() {
    if (held_.gate.owns_lock()) reports_.give_back(*held_.buffer);
  }
  std::uint64_t address() const { return held_.buffer->address; }
  std::uint32_t number() const { return std::uint32_t(held_.buffer->launches.size()) + 1; }
  template <class Launch>
  void run(Reporting launch, const Launch& put) {
    reports_.expect(*held_.buffer, std::move(launch));
    const std::unique_lock gate = std::move(held_.gate);
    put();
  }

 private:
  Reports& reports_;
  Reports::Held held_;
};

/// What a call does that has waited for work of the device: hands out lines, and throws an error of
/// what it waited for.
void after_wait(DeviceHandle& device, const Wait& wait);
/// The same for an array's memory: for the stream that it was last used in.
void after_wait(const detail::storage& memory);
/// KRAIT_DEBUG=1: what goes wrong in a kernel is the error of its call.
bool debug_mode();

/// The line, without its end, to the user's handler or stdout.
void print_line(const std::string& line);

}  // namespace krait::host
