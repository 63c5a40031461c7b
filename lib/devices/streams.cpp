// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the public interface.
#include "devices/streams.h"

#include <atomic>
#include <exception>
#include <memory>

#include "devices/memory.h"
#include "devices/reports.h"
#include "runtime/async.h"
#include "support/error.h"

namespace krait::host {

StreamRecord& alive(const stream& s) {
  StreamRecord* const record = record_of(s);
  if (!record) support::fail_usage("a moved-from stream is used");
  return *record;
}

StreamRecord& stream_on(const DeviceHandle& device, const stream& s, const char* operation) {
  StreamRecord& record = alive(s);
  if (record.device != &device)
    support::fail_usage("{}: the stream belongs to {}, but the elements are on {}", operation,
                        record.device->id, device.id);
  return record;
}

void order(const StreamOn& first, const StreamOn& second) {
  const runtime::EventHandle between = first.device.create_event();
  try {
    first.device.record(between, first.handle);
    second.device.wait(between, second.handle);
  } catch (...) {
    first.device.destroy_event(between);
    throw;
  }
  first.device.destroy_event(between);
}

bool are_peers(const DeviceHandle& a, const DeviceHandle& b) {
  return &a == &b || (a.device->async() && a.device->async()->is_peer(*b.device));
}

StreamRecord* known_as(StreamRecord* stream) {
  return stream && (stream->owned || stream->handle.native) ? stream : nullptr;
}

namespace {

/// A function that a stream calls.
struct HostCall {
  DeviceHandle& device;
  std::shared_ptr<const Origin> of;
  std::unique_ptr<void, void (*)(void*)> object;
  void (*call)(void*);

  static void run(void* self) {
    const std::unique_ptr<HostCall> owned(static_cast<HostCall*>(self));
    try {
      owned->call(owned->object.get());
    } catch (...) {
      owned->device.errors.keep(owned->of, std::current_exception());
    }
  }
};

/// What an event's handle points to.
struct EventRecord {
  runtime::EventHandle handle{};
  // What it marks: a stream, where its thread had put so many launches. Several threads may wait
  // while one records again.
  std::atomic<const StreamRecord*> stream{nullptr};
  std::atomic<std::uint64_t> launches{0}, recorder{0};
};

}  // namespace
}  // namespace krait::host

namespace krait {

using host::alive;
using host::DeviceHandle;
using host::StreamRecord;

namespace {

host::EventRecord& record_of(void* event) {
  if (!event) support::fail_usage("a moved-from event is used");
  return *static_cast<host::EventRecord*>(event);
}

void record_in(void* event, DeviceHandle& device, StreamRecord* stream) {
  host::EventRecord& e = record_of(event);
  e.stream = host::known_as(stream), e.launches = device.errors.last(),
  e.recorder = host::this_thread();
  device.device->record(e.handle, stream ? stream->handle : runtime::StreamHandle{});
}

}  // namespace

stream::stream(device on, priority rank) : record_(nullptr) {
  DeviceHandle& d = host::handle(on);
  auto* record = new StreamRecord;
  record->device = &d;
  try {
    using Priority = runtime::Async::Priority;
    if (runtime::Async* const async = d.device->async(); async && rank != priority::normal)
      record->handle =
          async->create_stream(rank == priority::high ? Priority::High : Priority::Low);
    if (!record->handle.native) record->handle = d.device->create_stream();
  } catch (...) {
    delete record;
    throw;
  }
  record_ = record;
}

stream stream::wrap(void* native, device on) {
  auto* record = new StreamRecord;
  record->device = &host::handle(on), record->handle = {native}, record->owned = false;
  return stream(wrapped{}, record);
}

stream::~stream() {
  auto* record = static_cast<StreamRecord*>(record_);
  if (!record) return;
  if (record->owned) {
    record->device->device->destroy_stream(record->handle);
    record->device->errors.end(*record);
  }
  host::retire(record);
}

device stream::on() const noexcept {
  return host::to_public(*static_cast<StreamRecord*>(record_)->device);
}
void* stream::native() const noexcept { return static_cast<StreamRecord*>(record_)->handle.native; }
void stream::synchronize() const {
  StreamRecord& record = alive(*this);
  record.device->device->synchronize(record.handle);
  host::after_wait(*record.device,
                   {.what = host::Wait::For::Stream, .stream = host::known_as(&record)});
}

void stream::put_call(void* object, void (*call)(void*), void (*destroy)(void*)) const {
  std::unique_ptr<void, void (*)(void*)> owned(object, destroy);
  StreamRecord& record = alive(*this);
  const host::Origin of{.stream = host::known_as(&record), .order = record.device->errors.next()};
  auto made = std::make_unique<host::HostCall>(
      *record.device, std::make_shared<const host::Origin>(of), std::move(owned), call);
  runtime::Device& d = *record.device->device;
  if (d.async() && d.async()->call_host(&host::HostCall::run, made.get(), record.handle)) {
    static_cast<void>(made.release());  // run deletes it
  } else {
    d.synchronize(record.handle);
    host::HostCall::run(made.release());
  }
}

event::event(device on) : on_(on) {
  auto fresh = std::make_unique<host::EventRecord>();
  fresh->handle = host::handle(on).device->create_event();
  native_ = fresh.release();
}
event::~event() {
  const std::unique_ptr<host::EventRecord> owned(static_cast<host::EventRecord*>(native_));
  if (owned) host::handle(on_).device->destroy_event(owned->handle);
}
void event::record() { record_in(native_, host::handle(on_), nullptr); }
void event::record(const stream& in) {
  StreamRecord& record = alive(in);
  if (in.on() != on_)
    support::fail_usage("an event of {} cannot be recorded in a stream of {}", on_.id(),
                        in.on().id());
  record_in(native_, *record.device, &record);
}
void event::wait() const {
  DeviceHandle& device = host::handle(on_);
  const host::EventRecord& e = record_of(native_);
  const host::Wait wait{.what = host::Wait::For::Event,
                        .stream = e.stream.load(),
                        .before = e.launches.load(),
                        .recorder = e.recorder.load()};
  device.device->wait(e.handle);
  host::after_wait(device, wait);
}
void event::wait(const stream& in) const {
  const StreamRecord& record = alive(in);
  const runtime::EventHandle awaited = record_of(native_).handle;
  if (host::are_peers(*record.device, host::handle(on_)))
    record.device->device->wait(awaited, record.handle);
  else host::handle(on_).device->wait(awaited);
}
double event::elapsed_ms_since(const event& from) const {
  if (from.on_ != on_)
    support::fail_usage("events of {} and {} have no common clock", from.on_.id(), on_.id());
  return host::handle(on_).device->elapsed_ms(record_of(from.native_).handle,
                                              record_of(native_).handle);
}

}  // namespace krait
