// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow of the DSL as regions. An if is closed as soon as its body is recorded; elif and
// else move what was recorded since (their condition) into the else region and go on there.
#include "ir/constants.h"
#include "trace/bodies.h"
#include "trace/recorder.h"

namespace krait::detail {
namespace {

using ir::Op;
using ir::Scalar;
using trace::Recorder;

/// Closes what an exception leaves open.
class Unwind {
 public:
  explicit Unwind(Recorder& r) : r_(r), depth_(r.now().depth()) {}
  Unwind(const Unwind&) = delete;
  Unwind& operator=(const Unwind&) = delete;
  ~Unwind() {
    try {
      r_.now().unwind(depth_);
    } catch (...) {  // no memory
      r_.keep_exception();
    }
  }

 private:
  Recorder& r_;
  std::size_t depth_;
};

std::vector<ir::InstId>& insts(Recorder& r, ir::RegionId region) {
  return r.function().regions[region].insts;
}

/// An if with an else region that only yields.
ir::InstId make_if(Recorder& r, ir::ValueId condition) {
  const ir::InstId inst = r.append(Op::If, {}, {condition});
  const ir::RegionId here = r.at().region();
  r.at().new_region(inst);
  r.at().at(r.at().new_region(inst));
  r.append(Op::Yield, {}, {});
  r.at().at(here);
  return inst;
}

void record_region(Recorder& r, ir::RegionId region, function_ref<void()> body) {
  const Unwind guard(r);
  r.now().enter(region);
  body();
  r.now().exit(Op::Yield);
}

ir::InstId record_then(Recorder& r, node condition, function_ref<void()> body, location where,
                       expected mostly) {
  const ir::InstId inst = make_if(r, r.condition(condition));
  r.function().insts[inst].expected = ir::Expected(mostly);
  const ir::RegionId then = r.function().insts[inst].regions[0];
  const Unwind guard(r);
  r.now().enter(then);
  body();
  if (insts(r, then).empty())
    r.found.misuse(
        "the body of this if_ records nothing: did you mean return_(), "
        "break_() or continue_()? (A C++ return only leaves the lambda)",
        where);
  r.now().exit(Op::Yield);
  return inst;
}

/// The else region of the chain's if, with what was recorded since the chain's last word.
ir::RegionId open_else(Recorder& r, const mark& chain) {
  const ir::RegionId other = r.function().insts[chain.condition.id].regions[1];
  insts(r, other).pop_back();  // its yield
  r.now().put(r.now().take_tail(chain.region, chain.position), other);
  return other;
}

bool usable(Recorder& r, const mark& chain, location where) {
  if (r.now().reaches(chain)) return true;
  r.found.misuse("elif_ and else_ must follow their if_ in the same expression", where);
  return false;
}

}  // namespace

mark record_if(node condition, function_ref<void()> body, location where, expected mostly) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const ir::InstId inst = record_then(r, condition, body, where, mostly);
  return r.now().mark({inst, r.now().serial});
}

mark record_elif(const mark& chain, node condition, function_ref<void()> body, location where,
                 expected mostly) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  if (!usable(r, chain, where)) return chain;
  const ir::RegionId other = open_else(r, chain);
  const Unwind guard(r);
  r.now().enter(other);
  mark next = chain;
  next.condition.id = record_then(r, condition, body, where, mostly);
  r.now().exit(Op::Yield);
  return next;
}

void record_else(const mark& chain, function_ref<void()> body, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  if (usable(r, chain, where)) record_region(r, open_else(r, chain), body);
}

node record_select(node condition, scalar type, function_ref<node()> yes, function_ref<node()> no,
                   location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const ir::Type result = ir::value_type(ir::Scalar(type));
  const ir::InstId inst = r.append(Op::If, result, {r.condition(condition)});
  const ir::ValueId chosen = r.at().add_result(inst, result);
  const function_ref<node()>* sides[] = {&yes, &no};
  for (const function_ref<node()>* side : sides) {
    const Unwind guard(r);
    r.now().enter(r.at().new_region(inst));
    const ir::ValueId x = r.use_as(ir::Scalar(type), (*side)());
    if (!r.now().top().terminated) {
      r.append(Op::Yield, {}, {x});
      r.now().top().terminated = true;
    }
    r.now().exit(Op::Yield);
  }
  return r.node_of(chosen);
}

void record_while(function_ref<node()> condition, function_ref<void()> body, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const ir::InstId loop = r.append(Op::Loop, {}, {});
  const Unwind guard(r);
  r.now().enter(r.at().new_region(loop), true);
  const ir::InstId test = make_if(r, r.condition(condition()));
  insts(r, r.function().insts[test].regions[1]).pop_back();
  const ir::RegionId here = r.at().region();
  r.at().at(r.function().insts[test].regions[0]);
  r.append(Op::Yield, {}, {});
  r.at().at(r.function().insts[test].regions[1]);
  r.append(Op::Break, {}, {});
  r.at().at(here);
  body();
  const bool left = r.now().top().left_by_result;
  r.now().exit(Op::Continue);
  if (left) trace::leave_after_loop(r);
}

