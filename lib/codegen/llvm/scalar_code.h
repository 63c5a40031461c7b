// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the lowering of scalars have in common: the function under construction, and
// what its values have become.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/numeric.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::scalar {

/// What the functions of a module share.
struct Lowered {
  const ir::Module& module;
  const ir::ArgumentLayout& arguments;
  ir::Calls calls{module};
  std::vector<llvm::Function*> functions{module.functions.size(), nullptr};  // those lowered so far
};

/// An array as its accesses need it.
struct Array {
  llvm::Value* base = nullptr;
  ir::Type type;
  std::array<llvm::Value*, ir::max_rank> extents{}, strides{};  // i64
};

struct Code {
  /// Of one function, after those that it calls.
  Code(Session& of_session, Lowered& of_module, std::size_t function_number);
  Code(const Code&) = delete;

  Session& session;
  Lowered& all;
  const std::size_t number;  // of the function in the module
  const ir::Function& f;
  llvm::IRBuilder<> b;
  llvm::Function* function = nullptr;
  llvm::BasicBlock *entry = nullptr, *exit = nullptr;  // what holds allocas; where `return` goes
  std::vector<llvm::Value*> values;                    // by ValueId; slots: their alloca
  std::map<ir::ValueId, Array> arrays;
  std::optional<DebugLines> lines;
  // of the warp that run what is being lowered; null where only the hardware knows
  llvm::Value* lanes = nullptr;
};

class Part {
 public:
  Part(const Part&) = delete;

 protected:
  explicit Part(Code& code)
      : code_(code),
        f_(code.f),
        context_(code.session.context()),
        b_(code.b),
        values_(code.values),
        arrays_(code.arrays) {}
  ~Part() = default;

  llvm::Value* value(ir::ValueId v) const;
  void set(const ir::Inst& inst, llvm::Value* result) { values_[inst.results.front()] = result; }
  bool is_fast(const ir::Inst& inst) const { return inst.fast || f_.fp == ir::FpMode::Fast; }
  llvm::BasicBlock* new_block(const char* name);
  bool is_written(ir::ValueId array) const;
  void make_strides(Array& array);

  Code& code_;
  const ir::Function& f_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<>& b_;
  std::vector<llvm::Value*>& values_;  // by ValueId
  std::map<ir::ValueId, Array>& arrays_;
};

/// A bool is a byte there.
llvm::Value* to_memory(llvm::IRBuilderBase& b, llvm::Value* v, ir::Scalar s);
llvm::Value* from_memory(llvm::IRBuilderBase& b, llvm::Value* v, ir::Scalar s);

}  // namespace krait::codegen::scalar
