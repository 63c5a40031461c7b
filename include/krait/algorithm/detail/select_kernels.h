// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of elements, what is made of marked ones, and segments; of one dimension all.
#pragma once

#include <krait/algorithm/scan.h>
#include <krait/algorithm/search.h>

namespace krait::detail {

/// Elements that are chosen, and where they go: `upto` are sums of the marks up to each element,
/// or, of a processor, before each part of so many elements and at the end.
struct chosen_elements {
  array<bool> marks;
  array<std::int64_t> upto;
  std::int64_t count;
  std::int64_t part = 0;
};
/// Those for which the predicate holds; waits for their number, as heads_of_runs and chosen_members
/// do.
KRAIT_API chosen_elements chosen_by(const element_function& predicate, const any_array& x);
/// The elements for which it holds, in order, in an array of x's type; waits, as the next one does.
KRAIT_API any_array kept_by(const element_function& predicate, const any_array& x);
/// Those that differ from the one before.
KRAIT_API any_array kept_heads(const any_array& x);
KRAIT_API chosen_elements heads_of_runs(const any_array& x);
/// Those that are in `sorted`, or are not.
KRAIT_API chosen_elements chosen_members(const any_array& x, const any_array& sorted, bool others);
/// Marks elements that are in `sorted`.
KRAIT_API array<bool> marks_of_members(const any_array& x, const any_array& sorted, bool others);
/// Marks elements that differ from the one before.
KRAIT_API array<bool> marks_of_heads(const any_array& x);

/// Writes the chosen elements; others follow if `rest`, in order.
KRAIT_API void compact(const any_array& x, const chosen_elements& chosen, bool rest,
                       const any_array& to);
template <class Elem>
array<std::remove_const_t<Elem>> compacted(const array<Elem>& x, const chosen_elements& chosen,
                                           bool rest = false) {
  array<std::remove_const_t<Elem>> out(shape<1>(rest ? x.size() : chosen.count), x.device());
  compact(erased(x), chosen, rest, erased(out));
  return out;
}
/// Of each run the length, where the first elements are chosen.
KRAIT_API array<std::int64_t> lengths_of_runs(const chosen_elements& heads);

/// Checks that segments are within the elements and follow each other.
KRAIT_API void check_segments(const array<const std::int64_t>& offsets, std::int64_t size);
/// Scans each segment; `to` has the extents of x.
KRAIT_API void scan_segments(const any_array& x, const array<const std::int64_t>& offsets,
                             const element_function& function, const any_array& to);
/// Reduces each segment from `initial` on; `to` has an element a segment.
KRAIT_API void reduce_segments(const any_array& x, const array<const std::int64_t>& offsets,
                               const element_function& function, const void* initial,
                               const any_array& to);

[[noreturn]] KRAIT_API void refuse_top(std::int64_t k);

}  // namespace krait::detail
