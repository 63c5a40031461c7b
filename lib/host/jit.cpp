// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/jit.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>

#include "cache/entry.h"
#include "cache/in_flight.h"
#include "devices/background.h"
#include "host/facts_text.h"
#include "devices/fork_gate.h"
#include "host/observer.h"
#include "host/lines.h"
#include "host/pack.h"
#include "host/plugin.h"
#include "devices/reports.h"
#include "devices/store.h"
#include "devices/tracing.h"
#include "ir/walk.h"
#include "support/environment.h"
#include "support/error.h"
#include "support/log.h"

namespace krait::host {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// code that no kernel object uses, kept for kernels that are made again
constexpr std::size_t most_idle = 256;

/// The process's code and what it counts; leaked, so that kernels in static storage may be
/// destroyed at any time.
struct Process {
  cache::InFlight<Compiled> table{most_idle};
  std::atomic<std::uint64_t> compiled{0}, improved{0}, from_disk{0}, from_memory{0};
  std::atomic<std::uint64_t> launches{0};  // of code that is gone
  std::atomic<std::uint64_t> made{0}, requests{0};
};

Process& process() {
  static Process& p = *[] {
    auto* fresh = new Process;
    const auto before = [] { close_fork_gate(), process().table.lock_for_fork(); };
    const auto in_parent = [] { process().table.unlock_in_parent(), open_fork_gate_in_parent(); };
    const auto in_child = [] { process().table.unlock_in_child(), open_fork_gate_in_child(); };
    pthread_atfork(before, in_parent, in_child);
    return fresh;
  }();
  return p;
}
[[maybe_unused]] const Process& made_at_load = process();  // not while another thread forks

/// Where debuggers show lines, kernels that are equal but for their places are different ones.
std::string places_of(const Recorded& recorded) {
  if (!debug_mode()) return {};
  return " at " +
         cache::content_hash(ir::print(with_lines(recorded), {.names = true, .locations = true}));
}

/// Which code it is, in this process: what was recorded, what the launch promises, and for whom.
std::string identity(const Recorded& recorded, const ir::Facts& facts, const DeviceHandle& device,
                     Effort effort) {
  const bool interpreted = device.target.kind == support::TargetKind::Interpreter;
  const std::string& hash =
      interpreted && recorded.written ? recorded.written->hash : recorded.hash;
  std::string id = fmt::format("{}{}{} {} {}{}{}", hash,
                               recorded.packed ? " of " + recorded.packed->pack_hash : "",
                               text_of(facts), device.id, device.target_text,
                               effort == Effort::Quick ? " quick" : "", places_of(recorded));
  // nothing is shared
  if (cache_settings().mode == cache::Mode::Off) id += fmt::format(" {}", ++process().requests);
  return id;
}

/// Which code it is, for every process: the recorded text is compared besides. Names and places are
/// part of it for debuggers alone.
std::string disk_key(const Recorded& recorded, const ir::Facts& facts, const DeviceHandle& device,
                     Effort effort) {
  return fmt::format("{}code for {}{}\nfacts{}\nlibrary {}\ngenerator {}\n",
                     effort == Effort::Quick ? "quick " : "", device.target_text,
                     places_of(recorded), text_of(facts), library_build_id(), plugin_build_id());
}

/// Null where nothing is kept on disk, or builds cannot be told apart.
support::Store* usable_store() {
  return library_build_id().empty() || plugin_build_id().empty() ? nullptr : store();
}

// Bytes of a cache folder are its owner's, and those of a pack come from whoever made its checksum.
// What a launch takes from an envelope without looking is compared with the kernel here, once.

/// The lengths of shared arrays that are sized at launch. Gives what is wrong with them, or
/// nothing.
std::string read_lengths(ir::SharedLengths& out, const support::Envelope& code,
                         const Recorded& recorded) {
  const ir::ArgumentLayout& layout = code.arguments;
  if (!out.read(code.lengths, recorded.module.kernel(), layout.given + layout.hidden.size()))
    return "its code is damaged: the lengths of its shared arrays are computed from missing values";
  if (out.count() > runtime::max_sized_at_launch ||
      layout.count(ir::ArgumentSlot::What::SharedLength) > out.count())
    return fmt::format(
        "its code is damaged: it has {} lengths of shared arrays, but {} are passed to it",
        out.count(), layout.count(ir::ArgumentSlot::What::SharedLength));
  return {};
}

/// A hidden parameter that this kernel's launches have no value for, or nothing.
std::string hidden_without_value(const ir::ArgumentLayout& layout, const Recorded& recorded) {
  const ir::Function& kernel = recorded.module.kernel();
  const auto has_value = [&](const support::Hidden& h) {
    switch (h.kind) {
      case support::HiddenKind::Table: return h.index < recorded.tables.size();
      case support::HiddenKind::Reports:
      case support::HiddenKind::KernelNumber: return recorded.reports != nullptr;
      case support::HiddenKind::Arrivals: return true;
      case support::HiddenKind::TileMap: break;
    }
    const std::uint32_t param = support::TileMapOf(h.index).param;
    if (param >= kernel.given_params().size()) return false;
    const ir::Type& type = kernel.type_of(kernel.given_params()[param]);
    return type.space == ir::Space::Global && type.rank <= support::TiledArray::most_rank;
  };
  for (const support::Hidden& h : layout.hidden)
    if (!has_value(h))
      return fmt::format("its code is damaged: it takes {}, which the kernel does not have",
                         support::text_of(h));
  return {};
}

/// Makes the code ready to launch. Gives what is wrong with the bytes, or nothing.
std::string load(Compiled& out, std::string_view bytes, const Recorded& recorded,
                 const ir::Facts& facts) {
  const HostSpan span("load", out.name);
  const auto start = Clock::now();
  support::Envelope code;
  if (std::string wrong = support::open(bytes, out.device->target.kind, code); !wrong.empty())
    return wrong;
  const ir::ArgumentLayout given =
      ir::given_layout(recorded.module.kernel(), facts, code.arguments);
  if (std::string wrong = support::difference(code.arguments, given); !wrong.empty()) return wrong;
  if (std::string wrong = read_lengths(out.lengths, code, recorded); !wrong.empty()) return wrong;
  if (std::string wrong = hidden_without_value(code.arguments, recorded); !wrong.empty())
    return wrong;
  out.elements = code.elements;
  out.layout = std::move(code.arguments);
  out.packing = Packing(out.layout);
  std::optional<InDriver> in_driver;
  if (!out.device->device->host_memory()) in_driver.emplace();
  out.code = out.device->device->load(std::as_bytes(std::span(bytes)), recorded.name);
  if (out.device->target.kind == support::TargetKind::Cpu) {
    std::vector<runtime::LoopPlace> loops;
    for (const ir::Location& at : passes::polls(recorded.module))
      loops.push_back({at.file, at.line});
    if (!loops.empty()) out.code->name_loops(std::move(loops));
  }
  out.load_ms = since(start);
  return {};
}

std::string generate_code(Compiled& out, const Recorded& recorded, const ir::Facts& facts) {
  const HostSpan span("compile", out.name);
  const RawText* const raw = raw_text_for(recorded, out.device->target);
  auto start = Clock::now();
  const bool reads = reads_lines() || out.device->target.kind == support::TargetKind::Interpreter;
  const ir::Module lowered =
      lower(recorded, facts, out.device->target, out.effort, reads ? Lines::Exact : Lines::Nearest);
  const std::string text = ir::print(lowered, {.names = true, .locations = true});
  out.passes_ms = since(start);
  dump_stages(recorded, facts, text, *out.device);
  std::string wrong;
  const ir::SharedLengths lengths(lowered.kernel(), wrong);
  if (!wrong.empty()) support::fail(error::kind_type::usage, "{}: {}", recorded.what, wrong);
  if (lengths.count() > runtime::max_sized_at_launch)
    support::fail_usage("{}: {} arrays of dynamic_shared; the limit is {}", recorded.what,
                        lengths.count(), runtime::max_sized_at_launch);

  start = Clock::now();
  if (out.device->target.kind == support::TargetKind::Interpreter) {
    support::Envelope code = ir::envelope_of(lowered.kernel(), support::TargetKind::Interpreter);
    code.code = text;
    return support::seal(code);
  }
  support::Target target = out.device->target;
  target.cpu.quick = out.effort == Effort::Quick;
  const bool hints = hinting() == Hinting::All && out.effort == Effort::Best;
  Generated generated = generate(text, target, "binary", recorded.what, hints, raw);
  give(of_user(std::move(generated.hints), recorded.where), recorded.what);
  out.codegen_ms = since(start);
  return std::move(generated.bytes);
}

/// Loads code that the kernel's pack has for this launch, made by whoever packed it. Gives why
/// there is none, or nothing.
std::string take_packed(Compiled& out, const Recorded& recorded, const ir::Facts& facts) {
  const PackedCode* const fit = recorded.packed->find(out.device->target, facts);
  if (!fit)
    return fmt::format("none that {} runs (\"{}\")", out.device->id, out.device->target_text);
  if (std::string wrong = load(out, fit->bytes, recorded, fit->facts); !wrong.empty())
    return fmt::format("that for \"{}\" cannot be used ({})", support::print(fit->target), wrong);
  out.from_disk = true;
  ++process().from_disk;
  support::log_info("found {} for {} in the pack {}", recorded.name, out.device->id,
                    recorded.packed->file);
  return {};
}

/// For a kernel whose pack has no code for the device. `why_not` as `take_packed` gives it.
void check_for_generator(const Recorded& recorded, const DeviceHandle& device,
                         std::string_view why_not) {
  if (device.target.kind == support::TargetKind::Interpreter) return;
  if (const std::string missing = plugin_failure(); !missing.empty())
    support::fail_device(
        "{}: {} has code for {}, but {}; to compile it here, the code generator is needed, "
        "and {}: pack the kernel for this target, too, or install libkrait_codegen.so",
        recorded.what, recorded.packed->file, recorded.packed->targets(), why_not, missing);
}

std::shared_ptr<const Compiled> build(const Recorded& recorded, const ir::Facts& facts,
                                      const DeviceHandle& device, Effort effort) {
  auto out = std::make_shared<Compiled>();
  out->name = recorded.module.kernel().name, out->where = recorded.where, out->hash = recorded.hash;
  out->device = &device, out->number = ++process().made, out->record_ms = recorded.record_ms;

  std::string not_packed;
  if (recorded.packed) {
    not_packed = take_packed(*out, recorded, facts);
    if (not_packed.empty()) return out;
  }
  support::Store* const disk =
      device.target.kind == support::TargetKind::Interpreter ? nullptr : usable_store();
  // Quick code is kept as well: a program that always ends before its kernels are improved finds
  // that.
  for (const Effort kept : {Effort::Best, Effort::Quick}) {
    if (!disk || (kept == Effort::Quick && effort == Effort::Best)) continue;
    const std::optional<std::string> found =
        disk->find(disk_key(recorded, facts, device, kept), recorded.text);
    if (!found || !load(*out, *found, recorded, facts).empty()) continue;
    out->from_disk = true, out->effort = kept;
    ++(improving_here() ? process().improved : process().from_disk);
    support::log_info("found {} for {} on disk:{} {:.3f} ms to load", recorded.name, device.id,
                      text_of(facts), out->load_ms);
    return out;
  }
  support::log_info("{} for {} is not in the cache:{}", recorded.name, device.id, text_of(facts));
  out->effort = effort;
  if (hinting() != Hinting::None && !improving_here())
    give(of_user(recorded.hints, recorded.where), recorded.what);
  if (recorded.packed) check_for_generator(recorded, device, not_packed);
  if (hinting() == Hinting::All) hint_at_captures(recorded);
  std::string made = generate_code(*out, recorded, facts);
  // A plug-in that was replaced while this process ran is not the one in the key.
  if (disk && loaded_plugin_build_id() == plugin_build_id())
    made = disk->keep(out->name, disk_key(recorded, facts, device, effort), recorded.text,
                      std::move(made));
  if (const std::string wrong = load(*out, made, recorded, facts); !wrong.empty())
    support::fail_device("{}: {}", recorded.what, wrong);
  if (hinting() == Hinting::All && effort == Effort::Best)
    give(of_user(hints_of(out->code->attributes(), recorded.where), recorded.where), recorded.what);
  support::log_info(
      "compiled {} for {}: {} code, {:.3f} ms of passes, {:.3f} ms of code generation, "
      "{:.3f} ms to load, {} bytes",
      recorded.name, device.id, effort == Effort::Quick ? "quick" : "best", out->passes_ms,
      out->codegen_ms, out->load_ms, made.size());
  ++(improving_here() ? process().improved : process().compiled);
  return out;
}

}  // namespace

