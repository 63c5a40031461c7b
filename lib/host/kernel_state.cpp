// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/kernel_state.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "cache/entry.h"
#include "devices/background.h"
#include "host/lines.h"
#include "devices/memory.h"
#include "host/pack.h"
#include "host/pack_kernels.h"
#include "host/report_sites.h"
#include "devices/tracing.h"
#include "ir/calls.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "ir/weight.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/log.h"
#include "support/tuning/passes.h"
#include "trace/own.h"
#include "trace/trace.h"

namespace krait::host {
namespace {

bool checked_by_environment() { return support::environment_asks("KRAIT_CHECK"); }

std::string place_of(const detail::kernel_state& state) {
  return state.where.file && state.where.line
             ? fmt::format("{}:{}", state.where.file, state.where.line)
             : "";
}

/// Its name and where it was made.
std::string named(const detail::kernel_state& state) {
  const std::string place = place_of(state);
  return place.empty() ? state.name : fmt::format("{} ({})", state.name, place);
}

std::size_t operations(const ir::Module& m) {
  std::size_t all = 0;
  for (const ir::Function& f : m.functions) all += ir::operations_under(f, f.body);
  return all;
}

/// Of a module: its canonical form, and what it is called by.
void identify(Recorded& out, const detail::kernel_state& state) {
  // What Krait's own kernels have written out is meant so. Faults name the line of each piece.
  if (!trace::is_own(place_of(state)) && !out.module.kernel().checked)
    passes::roll_repeats(out.module, tuning::passes::rolled_from, tuning::passes::least_rolled);
  std::optional<ir::Module> written;
  passes::prepare(out.module, &written);
  trace::Spots::Of written_of;
  if (out.spots) {
    out.spots_of = out.spots->settle(out.module);
    if (written) written_of = out.spots->settle(*written);
    // Where accesses are checked, faults name the user's lines.
    if (out.module.kernel().checked) out.module = with_lines(out), out.spots = nullptr;
  }
  // Where accesses are checked, code may name the user's lines.
  out.text = ir::print(out.module, {.names = false, .locations = out.module.kernel().checked});
  if (out.raw) out.text += out.raw->identity();
  out.hash = cache::content_hash(out.text);
  out.name = named(state), out.what = describe(state), out.where = place_of(state);
  if (written && !out.module.kernel().checked) {
    const std::string text = ir::print(*written, {.names = false, .locations = false});
    out.written = std::make_shared<const Written>(
        Written{std::move(*written), cache::content_hash(text), std::move(written_of)});
  }
  out.reports = find_reports(out);
}

/// Runs the lambda on recorded parameters; `values` of those that are specialised, or none.
Recorded record(const detail::kernel_state& state, const void* lambda, const detail::signature& as,
                std::span<const std::uint64_t> values) {
  const HostSpan span("record", state.name);
  const auto start = std::chrono::steady_clock::now();
  detail::recording_options o;
  o.name = state.name.c_str(), o.where = state.where, o.fp = std::uint8_t(state.with.fp);
  o.checked = !state.never_checked && (state.with.checked || checked_by_environment());
  o.block[0] = state.fixed_block.x, o.block[1] = state.fixed_block.y,
  o.block[2] = state.fixed_block.z;
  const dims& cluster = state.with.cluster;
  o.cluster[0] = cluster.x, o.cluster[1] = cluster.y, o.cluster[2] = cluster.z;
  if (!ir::fits_cluster({cluster.x, cluster.y, cluster.z}))
    support::fail_usage("{}: a cluster has 1 to {} blocks, not {} x {} x {}", describe(state),
                        ir::max_cluster, cluster.x, cluster.y, cluster.z);
  if (state.with.min_blocks && !state.with.max_threads && state.fixed_block.x == 0)
    support::fail_usage(
        "{}: min_blocks has no meaning without a block size: give max_threads, or a fixed block",
        describe(state));
  o.bounds[0] = state.with.max_threads, o.bounds[1] = state.with.min_blocks,
  o.bounds[2] = state.with.max_registers;
  void* recording = detail::begin_recording(o);
  try {
    detail::node nodes[ir::max_given_params];
    for (unsigned i = 0; i < as.count; ++i) {
      const detail::parameter_type& p = as.parameters[i];
      if (p.rank) nodes[i] = detail::parameter_array(p.type, p.rank, p.writable, p.elem_bytes);
      else
        nodes[i] =
            p.elem_bytes ? detail::parameter_aggregate(p.elem_bytes) : detail::parameter(p.type);
      // The parameter stays, so that a launch passes the same for all values.
      if (p.specialized && !values.empty())
        nodes[i] = detail::literal(p.type, values.front()), values = values.subspan(1);
    }
    as.record(lambda, nodes);
  } catch (...) {
    detail::abandon_recording(recording);
    throw;
  }
  Recorded out;
  const std::unique_ptr<trace::Recorded> taken =
      trace::take(detail::finish_recording(recording), trace::Places::Spots);
  for (const trace::Warning& w : taken->warnings)
    std::fputs(message("warning", w.file, w.line, w.text, describe(state)).c_str(), stderr);
  out.module = std::move(taken->module);
  out.tables = std::move(taken->tables);
  out.spots = std::move(taken->spots);
  identify(out, state);
  // Loops that ran while recording may be loops again.
  if (const auto& hint = taken->hint; hint && operations(out.module) >= trace::unrolled_kernel)
    out.hints.push_back({"unrolled", hint->file, hint->line, hint->text});
  out.record_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  support::log_info("recorded {} in {:.3f} ms: {} operations", out.name, out.record_ms,
                    out.module.kernel().insts.size());
  return out;
}

/// Which array parameters the kernel loads from and stores to.
void note_accesses(Specialisation& spec) {
  if (spec.recorded.raw) {  // as far as the types tell
    for (const unsigned i : spec.arrays)
      spec.reads[i] = true, spec.writes[i] = spec.parameters[i].writable;
    return;
  }
  const ir::Calls calls(spec.recorded.module);
  const ir::Function& f = spec.recorded.module.kernel();
  const auto params = f.given_params();
  ir::for_each_inst(f, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& i = f.insts[id];
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const bool reads = calls.reads(i, k), writes = calls.writes(i, k);
      if (!reads && !writes) continue;
      for (std::size_t p = 0; p < params.size() && p < spec.reads.size(); ++p) {
        if (params[p] != i.operands[k]) continue;
        if (reads) spec.reads[p] = true;
        if (writes) spec.writes[p] = true;
      }
    }
  });
}

