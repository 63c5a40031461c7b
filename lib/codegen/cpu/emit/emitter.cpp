// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emitter's parts put together, and the functions around them: the kernel's entry points, and
// functions that are called.
#include "codegen/cpu/emit/emitter.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/access/addresses.h"
#include "codegen/cpu/launch/arguments.h"
#include "codegen/cpu/access/atomics.h"
#include "codegen/cpu/control/blocks.h"
#include "codegen/cpu/control/branches.h"
#include "codegen/cpu/emit/call.h"
#include "codegen/cpu/control/loop_slots.h"
#include "codegen/cpu/access/clamped_loads.h"
#include "codegen/cpu/control/control.h"
#include "codegen/cpu/lanes/each_lane.h"
#include "codegen/cpu/launch/gangs.h"
#include "codegen/cpu/lanes/lane_bounds.h"
#include "codegen/cpu/control/loops.h"
#include "codegen/cpu/control/one_lane.h"
#include "codegen/cpu/access/members.h"
#include "codegen/cpu/access/memory.h"
#include "codegen/cpu/emit/float_quotients.h"
#include "codegen/cpu/emit/hint_notes.h"
#include "codegen/cpu/launch/row_gangs.h"
#include "codegen/cpu/lanes/positions.h"
#include "codegen/cpu/emit/pure.h"
#include "codegen/cpu/access/row_accesses.h"
#include "codegen/cpu/emit/straight.h"
#include "codegen/cpu/lanes/warp.h"
#include "codegen/cpu/emit/word_products.h"
#include "codegen/llvm/session.h"
#include "ir/walk.h"

namespace krait::codegen::cpu {
namespace {

using ir::Op;
using ir::Scalar;

class Emitter {
 public:
  explicit Emitter(const Task& task)
      : builder_(task.module.getContext()),
        code_(builder_, task),
        values_(code_),
        lanes_(code_, values_) {}
  Emitter(const Emitter&) = delete;

  void emit_kernel();
  Functions::Made emit_called(const Functions::Way& way);

 private:
  void start_function(const char* name, bool extent);
  void emit_extent();
  void emit_range(V begin, V end);
  void emit_grid();
  void create_called(const Functions::Way& way, llvm::Type* result);
  void bind_parameters(const Functions::Way& way);
  void return_results(llvm::Type* result, const Functions::Made& made, const Exit& exit);
  void find_divergence();

