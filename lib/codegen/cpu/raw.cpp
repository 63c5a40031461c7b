// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR that users give: a function of one thread, which takes the items of the argument block
// and where the thread is. The entry that is made around it loads the items and calls it for each
// thread of the blocks in work; LLVM's inliner and vectoriser do the rest.
#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include "codegen/cpu/cpu.h"
#include "codegen/cpu/image/image.h"
#include "codegen/cpu/plan/shape.h"
#include "codegen/llvm/masked_accesses.h"
#include "codegen/llvm/session.h"

namespace krait::codegen::cpu {
namespace {

/// What the function's last parameter points to: thread_idx, block_idx, block_dim and grid_dim, x
/// first, each an i64.
constexpr unsigned thread_at = 0, block_at = 3, block_dim_at = 6, grid_dim_at = 9, place_words = 12;

std::string text_of(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

bool takes(const llvm::Type& type, const RawItem& item) {
  using What = ir::ArgumentSlot::What;
  if (item.slot.what == What::Address || item.slot.what == What::Bytes) return type.isPointerTy();
  const unsigned bits = item.slot.bytes * 8;
  if (item.is_float) return type.isFloatingPointTy() && type.getPrimitiveSizeInBits() == bits;
  return type.isIntegerTy(bits) || (item.slot.bytes == 1 && type.isIntegerTy(1));
}

llvm::Function& find_kernel(llvm::Module& module, const RawText& raw) {
  std::vector<std::string> all;
  for (llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    if (f.getName() == llvm::StringRef(raw.entry)) return f;
    all.push_back(f.getName().str());
  }
  no_entry("LLVM IR", raw.entry, all);
}

void check_parameters(const llvm::Function& f, const std::vector<RawItem>& items) {
  const std::string name = f.getName().str();
  constexpr std::string_view place = "a ptr to where the thread is";
  if (!f.getReturnType()->isVoidTy() || f.isVarArg())
    unsupported(fmt::format(
        "the function {} of the LLVM IR returns {}{}: a kernel must return void and take the "
        "items of the launch",
        name, text_of(*f.getReturnType()),
        f.isVarArg() ? ", and takes any number of parameters" : ""));
  if (f.arg_size() != items.size() + 1)
    unsupported(fmt::format(
        "the function {} of the LLVM IR takes {} parameters, and the launch gives {} and {}:{}",
        name, f.arg_size(), items.size(), place, list_of(items)));
  for (unsigned i = 0; i < items.size(); ++i)
    if (!takes(*f.getArg(i)->getType(), items[i]))
      unsupported(fmt::format(
          "the parameter {} of the LLVM IR's function {} is {}, and the launch gives {}: {}", i + 1,
          name, text_of(*f.getArg(i)->getType()), items[i].type(), items[i].what));
  if (!f.getArg(unsigned(items.size()))->getType()->isPointerTy())
    unsupported(fmt::format(
        "the last parameter of the LLVM IR's function {} is {}, and the launch gives {}", name,
        text_of(*f.getArg(unsigned(items.size()))->getType()), place));
}

/// All of it becomes code for this processor, and part of one image.
void adapt(llvm::Module& module, const llvm::Function& kernel) {
  for (const char* ours : {"entry", "extent"})
    if (llvm::GlobalValue* taken = module.getNamedValue(ours))
      taken->setName(std::string(ours) + ".given");
  for (llvm::GlobalValue& global : module.global_values()) {
    // lists of LLVM's own
    if (global.isDeclaration() || global.getName().starts_with("llvm.")) continue;
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&global)) object->setComdat(nullptr);
    global.setLinkage(llvm::GlobalValue::InternalLinkage);
    global.setVisibility(llvm::GlobalValue::DefaultVisibility);
  }
  for (llvm::Function& f : module) {
    for (const char* of_another : {"target-cpu", "target-features", "tune-cpu"})
      f.removeFnAttr(of_another);
    // LoopNest stay loops: there is no memcpy to call.
    f.addFnAttr("no-builtins");
    const bool stays = f.hasFnAttribute(llvm::Attribute::NoInline) ||
                       f.hasFnAttribute(llvm::Attribute::OptimizeNone);
    if (&f == &kernel && !stays) f.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

/// LoopNest of the entry, one in another.
class LoopNest {
 public:
  explicit LoopNest(llvm::IRBuilder<>& b) : b_(b) {}
  /// Goes into a loop from `begin` to `end`.
  llvm::Value* begin(llvm::Value* from, llvm::Value* to) {
    llvm::Function* f = b_.GetInsertBlock()->getParent();
    llvm::LLVMContext& c = f->getContext();
    Loop l{llvm::BasicBlock::Create(c, "head", f), llvm::BasicBlock::Create(c, "after", f),
           nullptr};
    auto* body = llvm::BasicBlock::Create(c, "body", f);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    b_.CreateBr(l.head);
    b_.SetInsertPoint(l.head);
    l.at = b_.CreatePHI(b_.getInt64Ty(), 2);
    l.at->addIncoming(from, before);
    b_.CreateCondBr(b_.CreateICmpSLT(l.at, to), body, l.after);
    b_.SetInsertPoint(body);
    open_.push_back(l);
    return l.at;
  }
  /// Leaves the loops that are open.
  void end() {
    for (; !open_.empty(); open_.pop_back()) {
      const Loop& l = open_.back();
      l.at->addIncoming(b_.CreateAdd(l.at, b_.getInt64(1), "", true, true), b_.GetInsertBlock());
      b_.CreateBr(l.head);
      b_.SetInsertPoint(l.after);
    }
  }

 private:
  struct Loop {
    llvm::BasicBlock *head, *after;
    llvm::PHINode* at;
  };
  llvm::IRBuilder<>& b_;
  std::vector<Loop> open_;
};

/// CpuEntry, in the mode of blocks.
void emit_entry(llvm::Module& module, llvm::Function& kernel, const std::vector<RawItem>& items) {
  llvm::LLVMContext& c = module.getContext();
  llvm::IRBuilder<> b(c);
  llvm::Type *address = b.getPtrTy(), *word = b.getInt64Ty();
  auto* entry = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {address, address, address, address}, false),
      llvm::GlobalValue::ExternalLinkage, "entry", module);
  entry->addFnAttr("no-builtins");
  llvm::Argument *args = entry->getArg(0), *launch = entry->getArg(1), *box = entry->getArg(2);
  args->addAttr(llvm::Attribute::NoAlias), launch->addAttr(llvm::Attribute::NoAlias),
      box->addAttr(llvm::Attribute::NoAlias);
  b.SetInsertPoint(llvm::BasicBlock::Create(c, "", entry));
  const auto word_at = [&](llvm::Value* base, std::size_t offset) {
    return b.CreateAlignedLoad(word, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset),
                               llvm::Align(8));
  };
  std::vector<llvm::Value*> passed;
  for (unsigned i = 0; i < items.size(); ++i) {
    const ir::ArgumentSlot& slot = items[i].slot;
    llvm::Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), args, slot.offset);
    llvm::Type* type = kernel.getArg(i)->getType();
    if (slot.what == ir::ArgumentSlot::What::Bytes) passed.push_back(at);
    else if (type->isIntegerTy(1))
      passed.push_back(b.CreateTrunc(b.CreateLoad(b.getInt8Ty(), at), type));
    else passed.push_back(b.CreateAlignedLoad(type, at, llvm::Align(slot.bytes)));
  }
  llvm::Value* place = b.CreateAlloca(llvm::ArrayType::get(word, place_words));
  passed.push_back(place);
  llvm::Value *grid[3], *block[3];
  for (unsigned d = 0; d < 3; ++d) {
    grid[d] = word_at(launch, offsetof(CpuLaunch, grid) + d * 8);
    block[d] = word_at(launch, offsetof(CpuLaunch, block) + d * 8);
  }
  const auto set = [&](unsigned index, llvm::Value* x) {
    b.CreateStore(x, b.CreateConstInBoundsGEP1_64(word, place, index));
  };
  LoopNest loops(b);
  llvm::Value* item =
      loops.begin(word_at(box, offsetof(CpuBox, begin)), word_at(box, offsetof(CpuBox, end)));
  llvm::Value* line = b.CreateUDiv(item, grid[0]);
  llvm::Value* block_idx[] = {b.CreateURem(item, grid[0]), b.CreateURem(line, grid[1]),
                              b.CreateUDiv(line, grid[1])};
  llvm::Value* thread[3];
  for (unsigned d = 3; d-- > 0;) thread[d] = loops.begin(b.getInt64(0), block[d]);
  for (unsigned d = 0; d < 3; ++d)  // for each thread anew, which may have written there
    set(thread_at + d, thread[d]), set(block_at + d, block_idx[d]), set(block_dim_at + d, block[d]),
        set(grid_dim_at + d, grid[d]);
  llvm::CallInst* call = b.CreateCall(&kernel, passed);
  call->setCallingConv(kernel.getCallingConv());
  loops.end();
  b.CreateRetVoid();
}

