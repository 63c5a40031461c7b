// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels scan rows on which device, and the operators that the library knows.
#include "algorithms/scan/scan.h"

#include <algorithm>

#include "krait/expression.h"

namespace krait::host {

Scan::Scan(const detail::scan_recipe& recipe)
    : from(recipe.from),
      to(recipe.to),
      exclusive(recipe.exclusive),
      starts(recipe.starts),
      by(recipe.by) {
  if (recipe.function) function = *recipe.function;
}
Element Scan::of(const Element& x, const Element& y) const {
  if (in_segments) return joined_in_segments(*this, x, y);
  if (by == detail::scan_operator::function) return call(function, to, x, &y);
  return compute(by == detail::scan_operator::sum ? op::Add : op::Mul, x, y);
}

void scan_rows(const Scan& scan, any_array x, any_array to, const void* initial,
               const detail::algorithm_device& how) {
  using detail::algorithm_form;
  using detail::divided_up;
  const std::int64_t rows = x.extent(0), length = x.extent(1);
  const ElementArgument start{scan.to, initial};
  const bool is_number = scan.to->whole != scalar::none;
  if (is_number && how.form == algorithm_form::warps && rows == 1 &&
      length > look_back_tile(scan.to)) {
    const std::int64_t tiles = divided_up(length, look_back_tile(scan.to));
    array<std::uint64_t> states(shape<1>(tiles + 1), detail::device_from(x.on));
    // a launch: a graph replays it, unlike a fill
    detail::assign_elements(detail::all_tag(), states, std::uint64_t(0));
    const any_array values = new_array(scan.to, {2, look_back_in_word(scan.to) ? 1 : tiles}, x.on);
    return look_back_scan(scan).launch({tiles, look_back_threads}, reshaped(std::move(x), {length}),
                                       reshaped(std::move(to), {length}), states, values, start);
  }
  const bool blocks = how.form != algorithm_form::chunks;
  // Elements that make a chunk worth its launch, and chunks that all threads of a row's last block
  // can look at.
  const std::int64_t least = blocks ? least_scan_tiles * scan_tile : least_scan_chunk,
                     most = std::max<std::int64_t>(how.workers / rows, 1);
  const std::int64_t chunk =
      divided_up(divided_up(length, std::min(most, divided_up(length, least))), 64) * 64;
  const std::int64_t chunks = divided_up(length, chunk);
  any_array parts =
      chunks > 1 ? new_array(scan.to, {rows, chunks - 1}, x.on) : no_elements(scan.to, 2, x.on);
  if (!blocks) {
    const bool vectors = scan.by_vectors();
    const std::int64_t threads = vectors ? 32 : 1;
    if (chunks > 1)
      (vectors ? vector_parts : chunk_parts)(scan).launch({rows * (chunks - 1), threads}, x, parts,
                                                          chunk);
    return (vectors ? vector_scan : chunk_scan)(scan).launch({rows * chunks, threads}, x, to, parts,
                                                             start, chunk, chunks);
  }
  if (chunks > 1) {
    block_scan(scan, false)
        .launch({rows * (chunks - 1), scan_threads}, x, parts, parts, start, chunk, chunks - 1);
    if (chunks > 2) {
      any_array scanned = new_array(scan.to, {rows, chunks - 1}, x.on);
      Scan of_parts = scan;
      of_parts.from = scan.to, of_parts.exclusive = of_parts.starts = false;
      scan_rows(of_parts, parts, scanned, initial, {how.form, 1});
      parts = std::move(scanned);
    }
  }
  block_scan(scan, true).launch({rows * chunks, scan_threads}, x, to, parts, start, chunk, chunks);
}

}  // namespace krait::host

namespace krait::detail {

void scan(const scan_recipe& recipe, any_array x, const std::int64_t* axis, any_array to,
          const void* initial, const algorithm_device& how) {
  const std::int64_t size = x.size();
  any_array rows = axis             ? host::rows_along(std::move(x), *axis)
                   : x.at.rank == 1 ? host::one_row(std::move(x))
                                    : host::reshaped(std::move(x), {1, size});
  any_array result = to.at.rank == 1
                         ? host::one_row(std::move(to))
                         : host::memory_as(std::move(to), rows.extent(0), rows.extent(1));
  host::scan_rows(host::Scan(recipe), std::move(rows), std::move(result), initial, how);
}

}  // namespace krait::detail
