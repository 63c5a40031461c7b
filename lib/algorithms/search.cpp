// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions in sorted arrays, and elements by their positions.
#include "krait/algorithm/search.h"

#include "algorithms/record/kernels.h"
#include "algorithms/selection.h"

namespace krait::detail {

using namespace krait::host;

void search_sorted(const any_array& keys, const any_array& given, bool right,
                   const any_array& result) {
  kernel_of("searchsorted", {keys.type, right}, {in(keys.type), in(keys.type), out<std::int64_t>()},
            [right](const Parameters& p) {
              const ElementView keys_in = p.array(0), from = p.array(1);
              const auto to = p.array<std::int64_t>(2);
              for (auto i : grid_stride(from.size())) to[i] = place_in(keys_in, from(i), right);
            })
      .forall(given.size(), keys, given, result);
}

void gather_elements(const any_array& source, const any_array& which, const any_array& result) {
  kernel_of("gather", {source.type, which.type},
            {in(source.type), in(which.type), out(source.type)},
            [](const Parameters& p) {
              const ElementView from = p.array(0), at = p.array(1), to = p.array(2);
              for (auto i : grid_stride(at.size())) to(i) = from(at(i));
            })
      .forall(which.size(), source, which, result);
}

void scatter_elements(const any_array& source, const any_array& which, const any_array& result) {
  kernel_of("scatter", {source.type, which.type},
            {in(source.type), in(which.type), out(source.type)},
            [](const Parameters& p) {
              const ElementView from = p.array(0), at = p.array(1), out = p.array(2);
              for (auto i : grid_stride(at.size())) out(at(i)) = from(i);
            })
      .forall(which.size(), source, which, result);
}

void gather_rows(const any_array& source, const any_array& which, const any_array& result) {
  if (which.size() == 0) return;
  kernel_of("gather_rows", {source.type, which.type},
            {in(source.type, 2), in(which.type, 2), out(source.type, 2)},
            [](const Parameters& p) {
              const ElementView from = p.array(0), at = p.array(1), out = p.array(2);
              const Index length = at.extent(1);
              for (auto i : grid_stride(at.extent(0) * length)) {
                const Index row = i / length, column = i % length;
                out(row, column) = from(row, at(row, column));
              }
            })
      .forall(which.size(), source, which, result);
}

}  // namespace krait::detail
