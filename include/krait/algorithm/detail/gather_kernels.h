// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by their places.
#pragma once

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// to(r, i) = x(r, places(r, i)), where places are within the row.
template <class Elem, class Place>
void gather_rows(const array<const Elem, 2>& x, const array<const Place, 2>& places,
                 array<Elem, 2>& to) {
  static auto& gather = lasting(kernel(
      [](view<const Elem, 2> from, view<const Place, 2> at, view<Elem, 2> out) {
        const value<std::int64_t> length = at.extent(1);
        for (auto i : grid_stride(at.size())) {
          const value<std::int64_t> row = i / length, column = i % length;
          out(row, column) = value<Elem>(from(row, at(row, column)));
        }
      },
      {.name = "gather_rows"}));
  if (to.size() > 0) gather.forall(to.size())(x, places, to);
}

}  // namespace krait::detail