ir::Module lower(const Recorded& recorded, const ir::Facts& facts, const support::Target& target,
                 Effort effort, Lines lines) {
  // The interpreter looks at every access as it was written: before its indices become one, and
  // where nothing needs it.
  const bool interpreted = target.kind == support::TargetKind::Interpreter;
  ir::Module m = interpreted && recorded.written ? with_lines(*recorded.written, recorded)
                 : lines == Lines::Exact         ? with_lines(recorded)
                                                 : recorded.module;
  if (interpreted)
    for (ir::Function& f : m.functions) f.checked = true;
  m.kernel().facts = facts;
  if (const unsigned warp = support::info(target.kind).warp) m.kernel().facts.warp = warp;
  const std::string refused = passes::run_pipeline(m, target, passes::verify_by_default, effort);
  // the message names one
  if (!refused.empty() && lines == Lines::Nearest)
    lower(recorded, facts, target, effort, Lines::Exact);
  if (!refused.empty()) support::fail(error::kind_type::compile, "{}: {}", recorded.what, refused);
  return m;
}

std::shared_ptr<const Compiled> compile(const Recorded& recorded, const ir::Facts& facts,
                                        DeviceHandle& device, Effort effort) {
  Process& p = process();
  std::optional<Awaited> awaited;
  if (!improving_here()) awaited.emplace();
  const BehindForkGate behind;  // the locks of the code generator and of the cache, too
  bool first = false;
  std::shared_ptr<const Compiled> result;
  if (effort == Effort::Quick)
    result = p.table.find(identity(recorded, facts, device, Effort::Best));
  if (!result)
    result = p.table.find_or_make(identity(recorded, facts, device, effort), first,
                                  [&] { return build(recorded, facts, device, effort); });
  if (!first) {
    ++p.from_memory, ++result->found_in_memory;
    support::log_info("found {} for {} in memory", recorded.name, device.id);
    return result;
  }
  for (const auto& gone : p.table.take_idle()) {
    p.launches += gone->launches;
    support::log_info("dropped {} for {}: no kernel holds it", gone->name, gone->device->id);
  }
  return result;
}