/// The facts that make variants of code for blocks of one kind, by bit. The last two share one: of
/// contiguous arrays aligned_rows may hold, of others dense_rows.
constexpr bool ir::Facts::*by_launch[] = {
    &ir::Facts::contiguous, &ir::Facts::aligned,      &ir::Facts::small,     &ir::Facts::disjoint,
    &ir::Facts::resident,   &ir::Facts::aligned_rows, &ir::Facts::dense_rows};
constexpr unsigned variant_bits = std::size(by_launch) - 1;
static_assert(1u << variant_bits == DeviceCode::most_variants);

unsigned index_of(const ir::Facts& f) {
  unsigned index = 0;
  for (unsigned k = 0; k < std::size(by_launch); ++k)
    index |= unsigned(f.*by_launch[k]) << std::min(k, variant_bits - 1);
  return index;
}

/// Code that was asked for ahead; null where it was not, or failed: then the call tries again and
/// reports.
std::shared_ptr<const Compiled> take_expected(detail::kernel_state& state, Specialisation& spec,
                                              const DeviceHandle& device, const ir::Facts& facts) {
  Coming coming;
  ir::Facts any_launch = facts;  // which nobody knows ahead
  any_launch.resident = false;
  {
    std::lock_guard lock(state.mutex);
    const auto at =
        std::find_if(spec.expected.begin(), spec.expected.end(), [&](const Expected& e) {
          return e.device == &device && e.process == int(getpid()) &&
                 (e.facts == facts || e.facts == any_launch);
        });
    if (at == spec.expected.end()) return nullptr;
    coming = at->coming;
  }
  try {
    return coming.get();
  } catch (...) {
    return nullptr;
  }
}