/// Of a whole module: functions are inlined, and what is left of none goes.
void optimise_module(llvm::Module& module, llvm::TargetMachine& machine) {
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace

Reply compile_raw(const ir::Module& module, const support::CpuTarget& target, const RawText& raw,
                  Emit emit, bool verified) {
  initialise_llvm();
  Reply reply;
  Stopwatch watch;
  const Shape shape = read_shape(target);
  const std::vector<RawItem> items = raw_items(module.kernel());
  Session session("krait");
  session.read(raw.text);
  llvm::Module& given = session.module();
  BorrowedMachine machine = borrow_machine(shape.machine);
  if (const llvm::Triple& triple = given.getTargetTriple();
      !triple.str().empty() && triple.getArch() != llvm::Triple::x86_64)
    unsupported(
        fmt::format("the LLVM IR is for {}, and this processor is an x86-64", triple.str()));
  given.setTargetTriple(machine->getTargetTriple());
  given.setDataLayout(machine->createDataLayout());
  llvm::Function& kernel = find_kernel(given, raw);
  check_parameters(kernel, items);
  CpuCode own;
  own.mode = CpuMode::Block, own.level = shape.machine.level;
  own.item_cost = std::max(kernel.getInstructionCount(), 1u);
  adapt(given, kernel);
  emit_entry(given, kernel, items);
  session.verify();
  reply.lower_ms = watch.lap();
  optimise_module(given, *machine);
  session.check();
  reply.optimise_ms = watch.lap();
  if (emit == Emit::Llvm) {
    reply.data = session.text();
  } else {
    reply.data = generate(given, *machine, Order::Scheduled, emit == Emit::Asm, verified);
    session.check();
    if (emit == Emit::Binary) {
      const std::string image = link_image(reply.data, own, false);
      support::Envelope envelope = ir::envelope_of(module.kernel(), support::TargetKind::Cpu);
      envelope.set_own(own);
      envelope.code = image;
      reply.data = support::seal(envelope);
    }
  }
  reply.emit_ms = watch.lap();
  return reply;
}

}  // namespace krait::codegen::cpu
