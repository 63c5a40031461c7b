// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a launch into chunks for the pool.
#include <algorithm>
#include <cmath>
#include <optional>

#include "runtime/cpu/copies.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/pool.h"
#include "runtime/cpu/tile_registers.h"
#include "runtime/cpu/together.h"
#include "runtime/cpu/waiting.h"
#include "support/error.h"
#include "support/tuning/cpu.h"

namespace krait::runtime::cpu {
namespace {

float fma_f32(float x, float y, float z) { return std::fma(x, y, z); }
double fma_f64(double x, double y, double z) { return std::fma(x, y, z); }

/// In CpuHelper's order.
const void* const all_helpers[] = {
    reinterpret_cast<const void*>(&fma_f32), reinterpret_cast<const void*>(&fma_f64),
    reinterpret_cast<const void*>(&wait_for_blocks), reinterpret_cast<const void*>(&poll),
    reinterpret_cast<const void*>(&may_use_tile_registers)};
static_assert(std::size(all_helpers) == std::size_t(CpuHelper::Count));

/// The caller's floating-point control word comes back at the end.
class FloatControl {
 public:
  FloatControl() : saved_(float_control()) {
    if (saved_ != default_float_control) reset_float_control();
  }
  ~FloatControl() {
    if (saved_ != default_float_control) set_float_control(saved_);
  }
  FloatControl(const FloatControl&) = delete;
  FloatControl& operator=(const FloatControl&) = delete;

 private:
  unsigned saved_;
};

/// How items become chunks: `rows` rows of `width` items; a chunk is some rows, or a piece of one.
struct Plan {
  /// One thread's part in the launch.
  struct Worker {
    const Plan& plan;
    Pool::Scratch scratch;
    const std::byte* args;
    explicit Worker(const Plan& of)
        : plan(of), scratch(*of.pool, of.scratch_bytes + of.copies->bytes()), args(of.args) {
      if (plan.launch.copied) args = plan.copies->fill(scratch.data() + plan.scratch_bytes);
    }
    ~Worker() {
      if (plan.launch.copied) plan.copies->merge(scratch.data() + plan.scratch_bytes);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
  };

  const Code* code;
  const std::byte* args;
  CpuLaunch launch;
  Pool* pool;
  std::int64_t width, rows;
  std::int64_t rows_a_chunk, pieces, piece;  // pieces of a row, items in one
  std::size_t scratch_bytes;                 // a multiple of 64; behind them lie copies
  std::optional<Copies> copies;

