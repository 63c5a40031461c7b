// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are called. A function object gets a function of the module at its first call with
// arguments of certain types; later calls find it. What is taken by reference goes in by value and
// comes back as one more result, where it is assigned to.
#include <atomic>

#include "ir/walk.h"
#include "support/error.h"
#include "trace/recorder.h"

namespace krait::trace {
namespace {

using detail::called_function;
using detail::function_argument;
using detail::node;

/// Returns to the caller, also when the function's lambda throws.
class Inside {
 public:
  Inside(Recorder& r, CalledFunction& f) : r_(r), f_(f) { r.enter_function(f); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    r_.leave_function();
    if (f_.complete) return;
    try {
      r_.found.misuse("a C++ exception left a called function: the rest of it cannot be recorded");
    } catch (...) {  // no memory
      r_.keep_exception();
    }
  }

 private:
  Recorder& r_;
  CalledFunction& f_;
};

/// Records the body: parameters, what the lambda does, and the results.
void record(Recorder& r, const called_function& what, CalledFunction& f) {
  const Inside inside(r, f);
  std::vector<node> params, results(what.result_count + f.key.types.size());
  for (const ir::Type& type : f.key.types)
    params.push_back(r.node_of(r.at().new_param(r.function().body, type)));
  what.record(what.lambda, params.data(), results.data());
  r.now().unwind(1);

  std::vector<ir::ValueId> yields;
  for (unsigned i = 0; i < what.result_count; ++i) {
    yields.push_back(r.use_as(ir::Scalar(what.results[i]), results[i]));
    r.function().results.push_back(ir::Scalar(what.results[i]));
  }
  for (std::size_t p = 0; p < f.key.types.size(); ++p) {
    const node slot = results[what.result_count + p];
    const auto sets = [&](const ir::Inst& inst) {
      return inst.op == ir::Op::Set && inst.operands[0] == slot.id;
    };
    f.assigned[p] = f.key.by_reference[p] && ir::any_inst(r.function(), sets);
    if (!f.assigned[p]) continue;
    yields.push_back(r.use_as(f.key.types[p].scalar, slot));
    r.function().results.push_back(f.key.types[p].scalar);
  }
  if (!r.now().top().terminated) r.append(ir::Op::Yield, {}, yields);
  r.now().top().terminated = true;
  r.now().exit(ir::Op::Yield);
  r.now().hoist_shared();
  f.complete = true;
}

void give_zeros(Recorder& r, const called_function& what, node* results) {
  for (unsigned i = 0; i < what.result_count; ++i)
    results[i] = r.node_of(r.constant(ir::Scalar(what.results[i]), 0));
}

}  // namespace
}  // namespace krait::trace

namespace krait::detail {

std::uint64_t next_function() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void call_function(const called_function& what, const function_argument* arguments, unsigned count,
                   node* results) {
  trace::Recorder& r = trace::recorder();
  trace::FunctionKey key{what.object, what.record, {}, {}};
  std::vector<ir::ValueId> operands, slots;
  for (unsigned i = 0; i < count; ++i) {
    const ir::ValueId slot = r.resolve(arguments[i].x),
                      v = slot == ir::none ? slot : r.use(arguments[i].x);
    if (v == ir::none) return trace::give_zeros(r, what, results);
    operands.push_back(v), slots.push_back(slot);
    key.types.push_back(r.function().type_of(v));
    key.by_reference.push_back(arguments[i].by_reference);
  }
  trace::CalledFunction* f = r.functions.find(key);
  if (f && !f->complete) {
    r.found.misuse(fmt::format(
        "function {} calls itself, directly or through others: "
        "kernels do not support recursion; use a loop, with a kr::local array as its stack if "
        "needed",
        r.functions.at(f->index).name));
    return trace::give_zeros(r, what, results);
  }
  if (!f) {
    f = &r.functions.add(std::move(key), what);
    f->assigned.resize(count);
    trace::record(r, what, *f);
  }
  const ir::InstId call = r.append(ir::Op::Call, {}, operands, f->index);
  for (unsigned i = 0; i < what.result_count; ++i)
    results[i] = r.node_of(r.at().add_result(call, ir::value_type(ir::Scalar(what.results[i]))));
  std::vector<std::pair<ir::ValueId, ir::ValueId>> assignments;
  for (unsigned i = 0; i < count; ++i)
    if (f->assigned[i])
      assignments.emplace_back(slots[i],
                               r.at().add_result(call, ir::value_type(f->key.types[i].scalar)));
  for (const auto& [slot, v] : assignments) r.append(ir::Op::Set, {}, {slot, v});
}

}  // namespace krait::detail
