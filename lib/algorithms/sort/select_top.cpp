// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first elements of a row in a sort's order, found without sorting it: digit by digit of the
// numbers that order them, from the highest one on, blocks count the elements that may be the last
// one wanted, as in a radix sort's first half ("radix select"; Alabi, Blanchard, Gordon and
// Steinbach, ACM Journal of Experimental Algorithmics 17, 2012). Among equal keys places are the
// further digits, so that the first ones are taken. Each digit reads the row once; those that are
// not needed any more read nothing. A CPU, which reads what a kernel found without waiting, guesses
// the last element wanted from a sample, and takes what comes before it: one read of the row.
#include <bit>
#include <cmath>

#include "algorithms/sort/sorter.h"
#include "algorithms/selection.h"
#include "krait/graph.h"

namespace krait::host {
namespace {

constexpr int select_digits = 1 << select_bits, select_each = select_digits / select_threads;

/// What is known of the last element wanted. `wanted`: how many of those that agree with the
/// prefixes.
constexpr int key_prefix = 0, place_prefix = 1, wanted = 2, largest_key = 3, largest_place = 4,
              found = 5, states = 6;

/// Elements of a row: as a core walks through them, or as a grid does.
template <class Body>
void for_each_element(bool chunks, const value<std::int64_t>& count, const Body& body) {
  if (chunks) {
    const auto [begin, end] = own_chunk(count);
    for (auto i : range(begin, end)) body(i);
  } else {
    for (auto i : grid_stride(count)) body(i);
  }
}

/// Counts the digits of elements that agree with the prefixes. counts[select_digits] is how many
/// elements were taken.
template <class Word>
auto make_select_counts(const SortKind& kind, bool of_place, bool chunks) {
  return kernel(
      [kind, of_place, chunks](view<const Word> keys, view<unsigned> counts,
                               view<const std::uint64_t> state, value<int> first, value<int> shift,
                               value<int> bits) {
        using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
        auto own = shared<unsigned, select_digits>();
        if_(first != 0 || state[found] == 0u, [&] {
          for (auto d : range(cast<int>(thread_idx().x), value<int>(select_digits),
                              cast<int>(block_dim().x)))
            own[d] = 0u;
          syncthreads();
          const value<unsigned> low = cast<unsigned>(shift),
                                mask = (value<unsigned>(1u) << cast<unsigned>(bits)) - 1u;
          const auto above = [&](const auto& x) {
            return cast<std::uint64_t>(x) >> cast<std::uint64_t>(shift + bits);
          };
          for_each_element(chunks, keys.size(), [&](const value<std::int64_t>& i) {
            const value<wide> key = cast<wide>(ordered<Word>(kind.order, keys[i]));
            if (of_place) {
              const value<unsigned> place = cast<unsigned>(i);
              if_(cast<std::uint64_t>(key) == state[key_prefix] &&
                      above(place) == state[place_prefix],
                  [&] { atomic(own[cast<int>((place >> low) & mask)]).add(1u); });
            } else {
              if_(first != 0 || above(key) == state[key_prefix], [&] {
                atomic(own[cast<int>(cast<unsigned>(key >> cast<wide>(low)) & mask)]).add(1u);
              });
            }
          });
          syncthreads();
          for (auto d : range(cast<int>(thread_idx().x), value<int>(select_digits),
                              cast<int>(block_dim().x))) {
            const value<unsigned> count = own[d];
            if_(count != 0u, [&] { atomic(counts[d]).add(count); });
          }
        });
      },
      {.name = "select_counts"});
}

/// Which digit the last element wanted has; counts are zeros again.
auto make_select_digit() {
  return kernel(
      [](view<unsigned> counts, view<std::uint64_t> state, value<std::uint64_t> all_wanted,
         value<int> of_place, value<int> first, value<int> shift, value<int> bits) {
        auto sums = shared<unsigned, select_threads>();
        const value<int> t = cast<int>(thread_idx().x);
        // Of a row's first digit nothing is known yet, of a place's first one the key is.
        const value<bool> begins = first != 0 && of_place == 0;
        const value<bool> over = !begins && state[found] != 0u;
        const value<std::uint64_t> left =
            select(begins, all_wanted, value<std::uint64_t>(state[wanted]));
        const value<std::uint64_t> of_key = select(begins, std::uint64_t(0),
                                                   value<std::uint64_t>(state[key_prefix])),
                                   of_places = select(first != 0, std::uint64_t(0),
                                                      value<std::uint64_t>(state[place_prefix]));
        var<unsigned> own = 0u;
        for (int k = 0; k < select_each; ++k) own += counts[t * select_each + k];
        sums[t] = value<unsigned>(own);
        syncthreads();
        for (int distance = 1; distance < select_threads; distance *= 2) {
          const value<unsigned> lower =
              select(t >= distance, value<unsigned>(sums[max(t - distance, 0)]), 0u);
          syncthreads();
          sums[t] += lower;
          syncthreads();
        }
        if_(!over, [&] {
          var<std::uint64_t> before = cast<std::uint64_t>(sums[t] - own);
          for (int k = 0; k < select_each; ++k) {
            const value<std::uint64_t> count = cast<std::uint64_t>(counts[t * select_each + k]);
            if_(before < left && left <= before + count, [&] {
              const value<std::uint64_t> digit = cast<std::uint64_t>(t * select_each + k),
                                         ones = ~std::uint64_t(0);
              const value<std::uint64_t> below =
                  ~(value<std::uint64_t>(ones) << cast<std::uint64_t>(shift));
              const value<std::uint64_t> prefix =
                  select(of_place != 0, value<std::uint64_t>(of_places), of_key)
                      << cast<std::uint64_t>(bits) |
                  digit;
              state[key_prefix] = select(of_place != 0, of_key, prefix);
              state[place_prefix] = select(of_place != 0, prefix, std::uint64_t(0));
              const value<std::uint64_t> last = prefix << cast<std::uint64_t>(shift) | below;
              state[largest_key] = select(of_place != 0, of_key, last);
              state[largest_place] = select(of_place != 0, last, ones);
              state[wanted] = left - before;
              state[found] = cast<std::uint64_t>(left - before == count);
            });
            before += count;
            counts[t * select_each + k] = 0u;
          }
        });
      },
      {.name = "select_digit"});
}

/// The places of all elements up to the last one wanted, in any order.
template <class Word>
auto make_select_places(const SortKind& kind, bool chunks) {
  return kernel(
      [kind, chunks](view<const Word> keys, view<unsigned> places, view<unsigned> counts,
                     view<const std::uint64_t> state) {
        const value<std::uint64_t> last = state[largest_key], last_place = state[largest_place];
        for_each_element(chunks, keys.size(), [&](const value<std::int64_t>& i) {
          const value<std::uint64_t> key = cast<std::uint64_t>(ordered<Word>(kind.order, keys[i]));
          if_(key < last || (key == last && cast<std::uint64_t>(i) <= last_place), [&] {
            const value<unsigned> at = atomic(counts[select_digits]).add(1u);
            if_(cast<std::int64_t>(at) < places.size(), [&] { places[at] = cast<unsigned>(i); });
          });
        });
      },
      {.name = "select_places"});
}

/// The places of all elements whose ordering number is not above that of `last`; as many as fit,
/// and how many there are.
template <class Word>
auto make_select_before(const SortKind& kind) {
  return kernel(
      [kind](view<const Word> keys, view<unsigned> places, view<unsigned> count, value<Word> last) {
        const value<Word> largest = ordered<Word>(kind.order, last);
        for (auto i : grid_stride(keys.size())) {
          if_(unlikely(ordered<Word>(kind.order, keys[i]) <= largest), [&] {
            const value<unsigned> at = atomic(count[0]).add(1u);
            if_(cast<std::int64_t>(at) < places.size(), [&] { places[at] = cast<unsigned>(i); });
          });
        }
      },
      {.name = "select_before"});
}

/// Nothing where the sample misled.
template <class Word>
array<unsigned> select_by_sample(device on, const algorithm_device& how, const SortKind& kind,
                                 const array<const Word>& keys, std::int64_t k) {
  constexpr std::int64_t step = sample_step;
  const array<const Word> sample = keys(range(0, end, step));
  array<Word, 2> sorted(shape<2>(1, sample.size()), on);
  const array<const unsigned, 2> none(shape<2>(1, 0), on);
  array<unsigned, 2> nothing(shape<2>(1, 0), on);
  Sorter<Word>(on, how, kind)
      .run(array<const Word, 2>(sample(newaxis, all)), sorted, none, nothing);
  // Four deviations, and some, behind where the k-th one is expected, so that the guess lies before
  // it once in millions.
  const std::int64_t expected = divided_up(k, step),
                     at = expected + 4 * std::int64_t(std::sqrt(double(expected))) + 8;
  if (at >= sample.size()) return array<unsigned>(shape<1>(0), on);
  array<unsigned> places(shape<1>(4 * at * step), on), count(shape<1>(1), on);
  count.fill(0);
  kept(kind, [&] {
    return make_select_before<Word>(kind);
  }).forall(keys.size())(keys, places, count, Word(sorted(0, at)));
  const std::int64_t taken = count(0);
  return taken >= k && taken <= places.size() ? array<unsigned>(places(range(0, taken)))
                                              : array<unsigned>(shape<1>(0), on);
}

template <class Word>
array<unsigned> select_by_digits(device on, const algorithm_device& how, const SortKind& kind,
                                 const array<const Word>& keys, std::int64_t k) {
  const std::int64_t n = keys.size();
  const bool chunks = how.form == algorithm_form::chunks;
  const std::int64_t threads = chunks ? 1 : select_threads,
                     blocks = chunks ? how.workers
                                     : std::min(select_blocks,
                                                divided_up(n, least_selected * select_threads));
  array<unsigned> counts(shape<1>(select_digits + 1), on);
  array<std::uint64_t> state(shape<1>(states), on);
  array<unsigned> places(shape<1>(k), on);
  counts.fill(0);
  const auto digits = [&](bool of_place, int all_bits) {
    for (int left = all_bits; left > 0; left -= select_bits) {
      const int first = left == all_bits, bits = std::min(left, select_bits), shift = left - bits;
      const SortKind own{kind.order, of_place ? Payload::places : Payload::none};
      const auto make = [&] { return make_select_counts<Word>(kind, of_place, chunks); };
      kept(own, make, chunks)
          .launch({blocks, threads}, keys, counts, state, of_place ? 0 : first, shift, bits);
      kept([] { return make_select_digit(); })
          .launch({1, select_threads}, counts, state, std::uint64_t(k), int(of_place), first, shift,
                  bits);
    }
  };
  digits(false, 8 * int(sizeof(Word)));
  digits(true, int(std::bit_width(std::uint64_t(n - 1))));
  kept(
      kind, [&] { return make_select_places<Word>(kind, chunks); }, chunks)
      .launch({blocks, threads}, keys, places, counts, state);
  return places;
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

array<unsigned> select_places(const algorithm_device& how, const key_order& order,
                              const any_array& keys, std::int64_t k) {
  using namespace krait::host;
  const device on = device_from(keys.on);
  return with_word_of(order.bytes, [&]<class Word>(Word) {
    const auto row = typed<const Word, 2>(keys)(0, all);
    const SortKind kind{order, Payload::none};
    if (how.form == algorithm_form::chunks && !records_graph())
      if (array<unsigned> found = select_by_sample<Word>(on, how, kind, row, k); found.size() > 0)
        return found;
    return select_by_digits<Word>(on, how, kind, row, k);
  });
}

bool is_few_of(std::int64_t k, std::int64_t rows, std::int64_t length) noexcept {
  return rows == 1 && length >= host::least_selected_row && length < std::int64_t{1} << 32 &&
         k > 0 && k <= length / host::least_selected_part;
}

}  // namespace krait::detail
