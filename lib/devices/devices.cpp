// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/devices.h"

#include <algorithm>
#include <cctype>
#include <exception>
#include <thread>

#include "devices/fork_gate.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "devices/store.h"
#include "devices/streams.h"
#include "krait/detail/access.h"
#include "krait/detail/call.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/log.h"

namespace krait {

device detail::access::make(void* handle) noexcept { return device(handle); }
void* detail::access::handle(const device& d) noexcept { return d.handle_; }
void* detail::access::record(const stream& s) noexcept { return s.record_; }
device_list detail::access::list(const device* first, std::size_t size) noexcept {
  device_list l;
  l.first_ = first, l.size_ = size;
  return l;
}

namespace host {

support::Target read_target(const std::string& text) {
  if (text == "cpu") return Devices::get().cpu().target;
  support::ParsedTarget parsed = support::parse_target(text);
  if (!parsed.error.empty()) support::fail_usage("{}", parsed.error);
  return parsed.target;
}

namespace {

/// Where devices are found, in the order in which one is taken where none is named.
struct BackEnd {
  std::string_view word;  // what its devices' ids begin with
  bool taken, listed;     // where none is named; by krait::devices()
  runtime::Found (*find)();
};
constexpr BackEnd back_ends[] = {
    {"cuda", true, true, [] { return runtime::cuda_devices(); }},
    {"vulkan", true, false, [] { return runtime::vulkan_devices(false, store()); }},
    {"cpu", true, true, [] { return runtime::cpu_devices(); }},
    // with all that the row above has
    {"vulkan", false, true, [] { return runtime::vulkan_devices(true, store()); }},
    // never taken unasked
    {"opencl", false, true, [] { return runtime::opencl_devices(store(), true); }},
    {"interpreter", false, false, [] { return interpreter_devices(); }},
};
constexpr std::size_t back_end_count = std::size(back_ends), cpu_back_end = 2;
static_assert(back_ends[cpu_back_end].word == "cpu");

/// For messages: all devices, and what cannot be used for which reason.
std::string what_there_is(Devices& devices) {
  std::string there;
  for (DeviceHandle* d : devices.all())
    there += (there.empty() ? "" : ", ") + d->id + " (" + d->name + ")";
  return there + devices.skipped("\n  ");
}

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

unsigned processors() {
  static const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

Devices& Devices::get() {
  // leaked: arrays in static storage may outlive any destructor
  static Devices* const devices = new Devices;
  return *devices;
}
// not while another thread forks
[[maybe_unused]] static const Devices& made_at_load = Devices::get();

Devices::Devices() : lists_(back_end_count) {}

std::vector<DeviceHandle*>& Devices::list(std::size_t back_end) {
  if (!lists_[back_end].probed) probe(back_end);
  return lists_[back_end].devices;
}

namespace {

/// Throws error{device} where it cannot be opened.
std::unique_ptr<DeviceHandle> opened(std::unique_ptr<runtime::Device> d) {
  auto h = std::make_unique<DeviceHandle>();
  h->id = d->id(), h->name = d->name(), h->target = d->target();
  h->target_text = support::print(h->target);
  h->device = std::move(d);
  support::log_info("device {}: {}, {}", h->id, h->name, h->target_text);
  return h;
}

}  // namespace

void Devices::probe(std::size_t back_end) {
  runtime::Found found = back_ends[back_end].find();
  // taken as a whole: where there is no memory in the middle of it, the next one who asks begins
  // again
  List to;
  std::vector<std::unique_ptr<DeviceHandle>> made;
  to.probed = true;
  to.skipped = std::move(found.skipped);
  for (auto& d : found.devices) {
    const std::string id = d->id();
    DeviceHandle* known = nullptr;  // by an earlier row of the same devices
    for (std::size_t b = 0; b < back_end; ++b)
      if (back_ends[b].word == back_ends[back_end].word)
        for (DeviceHandle* other : list(b))
          if (other->id == id) known = other;
    if (known) {
      to.devices.push_back(known);
      continue;
    }
    const std::string name = d->name();
    try {
      made.push_back(opened(std::move(d)));
      to.devices.push_back(made.back().get());
    } catch (const error& e) {  // it cannot be opened; others may
      to.skipped.push_back(name + ": " + e.message());
    }
  }
  for (const std::string& why : to.skipped) support::log_info("not used: {}", why);
  lists_[back_end] = std::move(to);
  for (auto& h : made) static_cast<void>(h.release());
}

DeviceHandle& Devices::cpu() {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  if (list(cpu_back_end).empty()) support::fail_device("no CPU device{}", skipped("\n  "));
  return *list(cpu_back_end).front();
}

DeviceHandle& Devices::default_device() {
  if (DeviceHandle* d = default_.load(std::memory_order_acquire)) return *d;
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  DeviceHandle* chosen = nullptr;
  if (const char* wanted = support::environment_text("KRAIT_DEVICE")) {
    chosen = find_locked(wanted);
    if (!chosen)
      support::fail_device("no device matches KRAIT_DEVICE={}; available devices: {}", wanted,
                           what_there_is(*this));
  } else {
    for (std::size_t b = 0; b < back_end_count && !chosen; ++b)
      if (back_ends[b].taken && !list(b).empty()) chosen = list(b).front();
  }
  default_.store(chosen, std::memory_order_release);
  return *chosen;
}

DeviceHandle* Devices::find_locked(const std::string& name) {
  bool is_id = false;
  for (std::size_t b = 0; b < back_end_count; ++b) {
    if (!name.starts_with(back_ends[b].word)) continue;
    is_id = true;
    for (DeviceHandle* d : list(b))
      if (d->id == name || name == d->id.substr(0, d->id.find(':'))) return d;
  }
  for (std::size_t b = 0; b < back_end_count && !is_id; ++b)
    if (back_ends[b].taken || back_ends[b].listed)
      for (DeviceHandle* d : list(b))
        if (contains(d->name, name)) return d;
  return nullptr;
}

DeviceHandle* Devices::find(const std::string& name) {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  return find_locked(name);
}

std::vector<DeviceHandle*> Devices::all() {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::vector<DeviceHandle*> result;
  for (std::size_t b = 0; b < back_end_count; ++b)
    if (back_ends[b].listed) result.insert(result.end(), list(b).begin(), list(b).end());
  std::stable_partition(result.begin(), result.end(),
                        [&](DeviceHandle* d) { return d != list(cpu_back_end).front(); });
  return result;
}

std::vector<DeviceHandle*> Devices::known() {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::vector<DeviceHandle*> result = adopted_;
  for (const List& l : lists_)
    for (DeviceHandle* d : l.devices)
      if (std::find(result.begin(), result.end(), d) == result.end()) result.push_back(d);
  return result;
}

DeviceHandle& Devices::adopt(
    const std::function<std::unique_ptr<runtime::Device>(const std::string&)>& make) {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  // An id of its own for each: code is kept by the device's id.
  auto h = opened(make("vulkan:app" + std::to_string(adoptions_++)));
  adopted_.push_back(h.get());
  return *h.release();
}

void Devices::forget(const DeviceHandle& adopted) {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::erase(adopted_, &adopted);
}

std::string Devices::skipped(const char* before) {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::string text;
  for (std::size_t b = 0; b < back_end_count; ++b)
    if (back_ends[b].listed)  // Vulkan's other row says the same
      for (const std::string& s : lists_[b].skipped) text += before + s;
  return text;
}

krait::device to_public(DeviceHandle& d) noexcept { return detail::access::make(&d); }
DeviceHandle& handle(const krait::device& d) noexcept {
  return *static_cast<DeviceHandle*>(detail::access::handle(d));
}
StreamRecord* record_of(const krait::stream& s) noexcept {
  return static_cast<StreamRecord*>(detail::access::record(s));
}

}  // namespace host

// ---- the public classes -------------------------------------------------------------------------

using host::DeviceHandle;
using host::Devices;

device::device() : handle_(&Devices::get().default_device()) {}

device device::find(const char* name) {
  if (DeviceHandle* d = name ? Devices::get().find(name) : nullptr) return device(d);
  support::fail_usage("no device matches \"{}\"; available devices: {}", name ? name : "",
                      host::what_there_is(Devices::get()));
}

const char* device::id() const noexcept { return static_cast<DeviceHandle*>(handle_)->id.c_str(); }
const char* device::name() const noexcept {
  return static_cast<DeviceHandle*>(handle_)->name.c_str();
}
const char* device::target() const noexcept {
  return static_cast<DeviceHandle*>(handle_)->target_text.c_str();
}
std::int64_t device::memory() const noexcept {
  return static_cast<DeviceHandle*>(handle_)->device->total_memory();
}
memory_use device::memory_use() const {
  const auto& d = *static_cast<DeviceHandle*>(handle_);
  krait::memory_use m{d.memory.used(), d.memory.peak(), d.device->reserved_memory(),
                      d.memory.limit()};
  if (m.reserved < 0) m.reserved = m.used;
  return m;
}
void device::limit_memory(std::int64_t bytes) const {
  if (bytes < 0)
    support::fail_usage(
        "a memory limit of {} bytes is not valid for {}: expected 0 (no limit) or more", bytes,
        id());
  static_cast<DeviceHandle*>(handle_)->memory.set_limit(bytes);
}
void device::trim_memory() const {
  auto& d = *static_cast<DeviceHandle*>(handle_);
  host::drop_blocks(d);
  d.device->trim();
}
void device::synchronize() const {
  auto& d = *static_cast<DeviceHandle*>(handle_);
  d.device->synchronize();
  host::after_wait(d, {.what = host::Wait::For::Device});
}

device_list devices() {
  const host::BehindForkGate behind;
  static const auto* const all = [] {
    auto* list = new std::vector<device>;
    for (DeviceHandle* d : Devices::get().all()) list->push_back(host::to_public(*d));
    return list;
  }();
  return detail::access::list(all->data(), all->size());
}

text skipped_devices() {
  Devices::get().all();
  const std::string lines = Devices::get().skipped("\n");
  return lines.empty() ? text() : text(lines.data() + 1, lines.size() - 1);
}

void synchronize() {
  const std::vector<DeviceHandle*> all = Devices::get().known();
  std::exception_ptr failed;  // what one device says does not keep the others from being waited for
  for (DeviceHandle* d : all) {
    try {
      d->device->synchronize();
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  }
  if (failed) std::rethrow_exception(failed);
  for (DeviceHandle* d : all) host::after_wait(*d, {.what = host::Wait::For::Device});
}

namespace detail {
void* handle_of(const device& d) noexcept { return access::handle(d); }
device device_from(void* handle) { return handle ? access::make(handle) : device(); }
}  // namespace detail

}  // namespace krait
