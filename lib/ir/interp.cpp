// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a launch: blocks one after another, all threads of a block together. A region runs under the mask of the threads that
// reach it and gives the mask of those that fall through its end; continue, break and return take threads out on the way.
#include "ir/interp.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "ir/interp_state.h"
#include "ir/report.h"
#include "support/float_environment.h"

namespace krait::ir {
namespace interpreter {

std::int64_t signed_value(std::uint64_t bits, Scalar s) {
  const unsigned unused = is_signed_int(s) ? 64 - bits_of(s) : 0;
  return std::int64_t(bits << unused) >> unused;
}

// ---- threads ----------------------------------------------------------------------------------------------------------------

std::int64_t Interpreter::thread_index(std::size_t lane, unsigned dimension) const {
  const auto linear = std::int64_t(lane);
  if (dimension == 0) return linear % launch_.block[0];
  if (dimension == 1) return linear / launch_.block[0] % launch_.block[1];
  return linear / launch_.block[0] / launch_.block[1];
}

Place Interpreter::place_of(std::size_t lane) const {
  const unsigned warp = warp_of(lane);
  return {block_number_, epoch_, warp_epochs_[warp], warp, std::uint32_t(lane)};
}

std::string Interpreter::where(const Inst& inst) const {
  const Location& at = f().locations[inst.loc];
  return inst.loc ? fmt::format(", {}:{}", at.file, at.line) : std::string();
}

std::string Interpreter::who(std::size_t lane) const {
  return fmt::format(", block ({}, {}, {}), thread ({}, {}, {})", block_index_[0], block_index_[1], block_index_[2],
                     thread_index(lane, 0), thread_index(lane, 1), thread_index(lane, 2));
}

// ---- columns ----------------------------------------------------------------------------------------------------------------

void Interpreter::copy(const std::uint64_t* from, std::uint64_t* to, const Mask& active) const {
  for (unsigned w = 0; w < words_; ++w) {
    const std::uint64_t word = active.word(w);
    const std::size_t base = std::size_t(w) * 64;
    if (word == ~std::uint64_t(0)) {
      std::copy_n(from + base, 64, to + base);
      continue;
    }
    for (std::uint64_t rest = word; rest; rest &= rest - 1) {
      const std::size_t lane = base + std::size_t(std::countr_zero(rest));
      to[lane] = from[lane];
    }
  }
}

void Interpreter::fill(ValueId v, std::uint64_t bits, const Mask& active) {
  std::uint64_t* out = column(v);
  active.for_each([&](std::size_t lane) { out[lane] = bits; });
}

// ---- regions ----------------------------------------------------------------------------------------------------------------

Mask Interpreter::run_region(RegionId r, Mask active) {
  for (const InstId id : f().regions[r].insts) {
    const Inst& inst = f().insts[id];
    if (options_.max_steps && ++steps_ > options_.max_steps)
      stop(fmt::format("more than {} instructions ran{}", options_.max_steps, where(inst)));
    if (now_->functions[id]) {
      run_pure(inst, now_->functions[id], active);
    } else if (is_terminator(inst.op)) {
      return leave_region(inst, r, active);
    } else if (inst.op == Op::Call) {
      active = run_call(inst, active);
      if (active.none()) return active;
    } else if (inst.regions.empty()) {
      run_effect(inst, active);
    } else {
      active = is_loop(inst.op) ? run_loop(inst, active) : inst.op == Op::If ? run_if(inst, active) : run_switch(inst, active);
      if (active.none()) return active;
    }
  }
  return active;
}

/// A terminator: moves the operands to where they go on living. The mask of the threads that fall through.
Mask Interpreter::leave_region(const Inst& inst, RegionId r, const Mask& active) {
  Mask through(words_);
  if (inst.op == Op::Yield) {
    if (r == f().body) return active;  // run_call takes the results
    const Inst& parent = f().insts[f().regions[r].parent];
    for (std::size_t i = 0; i < inst.operands.size(); ++i) copy(column(inst.operands[i]), column(parent.results[i]), active);
    through = active;
  } else if (inst.op == Op::Continue) {
    // All operands are read before a parameter is written: they may be parameters of the same region.
    scratch_.resize(std::max(scratch_.size(), inst.operands.size() * stride_));
    for (std::size_t i = 0; i < inst.operands.size(); ++i) copy(column(inst.operands[i]), &scratch_[i * stride_], active);
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      copy(&scratch_[i * stride_], column(loop_->body->params[loop_->first_carried + i]), active);
    loop_->next |= active;
  } else if (inst.op == Op::Break) {
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      copy(column(inst.operands[i]), column(loop_->inst->results[i]), active);
    loop_->done |= active;
  } else if (inst.op == Op::Return) {
    returned_ |= active;
  } else {
    active.for_each([&](std::size_t lane) { fault(inst, [&] { return "reached `unreachable`" + who(lane); }); });
  }
  return through;
}

Mask Interpreter::run_if(const Inst& inst, const Mask& active) {
  const std::uint64_t* condition = column(inst.operands[0]);
  const Mask yes = active.where([&](std::size_t lane) { return condition[lane] != 0; });
  Mask no = active;
  no.remove(yes);
  Mask through(words_);
  if (!yes.none()) through = run_region(inst.regions[0], yes);
  if (!no.none()) through |= inst.regions.size() > 1 ? run_region(inst.regions[1], no) : no;
  return through;
}

Mask Interpreter::run_switch(const Inst& inst, const Mask& active) {
  const std::uint64_t* selector = column(inst.operands[0]);
  const Scalar type = f().type_of(inst.operands[0]).scalar;
  Mask through(words_), rest = active;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) {
    const bool last = i + 1 == inst.regions.size();
    const Mask taken =
        last ? rest : rest.where([&](std::size_t lane) { return signed_value(selector[lane], type) == inst.list[i]; });
    rest.remove(taken);
    if (!taken.none()) through |= run_region(inst.regions[i], taken);
  }
  return through;
}

Mask Interpreter::run_loop(const Inst& inst, const Mask& active) {
  const unsigned bounds = inst.op == Op::Loop ? 0 : 1;
  Loop loop{&inst, &f().regions[inst.regions[0]], bounds, Mask(words_), Mask(words_)};
  for (std::size_t i = bounds; i < inst.operands.size(); ++i)
    copy(column(inst.operands[i]), column(loop.body->params[i]), active);
  Loop* const outer = loop_;
  Mask running = active;
  for (std::uint64_t trip = 0;; ++trip) {
    if (bounds) next_trip(loop, running, trip);
    if (running.none()) break;
    loop_ = &loop;
    loop.next = Mask(words_);
    run_region(inst.regions[0], running);
    running = loop.next;
  }
  loop_ = outer;
  return loop.done;
}

/// The callee's results go from where its body yields them to the call's.
Mask Interpreter::run_call(const Inst& inst, const Mask& active) {
  Frame* const caller = now_;
  Frame* const callee = &frames_[inst.imm];
  const Function& g = *callee->f;
  const auto column_of = [&](const Frame* frame, ValueId v) { return frame->columns.get() + std::size_t(v) * stride_; };
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    if (f().type_of(inst.operands[i]).is_array()) callee->array_of[g.params()[i]] = caller->array_of[inst.operands[i]];
    else copy(column(inst.operands[i]), column_of(callee, g.params()[i]), active);
  }
  Loop* const loop = std::exchange(loop_, nullptr);
  now_ = callee;
  const Mask through = run_region(g.body, active);
  now_ = caller;
  loop_ = loop;
  const std::vector<ValueId>& yields = g.insts[g.regions[g.body].insts.back()].operands;
  for (std::size_t i = 0; i < inst.results.size() && i < yields.size(); ++i)
    copy(column_of(callee, yields[i]), column(inst.results[i]), through);
  return through;
}

