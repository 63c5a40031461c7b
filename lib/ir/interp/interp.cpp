// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a launch: blocks one after another, all threads of a block together. A region runs under the
// mask of the threads that reach it and gives the mask of those that fall through its end;
// continue, break and return take threads out on the way.
#include "ir/interp/interp.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "ir/interp/cooperation.h"
#include "ir/interp/memory.h"
#include "ir/interp/state.h"
#include "ir/interp/turns.h"
#include "ir/report.h"
#include "ir/walk.h"
#include "support/float_environment.h"
#include "support/product.h"

namespace krait::ir {
namespace interpreter {

std::int64_t signed_value(std::uint64_t bits, Scalar s) {
  const unsigned unused = is_signed_int(s) ? 64 - bits_of(s) : 0;
  return std::int64_t(bits << unused) >> unused;
}

namespace {

std::int64_t blocks_of(const Launch& launch) {
  return launch.grid[0] * launch.grid[1] * launch.grid[2];
}

class Interpreter {
 public:
  /// `turns`: of a launch whose blocks meet, in which this one runs a single block.
  Interpreter(const Module& module, const Launch& launch, std::span<const Argument> arguments,
              const InterpretOptions& options, RaceDetector& races, Turns* turns = nullptr)
      : s_(module, launch, arguments, options), races_(races), turns_(turns) {}
  /// All blocks, one after another.
  const Outcome& run();
  const Outcome& run(std::int64_t block);
  State& state() { return s_; }

 private:
  /// The innermost loop that runs.
  struct Loop {
    const Inst* inst;
    const Region* body;
    unsigned first_carried;  // index of the first carried value among the region's parameters
    Mask next, done;         // threads that go to the next trip, that left by break or end of trips
  };

  void run_block(std::int64_t number);
  Mask run_region(RegionId r, Mask active);
  Mask leave_region(const Inst& inst, RegionId r, const Mask& active);
  Mask run_if(const Inst& inst, const Mask& active);
  Mask run_switch(const Inst& inst, const Mask& active);
  Mask run_loop(const Inst& inst, const Mask& active);
  Mask run_call(const Inst& inst, const Mask& active);
  void next_trip(Loop& loop, Mask& running, std::uint64_t trip);
  void run_pure(const Inst& inst, LaneFunction function, const Mask& active);
  void run_effect(const Inst& inst, const Mask& active);
  void position(const Inst& inst, const Mask& active);
  void report(const Inst& inst, const Mask& active);
  void assume(const Inst& inst, const Mask& active);
  void meet(const Inst& inst);
  void poll(const Inst& inst, const Mask& active);

