// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sorts of rows: which kernels run for which rows on which device. Each type of word takes
// seconds to compile: those of 1 and 2 bytes are compiled in sort.cpp, those of 4 and 8 in
// sort_wide.cpp.
#pragma once

#include "algorithms/scan/scan.h"
#include "algorithms/sort/blocks.h"
#include "algorithms/sort/chunks.h"
#include "algorithms/sort/rows.h"
#include "algorithms/sort/warps.h"

namespace krait::host {

using detail::algorithm_device;
using detail::algorithm_form;
using detail::divided_up;

/// The kernel object for a kind.
template <class Make>
const auto& kept(const SortKind& kind, const Make& make, bool streams = false) {
  const detail::key_order& order = kind.order;
  return kept_for({order.kind, order.bytes, order.descending, order.largest, kind.payload, streams},
                  make);
}
/// One for all kinds.
template <class Make>
const auto& kept(const Make& make) {
  return kept(SortKind{}, make);
}

/// Calls use(Word()) with the word of so many bytes.
template <class Use>
auto with_word_of(int bytes, const Use& use) {
  if (bytes == 1) return use(std::uint8_t());
  if (bytes == 2) return use(std::uint16_t());
  if (bytes == 4) return use(std::uint32_t());
  return use(std::uint64_t());
}

/// Rows of keys of one type of word, with where they go.
template <class Word>
class Sorter {
 public:
  using Keys = array<const Word, 2>;
  using Words = array<const unsigned, 2>;

  Sorter(device on, const algorithm_device& how, const SortKind& kind)
      : on_(on), how_(how), kind_(kind) {}

  void run(const Keys& keys, array<Word, 2>& sorted, const Words& values,
           array<unsigned, 2>& moved) const {
    const std::int64_t rows = keys.extent(0), length = keys.extent(1);
    const bool chunks = how_.form == algorithm_form::chunks,
               warps = how_.form == algorithm_form::warps;
    if (warps && length > network_row && length <= digit_row) {
      if (length <= digit_threads * few_keys) by_digits<few_keys>(keys, sorted, values, moved);
      else by_digits<many_keys<Word>>(keys, sorted, values, moved);
    } else if (!chunks && length <= short_row) {
      int padded = 2;
      while (padded < length) padded *= 2;
      kept(kind_, [&] {
        return make_short_rows<Word>(kind_);
      }).launch({rows, short_threads}, keys, values, sorted, moved, padded);
    } else if (chunks && length <= ranked_row) {
      kept(kind_, [&] {
        return make_ranked_rows<Word>(kind_);
      }).launch({rows, rank_lanes}, keys, values, sorted, moved);
    } else if (chunks && length < std::int64_t{1} << 32 &&
               (length <= 2 * short_row || rows >= how_.workers)) {
      constexpr bool moves = sizeof(Word) > 1;
      array<Word, 2> other(moves ? keys.extents() : shape<2>(1, 0), on_);
      array<unsigned, 2> carried(pairs() && moves ? keys.extents() : shape<2>(1, 0), on_);
      kept(kind_, [&] {
        return make_rows<Word>(kind_);
      }).launch({rows, 1}, keys, values, sorted, moved, other, carried);
    } else {
      for (std::int64_t r = 0; r < rows; ++r) long_row(keys, sorted, values, moved, r);
    }
  }

  /// The longest row that a block sorts by digits.
  static constexpr std::int64_t digit_row = digit_threads * many_keys<Word>;
  /// Sorts each segment of up to so many keys, digit_row at most on a GPU.
  void run_segments(const array<const Word>& keys, array<Word>& sorted,
                    const array<const std::int64_t>& offsets, std::int64_t longest) const {
    if (how_.form == algorithm_form::chunks) {
      array<Word> other(shape<1>(longest > inserted_row ? keys.size() : 0), on_);
      kept(kind_, [&] {
        return make_segments<Word>(kind_);
      }).launch({offsets.size() - 1, 1}, keys, sorted, offsets, other);
    } else if (longest <= digit_threads * few_keys) {
      segments_by_digits<few_keys>(keys, sorted, offsets, longest);
    } else {
      segments_by_digits<many_keys<Word>>(keys, sorted, offsets, longest);
    }
  }

 private:
  /// Rows in one launch. Threads take eight keys: the barriers of more warps cost more than their
  /// keys.
  template <int Items>
  void by_digits(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                 array<unsigned, 2>& moved) const {
    const std::int64_t length = keys.extent(1), threads = threads_of(length);
    kept(kind_, [&] { return make_digit_rows<Word, Items>(kind_); })
        .launch({keys.extent(0), threads}, keys, values, sorted, moved,
                int(divided_up(length, threads)));
  }

  template <int Items>
  void segments_by_digits(const array<const Word>& keys, array<Word>& sorted,
                          const array<const std::int64_t>& offsets, std::int64_t longest) const {
    kept(kind_, [&] {
      return make_digit_segments<Word, Items>(kind_);
    }).launch({offsets.size() - 1, threads_of(longest)}, keys, sorted, offsets);
  }
  static std::int64_t threads_of(std::int64_t length) {
    return std::min<std::int64_t>(
        divided_up(length, few_keys * digit_threads_step) * digit_threads_step, digit_threads);
  }

  bool pairs() const { return kind_.payload != Payload::none; }

