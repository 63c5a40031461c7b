// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts that work on shapes share.
#pragma once

#include <cstdint>
#include <string>

#include "krait/detail/layout.h"
#include "support/product.h"

namespace krait::host {

/// "(3,4)", "(3,)": as NumPy writes a shape.
std::string shape_text(const std::int64_t* extents, int rank);
/// An axis that may be counted from the end. Throws error{usage}.
int axis_of(std::int64_t axis, int rank);
std::int64_t size_of(const detail::layout& l);

/// Gives arguments these extents, with stride 0 along those that repeat; they do broadcast.
void broadcast_inputs(detail::argument* arguments, unsigned count, int rank,
                      const std::int64_t* extents);

/// Bytes from an array's first element: the elements lie from `begin` to before `end`, which are
/// equal where there is none.
struct Reach {
  std::int64_t begin = 0, end = 0;
};
inline Reach reach_of(const std::int64_t* extents, const std::int64_t* strides, int rank,
                      std::int64_t element_bytes) {
  Reach r{0, element_bytes};
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == 0) return {};
    const std::int64_t last = support::clipped_product(extents[d] - 1, strides[d], element_bytes);
    std::int64_t& side = last < 0 ? r.begin : r.end;
    side = support::clipped_sum(side, last);
  }
  return r;
}

}  // namespace krait::host
