// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "driver/fork_gate.h"
#include "driver/reports.h"
#include "driver/store.h"
#include "krait/detail/call.h"
#include "support/error.h"

namespace krait {

/// Reaches the handles inside the public classes.
struct detail::access {
  static device make(void* handle) noexcept { return device(handle); }
  static void* handle(const device& d) noexcept { return d.handle_; }
  static void* record(const stream& s) noexcept { return s.record_; }
  static device_list list(const device* first, std::size_t size) noexcept {
    device_list l;
    l.first_ = first, l.size_ = size;
    return l;
  }
};

namespace driver {

support::Target read_target(const std::string& text) {
  if (text == "cpu") return Devices::get().cpu().target;
  support::ParsedTarget parsed = support::parse_target(text);
  if (!parsed.error.empty()) support::fail_usage("{}", parsed.error);
  return parsed.target;
}

namespace {

/// For messages: all devices, and what cannot be used for which reason.
std::string what_there_is(Devices& devices) {
  std::string there;
  for (DeviceHandle* d : devices.all()) there += (there.empty() ? "" : ", ") + d->id + " (" + d->name + ")";
  return there + devices.skipped("\n  ");
}

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

}  // namespace

Devices& Devices::get() {
  static Devices* const devices = new Devices;  // leaked: arrays in static storage may outlive any destructor
  return *devices;
}
[[maybe_unused]] static const Devices& made_at_load = Devices::get();  // not while another thread forks

std::vector<DeviceHandle*>& Devices::list(BackEnd b) {
  if (!probed_[b]) {
    runtime::Found found;
    switch (b) {
      case Cuda: found = runtime::cuda_devices(); break;
      case Vulkan: found = runtime::vulkan_devices(false, store()); break;
      case VulkanSoftware: found = runtime::vulkan_devices(true, store()); break;
      case Cpu: found = runtime::cpu_devices(); break;
      case Interpreter: found = interpreter_devices(); break;
      case BackEnds: break;
    }
    probed_[b] = true;
    skipped_[b] = std::move(found.skipped);
    for (auto& d : found.devices) {
      const std::string id = d->id();
      // The two Vulkan lists overlap: a GPU that is known keeps its handle.
      if (b == VulkanSoftware) {
        const auto& gpus = list(Vulkan);
        const auto known = std::find_if(gpus.begin(), gpus.end(), [&](DeviceHandle* g) { return g->id == id; });
        if (known != gpus.end()) {
          found_[b].push_back(*known);
          continue;
        }
      }
      auto h = std::make_unique<DeviceHandle>();
      h->id = id, h->name = d->name();
      try {
        h->target = d->target();
      } catch (const error& e) {  // it cannot be opened; others may
        skipped_[b].push_back(h->name + ": " + e.message());
        continue;
      }
      h->target_text = support::print(h->target);
      h->device = std::move(d);
      found_[b].push_back(h.release());
    }
  }
  return found_[b];
}

DeviceHandle& Devices::cpu() {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  return *list(Cpu).front();
}

DeviceHandle& Devices::default_device() {
  if (DeviceHandle* d = default_.load(std::memory_order_acquire)) return *d;
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  DeviceHandle* chosen = nullptr;
  if (const char* wanted = std::getenv("KRAIT_DEVICE"); wanted && *wanted) {
    chosen = find_locked(wanted);
    if (!chosen) support::fail_device("KRAIT_DEVICE={} names no device of this machine; there are: {}", wanted, what_there_is(*this));
  } else {
    for (BackEnd b : {Cuda, Vulkan, Cpu})
      if (!chosen && !list(b).empty()) chosen = list(b).front();
  }
  default_.store(chosen, std::memory_order_release);
  return *chosen;
}

DeviceHandle* Devices::find_locked(const std::string& name) {
  const auto with_id = [&](BackEnd b) -> DeviceHandle* {
    for (DeviceHandle* d : list(b))
      if (d->id == name || name == d->id.substr(0, d->id.find(':'))) return d;
    return nullptr;
  };
  if (name.starts_with("cpu")) return with_id(Cpu);
  if (name == "interpreter") return with_id(Interpreter);
  if (name.starts_with("cuda")) return with_id(Cuda);
  if (name.starts_with("vulkan")) {
    DeviceHandle* gpu = with_id(Vulkan);
    return gpu ? gpu : with_id(VulkanSoftware);
  }
  for (BackEnd b : {Cuda, Vulkan, Cpu, VulkanSoftware})
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
  for (BackEnd b : {Cuda, VulkanSoftware, Cpu}) result.insert(result.end(), list(b).begin(), list(b).end());
  return result;
}

std::vector<DeviceHandle*> Devices::known() {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::vector<DeviceHandle*> result;
  for (const auto& l : found_)
    for (DeviceHandle* d : l)
      if (std::find(result.begin(), result.end(), d) == result.end()) result.push_back(d);
  return result;
}

std::string Devices::skipped(const char* before) {
  const BehindForkGate behind;
  std::lock_guard lock(mutex_);
  std::string text;
  // The list with software devices holds all that the list of GPUs does.
  for (BackEnd b : {Cuda, probed_[VulkanSoftware] ? VulkanSoftware : Vulkan, Cpu})
    for (const std::string& s : skipped_[b]) text += before + s;
  return text;
}

krait::device to_public(DeviceHandle& d) noexcept { return detail::access::make(&d); }
DeviceHandle& handle(const krait::device& d) noexcept { return *static_cast<DeviceHandle*>(detail::access::handle(d)); }
StreamRecord* record_of(const krait::stream& s) noexcept { return static_cast<StreamRecord*>(detail::access::record(s)); }

}  // namespace driver

// ---- the public classes -----------------------------------------------------------------------------------------------------------

using driver::DeviceHandle;
using driver::Devices;

device::device() : handle_(&Devices::get().default_device()) {}

device device::find(const char* name) {
  if (DeviceHandle* d = name ? Devices::get().find(name) : nullptr) return device(d);
  support::fail_usage("no device is called \"{}\"; there are: {}", name ? name : "", driver::what_there_is(Devices::get()));
}

const char* device::id() const noexcept { return static_cast<DeviceHandle*>(handle_)->id.c_str(); }
const char* device::name() const noexcept { return static_cast<DeviceHandle*>(handle_)->name.c_str(); }
const char* device::target() const noexcept { return static_cast<DeviceHandle*>(handle_)->target_text.c_str(); }
std::int64_t device::memory() const noexcept { return static_cast<DeviceHandle*>(handle_)->device->total_memory(); }
memory_use device::memory_use() const {
  const auto& d = *static_cast<DeviceHandle*>(handle_);
  krait::memory_use m{d.memory.used(), d.memory.peak(), d.device->reserved_memory(), d.memory.limit()};
  if (m.reserved < 0) m.reserved = m.used;
  return m;
}
void device::limit_memory(std::int64_t bytes) const {
  if (bytes < 0) support::fail_usage("a memory limit of {} bytes was asked for {}; 0 lifts it", bytes, id());
  static_cast<DeviceHandle*>(handle_)->memory.set_limit(bytes);
}
void device::trim_memory() const { static_cast<DeviceHandle*>(handle_)->device->trim(); }
void device::synchronize() const {
  auto& d = *static_cast<DeviceHandle*>(handle_);
  d.device->synchronize();
  driver::collect_reports(d);
}

device_list devices() {
  const driver::BehindForkGate behind;
  static const auto* const all = [] {
    auto* list = new std::vector<device>;
    for (DeviceHandle* d : Devices::get().all()) list->push_back(driver::to_public(*d));
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
  for (DeviceHandle* d : Devices::get().known()) {
    d->device->synchronize();
    driver::collect_reports(*d);
  }
}

namespace detail {
void* handle_of(const device& d) noexcept { return access::handle(d); }
device device_from(void* handle) { return handle ? access::make(handle) : device(); }
}  // namespace detail

}  // namespace krait
