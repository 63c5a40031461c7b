// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/graph.h"

#include <map>
#include <utility>

#include "devices/memory.h"
#include "devices/reports.h"
#include "devices/streams.h"
#include "support/error.h"
#include "support/log.h"

namespace krait {

using host::DeviceHandle;

graph::state*& host::open_graph() noexcept {
  thread_local graph::state* open = nullptr;
  return open;
}

void host::check_readable(const detail::storage& memory) {
  if (const graph::state* open = open_graph(); open && open->written.contains(&memory))
    support::fail_usage(
        "an array is read while a graph that writes it is being recorded: "
        "nothing has been computed yet; read it after the graph is launched");
}

void host::check_not_recorded(std::string_view what) {
  if (open_graph())
    support::fail_usage(
        "{} while a graph is being recorded, which can hold only launches: "
        "do it before, or between launches of the graph",
        what);
}

bool detail::records_graph() noexcept { return host::open_graph(); }
detail::outside_graph::outside_graph() noexcept
    : open_(std::exchange(host::open_graph(), nullptr)) {}
detail::outside_graph::~outside_graph() { host::open_graph() = open_; }

void graph::state::add(DeviceHandle& on, std::shared_ptr<const host::Compiled> code,
                       const runtime::LaunchRequest& request, bool host_arguments,
                       const std::string& what) {
  if (&on != device)
    support::fail_usage("{} runs on {}, but the graph being recorded is for {}", what, on.id,
                        device->id);
  if (host_arguments)
    support::fail_usage(
        "{} has host containers among its arguments, and a graph would copy their contents "
        "only once: use kr::array",
        what);
  if (request.stream.native)
    support::fail_usage(
        "{} is launched into a stream while a graph is being recorded: "
        "launch it without a stream, and replay the graph into one",
        what);
  Launch& l = launches.emplace_back();
  l.code = std::move(code), l.request = request;
  l.args.assign(request.args, request.args + request.args_size);
  // the heap block stays where it is when the vector of launches grows
  l.request.args = l.args.data();
}

std::uint64_t graph::state::reports_on(DeviceHandle& on) {
  // A launch on another device is refused when it is added.
  if (&on == device && !reports) reports = &host::reports_of(on).take_for_graph();
  return reports ? reports->address : 0;
}

void graph::state::keep(detail::storage& memory) {
  if (arrays.insert(&memory).second) host::share(memory);
}

graph::state::~state() {
  if (native) device->device->destroy_graph(native);
  if (reports) host::reports_of(*device).leave_graph(*reports);
  for (detail::storage* memory : arrays) detail::release(memory);
}

graph::graph(detail::function_ref<void()> launches, device on) {
  if (host::open_graph())
    support::fail_usage("a graph is already being recorded: add all launches to one graph");
  auto fresh = std::make_unique<state>();
  fresh->device = &host::handle(on);
  struct Open {
    explicit Open(state* s) { host::open_graph() = s; }
    ~Open() { host::open_graph() = nullptr; }
  };
  {
    const Open open(fresh.get());
    launches();
  }
  state_ = fresh.release();
}

graph::~graph() { delete state_; }

std::size_t graph::size() const noexcept { return state_ ? state_->launches.size() : 0; }

void graph::launch() { replay(nullptr); }
void graph::launch(const stream& in) {
  if (!host::record_of(in)) support::fail_usage("a graph is launched into a moved-from stream");
  if (state_ && in.on() != host::to_public(*state_->device))
    support::fail_usage("the graph is for {}, but the stream belongs to {}", state_->device->id,
                        in.on().id());
  replay(host::record_of(in));
}

void graph::replay(void* stream_record) {
  if (!state_) support::fail_usage("a moved-from graph is launched");
  if (host::open_graph())
    support::fail_usage("a graph is launched while another one is being recorded");
  if (state_->launches.empty()) return;
  auto* const stream = static_cast<host::StreamRecord*>(stream_record);
  void* const native_stream = stream ? stream->handle.native : nullptr;
  if (state_->reporting.empty()) return run(native_stream);
  DeviceHandle& d = *state_->device;
  const bool own = host::debug_mode() || d.device->host_memory();
  host::StreamRecord* const in = host::known_as(stream);
  std::uint64_t number = 0;
  {
    host::Reports::Held held{state_->reports};
    number = host::reports_of(d).expect_graph(held, in, state_->reporting, own);
    run(native_stream);
  }
  if (own) host::after_wait(d, {.what = host::Wait::For::Launch, .stream = in, .launch = number});
}

void graph::run(void* native_stream) {
  support::log_debug("launch a graph on {}: {} kernels", state_->device->id,
                     state_->launches.size());
  runtime::Device& on = *state_->device->device;
  if (state_->counts.empty()) {
    std::map<const host::Compiled*, std::uint64_t> counts;
    for (const state::Launch& l : state_->launches) ++counts[l.code.get()];
    state_->counts.assign(counts.begin(), counts.end());
  }
  for (const auto& [code, times] : state_->counts)
    code->launches.fetch_add(times, std::memory_order_relaxed);
  if (!state_->native) {
    std::vector<runtime::GraphLaunch> all;
    for (const state::Launch& l : state_->launches) all.push_back({l.code->code.get(), l.request});
    state_->native = on.make_graph(all);
  }
  if (state_->native) return on.launch_graph(state_->native, {native_stream});
  for (state::Launch& l : state_->launches) {
    runtime::LaunchRequest request = l.request;
    request.stream = {native_stream};
    on.launch(*l.code->code, request);
  }
}

}  // namespace krait
