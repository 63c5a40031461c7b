// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More random numbers: Threefry, without state; xoroshiro128+, with Numba's states; and Sobol's
// quasi-random points. All take traced and plain values, and give the same words on every device
// and on the host. Included by krait.h.
#pragma once

#include <krait/aggregate.h>
#include <krait/random.h>
#include <krait/detail/sobol_directions.h>

namespace krait {
namespace detail {

template <class Wide>
using half_of = kept_as<Wide, std::uint32_t>;
template <class Wide>
half_of<Wide> low_word(const Wide& x) {
  return half_of<Wide>(cast<std::uint32_t>(x));
}
template <class Wide>
half_of<Wide> high_word(const Wide& x) {
  return half_of<Wide>(cast<std::uint32_t>(x >> 32));
}

inline constexpr int threefry_rotations[2][8][2] = {
    {{13}, {15}, {26}, {6}, {17}, {29}, {16}, {24}},
    {{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}}};

/// Rounds from `Round` on of Threefry: mixes pairs of words by rotations, and adds the key after
/// every fourth.
template <int Round, int Words, class Word>
random_words<Word, Words> threefry_rounds(const random_words<Word, Words>& x,
                                          const random_words<Word, Words + 1>& key) {
  constexpr int one_turn = threefry_rotations[Words == 4][Round % 8][0],
                other_turn = threefry_rotations[Words == 4][Round % 8][1];
  const auto sum = [](const Word& a, const Word& b) { return Word(a + b); };
  const auto turned = [](const Word& a, int n, const Word& b) { return Word(rotl(a, n) ^ b); };
  if constexpr (Round == 20) {
    return x;
  } else {
    const auto mixed = [&]() -> random_words<Word, Words> {
      if constexpr (Words == 2) {
        const Word first(sum(x[0], x[1]));
        return {{first, turned(x[1], one_turn, first)}};
      } else {
        // Words 1 and 3 change places in every other round.
        constexpr int one = Round % 2 ? 3 : 1, other = 4 - one;
        const Word first(sum(x[0], x[one])), third(sum(x[2], x[other]));
        const Word left(turned(x[one], one_turn, first)),
            right(turned(x[other], other_turn, third));
        if constexpr (one == 1) return {{first, left, third, right}};
        else return {{first, right, third, left}};
      }
    }();
    if constexpr (Round % 4 != 3) {
      return threefry_rounds<Round + 1>(mixed, key);
    } else {
      constexpr int step = Round / 4 + 1;
      const auto keyed = [&](int i) { return sum(mixed[i], key[(step + i) % (Words + 1)]); };
      const auto counted = [&](int i) { return sum(keyed(i), Word(std::uint32_t(step))); };
      if constexpr (Words == 2)
        return threefry_rounds<Round + 1>(random_words<Word, 2>{{keyed(0), counted(1)}}, key);
      else
        return threefry_rounds<Round + 1>(
            random_words<Word, 4>{{keyed(0), keyed(1), keyed(2), counted(3)}}, key);
    }
  }
}

}  // namespace detail

/// Two random words of the generator Threefry2x32-20, which JAX uses.
/// Counter and key have 64 bits each, the low half first. (Salmon, Moraes, Dror and Shaw, 2011.)
template <detail::operand_type Key, detail::operand_type Counter>
auto threefry2x32(const Key& key, const Counter& counter) {
  using word = detail::kept_among<std::uint32_t, Key, Counter>;
  using wide = detail::kept_among<std::uint64_t, Key, Counter>;
  const wide k(cast<std::uint64_t>(key)), c(cast<std::uint64_t>(counter));
  const word first(detail::low_word(k)), second(detail::high_word(k));
  return detail::threefry_rounds<0>(
      random_words<word, 2>{
          {word(detail::low_word(c) + first), word(detail::high_word(c) + second)}},
      random_words<word, 3>{{first, second, word(first ^ second ^ 0x1BD11BDAu)}});
}

/// Four random words of Threefry4x32-20, used like kr::philox.
/// It needs additions and rotations only, for devices whose multiplication is slow. The key has 128
/// bits: `seed`, and above it `high_seed`.
/// \code
/// auto random = kr::threefry(1234, i, 0);
/// y[i] = random.uniform_float(0);
/// \endcode
template <detail::operand_type Seed, detail::operand_type Index, detail::operand_type Draw,
          detail::operand_type High = int>
auto threefry(const Seed& seed, const Index& index, const Draw& draw, const High& high_seed = 0) {
  using word = detail::kept_among<std::uint32_t, Seed, Index, Draw, High>;
  using wide = detail::kept_among<std::uint64_t, Seed, Index, Draw, High>;
  const wide k(cast<std::uint64_t>(seed)), l(cast<std::uint64_t>(high_seed));
  const wide c(cast<std::uint64_t>(index)), d(cast<std::uint64_t>(draw));
  const random_words<word, 4> key{
      {detail::low_word(k), detail::high_word(k), detail::low_word(l), detail::high_word(l)}};
  return detail::threefry_rounds<0>(
      random_words<word, 4>{
          {word(detail::low_word(c) + key[0]), word(detail::high_word(c) + key[1]),
           word(detail::low_word(d) + key[2]), word(detail::high_word(d) + key[3])}},
      random_words<word, 5>{
          {key[0], key[1], key[2], key[3], word(key[0] ^ key[1] ^ key[2] ^ key[3] ^ 0x1BD11BDAu)}});
}
/// The same with draw 0.
template <detail::operand_type Seed, detail::operand_type Index>
auto threefry(const Seed& seed, const Index& index) {
  return threefry(seed, index, 0);
}

/// The state of a xoroshiro128+ generator, laid out as Numba's xoroshiro128p_dtype.
/// Keep states in a kr::array<kr::xoroshiro_state>, with one state per thread.
struct xoroshiro_state {
  /// The first word of the state; not both words may be 0.
  std::uint64_t s0;
  /// The second word of the state.
  std::uint64_t s1;
  friend constexpr bool operator==(const xoroshiro_state&, const xoroshiro_state&) = default;
};

/// The generator xoroshiro128+ in a kernel or on the host; it holds its state in variables.
/// Store the state at the end if the next launch is to continue. Results and uniform numbers equal
/// Numba's bit by bit, normal numbers up to rounding. (Blackman and Vigna, 2016, with rotations by
/// 55, 14 and 36.)
/// \code
/// kr::xoroshiro random(states[i]);
/// y[i] = random.uniform_float() + random.uniform_float();
/// states[i] = random.state();
/// \endcode
template <class Long>
class xoroshiro {
  template <class Number>
  using kept = detail::kept_as<Long, Number>;

