// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of elements, what is made of marked ones, and segments.
#pragma once

#include <krait/algorithm/scan.h>
#include <krait/algorithm/search.h>
#include <krait/debug.h>

namespace krait {
namespace detail {

/// The array to(at(i)) = x(i) where marks(i) is 1. `upto`: sums of the marks up to each element.
/// Rest: others follow, in order.
template <class Elem>
array<Elem> compacted(const array<const Elem>& x, const array<bool>& marks,
                      const array<std::int64_t>& upto, std::int64_t count, bool rest) {
  static auto& compact = lasting(kernel(
      [](view<const Elem> from, view<const bool> mark, view<const std::int64_t> sums,
         view<Elem> out, value<std::int64_t> behind) {
        for (auto i : grid_stride(from.size())) {
          if_(mark[i], [&] { out[sums[i] - 1] = value<Elem>(from[i]); }).elif_(behind >= 0, [&] {
            out[behind + i - sums[i]] = value<Elem>(from[i]);
          });
        }
      },
      {.name = "compact"}));
  array<Elem> out(shape<1>(rest ? x.size() : count), x.device());
  if (out.size() > 0)
    compact.forall(x.size())(x, marks, upto, out, rest ? count : std::int64_t(-1));
  return out;
}
inline std::int64_t last_of(const array<std::int64_t>& sums) {
  return sums.size() > 0 ? std::int64_t(sums(-1)) : 0;
}

template <class Elem, class Predicate>
array<bool> marks_of(const array<const Elem>& x, const Predicate& predicate) {
  array<bool> marks(x.extents(), x.device());
  if (x.size() == 0) return marks;
  with_kernel(
      predicate,
      [](const Predicate& f) {
        return kernel(
            [f](view<const Elem> from, view<bool> mark) {
              for (auto i : grid_stride(from.size()))
                mark[i] = as_value<bool>(f(value<Elem>(from[i])));
            },
            {.name = "mark"});
      },
      [&](const auto& k) { k.forall(x.size())(x, marks); });
  return marks;
}
/// Where an element differs from the one before.
template <plain Elem>
array<bool> marks_of_heads(const array<const Elem>& x) {
  static auto& mark_heads = lasting(kernel(
      [](view<const Elem> from, view<bool> mark) {
        for (auto i : grid_stride(from.size())) {
          const value<Elem> own = from[i], before = from[max(i - 1, std::int64_t(0))];
          mark[i] = i == 0 || !same_key(own, before);
        }
      },
      {.name = "mark_heads"}));
  array<bool> marks(x.extents(), x.device());
  if (x.size() > 0) mark_heads.forall(x.size())(x, marks);
  return marks;
}

/// A value, and whether a segment begins in its elements.
template <class Elem>
struct in_segment {
  Elem x;
  int begins;
};
template <class Function, class Elem>
struct in_segments {
  [[no_unique_address]] Function function;
  template <class Value>
  auto operator()(const Value& first, const Value& second) const {
    const auto [a, begins] = first;
    const auto [b, new_begins] = second;
    var<Elem> x = b;
    if_(new_begins == 0, [&] { x = as_value<Elem>(function(value<Elem>(a), value<Elem>(b))); });
    return value<in_segment<Elem>>(value<Elem>(x), value<int>(begins | new_begins));
  }
};
/// In kernels: checks that segments are within the elements and follow each other.
inline void check_segment(const view<const std::int64_t>& offsets, const value<std::int64_t>& s,
                          const value<std::int64_t>& size) {
  const value<std::int64_t> at = offsets[s], next = offsets[min(s + 1, offsets.size() - 1)];
  check(at >= 0 && at <= size, "offsets({}) is {}, which is out of range for {} elements", s, at,
        size);
  check(at <= next, "offsets({}) is {}, and the next one {}: offsets must not decrease", s, at,
        next);
}
inline void check_segments(const array<std::int64_t, 1>& offsets, std::int64_t size) {
  static auto& look = lasting(kernel(
      [](view<const std::int64_t> begins, value<std::int64_t> elements) {
        for (auto s : grid_stride(begins.size())) check_segment(begins, s, elements);
      },
      {.name = "check_segments"}));
  if (offsets.size() > 0) look.forall(offsets.size())(offsets, size);
}
/// The elements with marks where segments begin; offsets of empty segments mark what follows.
template <class Elem>
array<in_segment<Elem>> segments_of(const array<const Elem>& x,
                                    const array<const std::int64_t>& offsets) {
  static auto& enter = lasting(kernel(
      [](view<const Elem> from, view<in_segment<Elem>> to) {
        for (auto i : grid_stride(from.size()))
          to[i] = value<in_segment<Elem>>(value<Elem>(from[i]), value<int>(0));
      },
      {.name = "enter_segments"}));
  static auto& mark = lasting(kernel(
      [](view<const std::int64_t> begins, view<in_segment<Elem>> to) {
        for (auto s : grid_stride(begins.size())) {
          const value<std::int64_t> at = begins[s];
          check_segment(begins, s, to.size());
          const value<bool> last = s + 1 == begins.size();  // of equal ones, too: one thread writes
          if_(at >= 0 && at < to.size() && (last || begins[min(s + 1, begins.size() - 1)] != at),
              [&] { to[at][&in_segment<Elem>::begins] = 1; });
        }
      },
      {.name = "mark_segments"}));
  array<in_segment<Elem>> out(x.extents(), x.device());
  if (x.size() > 0) enter.forall(x.size())(x, out);
  if (offsets.size() > 0) mark.forall(offsets.size())(offsets, out);
  return out;
}

template <class Elem, class Output>
auto values_in_segments(const array<in_segment<Elem>>& scanned, Output output) {
  static auto& leave = lasting(kernel(
      [](view<const in_segment<Elem>> from, view<Elem> to) {
        for (auto i : grid_stride(from.size()))
          to[i] = value<in_segment<Elem>>(from[i])[&in_segment<Elem>::x];
      },
      {.name = "leave_segments"}));
  auto out =
      result_in<Elem, 1>(output, dense(scanned.extents().extents, 1, false), scanned.device());
  if (out.to.size() > 0) leave.forall(out.to.size())(scanned, out.to);
  return out.give();
}
template <class Elem, class Function, class Output>
auto ends_of_segments(const array<in_segment<Elem>>& scanned,
                      const array<const std::int64_t>& offsets, const Function& function,
                      Elem initial, Output output) {
  const shape<1> segments(offsets.size() > 0 ? offsets.size() - 1 : 0);
  auto out =
      result_in<Elem, 1>(output, dense(segments.extents, 1, false), scanned.device(), offsets);
  if (out.to.size() == 0) return out.give();
  with_kernel(
      function,
      [](const Function& f) {
        return kernel(
            [f](view<const in_segment<Elem>> from, view<const std::int64_t> ends, view<Elem> to,
                value<Elem> first) {
              for (auto s : grid_stride(to.size())) {
                const value<std::int64_t> end = ends[s + 1];
                var<Elem> all = first;
                // a GPU tells of others later
                if_(ends[s] < end && end > 0 && end <= from.size(), [&] {
                  all = as_value<Elem>(f(first, value<Elem>(value<in_segment<Elem>>(
                                                    from[end - 1])[&in_segment<Elem>::x])));
                });
                to[s] = value<Elem>(all);
              }
            },
            {.name = "segment_ends"});
      },
      [&](const auto& k) { k.forall(out.to.size())(scanned, offsets, out.to, initial); });
  return out.give();
}

/// Of each run the length, where `heads` marks its first element.
inline array<std::int64_t> lengths_of_runs(const array<bool>& heads,
                                           const array<std::int64_t>& upto, std::int64_t count) {
  static auto& place = lasting(kernel(
      [](view<const bool> mark, view<const std::int64_t> sums, view<std::int64_t> out) {
        for (auto i : grid_stride(mark.size())) if_(mark[i], [&] { out[sums[i] - 1] = i; });
      },
      {.name = "places_of_marked"}));
  static auto& subtract = lasting(kernel(
      [](view<const std::int64_t> first, view<std::int64_t> length, value<std::int64_t> all) {
        for (auto k : grid_stride(first.size())) {
          var<std::int64_t> end = all;
          if_(k + 1 < first.size(), [&] { end = first[k + 1]; });
          length[k] = end - first[k];
        }
      },
      {.name = "run_lengths"}));
  array<std::int64_t> begins(shape<1>(count), heads.device()), out(shape<1>(count), heads.device());
  if (count == 0) return out;
  place.forall(heads.size())(heads, upto, begins);
  subtract.forall(count)(begins, out, heads.size());
  return out;
}

/// The first k along an axis.
template <class Elem, int Rank>
array<Elem, Rank> first_along(const array<Elem, Rank>& x, std::int64_t axis, std::int64_t k) {
  layout at = axis_last(x.at(), axis);
  at.extents[Rank - 1] = k < at.extents[Rank - 1] ? k : at.extents[Rank - 1];
  return {axis_back(at, axis), x.memory_owner(), handle_of(x.device())};
}
template <int Rank>
array<std::int64_t, Rank> wide_first_along(const array<unsigned, Rank>& x, std::int64_t axis,
                                           std::int64_t k) {
  const array<unsigned, Rank> first = first_along(x, axis, k);
  array<std::int64_t, Rank> out(first.extents(), x.device());
  if (out.size() > 0) assign_elements(all_tag(), out, first);
  return out;
}
[[noreturn]] KRAIT_API void refuse_top(std::int64_t k);
/// Whether so few elements of a row are wanted that selecting them first is faster than sorting the
/// row. That takes four reads of it instead of a read and a write of keys and places for each
/// digit.
constexpr bool is_few_of(std::int64_t k, std::int64_t rows, std::int64_t length) {
  return rows == 1 && length >= 1 << 15 && length < std::int64_t{1} << 32 && k > 0 &&
         k <= length / 16;
}

}  // namespace detail

}  // namespace krait
