// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the public interface.
#include "host/streams.h"

#include "host/memory.h"
#include "host/reports.h"
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

stream::stream(device on) : record_(nullptr) {
  DeviceHandle& d = host::handle(on);
  auto* record = new StreamRecord;
  record->device = &d;
  try {
    record->handle = d.device->create_stream();
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
  host::collect_reports(*record.device);
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
  host::collect_reports(host::handle(on_));
}
void event::wait(const stream& in) const {
  const StreamRecord& record = alive(in);
  if (in.on() != on_)
    support::fail_usage("a stream of {} cannot wait for an event of {}: wait on the host", in.on().id(), on_.id());
  host::handle(on_).device->wait(handle_of(native_), record.handle);
}
double event::elapsed_ms_since(const event& from) const {
  if (from.on_ != on_) support::fail_usage("events of {} and {} have no common clock", from.on_.id(), on_.id());
  return host::handle(on_).device->elapsed_ms(handle_of(from.native_), handle_of(native_));
}

}  // namespace krait
