// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block mode: blocks one after another, their threads in gangs.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Arguments;
class LoopSlots;
class Control;
class Gangs;
class HintNotes;
class Positions;
class WordProducts;

class Blocks : public Part {
 public:
  struct Needs {
    Positions& positions;
    Arguments& arguments;
    LoopSlots& loop_slots;
    Control& control;
    Gangs& gangs;
    HintNotes& notes;
    WordProducts& word_products;
  };
  Blocks(const Common& common, const Needs& needs);
  void emit_blocks();
  /// Gangs of a block: the body, or its segment at hand, at each position. Of a row's threads only
  /// the first `acting` do anything.
  void emit_threads(std::optional<std::int64_t> acting = {});

 private:
  void emit_block(Layout layout);
  void emit_fissioned();
  void emit_bricks();
  V swept();
  void emit_before(ir::ValueId v);

  Positions& positions_;
  WordProducts& word_products_;
  Arguments& arguments_;
  LoopSlots& loop_slots_;
  Control& control_;
  Gangs& gangs_;
  HintNotes& hint_notes_;
};

}  // namespace krait::codegen::cpu
