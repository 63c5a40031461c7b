// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimensions of kr::einsum's operands.
#include <algorithm>
#include <string>
#include <vector>

#include "host/layout.h"
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
      support::fail_usage("dimensions in single operand for collapsing index '{}' don't match ({} != {})", letters[to],
                          out.extents[to], of.extents[d]);
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

}  // namespace

void sum_operands(layout* operands, const int (*dimensions)[max_rank], int operand_count, int count, const char* letters) {
  std::vector<layout> given(operands, operands + operand_count);
  for (int o = 0; o < operand_count; ++o) operands[o] = with_all(given[std::size_t(o)], dimensions[o], count, letters);
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
  for (int o = 0; o < operand_count; ++o) shapes += (o ? " " : "") + remapped(given[std::size_t(o)], operands[o], dimensions[o]);
  support::fail_usage("operands could not be broadcast together with remapped shapes [original->remapped]: {}", shapes);
}

}  // namespace krait::detail