bool has_tiers(const DeviceHandle& device) {
  const BehindForkGate behind;
  static const bool on = [] {
    const char* const tiers = support::environment("KRAIT_TIERS");
    return !(tiers && std::strcmp(tiers, "off") == 0) && !support::environment_text("KRAIT_DUMP") &&
           !debug_mode() && hinting() != Hinting::All;
  }();
  return on && support::info(device.target.kind).tiers;
}

namespace {

/// Makes the best code for quick code. It has a copy of the recording: the kernel object may be
/// gone before its turn comes.
struct Improvement final : Work {
  const std::weak_ptr<const Compiled> quick;
  const Recorded recorded;
  const ir::Facts facts;
  DeviceHandle& device;
  bool begun = false;

  Improvement(const std::shared_ptr<const Compiled>& code, const Recorded& of,
              const ir::Facts& with, DeviceHandle& on)
      : quick(code), recorded(of), facts(with), device(on) {}
  /// Whoever launches the kernel next, or makes it again, begins again.
  ~Improvement() override {
    if (begun) return;
    if (const std::shared_ptr<const Compiled> code = quick.lock()) code->next.begun = -1;
  }
  /// The number of launches. Code that only the table holds belongs to no kernel.
  double heat() const override {
    const std::shared_ptr<const Compiled> code = quick.use_count() > 1 ? quick.lock() : nullptr;
    return code ? double(code->launches) : -1;
  }
  void run() noexcept override {
    const std::shared_ptr<const Compiled> code = quick.lock();
    if (!code) return;
    begun = true;
    try {
      std::shared_ptr<const Compiled> best = compile(recorded, facts, device, Effort::Best);
      code->next.owner = std::move(best);
      code->next.code.store(code->next.owner.get(), std::memory_order_release);
    } catch (...) {  // the quick code runs, and is right
    }
  }
};

}  // namespace

void improve(const std::shared_ptr<const Compiled>& quick, const Recorded& recorded,
             const ir::Facts& facts, DeviceHandle& device) {
  const int here = fork_generation();
  if (quick->next.code.load(std::memory_order_acquire) || quick->next.begun.exchange(here) == here)
    return;
  try {
    run_in_background(Task::Improving, device,
                      std::make_unique<Improvement>(quick, recorded, facts, device));
  } catch (...) {  // no memory: the quick code runs, and a later launch tries again
    quick->next.begun = -1;
  }
}

std::vector<std::shared_ptr<const Compiled>> all_code() { return process().table.all(); }

Counts counts() {
  const Process& p = process();
  Counts c{p.compiled, p.improved, p.from_disk, p.from_memory, p.launches};
  for (const auto& code : all_code()) c.launches += code->launches;
  return c;
}

}  // namespace krait::host
