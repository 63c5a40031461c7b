// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/reports.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>

#include <fmt/format.h>

#include "devices/memory.h"
#include "devices/streams.h"
#include "krait/debug.h"
#include "support/environment.h"
#include "support/error.h"

namespace krait::host {
namespace {

constexpr std::uint32_t line_words = 1u << 18, fault_words = 1u << 14;
// in a buffer, and so in the lists that waits look through
constexpr std::size_t most_launches = 4096;
// before the device is waited for, so that they can be read: each takes a megabyte
constexpr std::size_t most_buffers = 64;

/// All kernels that report.
struct Sources {
  std::mutex mutex;
  std::map<std::string, ReportSource> by_content;

  static Sources& get() {
    static auto* const sources = new Sources;
    return *sources;
  }
};

/// Lines that were read, in their order, for whoever waits next.
struct PrintedLines {
  struct Line {
    std::string text;
    DeviceHandle* device;
    std::shared_ptr<const Origin> of;
  };
  std::mutex mutex;
  std::deque<Line> waiting;
  std::atomic<std::size_t> left{0};  // lines that wait or are being handed out

  static PrintedLines& get() {
    static auto* const lines = new PrintedLines;
    return *lines;
  }
  void add(Line line) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(line));
    left.fetch_add(1, std::memory_order_relaxed);
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

/// What the user's handler throws is an error of the launch that printed the line; the next lines
/// come all the same.
void print_lines() {
  PrintedLines& lines = PrintedLines::get();
  if (lines.left.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard one_at_a_time(Handler::get().mutex);
  for (;;) {
    PrintedLines::Line line;
    {
      const std::lock_guard lock(lines.mutex);
      if (lines.waiting.empty()) return;
      line = std::move(lines.waiting.front());
      lines.waiting.pop_front();
    }
    try {
      print_line(line.text);
    } catch (...) {
      line.device->errors.keep(line.of, std::current_exception());
    }
    lines.left.fetch_sub(1, std::memory_order_release);
  }
}

/// At the end of a program that waits for nothing.
void collect_at_exit() {
  for (DeviceHandle* d : Devices::get().known()) {
    for (bool more = true; more;) {
      more = false;
      try {
        after_wait(*d, {Wait::For::Everything});
        std::fflush(stdout);
      } catch (const error& e) {
        // A lost device has been reported by the call that lost it.
        more = e.kind() == error::kind_type::usage;
        if (more) fmt::print(stderr, "krait: {}\n", e.message());
      } catch (const std::exception& e) {
        more = true;
        fmt::print(stderr, "krait: {}\n", e.what());
      } catch (...) {
        more = true;
      }
    }
  }
}

}  // namespace

const ReportSource* keep_source(const std::string& content, const std::string& what,
                                std::vector<ir::ReportSite> sites) {
  Sources& all = Sources::get();
  std::lock_guard lock(all.mutex);
  const auto [at, fresh] = all.by_content.try_emplace(content);
  if (fresh) at->second = {what, std::move(sites)};
  return &at->second;
}

// ---- the buffers of a device --------------------------------------------------------------------

std::uint32_t Reports::words() { return ir::report_first_word + line_words + fault_words; }

ReportBuffer& Reports::add_buffer() {
  auto fresh = std::make_unique<ReportBuffer>();
  runtime::Device& device = *device_.device;
  std::vector<std::uint32_t> empty(words());
  const auto heads = ir::empty_reports(line_words, fault_words);
  std::copy(heads.begin(), heads.end(), empty.begin());
  buffers_.reserve(buffers_.size() + 1);
  fresh->address = device.allocate(words() * 4, {});
  device.copy_to_device(fresh->address, empty.data(), words() * 4, {});
  device.synchronize(runtime::StreamHandle{});
  buffers_.push_back(std::move(fresh));
  return *buffers_.back();
}

Reports::Held Reports::take(StreamRecord* stream) {
  const auto is_ours = [stream](const ReportBuffer& b) {
    return b.taken && !b.is_graphs && b.thread == this_thread() && is_one_order(b.stream, stream);
  };
  for (bool was_full = false;;) {
    ReportBuffer* ours = nullptr;
    bool is_full = false;
    {
      const std::lock_guard lock(mutex_);
      const auto find = [&](const auto& fits) {
        const auto at =
            std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& b) { return fits(*b); });
        return at == buffers_.end() ? nullptr : at->get();
      };
      ours = find(is_ours);
      if (!ours) ours = find([](const ReportBuffer& b) { return !b.taken; });
      is_full = !ours && buffers_.size() >= most_buffers && !was_full;
      if (!ours && !is_full) ours = &add_buffer();
      if (ours) ours->taken = true, ours->stream = stream, ours->thread = this_thread();
    }
    if (is_full) {
      read({Wait::For::Everything});
      was_full = true;
      continue;
    }
    Held held{ours, std::unique_lock(ours->gate)};
    {
      const std::lock_guard lock(mutex_);
      if (!is_ours(*ours)) continue;  // it was read, and then given to another thread
    }
    if (ours->launches.size() < most_launches) return held;
    read_held(*ours, {Wait::For::Everything});
  }
}

