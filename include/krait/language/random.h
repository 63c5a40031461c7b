// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers as a function of a seed and a counter: no state, any order, the same words on
// every device and on the host. Included by krait.h.
#pragma once

#include <krait/bits.h>

namespace krait {

/// Two results of one draw of normal numbers.
/// \code
/// auto [a, b] = kr::philox(1234, i).normal_float(0);
/// \endcode
template <class Number>
struct random_pair {
  /// The first number.
  Number first;
  /// The second number.
  Number second;
};

/// Random words, and numbers made from them; use each word for one number only.
/// The words are traced values in a kernel and plain ones elsewhere. kr::philox and kr::threefry
/// give them.
/// \code
/// auto words = kr::philox(1234, i);
/// y[i] = words.uniform_float(0);
/// \endcode
template <class Word, int Words = 4>
struct random_words {
  /// The words, of 32 bits each.
  Word word[Words];

  const Word& operator[](int i) const { return word[i]; }
  /// A float in [0, 1), a multiple of 2^-24, made from word i = 0..3.
  auto uniform_float(int i, detail::location where = detail::location::here()) const {
    note(where);
    return cast<float>(word[i] >> 8) * 0x1p-24f;
  }
  /// A double in [0, 1), a multiple of 2^-53, made from words 2 i and 2 i + 1 with i = 0, 1.
  auto uniform_double(int i, detail::location where = detail::location::here()) const {
    note(where);
    return cast<double>(long_word(i) >> 11) * kept<double>(0x1p-53);
  }
  /// An integer in [0, n), made from word i = 0..3; n is in 1..2^32 - 1.
  /// It is the upper half of word * n. Two results differ in probability by at most 2^-32, relative
  /// to each other by n / 2^32. For n = 0 it is 0.
  /// \code
  /// auto die = kr::philox(1234, i).below(0, 6) + 1;
  /// \endcode
  template <detail::operand_type Count>
  auto below(int i, const Count& n, detail::location where = detail::location::here()) const {
    note(where);
    return mul_hi(word[i], kept<std::uint32_t>(cast<std::uint32_t>(n)));
  }
  /// Like below, for n up to 2^64 - 1; made from words 2 i and 2 i + 1 with i = 0, 1.
  template <detail::operand_type Count>
  auto long_below(int i, const Count& n, detail::location where = detail::location::here()) const {
    note(where);
    return mul_hi(long_word(i), kept<std::uint64_t>(cast<std::uint64_t>(n)));
  }
  /// Two independent normal numbers of mean 0 and variance 1 (Box and Muller, 1958).
  /// They are made from words 2 i and 2 i + 1 with i = 0, 1, and are at most 5.8 in magnitude.
  auto normal_float(int i, detail::location where = detail::location::here()) const {
    note(where);
    // 1 - u is in (0, 1] and exact, so that its logarithm is finite.
    return normal<float>(1.0f - uniform_float(2 * i), uniform_float(2 * i + 1) * 2.0f);
  }
  /// Two normal numbers like normal_float in double precision, at most 8.6 in magnitude.
  /// They are made from all four words.
  auto normal_double(detail::location where = detail::location::here()) const
    requires(Words == 4)
  {
    note(where);
    return normal<double>(kept<double>(1.0) - uniform_double(0),
                          uniform_double(1) * kept<double>(2.0));
  }

 private:
  template <class Number>
  using kept = detail::kept_as<Word, Number>;
  static void note([[maybe_unused]] detail::location where) {
    if constexpr (detail::traced<Word>) detail::set_location(where);
  }
  kept<std::uint64_t> long_word(int i) const {
    return kept<std::uint64_t>(cast<std::uint64_t>(word[2 * i]) |
                               cast<std::uint64_t>(word[2 * i + 1]) << 32);
  }
  /// u in (0, 1], the angle in turns of pi.
  template <class Float>
  static auto normal(const kept<Float>& u, const kept<Float>& angle) {
    const kept<Float> radius(sqrt(log(u) * Float(-2.0f)));
    return random_pair<kept<Float>>{detail::product(radius, cospi(angle)),
                                    detail::product(radius, sinpi(angle))};
  }
};

namespace detail {

template <int Rounds, class Word>
random_words<Word> philox_rounds(const Word& a, const Word& b, const Word& c, const Word& d,
                                 const Word& k, const Word& l) {
  if constexpr (Rounds == 0) {
    return {{a, b, c, d}};
  } else {
    const Word left(0xD2511F53u), right(0xCD9E8D57u);
    return philox_rounds<Rounds - 1, Word>(Word(mul_hi(c, right) ^ b ^ k), Word(c * right),
                                           Word(mul_hi(a, left) ^ d ^ l), Word(a * left),
                                           Word(k + 0x9E3779B9u), Word(l + 0xBB67AE85u));
  }
}

}  // namespace detail

/// Four random words of the generator Philox4x32-10, without state.
/// A stream of random numbers is a seed and an index, for example the thread's; its numbers are
/// draws 0, 1, 2 and so on. The counter's low half is `index`, its high half `draw`, the key is
/// `seed`; each has 64 bits. (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3", 2011.)
/// \code
/// auto random = kr::philox(1234, i, 0);
/// y[i] = random.uniform_float(0) + random.uniform_float(1);
/// \endcode
template <detail::operand_type Seed, detail::operand_type Index, detail::operand_type Draw>
auto philox(const Seed& seed, const Index& index, const Draw& draw,
            detail::location where = detail::location::here()) {
  using word = detail::kept_among<std::uint32_t, Seed, Index, Draw>;
  using wide = detail::kept_among<std::uint64_t, Seed, Index, Draw>;
  if constexpr (detail::traced<word>) detail::set_location(where);
  const auto low = [](const wide& x) { return word(cast<std::uint32_t>(x)); };
  const auto high = [](const wide& x) { return word(cast<std::uint32_t>(x >> 32)); };
  const wide key(cast<std::uint64_t>(seed)), first(cast<std::uint64_t>(index)),
      second(cast<std::uint64_t>(draw));
  return detail::philox_rounds<10, word>(low(first), high(first), low(second), high(second),
                                         low(key), high(key));
}
/// The same with draw 0.
template <detail::operand_type Seed, detail::operand_type Index>
auto philox(const Seed& seed, const Index& index,
            detail::location where = detail::location::here()) {
  return philox(seed, index, 0, where);
}

}  // namespace krait
