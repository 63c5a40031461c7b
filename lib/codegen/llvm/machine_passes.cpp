// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/machine_passes.h"

#include <iterator>

#include <llvm/ADT/STLExtras.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/masked_accesses.h"
#include "codegen/reply.h"

namespace krait::codegen {
namespace {

/// LLVM 22's pass "Compressing EVEX instrs when possible" turns vpmovd2m, which makes a mask of a
/// vector's signs, and a kmov of the mask into one vmovmskps. It drops the mask although a shift
/// that overwrites it still reads it (llvm-project issue 198197), and takes vector registers that
/// vmovmskps cannot name (issue 191304). An instruction without code that reads the mask first
/// keeps the two apart. Of LLVM 23 on the first is repaired; this may go when both are.
class KeepMasks final : public llvm::MachineFunctionPass {
 public:
  static inline char id = 0;
  KeepMasks() : MachineFunctionPass(id) {}
  llvm::StringRef getPassName() const override { return "Krait: keep masks of vectors' signs"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    const llvm::TargetInstrInfo& instructions = *f.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock& block : f)
      for (llvm::MachineInstr& i : block) {
        // By name: numbers of X86's instructions are in no header of LLVM's that is installed.
        const llvm::StringRef name = instructions.getName(i.getOpcode());
        if (!name.starts_with("VPMOV") ||
            !(name.ends_with("2MZ128kr") || name.ends_with("2MZ256kr")))
          continue;
        const llvm::MachineOperand& mask = i.getOperand(0);
        if (mask.isDead()) continue;
        llvm::BuildMI(block, std::next(i.getIterator()), i.getDebugLoc(),
                      instructions.get(llvm::TargetOpcode::KILL))
            .addReg(mask.getReg());
        changed = true;
      }
    return changed;
  }
};

/// LLVM's own pass of this kind ends the process where it finds something.
class Verify final : public llvm::MachineFunctionPass {
 public:
  static inline char id = 0;
  Verify(llvm::StringRef behind, std::string& wrong)
      : MachineFunctionPass(id), behind_("After " + behind.str()), wrong_(wrong) {}
  llvm::StringRef getPassName() const override { return "Krait: verify the machine's code"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& f) override {
    if (!wrong_.empty() || f.getProperties().hasFailsVerification()) return false;  // as LLVM's own
    llvm::raw_string_ostream text(wrong_);
    f.verify(this, behind_.c_str(), &text, false);
    return false;
  }

 private:
  std::string behind_;
  std::string& wrong_;
};

}  // namespace

void MachinePasses::add(llvm::Pass* pass) {
  const llvm::StringRef name = pass->getPassName();
  if (llvm::is_contained(left_out_, name)) return delete pass;  // handed over, as to the base class
  if (name == "Compressing EVEX instrs when possible") PassManager::add(new KeepMasks);
  // Its printer ends the list, and the code is gone behind it.
  if (name.ends_with("Assembly Printer")) selected_ = false;
  if (pass->getPassID() == &llvm::FinalizeISelID) selected_ = true;
  const bool verifies = verified_ && selected_ && pass->getPassKind() == llvm::PT_Function;
  const std::string behind = name.str();  // it may be a text of the pass's, and the list may end it
  PassManager::add(pass);
  if (verifies) PassManager::add(new Verify(behind, wrong_));
}

void MachinePasses::generate(llvm::Module& module) {
  store_lone_lanes(module);
  run(module);
  if (!wrong_.empty()) defect("LLVM's machine verifier rejects the code: " + wrong_);
}

}  // namespace krait::codegen