void Reports::expect(ReportBuffer& buffer, Reporting launch) {
  const std::lock_guard lock(mutex_);
  buffer.launches.push_back(std::move(launch));
  if (buffer.launches.size() == 1) pending_.fetch_add(1, std::memory_order_release);
}

void Reports::give_back(ReportBuffer& buffer) noexcept {
  const std::lock_guard lock(mutex_);
  if (buffer.launches.empty()) buffer.taken = buffer.is_graphs;
}

ReportBuffer& Reports::take_for_graph() {
  const std::lock_guard lock(mutex_);
  const auto at =
      std::find_if(buffers_.begin(), buffers_.end(), [](const auto& b) { return !b->taken; });
  ReportBuffer& buffer = at == buffers_.end() ? add_buffer() : **at;
  buffer.taken = buffer.is_graphs = true;
  return buffer;
}

std::uint64_t Reports::expect_graph(Held& held, StreamRecord* stream,
                                    std::span<const Reporting> launches, bool own) {
  ReportBuffer& buffer = *held.buffer;
  held.gate = std::unique_lock(buffer.gate);
  // The numbers are in the graph's arguments: what an earlier replay wrote is told apart by being
  // read before.
  if (!buffer.launches.empty()) {
    if (!own && buffer.thread == this_thread() && is_one_order(buffer.stream, stream))
      return buffer.launches.front().of->order;
    read_held(buffer, {Wait::For::Everything});
  }
  const std::uint64_t order = device_.errors.next();
  std::vector<Reporting> fresh;
  for (const Reporting& l : launches) {
    Origin of{.stream = stream, .order = order, .own = own, .arrays = l.of->arrays};
    fresh.push_back({l.source, std::make_shared<const Origin>(std::move(of))});
  }
  const std::lock_guard lock(mutex_);
  buffer.stream = stream, buffer.thread = this_thread(), buffer.launches = std::move(fresh);
  pending_.fetch_add(1, std::memory_order_release);
  return order;
}

void Reports::leave_graph(ReportBuffer& buffer) noexcept {
  const std::lock_guard lock(mutex_);
  buffer.is_graphs = false, buffer.taken = !buffer.launches.empty();
}

void Reports::read(const Wait& wait) {
  const auto is_covered = [&](const ReportBuffer& b) {
    return std::any_of(b.launches.begin(), b.launches.end(),
                       [&](const Reporting& l) { return wait.covers(*l.of); });
  };
  std::vector<ReportBuffer*> covered;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& b : buffers_)
      if (is_covered(*b)) covered.push_back(b.get());
  }
  for (ReportBuffer* b : covered) {
    const std::lock_guard gate(b->gate);
    if (is_covered(*b)) read_held(*b, wait);  // another thread may have read it meanwhile
  }
}

