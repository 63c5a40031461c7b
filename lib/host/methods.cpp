// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods of element-wise functions: which operation a function is, kernels beside its own, and
// what is refused.
#include "krait/detail/methods.h"

#include "devices/layout.h"
#include "host/kernel_state.h"
#include "ir/walk.h"
#include "support/error.h"

namespace krait::detail {

op operation_of(kernel_state* state, const void* lambda, const signature& as) {
  if (!state) support::fail_usage("a method of a moved-from element-wise function is called");
  const ir::Function& f = host::specialise(*state, lambda, as).recorded.module.kernel();
  // Two loads, one operation on both, one store, and the loop.
  std::vector<const ir::Inst*> loads, stores, others;
  ir::for_each_inst(f, [&](ir::InstId id, ir::RegionId) {
    const ir::Inst& i = f.insts[id];
    switch (i.op) {
      case ir::Op::Load: loads.push_back(&i); break;
      case ir::Op::Store: stores.push_back(&i); break;
      case ir::Op::Extent:
      case ir::Op::GridStride:
      case ir::Op::Continue:
      case ir::Op::Return: break;
      default: others.push_back(&i);
    }
  });
  if (loads.size() != 2 || stores.size() != 1 || others.size() != 1 ||
      !ir::is_commutative(others[0]->op))
    return op::Unreachable;
  const auto gives = [](const ir::Inst* i, ir::ValueId v) {
    return i->results.size() == 1 && i->results[0] == v;
  };
  const ir::Inst& only = *others[0];
  if (loads[0]->operands[0] == loads[1]->operands[0] || !gives(&only, stores[0]->operands.back()))
    return op::Unreachable;
  for (const std::size_t first : {0, 1})
    if (gives(loads[first], only.operands[0]) && gives(loads[1 - first], only.operands[1]))
      return op(unsigned(only.op));
  return op::Unreachable;
}

kernel_state* kernel_beside(kernel_state* state, const void* key) {
  if (!state) support::fail_usage("a method of a moved-from element-wise function is called");
  std::lock_guard lock(state->mutex);
  std::unique_ptr<kernel_state>& beside = state->beside[key];
  if (!beside) {
    beside = std::make_unique<kernel_state>();
    beside->name = state->name, beside->where = state->where, beside->with = state->with,
    beside->fixed_block = state->fixed_block;
  }
  return beside.get();
}

void refuse_empty(const kernel_state* state) {
  support::fail_usage(
      "{}: zero-size array to reduction operation {} which has no identity: "
      "give one with kr::identity, or a value with kr::initial",
      host::describe(*state), state->name);
}

void refuse_mask(const kernel_state* state) {
  support::fail_usage(
      "{}: the reduction operation does not have an identity, "
      "so to use a where mask one has to specify kr::identity or kr::initial",
      host::describe(*state));
}

void refuse_axes(const kernel_state* state) {
  support::fail_usage(
      "{}: the reduction operation is not reorderable, so at most one axis may be specified; "
      "if it is reorderable, give its kr::identity",
      host::describe(*state));
}

void refuse_segment(const kernel_state* state, std::int64_t index, std::int64_t size) {
  support::fail_usage("{}: index {} out-of-bounds in reduceat [0, {})", host::describe(*state),
                      index, size);
}

void check_mask_shape(const std::int64_t* mask, const std::int64_t* of, int rank, int axis) {
  for (int d = 0; d < rank; ++d)
    if (mask[d] != of[d])
      support::fail_usage(
          "boolean index did not match indexed array along dimension {}; "
          "dimension is {} but corresponding boolean dimension is {}",
          axis + d, of[d], mask[d]);
}

void check_index_shapes(const std::int64_t* first, const std::int64_t* second, int rank) {
  for (int d = 0; d < rank; ++d)
    if (first[d] != second[d] && first[d] != 1 && second[d] != 1)
      support::fail_usage(
          "shape mismatch: indexing arrays could not be broadcast together with shapes {} {}",
          host::shape_text(first, rank), host::shape_text(second, rank));
}

void check_mask_count(std::int64_t values, std::int64_t elements) {
  if (values != elements)
    support::fail_usage(
        "boolean array indexing assignment cannot assign {} input values to the {} output "
        "values where the mask is true",
        values, elements);
}

void check_index_count(std::int64_t indices) {
  if (indices >= std::int64_t(1) << 31)
    support::fail_usage("an assignment takes fewer than 2^31 indices, not {}", indices);
}

}  // namespace krait::detail
