// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stable merge sort of rows by any comparison. Threads sort short runs by insertion; then each
// pass merges pairs of runs. A thread writes neighbours of the result and finds their sources by
// bisection: Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path" (2012).
#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/algorithm/detail/keys.h"
#include "krait/math.h"

namespace krait::host {
namespace {

/// The user's comparison, or its opposite.
struct Before {
  const ElementType* type;
  detail::element_function function;
  bool descends;

  value<bool> operator()(const Element& x, const Element& y) const {
    return call(function, type_of<bool>(), descends ? y : x, descends ? &x : &y).as<bool>();
  }
  template <class Body>
  const Kernel& kernel(const char* name, std::initializer_list<Parameter> parameters,
                       const Body& body) const {
    return kernel_of(*function.kernels, name, {type, descends}, parameters, body);
  }
};

/// Runs of `run` elements, a thread each.
const Kernel& sort_runs(const Before& before) {
  return before.kernel("sort_runs", {in(before.type, 2), out(before.type, 2), number()},
                       [before](const Parameters& p) {
                         const ElementView x = p.array(0), to = p.array(1);
                         const Index run = p.number(2), length = x.extent(1),
                                     runs = (length + run - 1) / run, row = grid() / runs;
                         if_(row < x.extent(0), [&] {
                           const Index first = grid() % runs * run, end = min(first + run, length);
                           for (auto i : range(first, end)) {
                             const Element own = x(row, i);
                             var<std::int64_t> at = i;
                             var<bool> goes_on = true;
                             while_([&] { return goes_on && at > first; },
                                    [&] {
                                      const Element other = to(row, at - 1);
                                      if_(before(own, other), [&] {
                                        to(row, at) = other;
                                        at -= 1;
                                      }).else_([&] { goes_on = false; });
                                    });
                             to(row, at) = own;
                           }
                         });
                       });
}

/// Merges runs of `run` elements in pairs; a thread writes `part` neighbours, and parts divide
/// runs.
const Kernel& merge_runs(const Before& before) {
  return before.kernel(
      "merge_runs", {in(before.type, 2), out(before.type, 2), number(), number()},
      [before](const Parameters& p) {
        const ElementView x = p.array(0), to = p.array(1);
        const Index run = p.number(2), part = p.number(3), length = x.extent(1),
                    parts = (length + part - 1) / part, row = grid() / parts;
        if_(row < x.extent(0), [&] {
          const Index out = grid() % parts * part, first = out / (2 * run) * (2 * run);
          const Index middle = min(first + run, length), end = min(first + 2 * run, length);
          const Index written = out - first;  // by others, before this part
          // How many of them come from the left run: one of the right comes before an equal one of
          // the left never.
          var<std::int64_t> low = max(written - (end - middle), std::int64_t(0)),
                            high = min(written, middle - first);
          while_([&] { return low < high; },
                 [&] {
                   const Index half = (low + high) / 2;
                   const Element left = x(row, first + half),
                                 right = x(row, middle + (written - half - 1));
                   if_(before(right, left), [&] { high = half; }).else_([&] { low = half + 1; });
                 });
          var<std::int64_t> left = first + low, right = middle + (written - low);
          for (auto i : range(out, min(out + part, end))) {
            var<bool> takes_right = left >= middle;
            if_(left < middle && right < end,
                [&] { takes_right = before(x(row, right), x(row, left)); });
            if_(takes_right, [&] {
              to(row, i) = x(row, right);
              right += 1;
            }).else_([&] {
              to(row, i) = x(row, left);
              left += 1;
            });
          }
        });
      });
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

void merge_sort(const any_array& given, std::int64_t axis, const any_array& sorted,
                const element_function& function, bool descends, const algorithm_device& how) {
  using namespace krait::host;
  const any_array x = host::rows_along(given, axis);
  const Before before{x.type, function, descends};
  const std::int64_t rows = x.extent(0), length = x.extent(1);
  const any_array to = memory_as(sorted, rows, length);
  const bool chunks = how.form == algorithm_form::chunks;
  const std::int64_t first_run = chunks ? merge_run : short_merge_run,
                     threads = chunks ? 1 : merge_threads;
  int passes = 0;
  while (first_run << passes < length) ++passes;
  const any_array other = new_array(x.type, {passes > 0 ? rows : 1, passes > 0 ? length : 0}, x.on);
  const auto into = [&](int pass) -> const any_array& {
    return (passes - pass) % 2 == 0 ? to : other;
  };
  sort_runs(before).launch({divided_up(rows * divided_up(length, first_run), threads), threads}, x,
                           into(0), first_run);
  for (int p = 1; p <= passes; ++p) {
    const std::int64_t run = first_run << (p - 1);
    std::int64_t part = chunks ? run : smaller(run, merge_part);
    while (chunks && part > least_merge_part && rows * divided_up(length, part) < how.workers)
      part /= 2;
    merge_runs(before).launch({divided_up(rows * divided_up(length, part), threads), threads},
                              into(p - 1), into(p), run, part);
  }
}

}  // namespace krait::detail
