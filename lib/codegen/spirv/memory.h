// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores. Views are addresses: an access computes the element's address and converts it to a pointer of the element's type.
#pragma once

#include "codegen/spirv/frame.h"

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

 private:
  Id kernel_pointer(Id base, ir::ValueId index, std::uint64_t stride, std::uint64_t offset, Id pointee);
  Id index64(ir::ValueId v);
  void need_storage(Scalar s);
  Words operands(const Array& a, unsigned alignment, bool streaming) const;
  Id load_from(const Array& a, Id type, Id pointer, unsigned alignment, bool streaming = false);
  void store_to(const Array& a, Id pointer, Id v, unsigned alignment, bool streaming = false);
  Id load_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s);
  void store_units(ir::ValueId array, ir::ValueId index, std::uint64_t offset, Scalar s, Id v);
};

}  // namespace krait::codegen::spirv
