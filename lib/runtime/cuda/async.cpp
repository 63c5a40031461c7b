// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/async.h"

#include "runtime/cuda/current.h"
#include "support/error.h"

namespace krait::runtime::cuda {

void CudaAsync::free_waiting() {
  {
    const std::lock_guard lock(device_.when_idle_gate_);
    if (device_.when_idle_.empty()) return;
  }
  device_.wait_and_free();
}

void CudaAsync::leave(unsigned char kind, Address address) noexcept {
  try {
    const std::lock_guard lock(device_.when_idle_gate_);
    device_.when_idle_.push_back({CudaDevice::Idle::Kind(kind), address});
  } catch (...) {  // the list could not grow: the memory stays until the process ends
  }
}

void* CudaAsync::allocate_pinned(std::size_t bytes) {
  const CudaDevice::Current current(device_);
  free_waiting();
  constexpr unsigned portable = 1;  // CU_MEMHOSTALLOC_PORTABLE: for every GPU
  void* memory = nullptr;
  device_.check(device_.api_.mem_host_alloc(&memory, bytes, portable), "allocating pinned memory");
  return memory;
}

bool CudaAsync::free_pinned(void* memory) noexcept {
  leave(CudaDevice::Idle::Pinned, reinterpret_cast<Address>(memory));
  return true;
}

std::uint64_t CudaAsync::allocate_managed(std::size_t bytes) {
  const CudaDevice::Current current(device_);
  free_waiting();
  int able = 0;
  device_.check(device_.api_.device_attribute(&able, ManagedMemory, device_.device_),
                "reading the device's attributes");
  if (!able) return 0;
  constexpr unsigned global = 1;  // CU_MEM_ATTACH_GLOBAL: for every stream
  Address address = 0;
  device_.check(device_.api_.mem_alloc_managed(&address, bytes, global),
                "allocating managed memory");
  managed_.fetch_add(std::int64_t(bytes), std::memory_order_relaxed);
  return address;
}

void CudaAsync::free_managed(std::uint64_t address, std::size_t bytes) noexcept {
  managed_.fetch_sub(std::int64_t(bytes), std::memory_order_relaxed);
  leave(CudaDevice::Idle::Managed, address);
}

StreamHandle CudaAsync::create_stream(Priority rank) {
  const CudaDevice::Current current(device_);
  int least = 0, greatest = 0;
  device_.check(device_.api_.stream_priorities(&least, &greatest),
                "reading the device's priorities");
  const int number = rank == Priority::High ? greatest : rank == Priority::Low ? least : 0;
  Stream s = nullptr;
  device_.check(device_.api_.stream_create_ranked(&s, 0, number), "creating a stream");
  return {s};
}

StreamHandle CudaAsync::create_stream_apart() {
  const CudaDevice::Current current(device_);
  int least = 0, greatest = 0;
  device_.check(device_.api_.stream_priorities(&least, &greatest),
                "reading the device's priorities");
  constexpr unsigned apart = 1;  // CU_STREAM_NON_BLOCKING
  Stream s = nullptr;
  device_.check(device_.api_.stream_create_ranked(&s, apart, greatest), "creating a stream");
  return {s};
}

bool CudaAsync::is_done(EventHandle event) {
  const CudaDevice::Current current(device_);
  const Result r = device_.api_.event_query(event.native);
  if (r != NotReady) device_.check(r, "asking for an event");
  return r != NotReady;
}

std::string CudaAsync::hardware() {
  UniqueId id;
  device_.check(device_.api_.device_id(&id, device_.device_), "reading the device's number");
  return std::string(id.bytes, sizeof id.bytes);
}

void CudaAsync::in_context(krait::detail::function_ref<void()> f) {
  const CudaDevice::Current current(device_);
  f();
}

bool CudaAsync::call_host(void (*function)(void*), void* with, StreamHandle stream) {
  const CudaDevice::Current current(device_);
  device_.check(device_.api_.launch_host(stream.native, function, with),
                "calling the host from a stream");
  return true;
}

void CudaAsync::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes,
                               StreamHandle stream) {
  const CudaDevice::Current current(device_);
  device_.check(device_.api_.copy_to_device(to, from, bytes, stream.native),
                "copying to the device");
}

void CudaAsync::copy_to_host(void* to, std::uint64_t from, std::size_t bytes, StreamHandle stream) {
  const CudaDevice::Current current(device_);
  device_.check(device_.api_.copy_to_host(to, from, bytes, stream.native), "copying to the host");
}

bool CudaAsync::is_peer(Device& other) const {
  return dynamic_cast<CudaDevice*>(&other) != nullptr;
}

void CudaAsync::copy_between(const Place& to, const Place& from, std::size_t bytes,
                             StreamHandle stream) {
  auto &target = static_cast<CudaDevice&>(to.device),
       &source = static_cast<CudaDevice&>(from.device);
  open_way(&target == &device_ ? source : target);
  const Context context_to = target.context(), context_from = source.context();
  const CudaDevice::Current current(device_);
  device_.check(device_.api_.copy_peer(to.address, context_to, from.address, context_from, bytes,
                                       stream.native),
                "copying between devices");
}

void CudaAsync::open_way(CudaDevice& other) {
  const std::lock_guard lock(peers_gate_);
  if (!peers_.insert(&other).second) return;
  open_one_way(device_, other);
  open_one_way(other, device_);
}

/// Where it fails, the driver copies through the host.
void CudaAsync::open_one_way(CudaDevice& reader, CudaDevice& owner) {
  const DriverApi& api = reader.api_;
  int able = 0;
  if (api.can_access_peer(&able, reader.device_, owner.device_) != 0 || !able) return;
  const Context context_of_owner = owner.context();
  const CudaDevice::Current current(reader);
  api.enable_peer(context_of_owner, 0);  // a neighbour may have done so before
  PoolAccess access;
  access.device = reader.device_;
  if (owner.pool_) api.pool_access(owner.pool_, &access, 1);
}

}  // namespace krait::runtime::cuda
