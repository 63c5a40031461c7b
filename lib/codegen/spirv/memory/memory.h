// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores. Views are addresses: an access computes the element's address and converts it
// to a pointer of the element's type.
#pragma once

#include "codegen/spirv/kit/frame.h"

namespace krait::codegen::spirv {

class Memory : public Part {
 public:
  explicit Memory(Frame& frame) : Part(frame) {}
  void load(const ir::Inst& i);
  void store(const ir::Inst& i);
  void load_vec(const ir::Inst& i);
  void store_vec(const ir::Inst& i);

  Id view_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Id pointee);
  Id unit_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset, unsigned n);

  // Pieces of 16 bytes (ir/tiles.h), as vectors of four words; of a view at elements that are
  // multiples of them.
  Id view_piece(ir::ValueId view, ir::ValueId index);
  /// To an element that is a multiple of a piece, whatever the array is made of.
  void store_piece(ir::ValueId array, ir::ValueId index, Id piece);
  /// Of an array that is made of pieces.
  Id shared_word(ir::ValueId array, Id piece, Id word);
  /// Of an array that is made of its elements.
  Id shared_unit(ir::ValueId array, Id index);

 private:
  Id piece_pointer(ir::ValueId array, ir::ValueId index, std::uint64_t offset);
  Id kernel_pointer(Id base, ir::ValueId index, std::uint64_t stride, std::uint64_t offset,
                    Id pointee);
  Id index64(ir::ValueId v);
  /// An index as a number that is computed and a constant.
  struct Parts {
    Id rest;
    std::int64_t constant = 0;
  };
  Parts parts_of(ir::ValueId index, unsigned depth);
  void need_storage(Scalar s);
  void take_apart(const ir::Inst& i, Id all);
  Words operands(const Array& a, unsigned alignment, bool streaming) const;
  Id load_from(const Array& a, Id type, Id pointer, unsigned alignment, bool streaming = false);
  void store_to(const Array& a, Id pointer, Id v, unsigned alignment, bool streaming = false);
  Id load_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s);
  void store_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s, Id v);
};

}  // namespace krait::codegen::spirv
