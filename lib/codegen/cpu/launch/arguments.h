// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch gives: the argument block, the launch itself, the worker's box of it and its
// scratch memory, where shared and large local arrays lie.
#pragma once

#include <map>
#include <vector>

#include "codegen/cpu/kit/part.h"
#include "ir/abi.h"

namespace llvm {
class MDNode;
}

namespace krait::codegen::cpu {

class Positions;

class Arguments : public Part {
 public:
  Arguments(const Common& common, Positions& positions);

  /// Of an entry point's function: its parameters are these.
  void begin(bool extent);
  /// Of a function that is called: it has its arguments' values as parameters, after the launch.
  void begin_called(V launch_of_caller);
  /// Gives the kernel's parameters their values, and its arrays their places.
  void load_arguments();
  V box_field(unsigned index);
  /// An array's extent or stride.
  V extent_of(ir::ValueId array, unsigned dim);
  V stride_of(ir::ValueId array, unsigned dim);
  /// Shared arrays have their places. A thread's own arrays are zeroed where they come to life, for
  /// all lanes.
  void declare_array(const ir::Inst& inst);

  /// Extents and strides of a parameter of a function that is called.
  struct View {
    Few<V> extents, strides;
  };
  std::map<ir::ValueId, View> views;
  // by parameter: whether this launch's workers update copies of their own
  std::map<ir::ValueId, V> copied;
  // by parameter: alias scope of a view, where views are disjoint
  std::vector<llvm::MDNode*> scopes;
  V launch = nullptr;
  V spills = nullptr;  // scratch behind the arrays

 private:
  /// Of CpuLaunch, in 8 bytes.
  enum Field : unsigned { Grid = 0, BlockSize = 3, DynamicBytes = 6, Helpers = 7, Copied = 8 };
  V launch_field(unsigned index);
  void load_helpers();
  void place_arrays();
  void find_copies();

  Positions& positions_;
  const ir::ArgumentLayout& layout_;
  V args_ = nullptr, box_ = nullptr, scratch_ = nullptr;
  // by ValueId: first extent of a shared array that is sized at launch
  std::vector<V> shared_lengths_;
  static constexpr std::uint32_t on_stack = ~std::uint32_t(0);
  // by ValueId: of a shared or large local array in scratch
  std::vector<std::uint32_t> array_offset_;
};

}  // namespace krait::codegen::cpu