/// Of `for` and `grid_stride`: sets the index; threads whose trips have ended leave with the carried values.
void Interpreter::next_trip(Loop& loop, Mask& running, std::uint64_t trip) {
  const Inst& inst = *loop.inst;
  const std::uint64_t* bound = column(inst.operands[0]);
  std::uint64_t* index = column(loop.body->params[0]);
  Mask ended(words_);
  if (inst.op == Op::For) {
    ended = running.where([&](std::size_t lane) { return trip >= bound[lane]; });
    running.for_each([&](std::size_t lane) { index[lane] = trip; });
  } else {
    const std::int64_t step = launch_.grid[0] * launch_.block[0];
    ended = running.where([&](std::size_t lane) {
      std::int64_t i = block_index_[0] * launch_.block[0] + thread_index(lane, 0);
      // An index that would leave i64 is above every bound.
      const bool overflow = trip && __builtin_add_overflow(std::int64_t(index[lane]), step, &i);
      index[lane] = std::uint64_t(i);
      return overflow || i >= std::int64_t(bound[lane]);
    });
  }
  if (ended.none()) return;
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    copy(column(loop.body->params[loop.first_carried + i]), column(inst.results[i]), ended);
  running.remove(ended);
  loop.done |= ended;
}

// ---- instructions -----------------------------------------------------------------------------------------------------------

