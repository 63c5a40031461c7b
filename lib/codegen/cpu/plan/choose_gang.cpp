// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/cpu/plan/choose_gang.h"

#include <algorithm>
#include <bit>

#include <fmt/core.h>

#include "codegen/cpu/plan/gang_cost.h"
#include "ir/walk.h"
#include "support/tuning/cpu.h"
#include "support/tuning/gangs.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;

class Choice {
 public:
  Choice(const ir::Module& module, const Traits& traits, Shape& shape)
      : module_(module), f_(module.kernel()), traits_(traits), shape_(shape), facts_(f_.facts) {
    if (f_.block[0]) facts_.set_block(f_.block[0], f_.block[1], f_.block[2]);
  }
  Gang run();

 private:
  std::int64_t short_row() const;
  bool may_pack() const;
  bool in_blocks() const;
  bool is_lone_thread() const;
  bool may_be_scalar() const;
  bool choose_scalar(unsigned active);
  bool choose_group(const GangCost& wide, unsigned active);
  void widen();
  bool fit(unsigned threads);
  void fit_row(std::int64_t threads);
  void block_of_gangs();
  void fit_plane();
  void lay_bricks();

  const ir::Module& module_;
  const ir::Function& f_;
  const Traits& traits_;
  Shape& shape_;
  ir::Facts facts_;
  Gang gang_;
};

/// Threads of a block that is one row shorter than 32 threads; 0: it is longer, or not known.
std::int64_t Choice::short_row() const {
  if (!facts_.one_row) return 0;
  const std::int64_t threads = f_.block[0] ? f_.block[0] : facts_.brick.x;
  return threads < ir::Brick::threads ? threads : 0;
}

/// Threads that do not meet and know of x only the global one lie in rows of the grid: a block may
/// be narrower than a vector. Those with atomics may wait for a block before theirs. Those that
/// wait for any lie in blocks, which the launcher runs beside each other.
bool Choice::in_blocks() const {
  return traits_.stride_loop == ir::none &&
         (traits_.block_ids || (traits_.row_ids && traits_.atomics) || traits_.polls ||
          traits_.warps || traits_.barriers || traits_.shared);
}

/// Whether threads of several blocks of one row may run in one gang, which then differ in their
/// block's number too: they share nothing but the grid.
bool Choice::may_pack() const {
  return short_row() > 1 && !(traits_.row_ids && traits_.atomics) && !traits_.polls &&
         !traits_.warps && !traits_.barriers && !traits_.shared && !traits_.strides_within &&
         !ir::any_inst(f_, [](const ir::Inst& i) { return i.op == Op::Uniform; });
}

/// Blocks of one thread, each of which walks through a chunk of its own, are scalar code: vectors
/// would have one lane with a thread. (Of blocks whose threads all lie along z the facts do not
/// tell how many there are.)
bool Choice::is_lone_thread() const {
  return facts_.brick.x == 1 && facts_.brick.y == 1 && !facts_.brick.whole;
}

/// Whether any thread may run alone: none waits for the others of its warp or block.
bool Choice::may_be_scalar() const {
  return shape_.parts == 0 && !traits_.warps && (!traits_.barriers || traits_.atomics) &&
         !traits_.polls && !traits_.strides_within;
}

/// A gang no wider than a group of threads that do the same, as four that share a row of blocks:
/// where a wider one's lanes would wait for each other, and a narrow one's do not.
bool Choice::choose_group(const GangCost& wide, unsigned active) {
  constexpr unsigned widest = 8, narrowest = 4;  // lanes; of two, each does as well alone
  for (unsigned lanes = widest; lanes >= narrowest; lanes /= 2) {
    Shape group = shape_;
    group.lanes = lanes, group.parts = 1;
    if (lanes > shape_.lanes) continue;
    const GangCost cost =
        cost_of(module_, traits_, group, std::min(active ? active : ~0u, group.gang()));
    if (cost.diverges || cost.lane > std::min(wide.lane, wide.scalar)) continue;
    shape_ = group;
    gang_.why = fmt::format(
        "{} threads do the same: a thread takes about {:.0f} cycles as a lane "
        "of a wider gang, {:.0f} of this one, {:.0f} as scalar code",
        lanes, wide.lane, cost.lane, wide.scalar);
    return true;
  }
  return false;
}