  State s_;
  RaceDetector& races_;
  Turns* const turns_;
  Cooperation cooperation_{s_};
  Memory memory_{s_, cooperation_, races_};
  Mask returned_{s_.words};
  Loop* loop_ = nullptr;
  std::vector<std::uint64_t> scratch_;
  std::uint64_t steps_ = 0, clock_ = 0;
  std::chrono::steady_clock::time_point waits_since_;  // that a loop has found nothing new
};

// ---- regions ------------------------------------------------------------------------------------

Mask Interpreter::run_region(RegionId r, Mask active) {
  for (const InstId id : s_.f().regions[r].insts) {
    const Inst& inst = s_.f().insts[id];
    if (s_.options.max_steps && ++steps_ > s_.options.max_steps)
      s_.stop(fmt::format("more than {} instructions ran{}", s_.options.max_steps, s_.where(inst)));
    if (s_.now->functions[id]) {
      run_pure(inst, s_.now->functions[id], active);
    } else if (is_terminator(inst.op)) {
      return leave_region(inst, r, active);
    } else if (inst.op == Op::Call) {
      active = run_call(inst, active);
      if (active.none()) return active;
    } else if (inst.regions.empty()) {
      run_effect(inst, active);
    } else {
      active = is_loop(inst.op)    ? run_loop(inst, active)
               : inst.op == Op::If ? run_if(inst, active)
                                   : run_switch(inst, active);
      if (active.none()) return active;
    }
  }
  return active;
}

/// A terminator: moves the operands to where they go on living. The mask of the threads that fall
/// through.
Mask Interpreter::leave_region(const Inst& inst, RegionId r, const Mask& active) {
  Mask through(s_.words);
  if (inst.op == Op::Yield) {
    if (r == s_.f().body) return active;  // run_call takes the results
    const Inst& parent = s_.f().insts[s_.f().regions[r].parent];
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      s_.copy(s_.column(inst.operands[i]), s_.column(parent.results[i]), active);
    through = active;
  } else if (inst.op == Op::Continue) {
    // All operands are read before a parameter is written: they may be parameters of the same
    // region.
    scratch_.resize(std::max(scratch_.size(), inst.operands.size() * s_.stride));
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      s_.copy(s_.column(inst.operands[i]), &scratch_[i * s_.stride], active);
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      s_.copy(&scratch_[i * s_.stride], s_.column(loop_->body->params[loop_->first_carried + i]),
              active);
    loop_->next |= active;
  } else if (inst.op == Op::Break) {
    for (std::size_t i = 0; i < inst.operands.size(); ++i)
      s_.copy(s_.column(inst.operands[i]), s_.column(loop_->inst->results[i]), active);
    loop_->done |= active;
  } else if (inst.op == Op::Return) {
    returned_ |= active;
  } else {
    active.for_each([&](std::size_t lane) {
      s_.fault(inst, [&] { return "reached `unreachable`" + s_.who(lane); });
    });
  }
  return through;
}

Mask Interpreter::run_if(const Inst& inst, const Mask& active) {
  const std::uint64_t* condition = s_.column(inst.operands[0]);
  const Mask yes = active.where([&](std::size_t lane) { return condition[lane] != 0; });
  Mask no = active;
  no.remove(yes);
  Mask through(s_.words);
  if (!yes.none()) through = run_region(inst.regions[0], yes);
  if (!no.none()) through |= inst.regions.size() > 1 ? run_region(inst.regions[1], no) : no;
  return through;
}

Mask Interpreter::run_switch(const Inst& inst, const Mask& active) {
  const std::uint64_t* selector = s_.column(inst.operands[0]);
  const Scalar type = s_.f().type_of(inst.operands[0]).scalar;
  Mask through(s_.words), rest = active;
  for (std::size_t i = 0; i < inst.regions.size(); ++i) {
    const bool last = i + 1 == inst.regions.size();
    const Mask taken = last ? rest : rest.where([&](std::size_t lane) {
      return signed_value(selector[lane], type) == inst.list[i];
    });
    rest.remove(taken);
    if (!taken.none()) through |= run_region(inst.regions[i], taken);
  }
  return through;
}

Mask Interpreter::run_loop(const Inst& inst, const Mask& active) {
  const unsigned bounds = inst.op == Op::Loop ? 0 : 1;
  Loop loop{&inst, &s_.f().regions[inst.regions[0]], bounds, Mask(s_.words), Mask(s_.words)};
  for (std::size_t i = bounds; i < inst.operands.size(); ++i)
    s_.copy(s_.column(inst.operands[i]), s_.column(loop.body->params[i]), active);
  Loop* const outer = loop_;
  Mask running = active;
  for (std::uint64_t trip = 0;; ++trip) {
    if (bounds) next_trip(loop, running, trip);
    if (running.none()) break;
    loop_ = &loop;
    loop.next = Mask(s_.words);
    run_region(inst.regions[0], running);
    running = loop.next;
  }
  loop_ = outer;
  return loop.done;
}

/// The callee's results go from where its body yields them to the call's.
Mask Interpreter::run_call(const Inst& inst, const Mask& active) {
  State::Frame* const caller = s_.now;
  State::Frame* const callee = &s_.frame(inst.imm);
  const Function& g = *callee->f;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    if (s_.f().type_of(inst.operands[i]).is_array())
      callee->array_of[g.params()[i]] = caller->array_of[inst.operands[i]];
    else s_.copy(s_.column(inst.operands[i]), callee->column(g.params()[i]), active);
  }
  Loop* const loop = std::exchange(loop_, nullptr);
  s_.now = callee;
  const Mask through = run_region(g.body, active);
  s_.now = caller;
  loop_ = loop;
  const std::vector<ValueId>& yields = g.insts[g.regions[g.body].insts.back()].operands;
  for (std::size_t i = 0; i < inst.results.size() && i < yields.size(); ++i)
    s_.copy(callee->column(yields[i]), s_.column(inst.results[i]), through);
  return through;
}

/// Of `for` and `grid_stride`: sets the index; threads whose trips have ended leave with the
/// carried values.
void Interpreter::next_trip(Loop& loop, Mask& running, std::uint64_t trip) {
  const Inst& inst = *loop.inst;
  const std::uint64_t* bound = s_.column(inst.operands[0]);
  std::uint64_t* index = s_.column(loop.body->params[0]);
  Mask ended(s_.words);
  if (inst.op == Op::For) {
    ended = running.where([&](std::size_t lane) { return trip >= bound[lane]; });
    running.for_each([&](std::size_t lane) { index[lane] = trip; });
  } else {
    const std::int64_t step = s_.launch.grid[0] * s_.launch.block[0];
    ended = running.where([&](std::size_t lane) {
      std::int64_t i = s_.block_index[0] * s_.launch.block[0] + s_.thread_index(lane, 0);
      // An index that would leave i64 is above every bound.
      const bool overflow = trip && __builtin_add_overflow(std::int64_t(index[lane]), step, &i);
      index[lane] = std::uint64_t(i);
      return overflow || i >= std::int64_t(bound[lane]);
    });
  }
  if (ended.none()) return;
  for (std::size_t i = 0; i < inst.results.size(); ++i)
    s_.copy(s_.column(loop.body->params[loop.first_carried + i]), s_.column(inst.results[i]),
            ended);
  running.remove(ended);
  loop.done |= ended;
}

// ---- instructions -------------------------------------------------------------------------------

void Interpreter::run_pure(const Inst& inst, LaneFunction function, const Mask& active) {
  std::uint64_t* out = s_.column(inst.results[0]);
  const std::uint64_t* in[3] = {};
  for (unsigned first = 0; first < s_.words;) {
    unsigned end = first;
    while (end < s_.words && active.word(end)) ++end;
    if (end > first) {
      const std::size_t from = std::size_t(first) * 64,
                        to = std::min(std::size_t(end) * 64, s_.threads);
      for (std::size_t i = 0; i < inst.operands.size(); ++i)
        in[i] = s_.column(inst.operands[i]) + from;
      function(in, out + from, to - from);
    }
    first = end + 1;
  }
}

void Interpreter::position(const Inst& inst, const Mask& active) {
  std::uint64_t* out = s_.column(inst.results[0]);
  const auto d = unsigned(inst.imm);
  const std::int64_t start = inst.op == Op::GlobalId ? s_.block_index[d] * s_.launch.block[d] : 0;
  active.for_each(
      [&](std::size_t lane) { out[lane] = std::uint64_t(start + s_.thread_index(lane, d)); });
}

/// A line or a fault for each thread.
void Interpreter::report(const Inst& inst, const Mask& active) {
  if (inst.op == Op::Print && !s_.options.print) return;
  std::vector<Scalar> types;
  for (const ValueId v : inst.operands) types.push_back(s_.f().type_of(v).scalar);
  active.for_each([&](std::size_t lane) {
    const auto text = [&] {
      std::vector<std::uint64_t> bits;
      for (const ValueId v : inst.operands) bits.push_back(s_.column(v)[lane]);
      return format(inst.text, types, bits);
    };
    if (inst.op == Op::Print) s_.options.print(text());
    else s_.fault(inst, [&] { return text() + s_.who(lane); });
  });
}

void Interpreter::assume(const Inst& inst, const Mask& active) {
  const std::uint64_t* holds = s_.column(inst.operands[0]);
  active.for_each([&](std::size_t lane) {
    if (!holds[lane]) s_.fault(inst, [&] { return broken_assumption + s_.who(lane); });
  });
}

/// A loop in which all threads wait for what nothing writes while they do: blocks run one after
/// another, and lanes in step. Only the host could still write it.
void Interpreter::poll(const Inst& inst, const Mask& active) {
  constexpr std::uint64_t looks_every = 1024;
  const std::uint64_t* trips = s_.column(inst.operands[0]);
  std::uint64_t least = ~std::uint64_t(0);
  std::size_t first = s_.threads;
  active.for_each([&](std::size_t lane) {
    least = std::min(least, trips[lane]);
    if (first == s_.threads) first = lane;
  });
  if (least == 0 || least % looks_every) return;
  using Clock = std::chrono::steady_clock;
  if (least == looks_every || waits_since_ == Clock::time_point()) waits_since_ = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (std::chrono::duration<double>(Clock::now() - waits_since_).count() < s_.options.patience)
    return;
  s_.fault(inst, [&] {
    return "this loop waits for a value that nobody writes. The interpreter runs blocks one after "
           "another, and the threads of a block in step: a thread can wait only for an earlier block" +
           s_.who(first);
  });
  throw Stop{};
}

void Interpreter::run_effect(const Inst& inst, const Mask& active) {
  const auto d = unsigned(inst.imm);
  switch (inst.op) {
    case Op::Const:
    case Op::Shared:
    case Op::Fence: break;  // set up before; memory has one order here
    case Op::ThreadIdx:
    case Op::GlobalId: position(inst, active); break;
    case Op::BlockIdx: s_.fill(inst.results[0], std::uint64_t(s_.block_index[d]), active); break;
    case Op::BlockDim: s_.fill(inst.results[0], std::uint64_t(s_.launch.block[d]), active); break;
    case Op::GridDim: s_.fill(inst.results[0], std::uint64_t(s_.launch.grid[d]), active); break;
    case Op::GlobalSize:
      s_.fill(inst.results[0], std::uint64_t(s_.launch.grid[d] * s_.launch.block[d]), active);
      break;
    case Op::Extent:
      s_.fill(inst.results[0], std::uint64_t(s_.array(inst.operands[0]).extents[d]), active);
      break;
    case Op::Stride:
      s_.fill(inst.results[0], std::uint64_t(s_.array(inst.operands[0]).strides[d]), active);
      break;
    case Op::WarpSize: s_.fill(inst.results[0], std::uint64_t(s_.launch.warp_size), active); break;
    case Op::LaneId:
      active.for_each([&](std::size_t lane) {
        s_.column(inst.results[0])[lane] = lane % unsigned(s_.launch.warp_size);
      });
      break;
    case Op::SharedOf:
      s_.copy(s_.column(inst.operands[1]), s_.column(inst.results[0]), active);
      break;
    case Op::Local: {
      Array& a = s_.array(inst.results[0]);
      active.for_each([&](std::size_t lane) {
        std::fill_n(a.data + lane * a.thread_bytes, a.thread_bytes, std::byte{});
      });
      break;
    }
    case Op::Load: memory_.load(inst, active); break;
    case Op::Store: memory_.store(inst, active); break;
    case Op::LoadVec: memory_.load_vector(inst, active); break;
    case Op::StoreVec: memory_.store_vector(inst, active); break;
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
      memory_.atomic(inst, info(inst.op).by, active);
      break;
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
      cooperation_.barrier(inst, active, returned_);
      if ((inst.op == Op::GridBarrier || inst.op == Op::ClusterBarrier) && turns_) meet(inst);
      break;
    case Op::Product: memory_.product(inst, active); break;
    case Op::WordProduct: memory_.word_product(inst, active); break;
    case Op::ProductEnd:
      for (std::size_t i = 0; i < inst.results.size(); ++i)
        s_.copy(s_.column(inst.operands[i]), s_.column(inst.results[i]), active);
      break;
    case Op::CopyRow:
    case Op::CopyBack: memory_.copy_row(inst, active); break;
    case Op::CopyTile: memory_.copy_tile(inst, active); break;
    case Op::CopyGroup:
    case Op::CopyWait: break;  // copies are done at once
    case Op::WarpSync: cooperation_.warp_barrier(active); break;
    case Op::Ballot:
    case Op::WarpAny:
    case Op::WarpAll: cooperation_.ballot(inst, active); break;
    case Op::Shuffle: cooperation_.shuffle(inst, active); break;
    case Op::MatchAny: cooperation_.match_any(inst, active); break;
    case Op::WarpPrefixCount: cooperation_.prefix_count(inst, active); break;
    case Op::WarpReduce:
    case Op::WarpScan: cooperation_.combine(inst, active); break;
    case Op::Uniform: cooperation_.uniform(inst, active); break;
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
      report(inst, active);
      break;
    case Op::Clock: s_.fill(inst.results[0], ++clock_, active); break;
    case Op::Nanosleep: break;
    case Op::Poll: poll(inst, active); break;
    case Op::Assume: assume(inst, active); break;
    case Op::Slot: s_.copy(s_.column(inst.operands[0]), s_.column(inst.results[0]), active); break;
    case Op::Get: s_.copy(s_.column(inst.operands[0]), s_.column(inst.results[0]), active); break;
    case Op::Set: s_.copy(s_.column(inst.operands[1]), s_.column(inst.operands[0]), active); break;
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
      s_.stop(fmt::format("{}.{} has not been expanded{}", info(inst.op).name,
                          name_of(inst.type.scalar), s_.where(inst)));
      // Run by their lane functions; here only where the operation does not have the type.
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
      s_.stop(fmt::format("{} has no type {}{}", info(inst.op).name, name_of(inst.type.scalar),
                          s_.where(inst)));
    // Run as control flow.
    case Op::If:
    case Op::Switch:
    case Op::Call:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
      s_.stop(fmt::format("{} without its regions{}", info(inst.op).name, s_.where(inst)));
  }
}

/// Of a launch's or cluster's other blocks: nobody stays behind.
void Interpreter::meet(const Inst& inst) {
  const std::size_t missing = turns_->meet();
  if (!missing) return;
  s_.fault(inst, [&] {
    return fmt::format(
        "{}: {} of {} blocks do not arrive, block ({}, {}, {})", info(inst.op).name, missing,
        s_.neighbours ? std::int64_t(s_.neighbours->blocks.size()) : blocks_of(s_.launch),
        s_.block_index[0], s_.block_index[1], s_.block_index[2]);
  });
}

void Interpreter::run_block(std::int64_t number) {
  const auto& grid = s_.launch.grid;
  s_.block_number = std::uint64_t(number);
  s_.block_index = {number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]};
  s_.begin_block();
  if (!turns_) races_.begin_block();
  cooperation_.begin_block();
  returned_ = Mask(s_.words);
  run_region(s_.f().body, s_.all);
}

const Outcome& Interpreter::run() {
  try {
    if (s_.outcome.stopped.empty())
      for (std::int64_t b = 0; b < blocks_of(s_.launch); ++b) run_block(b);
  } catch (const Stop&) {
  }
  return s_.outcome;
}

const Outcome& Interpreter::run(std::int64_t block) {
  try {
    if (s_.outcome.stopped.empty()) run_block(block);
  } catch (const Stop&) {
  }
  return s_.outcome;
}

/// Runs blocks that meet, by `run(which, turns)`, and adds up what came of them. `met()`: at each
/// barrier that all have come to.
template <class Run>
void run_together(std::size_t blocks, Outcome& all, const std::function<void()>& met, Run run) {
  Turns turns;
  std::vector<Outcome> outcomes(blocks);
  turns.run(
      blocks,
      [&](std::size_t b) {
        const DefaultFloatEnvironment environment;
        outcomes[b] = run(b, turns);
      },
      met);
  for (Outcome& o : outcomes) {
    if (!all.faults && o.faults) all.fault = std::move(o.fault), all.where = std::move(o.where);
    if (all.stopped.empty()) all.stopped = std::move(o.stopped);
    all.faults += o.faults;
  }
}

/// A launch whose blocks meet at barriers of the grid.
Outcome run_grid(const Module& module, const Launch& launch, std::span<const Argument> arguments,
                 const InterpretOptions& options) {
  RaceDetector races;
  // All of them live as long as the launch, so that no block's memory is another's later.
  std::vector<std::unique_ptr<Interpreter>> blocks(std::size_t(blocks_of(launch)));
  Outcome all;
  run_together(
      blocks.size(), all, [&] { races.order_all(); },
      [&](std::size_t b, Turns& turns) {
        blocks[b] =
            std::make_unique<Interpreter>(module, launch, arguments, options, races, &turns);
        return blocks[b]->run(std::int64_t(b));
      });
  return all;
}

/// One cluster after another, of blocks that see each other's shared memory.
Outcome run_clusters(const Module& module, const Launch& launch,
                     std::span<const Argument> arguments, const InterpretOptions& options) {
  RaceDetector races;
  Outcome all;
  const auto& c = module.kernel().cluster;
  const auto& grid = launch.grid;
  const auto place = [](std::int64_t n, std::int64_t x, std::int64_t y) {
    return std::array{n % x, n / x % y, n / x / y};
  };
  for (std::int64_t k = 0; k < blocks_of(launch) / blocks_of_cluster(c); ++k) {
    const auto cluster = place(k, grid[0] / c[0], grid[1] / c[1]);
    Neighbours neighbours{std::vector<State*>(std::size_t(blocks_of_cluster(c)))};
    std::vector<std::unique_ptr<Interpreter>> blocks(neighbours.blocks.size());
    races.begin_block();
    run_together(
        blocks.size(), all, [&] { races.order_all(); },
        [&](std::size_t rank, Turns& turns) {
          const auto in = place(std::int64_t(rank), c[0], c[1]);
          const auto at = [&](unsigned d) { return cluster[d] * c[d] + in[d]; };
          blocks[rank] =
              std::make_unique<Interpreter>(module, launch, arguments, options, races, &turns);
          State& state = blocks[rank]->state();
          neighbours.blocks[rank] = &state, state.neighbours = &neighbours;
          const Outcome outcome = blocks[rank]->run(at(0) + grid[0] * (at(1) + grid[1] * at(2)));
          state.ended = true;
          return outcome;
        });
    if (!all.stopped.empty()) break;
  }
  return all;
}

}  // namespace
}  // namespace interpreter