void Interpreter::run_pure(const Inst& inst, LaneFunction function, const Mask& active) {
  std::uint64_t* out = column(inst.results[0]);
  const std::uint64_t* in[3] = {};
  for (unsigned first = 0; first < words_;) {
    unsigned end = first;
    while (end < words_ && active.word(end)) ++end;
    if (end > first) {
      const std::size_t from = std::size_t(first) * 64, to = std::min(std::size_t(end) * 64, threads_);
      for (std::size_t i = 0; i < inst.operands.size(); ++i) in[i] = column(inst.operands[i]) + from;
      function(in, out + from, to - from);
    }
    first = end + 1;
  }
}

void Interpreter::position(const Inst& inst, const Mask& active) {
  std::uint64_t* out = column(inst.results[0]);
  const auto d = unsigned(inst.imm);
  const std::int64_t start = inst.op == Op::GlobalId ? block_index_[d] * launch_.block[d] : 0;
  active.for_each([&](std::size_t lane) { out[lane] = std::uint64_t(start + thread_index(lane, d)); });
}

/// A line or a fault for each thread.
void Interpreter::report(const Inst& inst, const Mask& active) {
  if (inst.op == Op::Print && !options_.print) return;
  std::vector<Scalar> types;
  for (const ValueId v : inst.operands) types.push_back(f().type_of(v).scalar);
  active.for_each([&](std::size_t lane) {
    const auto text = [&] {
      std::vector<std::uint64_t> bits;
      for (const ValueId v : inst.operands) bits.push_back(column(v)[lane]);
      return format(inst.text, types, bits);
    };
    if (inst.op == Op::Print) options_.print(text());
    else fault(inst, [&] { return text() + who(lane); });
  });
}

