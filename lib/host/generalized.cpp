// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of generalized functions (krait/guvectorize.h): sizes by the layout's names, the batch's
// shape, and the launch.
#include "krait/detail/generalized.h"

#include <string>

#include "host/overlap.h"
#include "devices/layout.h"
#include "krait/algorithm/detail/linalg_calls.h"
#include "krait/algorithm/grouped_matmul.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::argument;
using detail::core_layout;

/// The dimensions of an operand before those of the layout.
int own_batch(const core_layout& layout, int operand, const argument& a) {
  return a.rank - layout.operands[operand].rank;
}

/// As NumPy writes the batch's dimensions of each operand, before those of the outputs.
std::string remapped(const core_layout& layout, const argument* const* given) {
  int behind = 0;
  for (int o = layout.inputs; o < layout.inputs + layout.outputs; ++o)
    behind += layout.operands[o].rank;
  std::string s;
  for (int o = 0; o < layout.inputs + layout.outputs; ++o) {
    if (!given[o]) continue;
    const argument& a = *given[o];
    const int own = own_batch(layout, o, a);
    s += (s.empty() ? "" : " ") + shape_text(a.extents, a.rank) + "->(";
    std::string to;
    for (int d = 0; d < own; ++d) to += (d ? "," : "") + std::to_string(a.extents[d]);
    for (int d = 0; d < behind; ++d) to += to.empty() ? "newaxis" : ",newaxis";
    s += to + ")";
  }
  return s;
}

void find_sizes(const std::string& name, const core_layout& layout, const char* text,
                const argument* const* given, std::int64_t* sizes) {
  for (int n = 0; n < layout.names; ++n) sizes[n] = layout.fixed[n];
  for (int o = 0; o < layout.inputs + layout.outputs; ++o) {
    if (!given[o]) continue;
    const core_layout::operand& operand = layout.operands[o];
    for (int d = 0; d < operand.rank; ++d) {
      const std::int64_t own = given[o]->extents[own_batch(layout, o, *given[o]) + d];
      std::int64_t& size = sizes[operand.names[d]];
      if (size < 0) size = own;
      if (size == own) continue;
      const bool is_input = o < layout.inputs;
      support::fail_usage(
          "{}: {} operand {} has a mismatch in its core dimension {}, "
          "with gufunc signature {} (size {} is different from {})",
          name, is_input ? "Input" : "Output", is_input ? o : o - layout.inputs, d, text, own,
          size);
    }
  }
}

void find_shapes(const std::string& name, const core_layout& layout, const char* text, int batch,
                 const argument* const* given, std::int64_t* extents, std::int64_t* sizes) {
  find_sizes(name, layout, text, given, sizes);
  for (int d = 0; d < batch; ++d) extents[d] = 1;
  const auto extent_of = [&](int o, int d) {
    const int own = d - (batch - own_batch(layout, o, *given[o]));
    return own < 0 ? std::int64_t(1) : given[o]->extents[own];
  };
  for (int o = 0; o < layout.inputs + layout.outputs; ++o)
    for (int d = 0; d < batch && given[o]; ++d) {
      const std::int64_t own = extent_of(o, d);
      if (own == 1 || own == extents[d]) continue;
      if (extents[d] != 1)
        support::fail_usage(
            "{}: operands could not be broadcast together with remapped shapes "
            "[original->remapped]: {}",
            name, remapped(layout, given));
      extents[d] = own;
    }
  for (int o = layout.inputs; o < layout.inputs + layout.outputs; ++o)
    for (int d = 0; d < batch && given[o]; ++d)
      if (extent_of(o, d) != extents[d])
        support::fail_usage(
            "{}: non-broadcastable output operand with shape {} doesn't match the broadcast "
            "shape {} of the batch",
            name, shape_text(given[o]->extents, given[o]->rank), shape_text(extents, batch));
}

/// The batch of two arrays.
void shapes_of_two(const char* name, const core_layout& layout, const char* text, int batch,
                   const detail::layout& x, const detail::layout& y, std::int64_t* extents) {
  argument operands[2];
  const argument* given[3] = {&operands[0], &operands[1], nullptr};
  const detail::layout* const layouts[] = {&x, &y};
  for (int o = 0; o < 2; ++o) {
    operands[o].rank = static_cast<unsigned char>(layouts[o]->rank);
    for (int d = 0; d < layouts[o]->rank; ++d) operands[o].extents[d] = layouts[o]->extents[d];
  }
  std::int64_t sizes[detail::max_operands * detail::max_rank];
  find_shapes(name, layout, text, batch, given, extents, sizes);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

void core_shapes(const kernel_state* of, const core_layout& layout, const char* text, int batch,
                 const argument* const* given, std::int64_t* extents, std::int64_t* sizes) {
  host::find_shapes(host::function_of(of), layout, text, batch, given, extents, sizes);
}

void check_grouped_matmul(const layout& x, const layout& y, const layout& ends) {
  if (x.extents[1] != y.extents[1])
    support::fail_usage("grouped_matmul: the rows have {} elements, but the matrices have {} rows",
                        x.extents[1], y.extents[1]);
  if (ends.extents[0] != y.extents[0])
    support::fail_usage("grouped_matmul: {} ends of groups for {} matrices", ends.extents[0],
                        y.extents[0]);
}

void matmul_shape(const layout& x, const layout& y, int batch, std::int64_t* extents) {
  core_layout product = core_layout_of<"(n,k),(k,m)->(n,m)">;
  if (x.rank == 1) product.operands[0] = {1, {product.operands[0].names[1]}};
  if (y.rank == 1) product.operands[1] = {1, {product.operands[1].names[0]}};
  host::shapes_of_two("matmul", product, "(n?,k),(k,m?)->(n?,m?)", batch, x, y, extents);
}
void solve_shape(const layout& a, const layout& b, bool vector, int batch, std::int64_t* extents) {
  if (vector)
    host::shapes_of_two("solve", core_layout_of<"(m,m),(m)->(m)">, "(m,m),(m)->(m)", batch, a, b,
                        extents);
  else
    host::shapes_of_two("solve", core_layout_of<"(m,m),(m,n)->(m,n)">, "(m,m),(m,n)->(m,n)", batch,
                        a, b, extents);
}
void call_generalized(kernel_state* state, const void* lambda, const signature& as,
                      argument* packed, const core_layout& layout, int batch,
                      argument* const* given, const std::int64_t* extents,
                      const call_config& config) {
  for (int o = 0; o < layout.inputs + layout.outputs; ++o) {
    if (!given[o] || batch == 0) continue;
    argument& a = *given[o];
    const argument own = a;
    const int core = layout.operands[o].rank, missing = batch - host::own_batch(layout, o, own);
    for (int d = 0; d < batch + core; ++d) {
      const bool has = d >= missing;
      a.extents[d] = d < batch ? extents[d] : own.extents[d - missing];
      a.strides[d] = has && own.extents[d - missing] == a.extents[d] ? own.strides[d - missing] : 0;
    }
    a.rank = static_cast<unsigned char>(batch + core);
  }
  call_config launch = config;
  launch.count = 1;
  for (int d = 0; d < batch; ++d) launch.count *= extents[d];
  if (launch.count == 0) return;
  const host::Apart apart(state, as, packed, unsigned(layout.outputs), config,
                          host::Apart::any_order);
  call(state, lambda, as, packed, launch);
}

}  // namespace krait::detail
