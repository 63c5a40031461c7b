// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/scope.h"

#include <algorithm>
#include <atomic>

#include "ir/spots.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "support/error.h"

namespace krait::trace {
namespace {

constexpr std::uint32_t keeps_place = ~0u;

std::uint32_t next_serial() {
  static std::atomic<std::uint32_t> last{0};
  std::uint32_t serial = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return serial ? serial : last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

bool in_own_header(std::string_view file) {
  constexpr std::string_view krait = "krait/";
  const std::size_t at = file.rfind(krait);
  if (at == file.npos || (at > 0 && file[at - 1] != '/') || !file.ends_with(".h")) return false;
  const std::string_view below = file.substr(at + krait.size()),
                         room = below.substr(0, below.find('/'));
  // the rooms of include/krait (tools/headers.py), with their folders
  constexpr std::string_view rooms[] = {"detail",  "language", "arrays",
                                        "runtime", "interop",  "ship"};
  return room == below || std::ranges::find(rooms, room) != std::end(rooms);
}

Scope::Scope(ir::Function& f, Findings& found, Spots& spots)
    : function(f), builder(f), serial(next_serial()), found_(found), spots_(spots) {}

ir::InstId Scope::append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands,
                         std::uint64_t imm) {
  const ir::InstId inst = builder.append(op, type, operands, imm);
  home_.resize(inst + 1, ir::none);
  home_[inst] = builder.region();
  function.insts[inst].loc = ir::is_spot | spots_.now();
  return inst;
}

void Scope::location(detail::location where) {
  if (!where.file) return;
  const auto [at, is_new] = known_.try_emplace({where.file, where.line}, keeps_place);
  if (is_new && !in_own_header(where.file)) at->second = spots_.add_place(where.file, where.line);
  if (at->second == keeps_place) return;
  found_.set_where(where);
  spots_.note(at->second);
}

bool Scope::is_open(ir::ValueId v) const {
  const ir::Value& value = function.values[v];
  const ir::RegionId region = value.def == ir::none ? value.region : home_[value.def];
  return region < is_open_.size() && is_open_[region];
}

// ---- regions ------------------------------------------------------------------------------------

void Scope::open(ir::RegionId region) {
  open_regions_.push_back(region);
  is_open_.resize(std::max<std::size_t>(is_open_.size(), region + 1));
  is_open_[region] = true;
  builder.at(region);
}

/// All but the first `left` of those that are open.
void Scope::close_regions(std::size_t left) {
  for (; open_regions_.size() > left; open_regions_.pop_back())
    is_open_[open_regions_.back()] = false;
}

void Scope::enter(ir::RegionId region, bool loop) {
  if (frames_.size() + 8 > ir::max_region_depth)
    found_.fail(
        fmt::format("kernel {}: control flow nests deeper than {} levels: "
                    "does a function call itself without end?",
                    function.name, ir::max_region_depth - 8));
  Frame frame;
  frame.region = region, frame.loop = loop, frame.opened = open_regions_.size();
  frames_.push_back(frame);
  open(region);
}

void Scope::exit(ir::Op terminator) {
  const Frame frame = frames_.back();
  if (!frame.terminated) append(terminator, {}, {}, 0);
  frames_.pop_back();
  close_regions(frame.opened);
  if (!open_regions_.empty()) builder.at(open_regions_.back());
}

void Scope::terminate(ir::Op op) {
  if (top().terminated) return;
  append(op, {}, {}, 0);
  top().terminated = true;
  open(builder.new_region(ir::none));
}

void Scope::resume(ir::RegionId region) {
  const auto at = std::find(open_regions_.begin(), open_regions_.end(), region);
  close_regions(std::size_t(at - open_regions_.begin()) + 1);
  top().terminated = false;
  builder.at(region);
}

void Scope::unwind(std::size_t depth) {
  if (frames_.size() <= depth) return;
  while (frames_.size() > depth) exit(ir::Op::Unreachable);
  found_.misuse("a C++ exception left a recorded body: the rest of it cannot be recorded");
}

Frame* Scope::innermost_loop() {
  const std::size_t lowest = bodies.empty() ? 0 : bodies.back().depth;
  for (std::size_t i = frames_.size(); i-- > lowest;)
    if (frames_[i].loop) return &frames_[i];
  return nullptr;
}

bool Scope::leave_loops() {
  bool any = false;
  for (std::size_t i = bodies.back().depth; i < frames_.size(); ++i)
    if (frames_[i].loop) frames_[i].left_by_result = any = true;
  return any;
}

// ---- what was recorded already ------------------------------------------------------------------

detail::mark Scope::mark(detail::node condition) const {
  const ir::RegionId here = builder.region();
  return {condition, here, std::uint32_t(function.regions[here].insts.size())};
}

bool Scope::reaches(const detail::mark& m) const {
  return m.condition.recording == serial && m.region == builder.region() &&
         m.position <= function.regions[m.region].insts.size();
}

std::vector<ir::InstId> Scope::take_tail(ir::RegionId from, std::size_t position) {
  std::vector<ir::InstId>& list = function.regions[from].insts;
  std::vector<ir::InstId> tail(list.begin() + std::ptrdiff_t(position), list.end());
  list.resize(position);
  return tail;
}

void Scope::put(const std::vector<ir::InstId>& insts, ir::RegionId to) {
  for (const ir::InstId i : insts) home_[i] = to, function.regions[to].insts.push_back(i);
}

void Scope::insert_before(ir::InstId before, std::size_t count) {
  std::vector<ir::InstId>& list = function.regions[builder.region()].insts;
  const auto target = std::find(list.begin(), list.end(), before);
  std::rotate(target, list.end() - std::ptrdiff_t(count), list.end());
}

bool Scope::is_cheap(ir::RegionId region, std::size_t from) const {
  const ir::Function& f = function;
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

bool Scope::only_computes(ir::InstId inst) const {
  const ir::Function& f = function;
  const ir::Op op = f.insts[inst].op;
  const ir::Effect effect = ir::info(op).effect;
  const bool computes =
      effect == ir::Effect::Pure || effect == ir::Effect::Read || op == ir::Op::Get;
  if (!computes && op != ir::Op::If && op != ir::Op::Yield) return false;
  for (const ir::RegionId region : f.insts[inst].regions)
    for (const ir::InstId inner : f.regions[region].insts)
      if (!only_computes(inner)) return false;
  return true;
}

bool Scope::has_effects(detail::node n) const {
  const ir::Function& f = function;
  const std::vector<ir::InstId>& list = f.regions[builder.region()].insts;
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

void Scope::hoist_shared() {
  ir::Function& f = function;
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

}  // namespace krait::trace
