// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles by tensor cores, and asynchronous copies of rows and tiles (ir/tiles.h). A
// product is one wgmma after the other where the target has them and the tiles lie as they must,
// else mma.sync of each warp on pieces that ldmatrix reads.
#pragma once

#include "codegen/llvm/scalar_code.h"
#include "codegen/nvptx/proxy_fences.h"
#include "ir/tiles.h"
#include "support/target.h"

namespace krait::codegen::nvptx {

/// Whether a product becomes wgmma: of the device itself, four warps below each other, factors as
/// K-major tiles or of 16 bits.
bool is_warpgroup_product(const ir::Inst& inst, const ir::Function& f,
                          const support::PtxTarget& on);

class Tiles : scalar::Part {
 public:
  Tiles(scalar::Code& code, const support::PtxTarget& on);
  void lower(const ir::Inst& inst);
  /// Before any instruction: what threads wrote is seen by products and copies to come.
  void before(ir::InstId i);
  /// Before a barrier: what others write after it has been read by all products but the last, which
  /// may run on.
  void before_barrier();
  /// Where the kernel begins.
  void begin();

 private:
  using Value = llvm::Value;
  using Values = std::vector<llvm::Value*>;

  void product(const ir::Inst& inst);
  void warpgroup_product(const ir::Inst& inst);
  void product_end(const ir::Inst& inst);
  void copy(const ir::Inst& inst);
  void copy_back(const ir::Inst& inst);
  void copy_tile(const ir::Inst& inst);
  void copy_group();
  void copy_wait(std::int64_t groups);
  void statement(const std::string& text, const Values& operands, const std::string& inputs);
  Value* phase(Value* group);
  Value* in_view(const ir::Inst& inst, unsigned size);

  Value* number(std::int64_t x) { return b_.getInt32(std::uint32_t(x)); }
  Value* thread();
  /// The warp's number, which every lane has from the first one: ptxas sees that it is uniform.
  Value* warp();
  /// The address in shared memory of an element of an array, 32 bits.
  Value* address(ir::ValueId array, ir::ValueId offset, unsigned elem_bytes);
  Values matrices(Value* address, unsigned count, bool transposed);
  Value* word(Value* first, const ir::SharedTile& tile, Value* row, Value* column, bool down,
              unsigned bytes);
  Value* double_line(const ir::Product& p, std::int64_t k);
  Values left_words(const ir::Product& p, Value* first, Value* row, std::int64_t k);
  Values left_words(const ir::Inst& inst, const ir::ThreadTile& held, std::int64_t i,
                    std::int64_t k);
  Values right_words(const ir::Product& p, Value* first, Value* column, std::int64_t k,
                     unsigned blocks);
  void multiply(const ir::Inst& inst, const ir::Product& p, Value** sums, const Values& left,
                const Values& right);
  Values assemble(const std::string& text, llvm::Type* result, unsigned results,
                  const Values& operands, const std::string& inputs, bool tied, bool effects);

  const support::PtxTarget& on_;
  bool any_warpgroup_ = false, any_overlapped_ = false, any_row_copy_ = false;
  ProxyFences fences_;
  // Of copies of tiles, which one thread asks for and a barrier per group counts. Locals of each
  // thread: groups begun and waited for, and bytes of the group to be.
  Value *barriers_ = nullptr, *begun_ = nullptr, *waited_ = nullptr, *bytes_ = nullptr;
  std::int64_t ring_ = 0;  // barriers, a power of two; 0: the kernel copies no tiles
};

}  // namespace krait::codegen::nvptx