namespace {

/// Whether blocks meet at barriers of the grid.
bool meets(const Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(), [](const Function& f) {
    return any_inst(f, [](const Inst& inst) { return inst.op == Op::GridBarrier; });
  });
}

/// Empty, or why the launch cannot be.
std::string refused(const Module& module, const Launch& launch, std::size_t arguments) {
  const Function& f = module.kernel();
  if (f.called) return "launch: the module has no kernel";
  std::int64_t threads = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (launch.block[d] < 1 || launch.grid[d] < 0)
      return fmt::format("launch: dimension {} of the grid or block is not positive", d);
    if (f.block[d] && f.block[d] != launch.block[d])
      return fmt::format("launch: the kernel is made for blocks of {} in dimension {}, not {}",
                         f.block[d], d, launch.block[d]);
    if (launch.block[d] > interpreter::max_threads / threads)
      return fmt::format("launch: more than {} threads in a block", interpreter::max_threads);
    threads *= launch.block[d];
  }
  for (unsigned d = 0; d < 3 && f.in_clusters(); ++d)
    if (launch.grid[d] % f.cluster[d])
      return fmt::format("launch: the grid is not a multiple of clusters of {} in dimension {}",
                         f.cluster[d], d);
  if (launch.warp_size < 1 || launch.warp_size > 64) return "launch: the warp size must be 1 to 64";
  const std::int64_t blocks =
      support::clipped_product(launch.grid[0], launch.grid[1], launch.grid[2]);
  if (support::clipped_product(blocks, threads) > support::most_elements)
    return "launch: more than 2^62 threads";
  if (meets(module) && blocks > most_together)
    return fmt::format("launch: more than {} blocks meet at barriers of the grid", most_together);
  if (arguments != f.params().size())
    return fmt::format("launch: {} arguments for {} parameters", arguments, f.params().size());
  return {};
}

}  // namespace

Outcome run(const Module& module, const Launch& launch, std::span<const Argument> arguments,
            const InterpretOptions& options) {
  const DefaultFloatEnvironment environment;
  Outcome outcome;
  outcome.stopped = refused(module, launch, arguments.size());
  if (!outcome.stopped.empty()) return outcome;
  if (module.kernel().in_clusters())
    return interpreter::run_clusters(module, launch, arguments, options);
  if (meets(module)) return interpreter::run_grid(module, launch, arguments, options);
  interpreter::RaceDetector races;
  return interpreter::Interpreter(module, launch, arguments, options, races).run();
}

std::string interpret(const Module& module, const Launch& launch,
                      std::span<const Argument> arguments, const InterpretOptions& options) {
  const Outcome outcome = run(module, launch, arguments, options);
  std::string text = outcome.fault;
  if (!text.empty() && outcome.where.line)
    text += fmt::format(", {}:{}", outcome.where.file, outcome.where.line);
  if (!text.empty() && !outcome.stopped.empty()) text += '\n';
  return text + outcome.stopped;
}

}  // namespace krait::ir
