// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions without regions, by their families in ops.def: what every back end's switch over
// operations was. A back end derives from StraightLowering and has a function for each family;
// those of operations that most targets never see are here, and say which pass should have replaced
// them.
#pragma once

#include <fmt/core.h>

#include "codegen/reply.h"
#include "ir/ir.h"

namespace krait::codegen {

template <class Back>
class StraightLowering {
 protected:
  void by_family(const ir::Inst& i) {
    using ir::Op;
    Back& to = static_cast<Back&>(*this);
    // Rows of ops.def are cases by their family: a new function needs no line here. There is no
    // default, so the compiler names an operation that has no case.
    switch (i.op) {
      case Op::Const: return to.constant(i);
#define KRAIT_VALUE(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.pure(i);
#define KRAIT_MATH(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.function(i);
#define KRAIT_POSITION(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.position(i);
      case Op::Extent: return to.extent(i);
      case Op::Stride: return to.stride(i);
      case Op::Shared:
      case Op::Local: return to.array(i);
      case Op::SharedOf: return to.shared_of(i);
      case Op::Load: return to.load(i);
      case Op::Store: return to.store(i);
      case Op::LoadVec: return to.load_vec(i);
      case Op::StoreVec: return to.store_vec(i);
#define KRAIT_ATOMIC(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.atomic(i);
#define KRAIT_BARRIER(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.barrier(i);
      case Op::Fence: return to.fence(i);
      case Op::WarpSize:
      case Op::LaneId:
#define KRAIT_WARP(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.warp(i);
      case Op::Uniform: return to.uniform(i);
#define KRAIT_TILE(Name, ...) case Op::Name:
#include "krait/ops.def"
        return to.tile(i);
      case Op::Clock: return to.clock(i);
      case Op::Nanosleep: return to.nanosleep(i);
      case Op::Poll: return to.poll(i);
      case Op::Assume: return to.assume(i);
      case Op::Slot:
      case Op::Get:
      case Op::Set: return to.slot(i);
      case Op::Call: return to.call(i);
#define KRAIT_REPORT(Name, ...) case Op::Name:
#include "krait/ops.def"
        return left_by("lower_reports", i);
      case Op::If:
      case Op::Switch:
#define KRAIT_LOOP(Name, ...) case Op::Name:
#define KRAIT_END(Name, ...) case Op::Name:
#include "krait/ops.def"
        return left_by("control flow", i);
    }
  }

  [[noreturn]] void left_by(const char* what, const ir::Inst& i) const {
    defect(fmt::format("{}: {} should not have left it", ir::info(i.op).name, what));
  }
  void shared_of(const ir::Inst& i) { left_by("run_pipeline", i); }  // refused
  void assume(const ir::Inst& i) { left_by("drop_assumptions", i); }
  void tile(const ir::Inst& i) { left_by("expand_tiles", i); }
  void poll(const ir::Inst& i) { left_by("mark_polls", i); }  // the CPU's
};

}  // namespace krait::codegen
