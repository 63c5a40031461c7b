// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts of rows: which kernels run for which rows on which device.
#include <map>
#include <memory>
#include <mutex>

#include "host/sort_blocks.h"
#include "host/sort_chunks.h"
#include "host/sort_rows.h"
#include "host/sort_warps.h"
#include "krait/algorithm/scan.h"
#include "support/error.h"

namespace krait::host {
namespace {

using detail::algorithm_device;
using detail::algorithm_form;
using detail::divided_up;

/// The kernel object for a kind, made once and never destroyed. `Make` has a type of its own at each call of this function.
template <class Kind, class Make>
const auto& kept(const Kind& kind, const Make& make) {
  using Object = decltype(make());
  static auto& mutex = *new std::mutex;
  static auto& made = *new std::map<Kind, std::unique_ptr<Object>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<Object>& k = made[kind];
  if (!k) k = std::unique_ptr<Object>(new Object(make()));
  return *k;
}

/// Rows of keys of one type of word, with where they go.
template <class Word>
class Sorter {
 public:
  using Keys = array<const Word, 2>;
  using Words = array<const unsigned, 2>;

  Sorter(device on, const algorithm_device& how, const SortKind& kind) : on_(on), how_(how), kind_(kind) {}

  void run(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved) const {
    const std::int64_t rows = keys.extent(0), length = keys.extent(1);
    const bool chunks = how_.form == algorithm_form::chunks;
    if (!chunks && length <= short_row) {
      int padded = 2;
      while (padded < length) padded *= 2;
      kept(kind_, [&] {
        return make_short_rows<Word>(kind_);
      }).launch({rows, short_threads}, keys, values, sorted, moved, padded);
    } else if (chunks && length < std::int64_t{1} << 32 && (length <= 2 * short_row || rows >= how_.workers)) {
      array<Word, 2> other(length > 48 && sizeof(Word) > 1 ? keys.extents() : shape<2>(1, 1), on_);
      array<unsigned, 2> carried(pairs() && length > 48 && sizeof(Word) > 1 ? keys.extents() : shape<2>(1, 1), on_);
      kept(kind_, [&] { return make_rows<Word>(kind_); }).launch({rows, 1}, keys, values, sorted, moved, other, carried);
    } else {
      for (std::int64_t r = 0; r < rows; ++r) long_row(keys, sorted, values, moved, r);
    }
  }

 private:
  bool pairs() const { return kind_.payload != Payload::none; }

  /// Where keys and payload are before a pass and after it: between the two buffers and the outputs, the last pass into the outputs.
  struct Buffers {
    array<const Word> from;
    array<Word> to;
    array<const unsigned> values;
    array<unsigned> moved;
  };
  template <class Pass>
  void for_each_pass(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved, std::int64_t row,
                     int passes, const Pass& pass) const {
    const std::int64_t n = keys.extent(1);
    array<Word> other(shape<1>(passes > 1 ? n : 1), on_);
    array<unsigned> carried(shape<1>(pairs() && passes > 1 ? n : 1), on_);
    const std::int64_t value_row = kind_.payload == Payload::words ? row : 0, moved_row = pairs() ? row : 0;
    for (int p = 0; p < passes; ++p) {
      const bool last = (passes - 1 - p) % 2 == 0;  // into the outputs
      Buffers b{p == 0 ? keys(row, all)
                : last ? other.share()
                       : array<const Word>(sorted(row, all).share()),
                last ? sorted(row, all) : other(all),
                p == 0 ? values(value_row, all)
                : last ? carried.share()
                       : array<const unsigned>(moved(moved_row, all).share()),
                last ? moved(moved_row, all) : carried(all)};
      pass(p, b);
    }
  }
  /// Of a pass: only the first makes places of nothing.
  SortKind kind_of(int pass) const { return pass > 0 && pairs() ? SortKind{kind_.order, Payload::words} : kind_; }

  void long_row(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved,
                std::int64_t row) const {
    const std::int64_t n = keys.extent(1);
    if (how_.form == algorithm_form::chunks) {
      if (n < std::int64_t{1} << 32) by_chunks<unsigned>(keys, sorted, values, moved, row);
      else by_chunks<std::uint64_t>(keys, sorted, values, moved, row);
    } else if (how_.form == algorithm_form::warps && n < std::int64_t{1} << 30) {
      if (pairs()) by_sweeps<true>(keys, sorted, values, moved, row);
      else by_sweeps<false>(keys, sorted, values, moved, row);
    } else {
      by_blocks(keys, sorted, values, moved, row);
    }
  }