// ---- loops over ranges --------------------------------------------------------------------------

namespace {

/// How often a range runs, as an unsigned number of the index's width; counted first, so that the
/// index cannot run past its type.
struct Range {
  Recorder& r;
  Scalar type, unsigned_type;
  ir::ValueId begin, end, step;

  bool is_const(ir::ValueId v, std::uint64_t bits) const {
    return r.function().is_const(v) && r.function().const_bits(v) == bits;
  }
  ir::ValueId to_unsigned(ir::ValueId v) const { return r.cast(unsigned_type, v); }
  ir::ValueId op(Op what, ir::ValueId x, ir::ValueId y) const {
    return r.emit(what, r.function().type_of(x).scalar, {x, y});
  }
  ir::ValueId less(ir::ValueId x, ir::ValueId y) const {
    return r.emit(Op::Lt, Scalar::Bool, {x, y});
  }
  ir::ValueId zero() const { return r.constant(unsigned_type, 0); }

  /// (to - from - 1) / magnitude + 1 where from < to, else 0.
  ir::ValueId trips(ir::ValueId from, ir::ValueId to, ir::ValueId magnitude) const {
    const ir::ValueId last = to_unsigned(to), distance = op(Op::Sub, last, to_unsigned(from));
    ir::ValueId count = distance;
    if (!is_const(magnitude, 1)) {
      const ir::ValueId one = r.constant(unsigned_type, 1);
      count = op(Op::Add, op(Op::Div, op(Op::Sub, distance, one), magnitude), one);
    }
    return r.emit(Op::Select, unsigned_type, {less(from, to), count, zero()});
  }

  ir::ValueId count() const {
    const Scalar step_type = r.function().type_of(step).scalar;
    if (is_const(begin, 0) && is_const(step, 1)) {
      if (ir::is_unsigned_int(type)) return to_unsigned(end);
      return to_unsigned(op(Op::Max, end, r.constant(type, 0)));
    }
    if (r.function().is_const(step)) {
      const std::uint64_t bits = r.function().const_bits(step);
      const bool down = ir::is_signed_int(step_type) && ir::as_int(step_type, bits) < 0;
      if (bits == 0) r.found.misuse("the step of a range is 0: the loop would never end");
      const std::uint64_t size = down ? 0 - std::uint64_t(ir::as_int(step_type, bits)) : bits;
      const ir::ValueId magnitude =
          r.constant(unsigned_type, ir::size_of(type) == 4 ? size & 0xffffffff : size);
      return down ? trips(end, begin, magnitude) : trips(begin, end, magnitude);
    }
    if (!ir::is_signed_int(step_type)) return trips(begin, end, to_unsigned(step));
    const ir::ValueId signed_step = r.cast(ir::to_signed(type), step);
    const ir::ValueId none = r.constant(ir::to_signed(type), 0);
    const ir::ValueId up = less(none, signed_step), down = less(signed_step, none);
    const ir::ValueId magnitude = to_unsigned(r.emit(Op::Abs, ir::to_signed(type), {signed_step}));
    const ir::ValueId down_count =
        r.emit(Op::Select, unsigned_type, {down, trips(end, begin, magnitude), zero()});
    return r.emit(Op::Select, unsigned_type, {up, trips(begin, end, magnitude), down_count});
  }

  ir::ValueId index(ir::ValueId trip) const {
    ir::ValueId i = r.cast(type, trip);
    if (!is_const(step, 1)) i = op(Op::Mul, i, r.cast(type, step));
    return is_const(begin, 0) ? i : op(Op::Add, begin, i);
  }
};

}  // namespace

node begin_range(scalar type, node begin, node end, node step, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const Scalar index_type = ir::Scalar(type);
  const Scalar unsigned_type = ir::size_of(index_type) == 8 ? Scalar::U64 : Scalar::U32;
  ir::ValueId step_value = r.use(step);
  if (step_value == ir::none) step_value = r.constant(index_type, 1);
  const Range range{
      r,         index_type, unsigned_type, r.use_as(index_type, begin), r.use_as(index_type, end),
      step_value};
  const ir::InstId loop = r.append(Op::For, {}, {range.count()});
  const ir::RegionId region = r.at().new_region(loop);
  const ir::ValueId trip = r.at().new_param(region, ir::value_type(unsigned_type));
  r.now().enter(region, true);
  r.now().top().index = range.index(trip);
  return r.node_of(r.now().top().index);
}

node begin_grid_stride(node bound, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const ir::InstId loop = r.append(Op::GridStride, {}, {r.use_as(Scalar::I64, bound)});
  const ir::RegionId region = r.at().new_region(loop);
  const ir::ValueId index = r.at().new_param(region, ir::value_type(Scalar::I64));
  r.now().enter(region, true);
  r.now().top().index = index;
  return r.node_of(index);
}