/// Scalar code, where lanes in step would cost a thread far more. `active`: threads that share a
/// gang; 0: as many as it has lanes.
bool Choice::choose_scalar(unsigned active) {
  if (!may_be_scalar()) return false;
  Shape vectors = shape_;
  vectors.parts = choose_parts(module_, traits_, vectors, is_block(shape_.layout));
  if (vectors.gang() == 1) return false;
  const GangCost cost =
      cost_of(module_, traits_, vectors, std::min(active ? active : ~0u, vectors.gang()));
  if (cost.diverges && choose_group(cost, active)) return true;
  const bool scalar = cost.lane > tuning::gangs::scalar_gain * cost.scalar;
  gang_.why = fmt::format("a thread takes about {:.0f} cycles as a lane, {:.0f} as scalar code",
                          cost.lane, cost.scalar);
  if (!scalar) return false;
  // Atomics of several scalars wait beside each other; where those diverge, branches would be
  // masks.
  shape_.lanes = 1, shape_.parts = traits_.atomics && !cost.diverges ? tuning::cpu::scalars : 1;
  return true;
}

/// More lanes, where what the kernel computes is so narrow that registers of as many lanes as a
/// register has floats would stay half empty: beside a gang of as many threads in more registers.
void Choice::widen() {
  constexpr unsigned widest = 64;
  while (2 * shape_.gang() <= tuning::cpu::largest_gang && 2 * shape_.lanes <= widest) {
    Shape wide = shape_, high = shape_;
    wide.lanes *= 2, high.parts *= 2;
    const double lanes = cost_of(module_, traits_, wide, wide.gang()).lane,
                 parts = cost_of(module_, traits_, high, high.gang()).lane;
    if (lanes > tuning::gangs::wide_gain * parts) return;
    shape_ = wide;
    gang_.why = fmt::format(
        "narrow numbers: a thread takes about {:.1f} cycles, {:.1f} in vectors of half "
        "as many lanes",
        lanes, parts);
  }
}

/// No more lanes than the block has threads, where no other block's may fill the rest.
void Choice::fit_row(std::int64_t threads) {
  if (fit(std::bit_ceil(unsigned(threads))))
    gang_.why =
        fmt::format("blocks have {} threads, and share arrays or wait for each other", threads);
}

/// No more threads than these, a power of two, in a gang. False where it had none more.
bool Choice::fit(unsigned threads) {
  if (threads >= shape_.gang()) return false;
  if (threads < shape_.lanes) shape_.lanes = threads, shape_.parts = 1;
  else shape_.parts = threads / shape_.lanes;
  return true;
}

/// No more lanes than a plane of short rows has threads, as most blocks are one plane: the rest
/// would be lanes of other planes, of which a brick that is not whole has none.
void Choice::fit_plane() {
  const ir::Brick& brick = facts_.brick;
  if (!brick.x || brick.whole || traits_.warps || f_.block[2] > 1) return;
  const unsigned plane = brick.width() * brick.y;
  if (fit(plane)) gang_.why = fmt::format("blocks have planes of {} threads", plane);
}

/// Gangs of several rows where the block's rows are short. Warps are bricks where those are whole.
void Choice::lay_bricks() {
  const ir::Brick& brick = facts_.brick;
  if (!brick.x) return;
  const bool warps = brick.whole && brick.x == brick.width() && shape_.gang() == ir::Brick::threads;
  if (traits_.warps && !warps) return;
  shape_.parts = std::max(std::min(shape_.parts, ir::Brick::threads / shape_.lanes), 1u);
  const unsigned width = std::min(brick.width(), shape_.gang());
  shape_.rows = std::min(shape_.gang() / width, unsigned(brick.y));
  shape_.layers = shape_.gang() / (width * shape_.rows);
  shape_.whole = brick.whole, shape_.filled = brick.x;
}

