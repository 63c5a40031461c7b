// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of elements, and what is made of marked ones.
#include "algorithms/kernels.h"
#include "krait/algorithm/detail/select_kernels.h"
#include "krait/math.h"

namespace krait::detail {

using namespace krait::host;

namespace {

chosen_elements chosen_of(array<bool> marks) {
  array<std::int64_t> upto = cumsum(marks);
  const std::int64_t count = upto.size() > 0 ? std::int64_t(upto(-1)) : 0;
  return {std::move(marks), std::move(upto), count};
}
array<bool> marks_for(const any_array& x) {
  return array<bool>(shape<1>(x.size()), device_from(x.on));
}

}  // namespace

chosen_elements chosen_by(const element_function& predicate, const any_array& given) {
  array<bool> marks = marks_for(given);
  if (given.size() > 0)
    kernel_of(*predicate.kernels, "mark", {given.type}, {in(given.type), out<bool>()},
              [predicate](const Parameters& p) {
                const ElementView from = p.array(0);
                const auto mark = p.array<bool>(1);
                for (auto i : grid_stride(from.size()))
                  mark[i] = call(predicate, type_of<bool>(), from(i)).as<bool>();
              })
        .forall(given.size(), given, marks);
  return chosen_of(std::move(marks));
}

array<bool> marks_of_heads(const any_array& given) {
  array<bool> marks = marks_for(given);
  if (given.size() > 0)
    kernel_of("mark_heads", {given.type}, {in(given.type), out<bool>()}, [](const Parameters& p) {
      const ElementView from = p.array(0);
      const auto mark = p.array<bool>(1);
      for (auto i : grid_stride(from.size())) {
        const Element own = from(i), before = from(max(i - 1, std::int64_t(0)));
        mark[i] = i == 0 || !same_key(own, before);
      }
    }).forall(given.size(), given, marks);
  return marks;
}
chosen_elements heads_of_runs(const any_array& x) { return chosen_of(marks_of_heads(x)); }

array<bool> marks_of_members(const any_array& given, const any_array& sorted, bool others) {
  array<bool> marks = marks_for(given);
  if (given.size() > 0)
    kernel_of("mark_members", {given.type},
              {in(given.type), in(given.type), out<bool>(), number<bool>()},
              [](const Parameters& p) {
                const ElementView from = p.array(0), keys = p.array(1);
                const auto mark = p.array<bool>(2);
                for (auto i : grid_stride(from.size())) {
                  const Element own = from(i);
                  const Index at = place_in(keys, own, false);
                  var<bool> there = false;
                  if_(at < keys.size(), [&] { there = same_key(own, keys(at)); });
                  mark[i] = there != p.number<bool>(3);
                }
              })
        .forall(given.size(), given, sorted, marks, others);
  return marks;
}
chosen_elements chosen_members(const any_array& x, const any_array& sorted, bool others) {
  return chosen_of(marks_of_members(x, sorted, others));
}

void compact(const any_array& given, const chosen_elements& chosen, bool rest,
             const any_array& written) {
  if (written.size() == 0) return;
  kernel_of("compact", {given.type},
            {in(given.type), in<bool>(), in<std::int64_t>(), out(given.type), number()},
            [](const Parameters& p) {
              const ElementView from = p.array(0), out = p.array(3);
              const auto mark = p.array<const bool>(1);
              const auto sums = p.array<const std::int64_t>(2);
              const Index behind = p.number(4);
              for (auto i : grid_stride(from.size()))
                if_(mark[i], [&] { out(sums[i] - 1) = from(i); }).elif_(behind >= 0, [&] {
                  out(behind + i - sums[i]) = from(i);
                });
            })
      .forall(given.size(), given, chosen.marks, chosen.upto, written,
              rest ? chosen.count : std::int64_t(-1));
}

array<std::int64_t> lengths_of_runs(const chosen_elements& heads) {
  const device on = heads.marks.device();
  array<std::int64_t> begins(shape<1>(heads.count), on), lengths(shape<1>(heads.count), on);
  if (heads.count == 0) return lengths;
  kernel_of("places_of_marked", {}, {in<bool>(), in<std::int64_t>(), out<std::int64_t>()},
            [](const Parameters& p) {
              const auto mark = p.array<const bool>(0);
              const auto sums = p.array<const std::int64_t>(1);
              const auto out = p.array<std::int64_t>(2);
              for (auto i : grid_stride(mark.size())) if_(mark[i], [&] { out[sums[i] - 1] = i; });
            })
      .forall(heads.marks.size(), heads.marks, heads.upto, begins);
  kernel_of("run_lengths", {}, {in<std::int64_t>(), out<std::int64_t>(), number()},
            [](const Parameters& p) {
              const auto first = p.array<const std::int64_t>(0);
              const auto length = p.array<std::int64_t>(1);
              for (auto k : grid_stride(first.size())) {
                var<std::int64_t> end = p.number(2);
                if_(k + 1 < first.size(), [&] { end = first[k + 1]; });
                length[k] = end - first[k];
              }
            })
      .forall(heads.count, begins, lengths, heads.marks.size());
  return lengths;
}

}  // namespace krait::detail
