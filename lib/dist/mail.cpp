// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dist/mail.h"

#include <algorithm>

#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "dist/nccl.h"
#include "runtime/async.h"

namespace krait::dist::detail {
namespace {

using krait::detail::memory_share;

/// Where packed elements begin in memory for several: as allocations of devices do.
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Copies and carriers follow the default stream; kernels of others may still use the memory.
void wait_for_streams(const krait::detail::storage& memory) {
  if (memory.last) memory.device->device->synchronize(host::order_of(memory));
}

std::vector<Nccl::Message> messages_of(const auto& items) {
  std::vector<Nccl::Message> made;
  for (const auto& m : items) made.push_back({m.address, m.bytes, m.rank});
  return made;
}

}  // namespace

void Mail::add(std::vector<Item>& to, const elements& all, const layout& part, int rank, int tag) {
  const std::size_t bytes = std::size_t(host::size_of(part)) * all.element_bytes;
  if (bytes > 0) to.push_back({all.memory, part, all.element_bytes, bytes, rank, tag});
}
void Mail::send(const elements& all, const layout& part, int to, int tag) {
  add(out_, all, part, to, tag);
}
void Mail::receive(const elements& all, const layout& part, int from, int tag) {
  add(in_, all, part, from, tag);
}

std::uint64_t Mail::in_place(const Item& item, bool on_host) const {
  const host::DeviceHandle& device = *item.memory->device;
  const bool reached =
      on_host ? device.device->host_memory() : &device == &host::handle(of_.device());
  if (!reached || !krait::detail::is_dense(item.at, false)) return 0;
  return item.memory->address + std::uint64_t(item.at.offset) * item.element_bytes;
}

/// Memory for what is not sent in place. Elements of this rank's GPU that pass through the host are
/// packed there first.
void Mail::place() {
  const bool by_host = of_.carrier() == Carrier::Host;
  const auto* const own = &host::handle(of_.device());
  const bool has_gpu = !own->device->host_memory();
  std::size_t on_host = 0, on_device = 0;
  const auto each = [&](const auto& use) {
    for (Item& m : out_) use(m);
    for (Item& m : in_) use(m);
  };
  const auto room = [](std::size_t& all, std::size_t bytes) {
    const std::size_t at = all;
    all += aligned(bytes);
    return at;
  };
  each([&](Item& m) {
    if (by_host) m.host = reinterpret_cast<std::byte*>(in_place(m, true));
    if (by_host && !m.host) on_host += aligned(m.bytes);
    const bool packs = has_gpu && (!by_host || m.memory->device == own);
    if (packs) m.address = in_place(m, false);
    if (packs && !m.address) on_device += aligned(m.bytes);
  });
  std::byte* const host_room = on_host > 0 ? of_.scratch(on_host) : nullptr;
  const std::uint64_t device_room = on_device > 0 ? of_.device_scratch(on_device) : 0;
  on_host = on_device = 0;
  each([&](Item& m) {
    if (by_host && !m.host) m.host = host_room + room(on_host, m.bytes);
    const bool packs = has_gpu && (!by_host || m.memory->device == own);
    if (packs && !m.address) m.address = device_room + room(on_device, m.bytes);
  });
}

void Mail::gather(const Item& item) {
  if (item.address == in_place(item, false)) return wait_for_streams(*item.memory);
  const memory_share packed(
      krait::detail::wrap_memory(&host::handle(of_.device()), item.address, item.bytes));
  const layout at = krait::detail::dense(item.at.extents, item.at.rank, false);
  krait::detail::copy_elements({packed.get(), &at, item.element_bytes}, item.part());
}
void Mail::spread(const Item& item) {
  if (item.address == in_place(item, false)) return;
  const memory_share packed(
      krait::detail::wrap_memory(&host::handle(of_.device()), item.address, item.bytes));
  const layout at = krait::detail::dense(item.at.extents, item.at.rank, false);
  krait::detail::copy_elements(item.part(), {packed.get(), &at, item.element_bytes});
}

void Mail::pack(const Item& item) {
  runtime::Device& device = *host::handle(of_.device()).device;
  if (item.address) gather(item);
  if (!item.host || item.host == reinterpret_cast<std::byte*>(in_place(item, true))) return;
  if (!item.address) krait::detail::copy_to_host(item.part(), item.host);
  else if (device.async()) device.async()->copy_to_host(item.host, item.address, item.bytes, {});
  else device.copy_to_host(item.host, item.address, item.bytes, {});
}
void Mail::unpack(const Item& item) {
  runtime::Device& device = *host::handle(of_.device()).device;
  if (item.host && item.host != reinterpret_cast<std::byte*>(in_place(item, true))) {
    if (!item.address) return krait::detail::copy_from_host(item.part(), item.host);
    if (device.async()) device.async()->copy_to_device(item.address, item.host, item.bytes, {});
    else device.copy_to_device(item.address, item.host, item.bytes, {});
  }
  if (item.address) spread(item);
}

std::uint64_t Mail::packed(const elements& all) {
  send(all, *all.at, of_.rank(), 0);
  place();
  pack(out_.back());
  return out_.back().address;
}

void Mail::post(const char* name) {
  of_.open_carrier(name);
  place();
  posted_ = true;
  runtime::Device& device = *host::handle(of_.device()).device;
  for (const Item& m : in_)
    if (m.address) wait_for_streams(*m.memory);
  if (of_.carrier() == Carrier::Nccl) {
    // Without tags messages between two ranks meet in their order: that of the tags on both.
    const auto by_tag = [](const Item& a, const Item& b) { return a.tag < b.tag; };
    std::stable_sort(out_.begin(), out_.end(), by_tag);
    std::stable_sort(in_.begin(), in_.end(), by_tag);
    if (out_.empty() && in_.empty()) return;
    of_.begin_nccl(name);
    for (const Item& m : out_) pack(m);
    of_.nccl().exchange(messages_of(out_), messages_of(in_));
    return;
  }
  const auto where = [](const Item& m) {
    return m.host ? m.host : reinterpret_cast<std::byte*>(m.address);
  };
  // Kernels of earlier calls may still read the memory that an MPI writes.
  if (of_.carrier() == Carrier::Mpi) device.synchronize(runtime::StreamHandle{});
  for (const Item& m : in_) of_.receive(where(m), m.bytes, m.rank, m.tag);
  bool waits = false;
  for (const Item& m : out_) {
    pack(m);
    if (m.address) waits = true;
    else of_.send(where(m), m.bytes, m.rank, m.tag);
  }
  if (!waits) return;
  device.synchronize(runtime::StreamHandle{});
  for (const Item& m : out_)
    if (m.address) of_.send(where(m), m.bytes, m.rank, m.tag);
}

void Mail::deliver(const char* name) {
  if (!posted_) return;
  runtime::Device& device = *host::handle(of_.device()).device;
  if (of_.carrier() == Carrier::Nccl) {
    if (out_.empty() && in_.empty()) return;
    of_.pass_nccl(name);
    for (const Item& m : in_) unpack(m);
    return;  // the host goes on
  }
  of_.wait(name);
  bool waits = false;
  for (const Item& m : in_) {
    unpack(m);
    waits = waits || (m.host && m.address);  // the device reads the host's memory
  }
  if (waits) device.synchronize(runtime::StreamHandle{});
  for (const Item& m : out_) host::after_wait(*m.memory);
}

bool sum_over_ranks(job* of, const call& what, sum_type type, const elements& from,
                    const elements& to) {
  constexpr NcclType types[] = {NcclType::Byte,  NcclType::Int32,  NcclType::UInt32,
                                NcclType::Int64, NcclType::UInt64, NcclType::Float,
                                NcclType::Double};
  of->refuse_waiting(what);
  guard(of, [&] { of->open_carrier(what.name); });
  if (of->carrier() != Carrier::Nccl) return false;
  all_gather(of, what, nullptr, nullptr, 0);
  guard(of, [&] {
    const auto count = std::size_t(host::size_of(*to.at));
    if (count == 0) return;
    Mail mail(*of);
    const std::uint64_t target =
        to.memory->address + std::uint64_t(to.at->offset) * to.element_bytes;
    of->begin_nccl(what.name);
    of->nccl().sum(mail.packed(from), target, count, types[int(type)]);
    of->pass_nccl(what.name);
  });
  return true;
}

}  // namespace krait::dist::detail