  llvm::IRBuilder<> builder_;
  Code code_;
  Values values_;
  Lanes lanes_;
  const Common common_{code_, values_, lanes_};
  LoopSlots loop_slots_{common_};
  EachLane each_lane_{common_};
  Positions positions_{common_};
  Arguments arguments_{common_, positions_};
  Addresses addresses_{common_, arguments_, each_lane_};
  HintNotes hint_notes_{common_, arguments_, addresses_};
  LaneBounds lane_bounds_{common_};
  FloatQuotients float_quotients_{common_};
  Pure pure_{common_, float_quotients_, lane_bounds_, hint_notes_};
  ClampedLoads clamped_loads_{common_, lane_bounds_, pure_};
  Rows rows_{common_, addresses_, hint_notes_};
  InRow in_row_;
  Memory memory_{common_, {positions_, each_lane_, addresses_, rows_, hint_notes_, in_row_}};
  Members members_{common_, addresses_, rows_, memory_, hint_notes_};
  Atomics atomics_{common_, arguments_, each_lane_, addresses_, memory_, hint_notes_};
  Warp warp_{common_, each_lane_};
  Calls calls_{common_, arguments_, each_lane_, hint_notes_};
  WordProducts word_products_{common_, addresses_};
  Straight straight_{common_,
                     {positions_, arguments_, pure_, clamped_loads_, memory_, members_, atomics_,
                      warp_, calls_, word_products_, in_row_}};
  Control control_{common_, straight_, branches_, loops_};
  OneLane one_lane_{common_, control_, straight_};
  Branches branches_{common_, control_, one_lane_, lane_bounds_, pure_, hint_notes_};
  Loops loops_{common_, {positions_, loop_slots_, control_, lane_bounds_, pure_, hint_notes_}};
  Gangs gangs_{common_, control_, loops_};
  RowGangs row_gangs_{common_, arguments_, gangs_, in_row_};
  Blocks blocks_{
      common_,
      {positions_, arguments_, loop_slots_, control_, gangs_, hint_notes_, word_products_}};
};

void Emitter::find_divergence() {
  code_.d =
      cpu::find_divergence(code_.f, code_.functions.calls, code_.shape, code_.traits.stride_loop);
}

// ---- the kernel ---------------------------------------------------------------------------------

void Emitter::start_function(const char* name, bool extent) {
  llvm::Type* p = builder_.getPtrTy();
  llvm::FunctionType* type =
      extent ? llvm::FunctionType::get(builder_.getInt64Ty(), {p, p}, false)
             : llvm::FunctionType::get(builder_.getVoidTy(), {p, p, p, p}, false);
  llvm::Function* function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, code_.m);
  code_.begin(function);
  for (unsigned i = 0; i < function->arg_size(); ++i)
    function->addParamAttr(i, llvm::Attribute::NoAlias);
  arguments_.begin(extent);
  code_.start(code_.new_block("arguments"));
}

void Emitter::emit_extent() {
  start_function("extent", true);
  arguments_.load_arguments();
  for (ir::InstId id : code_.f.regions[code_.f.body].insts) {
    if (id == code_.traits.stride_loop) break;
    control_.emit_inst(id);
  }
  builder_.CreateRet(values_.scalar(code_.f.insts[code_.traits.stride_loop].operands[0]));
  code_.finish();
}

void Emitter::emit_range(V begin, V end) {
  const ir::Function& f = code_.f;
  const ir::Inst& loop = f.insts[code_.traits.stride_loop];
  for (ir::InstId id : f.regions[f.body].insts) {
    if (id == code_.traits.stride_loop) break;
    control_.emit_inst(id);
  }
  const bool split = gangs_.splits();
  const ir::ValueId index = f.regions[loop.regions[0]].params[0];
  const auto place = [&](V x) { values_.set(index, {Lowered::Form::Linear, {x}, 1}); };
  auto plane = row_gangs_.find_plane();
  if (!plane || !split) return gangs_.emit_gangs(begin, end, split, place);
  const V plain = row_gangs_.plain_rows(*plane);
  gangs_.emit_gangs(begin, end, split, place, [&](V x, V last) {
    return row_gangs_.emit_in_plane(*plane, plain, x, last, place);
  });
}

void Emitter::emit_grid() {
  const V begin = arguments_.box_field(0), end = arguments_.box_field(1);
  if (code_.shape.layout == Layout::Range) return emit_range(begin, end);
  const V height = builder_.CreateMul(positions_.grid[1], positions_.block[1]);
  const V last = arguments_.box_field(3), first = arguments_.box_field(2);
  const auto& row = code_.guarded;
  const bool split = gangs_.splits() ||
                     (row && branches_.gains_from_whole(code_.f.insts[row->guard], row->guarded));
  code_.count_loop(first, last, builder_.getInt64(1), "row", [&](V number) {
    Position& at = positions_.at;
    at.y = number, at.z = builder_.getInt64(0);
    if (code_.traits.uses_y_or_z)
      at.y = builder_.CreateURem(number, height), at.z = builder_.CreateUDiv(number, height);
    gangs_.emit_row(begin, end, split, [&](V x) { at.x = x; });
  });
}

void Emitter::emit_kernel() {
  const Layout layout = code_.shape.layout;
  code_.own.mode = layout == Layout::Range      ? CpuMode::Range
                   : layout == Layout::Grid     ? CpuMode::Grid
                   : code_.traits.grid_barriers ? CpuMode::Together
                   : code_.traits.polls         ? CpuMode::Resident
                                                : CpuMode::Block;
  if (layout == Layout::Range) {
    find_divergence();
    emit_extent();
  }
  start_function("entry", false);
  code_.begin_lines();
  arguments_.load_arguments();
  const auto streams = [](const ir::Inst& i) { return i.streaming && i.op == Op::Store; };
  memory_.streams = code_.shape.lone && ir::any_inst(code_.f, streams);
  if (is_block(layout)) {
    blocks_.emit_blocks();
  } else {
    find_divergence();
    code_.guarded = find_guarded_row(code_.f);
    emit_grid();
  }
  memory_.finish_streams();
  builder_.SetCurrentDebugLocation({});
  builder_.CreateRetVoid();
  code_.finish();
}

// ---- a function that is called ------------------------------------------------------------------

void Emitter::create_called(const Functions::Way& way, llvm::Type* result) {
  const ir::Function& f = code_.f;
  std::vector<llvm::Type*> types{builder_.getPtrTy()};
  if (!way.alone) types.push_back(calls_.packed_type(Scalar::Bool, false));
  for (ir::ValueId p : f.params())
    for (llvm::Type* t : calls_.passed_types(way, p)) types.push_back(t);
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                             llvm::GlobalValue::InternalLinkage, symbol_name(f.name), code_.m);
  code_.begin(function);
  function->addFnAttr(llvm::Attribute::NoInline);
  if (f.rare) function->addFnAttr(llvm::Attribute::Cold);
  code_.begin_lines();
}

