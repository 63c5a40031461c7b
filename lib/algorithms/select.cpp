// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of elements, and what is made of marked ones.
#include <utility>

#include "algorithms/record/arrays.h"
#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/algorithm/detail/form.h"
#include "krait/algorithm/detail/indexing.h"
#include "krait/algorithm/detail/select_kernels.h"
#include "krait/math.h"
#include "krait/warp.h"

namespace krait::detail {

using namespace krait::host;

namespace {

/// Marks are 0 or 1, as numbers: to add them needs no comparison.
any_array bytes_of(const array<bool>& marks) {
  any_array bytes = detail::erased(marks);
  bytes.type = type_of<std::uint8_t>();
  return bytes;
}
/// Elements of a processor's part, so that each of its workers has one.
std::int64_t part_of(std::int64_t elements, const algorithm_device& how) {
  return std::max(divided_up(elements, how.workers), least_scan_chunk);
}
/// The number of each part becomes that of the parts before it, in one place more that of all.
std::int64_t sum_parts(array<std::int64_t>& counts) {
  host_array<std::int64_t> numbers = counts.to_host();
  const std::size_t parts = numbers.size() - 1;
  std::int64_t all = 0;
  for (std::size_t k = 0; k < parts; ++k) all += std::exchange(numbers[k], all);
  numbers[parts] = all;
  counts.copy_from(numbers);
  return all;
}
/// Calls use(i) for `count` places from `begin` on, by a gang: for neighbours at once.
template <class Use>
void for_each_of_part(const Index& begin, const Index& count, const Use& use) {
  const Index whole = count / reduce_gang, lane = thread_idx().x;
  for (auto i : range(whole)) use(begin + i * reduce_gang + lane);
  const Index last = whole * reduce_gang + lane;
  if_(last < count, [&] { use(begin + last); });
}
/// Whether the processor writes chosen elements of the type side by side, many at once. Others are
/// written one after the other.
bool packs(const algorithm_device& how, const ElementType* type) {
  return how.form == algorithm_form::chunks && how.least_packed > 0 && type->count == 1 &&
         type->bytes >= how.least_packed;
}
/// Writes one of the gang's chosen elements, and moves on to the place of the next.
void pack(const ElementView& out, var<std::int64_t>& to, const Element& x,
          const value<bool>& chosen) {
  const Index place = to + warp::prefix_count(chosen);
  if_(chosen, [&] { out(place) = x; });
  to += popcount(warp::ballot(chosen));
}
/// The elements for which chosen(x, i) holds, in order. One pass over x: the gang of each part
/// packs them from its begin on, and they come together when their number is known.
template <class Chosen>
any_array packed(const any_array& given, const algorithm_device& how, detail::kernel_set& kernels,
                 const char* name, const Chosen& chosen) {
  const std::int64_t part = part_of(given.size(), how), parts = divided_up(given.size(), part);
  any_array rows = new_array(given.type, {given.size()}, given.on);
  array<std::int64_t> before(shape<1>(parts + 1), device_from(given.on));
  kernel_of(
      kernels, name, {given.type}, {in(given.type), out(given.type), out<std::int64_t>(), number()},
      [chosen](const Parameters& p) {
        const ElementView from = p.array(0), to = p.array(1);
        const Index part = p.number(3), begin = block_idx().x * part;
        var<std::int64_t> end = begin;
        for_each_of_part(begin, min(part, from.size() - begin),
                         [&](const Index& i) { pack(to, end, from(i), chosen(from, i)); });
        if_(thread_idx().x == 0, [&] { p.array<std::int64_t>(2)[block_idx().x] = end - begin; });
      })
      .launch({parts, reduce_gang}, given, rows, before, part);
  const std::int64_t count = sum_parts(before);
  if (count == given.size()) return rows;
  any_array all = new_array(given.type, {count}, given.on);
  if (count > 0)
    kernel_of("join_parts", {given.type},
              {in(given.type), in<std::int64_t>(), out(given.type), number()},
              [](const Parameters& p) {
                const ElementView from = p.array(0), to = p.array(2);
                const auto before = p.array<const std::int64_t>(1);
                const Index begin = block_idx().x * p.number(3), first = before[block_idx().x];
                for_each_of_part(0, before[block_idx().x + 1] - first,
                                 [&](const Index& i) { to(first + i) = from(begin + i); });
              })
        .launch({parts, reduce_gang}, rows, before, all, part);
  return all;
}

/// Of a processor: marks are counted by parts, each of which one block goes through afterwards.
chosen_elements counted_by_parts(array<bool> marks, const algorithm_device& how) {
  const std::int64_t part = part_of(marks.size(), how), parts = divided_up(marks.size(), part);
  array<std::int64_t> before(shape<1>(parts + 1), marks.device());
  kernel_of("count_marks", {}, {in<std::uint8_t>(), out<std::int64_t>(), number()},
            [](const Parameters& p) {
              const auto mark = p.array<const std::uint8_t>(0);
              const Index own = p.number(2), begin = block_idx().x * own,
                          count = min(own, mark.size() - begin);
              var<int> sum = 0;
              for_each_of_part(begin, count, [&](const Index& i) { sum += cast<int>(mark[i]); });
              const value<int> all = warp::reduce(sum);
              if_(thread_idx().x == 0, [&] { p.array<std::int64_t>(1)[block_idx().x] = all; });
            })
      .launch({parts, reduce_gang}, bytes_of(marks), before, part);
  const std::int64_t count = sum_parts(before);
  return {std::move(marks), std::move(before), count, part};
}
chosen_elements chosen_of(array<bool> marks) {
  const algorithm_device how = algorithm_device_of(marks.device());
  if (how.form == algorithm_form::chunks && marks.size() > 0)
    return counted_by_parts(std::move(marks), how);
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

namespace {

any_array compacted(const any_array& given, const chosen_elements& chosen) {
  any_array all = new_array(given.type, {chosen.count}, given.on);
  compact(given, chosen, false, all);
  return all;
}

}  // namespace

any_array kept_by(const element_function& predicate, const any_array& given) {
  const algorithm_device how = algorithm_device_of(device_from(given.on));
  if (given.size() > 0 && packs(how, given.type))
    return packed(given, how, *predicate.kernels, "keep",
                  [predicate](const ElementView& from, const Index& i) {
                    return call(predicate, type_of<bool>(), from(i)).as<bool>();
                  });
  return compacted(given, chosen_by(predicate, given));
}

namespace {

value<bool> is_head(const ElementView& from, const Index& i) {
  const Element own = from(i), before = from(max(i - 1, std::int64_t(0)));
  return i == 0 || !same_key(own, before);
}

}  // namespace

array<bool> marks_of_heads(const any_array& given) {
  array<bool> marks = marks_for(given);
  if (given.size() > 0)
    kernel_of("mark_heads", {given.type}, {in(given.type), out<bool>()}, [](const Parameters& p) {
      const ElementView from = p.array(0);
      const auto mark = p.array<bool>(1);
      for (auto i : grid_stride(from.size())) mark[i] = is_head(from, i);
    }).forall(given.size(), given, marks);
  return marks;
}
chosen_elements heads_of_runs(const any_array& x) { return chosen_of(marks_of_heads(x)); }
any_array kept_heads(const any_array& given) {
  const algorithm_device how = algorithm_device_of(device_from(given.on));
  if (given.size() > 0 && packs(how, given.type))
    return packed(given, how, own_kernels(), "keep_heads", is_head);
  return compacted(given, heads_of_runs(given));
}

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

/// Of a part's thread: writes of(i) for chosen elements, in order. An element is written before it
/// is known to be chosen: the next one replaces it otherwise. The last is a chosen one, so that no
/// place of another part is written.
template <class Of>
void write_one_by_one(const Parameters& p, const Of& of) {
  const auto mark = p.array<const std::uint8_t>(0);
  const auto before = p.array<const std::int64_t>(1);
  const ElementView out = p.array(2);
  const Index end = before[block_idx().x + 1];
  var<std::int64_t> to = before[block_idx().x], i = block_idx().x * p.number(3);
  const auto take = [&] {
    out(to) = of(Index(i));
    to += cast<std::int64_t>(mark[i]);
    i += 1;
  };
  while_([&] { return to + taken_together <= end; },
         [&] {
           for (int k = 0; k < taken_together; ++k) take();
         });
  while_([&] { return to < end; }, take);
}
/// The same of a part's gang, or of its thread: `packed`.
template <class Of>
void write_chosen(const Parameters& p, bool packed, const Of& of) {
  if (!packed) return write_one_by_one(p, of);
  const auto mark = p.array<const std::uint8_t>(0);
  const Index begin = block_idx().x * p.number(3);
  var<std::int64_t> to = p.array<const std::int64_t>(1)[block_idx().x];
  for_each_of_part(begin, min(p.number(3), mark.size() - begin), [&](const Index& i) {
    pack(p.array(2), to, of(i), mark[i] != std::uint8_t(0));
  });
}
/// As it, and the others from `others` on.
void write_all(const Parameters& p, bool packed) {
  const auto mark = p.array<const std::uint8_t>(0);
  const auto before = p.array<const std::int64_t>(1);
  const ElementView out = p.array(2), from = p.array(4);
  const Index begin = block_idx().x * p.number(3);
  var<std::int64_t> to = before[block_idx().x], other = p.number(5) + begin - to;
  if (packed)
    return write_chosen(p, true, [&](const Index& i) {
      const Element own = from(i);
      pack(out, other, own, mark[i] == std::uint8_t(0));
      return own;
    });
  for (auto i : range(begin, min(begin + p.number(3), mark.size()))) {
    const Index chosen = cast<std::int64_t>(mark[i]);
    out(select(chosen != 0, to, other)) = from(i);
    to += chosen;
    other += 1 - chosen;
  }
}

void compact(const any_array& given, const chosen_elements& chosen, bool rest,
             const any_array& written) {
  if (written.size() == 0) return;
  if (const std::int64_t part = chosen.part) {
    const std::int64_t parts = chosen.upto.size() - 1;
    const bool packed = packs(algorithm_device_of(device_from(given.on)), given.type);
    const launch_config blocks = {parts, packed ? reduce_gang : 1};
    if (rest)
      kernel_of("partition_parts", {given.type, packed},
                {in<std::uint8_t>(), in<std::int64_t>(), out(given.type), number(), in(given.type),
                 number()},
                [packed](const Parameters& p) { write_all(p, packed); })
          .launch(blocks, bytes_of(chosen.marks), chosen.upto, written, part, given, chosen.count);
    else
      kernel_of("compact_parts", {given.type, packed},
                {in<std::uint8_t>(), in<std::int64_t>(), out(given.type), number(), in(given.type)},
                [packed](const Parameters& p) {
                  write_chosen(p, packed,
                               [from = p.array(4)](const Index& i) { return from(i).get(); });
                })
          .launch(blocks, bytes_of(chosen.marks), chosen.upto, written, part, given);
    return;
  }
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

array<std::int64_t> places_of(const chosen_elements& chosen) {
  array<std::int64_t> places(shape<1>(chosen.count), chosen.marks.device());
  if (chosen.count == 0) return places;
  const bool packed = packs(algorithm_device_of(places.device()), type_of<std::int64_t>());
  if (chosen.part)
    kernel_of("places_of_parts", {packed},
              {in<std::uint8_t>(), in<std::int64_t>(), out<std::int64_t>(), number()},
              [packed](const Parameters& p) {
                write_chosen(p, packed, [](const Index& i) { return i; });
              })
        .launch({chosen.upto.size() - 1, packed ? reduce_gang : 1}, bytes_of(chosen.marks),
                chosen.upto, places, chosen.part);
  else
    kernel_of("places_of_marked", {}, {in<bool>(), in<std::int64_t>(), out<std::int64_t>()},
              [](const Parameters& p) {
                const auto mark = p.array<const bool>(0);
                const auto sums = p.array<const std::int64_t>(1);
                const auto out = p.array<std::int64_t>(2);
                for (auto i : grid_stride(mark.size())) if_(mark[i], [&] { out[sums[i] - 1] = i; });
              })
        .forall(chosen.marks.size(), chosen.marks, chosen.upto, places);
  return places;
}

/// Of a GPU: parts of the mask are counted, then each writes its numbers from where those before
/// end.
array<std::int64_t> places_of(const any_array& given) {
  constexpr std::int64_t part = masked_elements;
  const any_array all_of = reshaped(given, {given.size()});
  if (algorithm_device_of(device_from(given.on)).form == algorithm_form::chunks)
    return places_of(chosen_of(typed<bool, 1>(all_of)));
  const std::int64_t parts = divided_up(all_of.size(), part);
  const device on = device_from(given.on);
  array<std::int64_t> begins(shape<1>(parts), on);
  if (parts > 0)
    kernel_of("count_places", {}, {in<bool>(), out<std::int64_t>()}, [](const Parameters& p) {
      const auto set = p.array<const bool>(0);
      const auto to = p.array<std::int64_t>(1);
      for (auto k : grid_stride(to.size())) {
        var count(std::int64_t(0));
        for (auto i : range(k * part, min(k * part + part, set.size())))
          count += cast<std::int64_t>(set[i]);
        to[k] = count;
      }
    }).forall(parts, all_of, begins);
  // The host waits here in any case: it needs their number to make the result. So it sums, too.
  host_array<std::int64_t> counts = begins.to_host();
  std::int64_t all = 0;
  for (std::int64_t& c : counts) {
    const std::int64_t own = c;
    c = all, all += own;
  }
  array<std::int64_t> places(shape<1>(all), on);
  if (all == 0) return places;
  begins.copy_from(counts);
  // A thread a part, one after the other: the numbers stand in order.
  kernel_of("write_places", {}, {in<bool>(), in<std::int64_t>(), out<std::int64_t>()},
            [](const Parameters& p) {
              const auto set = p.array<const bool>(0);
              const auto from = p.array<const std::int64_t>(1);
              const auto to = p.array<std::int64_t>(2);
              for (auto k : grid_stride(from.size())) {
                var<std::int64_t> next = from[k];
                for (auto i : range(k * part, min(k * part + part, set.size())))
                  if_(set[i], [&] {
                    to[next] = i;
                    next += 1;
                  });
              }
            })
      .forall(parts, all_of, begins, places);
  return places;
}

array<std::int64_t> lengths_of_runs(const chosen_elements& heads) {
  const device on = heads.marks.device();
  const array<std::int64_t> begins = places_of(heads);
  array<std::int64_t> lengths(shape<1>(heads.count), on);
  if (heads.count == 0) return lengths;
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
