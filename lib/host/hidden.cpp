// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/hidden.h"

#include <algorithm>
#include <cstring>

#include "devices/arrivals.h"
#include "host/graph.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "devices/streams.h"
#include "ir/tiles.h"
#include "support/error.h"

namespace krait::host {
namespace {

using support::Hidden;

/// Who launches what, where.
struct Launching {
  detail::kernel_state& state;
  Specialisation& spec;
  DeviceHandle& device;
  StreamRecord* stream;
  const detail::argument* arguments;
  const std::uint64_t* addresses;
};

/// The recording's tables in the device's memory; finds them, or copies them there.
const DeviceTables& tables_on(const Launching& l) {
  const auto find_tables = [&]() -> DeviceTables* {
    for (DeviceTables* t = l.spec.tables.load(std::memory_order_acquire); t; t = t->next)
      if (t->device == &l.device) return t;
    return nullptr;
  };
  if (const DeviceTables* t = find_tables()) return *t;
  std::lock_guard lock(l.state.mutex);
  if (const DeviceTables* t = find_tables()) return *t;
  const auto release = [](std::vector<detail::storage*>* all) {
    for (detail::storage* memory : *all) detail::release(memory);
    delete all;
  };
  const std::shared_ptr<std::vector<detail::storage*>> memory(new std::vector<detail::storage*>,
                                                              release);
  for (const trace::Table& t : l.spec.recorded.tables) {
    memory->push_back(nullptr);
    if (t.bytes.empty()) continue;
    memory->back() = detail::allocate(&l.device, t.bytes.size());
    l.device.device->copy_to_device(memory->back()->address, t.bytes.data(), t.bytes.size(), {});
    // freed after the device is idle: launches of all threads use it, and note nothing
    memory->back()->several_streams = true;
  }
  auto* fresh = new DeviceTables{&l.device, memory, l.spec.tables.load()};
  l.spec.tables.store(fresh, std::memory_order_release);
  return *fresh;
}

// ---- one per kind -------------------------------------------------------------------------------

HiddenValue bind_Table(const Launching& l, std::uint32_t index, HiddenArguments& all) {
  const DeviceTables& tables = tables_on(l);
  all.keeps = tables.memory;
  const detail::storage* memory = tables.memory->at(index);
  return {memory ? memory->address : 0, l.spec.recorded.tables[index].count()};
}

ReportedLaunch& reports_to(const Launching& l, HiddenArguments& all) {
  if (!all.reports) all.reports = std::make_unique<ReportedLaunch>(l.device, known_as(l.stream));
  return *all.reports;
}

HiddenValue bind_Reports(const Launching& l, std::uint32_t, HiddenArguments& all) {
  graph::state* const open = open_graph();
  return {open ? open->reports_on(l.device) : reports_to(l, all).address(), Reports::words()};
}

HiddenValue bind_KernelNumber(const Launching& l, std::uint32_t, HiddenArguments& all) {
  const graph::state* const open = open_graph();
  return {open ? open->reporting.size() + 1 : reports_to(l, all).number()};
}

HiddenValue bind_TileMap(const Launching& l, std::uint32_t index, HiddenArguments& all) {
  const support::TileMapOf which(index);
  const detail::argument& a = l.arguments[which.param];
  const support::TiledArray of =
      tiled_array(which, l.addresses[which.param], std::span(a.extents, a.rank),
                  unsigned(l.spec.parameters[which.param].elem_bytes));
  all.maps.emplace_front().fill({});
  std::memcpy(all.maps.front().data(), &of, sizeof of);
  return {reinterpret_cast<std::uint64_t>(all.maps.front().data())};
}

HiddenValue bind_Arrivals(const Launching& l, std::uint32_t, HiddenArguments&) {
  return {arrivals_of(l.device).next(), 1};
}

using Binder = HiddenValue (*)(const Launching&, std::uint32_t, HiddenArguments&);
constexpr Binder binders[] = {
#define KRAIT_HIDDEN(Name, ...) bind_##Name,
#include "support/hidden.def"
};

}  // namespace

support::TiledArray tiled_array(support::TileMapOf which, std::uint64_t address,
                                std::span<const std::int64_t> extents, unsigned elem_bytes) {
  const bool pieces = extents.back() * elem_bytes % ir::piece_bytes == 0;
  const bool any =
      std::all_of(extents.begin(), extents.end(), [](std::int64_t n) { return n > 0; });
  support::TiledArray of;
  if (!pieces || !any) return of;
  of.address = address, of.rank = std::uint32_t(extents.size()), of.elem_bytes = elem_bytes;
  std::copy(extents.begin(), extents.end(), of.extents);
  of.rows = which.rows, of.columns = ir::strip_bytes / elem_bytes;
  return of;
}

HiddenArguments bind_hidden(const Compiled& code, detail::kernel_state& state, Specialisation& spec,
                            DeviceHandle& device, StreamRecord* stream,
                            const detail::argument* arguments, const std::uint64_t* addresses) {
  HiddenArguments all;
  for (const Hidden& what : code.layout.hidden)
    all.values.push_back(binders[unsigned(what.kind)](
        {state, spec, device, stream, arguments, addresses}, what.index, all));
  return all;
}

}  // namespace krait::host
