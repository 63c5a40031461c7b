// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions, and how arguments and results pass.
#pragma once

#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Arguments;
class EachLane;
class HintNotes;

class Calls : public Part {
 public:
  Calls(const Common& common, Arguments& arguments, EachLane& each_lane, HintNotes& notes)
      : Part(common), arguments_(arguments), each_lane_(each_lane), hint_notes_(notes) {}
  void emit_call(const ir::Inst& inst);

  llvm::Type* packed_type(ir::Scalar s, bool uniform);
  V pack(V x);
  V unpack(V x, ir::Scalar s, bool uniform);
  std::vector<llvm::Type*> passed_types(const Functions::Way& way, ir::ValueId param);

 private:
  const Functions::Made& callee(const Functions::Way& way);
  Functions::Way way_of(const ir::Inst& inst);
  std::vector<V> call_arguments(const ir::Inst& inst, const Functions::Way& way, unsigned p);
  void append_array(std::vector<V>& arguments, ir::ValueId array);
  V call_part(const ir::Inst& inst, const Functions::Way& way, const Functions::Made& made,
              unsigned p);
  void call_by_lane(const ir::Inst& inst);

  Arguments& arguments_;
  EachLane& each_lane_;
  HintNotes& hint_notes_;
};

}  // namespace krait::codegen::cpu