Specialisation* find(detail::kernel_state& state, const detail::signature& as,
                     std::span<const std::uint64_t> values = {}) {
  for (Specialisation* s = state.specialisations.load(std::memory_order_acquire); s; s = s->next)
    if (s->as == &as &&
        std::equal(s->values.begin(), s->values.end(), values.begin(), values.end()))
      return s;
  return nullptr;
}

/// The values of the specialised parameters.
unsigned take_values(const detail::signature& as, const detail::argument* arguments,
                     std::uint64_t* values) {
  unsigned count = 0;
  for (unsigned i = 0; i < as.count; ++i)
    if (as.parameters[i].specialized) values[count++] = arguments[i].bits;
  return count;
}

bool has_all_values(const detail::kernel_state& state, const detail::signature& as) {
  unsigned known = 0;
  for (const Specialisation* s = state.specialisations.load(std::memory_order_acquire); s;
       s = s->next)
    known += s->as == &as && !s->values.empty();
  return known >= max_specialized;
}

void check_parameters(const detail::kernel_state& state, const detail::signature& as) {
  if (as.count > ir::max_given_params)
    support::fail_usage("{}: a kernel can have at most {} parameters; this call passes {}",
                        describe(state), ir::max_given_params, as.count);
  std::uint64_t by_value = 0;
  for (const detail::parameter_type& p : std::span(as.parameters, as.count))
    by_value += p.rank ? 0 : p.elem_bytes ? p.elem_bytes : ir::size_of(ir::Scalar(p.type));
  if (by_value > max_by_value)
    support::fail_usage(
        "{}: {} bytes of numbers and structs are passed by value; the limit is {}: "
        "pass large ones as an array",
        describe(state), by_value, max_by_value);
}

/// Puts a recording into the kernel object's list.
Specialisation& publish(detail::kernel_state& state, Recorded recorded, const detail::signature& as,
                        std::span<const std::uint64_t> values = {}) {
  auto fresh = std::make_unique<Specialisation>();
  fresh->as = &as, fresh->values.assign(values.begin(), values.end());
  fresh->recorded = std::move(recorded);
  fresh->parameters = {as.parameters, as.count};
  for (unsigned i = 0; i < fresh->parameters.size(); ++i)
    if (fresh->parameters[i].rank != 0) fresh->arrays.push_back(std::uint8_t(i));
  note_accesses(*fresh);
  fresh->asks_for_block = asks_for_block(fresh->recorded.module);
  fresh->asks_for_rows = asks_for_rows(fresh->recorded.module);
  fresh->asks_for_registers = asks_for_registers(fresh->recorded.module);
  fresh->work = ir::work_of(fresh->recorded.module, fresh->strides);
  std::lock_guard lock(state.mutex);
  if (Specialisation* s = find(state, as, values)) return *s;  // another thread was first
  fresh->next = state.specialisations.load();
  state.specialisations.store(fresh.get(), std::memory_order_release);
  state.last.store(fresh.get(), std::memory_order_release);
  return *fresh.release();
}

}  // namespace

Specialisation::~Specialisation() {
  for (DeviceCode* c = codes.load(); c;) {
    DeviceCode* following = c->next;
    delete c;
    c = following;
  }
  for (DeviceTables* t = tables.load(); t;) {
    DeviceTables* following = t->next;
    delete t;
    t = following;
  }
}

std::string describe(const detail::kernel_state& state) { return "kernel " + named(state); }

bool asks_for_block(const ir::Module& m) {
  if (m.kernel().block[0]) return false;
  const auto asks = [](const ir::Inst& i) {
    switch (i.op) {
      case ir::Op::ThreadIdx:
      case ir::Op::BlockIdx:
      case ir::Op::Shared:
      case ir::Op::LaneId:
      case ir::Op::Uniform:
      case ir::Op::Print:
      case ir::Op::Fault: return true;
      default: return ir::is_barrier(i.op) || ir::is_warp_operation(i.op);
    }
  };
  const auto any = [&](const ir::Function& f) { return ir::any_inst(f, asks); };
  return m.kernel().checked || std::any_of(m.functions.begin(), m.functions.end(), any);
}

