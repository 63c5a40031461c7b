// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one trace of the process. Devices whose launches are synchronous are on the host's clock;
// others have two events a launch, and an event at the begin whose place on the host's clock is
// known.
#include "devices/tracing.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "devices/nvtx.h"
#include "krait/trace_file.h"
#include "support/error.h"
#include "support/file.h"

namespace krait::host {
namespace {

using Clock = std::chrono::steady_clock;
using runtime::EventHandle;

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

/// As profilers show it.
std::string text_of(std::string_view what, std::string_view name) {
  return what.empty() ? std::string(name) : fmt::format("{} {}", what, name);
}

struct Span {
  std::string what, name;
  unsigned track;
  double begin, length;  // in microseconds from the trace's begin; a moment has a negative length
};
struct Pending {
  DeviceHandle* device;
  unsigned track;
  const char* what;
  std::string name;
  EventHandle begun, ended;
};
struct Origin {
  EventHandle event;
  double at;  // on the host's clock
};

struct Trace {
  std::atomic<bool> on{false};
  std::mutex mutex;
  int file = -1;
  Clock::time_point start;
  std::vector<Span> spans;
  std::vector<Pending> pending;
  std::map<DeviceHandle*, Origin> origins;
  std::map<std::string, unsigned> tracks;  // threads and streams, by what they are called
  std::map<void*, unsigned> streams;       // but the default ones, in the order of their first work

  unsigned track(const std::string& name) {
    return tracks.try_emplace(name, unsigned(tracks.size()) + 1).first->second;
  }
  /// A track a stream: work of two may overlap.
  unsigned track(const DeviceHandle& device, runtime::StreamHandle stream) {
    if (!stream.native || device.device->host_memory()) return track(device.id);
    const unsigned number =
        streams.try_emplace(stream.native, unsigned(streams.size()) + 1).first->second;
    return track(device.id + " stream " + std::to_string(number));
  }
  /// On this thread's track, or a device's. What memory does not suffice for is left out.
  void add(const DeviceHandle* who, const char* what, std::string_view name,
           Clock::time_point begin, double length) noexcept {
    try {
      std::lock_guard lock(mutex);
      if (!on) return;
      const unsigned to = track(who ? who->id : fmt::format("thread {}", gettid()));
      spans.push_back({what, std::string(name), to, microseconds(begin - start), length});
    } catch (const std::bad_alloc&) {
    }
  }
  void resolve();
  void write();
};

Trace& trace() {
  static auto* const the = new Trace;
  return *the;
}
[[maybe_unused]] const Trace& made_at_load = trace();  // not while another thread forks

void Trace::resolve() {
  for (const Pending& p : pending) {
    runtime::Device& d = *p.device->device;
    const Origin& origin = origins.at(p.device);
    d.wait(p.ended);
    const double begin = origin.at + 1000 * d.elapsed_ms(origin.event, p.begun);
    spans.push_back({p.what, p.name, p.track, begin, 1000 * d.elapsed_ms(p.begun, p.ended)});
    d.destroy_event(p.begun), d.destroy_event(p.ended);
  }
  for (const auto& [device, origin] : origins) device->device->destroy_event(origin.event);
}

/// As a string of JSON.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ') out += fmt::format("\\u{:04x}", unsigned(c));
    else out += c;
  }
  return out + '"';
}

void Trace::write() {
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  for (const auto& [name, number] : tracks)
    text += fmt::format(
        "{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": {}, \"args\": "
        "{{\"name\": {}}}}},\n",
        number, quoted(name));
  for (const Span& s : spans)
    text += fmt::format(
        "{{\"ph\": \"{}\", \"cat\": \"{}\", \"name\": {}, \"pid\": 1, \"tid\": {}, \"ts\": {:.3f}, {}}},\n",
        s.length < 0 ? 'i' : 'X', s.what.empty() ? "label" : s.what,
        quoted(text_of(s.what, s.name)), s.track, s.begin,
        s.length < 0 ? "\"s\": \"t\"" : fmt::format("\"dur\": {:.3f}", s.length));
  text +=
      "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"args\": {\"name\": \"krait\"}}\n]}\n";
  support::write_all(file, text);
}

}  // namespace

constinit std::atomic<bool> anyone_listens{false};

bool tracing() noexcept { return trace().on.load(std::memory_order_relaxed); }

void note_moment(std::string_view name) noexcept {
  if (tracing()) trace().add(nullptr, "", name, Clock::now(), -1);
}

void HostSpan::begin(const char* what, std::string_view name) noexcept {
  try {
    if (const Nvtx* tool = nvtx()) tool->push(text_of(what, name).c_str()), pushed_ = true;
  } catch (const std::bad_alloc&) {  // the tool hears nothing of it
  }
  if (tracing()) what_ = what, name_ = name, begin_ = Clock::now();
}
void HostSpan::end() {
  if (pushed_) nvtx()->pop();
  if (what_) trace().add(nullptr, what_, name_, begin_, microseconds(Clock::now() - begin_));
}

void DeviceSpan::begin(DeviceHandle& device, runtime::StreamHandle stream, std::string_view name,
                       const char* what) noexcept {
  if (!tracing()) return;
  device_ = &device, stream_ = stream, what_ = what, name_ = name, begin_ = Clock::now();
  runtime::Device& d = *device.device;
  if (d.host_memory()) return;
  try {
    std::lock_guard lock(trace().mutex);
    if (!trace().origins.contains(&device)) {
      const EventHandle origin = d.create_event();
      d.synchronize();
      d.record(origin, {});
      d.wait(origin);
      trace().origins[&device] = {origin, microseconds(Clock::now() - trace().start)};
    }
    begun_ = d.create_event();
    d.record(begun_, stream);
  } catch (...) {  // a fault of an earlier launch: it is the error of the next call
    device_ = nullptr;
  }
}

void DeviceSpan::end() {
  runtime::Device& d = *device_->device;
  if (d.host_memory()) {
    trace().add(device_, what_, name_, begin_, microseconds(Clock::now() - begin_));
    return;
  }
  try {
    std::lock_guard lock(trace().mutex);
    if (!trace().origins.contains(device_)) {  // the trace ended meanwhile
      d.destroy_event(begun_);
      return;
    }
    const EventHandle ended = d.create_event();
    d.record(ended, stream_);
    trace().pending.push_back(
        {device_, trace().track(*device_, stream_), what_, std::string(name_), begun_, ended});
  } catch (...) {  // as above
  }
}

}  // namespace krait::host

namespace krait {

trace_file::trace_file(const char* path) {
  host::Trace& t = host::trace();
  std::lock_guard lock(t.mutex);
  if (t.on) support::fail_usage("a trace is being written already: end it before {} begins", path);
  t.file = support::create_file(path, support::shared_file);
  if (t.file < 0)
    support::fail_usage("the trace {} cannot be written: {}", path, std::strerror(errno));
  t.start = host::Clock::now();
  t.on = host::anyone_listens = true;
}

trace_file::~trace_file() {
  host::Trace& t = host::trace();
  std::lock_guard lock(t.mutex);
  t.on = false;
  try {
    t.resolve();
    t.write();
  } catch (...) {  // a device that failed: what is known is in the file, or memory is short
  }
  close(t.file);
  t.spans.clear(), t.pending.clear(), t.origins.clear(), t.tracks.clear(), t.streams.clear();
}

}  // namespace krait
