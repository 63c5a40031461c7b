// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One compilation for the CPU: choose how threads lie on lanes, lower, optimise, generate, link.
#include "codegen/cpu/cpu.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "codegen/cpu/emit/emitter.h"
#include "codegen/cpu/image/image.h"
#include "codegen/cpu/kit/hint_record.h"
#include "codegen/cpu/plan/choose_gang.h"
#include "codegen/cpu/plan/shape.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/walk.h"
#include "support/tuning/cpu.h"

namespace krait::codegen::cpu {
namespace {

/// For people, and for `stats`: a comment in front of the assembly.
std::string gang_line(const Gang& gang, const Shape& shape) {
  return fmt::format("# gang: {}{}{}\n", describe(shape), gang.why.empty() ? "" : ": ", gang.why);
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
  const Gang gang = choose_gang(module, traits, shape);
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
  emit_kernel(
      {session.module(), functions, f, shape, traits, gang.whole_block, emit == Emit::Asm, own});
  if (record) record->tell(*hints);
  session.verify();
  reply.lower_ms = watch.lap();
  optimise(session.module(), *machine, shape, f.facts.small);
  session.check();
  reply.optimise_ms = watch.lap();
  if (emit == Emit::Llvm) {
    reply.data = session.text();
  } else {
    scalarise_accesses(session.module(), shape, *machine);
    load_constants(session.module(), shape);
    const bool few_registers =
        shape.machine.level < CpuLevel::Avx512 && !shape.machine.quick && !shape.machine.debug;
    const Order order =
        is_block(shape.layout) || few_registers ? Order::Scheduled : Order::AsLowered;
    reply.data = generate(session.module(), *machine, order, emit == Emit::Asm, verified);
    session.check();
    if (emit == Emit::Asm) reply.data = gang_line(gang, shape) + reply.data;
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
