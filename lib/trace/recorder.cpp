// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions and operands of the function being recorded; the end of a recording.
#include "trace/recorder.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/calls.h"
#include "ir/spots.h"
#include "ir/text/text.h"
#include "krait/approx.h"
#include "support/error.h"
#include "trace/own.h"

namespace krait::trace {
namespace {

thread_local Recorder* current = nullptr;

/// What lines of loops that ran while recording make of the module.
std::optional<Warning> hint_at_unrolled_loops(const ir::Module& module, const Spots& spots) {
  const std::vector<std::uint32_t> nearest = spots.nearest_places();
  std::size_t all = 0, most = 0;
  ir::Location at;
  for (const ir::Function& f : module.functions) {
    std::vector<std::size_t> operations(spots.places().size());
    for (const ir::Inst& i : f.insts)
      if (const std::uint32_t place = nearest[i.loc & ~ir::is_spot];
          place != Spots::no_place && i.op != ir::Op::Const)
        ++operations[place];
    for (std::size_t line = 0; line < operations.size(); ++line) {
      const ir::Location& here = spots.places()[line];
      if (operations[line] < unrolled_line || is_own(here.file)) continue;
      all += operations[line];
      if (operations[line] > most) most = operations[line], at = here;
    }
  }
  if (all < unrolled_kernel) return {};
  return Warning{
      fmt::format("this line was recorded as {} operations, and lines like it as {} in all, "
                  "which takes long to compile. A C++ loop runs while recording and unrolls; "
                  "`for (auto i : kr::range(n))` stays a loop",
                  most, all),
      std::string(at.file), at.line};
}

}  // namespace

bool is_own(std::string_view file) {
  constexpr std::string_view here = __FILE__, below_lib = "trace/recorder.cpp";
  constexpr std::string_view lib = here.substr(0, here.size() - below_lib.size());
  // "./lib/": a user may have that, too.
  if (file.starts_with(lib))
    for (const char* const room :
         {"algorithms/", "arrays/", "host/", "math/", "ship/", "trace/", "tune/"})
      if (file.substr(lib.size()).starts_with(room)) return true;
  return file.find("include/krait/") != file.npos;
}

Recorder* find_recorder() noexcept { return current; }
void set_recorder(Recorder* r) noexcept { current = r; }
Recorder& recorder(const void* caller) {
  if (!current)
    support::fail_usage(
        "kr::value, kr::var, a view or traced control flow is used outside a kernel: "
        "move it into the lambda of kr::kernel or kr::vectorize");
  current->rethrow();
  current->spots.note(caller);
  return *current;
}

Recorder::Recorder(const detail::recording_options& options) : functions(options.name) {
  scopes_.push_back(std::make_unique<Scope>(functions.kernel(), found, spots));
  ir::Function& f = function();
  f.fp = ir::FpMode(options.fp);
  f.checked = options.checked;
  std::copy(std::begin(options.block), std::end(options.block), f.block.begin());
  std::copy(std::begin(options.cluster), std::end(options.cluster), f.cluster.begin());
  f.bounds = {options.bounds[0], options.bounds[1], options.bounds[2]};
  now().location(options.where);
  now().enter(f.body);
}

void Recorder::enter_function(const CalledFunction& f) {
  const detail::location caller = found.where();
  const std::uint32_t spot = spots.now();
  auto inner = std::make_unique<Scope>(functions.at(f.index), found, spots);
  inner->location(caller);
  inner->enter(inner->function.body);
  callers_.reserve(callers_.size() + 1);  // what follows may not fail half way
  scopes_.push_back(std::move(inner));
  callers_.push_back(spot);
}

// ---- instructions -------------------------------------------------------------------------------

ir::InstId Recorder::append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands,
                            std::uint64_t imm) {
  if (now().size() >= max_instructions)
    found.fail(fmt::format(
        "kernel {}: the recording has passed {} operations. "
        "A C++ loop runs while recording and unrolls; one that waits for a traced value never "
        "ends: use kr::while_ or kr::range",
        function().name, max_instructions));
  return now().append(op, type, operands, imm);
}
ir::InstId Recorder::append(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> operands,
                            std::uint64_t imm) {
  return append(op, type, std::span(operands.begin(), operands.size()), imm);
}
ir::ValueId Recorder::emit(ir::Op op, ir::Scalar type, std::initializer_list<ir::ValueId> operands,
                           std::uint64_t imm) {
  return now().builder.add_result(append(op, ir::value_type(type), operands, imm),
                                  ir::value_type(type));
}
ir::ValueId Recorder::cast(ir::Scalar type, ir::ValueId x) {
  return function().type_of(x).scalar == type ? x : emit(ir::Op::Cast, type, {x});
}

