// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles by VK_KHR_cooperative_matrix, and copies of pieces to shared memory. A matrix
// is made of each thread's elements, and these are taken out of it again: the device lays matrices
// as ir/tiles.h does, which Feature::Coop says.
#pragma once

#include <map>

#include "codegen/spirv/kit/frame.h"
#include "ir/tiles.h"
#include "ir/walk.h"

namespace krait::codegen::spirv {

class Memory;

class Tiles : public Part {
 public:
  Tiles(Frame& frame, Memory& memory) : Part(frame), memory_(memory), uses_(ir::use_counts(f_)) {}
  void product(const ir::Inst& i);
  void product_end(const ir::Inst& i);
  void copy(const ir::Inst& i);
  /// Copies load first, one behind the other, and store before the next instruction that is more
  /// than arithmetic: the driver keeps accesses in their order, and would wait for each load.
  void before(const ir::Inst& i);
  /// Loops with products are not unrolled: NVIDIA's driver made 404 KB of a product's kernel, which
  /// ran at a fifth of the speed (H100, driver 580).
  static bool multiplies_in(const ir::Function& f, const ir::Inst& loop);
  /// Sums that a loop carries from product to product, and that nothing else reads there, are
  /// matrices until its end: taken apart each time they would cost five times what the products do
  /// (H100, driver 580).
  void enter_loop(const ir::Inst& loop);
  void leave_loop(const ir::Inst& loop);

 private:
  /// How a product's sums are cut into matrices.
  struct Sums {
    explicit Sums(const ir::Inst& product, const ir::Function& f);
    ir::ThreadTile tile;
    std::int64_t down, across;  // matrices
    /// Number n of the sums of a matrix.
    std::size_t of(std::int64_t r, std::int64_t b, std::int64_t n) const;
  };
  /// A factor: its array, where it begins there, and how it lies.
  struct Factor {
    ir::ValueId array;
    Id offset;
    ir::SharedTile tile;
    bool along_k;       // k runs along the tile's rows
    Id type;            // of a matrix
    Id first;           // row or column of the warp
    bool whole_strips;  // first is a column, and a multiple of a strip's
    std::map<std::pair<std::int64_t, std::int64_t>, Id> starts;
  };
  Id u32(spv::Op op, Id x, Id y) { return e_.op(op, Scalar::U32, {x, y}); }
  Id add(Id x, std::int64_t c) { return c ? u32(spv::Op::OpIAdd, x, e_.u32(std::uint32_t(c))) : x; }
  Id sums_type();
  /// Of the values of these numbers.
  template <class ValueOf>
  std::vector<Id> put_together(const Sums& s, const ValueOf& value_of);
  template <class Define>
  void take_apart(const Sums& s, const std::vector<Id>& matrices, const Define& define);
  Id matrix_type(Id component, std::uint32_t rows, std::uint32_t columns, std::uint32_t use);
  Id component(Scalar s);
  Id place(const ir::SharedTile& tile, Id row, Id column);
  Id element(const Factor& f, Id row, Id column);
  Id word(Factor& f, std::int64_t fixed, std::int64_t k);
  bool is_loaded(const Factor& f) const { return f.tile.padded && arrays_[f.array].pieces; }
  Id load(Factor& f, std::int64_t fixed, std::int64_t k, std::uint32_t use);
  Id pair(Id low, Id high);
  Id matrix(const Factor& f, std::initializer_list<Id> words, Id component);

  Memory& memory_;
  const std::vector<std::uint32_t> uses_;  // by ValueId
  struct Loaded {
    ir::ValueId array, index;
    Id piece;
  };
  std::vector<Loaded> loaded_;                            // what before() stores
  std::map<const ir::Inst*, ir::ProductChain> chains_;    // by loop
  std::map<const ir::Inst*, std::vector<Id>> variables_;  // by product: where its sums are
  // the lane's place among the lanes of a row, and its row
  Id in_four_ = 0, in_eight_ = 0;
};

}  // namespace krait::codegen::spirv