 public:
  explicit xoroshiro(const xoroshiro_state& from) : s0_(from.s0), s1_(from.s1) {}
  template <detail::traced_composite State>
  explicit xoroshiro(const State& from)
      : s0_(from[&xoroshiro_state::s0]), s1_(from[&xoroshiro_state::s1]) {}

  /// The next 64 random bits; the lowest bit is the weakest.
  kept<std::uint64_t> next() {
    const kept<std::uint64_t> first(s0_), second(s1_), mixed(first ^ second);
    s0_ = rotl(first, 55) ^ mixed ^ (mixed << 14);
    s1_ = rotl(mixed, 36);
    return kept<std::uint64_t>(first + second);
  }
  /// The next double in [0, 1), a multiple of 2^-53.
  kept<double> uniform_double() {
    return kept<double>(cast<double>(next() >> 11) * kept<double>(0x1p-53));
  }
  /// The next float: the double in [0, 1) rounded, so it can be 1.
  kept<float> uniform_float() { return kept<float>(cast<float>(next() >> 11) * 0x1p-53f); }
  /// A normal float of mean 0 and variance 1, made from two results (Box and Muller).
  kept<float> normal_float() { return normal<float>(); }
  /// A normal double like Numba's, made from two uniform numbers in single precision.
  kept<double> normal_double() { return normal<double>(); }

