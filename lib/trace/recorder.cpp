// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions, operands, regions and marks of the function being recorded.
#include "trace/recorder.h"

#include <algorithm>
#include <atomic>

#include "ir/calls.h"
#include "ir/text.h"
#include "ir/walk.h"
#include "support/error.h"

namespace krait::trace {
namespace {

thread_local Recorder* current = nullptr;

constexpr std::uint32_t keeps_place = ~0u;

}  // namespace

bool in_own_header(std::string_view file) {
  const std::size_t name = file.rfind('/');
  if (name == file.npos || !file.ends_with(".h")) return false;
  std::string_view folder = file.substr(0, name);
  if (folder.ends_with("/detail")) folder.remove_suffix(7);
  return folder == "krait" || folder.ends_with("/krait");
}

/// Serial numbers tell a handle of an older recording, of any thread, from one of this recording; 0 is none.
std::uint32_t Recorder::next_serial() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t serial = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return serial ? serial : last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Recorder* find_recorder() noexcept { return current; }
void set_recorder(Recorder* r) noexcept { current = r; }
Recorder& recorder() {
  if (!current)
    support::fail_usage(
        "kr::value, kr::var, a view or traced control flow is used outside a kernel: move it into the lambda of kr::kernel or "
        "kr::vectorize");
  return *current;
}

void allow_approximation(detail::node result) {
  ir::Function& f = recorder().function();
  f.insts[f.values[recorder().resolve(result)].def].fast = true;
}

Recorder::Recorder(const detail::recording_options& options) : recorded_(std::make_unique<Recorded>()) {
  functions_.push_back(std::make_unique<ir::Function>(ir::new_function(options.name ? options.name : "")));
  scopes_.push_back(std::make_unique<Scope>(functions_.back().get(), next_serial()));
  now_ = scopes_.back().get();
  ir::Function& f = function();
  f.fp = ir::FpMode(options.fp);
  f.checked = options.checked;
  std::copy(std::begin(options.block), std::end(options.block), f.block.begin());
  location(options.where);
  enter(f.body);
}

// ---- misuse and warnings ------------------------------------------------------------------------------------------------------

void Recorder::location(detail::location where) {
  if (!where.file) return;
  std::vector<ir::Location>& table = function().locations;
  const auto [at, is_new] = now_->location_ids.try_emplace({where.file, where.line}, std::uint32_t(table.size()));
  if (is_new && in_own_header(where.file)) at->second = keeps_place;
  else if (is_new) table.push_back({where.file, where.line});
  if (at->second == keeps_place) return;
  where_ = where;
  now_->builder.location(at->second);
}

void Recorder::misuse(std::string text, detail::location where) {
  if (!misuse_) misuse_ = Misuse{std::move(text), where};
}

void Recorder::warn(std::string text) {
  Warning w{std::move(text), where_.file ? where_.file : "", where_.line};
  for (const Warning& known : recorded_->warnings)
    if (known.text == w.text && known.file == w.file && known.line == w.line) return;
  recorded_->warnings.push_back(std::move(w));
}

void Recorder::warn_of_doubles() {
  for (const ir::ValueId p : function().params())
    if (function().type_of(p).scalar == ir::Scalar::F64) return;
  for (const detail::location& place : doubles_) {
    where_ = place;
    warn("double arithmetic in a kernel without double arguments: a literal such as 2.0 is a double, write 2.0f");
  }
}

void Recorder::hint_at_unrolled_loops() {
  std::size_t all = 0, most = 0;
  ir::Location at;
  for (const ir::Function& f : recorded_->module.functions) {
    std::vector<std::size_t> operations(f.locations.size());
    for (const ir::Inst& i : f.insts)
      if (i.loc < operations.size() && i.op != ir::Op::Const) ++operations[i.loc];
    for (std::size_t line = 1; line < operations.size(); ++line) {  // 0 is none
      if (operations[line] < unrolled_line) continue;
      all += operations[line];
      if (operations[line] > most) most = operations[line], at = f.locations[line];
    }
  }
  if (all < unrolled_kernel) return;
  recorded_->hint = {
      fmt::format("this line was recorded as {} operations, and lines like it as {} in all, which take long to compile. A C++ "
                  "loop runs while recording and unrolls; `for (auto i : kr::range(n))` stays a loop",
                  most, all),
      std::string(at.file), at.line};
}

// ---- instructions -------------------------------------------------------------------------------------------------------------

ir::InstId Recorder::append_unchecked(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands, std::uint64_t imm) {
  const ir::InstId inst = now_->builder.append(op, type, operands, imm);
  now_->home.resize(inst + 1, ir::none);
  now_->home[inst] = now_->builder.region();
  return inst;
}
ir::InstId Recorder::append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands, std::uint64_t imm) {
  if (now_->home.size() >= max_instructions)
    throw error(error::kind_type::usage,
                fmt::format("kernel {}: the recording has passed {} operations. A C++ loop runs while recording and unrolls; one "
                            "that waits for a traced value never ends: use kr::while_ or kr::range",
                            function().name, max_instructions)
                    .c_str(),
                where_.file, where_.line);
  return append_unchecked(op, type, operands, imm);
}
ir::InstId Recorder::append(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> operands, std::uint64_t imm) {
  return append(op, type, std::span(operands.begin(), operands.size()), imm);
}
ir::ValueId Recorder::emit(ir::Op op, ir::Scalar type, std::initializer_list<ir::ValueId> operands, std::uint64_t imm) {
  return now_->builder.add_result(append(op, ir::value_type(type), operands, imm), ir::value_type(type));
}
ir::ValueId Recorder::cast(ir::Scalar type, ir::ValueId x) {
  return function().type_of(x).scalar == type ? x : emit(ir::Op::Cast, type, {x});
}