namespace {

void close_loop(Recorder& r, node index) {
  std::size_t frame = r.now().depth();
  while (frame > 0 && r.now().frame(frame - 1).index != index.id) --frame;
  if (frame == 0) return;  // an exception has closed it already
  r.now().unwind(frame);
  const bool left = r.now().top().left_by_result;
  r.now().exit(Op::Continue);
  if (left && r.now().in_body()) trace::leave_after_loop(r);
}

}  // namespace

void end_loop(node index) {
  Recorder* const r = trace::find_recorder();
  if (!r || index.recording != r->now().serial) return;
  r->rethrow();
  close_loop(*r, index);
}

void abandon_loop(node index, location where) noexcept {
  Recorder* const r = trace::find_recorder();
  if (!r || index.recording != r->now().serial) return;
  try {
    r->found.misuse(
        "a C++ break, return or exception left the body of this loop: "
        "the body is recorded once, so use break_(), continue_() or return_()",
        where);
    close_loop(*r, index);
  } catch (...) {  // no memory
    r->keep_exception();
  }
}

// ---- switch -------------------------------------------------------------------------------------

node begin_switch(node selector, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  ir::ValueId x = r.use(selector);
  if (x == ir::none) x = r.constant(Scalar::I32, 0);
  const ir::InstId inst =
      r.append(Op::Switch, {},
               {r.function().type_of(x).scalar == Scalar::Bool ? r.cast(Scalar::I32, x) : x});
  const ir::RegionId here = r.at().region();
  r.at().at(r.at().new_region(inst));
  r.append(Op::Yield, {}, {});
  r.at().at(here);
  return {inst, r.now().serial};
}

/// False after a misuse: the switch is another recording's, or stands in another body.
static bool goes_on(Recorder& r, node chain) {
  if (chain.recording == r.now().serial && r.now().is_here(chain.id)) return true;
  r.found.misuse("case_ and default_ must follow their switch_ in the same expression");
  return false;
}

void record_case(node chain, const std::int64_t* values, unsigned count, function_ref<void()> body,
                 location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  if (!goes_on(r, chain)) return;
  const ir::InstId inst = chain.id;
  for (unsigned i = 0; i < count; ++i)
    if (!r.now().note_case(inst, values[i]))
      r.found.misuse("this switch_ has two cases with the same value");
  // Further values of the case become its first one ahead of the switch.
  const std::size_t before = insts(r, r.at().region()).size();
  ir::ValueId x = r.function().insts[inst].operands[0];
  const Scalar type = r.function().type_of(x).scalar;
  if (count > 1) {
    const ir::ValueId first = r.constant(type, std::uint64_t(values[0]));
    for (unsigned i = 1; i < count; ++i) {
      const ir::ValueId other = r.constant(type, std::uint64_t(values[i]));
      x = r.emit(Op::Select, type, {r.emit(Op::Eq, Scalar::Bool, {x, other}), first, x});
    }
    r.now().insert_before(inst, insts(r, r.at().region()).size() - before);
    r.function().insts[inst].operands[0] = x;
  }
  const ir::RegionId region = r.at().new_region(inst);
  std::vector<ir::RegionId>& regions = r.function().insts[inst].regions;
  std::swap(regions[regions.size() - 1], regions[regions.size() - 2]);
  r.function().insts[inst].list.push_back(values[0]);
  record_region(r, region, body);
}

void record_default(node chain, function_ref<void()> body, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  if (!goes_on(r, chain)) return;
  const ir::RegionId region = r.function().insts[chain.id].regions.back();
  insts(r, region).pop_back();
  record_region(r, region, body);
}

// ---- leaving ------------------------------------------------------------------------------------

void leave(op what, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  const Op op = ir::Op(what);
  if (op == Op::Return) {
    if (r.now().in_void_body()) return trace::leave_body(r);
    if (r.now().in_body())
      r.found.misuse("a function that returns a value must be left with kr::return_(value)");
    else if (r.in_function())
      r.found.misuse(
          "return_ cannot leave a function with several results: end it with its `return`");
    if (r.now().in_body() || r.in_function()) return;
  } else if (!r.now().innermost_loop()) {
    r.found.misuse(op == Op::Break ? "break_() outside a recorded loop"
                                   : "continue_() outside a recorded loop");
    return;
  }
  r.now().terminate(op);
}

void leave_with(node result, location where) {
  Recorder& r = trace::recorder();
  r.now().location(where);
  trace::leave_body(r, result);
}

body_scope begin_body(void (*result)(void*, node), void* context) {
  return trace::begin_body(trace::recorder(), result, context);
}
void end_body(const body_scope& scope) { trace::end_body(trace::recorder(), scope); }

}  // namespace krait::detail
