// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that are no control flow: each goes to the part of the emitter that lowers it.
#pragma once

#include "codegen/cpu/kit/part.h"
#include "codegen/straight.h"

namespace krait::codegen::cpu {

class Arguments;
class Atomics;
class Calls;
class ClampedLoads;
class Members;
class Memory;
class Positions;
class Pure;
class Warp;
class WordProducts;
struct InRow;

class Straight : public Part, private StraightLowering<Straight> {
 public:
  struct Needs {
    Positions& positions;
    Arguments& arguments;
    Pure& pure;
    ClampedLoads& clamped_loads;
    Memory& memory;
    Members& members;
    Atomics& atomics;
    Warp& warp;
    Calls& calls;
    WordProducts& word_products;
    const InRow& in_row;
  };
  Straight(const Common& common, const Needs& needs) : Part(common), to_(needs) {}
  void emit(ir::InstId id);

 private:
  friend StraightLowering<Straight>;
  void constant(const ir::Inst& inst);
  void pure(const ir::Inst& inst);
  void function(const ir::Inst& inst);
  void position(const ir::Inst& inst);
  void extent(const ir::Inst& inst);
  void stride(const ir::Inst& inst);
  void array(const ir::Inst& inst);
  void load(const ir::Inst& inst);
  void store(const ir::Inst& inst);
  void load_vec(const ir::Inst& inst);
  void store_vec(const ir::Inst& inst);
  void atomic(const ir::Inst& inst);
  void barrier(const ir::Inst& inst);
  void fence(const ir::Inst& inst);
  void warp(const ir::Inst& inst);
  void uniform(const ir::Inst& inst);
  void tile(const ir::Inst& inst);
  void clock(const ir::Inst& inst);
  void nanosleep(const ir::Inst& inst);
  void poll(const ir::Inst& inst);
  void slot(const ir::Inst& inst);
  void call(const ir::Inst& inst);
  ir::InstId number_of(const ir::Inst& inst) const { return ir::InstId(&inst - f_.insts.data()); }

  const Needs to_;
};

}  // namespace krait::codegen::cpu
