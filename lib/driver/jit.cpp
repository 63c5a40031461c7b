// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/jit.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "cache/in_flight.h"
#include "driver/dump.h"
#include "driver/plugin.h"
#include "support/error.h"

namespace krait::driver {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

std::atomic<std::uint64_t> compiled_count{0}, shared_count{0};

/// Content of the code: what was recorded, what the launch promises, and for whom.
std::string identity(const Recorded& recorded, const ir::Facts& facts, const DeviceHandle& device) {
  return fmt::format("{:016x}{:016x} {}{}{}{} {} {} {}", recorded.key.high, recorded.key.low, int(facts.contiguous), int(facts.aligned),
                     int(facts.small), int(facts.disjoint), device.id, device.target, plugin_build_id());
}

unsigned elements_per_thread(const ir::Function& kernel) {
  unsigned most = 1;
  for (const ir::Inst& i : kernel.insts) {
    if (i.op == ir::Op::LoadVec) most = std::max(most, unsigned(i.results.size()));
    if (i.op == ir::Op::StoreVec) most = std::max(most, unsigned(i.operands.size()) - 2);
  }
  return most;
}

/// The argument block, with the parameters that lower_reports adds.
ir::ArgumentLayout layout_of(const Recorded& recorded, const ir::Facts& facts) {
  ir::Function kernel = recorded.module.kernel();
  kernel.facts = facts;
  if (recorded.reports) passes::add_report_parameters(kernel);
  return ir::argument_layout(kernel);
}

std::shared_ptr<const Compiled> build(const Recorded& recorded, const ir::Facts& facts, DeviceHandle& device) {
  auto out = std::make_shared<Compiled>();
  auto start = Clock::now();
  const ir::Module lowered = lower(recorded, facts, device.kind);
  const std::string text = ir::print(lowered, {.names = true, .locations = true});
  out->passes_ms = since(start);
  dump_stages(recorded, text, device);

  start = Clock::now();
  Generated generated;
  if (device.kind == passes::TargetKind::Interpreter) generated.bytes = text;
  else generated = generate(text, device.target, "binary", recorded.what);
  out->codegen_ms = since(start);

  start = Clock::now();
  out->code = device.device->load(std::as_bytes(std::span(generated.bytes)), recorded.what.substr(std::string_view("kernel ").size()));
  out->load_ms = since(start);
  out->layout = layout_of(recorded, facts);
  out->elements_per_thread = elements_per_thread(lowered.kernel());
  ++compiled_count;
  return out;
}

}  // namespace

ir::Module lower(const Recorded& recorded, const ir::Facts& facts, passes::TargetKind kind) {
  ir::Module m = recorded.module;
  m.kernel().facts = facts;
  if (const std::string refused = passes::run_pipeline(m, kind); !refused.empty())
    support::fail(error::kind_type::compile, "{}: {}", recorded.what, refused);
  return m;
}

std::shared_ptr<const Compiled> compile(const Recorded& recorded, const ir::Facts& facts, DeviceHandle& device) {
  static auto* const table = new cache::InFlight<std::shared_ptr<const Compiled>>;
  bool first = false;
  auto result = table->find_or_make(identity(recorded, facts, device), first, [&] { return build(recorded, facts, device); });
  if (!first) ++shared_count;
  return result;
}

Counts counts() { return {compiled_count.load(), shared_count.load()}; }

}  // namespace krait::driver
