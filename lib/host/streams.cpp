// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the public interface.
#include "host/devices.h"
#include "host/memory.h"
#include "host/reports.h"
#include "support/error.h"

namespace krait {

using host::DeviceHandle;
using host::StreamRecord;

namespace {

StreamRecord& alive(const stream& s) {
  StreamRecord* const record = host::record_of(s);
  if (!record) support::fail_usage("a moved-from stream is used");
  return *record;
}
runtime::EventHandle alive(void* event) {
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
void event::record() { host::handle(on_).device->record(alive(native_), {}); }
void event::record(const stream& in) {
  const StreamRecord& record = alive(in);
  if (in.on() != on_) support::fail_usage("an event of {} cannot be recorded in a stream of {}", on_.id(), in.on().id());
  host::handle(on_).device->record(alive(native_), record.handle);
}
void event::wait() const {
  host::handle(on_).device->wait(alive(native_));
  host::collect_reports(host::handle(on_));
}
void event::wait(const stream& in) const {
  const StreamRecord& record = alive(in);
  if (in.on() != on_)
    support::fail_usage("a stream of {} cannot wait for an event of {}: wait on the host", in.on().id(), on_.id());
  host::handle(on_).device->wait(alive(native_), record.handle);
}
double event::elapsed_ms_since(const event& from) const {
  if (from.on_ != on_) support::fail_usage("events of {} and {} have no common clock", from.on_.id(), on_.id());
  return host::handle(on_).device->elapsed_ms(alive(from.native_), alive(native_));
}

}  // namespace krait