  template <class Count>
  void by_chunks(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved,
                 std::int64_t row) const {
    const std::int64_t n = keys.extent(1), chunks = std::min(how_.workers, divided_up(n, 4096));
    constexpr std::int64_t usual_cache = 8 << 20;  // bytes of the last cache that a program may count on
    const bool streams = n * std::int64_t(sizeof(Word)) > usual_cache;
    array<Count, 2> starts(shape<2>(chunk_digits, chunks), on_);
    for_each_pass(keys, sorted, values, moved, row, sizeof(Word), [&](int p, Buffers& b) {
      const SortKind kind = kind_of(p);
      const unsigned shift = unsigned(8 * p);
      kept(kind, [&] { return make_chunk_counts<Word, Count>(kind); }).launch({chunks, 1}, b.from, starts, shift);
      kept(0, [] { return make_chunk_starts<Count>(); }).launch({1, 1}, starts);
      kept(std::pair(kind, streams), [&] {
        return make_chunk_pass<Word, Count>(kind, streams);
      }).launch({chunks, 1}, b.from, b.to, b.values, b.moved, starts, shift);
    });
  }

  template <bool Pairs>
  void by_sweeps(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved,
                 std::int64_t row) const {
    constexpr int passes = sizeof(Word);
    const std::int64_t n = keys.extent(1), tiles = divided_up(n, sweep_tile<Word, Pairs>);
    constexpr std::int64_t counted = passes * sweep_digits;
    // States, counts and tickets, which are zeros at first.
    array<unsigned> words(shape<1>(tiles * counted + counted + passes), on_);
    array<unsigned> starts(shape<1>(counted), on_);
    words.fill(0);
    array<unsigned> states = words(range(0, tiles * counted)), counts = words(range(tiles * counted, (tiles + 1) * counted)),
                    tickets = words(range((tiles + 1) * counted, end));
    kept(kind_.order, [&] {
      return make_sweep_counts<Word>(kind_);
    }).launch({std::min<std::int64_t>(528, divided_up(n, 4 * sweep_block)), sweep_block}, keys(row, all), counts);
    kept(0, [] { return make_sweep_starts(); }).launch({passes, sweep_digits}, counts, starts);
    for_each_pass(keys, sorted, values, moved, row, passes, [&](int p, Buffers& b) {
      const SortKind kind = kind_of(p);
      kept(kind, [&] {
        return make_sweep<Word, Pairs>(kind);
      }).launch({tiles, sweep_block}, b.from, b.to, b.values, b.moved, starts, states, tickets, p);
    });
  }

  void by_blocks(const Keys& keys, array<Word, 2>& sorted, const Words& values, array<unsigned, 2>& moved,
                 std::int64_t row) const {
    const std::int64_t n = keys.extent(1);
    // A chunk's counts have 32 bits.
    const std::int64_t blocks =
        std::max(std::min(how_.workers, divided_up(n, 2 * block_tile)), divided_up(n, std::int64_t{1} << 31));
    const std::int64_t chunk = divided_up(divided_up(n, blocks), block_tile) * block_tile;
    array<std::int64_t, 2> counts(shape<2>(1, block_digits * blocks), on_), starts(counts.extents(), on_);
    array<std::int64_t> flat = counts(0, all), begins = starts(0, all);
    for_each_pass(keys, sorted, values, moved, row, 8 * int(sizeof(Word)) / block_bits, [&](int p, Buffers& b) {
      const SortKind kind = kind_of(p);
      const unsigned shift = unsigned(block_bits * p);
      kept(kind.order, [&] { return make_block_counts<Word>(kind); }).launch({blocks, block_threads}, b.from, flat, shift, chunk);
      detail::scan_rows<true, true>(counts.share(), starts, detail::scan_sum{}, std::int64_t(0), {algorithm_form::blocks, 1});
      kept(kind, [&] {
        return make_block_pass<Word>(kind);
      }).launch({blocks, block_threads}, b.from, b.to, b.values, b.moved, begins, shift, chunk);
    });
  }

  device on_;
  algorithm_device how_;
  SortKind kind_;
};

}  // namespace
}  // namespace krait::host

namespace krait::detail {

void sort_rows(device on, const algorithm_device& how, const key_order& order, const word_rows& keys, const word_rows& sorted,
               const word_rows* values, const word_rows* moved) {
  using namespace krait::host;
  const std::int64_t length = keys.at.extents[1];
  if (moved && length >= std::int64_t{1} << 32)
    support::fail_usage("sorting {} keys with their values or places: 2^32 - 1 are the most; sort keys alone, or parts", length);
  const SortKind kind{order, values ? Payload::words : moved ? Payload::places : Payload::none};
  void* const handle = handle_of(on);
  const array<unsigned, 2> none(shape<2>(1, 1), on);
  array<unsigned, 2> to(moved ? moved->at : none.at(), moved ? moved->memory : none.memory_owner(), handle);
  const array<const unsigned, 2> from(values ? values->at : none.at(), values ? values->memory : none.memory_owner(), handle);
  const auto with = [&]<class Word>(Word) {
    array<Word, 2> out(sorted.at, sorted.memory, handle);
    Sorter<Word>(on, how, kind).run(array<const Word, 2>(keys.at, keys.memory, handle), out, from, to);
  };
  if (order.bytes == 1) with(std::uint8_t());
  else if (order.bytes == 2) with(std::uint16_t());
  else if (order.bytes == 4) with(std::uint32_t());
  else with(std::uint64_t());
}

}  // namespace krait::detail
