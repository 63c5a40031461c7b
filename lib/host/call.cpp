// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call: choose the device, find the code, pack the argument block, launch, copy back.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "host/graph.h"
#include "host/hidden.h"
#include "host/kernel_state.h"
#include "host/observer.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "devices/reports.h"
#include "devices/streams.h"
#include "devices/tracing.h"
#include "support/error.h"
#include "support/log.h"
#include "support/product.h"
#include "support/tuning/gpu.h"

namespace krait::host {
namespace {

using detail::argument;
using detail::call_config;
using detail::kernel_state;
using detail::signature;

constexpr std::uint32_t max_block_bytes = max_by_value + 4096;  // with the views

DeviceHandle& choose(const argument* arguments, const Specialisation& spec,
                     const call_config* config) {
  const std::string& what = spec.recorded.what;
  auto* const asked = static_cast<DeviceHandle*>(config ? config->device : nullptr);
  DeviceHandle* device = asked;
  for (const unsigned i : spec.arrays) {
    if (arguments[i].kind != argument::device_array || !arguments[i].memory) continue;
    DeviceHandle* d = arguments[i].memory->device;
    if (asked && d != asked)
      support::fail_usage(
          "{}: the call is to run on {}, but its arrays are on {}: "
          "copy them to that device (copy_from)",
          what, asked->id, d->id);
    if (device && device != d)
      support::fail_usage(
          "{}: one call uses arrays on {} and on {}: copy one of them to the other's device "
          "(copy_from)",
          what, device->id, d->id);
    device = d;
  }
  if (config && config->form == call_config::numbers)
    return device ? *device : Devices::get().cpu();
  if (config && config->on) {
    DeviceHandle& d = handle(config->on->on());
    if (device && device != &d)
      support::fail_usage(
          "{}: the stream belongs to {}, but the arrays are on {}: use a stream of that device",
          what, d.id, device->id);
    return d;
  }
  return device ? *device : Devices::get().default_device();
}

/// Bytes from the first element of a host container to behind the last; its strides are not
/// negative.
std::uint64_t reach(const argument& a, std::uint64_t elem_bytes) {
  return std::uint64_t(reach_of(a.extents, a.strides, a.rank, std::int64_t(elem_bytes)).end);
}

/// The arguments as the device sees them; owns what was copied in for the launch.
struct Bound {
  struct Copied {               // host memory that is on the device for the call
    std::uintptr_t begin, end;  // on the host
    std::uint64_t address;      // on the device, of `begin`
    unsigned containers;        // whose memory it is
    bool output;                // of an element-wise call: written whole, so nothing is copied in
  };

  DeviceHandle& device;
  runtime::StreamHandle stream;
  const Specialisation& spec;
  // Of the parameters that are arrays; launches have many numbers, and this is all that they cost.
  std::uint64_t address[ir::max_given_params];
  // stays empty, and allocates nothing, without host containers on a GPU
  std::vector<Copied> copies;
  std::vector<std::pair<std::uint64_t, std::size_t>> owned;  // addresses on the device and sizes
  bool in_place = false;                                     // the host's memory is used as it is

