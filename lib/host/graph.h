// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph while it is recorded and afterwards. Calls look for the thread's open graph before they
// launch.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/jit.h"
#include "devices/reports.h"
#include "krait/detail/call.h"
#include "krait/graph.h"

namespace krait {

struct graph::state {
  host::DeviceHandle* device = nullptr;
  struct Launch {
    std::shared_ptr<const host::Compiled> code;
    runtime::LaunchRequest request;  // args points into the bytes below
    std::vector<std::byte> args;
  };
  std::vector<Launch> launches;
  std::set<detail::storage*> arrays;  // of which it is an owner
  std::set<const detail::storage*> written;
  host::ReportBuffer* reports = nullptr;   // of its launches that may report
  std::vector<host::Reporting> reporting;  // they, by their numbers, with their arrays
  std::vector<std::pair<const host::Compiled*, std::uint64_t>>
      counts;  // how often a replay launches each code; made at the first
  // the back end's own form, made at the first replay; null where it has none
  void* native = nullptr;

  /// Adds a launch. Throws error{usage} where the graph cannot hold it.
  void add(host::DeviceHandle& on, std::shared_ptr<const host::Compiled> code,
           const runtime::LaunchRequest& request, bool host_arguments, const std::string& what);
  /// The address of its buffer of reports, which the first launch asks for that may report.
  std::uint64_t reports_on(host::DeviceHandle& on);
  /// Keeps an array's memory as long as the graph.
  void keep(detail::storage& memory);
  ~state();
};

namespace host {
/// The graph that this thread records, or null.
graph::state*& open_graph() noexcept;
/// Throws error{usage} where the graph that this thread records writes the memory: nothing has been
/// written yet.
void check_readable(const detail::storage& memory);
/// Throws error{usage} where this thread records a graph: of what it cannot hold.
void check_not_recorded(std::string_view what);
}  // namespace host

}  // namespace krait
