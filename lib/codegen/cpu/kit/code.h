// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that is lowered, and the code that it becomes: what every part of the emitter reads,
// and the blocks that all of them write.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>

#include "codegen/cpu/kit/arith.h"
#include "codegen/cpu/plan/divergence.h"
#include "codegen/cpu/plan/guarded_row.h"
#include "codegen/cpu/kit/functions.h"
#include "codegen/cpu/kit/lowered.h"
#include "codegen/cpu/plan/shape.h"
#include "codegen/cpu/plan/block_strided.h"

namespace llvm {
class AllocaInst;
class Function;
class IRBuilderBase;
class LLVMContext;
class Module;
class Twine;
class Type;
}  // namespace llvm

namespace krait::codegen {
class DebugLines;
}

namespace krait::codegen::cpu {

class Fissioned;
class Variables;

/// What one compilation lowers and how: the arguments of an Emitter.
struct Task {
  llvm::Module& module;
  Functions& functions;
  const ir::Function& f;
  const Shape& shape;
  const Traits& traits;
  bool whole_block = false;  // the gang is the block, whose size the kernel fixes
  // with the user's source lines; with those of a debugger where the shape asks
  bool lines = false;
  CpuCode& own;
};

class Code {
 public:
  Code(llvm::IRBuilderBase& builder, const Task& task);
  Code(const Code&) = delete;
  ~Code();

  Block new_block(const char* name);
  /// Ends the builder's block.
  void branch_to(Block target);
  void start(Block block);
  /// for (i = from; i < to; i += step) body(i)
  void count_loop(V from, V to, V step, const llvm::Twine& name, llvm::function_ref<void(V)> body);
  /// Memory in the function's frame.
  llvm::AllocaInst* room(llvm::Type* type, const char* name, unsigned alignment = 0);
  /// Makes `function` the one that is lowered, whose first block is for `room`.
  void begin(llvm::Function* made);
  /// Ends the first block, by a branch to the one behind it, and the source lines.
  void finish();
  /// Whose instructions the function may use.
  void set_machine(llvm::Function& of) const;
  /// Source lines of the function from here on, where they are asked for.
  void begin_lines();
  /// What follows is no line of the user's: the loops around a gang, and its mask.
  void leave_lines();

  bool is_large() const;
  /// In functions that would be large with every lane's own code, and where code is to be made
  /// quickly.
  bool lanes_in_loops() const;

  /// Waits for the launch's other blocks.
  void wait_for_blocks();

  llvm::IRBuilderBase& b;
  llvm::LLVMContext& c;
  llvm::Module& m;
  Functions& functions;
  const ir::Function& f;
  Shape shape;
  const Traits& traits;
  const bool whole_block, wants_lines;
  CpuCode& own;
  std::array<V, unsigned(CpuHelper::Count)> helpers{};
  Arithmetic arith;
  Divergence d;
  std::size_t operations = 0;       // of the function
  std::vector<std::uint32_t> uses;  // by ValueId
  llvm::Function* function = nullptr;
  std::unique_ptr<DebugLines> lines;
  std::unique_ptr<Variables> variables;  // where a debugger is to show them
  bool one_lane = false;  // code for one lane of a gang, whose place is known (control/one_lane.h)
  bool open = true;       // the builder's block has no terminator yet
  std::optional<GuardedRow> guarded;      // where the grid's rows are cut to what it lets in
  std::optional<BlockStridedLoop> sweep;  // how the gangs of a block share a row out
  Fissioned* cut = nullptr;               // of a kernel that is cut at its barriers

 private:
  Block allocas_ = nullptr;  // the entry block, closed last
};

}  // namespace krait::codegen::cpu