void Interpreter::run_effect(const Inst& inst, const Mask& active) {
  const auto d = unsigned(inst.imm);
  switch (inst.op) {
    case Op::Const:
    case Op::Shared:
    case Op::Fence: break;  // set up before; memory has one order here
    case Op::ThreadIdx:
    case Op::GlobalId: position(inst, active); break;
    case Op::BlockIdx: fill(inst.results[0], std::uint64_t(block_index_[d]), active); break;
    case Op::BlockDim: fill(inst.results[0], std::uint64_t(launch_.block[d]), active); break;
    case Op::GridDim: fill(inst.results[0], std::uint64_t(launch_.grid[d]), active); break;
    case Op::GlobalSize: fill(inst.results[0], std::uint64_t(launch_.grid[d] * launch_.block[d]), active); break;
    case Op::Extent: fill(inst.results[0], std::uint64_t(array(inst.operands[0]).extents[d]), active); break;
    case Op::Stride: fill(inst.results[0], std::uint64_t(array(inst.operands[0]).strides[d]), active); break;
    case Op::WarpSize: fill(inst.results[0], std::uint64_t(launch_.warp_size), active); break;
    case Op::LaneId:
      active.for_each([&](std::size_t lane) { column(inst.results[0])[lane] = lane % unsigned(launch_.warp_size); });
      break;
    case Op::Local: {
      Array& a = array(inst.results[0]);
      active.for_each([&](std::size_t lane) { std::fill_n(a.data + lane * a.thread_bytes, a.thread_bytes, std::byte{}); });
      break;
    }
    case Op::Load: load(inst, active); break;
    case Op::Store: store(inst, active); break;
    case Op::LoadVec: load_vector(inst, active); break;
    case Op::StoreVec: store_vector(inst, active); break;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      atomic(inst, info(inst.op).by, active);
      break;
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      barrier(inst, active);
      break;
    case Op::WarpSync: warp_barrier(active); break;
    case Op::Ballot:
    case Op::WarpAny:
    case Op::WarpAll: ballot(inst, active); break;
    case Op::Shuffle: shuffle(inst, active); break;
    case Op::MatchAny: match_any(inst, active); break;
    case Op::WarpReduce:
    case Op::WarpScan: combine(inst, active); break;
    case Op::Uniform: uniform(inst, active); break;
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      report(inst, active);
      break;
    case Op::Slot: copy(column(inst.operands[0]), column(inst.results[0]), active); break;
    case Op::Get: copy(column(inst.operands[0]), column(inst.results[0]), active); break;
    case Op::Set: copy(column(inst.operands[1]), column(inst.operands[0]), active); break;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      stop(fmt::format("{}.{} has not been expanded{}", info(inst.op).name, name_of(inst.type.scalar), where(inst)));
      // Run by their lane functions; here only where the operation does not have the type.
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      stop(fmt::format("{} has no type {}{}", info(inst.op).name, name_of(inst.type.scalar), where(inst)));
    // Run as control flow.
    case Op::If:
    case Op::Switch:
    case Op::Call:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
      stop(fmt::format("{} without its regions{}", info(inst.op).name, where(inst)));
  }
}

}  // namespace interpreter

namespace {

/// Empty, or why the launch cannot be.
std::string refused(const Function& f, const Launch& launch, std::size_t arguments) {
  if (f.called) return "launch: the module has no kernel";
  std::int64_t threads = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (launch.block[d] < 1 || launch.grid[d] < 0)
      return fmt::format("launch: dimension {} of the grid or block is not positive", d);
    if (f.block[d] && f.block[d] != launch.block[d])
      return fmt::format("launch: the kernel is made for blocks of {} in dimension {}, not {}", f.block[d], d, launch.block[d]);
    if (launch.block[d] > interpreter::max_threads / threads)
      return fmt::format("launch: more than {} threads in a block", interpreter::max_threads);
    threads *= launch.block[d];
  }
  if (launch.warp_size < 1 || launch.warp_size > 64) return "launch: the warp size must be 1 to 64";
  if (arguments != f.params().size()) return fmt::format("launch: {} arguments for {} parameters", arguments, f.params().size());
  return {};
}

}  // namespace

Outcome run(const Module& module, const Launch& launch, std::span<const Argument> arguments, const InterpretOptions& options) {
  const DefaultFloatEnvironment environment;
  Outcome outcome;
  outcome.stopped = refused(module.kernel(), launch, arguments.size());
  return outcome.stopped.empty() ? interpreter::Interpreter(module, launch, arguments, options).run() : outcome;
}

std::string interpret(const Module& module, const Launch& launch, std::span<const Argument> arguments,
                      const InterpretOptions& options) {
  const Outcome outcome = run(module, launch, arguments, options);
  std::string text = outcome.fault;
  if (!text.empty() && outcome.where.line) text += fmt::format(", {}:{}", outcome.where.file, outcome.where.line);
  if (!text.empty() && !outcome.stopped.empty()) text += '\n';
  return text + outcome.stopped;
}

}  // namespace krait::ir
