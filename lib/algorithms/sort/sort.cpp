// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts of rows of any words; sorter.h has what is the same for all.
#include "algorithms/linalg/convert.h"
#include "algorithms/selection.h"
#include "algorithms/sort/sorter.h"
#include "krait/algorithm/sort.h"
#include "krait/graph.h"
#include "support/error.h"

namespace krait::detail {

using namespace krait::host;

namespace {

/// The longest segment, the first offset and the last one.
auto make_segment_facts() {
  return kernel(
      [](view<const std::int64_t> offsets, view<std::int64_t> facts) {
        for (auto s : grid_stride(offsets.size() - 1)) {
          const value<std::int64_t> begin = offsets[s], end = offsets[s + 1];
          atomic(facts[0]).max(end - begin);
          if_(s == 0, [&] { facts[1] = begin; });
          if_(s == offsets.size() - 2, [&] { facts[2] = end; });
        }
      },
      {.name = "segment_facts"});
}

}  // namespace

std::int64_t longest_segment(const algorithm_device& how, const any_array& of,
                             const array<const std::int64_t>& offsets) {
  const std::int64_t segments = offsets.size() - 1, keys = of.size();
  if (how.form == algorithm_form::blocks || segments < 1 || records_graph()) return 0;
  // A block of a GPU takes longer for less than 64 keys than to sort all segments at once does. A
  // core takes any, but counts 32 bits.
  const bool chunks = how.form == algorithm_form::chunks;
  if (chunks ? keys >= std::int64_t{1} << 32 : keys / segments < least_segment) return 0;
  array<std::int64_t> facts(shape<1>(3), device_from(of.on));
  facts.fill(0);
  kept([] { return make_segment_facts(); }).forall(segments)(offsets, facts);
  const auto found = facts.to_host();
  const std::int64_t longest = found.data()[0], most = of.type->bytes == 8
                                                           ? Sorter<std::uint64_t>::digit_row
                                                           : Sorter<unsigned>::digit_row;
  // One thread has a segment: a long one is sorted by all.
  const bool fits =
      chunks ? longest <= std::max(keys / (2 * how.workers), least_long_segment) : longest <= most;
  return fits && found.data()[1] == 0 && found.data()[2] == keys ? longest : 0;
}

void sort_segments(const algorithm_device& how, const key_order& order, const any_array& keys,
                   const any_array& sorted, const array<const std::int64_t>& offsets,
                   std::int64_t longest) {
  with_word_of(order.bytes, [&]<class Word>(Word) {
    auto to = typed<Word, 1>(sorted);
    Sorter<Word>(device_from(keys.on), how, {order, Payload::none})
        .run_segments(typed<const Word, 1>(keys), to, offsets, longest);
  });
}

void sort_rows(const algorithm_device& how, const key_order& order, const any_array& keys,
               const any_array& sorted, const any_array* values, const any_array* moved) {
  const std::int64_t length = keys.at.extents[1];
  if (moved && length >= std::int64_t{1} << 32)
    support::fail_usage(
        "sorting {} keys with values or indices: at most 2^32 - 1 are possible; "
        "sort the keys alone, or sort parts",
        length);
  const SortKind kind{order, values ? Payload::words : moved ? Payload::places : Payload::none};
  any_array none = no_elements(type_of<unsigned>(), 2, keys.on);
  none.at.extents[0] = 1;  // a row of nothing
  auto to = typed<unsigned, 2>(moved ? *moved : none);
  const auto from = typed<const unsigned, 2>(values ? *values : none);
  with_word_of(order.bytes, [&]<class Word>(Word) {
    auto out = typed<Word, 2>(sorted);
    Sorter<Word>(device_from(keys.on), how, kind).run(typed<const Word, 2>(keys), out, from, to);
  });
}

void sort_along(const key_order& order, const any_array& keys, std::int64_t axis,
                const any_array* sorted, const any_array* values, const any_array* moved) {
  if (keys.size() == 0) return;
  const algorithm_device how = algorithm_device_of(device_from(keys.on));
  const any_array from = host::rows_along(keys, axis);
  const std::int64_t rows = from.extent(0), length = from.extent(1);
  const any_array to =
      sorted ? memory_as(*sorted, rows, length) : new_array(keys.type, {rows, length}, keys.on);
  if (!moved) return sort_rows(how, order, from, to, nullptr, nullptr);
  const any_array out = memory_as(*moved, rows, length);
  const any_array carried = values ? host::rows_along(*values, axis) : any_array();
  // Words of 32 bits travel with the keys, others after them by the keys' places.
  if (values && values->type->count == 1 && values->type->bytes == sizeof(unsigned))
    return sort_rows(how, order, from, to, &carried, &out);
  const any_array places = new_array(scalar::u32, {rows, length}, keys.on);
  sort_rows(how, order, from, to, nullptr, &places);
  if (values) gather_rows(carried, places, out);
  else convert_elements(places, out);
}

namespace {

/// A new array of these extents, whose memory has the axis contiguous.
any_array new_along(const ElementType* type, const layout& like, std::int64_t axis, void* on) {
  return new_array(type, axis_back(dense(axis_last(like, axis).extents, like.rank, false), axis),
                   on);
}
/// The first k along an axis, in C order.
any_array first_of(any_array x, std::int64_t axis, std::int64_t k) {
  std::int64_t& extent = x.at.extents[axis_of(axis, x.at.rank)];
  extent = std::min(extent, k);
  return copied(x);
}
any_array as_wide(const any_array& places) {
  const any_array wide = new_array(type_of<std::int64_t>(),
                                   dense(places.at.extents, places.at.rank, false), places.on);
  if (wide.size() > 0) convert_elements(places, wide);
  return wide;
}

}  // namespace

placed_elements first_along(const key_order& order, const any_array& keys, std::int64_t axis,
                            std::int64_t k) {
  const std::int64_t length = axis_last(keys.at, axis).extents[keys.at.rank - 1],
                     rows = length > 0 ? keys.size() / length : 0;
  const algorithm_device how = algorithm_device_of(device_from(keys.on));
  if (!is_few_of(k, rows, length)) {
    const any_array sorted = new_along(keys.type, keys.at, axis, keys.on),
                    places = new_along(type_of<unsigned>(), keys.at, axis, keys.on);
    if (rows * length > 0) {
      const any_array to = memory_as(places, rows, length);
      sort_rows(how, order, host::rows_along(keys, axis), memory_as(sorted, rows, length), nullptr,
                &to);
    }
    return {first_of(sorted, axis, k), as_wide(first_of(places, axis, k))};
  }
  // Of one row: the elements are selected, put into the order of their places, and sorted.
  const any_array row = host::rows_along(keys, axis);
  const array<unsigned> selected = sort(select_places(how, order, row, k));
  const any_array in_row = erased(selected), few = new_array(keys.type, {selected.size()}, keys.on),
                  sorted = new_array(keys.type, {selected.size()}, keys.on),
                  places = new_array(scalar::u32, {selected.size()}, keys.on);
  gather_rows(row, one_row(in_row), one_row(few));
  sort_along(order, few, 0, &sorted, &in_row, &places);
  any_array values = first_of(sorted, 0, k), wide = as_wide(first_of(places, 0, k));
  layout extents = keys.at;
  for (int d = 0; d < extents.rank; ++d)
    if (extents.extents[d] > 1) extents.extents[d] = k;
  values.at = wide.at = dense(extents.extents, extents.rank, false);
  return {std::move(values), std::move(wide)};
}

}  // namespace krait::detail
