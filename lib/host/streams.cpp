// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the public interface.
#include "host/streams.h"

#include <exception>
#include <memory>

#include "host/memory.h"
#include "host/reports.h"
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
    support::fail_usage("{}: the stream is of {}, and the elements are on {}", operation, record.device->id, device.id);
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

void Thrown::keep(std::exception_ptr what) noexcept {
  try {
    const std::lock_guard lock(gate_);
    kept_.push_back(std::move(what));
    any_.store(true, std::memory_order_release);
  } catch (...) {  // the list could not grow: one is lost
  }
}

void Thrown::raise_oldest() {
  std::exception_ptr oldest;
  {
    const std::lock_guard lock(gate_);
    if (kept_.empty()) return;  // another thread has it
    oldest = std::move(kept_.front());
    kept_.pop_front();
    any_.store(!kept_.empty(), std::memory_order_release);
  }
  std::rethrow_exception(oldest);
}

void after_wait(DeviceHandle& device) {
  collect_reports(device);
  device.thrown.raise();
}

namespace {

/// A function that a stream calls.
struct HostCall {
  DeviceHandle& device;
  std::unique_ptr<void, void (*)(void*)> object;
  void (*call)(void*);
  HostCall(DeviceHandle& d, std::unique_ptr<void, void (*)(void*)> o, void (*c)(void*))
      : device(d), object(std::move(o)), call(c) {}

  static void run(void* self) {
    const std::unique_ptr<HostCall> owned(static_cast<HostCall*>(self));
    try {
      owned->call(owned->object.get());
    } catch (...) {
      owned->device.thrown.keep(std::current_exception());
    }
  }
};

}  // namespace
}  // namespace krait::host

namespace krait {

using host::alive;
using host::DeviceHandle;
using host::StreamRecord;

namespace {

runtime::EventHandle handle_of(void* event) {
  if (!event) support::fail_usage("a moved-from event is used");
  return {event};
}

}  // namespace

stream::stream(device on, priority rank) : record_(nullptr) {
  DeviceHandle& d = host::handle(on);
  auto* record = new StreamRecord;
  record->device = &d;
  try {
    using Priority = runtime::Async::Priority;
    if (runtime::Async* const async = d.device->async(); async && rank != priority::normal)
      record->handle = async->create_stream(rank == priority::high ? Priority::High : Priority::Low);
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
  if (record->owned) record->device->device->destroy_stream(record->handle);
  host::retire(record);
}

device stream::on() const noexcept { return host::to_public(*static_cast<StreamRecord*>(record_)->device); }
void* stream::native() const noexcept { return static_cast<StreamRecord*>(record_)->handle.native; }
void stream::synchronize() const {
  const StreamRecord& record = alive(*this);
  record.device->device->synchronize(record.handle);
  host::after_wait(*record.device);
}

void stream::put_call(void* object, void (*call)(void*), void (*destroy)(void*)) const {
  std::unique_ptr<void, void (*)(void*)> owned(object, destroy);
  const StreamRecord& record = alive(*this);
  auto made = std::make_unique<host::HostCall>(*record.device, std::move(owned), call);
  runtime::Device& d = *record.device->device;
  if (d.async() && d.async()->call_host(&host::HostCall::run, made.get(), record.handle)) {
    static_cast<void>(made.release());  // run deletes it
  } else {
    d.synchronize(record.handle);
    host::HostCall::run(made.release());
  }
}

event::event(device on) : on_(on), native_(host::handle(on).device->create_event().native) {}
event::~event() {
  if (native_) host::handle(on_).device->destroy_event({native_});
}
void event::record() { host::handle(on_).device->record(handle_of(native_), {}); }
void event::record(const stream& in) {
  const StreamRecord& record = alive(in);
  if (in.on() != on_) support::fail_usage("an event of {} cannot be recorded in a stream of {}", on_.id(), in.on().id());
  host::handle(on_).device->record(handle_of(native_), record.handle);
}
void event::wait() const {
  host::handle(on_).device->wait(handle_of(native_));
  host::after_wait(host::handle(on_));
}
void event::wait(const stream& in) const {
  const StreamRecord& record = alive(in);
  const runtime::EventHandle awaited = handle_of(native_);
  if (host::are_peers(*record.device, host::handle(on_))) record.device->device->wait(awaited, record.handle);
  else host::handle(on_).device->wait(awaited);
}
double event::elapsed_ms_since(const event& from) const {
  if (from.on_ != on_) support::fail_usage("events of {} and {} have no common clock", from.on_.id(), on_.id());
  return host::handle(on_).device->elapsed_ms(handle_of(from.native_), handle_of(native_));
}

}  // namespace krait
