// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions without regions: each goes to the part of its kind.
#pragma once

#include <set>

#include "codegen/spirv/kit/frame.h"
#include "codegen/spirv/numeric/sums.h"
#include "codegen/straight.h"

namespace krait::codegen::spirv {

class Arguments;
class Atomics;
class Calls;
class Lines;
class Memory;
class Positions;
class Pure;
class Sync;
class Tiles;
class Variables;
class Warp;

class Straight : public Part, private StraightLowering<Straight> {
 public:
  struct Needs {
    Positions& positions;
    Arguments& arguments;
    Variables& variables;
    Memory& memory;
    Sync& sync;
    Atomics& atomics;
    Warp& warp;
    Tiles& tiles;
    Pure& pure;
    Calls& calls;
    Lines& lines;
  };
  Straight(Frame& frame, const Needs& needs) : Part(frame), to_(needs) {
    if (e_.kernel() && e_.has(Feature::Sums)) sums_ = sums_of_loops(f_);
  }
  /// What follows is lowered for this instruction: its line, how exact it is, and what messages
  /// name.
  void begin(const ir::Inst& i);
  void lower(const ir::Inst& i);

 private:
  friend StraightLowering<Straight>;
  void constant(const ir::Inst& i);
  void pure(const ir::Inst& i);
  void function(const ir::Inst& i);
  void position(const ir::Inst& i);
  void extent(const ir::Inst& i);
  void stride(const ir::Inst& i);
  void array(const ir::Inst& i);
  void load(const ir::Inst& i);
  void store(const ir::Inst& i);
  void load_vec(const ir::Inst& i);
  void store_vec(const ir::Inst& i);
  void atomic(const ir::Inst& i);
  void barrier(const ir::Inst& i);
  void fence(const ir::Inst& i);
  void warp(const ir::Inst& i);
  void uniform(const ir::Inst& i);
  void tile(const ir::Inst& i);
  void clock(const ir::Inst& i);
  void nanosleep(const ir::Inst& i);
  void slot(const ir::Inst& i);
  void call(const ir::Inst& i);

  const Needs to_;
  std::set<const ir::Inst*> sums_;  // additions whose terms may come in any order in fast mode
};

}  // namespace krait::codegen::spirv
