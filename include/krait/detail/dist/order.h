// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts of arrays of kr::dist by samples (J. S. Huang and Y. C. Chow, "Parallel sorting and data
// partitioning by sampling", 1983), what sorted elements give, and histograms.
#pragma once

#include <krait/algorithm/histogram.h>
#include <krait/algorithm/search.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sort.h>
#include <krait/detail/dist/along.h>

namespace krait::dist::detail {

// Samples of a rank: the fullest rank then has about a tenth more than the others.
inline constexpr std::int64_t samples_of_rank = 64;

/// Whether a sort descends: its options are those of kr::sort.
template <class... Options>
bool descends(const Options&... options) {
  return krait::detail::sort_choice(options...).descends;
}

/// This rank's part of all elements in order: equal ones are on one rank, in the order of the ranks
/// that had them. With Places, their places in the whole array, too.
template <class Elem, bool Places>
struct in_order {
  krait::array<Elem> keys;
  krait::array<std::int64_t> places;  // without Places: none

  /// Sorts what lies here, stable.
  void sort(bool descending) {
    if (keys.size() == 0) return;
    if constexpr (Places) {
      const auto by = [&](const auto&... options) {
        auto sorted = krait::sort_by_key(keys, places, options...);
        keys = std::move(sorted.keys), places = std::move(sorted.values);
      };
      if (descending) by(krait::descending);
      else by();
    } else {
      keys = descending ? krait::sort(keys, krait::descending) : krait::sort(keys);
    }
  }
};

/// The number of sorted elements that come before each splitter, or equal it. NaN is last.
template <class Elem>
krait::host_array<std::int64_t> ends_of(const krait::array<Elem>& sorted,
                                        const krait::array<Elem>& splitters, bool descending) {
  if (!descending) return krait::searchsorted(sorted, splitters, krait::side::right).to_host();
  // From its end to its begin the array ascends, where NaN is left out.
  const std::int64_t numbers =
      sorted.size() - std::int64_t(krait::sum(krait::cast<std::int64_t>(sorted != sorted)));
  const krait::array<Elem> rising =
      krait::array<const Elem>(sorted(krait::range(0, numbers))).flip().copy();
  auto ends = krait::searchsorted(rising, splitters, krait::side::left).to_host();
  const auto values = splitters.to_host();
  for (std::size_t i = 0; i < ends.size(); ++i)
    ends[i] = is_nan(values[i]) ? sorted.size() : numbers - ends[i];
  return ends;
}

template <bool Places, class Elem>
in_order<Elem, Places> sorted_part(const char* name, const array<Elem, 1>& x, bool descending) {
  const decomposition& how = x.how();
  const int ranks = size_of(how.of);
  in_order<Elem, Places> mine;
  krait::array<Elem> samples, all;
  guard(how.of, [&] {
    mine.keys = memory_for<Elem, 1>(how, how.owned);
    if (mine.keys.size() == 0) return;
    mine.keys.copy_from(x.owned());
    if constexpr (Places)
      mine.places = krait::arange<std::int64_t>(how.first[0], how.first[0] + how.owned[0], 1,
                                                x.owned().device());
    mine.sort(descending);
  });
  if (ranks == 1 || how.replicated) return mine;
  // Each rank knows how many samples each one takes.
  const auto step = [&](std::int64_t n) { return krait::detail::divided_up(n, samples_of_rank); };
  const auto count = [&](int r) {
    const std::int64_t n = block_of(how, r).count[0];
    return n == 0 ? 0 : krait::detail::divided_up(n, step(n));
  };
  const auto has = [&](int r) {
    box b;
    for (int before = 0; before < r; ++before) b.first[0] += count(before);
    b.count[0] = count(r);
    return b;
  };
  box everything;
  for (int r = 0; r < ranks; ++r) everything.count[0] += count(r);
  const auto wants = [&](int) { return everything; };
  guard(how.of, [&] {
    all = memory_for<Elem, 1>(how, everything.count);
    const std::int64_t taken = count(rank_of(how.of));
    samples = memory_for<Elem, 1>(how, &taken);
    if (taken > 0)
      samples.copy_from(mine.keys(krait::range(0, krait::end, step(mine.keys.size()))));
  });
  const layout from = layout_of(samples), to = layout_of(all);
  transfer(how.of, call_of(name, how, descending), 1, {has, elements_at(samples, from)},
           {wants, elements_at(all, to)});
  krait::host_array<std::int64_t> cuts(static_cast<std::size_t>(ranks + 1)),
      counts(static_cast<std::size_t>(ranks));
  for (std::int64_t& cut : cuts) cut = 0;
  guard(how.of, [&] {
    cuts[static_cast<std::size_t>(ranks)] = mine.keys.size();
    if (mine.keys.size() == 0) return;
    const krait::array<Elem> ordered =
        descending ? krait::sort(all, krait::descending) : krait::sort(all);
    const auto places = krait::arange<std::int64_t>(1, ranks, 1, x.owned().device());
    const krait::array<std::int64_t> at = places * ordered.size() / std::int64_t(ranks);
    const auto ends = ends_of<Elem>(mine.keys, krait::gather(ordered, at), descending);
    for (int r = 1; r < ranks; ++r)
      cuts[static_cast<std::size_t>(r)] = ends[static_cast<std::size_t>(r - 1)];
  });
  deal_counts(how.of, call_of(name, how, 1), cuts.data(), counts.data());
  const auto dealt = [&](auto& what) {
    using element = typename std::remove_reference_t<decltype(what)>::value_type;
    krait::array<element> got;
    guard(how.of, [&] {
      std::int64_t n = 0;
      for (const std::int64_t each : counts) n += each;
      got = memory_for<element, 1>(how, &n);
      if (what.size() == 0) what = memory_for<element, 1>(how, how.owned);
    });
    const layout out = layout_of(what), in = layout_of(got);
    deal(how.of, call_of(name, how, 2), elements_at(what, out), cuts.data(), elements_at(got, in),
         counts.data());
    what = std::move(got);
  };
  dealt(mine.keys);
  if constexpr (Places) dealt(mine.places);
  guard(how.of, [&] { mine.sort(descending); });
  return mine;
}

/// Parts of any lengths, one after another, as an array in blocks.
template <class Elem>
array<Elem, 1> in_blocks(const char* name, const decomposition& how,
                         const krait::array<Elem>& part) {
  const auto ranks = static_cast<std::size_t>(size_of(how.of));
  krait::host_array<std::int64_t> counts(ranks);
  const std::int64_t mine = part.size();
  all_gather(how.of, call_of(name, how, 3), &mine, counts.data(), sizeof mine);
  decomposition out = bare(how);
  out.extents[0] = 0;
  for (std::size_t r = 0; r < (how.replicated ? 1 : ranks); ++r) out.extents[0] += counts[r];
  arrange(out);
  auto result = made::of<Elem, 1>(out);
  const auto owned = result.owned();
  const layout from = layout_of(part), to = layout_of(owned);
  const auto has = [&](int r) {
    box b;
    if (!how.replicated)
      for (int before = 0; before < r; ++before)
        b.first[0] += counts[static_cast<std::size_t>(before)];
    b.count[0] = counts[static_cast<std::size_t>(r)];
    return b;
  };
  const auto wants = [&](int r) { return block_of(out, r); };
  transfer(how.of, call_of(name, how, 4), 1, {has, elements_at(part, from), how.replicated},
           {wants, elements_at(owned, to)});
  return result;
}

/// The sum over ranks of small arrays of one length, on every rank.
template <class Elem>
array<Elem, 1> summed(const char* name, const decomposition& how, const krait::array<Elem>& mine) {
  decomposition out;
  out.of = how.of, out.rank = 1, out.extents[0] = mine.size(), out.words[0] = whole;
  arrange(out);
  auto result = made::of<Elem, 1>(out);
  const std::int64_t ranks = how.replicated ? 1 : size_of(how.of);
  const std::int64_t extents[] = {ranks, mine.size()};
  krait::array<Elem, 2> all;
  guard(how.of, [&] { all = memory_for<Elem, 2>(how, extents); });
  const auto row = [&](int r) {
    box b;
    b.first[0] = how.replicated ? 0 : r, b.count[0] = 1, b.count[1] = mine.size();
    return b;
  };
  const auto wants = [&](int) {
    box b;
    b.count[0] = ranks, b.count[1] = mine.size();
    return b;
  };
  const krait::array<const Elem, 2> as_row = mine.share().reshape(1, -1);
  const layout from = layout_of(as_row), to = layout_of(all);
  transfer(how.of, call_of(name, out), 2, {row, elements_at(mine, from), how.replicated},
           {wants, elements_at(all, to)});
  guard(how.of, [&] { result.owned().copy_from(krait::sum(all, krait::axis(0))); });
  return result;
}

}  // namespace krait::dist::detail
