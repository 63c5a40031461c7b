// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stable merge sort of rows by any comparison. Threads sort short runs by insertion; then each
// pass merges pairs of runs. A thread writes neighbours of the result and finds their sources by
// bisection: Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path" (2012).
#pragma once

#include <krait/algorithm/detail/form.h>

namespace krait::detail {

/// Runs of `run` elements, a thread each.
template <class Elem, class Before>
auto make_sort_runs(const Before& before) {
  return kernel(
      [before](view<const Elem, 2> x, view<Elem, 2> to, value<std::int64_t> run) {
        const value<std::int64_t> length = x.extent(1), runs = (length + run - 1) / run,
                                  row = grid() / runs;
        if_(row < x.extent(0), [&] {
          const value<std::int64_t> first = grid() % runs * run, end = min(first + run, length);
          for (auto i : range(first, end)) {
            const value<Elem> own = x(row, i);
            var<std::int64_t> at = i;
            var<bool> goes_on = true;
            while_([&] { return goes_on && at > first; },
                   [&] {
                     const value<Elem> other = to(row, at - 1);
                     if_(before(own, other), [&] {
                       to(row, at) = other;
                       at -= 1;
                     }).else_([&] { goes_on = false; });
                   });
            to(row, at) = own;
          }
        });
      },
      {.name = "sort_runs"});
}

/// Merges runs of `run` elements in pairs; a thread writes `part` neighbours, and parts divide
/// runs.
template <class Elem, class Before>
auto make_merge(const Before& before) {
  return kernel(
      [before](view<const Elem, 2> x, view<Elem, 2> to, value<std::int64_t> run,
               value<std::int64_t> part) {
        const value<std::int64_t> length = x.extent(1), parts = (length + part - 1) / part,
                                  row = grid() / parts;
        if_(row < x.extent(0), [&] {
          const value<std::int64_t> out = grid() % parts * part,
                                    first = out / (2 * run) * (2 * run);
          const value<std::int64_t> middle = min(first + run, length),
                                    end = min(first + 2 * run, length);
          const value<std::int64_t> written = out - first;  // by others, before this part
          // How many of them come from the left run: one of the right comes before an equal one of
          // the left never.
          var<std::int64_t> low = max(written - (end - middle), std::int64_t(0)),
                            high = min(written, middle - first);
          while_([&] { return low < high; },
                 [&] {
                   const value<std::int64_t> half = (low + high) / 2;
                   const value<Elem> left = x(row, first + half),
                                     right = x(row, middle + (written - half - 1));
                   if_(before(right, left), [&] { high = half; }).else_([&] { low = half + 1; });
                 });
          var<std::int64_t> left = first + low, right = middle + (written - low);
          for (auto i : range(out, min(out + part, end))) {
            var<bool> takes_right = left >= middle;
            if_(left < middle && right < end, [&] {
              takes_right =
                  as_value<bool>(before(value<Elem>(x(row, right)), value<Elem>(x(row, left))));
            });
            if_(takes_right, [&] {
              to(row, i) = value<Elem>(x(row, right));
              right += 1;
            }).else_([&] {
              to(row, i) = value<Elem>(x(row, left));
              left += 1;
            });
          }
        });
      },
      {.name = "merge_runs"});
}

/// Rows into `to`, which is contiguous; neither is empty.
template <class Elem, class Before>
void merge_sort(const array<const Elem, 2>& x, array<Elem, 2>& to, const Before& user,
                bool descends, const algorithm_device& how) {
  const auto sort = [&](const auto& before) {
    using function = std::remove_cvref_t<decltype(before)>;
    const std::int64_t rows = x.extent(0), length = x.extent(1);
    const bool chunks = how.form == algorithm_form::chunks;
    const std::int64_t first_run = chunks ? 32 : 8, threads = chunks ? 1 : 128;
    int passes = 0;
    while (first_run << passes < length) ++passes;
    array<Elem, 2> other(passes > 0 ? x.extents() : shape<2>(1, 0), x.device());
    const auto into = [&](int pass) -> array<Elem, 2>& {
      return (passes - pass) % 2 == 0 ? to : other;
    };
    with_kernel(
        before, [](const function& f) { return make_sort_runs<Elem>(f); },
        [&](const auto& k) {
          k.launch({divided_up(rows * divided_up(length, first_run), threads), threads}, x, into(0),
                   first_run);
        });
    for (int p = 1; p <= passes; ++p) {
      const std::int64_t run = first_run << (p - 1);
      std::int64_t part = chunks ? run : smaller(run, 8);
      while (chunks && part > 1024 && rows * divided_up(length, part) < how.workers) part /= 2;
      with_kernel(
          before, [](const function& f) { return make_merge<Elem>(f); },
          [&](const auto& k) {
            k.launch({divided_up(rows * divided_up(length, part), threads), threads}, into(p - 1),
                     into(p), run, part);
          });
    }
  };
  if (descends) sort([user](const auto& a, const auto& b) { return user(b, a); });
  else sort(user);
}

}  // namespace krait::detail