void Emitter::bind_parameters(const Functions::Way& way) {
  const ir::Function& f = code_.f;
  unsigned next = 0;
  const auto argument = [&] { return code_.function->getArg(next++); };
  arguments_.begin_called(argument());
  if (!way.alone) lanes_.active = {{calls_.unpack(argument(), Scalar::Bool, false)}};
  const auto params = f.params();
  for (std::size_t p = 0; p < params.size(); ++p) {
    const ir::Type& t = f.type_of(params[p]);
    const V x = argument();
    if (!t.is_array()) {
      const Lowered::Form form = way.uniform[p] ? Lowered::Form::Uniform : Lowered::Form::Parts;
      values_.set(params[p], {form, {calls_.unpack(x, t.scalar, way.uniform[p])}, 0});
      continue;
    }
    values_.set_uniform(params[p], x);
    Arguments::View& view = arguments_.views[params[p]];
    for (unsigned d = 0; d < t.rank; ++d) view.extents.push_back(argument());
    if (!f.facts.contiguous)
      for (unsigned d = 0; d < t.rank; ++d) view.strides.push_back(argument());
  }
}

void Emitter::return_results(llvm::Type* result, const Functions::Made& made, const Exit& exit) {
  if (result->isVoidTy()) {
    builder_.CreateRetVoid();
    return;
  }
  V all = llvm::Constant::getNullValue(result);
  for (unsigned i = 0; exit.yields && i < exit.values.size(); ++i) {
    const Lowered& x = exit.values[i];
    all = builder_.CreateInsertValue(
        all, calls_.pack(made.uniform[i] ? x.v[0] : values_.part(x, code_.f.results[i], 0)), i);
  }
  builder_.CreateRet(all);
}

Functions::Made Emitter::emit_called(const Functions::Way& way) {
  const ir::Function& f = code_.f;
  std::vector<passes::Uniform> parameters;
  for (bool uniform : way.uniform)
    parameters.push_back(uniform ? passes::Uniform::Warp : passes::Uniform::Varying);
  code_.d = cpu::find_divergence(f, code_.functions.calls, code_.shape, ir::none, parameters);
  const std::vector<ir::ValueId>& yields = f.insts[f.regions[f.body].insts.back()].operands;
  Functions::Made made{nullptr, {}};
  std::vector<llvm::Type*> results;
  for (std::size_t i = 0; i < f.results.size(); ++i) {
    made.uniform.push_back(way.alone && (yields.size() <= i || !code_.d.varying(yields[i])));
    results.push_back(calls_.packed_type(f.results[i], made.uniform[i]));
  }
  llvm::Type* result = results.empty()
                           ? builder_.getVoidTy()
                           : static_cast<llvm::Type*>(llvm::StructType::get(code_.c, results));
  create_called(way, result);
  code_.start(code_.new_block("body"));
  bind_parameters(way);
  const Exit exit = control_.emit_region(f.body);
  if (code_.lines) builder_.SetCurrentDebugLocation({});
  if (code_.open) return_results(result, made, exit);
  code_.finish();
  made.code = code_.function;
  return made;
}

}  // namespace

void emit_kernel(const Task& task) { Emitter(task).emit_kernel(); }

Functions::Made emit_called(const Task& task, const Functions::Way& way) {
  return Emitter(task).emit_called(way);
}

}  // namespace krait::codegen::cpu