  Bound(DeviceHandle& d, runtime::StreamHandle s, const Specialisation& of)
      : device(d), stream(s), spec(of) {}
  ~Bound() {
    for (const auto& [at, bytes] : owned) free(device, at, bytes, stream);
  }
};

bool is_copied(const argument& a, const Specialisation& spec, unsigned i) {
  return a.kind == argument::host && (spec.reads[i] || spec.writes[i]) &&
         reach(a, spec.parameters[i].elem_bytes) > 0;
}

/// Containers that overlap, or are one, are one memory on the device too: what is written through
/// one is seen through the other. The outputs of an element-wise call are others than its inputs:
/// no element is read after it was written.
void copy_in(Bound& bound, const argument* arguments) {
  const Specialisation& spec = bound.spec;
  for (const unsigned i : spec.arrays) {
    if (!is_copied(arguments[i], spec, i)) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(arguments[i].data);
    Bound::Copied own{begin, begin + reach(arguments[i], spec.parameters[i].elem_bytes), 0, 1,
                      spec.parameters[i].output};
    std::erase_if(bound.copies, [&](const Bound::Copied& other) {
      if (other.output != own.output || other.begin >= own.end || own.begin >= other.end)
        return false;
      own.begin = std::min(own.begin, other.begin), own.end = std::max(own.end, other.end);
      own.containers += other.containers;
      return true;
    });
    bound.copies.push_back(own);
  }
  for (Bound::Copied& c : bound.copies) {
    // each keeps the alignment that it has on the host
    const std::size_t shift = c.containers > 1 ? c.begin % 16 : 0;
    const std::size_t bytes = c.end - c.begin;
    const std::uint64_t at = allocate(bound.device, bytes + shift, bound.stream);
    bound.owned.emplace_back(at, bytes + shift);
    c.address = at + shift;
    // What is written in part keeps its other elements, so it is copied in even where nothing reads
    // it.
    if (!c.output)
      bound.device.device->copy_to_device(c.address, reinterpret_cast<const void*>(c.begin), bytes,
                                          bound.stream);
  }
  for (const unsigned i : spec.arrays) {
    if (!is_copied(arguments[i], spec, i)) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(arguments[i].data);
    const auto holds = [&](const Bound::Copied& c) {
      return c.output == spec.parameters[i].output && c.begin <= begin && begin < c.end;
    };
    const Bound::Copied& c = *std::find_if(bound.copies.begin(), bound.copies.end(), holds);
    bound.address[i] = c.address + (begin - c.begin);
  }
}

void bind(Bound& bound, const argument* arguments) {
  const bool reaches_host = bound.device.device->reaches_host();
  bool on_host = false;
  for (const unsigned i : bound.spec.arrays) {
    const argument& a = arguments[i];
    bound.address[i] = 0;
    if (a.kind == argument::device_array)
      bound.address[i] = a.memory ? a.memory->address + a.offset : 0;
    else if (reaches_host)
      bound.address[i] = reinterpret_cast<std::uint64_t>(a.data), bound.in_place = true;
    else on_host = true;
  }
  if (on_host) copy_in(bound, arguments);
}

void copy_back(const Bound& bound, const argument* arguments) {
  for (const unsigned i : bound.spec.arrays)
    if (bound.spec.writes[i] && is_copied(arguments[i], bound.spec, i))
      bound.device.device->copy_to_host(arguments[i].data, bound.address[i],
                                        reach(arguments[i], bound.spec.parameters[i].elem_bytes),
                                        bound.stream);
}

/// Whether the threads of each dimension number less than 2^31 - room; where we choose the grid,
/// with as much for the last block.
bool is_small(const call_config& c) {
  constexpr std::int64_t limit = (std::int64_t(1) << 31) - ir::Facts::room;
  if (c.form != call_config::grid_block) return c.count < limit - ir::Facts::room;
  const auto fits = [](std::int64_t blocks, std::int64_t threads) {
    return support::clipped_product(blocks, threads) < limit;
  };
  return fits(c.grid.x, c.block.x) && fits(c.grid.y, c.block.y) && fits(c.grid.z, c.block.z);
}

/// Whether all threads of a launch have room on an NVIDIA device at once, each with half of the
/// registers that it may take. Such a launch gains nothing by code of few registers, and may have
/// more loads under way.
bool is_resident(const call_config& c, const DeviceHandle& device) {
  const std::int64_t threads =
      c.form != call_config::grid_block
          ? c.count
          : support::clipped_product(c.grid.x, c.grid.y, c.grid.z,
                                     support::clipped_product(c.block.x, c.block.y, c.block.z));
  return threads <= device.device->limits().multiprocessors * tuning::gpu::resident_threads;
}

/// Whether elements of array `i` may lie among those of another.
bool meets_another(const Bound& bound, const argument* arguments, unsigned i) {
  const auto bytes_of = [&](unsigned k) {
    const argument& a = arguments[k];
    const Reach r = reach_of(a.extents, a.strides, a.rank, bound.spec.parameters[k].elem_bytes);
    return std::pair{std::int64_t(bound.address[k]) + r.begin,
                     std::int64_t(bound.address[k]) + r.end};
  };
  const auto [begin, end] = bytes_of(i);
  for (const unsigned j : bound.spec.arrays) {
    if (j == i) continue;
    const auto [other, other_end] = bytes_of(j);
    if (begin < other_end && other < end) return true;
  }
  return false;
}

ir::Facts facts_of(const argument* arguments, const Bound& bound, const call_config& config) {
  const Specialisation& spec = bound.spec;
  if (spec.recorded.raw) return {};  // its code takes any call
  constexpr std::int64_t limit = (std::int64_t(1) << 31) - ir::Facts::room;
  ir::Facts f{true, true, is_small(config), true};
  f.aligned_rows = spec.asks_for_rows;
  f.dense_rows = true;
  for (const unsigned i : spec.arrays) {
    const argument& a = arguments[i];
    std::int64_t stride = 1;
    const int last = a.rank - 1;
    if (last >= 0 && a.extents[last] != 1 && a.strides[last] != 1) f.dense_rows = false;
    for (int d = a.rank - 1; d >= 0; --d) {
      if (a.extents[d] != 1 && a.strides[d] != stride) f.contiguous = false;
      stride *= a.extents[d];
      if (a.extents[d] >= limit) f.small = false;
    }
    if (stride >= limit) f.small = false;
    // What strides reach may be far more than the elements.
    if (!f.contiguous)
      if (const Reach r = reach_of(a.extents, a.strides, a.rank, 1);
          r.end > limit || r.begin < -limit)
        f.small = false;
    if (bound.address[i] % 16 != 0) f.aligned = false;
    if (a.rank > 1 && a.extents[a.rank - 1] * spec.parameters[i].elem_bytes % 16 != 0)
      f.aligned_rows = false;
    if (spec.writes[i] && meets_another(bound, arguments, i)) f.disjoint = false;
  }
  // On the CPU vector loads do not ask for alignment, on others rows may be of any length: fewer
  // variants.
  const support::TargetInfo& target = support::info(bound.device.target.kind);
  f.aligned &= target.aligned;
  f.aligned_rows &= f.aligned && f.contiguous;
  f.dense_rows &= !f.contiguous;
  f.resident = spec.asks_for_registers && bound.device.target.kind == support::TargetKind::Ptx &&
               is_resident(config, bound.device);
  if (target.blocks) {
    if (spec.asks_for_block && config.form == call_config::grid_block)
      f.set_block(config.block.x, config.block.y, config.block.z);
    else f.whole_rows = f.one_row = spec.asks_for_block;
  }
  return f;
}

/// What a first launch's code may cost. On the CPU quick code runs at about half the speed of the
/// best, so a long launch is better compiled well at once: the limit, in operations of all its
/// threads, is about ten milliseconds of two cores with AVX2, what quick code saves of a kernel's
/// compilation. A GPU takes long for no launch that is worth a thought here.
Effort effort_of(const Specialisation& spec, const DeviceHandle& device, const argument* arguments,
                 const call_config& config) {
  constexpr double long_launch = 1e9, most_trips = 1e9;
  if (!has_tiers(device) || spec.recorded.raw) return Effort::Best;
  if (device.target.kind != support::TargetKind::Cpu) return Effort::Quick;
  const auto volume = [](const dims& d) { return double(d.x) * double(d.y) * double(d.z); };
  double threads = config.form == call_config::grid_block
                       ? volume(config.grid) * volume(config.block)
                       : double(config.count);
  if (spec.strides)
    for (const unsigned i : spec.arrays) {
      double elements = 1;
      for (unsigned d = 0; d < arguments[i].rank; ++d) elements *= double(arguments[i].extents[d]);
      threads = std::max(threads, elements);
    }
  const std::vector<trace::Table>& tables = spec.recorded.tables;  // what is hidden in a recording
  const auto number = [&](std::uint32_t parameter, std::uint32_t dimension) {
    if (parameter >= spec.parameters.size())
      return double(tables[parameter - spec.parameters.size()].count());
    const argument& a = arguments[parameter];
    if (dimension != ir::Work::Loop::value) return double(a.extents[dimension]);
    return std::clamp(double(std::int32_t(a.bits)), 0.0, most_trips);
  };
  return threads * ir::operations(spec.work, number) < long_launch ? Effort::Quick : Effort::Best;
}

/// Of shared arrays that are sized at launch.
ir::SharedLengths::Sizes shared_sizes(const Compiled& code, const Specialisation& spec,
                                      const argument* arguments, const HiddenArguments& hidden,
                                      runtime::LaunchRequest& r) {
  ir::SharedLengths::Sizes sizes;
  if (code.lengths.count() == 0) return sizes;
  std::vector<ir::Argument> values(spec.parameters.size());
  for (unsigned i = 0; i < spec.parameters.size(); ++i) {
    values[i].bits = arguments[i].bits;
    if (spec.parameters[i].rank == 0 && spec.parameters[i].elem_bytes)
      values[i].data = static_cast<std::byte*>(arguments[i].data);
    if (spec.parameters[i].rank == 0) continue;
    for (unsigned d = 0; d < spec.parameters[i].rank; ++d)
      values[i].extents[d] = arguments[i].extents[d],
      values[i].strides[d] = arguments[i].strides[d];
  }
  for (const HiddenValue& h : hidden.values) {
    ir::Argument& a = values.emplace_back();
    a.bits = h.bits, a.extents[0] = h.count, a.strides[0] = 1;
  }
  sizes = code.lengths.at({r.grid, r.block}, values);
  if (!sizes.wrong.empty()) support::fail_usage("{}: {}", spec.recorded.what, sizes.wrong);
  r.dynamic_shared = sizes.total;
  for (std::size_t i = 0; i < sizes.bytes.size(); ++i)
    r.shared_bytes[i] = std::uint32_t(sizes.bytes[i]);
  return sizes;
}

/// From 1 to the limit in each dimension.
bool fits(const dims& d, const runtime::Dim3& limit) {
  const auto in = [](std::int64_t n, std::int64_t most) {
    return std::uint64_t(n - 1) < std::uint64_t(most);
  };
  return in(d.x, limit[0]) && in(d.y, limit[1]) && in(d.z, limit[2]);
}

void check_dims(const dims& d, const char* what, const runtime::Dim3& limit,
                const kernel_state& state, const DeviceHandle& device) {
  const std::int64_t given[] = {d.x, d.y, d.z};
  for (int i = 0; i < 3; ++i) {
    if (given[i] < 0)
      support::fail_usage("{}: the {} is negative: {} x {} x {}", describe(state), what, d.x, d.y,
                          d.z);
    if (given[i] > limit[std::size_t(i)])
      support::fail_usage("{}: the {} {} x {} x {} exceeds the limit of {}: {} x {} x {}",
                          describe(state), what, d.x, d.y, d.z, device.id, limit[0], limit[1],
                          limit[2]);
  }
}

/// Refuses what no code for the device could run, before any is made for it.
void check_launch(const kernel_state& state, const call_config& c, const DeviceHandle& device,
                  const ir::Bounds& bounds) {
  const dims& fixed = state.fixed_block;
  if (fixed.x > 0 && (c.form != call_config::grid_block || !(c.block == fixed)))
    support::fail_usage(
        "{}: the kernel is made for blocks of {} x {} x {} threads: "
        "launch it with a grid and this block",
        describe(state), fixed.x, fixed.y, fixed.z);
  const dims& cluster = state.with.cluster;
  const bool whole =
      cluster.x == 0 || (c.form == call_config::grid_block && c.grid.x % cluster.x == 0 &&
                         c.grid.y % cluster.y == 0 && c.grid.z % cluster.z == 0);
  if (!whole)
    support::fail_usage(
        "{}: the kernel has clusters of {} x {} x {} blocks: "
        "launch it with a block and a grid of whole clusters",
        describe(state), cluster.x, cluster.y, cluster.z);
  if (c.form != call_config::grid_block) {
    if (c.count < 0)
      support::fail_usage("{}: forall needs 0 threads or more, not {}", describe(state), c.count);
    return;
  }
  const runtime::Device::Limits limits = device.device->limits();
  const std::int64_t in_block = support::clipped_product(c.block.x, c.block.y, c.block.z);
  const std::int64_t all = support::clipped_product(c.grid.x, c.grid.y, c.grid.z, in_block);
  if (fits(c.grid, limits.grid) && fits(c.block, limits.block) && in_block <= limits.threads &&
      (!bounds.threads || in_block <= bounds.threads) && all <= support::most_elements)
    return;
  // Nothing to run, or what is wrong.
  check_dims(c.grid, "grid", limits.grid, state, device);
  check_dims(c.block, "block", limits.block, state, device);
  // A grid of 0 blocks is what no elements need; a block of 0 threads is a mistake, as of 1024 / n
  // or a setting that nobody set.
  if (c.block.x == 0 || c.block.y == 0 || c.block.z == 0)
    support::fail_usage(
        "{}: the block {} x {} x {} has no threads: it needs at least 1 in each dimension",
        describe(state), c.block.x, c.block.y, c.block.z);
  if (in_block > limits.threads)
    support::fail_usage(
        "{}: a block of {} x {} x {} threads exceeds the limit of {} threads per block on {}",
        describe(state), c.block.x, c.block.y, c.block.z, limits.threads, device.id);
  if (bounds.threads && in_block > bounds.threads)
    support::fail_usage(
        "{}: a block of {} x {} x {} threads exceeds the kernel's own limit: "
        "its option max_threads is {}",
        describe(state), c.block.x, c.block.y, c.block.z, bounds.threads);
  if (all > support::most_elements)
    support::fail_usage("{}: the launch has more than 2^62 threads", describe(state));
}

/// Of a launch that check_launch lets through. False: nothing to run.
bool shape(runtime::LaunchRequest& r, const kernel_state& state, const call_config& c,
           const Compiled& code, const DeviceHandle& device, const ir::Bounds& bounds) {
  if (c.form != call_config::grid_block) {
    if (c.count == 0) return false;
    const runtime::Device::Limits limits = device.device->limits();
    const bool elements = c.form == call_config::elements;
    std::int64_t block =
        std::min<std::int64_t>(code.code->suggested_block(elements), limits.threads);
    if (bounds.threads) block = std::min<std::int64_t>(block, bounds.threads);
    const std::int64_t threads = (c.count - 1) / code.elements + 1;
    const std::int64_t blocks = (threads - 1) / block + 1;
    if (blocks > limits.grid[0] && code.elements == 1 && c.form == call_config::threads)
      support::fail_usage(
          "{}: {} threads need {} blocks, but {} takes at most {}: use a grid-stride loop",
          describe(state), c.count, blocks, device.id, limits.grid[0]);
    r.block = {block, 1, 1}, r.grid = {std::min(blocks, limits.grid[0]), 1, 1};
    r.one_trip = elements && blocks <= limits.grid[0];
    return true;
  }
  if (c.grid.x == 0 || c.grid.y == 0 || c.grid.z == 0) return false;
  r.grid = {c.grid.x, c.grid.y, c.grid.z}, r.block = {c.block.x, c.block.y, c.block.z};
  return true;
}

bool may_report(const Compiled& code) {
  const auto of_reports = [](const support::Hidden& h) {
    return h.kind == support::HiddenKind::Reports;
  };
  return std::any_of(code.layout.hidden.begin(), code.layout.hidden.end(), of_reports);
}

std::vector<ArrayUse> uses_of(const Specialisation& spec, const argument* arguments) {
  std::vector<ArrayUse> uses;
  for (const unsigned i : spec.arrays)
    if (arguments[i].kind == argument::device_array && arguments[i].memory)
      uses.push_back({number_of(*arguments[i].memory), spec.writes[i]});
  return uses;
}

/// A call has waited for its own launch, for its thread's in the stream, and for those that wrote
/// its arrays.
void after_call(const Bound& bound, const argument* arguments, StreamRecord* stream,
                std::uint64_t own) {
  std::vector<std::uint64_t> arrays;
  DeviceHandle& device = bound.device;
  // else there is nothing to find by them
  if (device.errors.any() || device.reports.load(std::memory_order_acquire))
    for (const ArrayUse& use : uses_of(bound.spec, arguments)) arrays.push_back(use.array);
  after_wait(
      device,
      {.what = Wait::For::Arrays, .stream = known_as(stream), .arrays = arrays, .launch = own});
}

void observe(const Bound& bound, const argument* arguments, const runtime::LaunchRequest& request,
             const runtime::Executable& code, const call_config& config) {
  std::vector<std::uint64_t> copied(bound.spec.parameters.size());
  if (!bound.owned.empty())
    for (const unsigned i : bound.spec.arrays)
      if (is_copied(arguments[i], bound.spec, i))
        copied[i] = reach(arguments[i], bound.spec.parameters[i].elem_bytes);
  hint_at({bound.spec, bound.device, arguments, request, code,
           config.form == call_config::grid_block, copied});
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void call(kernel_state* state, const void* lambda, const signature& as, const argument* arguments,
          const call_config& config) {
  if (!state) support::fail_usage("a moved-from kernel object is called");
  if (recording_active())
    support::fail_usage(
        "{} is called while another kernel is being recorded: kernels cannot launch kernels; "
        "call a vectorised function on traced values, or an ordinary C++ function, instead",
        describe(*state));
  const HostSpan span("call", state->name);
  Specialisation& spec = specialise(*state, lambda, as, arguments);
  StreamRecord* stream = config.on ? record_of(*config.on) : nullptr;
  if (config.on && !stream)
    support::fail_usage("{} is launched into a moved-from stream", describe(*state));
  DeviceHandle& device = choose(arguments, spec, &config);
  runtime::LaunchRequest request;
  if (stream) request.stream = stream->handle;

  const ir::Bounds& bounds = spec.recorded.module.kernel().bounds;
  check_launch(*state, config, device, bounds);
  Bound bound(device, request.stream, spec);
  bind(bound, arguments);
  const ir::Facts facts = facts_of(arguments, bound, config);
  graph::state* const open = open_graph();
  // a graph keeps the code that it has
  const Effort at_least = open ? Effort::Best : Effort::Quick;
  const Compiled* found = find_code(spec, device, facts, at_least);
  const Compiled& code =
      found ? *found
            : code_for(*state, spec, device, facts,
                       at_least == Effort::Best ? Effort::Best
                                                : effort_of(spec, device, arguments, config));
  if (!shape(request, *state, config, code, device, bounds)) return;

  alignas(16) std::byte block[max_block_bytes + Packing::slack];
  if (code.layout.size > max_block_bytes)
    support::fail_usage("{}: the arguments need {} bytes; the limit is {}", spec.recorded.what,
                        code.layout.size, max_block_bytes);
  HiddenArguments hidden =
      bind_hidden(code, *state, spec, device, stream, arguments, bound.address);
  const ir::SharedLengths::Sizes sizes = shared_sizes(code, spec, arguments, hidden, request);
  code.packing.pack(block, {arguments, bound.address, hidden.values.data(), sizes.lengths});
  request.args = block, request.args_size = code.layout.size;
  if (open) {
    const bool host = std::any_of(arguments, arguments + as.count,
                                  [](const argument& a) { return a.kind == argument::host; });
    std::shared_ptr<const Compiled> owner = owner_of(*state, spec, code);
    if (hidden.keeps) {  // the graph keeps it alive together with the code
      const auto both =
          std::make_shared<std::pair<std::shared_ptr<const Compiled>, std::shared_ptr<const void>>>(
              owner, hidden.keeps);
      owner = {both, both->first.get()};
    }
    open->add(device, std::move(owner), request, host, spec.recorded.what);
    if (may_report(code)) {
      const Origin of{.arrays = uses_of(spec, arguments)};  // each replay has its own
      open->reporting.push_back({spec.recorded.reports, std::make_shared<const Origin>(of)});
    }
    for (const unsigned i : spec.arrays) {
      if (!arguments[i].memory) continue;
      open->keep(*arguments[i].memory);
      if (spec.writes[i]) open->written.insert(arguments[i].memory);
    }
    return;
  }
  if (hinting() == Hinting::All) observe(bound, arguments, request, *code.code, config);
  code.launches.fetch_add(1, std::memory_order_relaxed);
  for (const unsigned i : spec.arrays)
    if (arguments[i].kind == argument::device_array && arguments[i].memory)
      used_in(*arguments[i].memory, stream);
  const runtime::Dim3 &grid = request.grid, &threads = request.block;
  support::log_debug("launch {} on {}: grid {} x {} x {}, block {} x {} x {}", state->name,
                     device.id, grid[0], grid[1], grid[2], threads[0], threads[1], threads[2]);
  const DeviceSpan on_device(device, request.stream, state->name);
  const bool waits = !bound.owned.empty() || (bound.in_place && !device.device->host_memory());
  std::uint64_t own = 0;  // the launch's number where the call waits for it
  if (hidden.reports) {
    Origin of{.stream = known_as(stream),
              .order = device.errors.next(),
              .arrays = uses_of(spec, arguments)};
    of.own = waits || debug_mode() || device.device->host_memory();
    if (of.own) own = of.order;
    hidden.reports->run({spec.recorded.reports, std::make_shared<const Origin>(std::move(of))},
                        [&] { device.device->launch(*code.code, request); });
  } else {
    device.device->launch(*code.code, request);
  }
  if (!bound.owned.empty()) copy_back(bound, arguments);
  if (waits) device.device->synchronize(request.stream);
  if (waits) after_call(bound, arguments, stream, own);
  else if (own)
    after_wait(device, {.what = Wait::For::Launch, .stream = known_as(stream), .launch = own});
}

void refuse_number(const kernel_state* state, unsigned parameter, scalar type, bool negative,
                   std::uint64_t bits) {
  const auto s = ir::Scalar(type);
  const unsigned width = 8 * ir::size_of(s);
  const bool has_sign = ir::is_signed_int(s);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - width + unsigned(has_sign));
  const std::string least = has_sign ? std::to_string(-std::int64_t(largest) - 1) : "0";
  const std::string value = negative ? std::to_string(std::int64_t(bits)) : std::to_string(bits);
  const std::string wide = fmt::format("std::{}int{}_t", has_sign ? "" : "u", width);
  const std::string name = width != 32 ? wide : has_sign ? "int" : "unsigned";
  support::fail_usage(
      "{}: {} is passed for parameter {}, a kr::value<{}>, which holds {} to {}: "
      "pass a number in that range, convert it explicitly, or declare a wider parameter",
      state ? describe(*state) : "a kernel", value, parameter, name, least, largest);
}

void* choose_device(const argument* arguments, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (arguments[i].kind == argument::device_array && arguments[i].memory)
      return arguments[i].memory->device;
  return &Devices::get().default_device();
}

}  // namespace krait::detail
