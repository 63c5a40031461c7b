// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devices/memory.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "devices/layout.h"
#include "devices/reports.h"
#include "krait/async.h"
#include "runtime/async.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/product.h"

namespace krait::host {
namespace {

/// KRAIT_MEMORY_LIMIT: bytes, or a number with K, M or G behind it; 0: none.
std::int64_t limit_of_environment() {
  const char* text = support::environment_text("KRAIT_MEMORY_LIMIT");
  if (!text) return 0;
  double number = 0;
  // whatever the program's locale
  const auto [end, failed] = std::from_chars(text, text + std::strlen(text), number);
  const std::string_view unit = end;
  const int power = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (failed != std::errc() || power < 0 || !(number >= 0) || std::ldexp(number, power) > 0x1p62)
    support::fail_usage(
        "KRAIT_MEMORY_LIMIT={} is not a size: expected bytes, or a number with suffix K, M or G",
        text);
  return std::int64_t(std::ldexp(number, power));
}

}  // namespace

std::int64_t MemoryCount::limit() const {
  const std::int64_t set = limit_.load(std::memory_order_relaxed);
  return set == unset ? limit_of_environment() : set;
}

bool MemoryCount::add(std::int64_t bytes) {
  if (limit_.load(std::memory_order_relaxed) == unset) set_limit(limit_of_environment());
  const std::int64_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (const std::int64_t most = limit(); most > 0 && now > most) return remove(bytes), false;
  std::int64_t seen = peak();
  while (seen < now && !peak_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  return true;
}

namespace {

/// Calls allocate() where the limit allows so much.
template <class Allocate>
std::uint64_t counted(DeviceHandle& device, std::size_t bytes, const Allocate& allocate) {
  MemoryCount& count = device.memory;
  if (!count.add(std::int64_t(bytes)))
    support::fail_device(
        "{} ({}): out of memory: {} bytes requested, {} of the limit of {} in use; "
        "free arrays, or raise the limit (device::limit_memory, KRAIT_MEMORY_LIMIT)",
        device.id, device.name, bytes, count.used(), count.limit());
  try {
    return allocate();
  } catch (...) {
    count.remove(std::int64_t(bytes));
    throw;
  }
}

/// Whether such memory, freed in the order of this stream, may be given out again in it.
bool keeps_blocks(const DeviceHandle& device, std::size_t bytes, runtime::StreamHandle stream) {
  return bytes <= BlockCache::largest && !stream.native && device.device->frees_in_order();
}

}  // namespace

bool drop_blocks(DeviceHandle& device) {
  const std::vector<std::uint64_t> blocks = device.blocks.drain();
  for (const std::uint64_t address : blocks) device.device->free(address, {});
  return !blocks.empty();
}

std::uint64_t allocate(DeviceHandle& device, std::size_t bytes, runtime::StreamHandle stream) {
  return counted(device, bytes, [&] {
    const bool keeps = keeps_blocks(device, bytes, stream);
    if (const std::uint64_t kept = keeps ? device.blocks.take(bytes) : 0) return kept;
    const std::size_t wanted = keeps ? BlockCache::rounded(bytes) : bytes;
    try {
      return device.device->allocate(wanted, stream);
    } catch (const error&) {  // what is kept may do
      if (!drop_blocks(device)) throw;
      return device.device->allocate(wanted, stream);
    }
  });
}

std::uint64_t allocate_managed(DeviceHandle& device, std::size_t bytes) {
  return counted(device, bytes, [&] {
    runtime::Async* const async = device.device->async();
    const std::uint64_t address = async ? async->allocate_managed(bytes) : 0;
    if (!address)
      support::fail_device(
          "kr::managed: {} ({}) has no memory that the host can access: "
          "use kr::array and kr::copy_async",
          device.id, device.name);
    return address;
  });
}

void free(DeviceHandle& device, std::uint64_t address, std::size_t bytes,
          runtime::StreamHandle stream) noexcept {
  if (!keeps_blocks(device, bytes, stream) || !device.blocks.keep(address, bytes))
    device.device->free(address, stream);
  device.memory.remove(std::int64_t(bytes));
}
void free_when_idle(DeviceHandle& device, std::uint64_t address, std::size_t bytes) noexcept {
  device.device->free_when_idle(address);
  device.memory.remove(std::int64_t(bytes));
}

void share(detail::storage& memory) noexcept {
  memory.several_streams = true;
  detail::share(&memory);
}

void used_in(detail::storage& memory, StreamRecord* stream) {
  if (memory.last == stream) return;
  if (memory.last || stream) memory.several_streams = true;
  memory.last = stream;
}

runtime::StreamHandle order_of(const detail::storage& memory) {
  // A destroyed stream was drained by the back end: the default stream comes after it.
  return memory.last && memory.last->alive.load() ? memory.last->handle : runtime::StreamHandle{};
}

void wait_for(const detail::storage& memory) {
  if (memory.several_streams) memory.device->device->synchronize();
  else memory.device->device->synchronize(order_of(memory));
}

void give_back(detail::storage& memory) noexcept {
  try {
    wait_for(memory);
  } catch (...) {  // a fault of some launch: it is the error of the next call
  }
  memory.foreign.release(memory.foreign.tensor);
}

void retire(StreamRecord* record) noexcept {
  // Arrays may still point to the record, so it is marked and kept: a few bytes a stream that ever
  // existed.
  static std::mutex mutex;
  static auto* const retired = new std::vector<StreamRecord*>;
  record->alive = false;
  std::lock_guard lock(mutex);
  try {
    retired->push_back(record);
  } catch (...) {  // out of memory: the record stays allocated all the same
  }
}

}  // namespace krait::host

namespace krait::detail {

using host::DeviceHandle;

storage* allocate(void* device_handle, std::size_t bytes) {
  auto* d = static_cast<DeviceHandle*>(device_handle);
  auto s = std::make_unique<storage>();
  s->device = d, s->bytes = bytes;
  s->address = host::allocate(*d, bytes, {});
  return s.release();
}

storage* allocate_managed(void* device_handle, std::size_t bytes) {
  auto* d = static_cast<DeviceHandle*>(device_handle);
  if (d->device->host_memory()) return allocate(device_handle, bytes);
  auto s = std::make_unique<storage>();
  s->device = d, s->bytes = bytes, s->managed = true;
  s->address = host::allocate_managed(*d, bytes);
  return s.release();
}

storage* wrap_memory(void* device_handle, std::uint64_t address, std::size_t bytes) {
  if (address == 0) support::fail_usage("array::wrap got a null address for {} bytes", bytes);
  auto* s = new storage;
  s->device = static_cast<DeviceHandle*>(device_handle), s->address = address, s->bytes = bytes,
  s->owned = false;
  return s;
}

void share(storage* memory) noexcept { memory->owners.fetch_add(1, std::memory_order_relaxed); }

void release(storage* memory) noexcept {
  if (!memory || memory->owners.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (memory->managed) {
    memory->device->device->async()->free_managed(memory->address, memory->bytes);
    memory->device->memory.remove(std::int64_t(memory->bytes));
  } else if (memory->owned && memory->several_streams) {
    host::free_when_idle(*memory->device, memory->address, memory->bytes);
  } else if (memory->owned) {
    host::free(*memory->device, memory->address, memory->bytes, host::order_of(*memory));
  } else if (memory->foreign.release) {
    host::give_back(*memory);
  }
  delete memory;
}

bool can_take(const layout& of, const storage* memory) noexcept {
  for (int d = 0; d < of.rank; ++d)
    if (of.strides[d] == 0 && of.extents[d] > 1) return false;
  return !memory || (memory->owned && memory->owners.load(std::memory_order_acquire) == 1);
}

std::uint64_t address_of(const storage* memory) noexcept { return memory->address; }
void* device_of(const storage* memory) noexcept { return memory->device; }

void* allocate_host(std::size_t bytes) {
  void* p = std::malloc(bytes ? bytes : 1);
  if (!p) throw error(error::kind_type::device, "out of host memory while reading an array back");
  return p;
}
void free_host(void* memory) noexcept { std::free(memory); }

void check_shape(const std::int64_t* extents, int rank, std::size_t element_bytes) {
  auto total = std::int64_t(element_bytes);
  for (int d = 0; d < rank; ++d) {
    if (extents[d] < 0)
      support::fail_usage("an array's extent is negative: extent({}) = {}", d, extents[d]);
    // An extent of 0 does not hide the others: the strides are their products.
    if (extents[d] > 0) total = support::clipped_product(total, extents[d]);
    if (total > support::most_elements)
      support::fail_usage("an array exceeds the limit of 2^62 bytes");
  }
}

void check_same_shape(const std::int64_t* got, const std::int64_t* wanted, int rank,
                      const char* operation) {
  if (!std::equal(got, got + rank, wanted))
    support::fail_usage("{}: the array has shape {}, expected {}", operation,
                        host::shape_text(got, rank), host::shape_text(wanted, rank));
}
void check_count(std::int64_t got, std::int64_t wanted, const char* operation) {
  if (got != wanted)
    support::fail_usage("{}: the container holds {} elements, but the array holds {}", operation,
                        got, wanted);
}

}  // namespace krait::detail