/// By the last index of an access to several dimensions: a constant, or a constant away from
/// something.
bool asks_for_rows(const ir::Module& m) {
  const auto any = [](const ir::Function& f) {
    return ir::any_inst(f, [&](const ir::Inst& i) {
      if (i.op != ir::Op::Load && i.op != ir::Op::Store) return false;
      const ir::Type& array = f.type_of(i.operands[0]);
      if (array.space != ir::Space::Global || array.rank < 2) return false;
      const ir::ValueId last = i.operands[array.rank];
      const ir::Inst* d = f.def(last);
      return f.is_const(last) || (d && d->op == ir::Op::Add && f.is_const(d->operands[1]));
    });
  };
  return std::any_of(m.functions.begin(), m.functions.end(), any);
}

/// What loops load may be under way for several trips at a time. Straight code keeps few values;
/// products of matrices and kernels with bounds say how many.
bool asks_for_registers(const ir::Module& m) {
  const auto any = [&](std::initializer_list<ir::Op> ops) {
    return std::any_of(m.functions.begin(), m.functions.end(), [&](const ir::Function& f) {
      return ir::any_inst(f, [&](const ir::Inst& i) {
        return std::find(ops.begin(), ops.end(), i.op) != ops.end();
      });
    });
  };
  return m.kernel().bounds == ir::Bounds{} && any({ir::Op::For, ir::Op::Loop}) &&
         !any({ir::Op::Product});
}

Specialisation& specialise(detail::kernel_state& state, const void* lambda,
                           const detail::signature& as, const detail::argument* arguments) {
  std::uint64_t taken[ir::max_given_params];
  std::span<const std::uint64_t> values;
  if (as.specialized && arguments && as.count <= ir::max_given_params)
    values = {taken, take_values(as, arguments, taken)};
  if (Specialisation* s = find(state, as, values)) return *s;
  if (!values.empty() && has_all_values(state, as)) {
    values = {};
    if (Specialisation* s = find(state, as)) return *s;
  }
  check_parameters(state, as);
  return publish(state, record(state, lambda, as, values), as,
                 values);  // outside the lock: the lambda may use other kernels' objects
}

Specialisation& adopt(detail::kernel_state& state, ir::Module module, const detail::signature& as) {
  check_parameters(state, as);
  Recorded recorded;
  recorded.module = std::move(module);
  identify(recorded, state);
  return publish(state, std::move(recorded), as);
}

Specialisation& adopt(detail::kernel_state& state, std::shared_ptr<const PackedKernel> packed,
                      const detail::signature& as) {
  check_parameters(state, as);
  Recorded recorded;
  recorded.module = packed->module, recorded.tables = packed->tables;
  recorded.packed = std::move(packed);
  identify(recorded, state);
  return publish(state, std::move(recorded), as);
}

Specialisation& adopt(detail::kernel_state& state, std::shared_ptr<const RawKernel> raw,
                      const detail::signature& as) {
  check_parameters(state, as);
  Recorded recorded;
  recorded.module = module_of(state.name, as);
  recorded.raw = std::move(raw);
  identify(recorded, state);
  return publish(state, std::move(recorded), as);
}

void expect_code(detail::kernel_state& state, Specialisation& spec, DeviceHandle& device,
                 const ir::Facts& facts, const Coming& coming) {
  std::lock_guard lock(state.mutex);
  std::erase_if(spec.expected,
                [&](const Expected& e) { return e.device == &device && e.facts == facts; });
  spec.expected.push_back({&device, facts, coming, int(getpid())});
}

