// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/llvm/machine.h"

#include <map>
#include <mutex>

#include <llvm/Passes/PassBuilder.h>

#include "codegen/llvm/masked_accesses.h"
#include "codegen/llvm/share_arithmetic.h"
#include "codegen/llvm/widen_steps.h"
#include "codegen/reply.h"

namespace krait::codegen {
namespace {

/// Machines that no compilation uses, by what makes them.
struct Idle {
  std::mutex mutex;
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  static Idle& get() {
    // leaked: a parked compilation may come back at the process's end
    static auto* const idle = new Idle;
    return *idle;
  }
};

}  // namespace

BorrowedMachine::BorrowedMachine(std::string key,
                                 const std::function<std::unique_ptr<llvm::TargetMachine>()>& make)
    : key_(std::move(key)) {
  {
    Idle& idle = Idle::get();
    std::lock_guard lock(idle.mutex);
    if (auto node = idle.machines.extract(key_)) machine_ = std::move(node.mapped());
  }
  if (!machine_) machine_ = make();
}

BorrowedMachine::~BorrowedMachine() {
  Idle& idle = Idle::get();
  std::lock_guard lock(idle.mutex);
  idle.machines.emplace(std::move(key_), std::move(machine_));
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, const char* pipeline, Rare rare) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  keep_masked_loads(callbacks);
  llvm::PassBuilder builder(&machine, {}, {}, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::FunctionPassManager& list, auto) {
        if (name == ShareArithmetic::pipeline_name) list.addPass(ShareArithmetic());
        else if (name == WidenSteps::pipeline_name) list.addPass(WidenSteps());
        else return false;
        return true;
      });
  llvm::FunctionPassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    defect("LLVM: " + llvm::toString(std::move(error)));
  for (llvm::Function& function : module) {
    const bool left_out = rare == Rare::LeftOut && function.hasFnAttribute(llvm::Attribute::Cold);
    if (!function.isDeclaration() && !left_out) passes.run(function, functions);
  }
}

}  // namespace krait::codegen
