// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays: those of the thread as allocas, and accesses to all.
#pragma once

#include <optional>
#include <span>

#include "codegen/llvm/scalar.h"

namespace krait::codegen::scalar {

class Memory : public Part {
 public:
  Memory(Code& code, Target& target) : Part(code), target_(target) {}
  void local(const ir::Inst& inst);
  void load(const ir::Inst& inst);
  void store(const ir::Inst& inst);
  void load_vec(const ir::Inst& inst);
  void store_vec(const ir::Inst& inst);

  using Indices = std::span<const ir::ValueId>;
  llvm::Value* address(const Array& array, Indices indices, ir::Scalar access,
                       std::uint64_t offset);

 private:
  void clear(llvm::Value* memory, std::uint64_t bytes);
  /// An element's number: the sum of both.
  struct Index {
    llvm::Value* varying;
    std::int64_t constant = 0;
  };
  Index element_index(const Array& array, Indices indices);
  /// The index of an element in a column: (counter + step) * stride + rest, where `counter` is that
  /// of an unrolled loop.
  struct Column {
    ir::ValueId counter, stride, rest;  // `rest` may be none
    std::uint64_t step;
  };
  std::optional<Column> column_of(ir::ValueId index) const;
  bool is_count(ir::ValueId v, unsigned depth) const;
  llvm::Value* element(const Array& array, llvm::Type* type, Indices indices,
                       std::int64_t& constant);

  Target& target_;
};

}  // namespace krait::codegen::scalar
