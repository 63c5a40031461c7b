// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the lowering have in common: a function, and what its values have become.
#pragma once

#include <vector>

#include "codegen/spirv/kit/unit.h"

namespace krait::codegen::spirv {

/// An array of the IR: a view by its address, or a variable.
struct Array {
  ir::Space space{};
  Scalar unit = Scalar::Void;  // what a variable is made of
  bool coherent = false;       // other threads may touch it, in Vulkan's memory model
  bool pieces = false;         // a variable of vectors of 16 bytes (ir/tiles.h)
  Id base = 0;                 // address (u64) or variable
  unsigned param = 0;          // of a view; number of a shared array that is sized at launch
  bool sized_at_launch = false;
  std::vector<Id> extents, strides;  // of a view that is the parameter of a function that is called
};

struct Frame {
  Frame(Unit& all, std::size_t function)
      : unit(all),
        number(function),
        f(all.module.functions[function]),
        ids(f.values.size()),
        arrays(f.values.size()) {}
  Frame(const Frame&) = delete;

  Unit& unit;
  const std::size_t number;  // of the function in the module
  const ir::Function& f;
  std::vector<Id> ids;        // by ValueId
  std::vector<Array> arrays;  // by ValueId
};

class Part {
 public:
  Part(const Part&) = delete;

 protected:
  explicit Part(Frame& frame)
      : unit_(frame.unit),
        f_(frame.f),
        e_(frame.unit.emitter),
        ids_(frame.ids),
        arrays_(frame.arrays) {}
  ~Part() = default;

  Id value(ir::ValueId v) const { return ids_[v]; }
  Scalar scalar(ir::ValueId v) const { return f_.type_of(v).scalar; }
  const std::uint64_t* known(ir::ValueId v) const {
    return f_.is_const(v) ? &f_.def(v)->imm : nullptr;
  }
  void define(const ir::Inst& i, Id id) { ids_[i.results[0]] = id; }

  Unit& unit_;
  const ir::Function& f_;
  Emitter& e_;
  std::vector<Id>& ids_;        // by ValueId
  std::vector<Array>& arrays_;  // by ValueId
};

/// Bytes of a view, in the kernel dialect.
inline Id byte_pointer(Emitter& e) {
  return e.m.globals.pointer_type(spv::StorageClass::CrossWorkgroup, e.m.globals.int_type(8));
}

}  // namespace krait::codegen::spirv
