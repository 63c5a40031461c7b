// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation for the CPU: choose how threads lie on lanes, lower, optimise, generate, link.
#include "codegen/cpu/cpu.h"

#include <algorithm>
#include <optional>

#include "codegen/cpu/emit/emitter.h"
#include "codegen/cpu/image.h"
#include "codegen/cpu/emit/hint_record.h"
#include "codegen/cpu/lanes/shape.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/walk.h"
#include "support/tuning_cpu.h"

namespace krait::codegen::cpu {
namespace {

/// Gangs of several rows where the block's rows are short. Warps are bricks where those are whole.
void lay_bricks(const ir::Function& f, const Traits& traits, Shape& shape) {
  ir::Facts facts = f.facts;
  if (f.block[0]) facts.set_block(f.block[0], f.block[1], f.block[2]);
  const ir::Brick& brick = facts.brick;
  if (!brick.x) return;
  const bool warps = brick.whole && brick.x == brick.width() && shape.gang() == ir::Brick::threads;
  if (traits.warps && !warps) return;
  shape.parts = std::max(std::min(shape.parts, ir::Brick::threads / shape.lanes), 1u);
  const unsigned width = std::min(brick.width(), shape.gang());
  shape.rows = std::min(shape.gang() / width, unsigned(brick.y));
  shape.layers = shape.gang() / (width * shape.rows);
  shape.whole = brick.whole, shape.filled = brick.x;
}

/// Blocks of one thread, each of which walks through a chunk of its own, are scalar code: vectors
/// would have one lane with a thread. (Of blocks whose threads all lie along z the facts do not
/// tell how many there are.)
bool of_lone_threads(const ir::Function& f) {
  ir::Facts facts = f.facts;
  if (f.block[0]) facts.set_block(f.block[0], f.block[1], f.block[2]);
  return facts.brick.x == 1 && facts.brick.y == 1 && !facts.brick.whole;
}

/// Sets layout and parts; true where the gang is the whole block.
bool choose_layout(const ir::Module& module, const Traits& traits, Shape& shape) {
  const ir::Function& f = module.kernel();
  // Threads that do not meet and know of x only the global one lie in rows of the grid: a block may
  // be narrower than a vector. Those with atomics may wait for a block before theirs. Those that
  // wait for any lie in blocks, which the launcher runs beside each other.
  const bool in_blocks = traits.stride_loop == ir::none &&
                         (traits.block_ids || (traits.row_ids && traits.atomics) || traits.polls ||
                          traits.warps || traits.barriers || traits.shared);
  choose_scalar(module, traits, shape, in_blocks);
  if (shape.parts == 0) shape.parts = choose_parts(module, traits, shape, in_blocks);
  shape.layout = in_blocks                        ? Layout::Rows
                 : traits.stride_loop != ir::none ? Layout::Range
                                                  : Layout::Grid;
  if (shape.layout == Layout::Grid) shape.lone = shape.gang() == 1 && !traits.strides;
  if (!in_blocks) return false;
  if (!traits.warps && of_lone_threads(f)) {
    shape.lanes = shape.parts = 1;
    shape.lone = !traits.strides;  // whose trips go by masks
    return false;
  }
  if (traits.warps) shape.parts = std::max(32 / shape.lanes, 1u);
  const auto& block = f.block;
  bool fixed = block[0] && block[1] && block[2];
  std::int64_t threads = block[0] * block[1] * block[2];
  bool rows = fixed && (block[0] % shape.lanes == 0 || block[1] * block[2] == 1);
  const unsigned carried = most_carried(module),
                 registers = shape.machine.level == CpuLevel::Avx512 ? 32 : 16;
  if (traits.barriers && !traits.warps && rows && threads % shape.lanes == 0 &&
      threads / shape.lanes <= tuning::cpu::most_parts &&
      std::int64_t(carried) * (threads / shape.lanes) <=
          tuning::cpu::carried_in_memory * registers) {
    shape.layout = Layout::PartRows;
    shape.parts = unsigned(threads / shape.lanes);
    return true;
  }
  if (!traits.warps && traits.barriers)
    while (shape.parts > 1 && (carried * shape.parts > registers ||
                               shape.parts * shape.lanes > tuning::cpu::largest_gang_at_barriers))
      shape.parts /= 2;
  lay_bricks(f, traits, shape);
  // A row shorter than a gang: one row a part.
  if (!shape.is_brick() && !traits.warps && fixed && block[0] % shape.lanes == 0 &&
      block[0] % shape.gang() != 0 && threads % shape.gang() == 0 &&
      block[0] < 2 * std::int64_t(shape.gang()))
    shape.layout = Layout::PartRows;
  return false;
}

}  // namespace

Reply compile(const ir::Module& module, const support::CpuTarget& target, Emit emit, Hints* hints,
              bool verified) {
  const ir::Function& f = module.kernel();
  if (!f.flat) defect("the CPU code generator takes kernels whose accesses are flat");
  // The passes put such functions into the kernel, whose gangs know where they are; a text may come
  // from elsewhere.
  for (std::size_t i = 1; i < module.functions.size(); ++i)
    if (ir::any_inst(module.functions[i], [](const ir::Inst& inst) {
          return ir::info(inst.op).family == ir::Family::Position;
        }))
      unsupported("a function uses a thread or block position, which only a kernel may use");
  initialise_llvm();
  Reply reply;
  Stopwatch watch;
  Traits traits = find_traits(module);
  Shape shape = read_shape(target);
  bool whole_block = choose_layout(module, traits, shape);
  support::Envelope envelope = ir::envelope_of(f, support::TargetKind::Cpu);
  CpuCode own;
  own.level = shape.machine.level;
  own.lanes = shape.lanes, own.parts = shape.parts;
  own.rows = std::uint16_t(shape.rows), own.layers = std::uint16_t(shape.layers);
  own.item_cost = std::max(traits.cost, 1u);
  if ((traits.barriers || traits.loops) && traits.shares_out)
    own.item_cost *= tuning::cpu::trips_of_few_blocks;

  Session session("krait");
  BorrowedMachine machine = borrow_machine(shape.machine);
  session.module().setTargetTriple(machine->getTargetTriple());
  session.module().setDataLayout(machine->createDataLayout());
  std::optional<Record> record;
  if (hints) record.emplace(*hints);
  Functions functions{module, envelope, record ? &*record : nullptr};
  emit_kernel({session.module(), functions, f, shape, traits, whole_block, emit == Emit::Asm, own});
  if (record) record->tell(*hints);
  session.verify();
  reply.lower_ms = watch.lap();
  optimise(session.module(), *machine, shape);
  session.check();
  reply.optimise_ms = watch.lap();
  if (emit == Emit::Llvm) {
    reply.data = session.text();
  } else {
    scalarise_accesses(session.module(), shape, *machine);
    load_constants(session.module(), shape);
    const Order order = is_block(shape.layout) ? Order::Scheduled : Order::AsLowered;
    reply.data = generate(session.module(), *machine, order, emit == Emit::Asm, verified);
    session.check();
    if (emit == Emit::Binary) {
      const std::string image = link_image(reply.data, own, shape.machine.debug);
      envelope.set_own(own);
      envelope.code = image;
      reply.data = support::seal(envelope);
    }
  }
  reply.emit_ms = watch.lap();
  reply.warnings = session.warnings();
  return reply;
}

}  // namespace krait::codegen::cpu
