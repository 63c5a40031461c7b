// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/reports.h"

#include <atomic>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "krait/debug.h"
#include "passes/passes.h"
#include "support/environment.h"
#include "support/error.h"

namespace krait::host {
namespace {

constexpr std::uint32_t line_words = 1u << 18, fault_words = 1u << 14;

/// All kernels that report, by number from 1.
struct Sources {
  std::mutex mutex;
  std::map<std::string, ReportSource> by_content;
  std::vector<const ReportSource*> by_number;

  static Sources& get() {
    static auto* const sources = new Sources;
    return *sources;
  }
  const ReportSource* find(std::uint32_t number) {
    std::lock_guard lock(mutex);
    return number >= 1 && number <= by_number.size() ? by_number[number - 1] : nullptr;
  }
};

struct Handler {
  std::recursive_mutex mutex;  // lines come out one at a time; a handler may launch kernels
  void (*call)(void*, const char*) = nullptr;
  void* object = nullptr;
  void (*destroy)(void*) = nullptr;

  static Handler& get() {
    static auto* const handler = new Handler;
    return *handler;
  }
};

/// 1234567 as 1,234,567.
std::string grouped(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

/// At the end of a program that waits for nothing.
void collect_at_exit() {
  for (DeviceHandle* d : Devices::get().known()) {
    try {
      collect_reports(*d);
      std::fflush(stdout);
    } catch (const error& e) {
      // A lost device has been reported by the call that lost it.
      if (e.kind() == error::kind_type::usage) fmt::print(stderr, "krait: {}\n", e.message());
    }
  }
}

}  // namespace

ir::Module with_reports(const Recorded& recorded) {
  ir::Module m = recorded.module;
  for (ir::Function& f : m.called()) f.inherit(m.kernel());
  passes::inline_calls(m);  // as the pipeline begins
  passes::check_accesses(m);
  return m;
}

const ReportSource* find_reports(const Recorded& recorded) {
  if (!recorded.module.kernel().checked && ir::report_sites(recorded.module).empty()) return nullptr;
  const ir::Module m = with_reports(recorded);
  std::vector<ir::ReportSite> sites = ir::report_sites(m);
  if (sites.empty()) return nullptr;
  const std::string content = recorded.what + '\n' + ir::print(m, {.names = true, .locations = true});
  Sources& all = Sources::get();
  std::lock_guard lock(all.mutex);
  const auto [at, fresh] = all.by_content.try_emplace(content);
  if (fresh) {
    all.by_number.push_back(&at->second);
    at->second = {std::uint32_t(all.by_number.size()), recorded.what, std::move(sites)};
  }
  return &at->second;
}

// ---- the buffer of a device ---------------------------------------------------------------------------------------------------

std::uint32_t Reports::words() { return ir::report_first_word + line_words + fault_words; }

Reports::Reports(runtime::Device& device) : device_(device), address_(device.allocate(words() * 4, {})) {
  std::vector<std::uint32_t> empty(words());
  const auto heads = ir::empty_reports(line_words, fault_words);
  std::copy(heads.begin(), heads.end(), empty.begin());
  device_.copy_to_device(address_, empty.data(), words() * 4, {});
  device_.synchronize();
}

struct Reports::Found {
  std::vector<std::string> lines;
  std::string what, fault;
  ir::Location where;
  std::uint64_t faults = 0;
};

/// Reads what was written, and empties the buffer.
Reports::Found Reports::read() {
  Found found;
  const auto heads = ir::empty_reports(line_words, fault_words);
  auto now = heads;
  device_.copy_to_host(now.data(), address_, sizeof now, {});
  if (now == heads) return found;
  std::vector<std::uint32_t> buffer(words());
  device_.copy_to_host(buffer.data(), address_, words() * 4, {});
  const auto find = [](std::uint32_t number) {
    const ReportSource* source = Sources::get().find(number);
    return source ? &source->sites : nullptr;
  };
  for (const ir::Report& r : ir::read_reports(buffer, false, find)) found.lines.push_back(r.text());
  if (const std::uint64_t lost = ir::lost_reports(buffer, false))
    found.lines.push_back(fmt::format("… {} further {} dropped", grouped(lost), lost == 1 ? "message" : "messages"));
  const std::vector<ir::Report> faults = ir::read_reports(buffer, true, find);
  found.faults = faults.size() + ir::lost_reports(buffer, true);
  if (!faults.empty()) {
    const ir::Report& first = faults.front();
    found.what = Sources::get().find(first.kernel)->what, found.where = first.site->where;
    found.fault =
        fmt::format("{}, block ({}), thread ({})", first.text(), fmt::join(first.block, ", "), fmt::join(first.thread, ", "));
  }
  std::fill(buffer.begin(), buffer.end(), 0);
  std::copy(heads.begin(), heads.end(), buffer.begin());
  device_.copy_to_device(address_, buffer.data(), words() * 4, {});
  device_.synchronize();
  return found;
}

void Reports::collect() {
  Found found;
  {
    std::lock_guard lock(gate_);
    if (!pending_.exchange(false, std::memory_order_acq_rel)) return;
    device_.synchronize();
    found = read();
  }
  for (const std::string& line : found.lines) print_line(line);
  if (found.faults) throw_fault(found.what, found.fault, found.where, found.faults);
}

Reports& reports_of(DeviceHandle& device) {
  if (Reports* made = device.reports.load(std::memory_order_acquire)) return *made;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!device.reports.load()) {
    device.reports.store(new Reports(*device.device), std::memory_order_release);
    static const int registered = std::atexit(collect_at_exit);
    (void)registered;
  }
  return *device.reports.load();
}

void collect_reports(DeviceHandle& device) {
  Reports* const reports = device.reports.load(std::memory_order_acquire);
  if (reports && reports->pending()) reports->collect();
}

bool debug_mode() {
  // A static that is being made while another thread forks stays so in the child for ever.
  static std::atomic<signed char> known{-1};
  signed char on = known.load(std::memory_order_relaxed);
  if (on < 0) {
    on = support::environment_asks("KRAIT_DEBUG");
    known.store(on, std::memory_order_relaxed);
  }
  return on;
}

// ---- the user -----------------------------------------------------------------------------------------------------------------

void print_line(const std::string& line) {
  Handler& handler = Handler::get();
  std::lock_guard lock(handler.mutex);
  if (handler.call) return handler.call(handler.object, line.c_str());
  std::fwrite((line + '\n').data(), 1, line.size() + 1, stdout);
}

void throw_fault(const std::string& what, const std::string& fault, const ir::Location& where, std::uint64_t faults) {
  const std::string more =
      faults == 1 ? "" : fmt::format("; and {} further {}", grouped(faults - 1), faults == 2 ? "fault" : "faults");
  throw error(error::kind_type::usage, fmt::format("{}: {}{}", what, fault, more).c_str(), where.file.c_str(), where.line);
}

}  // namespace krait::host

namespace krait::detail {

void set_print_handler(void (*call)(void*, const char*), void* object, void (*destroy)(void*)) {
  host::Handler& handler = host::Handler::get();
  std::lock_guard lock(handler.mutex);
  if (handler.destroy) handler.destroy(handler.object);
  handler.call = call, handler.object = object, handler.destroy = destroy;
}

}  // namespace krait::detail