ir::ValueId Recorder::resolve(detail::node n) {
  const auto outer = [&](const auto& scope) { return scope->serial == n.recording; };
  if (std::any_of(scopes_.begin(), scopes_.end() - 1, outer)) {
    found.misuse(fmt::format(
        "function {} uses a traced value of its caller: pass it as an argument", function().name));
    return ir::none;
  }
  if (n.recording != now().serial || n.id >= function().values.size()) {
    found.misuse(
        "a traced value of another recording is used: values, "
        "vars and views live only while their kernel is being recorded");
    return ir::none;
  }
  if (!now().is_open(n.id)) {
    found.misuse(
        "a traced value is used outside the body that made it: "
        "declare a kr::var before the body and assign to it inside");
    return ir::none;
  }
  return n.id;
}

ir::ValueId Recorder::use(detail::node n) {
  const ir::ValueId v = resolve(n);
  if (v == ir::none) return ir::none;
  const ir::Type type = function().type_of(v);
  return type.is_slot() ? emit(ir::Op::Get, type.scalar, {v}) : v;
}

ir::ValueId Recorder::use_as(ir::Scalar type, detail::node n) {
  const ir::ValueId v = use(n);
  return v == ir::none ? constant(type, 0) : cast(type, v);
}

ir::ValueId Recorder::logical(ir::Op op, const detail::mark& left, detail::node right) {
  if (!now().reaches(left)) {
    found.misuse("the right operand of && or || ends control flow: write kr::if_");
    return constant(ir::Scalar::Bool, 0);
  }
  const ir::ValueId condition_value = resolve(left.condition);
  // reading a var belongs to the right operand too
  const ir::ValueId right_value = condition(right);
  if (condition_value == ir::none) return right_value;
  if (now().is_cheap(left.region, left.position))
    return emit(op, ir::Scalar::Bool, {condition_value, right_value});

  const bool is_and = op == ir::Op::And;
  const std::vector<ir::InstId> tail = now().take_tail(left.region, left.position);
  const ir::InstId branch = append(ir::Op::If, ir::value_type(ir::Scalar::Bool), {condition_value});
  const ir::ValueId result = now().builder.add_result(branch, ir::value_type(ir::Scalar::Bool));
  const ir::RegionId sides[2] = {now().builder.new_region(branch),
                                 now().builder.new_region(branch)};
  const ir::RegionId guarded = sides[is_and ? 0 : 1], known = sides[is_and ? 1 : 0];
  now().put(tail, guarded);
  now().builder.at(guarded);
  append(ir::Op::Yield, {}, {right_value});
  now().builder.at(known);
  append(ir::Op::Yield, {}, {constant(ir::Scalar::Bool, is_and ? 0 : 1)});
  now().builder.at(left.region);
  return result;
}

std::unique_ptr<Recorded> Recorder::finish() {
  rethrow();
  if (now().depth() != 1) found.misuse("control flow was left open when the lambda returned");
  now().unwind(1);
  now().exit(ir::Op::Return);
  now().hoist_shared();
  found.warn_of_doubles(function());
  auto recorded = std::make_unique<Recorded>();
  recorded->module.functions = functions.take();
  recorded->hint = hint_at_unrolled_loops(recorded->module, spots);
  ir::sort_functions(recorded->module);
  found.check(recorded->module.kernel().name);
  recorded->tables = std::move(tables);
  recorded->spots = std::make_shared<Spots>(std::move(spots));
  recorded->warnings = found.warnings();
  return recorded;
}

void allow_approximation(detail::node result) {
  ir::Function& f = recorder().function();
  const ir::InstId made = f.values[recorder().resolve(result)].def;
  if (made != ir::none && f.insts[made].op != ir::Op::Const) f.insts[made].fast = true;
}

}  // namespace krait::trace

namespace krait::detail {
void allow_approximation(node result) { trace::allow_approximation(result); }
}  // namespace krait::detail