  void run(Worker& worker, std::int64_t begin, std::int64_t end, std::int64_t row_begin,
           std::int64_t row_end) const {
    // A range's entry knows no rows: each is the whole range again, for the threads of other y and
    // z.
    const std::int64_t at_once = code->facts().mode == CpuMode::Range ? 1 : row_end - row_begin;
    for (std::int64_t row = row_begin; row < row_end; row += at_once) {
      const CpuBox box{begin, end, row, row + at_once};
      code->entry()(worker.args, &launch, &box, worker.scratch.data());
    }
  }
  void run_chunk(Worker& worker, std::int64_t chunk) const {
    if (pieces > 1) {
      std::int64_t row = chunk / pieces, first = chunk % pieces * piece;
      run(worker, first, std::min(first + piece, width), row, row + 1);
    } else {
      std::int64_t first = chunk * rows_a_chunk;
      run(worker, 0, width, first, std::min(first + rows_a_chunk, rows));
    }
  }
  void work(Pool::Chunks& chunks) const {
    std::int64_t chunk = chunks.take();
    if (chunk < 0) return;
    Worker worker(*this);
    for (; chunk >= 0; chunk = chunks.take()) run_chunk(worker, chunk);
  }
};

std::size_t scratch_for(const Code& code, const CpuLaunch& l) {
  const CpuCode& h = code.facts();
  std::size_t bytes = code.fixed_shared() + std::size_t(l.dynamic_bytes);
  if (h.gang_bytes) {
    const std::int64_t width = std::int64_t(h.lanes) * h.parts / (h.rows * h.layers);
    const auto pieces = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };
    const std::int64_t gangs =
        pieces(l.block[0], width) * pieces(l.block[1], h.rows) * pieces(l.block[2], h.layers);
    bytes += std::size_t(gangs) * h.gang_bytes;
  }
  return bytes;
}

/// Throws where blocks were left in that loop; -1: in none.
void check_waits(const Code& code, std::int64_t loop) {
  if (loop < 0) return;
  const LoopPlace place = code.loop(std::size_t(loop));
  throw error(
      error::kind_type::usage,
      fmt::format("kernel {}: this loop waits for a value that nobody writes: "
                  "all blocks of the launch that have begun wait, for {} s now, "
                  "and no further one can begin. A thread may wait for another block, "
                  "but not for its own. If more than {} blocks wait at once, "
                  "it may not wait for one that has not begun. Put kr::syncthreads() or another "
                  "launch between the write and the read",
                  code.name(), waiting_seconds(), most_together)
          .c_str(),
      place.file.c_str(), place.line);
}

}  // namespace

const void* const* helpers() { return all_helpers; }

void launch(const Code& code, const LaunchRequest& request) {
  const CpuCode& h = code.facts();
  Plan plan{};
  plan.code = &code, plan.args = request.args, plan.pool = &Pool::get();
  for (unsigned d = 0; d < 3; ++d)
    plan.launch.grid[d] = request.grid[d], plan.launch.block[d] = request.block[d];
  plan.launch.dynamic_bytes = (request.dynamic_shared + 63) / 64 * 64;
  plan.launch.helpers = all_helpers;
  plan.scratch_bytes = scratch_for(code, plan.launch);
  FloatControl control;
  const std::int64_t gang = std::int64_t(h.lanes) * h.parts;
  double gangs = 0;
  std::int64_t grain = 1;  // pieces are multiples of it
  if (h.mode == CpuMode::Together) {
    const std::int64_t blocks = request.grid[0] * request.grid[1] * request.grid[2];
    return check_waits(
        code,
        run_together(
            blocks, code.name(),
            [&](std::int64_t block, detail::function_ref<void(detail::function_ref<void()>)> run) {
              const Pool::Scratch scratch(*plan.pool, plan.scratch_bytes);
              const CpuBox box{block, block + 1, 0, 1};
              run([&] { code.entry()(request.args, &plan.launch, &box, scratch.data()); });
            }));
  }
  plan.rows = h.mode == CpuMode::Block || h.mode == CpuMode::Resident
                  ? 1
                  : request.grid[1] * request.block[1] * request.grid[2] * request.block[2];
  switch (h.mode) {
    case CpuMode::Grid:
      plan.width = request.grid[0] * request.block[0];
      grain = gang * 16;
      gangs = double(plan.rows) * double(plan.width) / double(gang);
      break;
    case CpuMode::Range:
      plan.width = code.extent()(request.args, &plan.launch);
      grain = gang * 16;
      gangs = double(plan.rows) * double(plan.width) / double(gang);
      break;
    case CpuMode::Together: return;
    case CpuMode::Resident:
    case CpuMode::Block:
      plan.width = request.grid[0] * request.grid[1] * request.grid[2];
      gangs =
          double(plan.width) *
          std::ceil(double(request.block[0] * request.block[1] * request.block[2]) / double(gang));
      break;
  }
  if (plan.width <= 0) return;
  const double work = gangs * h.item_cost;
  const bool alone = work <= tuning::cpu::small_launch || plan.pool->threads() == 1;
  const std::int64_t most = std::int64_t(plan.pool->threads()) * tuning::cpu::chunks_a_thread;
  const std::int64_t wanted =
      alone ? 1
            : std::clamp(std::int64_t(std::min(work / tuning::cpu::chunk_work, 1e9)),
                         std::int64_t(2), most);
  plan.copies.emplace(h, request, gangs * double(gang),
                      unsigned(std::min(wanted, std::int64_t(plan.pool->threads()))));
  plan.launch.copied = plan.copies->which();
  plan.pool->reserve(plan.scratch_bytes + plan.copies->bytes());
  if (h.mode == CpuMode::Resident)
    return check_waits(
        code, run_resident(
                  *plan.pool, plan.width,
                  [&](detail::function_ref<void(detail::function_ref<void(std::int64_t)>)> take) {
                    Plan::Worker worker(plan);
                    take([&](std::int64_t block) { plan.run(worker, block, block + 1, 0, 1); });
                  }));
  if (alone) {
    Plan::Worker worker(plan);
    return plan.run(worker, 0, plan.width, 0, plan.rows);
  }
  std::int64_t chunks = 0;
  if (plan.rows >= wanted) {
    plan.pieces = 1;
    plan.rows_a_chunk = (plan.rows + wanted - 1) / wanted;
    chunks = (plan.rows + plan.rows_a_chunk - 1) / plan.rows_a_chunk;
  } else {
    plan.pieces = (wanted + plan.rows - 1) / plan.rows;
    plan.piece = (plan.width + plan.pieces - 1) / plan.pieces;
    plan.piece = (plan.piece + grain - 1) / grain * grain;
    plan.pieces = (plan.width + plan.piece - 1) / plan.piece;
    plan.rows_a_chunk = 1;
    chunks = plan.pieces * plan.rows;
  }
  plan.pool->run(
      chunks, [](void* p, Pool::Chunks& left) { static_cast<const Plan*>(p)->work(left); }, &plan);
}

}  // namespace krait::runtime::cpu
