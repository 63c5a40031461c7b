// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans and reductions of segments: a scan of elements that know whether a segment begins in them.
#include <algorithm>

#include "algorithms/scan/scan.h"
#include "krait/algorithm/detail/select_kernels.h"
#include "krait/debug.h"
#include "krait/math.h"

namespace krait::host {
namespace {

/// The type of an element of that type, and a number that is 1 where a segment begins in it.
const ElementType* in_segment(const ElementType* of) {
  std::vector<detail::leaf> scalars(of->scalars, of->scalars + of->count);
  std::uint32_t aligned = 4;
  for (const detail::leaf& l : scalars) aligned = std::max(aligned, bytes_of(l.type));
  const std::uint32_t begins = (of->bytes + 3) / 4 * 4,
                      size = (begins + 4 + aligned - 1) / aligned * aligned;
  scalars.push_back({scalar::i32, begins});
  return detail::struct_type(scalars.data(), unsigned(scalars.size()), size,
                             of->as_bytes || scalars.size() > 16);
}
Element with_begin(const ElementType* type, const Element& x, node begins) {
  std::vector<node> scalars(x.scalars(), x.scalars() + x.type()->count);
  scalars.push_back(begins);
  return {type, std::move(scalars)};
}
Element value_of(const ElementType* type, const Element& x) {
  return {type, {x.scalars(), x.scalars() + type->count}};
}
value<int> begins_of(const Element& x) { return value<int>(x.scalars()[x.type()->count - 1]); }

/// In kernels: checks that a segment is within the elements, and before the next.
void check_segment(const view<const std::int64_t>& offsets, const Index& s, const Index& size) {
  const Index at = offsets[s], next = offsets[min(s + 1, offsets.size() - 1)];
  check(at >= 0 && at <= size, "offsets({}) is {}, which is out of range for {} elements", s, at,
        size);
  check(at <= next, "offsets({}) is {}, and the next one {}: offsets must not decrease", s, at,
        next);
}

/// The elements with marks where segments begin; offsets of empty segments mark what follows.
any_array segments_of(const any_array& x, const array<const std::int64_t>& offsets) {
  const ElementType* const marked = in_segment(x.type);
  const any_array made = new_array(marked, {x.size()}, x.on);
  if (x.size() > 0)
    kernel_of("enter_segments", {x.type}, {in(x.type), out(marked)}, [marked](const Parameters& p) {
      const ElementView from = p.array(0), to = p.array(1);
      for (auto i : grid_stride(from.size()))
        to(i) = with_begin(marked, from(i), detail::literal(scalar::i32, 0));
    }).forall(x.size(), x, made);
  if (offsets.size() > 0)
    kernel_of(
        "mark_segments", {marked}, {in<std::int64_t>(), out(marked)},
        [last = x.type->count](const Parameters& p) {
          const auto begins = p.array<const std::int64_t>(0);
          const ElementView to = p.array(1);
          for (auto s : grid_stride(begins.size())) {
            const Index at = begins[s];
            check_segment(begins, s, to.size());
            // of equal ones, too: one thread writes
            const value<bool> final = s + 1 == begins.size();
            if_(at >= 0 && at < to.size() && (final || begins[min(s + 1, begins.size() - 1)] != at),
                [&] { detail::store(to(at).of(last), detail::literal(scalar::i32, 1)); });
          }
        })
        .forall(offsets.size(), offsets, made);
  return made;
}

any_array scanned_segments(const any_array& x, const array<const std::int64_t>& offsets,
                           const detail::element_function& function) {
  const any_array marked = segments_of(x, offsets),
                  scanned = new_array(marked.type, {x.size()}, x.on);
  if (x.size() == 0) return scanned;
  Scan scan;
  scan.from = scan.to = marked.type, scan.function = function, scan.in_segments = x.type;
  const std::vector<char> none(marked.type->bytes);
  scan_rows(scan, reshaped(marked, {1, x.size()}), reshaped(scanned, {1, x.size()}), none.data(),
            detail::algorithm_device_of(detail::device_from(x.on)));
  return scanned;
}

}  // namespace

Element joined_in_segments(const Scan& scan, const Element& first, const Element& second) {
  const ElementType* const type = scan.in_segments;
  const value<int> begins = begins_of(first), new_begins = begins_of(second);
  Variable all(value_of(type, second));
  if_(new_begins == 0, [&] {
    const Element a = value_of(type, first), b = value_of(type, second);
    all = call(scan.function, type, a, &b);
  });
  return with_begin(first.type(), all, node_of(begins | new_begins));
}

}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void check_segments(const array<const std::int64_t>& offsets, std::int64_t size) {
  if (offsets.size() > 0)
    kernel_of("check_segments", {}, {in<std::int64_t>(), number()}, [](const Parameters& p) {
      const auto begins = p.array<const std::int64_t>(0);
      for (auto s : grid_stride(begins.size())) check_segment(begins, s, p.number(1));
    }).forall(offsets.size(), offsets, size);
}

void scan_segments(const any_array& x, const array<const std::int64_t>& offsets,
                   const element_function& function, const any_array& values) {
  const any_array scanned = scanned_segments(x, offsets, function);
  if (values.size() > 0)
    kernel_of("leave_segments", {values.type}, {in(scanned.type), out(values.type)},
              [](const Parameters& p) {
                const ElementView from = p.array(0), to = p.array(1);
                for (auto i : grid_stride(from.size())) to(i) = value_of(to.type(), from(i));
              })
        .forall(values.size(), scanned, values);
}

void reduce_segments(const any_array& x, const array<const std::int64_t>& offsets,
                     const element_function& function, const void* initial,
                     const any_array& reduced) {
  const any_array scanned = scanned_segments(x, offsets, function);
  if (reduced.size() > 0)
    kernel_of(*function.kernels, "segment_ends", {reduced.type},
              {in(scanned.type), in<std::int64_t>(), out(reduced.type), number(reduced.type)},
              [function](const Parameters& p) {
                const ElementView from = p.array(0), to = p.array(2);
                const auto ends = p.array<const std::int64_t>(1);
                const Element first = p.element(3);
                for (auto s : grid_stride(to.size())) {
                  const Index end = ends[s + 1];
                  Variable all(first);
                  // a GPU tells of others later
                  if_(ends[s] < end && end > 0 && end <= from.size(), [&] {
                    const Element last = value_of(to.type(), from(end - 1));
                    all = call(function, to.type(), first, &last);
                  });
                  to(s) = all;
                }
              })
        .forall(reduced.size(), scanned, offsets, reduced, ElementArgument{reduced.type, initial});
}

}  // namespace krait::detail
