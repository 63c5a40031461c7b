// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of kr::einsum's operands, and of kr::dot's.
#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/matmul/products.h"
#include "algorithms/tuning.h"
#include "devices/layout.h"
#include "krait/algorithm/einsum.h"
#include "support/error.h"

namespace krait::detail {
namespace {

layout with_all(const layout& of, const int* dimensions, int count, const char* letters) {
  layout out;
  out.rank = count, out.offset = of.offset;
  bool has[max_rank]{};
  for (int d = 0; d < count; ++d) out.extents[d] = 1;
  for (int d = 0; d < of.rank; ++d) {
    const int to = dimensions[d];
    if (has[to] && out.extents[to] != of.extents[d])
      support::fail_usage(
          "dimensions in single operand for collapsing index '{}' don't match ({} != {})",
          letters[to], out.extents[to], of.extents[d]);
    has[to] = true, out.extents[to] = of.extents[d], out.strides[to] += of.strides[d];
  }
  return out;
}

/// "(2,3)->(2,newaxis,3)".
std::string remapped(const layout& given, const layout& all, const int* dimensions) {
  std::string s;
  for (int d = 0; d < all.rank; ++d) {
    const bool own = std::find(dimensions, dimensions + given.rank, d) != dimensions + given.rank;
    if (!own && s.empty()) continue;
    s += (s.empty() ? "" : ",") + (own ? std::to_string(all.extents[d]) : "newaxis");
  }
  return host::shape_text(given.extents, given.rank) + "->(" + s + ")";
}

/// Makes three dimensions of groups of them, where strides can say it.
bool merge_groups(const layout& of, const int* groups, layout& to) {
  to = {};
  to.rank = 3, to.offset = of.offset;
  for (int g = 0, d = 0; g < 3; ++g) {
    std::int64_t& extent = to.extents[g] = 1;
    std::int64_t& stride = to.strides[g] = 0;
    for (const int end = d + groups[g]; d < end; ++d) {
      if (of.extents[d] == 1) continue;
      if (extent > 1 && stride != of.strides[d] * of.extents[d]) return false;
      extent *= of.extents[d], stride = of.strides[d];
    }
  }
  return true;
}

}  // namespace

void sum_operands(layout* operands, const int (*dimensions)[max_rank], int operand_count, int count,
                  const char* letters) {
  std::vector<layout> given(operands, operands + operand_count);
  for (int o = 0; o < operand_count; ++o)
    operands[o] = with_all(given[std::size_t(o)], dimensions[o], count, letters);
  bool fits = true;
  for (int d = 0; d < count; ++d) {
    std::int64_t extent = 1;
    for (int o = 0; o < operand_count; ++o) {
      const std::int64_t own = operands[o].extents[d];
      if (extent == 1) extent = own;
      fits = fits && (own == 1 || own == extent);
    }
  }
  if (fits) return;
  std::string shapes;
  for (int o = 0; o < operand_count; ++o)
    shapes += (o ? " " : "") + remapped(given[std::size_t(o)], operands[o], dimensions[o]);
  support::fail_usage(
      "operands could not be broadcast together with remapped shapes [original->remapped]: {}",
      shapes);
}

bool plan_product(const layout* operands, const int (*dimensions)[max_rank], const int* ranks,
                  int count, int results, product_plan& plan) {
  enum Group { Batch, Rows, Columns, Summed };
  int order[4][max_rank], sizes[4]{};
  std::int64_t extents[max_rank], all[4] = {1, 1, 1, 1};
  for (int d = 0; d < count; ++d) {
    const auto has = [&](int o) {
      return std::find(dimensions[o], dimensions[o] + ranks[o], d) != dimensions[o] + ranks[o];
    };
    const bool left = has(0), right = has(1);
    if (d >= results && !(left && right)) return false;
    const Group group = d >= results ? Summed : left && right ? Batch : left ? Rows : Columns;
    extents[d] = operands[0].extents[d] == 1 ? operands[1].extents[d] : operands[0].extents[d];
    all[group] *= extents[d];
    order[group][sizes[group]++] = d;
  }
  if (all[Batch] == 0 || all[Rows] < host::least_side || all[Columns] < host::least_side ||
      all[Summed] < host::least_depth)
    return false;
  const auto arrange = [&](const layout& of, std::initializer_list<Group> groups) {
    layout to;
    to.offset = of.offset;
    for (const Group g : groups)
      for (int i = 0; i < sizes[g]; ++i) {
        const int d = order[g][i];
        to.extents[to.rank] = extents[d],
        to.strides[to.rank++] = of.extents[d] == 1 ? 0 : of.strides[d];
      }
    while (to.rank < count) to.extents[to.rank++] = 1;
    return to;
  };
  plan.lefts[0] = plan.rights[0] = sizes[Batch];
  plan.lefts[1] = sizes[Rows], plan.lefts[2] = plan.rights[1] = sizes[Summed],
  plan.rights[2] = sizes[Columns];
  plan.left = arrange(operands[0], {Batch, Rows, Summed}),
  plan.right = arrange(operands[1], {Batch, Summed, Columns});
  plan.batch = all[Batch], plan.rows = all[Rows], plan.columns = all[Columns];
  plan.result = {};
  plan.result.rank = results;
  std::int64_t stride = 1;
  for (const Group g : {Columns, Rows, Batch})
    for (int i = sizes[g]; i-- > 0; stride *= extents[order[g][i]])
      plan.result.extents[order[g][i]] = extents[order[g][i]],
      plan.result.strides[order[g][i]] = stride;
  return true;
}

any_array as_matrices(const any_array& x, const layout& at, const int* groups) {
  any_array out = x;
  if (merge_groups(at, groups, out.at)) return out;
  out.at = at;
  out = host::copied(out);
  merge_groups(layout(out.at), groups, out.at);
  return out;
}

int dot_dimension(const layout& x, const layout& y) {
  const int last = x.rank - 1, other = std::max(y.rank - 2, 0);
  if (x.extents[last] != y.extents[other])
    support::fail_usage("shapes {} and {} not aligned: {} (dim {}) != {} (dim {})",
                        host::shape_text(x.extents, x.rank), host::shape_text(y.extents, y.rank),
                        x.extents[last], last, y.extents[other], other);
  return other;
}

}  // namespace krait::detail