const Compiled* find_code(const Specialisation& spec, const DeviceHandle& device,
                          const ir::Facts& facts, Effort at_least) {
  for (const DeviceCode* codes = spec.codes.load(std::memory_order_acquire); codes;
       codes = codes->next) {
    if (codes->device != &device || !codes->block.is_of_block(facts)) continue;
    const Compiled* c = codes->variants[index_of(facts)].load(std::memory_order_acquire);
    if (!c || c->effort == Effort::Best) return c;
    const bool alone = !c->next.code.load(std::memory_order_acquire) &&
                       c->next.begun.load(std::memory_order_relaxed) == fork_generation();
    return alone && at_least == Effort::Quick ? c : nullptr;
  }
  return nullptr;
}

const Compiled& code_for(detail::kernel_state& state, Specialisation& spec, DeviceHandle& device,
                         const ir::Facts& facts, Effort effort) {
  const unsigned which = index_of(facts);
  const auto codes_here = [&]() -> DeviceCode* {
    for (DeviceCode* c = spec.codes.load(std::memory_order_acquire); c; c = c->next)
      if (c->device == &device && c->block == facts.of_block()) return c;
    return nullptr;
  };
  std::shared_ptr<const Compiled> made = take_expected(state, spec, device, facts);
  if (!made)
    if (DeviceCode* codes = codes_here())
      if (const Compiled* c = codes->variants[which].load(std::memory_order_acquire);
          c && c->next.code.load(std::memory_order_acquire))
        made = c->next.owner;
  if (!made) made = compile(spec.recorded, facts, device, effort);
  if (made->effort == Effort::Quick) improve(made, spec.recorded, facts, device);
  std::lock_guard lock(state.mutex);
  DeviceCode* codes = codes_here();
  if (!codes) {
    codes = new DeviceCode;
    codes->device = &device, codes->block = facts.of_block();
    codes->next = spec.codes.load();
    spec.codes.store(codes, std::memory_order_release);
  }
  std::shared_ptr<const Compiled>& owner = codes->owners[which];
  if (owner && owner->effort == Effort::Quick && made->effort == Effort::Best)
    codes->replaced.push_back(std::exchange(owner, nullptr));
  if (!owner) owner = std::move(made);
  codes->variants[which].store(owner.get(), std::memory_order_release);
  return *owner;
}

ir::Facts facts_of(const DeviceCode& codes, unsigned which) {
  ir::Facts facts = codes.block;
  for (unsigned k = 0; k < std::size(by_launch); ++k) facts.*by_launch[k] = (which >> k & 1) != 0;
  return facts;
}

std::shared_ptr<const Compiled> owner_of(detail::kernel_state& state, const Specialisation& spec,
                                         const Compiled& code) {
  std::lock_guard lock(state.mutex);
  for (const DeviceCode* c = spec.codes.load(); c; c = c->next) {
    for (const auto& owner : c->owners)
      if (owner.get() == &code) return owner;
    for (const auto& owner : c->replaced)
      if (owner.get() == &code) return owner;
  }
  return nullptr;
}

}  // namespace krait::host

namespace krait::detail {

kernel_state::~kernel_state() {
  for (host::Specialisation* s = specialisations.load(); s;) {
    host::Specialisation* next = s->next;
    delete s;
    s = next;
  }
}

kernel_state* make_kernel_state(const options& with, const dims& fixed_block, location where) {
  auto* s = new kernel_state;
  s->with = with, s->fixed_block = fixed_block;
  // The kernels of expressions on arrays are made in our header: no place that tells the user
  // anything.
  if (where.file && !trace::in_own_header(where.file)) s->where = where;
  if (with.name) {
    s->name = with.name;
  } else if (where.file) {
    const char* slash = std::strrchr(where.file, '/');
    s->name = fmt::format("{}:{}", slash ? slash + 1 : where.file, where.line);
  }
  return s;
}
kernel_state* share_kernel_state(kernel_state* state) noexcept {
  if (state) state->owners.fetch_add(1, std::memory_order_relaxed);
  return state;
}
void free_kernel_state(kernel_state* state) noexcept {
  if (state && state->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete state;
}

}  // namespace krait::detail