  /// The current state, to be stored for the next launch.
  kept<xoroshiro_state> state() const { return {s0_, s1_}; }

 private:
  template <class Float>
  kept<Float> normal() {
    // The logarithm of 0 would be infinite; no other uniform number is below 2^-53.
    const kept<Float> u(cast<Float>(max(uniform_float(), 0x1p-53f))),
        turns(cast<Float>(uniform_float()));
    return kept<Float>(detail::product(sqrt(log(u) * Float(-2)), cospi(turns * Float(2))));
  }
  Long s0_, s1_;
};
xoroshiro(xoroshiro_state) -> xoroshiro<std::uint64_t>;
template <detail::traced_composite State>
xoroshiro(const State&) -> xoroshiro<var<std::uint64_t>>;

/// The state that follows 2^64 results later.
/// \code
/// kr::xoroshiro_state second = kr::jumped({1, 2});
/// \endcode
constexpr xoroshiro_state jumped(xoroshiro_state from) {
  xoroshiro_state sum{0, 0};
  for (const std::uint64_t taken : {0xbeac0467eba5facbull, 0xd86b048b86aa9922ull})
    for (int bit = 0; bit < 64; ++bit) {
      if (taken >> bit & 1) sum = {sum.s0 ^ from.s0, sum.s1 ^ from.s1};
      const std::uint64_t mixed = from.s0 ^ from.s1;
      from = {(from.s0 << 55 | from.s0 >> 9) ^ mixed ^ mixed << 14, mixed << 36 | mixed >> 28};
    }
  return sum;
}

/// Fills a range of states on the host, like Numba's create_xoroshiro128p_states.
/// The first state is made from the seed by SplitMix64; each next one is 2^64 results later. Copy
/// them to a device with kr::to_device.
/// \code
/// std::vector<kr::xoroshiro_state> states(1024);
/// kr::fill_xoroshiro_states(states, 42);
/// \endcode
template <class Range>
void fill_xoroshiro_states(Range& states, std::uint64_t seed, std::uint64_t first_subsequence = 0) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  xoroshiro_state next{z, z};
  for (std::uint64_t i = 0; i < first_subsequence; ++i) next = jumped(next);
  for (xoroshiro_state& state : states) {
    state = next;
    next = jumped(next);
  }
}

/// One coordinate of a quasi-random point, as a fraction of 32 bits.
template <class Word>
struct quasi_random {
  /// The fraction times 2^32.
  Word word;
  /// The coordinate as a float in [0, 1), a multiple of 2^-24.
  auto uniform_float() const { return cast<float>(word >> 8) * 0x1p-24f; }
  /// The coordinate as a double in [0, 1), exact.
  auto uniform_double() const {
    return cast<double>(word) * detail::kept_as<Word, double>(0x1p-32);
  }
};

/// One coordinate of a point of Sobol's quasi-random sequence.
/// `dimension` is a constant from 0 to 39, `index` is below 2^32. The points have Gray code order,
/// as in Joe and Kuo's program and in SciPy's Sobol(scramble=False); point 0 is the origin.
/// \code
/// auto u = kr::sobol(i, 0).uniform_float(), v = kr::sobol(i, 1).uniform_float();
/// \endcode
template <detail::operand_type Index>
auto sobol(const Index& index, detail::sobol_dimension dimension) {
  using word = detail::kept_as<Index, std::uint32_t>;
  const word i(cast<std::uint32_t>(index)), gray(i ^ (i >> 1));
  return quasi_random<word>{detail::sobol_sum<0>(gray, detail::sobol_directions(dimension.at()))};
}

}  // namespace krait