/// Reads what was written, and empties the buffer. Its gate is held.
void Reports::read_held(ReportBuffer& buffer, const Wait& wait) {
  using For = Wait::For;
  runtime::Device& device = *device_.device;
  // Others' streams may end meanwhile in their threads, so only the one that was waited for is
  // looked at.
  const bool in_order = wait.what != For::Device && wait.what != For::Everything &&
                        is_one_order(wait.stream, buffer.stream) && !has_ended(wait.stream);
  const runtime::StreamHandle order =
      in_order && wait.stream ? wait.stream->handle : runtime::StreamHandle{};
  if (in_order) device.synchronize(order);
  else device.synchronize();

  const auto heads = ir::empty_reports(line_words, fault_words);
  auto now = heads;
  device.copy_to_host(now.data(), buffer.address, sizeof now, order);
  if (now != heads) {
    std::vector<std::uint32_t> all(words());
    device.copy_to_host(all.data(), buffer.address, words() * 4, order);
    sort_out(buffer, all);
    std::fill(all.begin(), all.end(), 0);
    std::copy(heads.begin(), heads.end(), all.begin());
    device.copy_to_device(buffer.address, all.data(), words() * 4, order);
    device.synchronize(order);  // the next launch may be into another stream
  }
  std::vector<Reporting> done;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  done.swap(buffer.launches);
  buffer.taken = buffer.is_graphs;
  // Only now, when waits find the errors: who sees no buffer with launches looks for nothing there.
  pending_.fetch_sub(1, std::memory_order_release);
}

void Reports::sort_out(const ReportBuffer& buffer, std::span<const std::uint32_t> words) {
  const std::vector<Reporting>& launches = buffer.launches;
  const auto find = [&](std::uint32_t number) {
    return number >= 1 && number <= launches.size() ? &launches[number - 1].source->sites : nullptr;
  };
  for (const ir::Report& r : ir::read_reports(words, false, find))
    PrintedLines::get().add({r.text(), &device_, launches[r.launch - 1].of});
  if (const std::uint64_t lost = ir::lost_reports(words, false))
    PrintedLines::get().add(
        {fmt::format("… {} further {} dropped", grouped(lost), lost == 1 ? "message" : "messages"),
         &device_, launches.back().of});

  std::map<std::uint32_t, Fault> faults;  // by the launch's number
  for (const ir::Report& r : ir::read_reports(words, true, find)) {
    Fault& f = faults[r.launch];
    if (f.count++ > 0) continue;
    const ir::Location& where = r.site->where;
    f.what = launches[r.launch - 1].source->what, f.file = where.file, f.line = where.line;
    f.text = fmt::format("{}, block ({}), thread ({})", r.text(), fmt::join(r.block, ", "),
                         fmt::join(r.thread, ", "));
  }
  const std::uint64_t lost = ir::lost_reports(words, true);
  for (auto& [number, f] : faults) {
    std::shared_ptr<const Origin> of = launches[number - 1].of;
    if (lost && number == faults.rbegin()->first) {
      // Launches that came after this one may have found no room: whoever waits for their arrays is
      // told by it.
      f.count += lost;
      auto all = std::make_shared<Origin>(*of);
      for (std::size_t later = number; later < launches.size(); ++later) {
        const std::vector<ArrayUse>& arrays = launches[later].of->arrays;
        all->arrays.insert(all->arrays.end(), arrays.begin(), arrays.end());
      }
      of = std::move(all);
    }
    device_.errors.keep(std::move(of), std::move(f));
  }
}

Reports& reports_of(DeviceHandle& device) {
  if (Reports* made = device.reports.load(std::memory_order_acquire)) return *made;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!device.reports.load()) {
    device.reports.store(new Reports(device), std::memory_order_release);
    static const int registered = std::atexit(collect_at_exit);
    (void)registered;
  }
  return *device.reports.load();
}

void after_wait(DeviceHandle& device, const Wait& wait) {
  Reports* const reports = device.reports.load(std::memory_order_acquire);
  if (reports && reports->pending()) reports->read(wait);
  print_lines();
  if (device.errors.any()) device.errors.raise(wait);
}

void after_wait(const detail::storage& memory) {
  const std::uint64_t number = memory.number.load(std::memory_order_relaxed);
  after_wait(*memory.device,
             {.what = Wait::For::Arrays, .stream = known_as(memory.last), .arrays = {&number, 1}});
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

// ---- the user -----------------------------------------------------------------------------------

void print_line(const std::string& line) {
  Handler& handler = Handler::get();
  std::lock_guard lock(handler.mutex);
  if (handler.call) return handler.call(handler.object, line.c_str());
  std::fwrite((line + '\n').data(), 1, line.size() + 1, stdout);
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
