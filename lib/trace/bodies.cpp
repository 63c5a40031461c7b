// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/bodies.h"

namespace krait::trace {

detail::body_scope begin_body(Recorder& r, void (*result)(void*, detail::node), void* context) {
  Body body;
  body.result = result, body.context = context, body.depth = r.now().depth(),
  body.terminated = r.now().top().terminated;
  detail::body_scope scope;
  scope.start = r.now().mark({0, r.now().serial});
  scope.index = std::uint32_t(r.now().bodies.size());
  const ir::ValueId no = r.constant(ir::Scalar::Bool, 0);
  body.done = r.at().add_result(r.append(ir::Op::Slot, ir::slot_type(ir::Scalar::Bool), {no}),
                                ir::slot_type(ir::Scalar::Bool));
  r.now().bodies.push_back(body);
  return scope;
}

/// A body that was left by return_(value) becomes a loop of one trip, which the breaks leave.
void end_body(Recorder& r, const detail::body_scope& scope) {
  if (scope.start.condition.recording != r.now().serial ||
      scope.index + 1 != r.now().bodies.size() || r.now().bodies.back().depth != r.now().depth()) {
    r.found.misuse("a C++ return or exception left a recorded loop: use kr::return_(value)");
    return;
  }
  const Body body = r.now().bodies.back();
  r.now().bodies.pop_back();
  const bool wrap = body.left && !body.terminated;
  if (wrap && !r.now().top().terminated) r.append(ir::Op::Break, {}, {});
  std::size_t from = scope.start.position;
  std::vector<ir::InstId>& list = r.function().regions[scope.start.region].insts;
  if (body.left_loop) from += 2;
  // nobody needs the slot
  else list.erase(list.begin() + std::ptrdiff_t(from), list.begin() + std::ptrdiff_t(from) + 2);
  if (!wrap) return;

  const std::vector<ir::InstId> tail = r.now().take_tail(scope.start.region, from);
  r.now().resume(scope.start.region);
  const ir::InstId loop = r.append(ir::Op::Loop, {}, {});
  const ir::RegionId region = r.at().new_region(loop);
  r.now().put(tail, region);
}

void leave_body(Recorder& r, detail::node result) {
  if (!r.now().in_body() || r.now().in_void_body()) {
    if (r.now().in_void_body())
      r.found.misuse("return_(value) in a function that returns nothing: write return_()");
    else if (r.in_function())
      r.found.misuse(
          "return_ cannot leave a function with several results: end it with its `return`");
    else
      r.found.misuse(
          "return_(value) is for kr::function and kr::vectorize: "
          "a kernel writes to a view and ends with kr::return_()");
    return;
  }
  Body& body = r.now().bodies.back();
  body.result(body.context, result);
  leave_body(r);
}
void leave_body(Recorder& r) {
  Body& body = r.now().bodies.back();
  body.left = true;
  if (r.now().leave_loops()) {
    body.left_loop = true;
    const ir::ValueId yes = r.constant(ir::Scalar::Bool, 1);
    r.append(ir::Op::Set, {}, {body.done, yes});
  }
  r.now().terminate(ir::Op::Break);
}

void leave_after_loop(Recorder& r) {
  const ir::ValueId done = r.emit(ir::Op::Get, ir::Scalar::Bool, {r.now().bodies.back().done});
  const ir::InstId branch = r.append(ir::Op::If, {}, {done});
  const ir::RegionId yes = r.at().new_region(branch), no = r.at().new_region(branch),
                     here = r.at().region();
  r.at().at(yes);
  r.append(ir::Op::Break, {}, {});
  r.at().at(no);
  r.append(ir::Op::Yield, {}, {});
  r.at().at(here);
}

}  // namespace krait::trace
