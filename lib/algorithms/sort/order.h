// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of radix sorts: words as they lie in memory, and the numbers that order them.
#pragma once

#include <compare>

#include "krait/algorithm/detail/form.h"
#include "krait/algorithm/detail/keys.h"

namespace krait::host {

/// Values of a digit of eight bits.
inline constexpr int byte_digits = 256;

/// What travels with the keys: nothing, their places, or words of 32 bits.
enum class Payload : unsigned char { none, places, words };

/// What kernels of one type of word differ in.
struct SortKind {
  detail::key_order order;
  Payload payload;
  friend auto operator<=>(const SortKind&, const SortKind&) = default;
};

/// The number that orders a key. Signs are flipped so that it is unsigned; −0 is 0, NaN above all.
template <class Word>
value<Word> ordered(const detail::key_order& order, const value<Word>& key) {
  constexpr auto sign = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1));
  constexpr auto ones = static_cast<Word>(~Word(0));
  using detail::key_order;
  value<Word> x = key;
  if (order.kind == key_order::integers) {
    const value<Word> number = cast<Word>(x ^ sign);
    return cast<Word>(order.descending ? number ^ ones : number);
  }
  if (order.kind == key_order::floats) {
    // Without branches: the sign spread over all bits, or the sign alone, turns the order round; −0
    // lies just below 0, and goes there.
    using number_type = std::make_signed_t<Word>;
    const value<Word> spread = cast<Word>(cast<number_type>(x) >> (8 * int(sizeof(Word)) - 1)),
                      size = cast<Word>(x & Word(~sign));
    const value<Word> number = cast<Word>((x ^ (spread | sign)) + cast<Word>(x == sign));
    const value<Word> directed = cast<Word>(order.descending ? number ^ ones : number);
    return select(size > Word(order.largest), ones, directed);
  }
  return order.descending ? cast<Word>(x ^ ones) : x;
}

/// A key whose ordering number has all bits set: none comes after it.
template <class Word>
Word last_key(const detail::key_order& order) {
  constexpr auto sign = static_cast<Word>(Word(1) << (8 * sizeof(Word) - 1)),
                 ones = static_cast<Word>(~Word(0));
  using detail::key_order;
  if (order.kind == key_order::floats) return Word(~sign);  // NaN
  const Word ascending = order.kind == key_order::integers ? Word(~sign) : ones;
  return order.descending ? Word(~ascending) : ascending;
}

/// A digit of `bits` bits of the ordering number.
template <class Word, class Shift>
value<int> digit_of(const detail::key_order& order, const value<Word>& key, const Shift& shift,
                    int bits) {
  using wide = std::conditional_t<sizeof(Word) == 8, std::uint64_t, unsigned>;
  return cast<int>((cast<wide>(ordered(order, key)) >> shift) & wide((1u << bits) - 1));
}

}  // namespace krait::host