  /// Where keys and payload are before a pass and after it: between the two buffers and the
  /// outputs, the last pass into the outputs.
  struct Buffers {
    array<const Word> from;
    array<Word> to;
    array<const unsigned> values;
    array<unsigned> moved;
  };
  template <class Pass>
  void for_each_pass(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                     array<unsigned, 2>& moved, std::int64_t row, int passes,
                     const Pass& pass) const {
    const std::int64_t n = keys.extent(1);
    array<Word> other(shape<1>(passes > 1 ? n : 0), on_);
    array<unsigned> carried(shape<1>(pairs() && passes > 1 ? n : 0), on_);
    const std::int64_t value_row = kind_.payload == Payload::words ? row : 0,
                       moved_row = pairs() ? row : 0;
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
  SortKind kind_of(int pass) const {
    return pass > 0 && pairs() ? SortKind{kind_.order, Payload::words} : kind_;
  }

  void long_row(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                array<unsigned, 2>& moved, std::int64_t row) const {
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
  void by_chunks(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                 array<unsigned, 2>& moved, std::int64_t row) const {
    const std::int64_t n = keys.extent(1),
                       chunks = std::min(how_.workers, divided_up(n, least_sort_chunk));
    const bool streams = n * std::int64_t(sizeof(Word)) > usual_cache;
    array<Count, 2> starts(shape<2>(byte_digits, chunks), on_);
    for_each_pass(keys, sorted, values, moved, row, sizeof(Word), [&](int p, Buffers& b) {
      const SortKind kind = kind_of(p);
      const unsigned shift = unsigned(8 * p);
      kept(kind, [&] {
        return make_chunk_counts<Word, Count>(kind);
      }).launch({chunks, 1}, b.from, starts, shift);
      kept([] { return make_chunk_starts<Count>(); }).launch({1, 1}, starts);
      kept(
          kind, [&] { return make_chunk_pass<Word, Count>(kind, streams); }, streams)
          .launch({chunks, 1}, b.from, b.to, b.values, b.moved, starts, shift);
    });
  }

  template <bool Pairs>
  void by_sweeps(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                 array<unsigned, 2>& moved, std::int64_t row) const {
    constexpr int passes = sizeof(Word);
    const std::int64_t n = keys.extent(1), tiles = divided_up(n, sweep_tile<Word, Pairs>);
    constexpr std::int64_t counted = passes * sweep_digits;
    // States, counts and tickets, which are zeros at first.
    array<unsigned> words(shape<1>(tiles * counted + counted + passes), on_);
    array<unsigned> starts(shape<1>(counted), on_);
    words.fill(0);
    array<unsigned> states = words(range(0, tiles * counted)),
                    counts = words(range(tiles * counted, (tiles + 1) * counted)),
                    tickets = words(range((tiles + 1) * counted, end));
    kept({kind_.order, {}}, [&] { return make_sweep_counts<Word>(kind_); })
        .launch({std::min(counting_blocks * multiprocessors_of(detail::handle_of(on_)),
                          divided_up(n, least_sweep_keys * sweep_block)),
                 sweep_block},
                keys(row, all), counts);
    kept([] { return make_sweep_starts(); }).launch({passes, sweep_digits}, counts, starts);
    for_each_pass(keys, sorted, values, moved, row, passes, [&](int p, Buffers& b) {
      const SortKind kind = kind_of(p);
      kept(kind, [&] {
        return make_sweep<Word, Pairs>(kind);
      }).launch({tiles, sweep_block}, b.from, b.to, b.values, b.moved, starts, states, tickets, p);
    });
  }

  void by_blocks(const Keys& keys, array<Word, 2>& sorted, const Words& values,
                 array<unsigned, 2>& moved, std::int64_t row) const {
    const std::int64_t n = keys.extent(1);
    // A chunk's counts have 32 bits.
    const std::int64_t blocks =
        std::max(std::min(how_.workers, divided_up(n, least_block_tiles * block_tile)),
                 divided_up(n, std::int64_t{1} << 31));
    const std::int64_t chunk = divided_up(divided_up(n, blocks), block_tile) * block_tile;
    array<std::int64_t, 2> counts(shape<2>(1, block_digits * blocks), on_),
        starts(counts.extents(), on_);
    array<std::int64_t> flat = counts(0, all), begins = starts(0, all);
    for_each_pass(
        keys, sorted, values, moved, row, 8 * int(sizeof(Word)) / block_bits,
        [&](int p, Buffers& b) {
          const SortKind kind = kind_of(p);
          const unsigned shift = unsigned(block_bits * p);
          kept({kind.order, {}}, [&] {
            return make_block_counts<Word>(kind);
          }).launch({blocks, block_threads}, b.from, flat, shift, chunk);
          const ElementType* const i64 = type_of<std::int64_t>();
          const std::int64_t none = 0;
          scan_rows(Scan({i64, i64, true, true, detail::scan_operator::sum}),
                    detail::erased(counts), detail::erased(starts), &none,
                    {algorithm_form::blocks, 1});
          kept(kind, [&] {
            return make_block_pass<Word>(kind);
          }).launch({blocks, block_threads}, b.from, b.to, b.values, b.moved, begins, shift, chunk);
        });
  }

  device on_;
  algorithm_device how_;
  SortKind kind_;
};

extern template class Sorter<std::uint32_t>;
extern template class Sorter<std::uint64_t>;

}  // namespace krait::host