ir::ValueId Recorder::resolve(detail::node n) {
  const auto outer = [&](const auto& scope) { return scope.get() != now_ && scope->serial == n.recording; };
  if (std::any_of(scopes_.begin(), scopes_.end(), outer)) {
    misuse(fmt::format("function {} uses a traced value of its caller: pass it as an argument", function().name));
    return ir::none;
  }
  if (n.recording != now_->serial || n.id >= function().values.size()) {
    misuse("a traced value of another recording is used: values, vars and views live only while their kernel is being recorded");
    return ir::none;
  }
  const ir::Value& v = function().values[n.id];
  const ir::RegionId region = v.def == ir::none ? v.region : now_->home[v.def];
  if (region >= now_->is_open.size() || !now_->is_open[region]) {
    misuse("a traced value is used outside the body that made it: declare a kr::var before the body and assign to it inside");
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

// ---- regions ------------------------------------------------------------------------------------------------------------------

void Recorder::open(ir::RegionId region) {
  now_->open_regions.push_back(region);
  now_->is_open.resize(std::max<std::size_t>(now_->is_open.size(), region + 1));
  now_->is_open[region] = true;
  now_->builder.at(region);
}

void Recorder::enter(ir::RegionId region, bool loop) {
  if (now_->frames.size() + 8 > ir::max_region_depth)
    throw error(error::kind_type::usage,
                fmt::format("kernel {}: control flow nests deeper than {} levels: does a function call itself without end?",
                            function().name, ir::max_region_depth - 8)
                    .c_str(),
                where_.file, where_.line);
  Frame frame;
  frame.region = region, frame.loop = loop, frame.opened = now_->open_regions.size();
  now_->frames.push_back(frame);
  open(region);
}

void Recorder::exit(ir::Op terminator) {
  const Frame frame = now_->frames.back();
  if (!frame.terminated) append_unchecked(terminator, {}, {}, 0);
  now_->frames.pop_back();
  while (now_->open_regions.size() > frame.opened) {
    now_->is_open[now_->open_regions.back()] = false;
    now_->open_regions.pop_back();
  }
  if (!now_->open_regions.empty()) now_->builder.at(now_->open_regions.back());
}

void Recorder::terminate(ir::Op op) {
  if (top().terminated) return;
  append_unchecked(op, {}, {}, 0);
  top().terminated = true;
  open(now_->builder.new_region(ir::none));
}

void Recorder::unwind(std::size_t depth) {
  if (now_->frames.size() <= depth) return;
  while (now_->frames.size() > depth) exit(ir::Op::Unreachable);
  misuse("a C++ exception left a recorded body: the rest of it cannot be recorded");
}

Frame* Recorder::innermost_loop() {
  const std::size_t lowest = now_->bodies.empty() ? 0 : now_->bodies.back().depth;
  for (std::size_t i = now_->frames.size(); i-- > lowest;)
    if (now_->frames[i].loop) return &now_->frames[i];
  return nullptr;
}

// ---- marks --------------------------------------------------------------------------------------------------------------------

detail::mark Recorder::mark(detail::node condition) const {
  const ir::RegionId here = now_->builder.region();
  return {condition, here, std::uint32_t(function().regions[here].insts.size())};
}

bool Recorder::reaches(const detail::mark& m) const {
  return m.condition.recording == now_->serial && m.region == now_->builder.region() &&
         m.position <= function().regions[m.region].insts.size();
}

void Recorder::move_tail(const detail::mark& m, ir::RegionId to) {
  std::vector<ir::InstId>& from = function().regions[m.region].insts;
  std::vector<ir::InstId>& target = function().regions[to].insts;
  for (std::size_t i = m.position; i < from.size(); ++i) now_->home[from[i]] = to, target.push_back(from[i]);
  from.resize(m.position);
}

void Recorder::insert_before(ir::InstId before, std::size_t count) {
  std::vector<ir::InstId>& list = function().regions[now_->builder.region()].insts;
  const auto target = std::find(list.begin(), list.end(), before);
  if (target == list.end()) return misuse("case_ and default_ must follow their switch_ in the same expression");
  std::rotate(target, list.end() - std::ptrdiff_t(count), list.end());
}

/// Few enough operations, without effect, fault or long latency, that computing them always costs less than a branch.
bool Recorder::is_cheap(ir::RegionId region, std::size_t from) const {
  const ir::Function& f = function();
  const std::vector<ir::InstId>& list = f.regions[region].insts;
  int cost = 0;
  for (std::size_t i = from; i < list.size(); ++i) {
    const ir::Op op = f.insts[list[i]].op;
    if (op == ir::Op::Const || op == ir::Op::Get) continue;
    if (ir::info(op).effect != ir::Effect::Pure || ir::is_math(op) || ir::divides(op)) return false;
    ++cost;
  }
  return cost <= 8;
}

bool Recorder::only_computes(ir::InstId inst) const {
  const ir::Function& f = function();
  const ir::Op op = f.insts[inst].op;
  const ir::Effect effect = ir::info(op).effect;
  const bool computes = effect == ir::Effect::Pure || effect == ir::Effect::Read || op == ir::Op::Get;
  if (!computes && op != ir::Op::If && op != ir::Op::Yield) return false;
  for (const ir::RegionId region : f.insts[inst].regions)
    for (const ir::InstId inner : f.regions[region].insts)
      if (!only_computes(inner)) return false;
  return true;
}

bool Recorder::has_effects(detail::node n) const {
  const ir::Function& f = function();
  const std::vector<ir::InstId>& list = f.regions[now_->builder.region()].insts;
  std::set<ir::ValueId> wanted{n.id};
  for (std::size_t i = list.size(); i-- > 0;) {
    const ir::Inst& inst = f.insts[list[i]];
    bool used = false;
    for (const ir::ValueId result : inst.results) used |= wanted.contains(result);
    if (!used || inst.op == ir::Op::Slot) return false;
    if (!only_computes(list[i])) return true;
    wanted.insert(inst.operands.begin(), inst.operands.end());
  }
  return false;
}

ir::ValueId Recorder::logical(ir::Op op, const detail::mark& left, detail::node right) {
  if (!reaches(left)) {
    misuse("the right operand of && or || ends control flow: write kr::if_");
    return constant(ir::Scalar::Bool, 0);
  }
  const ir::ValueId condition_value = resolve(left.condition);
  const ir::ValueId right_value = condition(right);  // reading a var belongs to the right operand too
  if (condition_value == ir::none) return right_value;
  if (is_cheap(left.region, left.position)) return emit(op, ir::Scalar::Bool, {condition_value, right_value});

  const bool is_and = op == ir::Op::And;
  std::vector<ir::InstId>& list = function().regions[left.region].insts;
  const std::vector<ir::InstId> tail(list.begin() + left.position, list.end());
  list.resize(left.position);
  const ir::InstId branch = append(ir::Op::If, ir::value_type(ir::Scalar::Bool), {condition_value});
  const ir::ValueId result = now_->builder.add_result(branch, ir::value_type(ir::Scalar::Bool));
  const ir::RegionId sides[2] = {now_->builder.new_region(branch), now_->builder.new_region(branch)};
  const ir::RegionId guarded = sides[is_and ? 0 : 1], known = sides[is_and ? 1 : 0];
  for (const ir::InstId i : tail) now_->home[i] = guarded, function().regions[guarded].insts.push_back(i);
  now_->builder.at(guarded);
  append(ir::Op::Yield, {}, {right_value});
  now_->builder.at(known);
  append(ir::Op::Yield, {}, {constant(ir::Scalar::Bool, is_and ? 0 : 1)});
  now_->builder.at(left.region);
  return result;
}

// ---- element-wise bodies ------------------------------------------------------------------------------------------------------

detail::body_scope Recorder::begin_body(void (*result)(void*, detail::node), void* context) {
  Body body;
  body.result = result, body.context = context, body.depth = now_->frames.size(), body.terminated = top().terminated;
  detail::body_scope scope;
  scope.start = mark({0, now_->serial});
  scope.index = std::uint32_t(now_->bodies.size());
  const ir::ValueId no = constant(ir::Scalar::Bool, 0);
  body.done =
      now_->builder.add_result(append(ir::Op::Slot, ir::slot_type(ir::Scalar::Bool), {no}), ir::slot_type(ir::Scalar::Bool));
  now_->bodies.push_back(body);
  return scope;
}

/// A body that was left by return_(value) becomes a loop of one trip, which the breaks leave.
void Recorder::end_body(const detail::body_scope& scope) {
  if (scope.start.condition.recording != now_->serial || scope.index + 1 != now_->bodies.size() ||
      now_->bodies.back().depth != now_->frames.size()) {
    misuse("a C++ return or exception left a recorded loop: use kr::return_(value)");
    return;
  }
  const Body body = now_->bodies.back();
  now_->bodies.pop_back();
  const bool wrap = body.left && !body.terminated;
  if (wrap && !top().terminated) append(ir::Op::Break, {}, {});
  std::size_t from = scope.start.position;
  std::vector<ir::InstId>& list = function().regions[scope.start.region].insts;
  if (body.left_loop) from += 2;
  else list.erase(list.begin() + std::ptrdiff_t(from), list.begin() + std::ptrdiff_t(from) + 2);  // nobody needs the slot
  if (!wrap) return;

  const std::vector<ir::InstId> tail(list.begin() + std::ptrdiff_t(from), list.end());
  list.resize(from);
  while (now_->open_regions.back() != scope.start.region) {
    now_->is_open[now_->open_regions.back()] = false;
    now_->open_regions.pop_back();
  }
  top().terminated = false;
  now_->builder.at(scope.start.region);
  const ir::InstId loop = append(ir::Op::Loop, {}, {});
  const ir::RegionId region = now_->builder.new_region(loop);
  for (const ir::InstId i : tail) now_->home[i] = region, function().regions[region].insts.push_back(i);
}

void Recorder::leave_body(detail::node result) {
  if (!in_body() || in_void_body()) {
    if (in_void_body()) misuse("return_(value) in a function that returns nothing: write return_()");
    else if (in_function()) misuse("return_ cannot leave a function with several results: end it with its `return`");
    else misuse("return_(value) is for kr::function and kr::vectorize: a kernel writes to a view and ends with kr::return_()");
    return;
  }
  Body& body = now_->bodies.back();
  body.result(body.context, result);
  leave_body_by_break();
}
void Recorder::leave_body() { leave_body_by_break(); }

void Recorder::leave_body_by_break() {
  Body& body = now_->bodies.back();
  body.left = true;
  bool in_loop = false;
  for (std::size_t i = body.depth; i < now_->frames.size(); ++i)
    if (now_->frames[i].loop) now_->frames[i].left_by_result = in_loop = true;
  if (in_loop) {
    body.left_loop = true;
    const ir::ValueId yes = constant(ir::Scalar::Bool, 1);
    append(ir::Op::Set, {}, {body.done, yes});
  }
  terminate(ir::Op::Break);
}

void Recorder::leave_after_loop() {
  const ir::ValueId done = emit(ir::Op::Get, ir::Scalar::Bool, {now_->bodies.back().done});
  const ir::InstId branch = append(ir::Op::If, {}, {done});
  const ir::RegionId yes = now_->builder.new_region(branch), no = now_->builder.new_region(branch), here = now_->builder.region();
  now_->builder.at(yes);
  append(ir::Op::Break, {}, {});
  now_->builder.at(no);
  append(ir::Op::Yield, {}, {});
  now_->builder.at(here);
}

/// A shared array belongs to the block wherever it is declared: the IR wants it in the body.
void Recorder::hoist_shared() {
  ir::Function& f = function();
  std::vector<ir::InstId> found;
  ir::for_each_region(f, [&](ir::RegionId r) {
    if (r == f.body) return;
    std::erase_if(f.regions[r].insts, [&](ir::InstId i) {
      const bool shared = f.insts[i].op == ir::Op::Shared;
      if (shared) found.push_back(i);
      return shared;
    });
  });
  std::vector<ir::InstId>& body = f.regions[f.body].insts;
  body.insert(body.begin(), found.begin(), found.end());
}

std::unique_ptr<Recorded> Recorder::finish() {
  if (now_->frames.size() != 1) misuse("control flow was left open when the lambda returned");
  unwind(1);
  exit(ir::Op::Return);
  hoist_shared();
  warn_of_doubles();
  for (auto& f : functions_) recorded_->module.functions.push_back(std::move(*f));
  hint_at_unrolled_loops();
  ir::sort_functions(recorded_->module);
  if (misuse_) {
    const std::string name = recorded_->module.kernel().name;
    throw error(error::kind_type::usage, (name.empty() ? misuse_->text : "kernel " + name + ": " + misuse_->text).c_str(),
                misuse_->where.file, misuse_->where.line);
  }
  return std::move(recorded_);
}

}  // namespace krait::trace