/// Of a kernel whose threads know their block.
void Choice::block_of_gangs() {
  if (traits_.warps) shape_.parts = std::max(32 / shape_.lanes, 1u);
  const auto& block = f_.block;
  const bool fixed = block[0] && block[1] && block[2];
  const std::int64_t threads = block[0] * block[1] * block[2];
  const bool rows = fixed && (block[0] % shape_.lanes == 0 || block[1] * block[2] == 1);
  const unsigned carried = most_carried(module_),
                 registers = shape_.machine.level == CpuLevel::Avx512 ? 32 : 16;
  // A product of words begins and ends in memory: nothing stays in registers past it, and the code
  // of 16 parts takes LLVM seconds.
  const bool words =
      ir::any_inst(f_, [](const ir::Inst& i) { return i.op == ir::Op::WordProduct; });
  const std::int64_t most = words ? tuning::cpu::usual_parts : tuning::cpu::most_parts;
  if (traits_.barriers && !traits_.warps && rows && threads % shape_.lanes == 0 &&
      threads / shape_.lanes <= most &&
      std::int64_t(carried) * (threads / shape_.lanes) <=
          tuning::cpu::carried_in_memory * registers) {
    shape_.layout = Layout::PartRows;
    shape_.parts = unsigned(threads / shape_.lanes);
    gang_.whole_block = true, gang_.why = "the whole block, without stops at its barriers";
    return;
  }
  if (!traits_.warps && traits_.barriers)
    while (shape_.parts > 1 && (carried * shape_.parts > registers ||
                                shape_.gang() > tuning::cpu::largest_gang_at_barriers))
      shape_.parts /= 2;
  lay_bricks();
  // A row shorter than a gang: one row a part.
  if (!shape_.is_brick() && !traits_.warps && fixed && block[0] % shape_.lanes == 0 &&
      block[0] % shape_.gang() != 0 && threads % shape_.gang() == 0 &&
      block[0] < 2 * std::int64_t(shape_.gang()))
    shape_.layout = Layout::PartRows;
}

Gang Choice::run() {
  const bool packs = in_blocks() && may_pack(), blocks = in_blocks() && !packs;
  shape_.layout = blocks                            ? Layout::Rows
                  : traits_.stride_loop != ir::none ? Layout::Range
                                                    : Layout::Grid;
  const bool open = shape_.parts == 0;
  if (blocks) shape_.lanes = std::min(shape_.lanes, unsigned(ir::Brick::threads));
  if (blocks && !traits_.warps && is_lone_thread()) {
    shape_.lanes = shape_.parts = 1;
    shape_.lone = !traits_.strides_within;  // whose trips go by masks
    gang_.why = "blocks of one thread";
    return gang_;
  }
  const std::int64_t row = blocks ? short_row() : 0;
  if (!choose_scalar(unsigned(row)) && open) {
    shape_.parts = choose_parts(module_, traits_, shape_, blocks);
    if (!blocks && shape_.gang() > 1 && !shape_.machine.quick) widen();
  }
  if (open && row > 1 && !traits_.warps) fit_row(row);
  if (open && blocks && row == 0) fit_plane();
  if (packs) gang_.why = fmt::format("threads of several blocks of {}", short_row());
  // Threads that wait for each other are a gang of a block, however few lanes the target gives.
  shape_.lone = shape_.gang() == 1 && !traits_.strides_within && !traits_.warps &&
                !traits_.barriers && !traits_.polls;
  if (blocks && !shape_.lone) block_of_gangs();
  return gang_;
}

}  // namespace

Gang choose_gang(const ir::Module& module, const Traits& traits, Shape& shape) {
  return Choice(module, traits, shape).run();
}

std::string describe(const Shape& shape) {
  if (shape.lone) return "1 thread, as scalar code";
  return fmt::format("{} threads, {} vector{} of {} lanes", shape.gang(), shape.parts,
                     shape.parts == 1 ? "" : "s", shape.lanes);
}

}  // namespace krait::codegen::cpu
