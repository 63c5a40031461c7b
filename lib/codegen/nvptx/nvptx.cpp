// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice of the LLVM target, the pass pipeline and the emission of PTX.
#include "codegen/nvptx/nvptx.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include "codegen/llvm/machine.h"
#include "codegen/llvm/machine_passes.h"
#include "codegen/nvptx/lower.h"
#include "ir/abi.h"
#include "ir/walk.h"
#include "support/blobs/ptx.h"
#include "support/tuning/gpu.h"

namespace krait::codegen::nvptx {
namespace {

std::unique_ptr<llvm::TargetMachine> create_machine(const support::PtxTarget& on) {
  initialise_llvm();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) defect("LLVM: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, on.name(), fmt::format("+ptx{}", on.isa), options,
                                  llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  if (!machine) defect("LLVM has no machine for NVPTX");
  return machine;
}

// The lowering gives SSA form, so what remains is to clean address arithmetic, rotate loops and
// hoist: 0.3 to 0.7 ms a kernel.
constexpr const char* pipeline =
    "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate<header-duplication>,licm),share-arithmetic,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,simplifycfg<hoist-common-insts;sink-common-insts>";

/// Passes of LLVM's own list for the target that change nothing after those above, or that ptxas
/// does again, and which take a quarter of the time from LLVM IR to PTX.
constexpr llvm::StringRef superfluous[] = {"Straight line strength reduction",  // of large modules
                                           "Early CSE",
                                           "Nary reassociation",
                                           "Speculatively execute instructions",
                                           "Merge contiguous icmps into a memcmp",
                                           "Expand memcmp() to load/stores",
                                           "Constant Hoisting",
                                           "Replace intrinsics with calls to vector library",
                                           "Partially inline calls to library functions",
                                           "GPU Load and Store Vectorizer",
                                           "Peephole Optimizations",
                                           "Machine Instruction Scheduler"};

std::string emit_ptx(llvm::Module& module, llvm::TargetMachine& machine, bool verified) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::ArrayRef<llvm::StringRef> left_out = superfluous;
  if (module.getInstructionCount() <= tuning::gpu::largest_reduced_module)
    left_out = left_out.drop_front();
  MachinePasses passes(verified, left_out);
  constexpr auto assembly = llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, assembly, true))
    defect("LLVM cannot emit PTX");
  passes.generate(module);
  return for_ptxas(text);
}

std::size_t directives_at(llvm::StringRef ptx) {
  const std::size_t body = ptx.find("\n{", ptx.rfind(".entry "));
  if (body == llvm::StringRef::npos) defect("the PTX has no entry");
  return body;
}

}  // namespace

Reply compile(const ir::Module& module, const support::PtxTarget& target, Emit emit,
              bool verified) {
  Stopwatch watch;
  const support::PtxTarget on = support::writable(target);
  support::Envelope envelope = ir::envelope_of(module.kernel(), support::TargetKind::Ptx);
  check_legality(module, envelope.arguments, on.isa);
  BorrowedMachine machine(fmt::format("ptx {} {}", on.name(), on.isa),
                          [&on] { return create_machine(on); });
  Session session(module.kernel().name);
  session.module().setTargetTriple(machine->getTargetTriple());
  session.module().setDataLayout(machine->createDataLayout());
  lower_module(session, module, envelope.arguments, on);
  session.verify();
  Reply reply;
  reply.lower_ms = watch.lap();
  optimise(session.module(), *machine, pipeline, Rare::LeftOut);
  session.check();
  reply.optimise_ms = watch.lap();
  reply.data = emit == Emit::Llvm
                   ? session.text()
                   : with_functions(emit_ptx(session.module(), *machine, verified), module);
  session.check();
  if (emit == Emit::Binary) {
    envelope.fixed_shared = fixed_arrays_in_segment(module.kernel());
    envelope.entry = symbol_name(module.kernel().name);
    // the user has said what to take
    const bool resident = module.kernel().facts.resident;
    if (module.kernel().bounds != ir::Bounds{}) envelope.registers = 0;
    else if (resident) envelope.registers = tuning::gpu::two_blocks_registers;
    else if (envelope.elements > 1 && reply.data.size() <= tuning::gpu::longest_compiled_twice)
      envelope.registers = tuning::gpu::full_registers;
    else if (ir::any_inst(module.kernel(),
                          [](const ir::Inst& i) { return i.op == ir::Op::Barrier; }) &&
             !ir::any_inst(module.kernel(),
                           [](const ir::Inst& i) { return i.op == ir::Op::Product; }))
      envelope.registers = tuning::gpu::two_blocks_registers;
    envelope.set_own(support::PtxCode{directives_at(reply.data),
                                      overlap_on(on, module.kernel()) == ir::Overlap::Second,
                                      resident});
    envelope.code = reply.data;
    reply.data = support::seal(envelope);
  }
  reply.emit_ms = watch.lap();
  reply.warnings = session.warnings();
  return reply;
}

}  // namespace krait::codegen::nvptx
