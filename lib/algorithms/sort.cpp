// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts of rows of any words; sorter.h has what is the same for all.
#include "algorithms/sorter.h"
#include "krait/graph.h"
#include "support/error.h"

namespace krait::detail {

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

std::int64_t longest_segment(device on, const algorithm_device& how, std::int64_t keys, int bytes,
                             const array<const std::int64_t>& offsets) {
  using namespace krait::host;
  const std::int64_t segments = offsets.size() - 1;
  if (how.form == algorithm_form::blocks || segments < 1 || records_graph()) return 0;
  // A block of a GPU takes longer for less than 64 keys than to sort all segments at once does. A
  // core takes any, but counts 32 bits.
  const bool chunks = how.form == algorithm_form::chunks;
  if (chunks ? keys >= std::int64_t{1} << 32 : keys / segments < least_segment) return 0;
  array<std::int64_t> facts(shape<1>(3), on);
  facts.fill(0);
  kept([] { return make_segment_facts(); }).forall(segments)(offsets, facts);
  const auto found = facts.to_host();
  const std::int64_t longest = found.data()[0], most = bytes == 8 ? Sorter<std::uint64_t>::digit_row
                                                                  : Sorter<unsigned>::digit_row;
  // One thread has a segment: a long one is sorted by all.
  const bool fits =
      chunks ? longest <= std::max(keys / (2 * how.workers), least_long_segment) : longest <= most;
  return fits && found.data()[1] == 0 && found.data()[2] == keys ? longest : 0;
}

void sort_segments(device on, const algorithm_device& how, const key_order& order,
                   const word_rows& keys, const word_rows& sorted,
                   const array<const std::int64_t>& offsets, std::int64_t longest) {
  using namespace krait::host;
  with_word_of(order.bytes, [&]<class Word>(Word) {
    const array<const Word, 2> from(keys.at, keys.memory, handle_of(on));
    array<Word, 2> to(sorted.at, sorted.memory, handle_of(on));
    auto row = to(0, all);
    Sorter<Word>(on, how, {order, Payload::none}).run_segments(from(0, all), row, offsets, longest);
  });
}

void sort_rows(device on, const algorithm_device& how, const key_order& order,
               const word_rows& keys, const word_rows& sorted, const word_rows* values,
               const word_rows* moved) {
  using namespace krait::host;
  const std::int64_t length = keys.at.extents[1];
  if (moved && length >= std::int64_t{1} << 32)
    support::fail_usage(
        "sorting {} keys with values or indices: at most 2^32 - 1 are possible; sort the keys alone, or sort parts",
        length);
  const SortKind kind{order, values ? Payload::words : moved ? Payload::places : Payload::none};
  void* const handle = handle_of(on);
  const array<unsigned, 2> none(shape<2>(1, 0), on);  // without memory
  array<unsigned, 2> to(moved ? moved->at : none.at(), moved ? moved->memory : none.memory_owner(),
                        handle);
  const array<const unsigned, 2> from(values ? values->at : none.at(),
                                      values ? values->memory : none.memory_owner(), handle);
  with_word_of(order.bytes, [&]<class Word>(Word) {
    array<Word, 2> out(sorted.at, sorted.memory, handle);
    Sorter<Word>(on, how, kind)
        .run(array<const Word, 2>(keys.at, keys.memory, handle), out, from, to);
  });
}

}  // namespace krait::detail
