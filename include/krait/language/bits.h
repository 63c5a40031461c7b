// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on the bits of integers, as in <bit> and in CUDA, made of the operations in math.h. All
// take traced and plain values and give the same result for both. A function of one integer works
// in the width of its type, signed or not. Nothing is undefined. Included by krait.h.
#pragma once

#include <krait/math_utilities.h>

namespace krait {
namespace detail {

template <class Type>
inline constexpr unsigned width_of = 8 * sizeof(storage_type_t<Type>);
template <class Type>
using unsigned_of = std::make_unsigned_t<integer_t<storage_type_t<Type>>>;
/// x as the unsigned integer of its width, traced where x is.
template <operand_type Type>
auto as_unsigned(const Type& x) {
  return cast<unsigned_of<Type>>(x);
}
/// x as an integer of Wanted, traced where x is, that shifts go by.
template <operand_type Type>
auto as_count(const Type& x) {
  static_assert(std::is_integral_v<storage_type_t<Type>>,
                "krait: a number of bits must be an integer");
  return cast<unsigned>(x);
}
template <class... Types>
inline constexpr bool some_traced = (traced<Types> || ...);
template <class Wanted, class... Types>
using kept_among = std::conditional_t<some_traced<Types...>, value<Wanted>, Wanted>;

}  // namespace detail

/// The number of zero bits above the highest one bit, like kr::clz; the width for 0.
/// \code
/// auto width = 32 - kr::countl_zero(q[i]);
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto countl_zero(const Type& x, Own...) {
  return clz(x);
}
/// The number of zero bits below the lowest one bit, like kr::ctz; the width for 0.
template <detail::operand_type Type, detail::never... Own>
auto countr_zero(const Type& x, Own...) {
  return ctz(x);
}
/// The number of one bits above the highest zero bit.
template <detail::operand_type Type, detail::never... Own>
auto countl_one(const Type& x, Own...) {
  return clz(cast<detail::unsigned_of<Type>>(~detail::as_unsigned(x)));
}
/// The number of one bits below the lowest zero bit.
template <detail::operand_type Type, detail::never... Own>
auto countr_one(const Type& x, Own...) {
  return ctz(cast<detail::unsigned_of<Type>>(~detail::as_unsigned(x)));
}
/// The position of the lowest one bit, counted from 1; 0 for 0. It is CUDA's __ffs.
/// \code
/// auto lowest = kr::ffs(q[i]) - 1;
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto ffs(const Type& x, Own...) {
  using kept = detail::kept_as<Type, int>;
  const kept place(ctz(x));
  return detail::choose(place == int(detail::width_of<Type>), kept(0), kept(place + 1));
}
/// The number of bits that x needs as an unsigned number; 0 for 0.
template <detail::operand_type Type, detail::never... Own>
auto bit_width(const Type& x, Own...) {
  return detail::kept_as<Type, int>(int(detail::width_of<Type>) - clz(x));
}
/// Tests whether exactly one bit of x is one.
template <detail::operand_type Type, detail::never... Own>
auto has_single_bit(const Type& x, Own...) {
  return popcount(x) == 1;
}
/// The highest power of two that is not above x as an unsigned number; 0 for 0.
template <detail::operand_type Type, detail::never... Own>
auto bit_floor(const Type& x, Own...) {
  using kept = detail::kept_as<Type, detail::unsigned_of<Type>>;
  const kept given(detail::as_unsigned(x)),
      top(kept(detail::unsigned_of<Type>(detail::sign_mask<detail::unsigned_of<Type>>)));
  const kept power(
      cast<detail::unsigned_of<Type>>(top >> (clz(given) & int(detail::width_of<Type> - 1))));
  return cast<detail::storage_type_t<Type>>(detail::choose(given == kept(0u), kept(0u), power));
}
/// The lowest power of two that is not below x as an unsigned number; 0 if the type cannot hold it.
/// \code
/// auto size = kr::bit_ceil(kr::cast<unsigned>(n));
/// \endcode
template <detail::operand_type Type, detail::never... Own>
auto bit_ceil(const Type& x, Own...) {
  using integer = detail::unsigned_of<Type>;
  using kept = detail::kept_as<Type, integer>;
  const kept given(detail::as_unsigned(x));
  const kept floor(cast<integer>(bit_floor(given))), twice(cast<integer>(floor << 1));
  const kept up(detail::choose(floor == given, floor, twice));
  return cast<detail::storage_type_t<Type>>(detail::choose(given == kept(0u), kept(1u), up));
}

/// x rotated to the left by n bits; n may be negative and of any size.
/// \code
/// auto mixed = kr::rotl(q[i], 13) ^ q[i];
/// \endcode
template <detail::operand_type Type, detail::operand_type Count, detail::never... Own>
auto rotl(const Type& x, const Count& n, Own...) {
  using integer = detail::unsigned_of<Type>;
  using kept = detail::kept_among<integer, Type, Count>;
  using counts = detail::kept_among<unsigned, Type, Count>;
  const kept given(detail::as_unsigned(x));
  const counts count(detail::as_count(n)), last(detail::width_of<Type> - 1);
  const counts left(count & last), right((counts(0u) - count) & last);
  return cast<detail::storage_type_t<Type>>(kept(cast<integer>(given << left)) |
                                            kept(cast<integer>(given >> right)));
}
/// x rotated to the right by n bits; n may be negative and of any size.
template <detail::operand_type Type, detail::operand_type Count, detail::never... Own>
auto rotr(const Type& x, const Count& n, Own...) {
  using counts = detail::kept_as<Count, unsigned>;
  return rotl(x, counts(0u) - counts(detail::as_count(n)));
}

/// `count` bits of x from bit `offset` on, as a number; sign-extended if x is signed.
/// Bits past the top count as the sign, or as 0 if x is unsigned. A count of 0 gives 0. Offset and
/// count are taken as unsigned.
/// \code
/// auto exponent = kr::extract_bits(kr::bitcast<std::uint32_t>(x[i]), 23, 8);
/// \endcode
template <detail::operand_type Type, detail::operand_type Offset, detail::operand_type Count,
          detail::never... Own>
auto extract_bits(const Type& x, const Offset& offset, const Count& count, Own...) {
  using integer = detail::integer_t<detail::storage_type_t<Type>>;
  using kept = detail::kept_among<integer, Type, Offset, Count>;
  using counts = detail::kept_among<unsigned, Type, Offset, Count>;
  const counts width(detail::width_of<Type>),
      start(min(counts(detail::as_count(offset)), counts(width - 1u)));
  const counts length(min(counts(detail::as_count(count)), counts(width - start)));
  // A start beyond the top leaves the top bit alone, which is the sign; an unsigned number has
  // none.
  const auto beyond = counts(detail::as_count(offset)) >= width;
  const kept given(x),
      raised(cast<integer>(
          detail::kept_among<detail::unsigned_of<Type>, kept>(detail::as_unsigned(given))
          << ((width - start - length) & counts(detail::width_of<Type> - 1))));
  const kept bits(cast<integer>(raised >> ((width - length) & counts(detail::width_of<Type> - 1))));
  const auto empty =
      detail::choose(counts(detail::as_count(count)) == counts(0u), counts(1u),
                     detail::choose(beyond, counts(std::is_signed_v<integer> ? 0u : 1u),
                                    counts(0u))) != counts(0u);
  return detail::choose(empty, kept(integer(0)), bits);
}
/// x with `count` bits from bit `offset` on replaced by the low bits of `field`.
/// Bits past the top are dropped.
/// \code
/// auto packed = kr::insert_bits(q[i], p[i], 8, 8);
/// \endcode
template <detail::operand_type Type, detail::operand_type Field, detail::operand_type Offset,
          detail::operand_type Count, detail::never... Own>
auto insert_bits(const Type& x, const Field& field, const Offset& offset, const Count& count,
                 Own...) {
  using integer = detail::unsigned_of<Type>;
  using kept = detail::kept_among<integer, Type, Field, Offset, Count>;
  using counts = detail::kept_among<unsigned, Type, Field, Offset, Count>;
  const counts width(detail::width_of<Type>), last(detail::width_of<Type> - 1);
  const counts start(detail::as_count(offset)), length(min(counts(detail::as_count(count)), width));
  const kept ones(cast<integer>(kept(integer(~integer(0))) >> ((width - length) & last)));
  const kept mask(detail::choose(start >= width, kept(integer(0)),
                                 detail::choose(length == counts(0u), kept(integer(0)),
                                                kept(cast<integer>(ones << (start & last))))));
  const kept moved(cast<integer>(kept(cast<integer>(field)) << (start & last)));
  return cast<detail::storage_type_t<Type>>((kept(detail::as_unsigned(x)) & ~mask) |
                                            (moved & mask));
}

/// Selects bytes of x and y: each 4 bits of `selector` name the source of one result byte.
/// The bytes of x come first, then those of y; numbers are taken modulo their count. For 32 bits it
/// is CUDA's __byte_perm.
/// \code
/// auto swapped = kr::byte_permute(p[i], q[i], 0x0123);
/// \endcode
template <detail::operand_type Left, detail::operand_type Right, detail::operand_type Selector,
          detail::never... Own>
auto byte_permute(const Left& x, const Right& y, const Selector& selector, Own...) {
  using integer = detail::integer_t<detail::choice_of<Left, Right>>;
  if constexpr (detail::some_traced<Left, Right, Selector>) {
    const value<integer> first(x), second(y),
        third(cast<integer>(value<detail::storage_type_t<Selector>>(selector)));
    return value<integer>(detail::apply(detail::op::BytePermute, detail::scalar_of<integer>,
                                        node_of(first), node_of(second), node_of(third)));
  } else {
    constexpr unsigned size = sizeof(integer);
    const std::uint64_t words[] = {detail::bits_of(integer(x)), detail::bits_of(integer(y))};
    std::uint64_t result = 0;
    for (unsigned i = 0; i < size; ++i) {
      const auto from = unsigned(detail::bits_of(integer(selector)) >> (4 * i)) % (2 * size);
      result |= (words[from / size] >> (from % size * 8) & 0xff) << (8 * i);
    }
    return detail::from_bits<integer>(result);
  }
}

/// The dot product of the four bytes of x and of y, added to z; the sum wraps.
/// Bytes are signed if their word is; the result is unsigned if both words are. It is CUDA's
/// __dp4a, which needs two words of equal sign.
/// \code
/// total = kr::dot4(p[i], q[i], total);
/// \endcode
template <detail::operand_type Left, detail::operand_type Right, detail::operand_type Sum,
          detail::never... Own>
auto dot4(const Left& x, const Right& y, const Sum& z, Own...) {
  using left = detail::integer_t<detail::storage_type_t<Left>>;
  using right = detail::integer_t<detail::storage_type_t<Right>>;
  static_assert(sizeof(left) == 4 && sizeof(right) == 4, "krait: dot4 needs 32-bit integers");
  constexpr bool mixed = std::is_signed_v<left> != std::is_signed_v<right>;
  using integer = std::conditional_t<mixed, int, left>;
  if constexpr (mixed && std::is_signed_v<left>) {
    return dot4(y, x, z);
  } else if constexpr (detail::some_traced<Left, Right, Sum>) {
    const value<integer> first(cast<integer>(value<left>(x))),
        second(cast<integer>(value<right>(y))), third(cast<integer>(z));
    return value<integer>(detail::apply(mixed ? detail::op::DotMixed : detail::op::DotBytes,
                                        detail::scalar_of<integer>, node_of(first), node_of(second),
                                        node_of(third)));
  } else {
    auto sum = static_cast<unsigned>(z);
    for (int i = 0; i < 32; i += 8) {
      const auto byte = [i]<class Word>(Word word) {
        return unsigned(std::conditional_t<std::is_signed_v<Word>, signed char, unsigned char>(
            unsigned(word) >> i));
      };
      sum += byte(left(x)) * byte(right(y));
    }
    return static_cast<integer>(sum);
  }
}

/// x1 * y1 + (x0 * y0 + z) in f32; x and y hold the bits of two bf16 each, x0 in the lower half.
/// Each sum is rounded once. In native and fast mode, processors with an instruction for it may add
/// in another order and take subnormal numbers as zero (docs/tiles.md has the bound).
template <detail::operand_type Left, detail::operand_type Right, detail::operand_type Sum,
          detail::never... Own>
auto dot2_bf16(const Left& x, const Right& y, const Sum& z, Own...) {
  if constexpr (detail::some_traced<Left, Right, Sum>) {
    const value<unsigned> first(x), second(y);
    const value<float> third(z);
    return value<float>(detail::apply(detail::op::DotPairs, detail::scalar::f32, node_of(first),
                                      node_of(second), node_of(third)));
  } else {
    const auto low = [](unsigned pair) { return detail::from_bits<float>(pair << 16); };
    const auto high = [](unsigned pair) { return detail::from_bits<float>(pair & 0xffff0000); };
    return detail::plain_fma(high(x), high(y), detail::plain_fma(low(x), low(y), float(z)));
  }
}

/// x * y + z of integers, in the type that C++ gives that expression; it wraps.
/// \code
/// counts[i] = kr::mad(p[i], q[i], counts[i]);
/// \endcode
template <detail::operand_type First, detail::operand_type Second, detail::operand_type Third,
          detail::never... Own>
auto mad(const First& x, const Second& y, const Third& z, Own...) {
  using integer = detail::integer_t<decltype(detail::storage_type_t<First>() *
                                                 detail::storage_type_t<Second>() +
                                             detail::storage_type_t<Third>())>;
  using kept = detail::kept_among<std::make_unsigned_t<integer>, First, Second, Third>;
  const kept left(cast<std::make_unsigned_t<integer>>(x)),
      right(cast<std::make_unsigned_t<integer>>(y));
  return cast<integer>(left * right + kept(cast<std::make_unsigned_t<integer>>(z)));
}
/// The sum of absolute differences (SAD): |x - y| + z of integers, as an unsigned type.
/// The difference does not overflow; the sum wraps. It is CUDA's __sad and __usad.
/// \code
/// auto difference = kr::sad(p[i], q[i], 0);
/// \endcode
template <detail::operand_type First, detail::operand_type Second, detail::operand_type Third,
          detail::never... Own>
auto sad(const First& x, const Second& y, const Third& z, Own...) {
  using integer = detail::integer_of<First, Second>;
  using distance = std::make_unsigned_t<integer>;
  using result = std::make_unsigned_t<
      detail::integer_t<detail::arith_t<integer, detail::storage_type_t<Third>>>>;
  using kept = detail::kept_among<integer, First, Second, Third>;
  using distances = detail::kept_among<distance, First, Second, Third>;
  using sums = detail::kept_among<result, First, Second, Third>;
  const kept left(cast<integer>(x)), right(cast<integer>(y));
  const distances high(cast<distance>(max(left, right))), low(cast<distance>(min(left, right)));
  return sums(sums(cast<result>(high - low)) + sums(cast<result>(z)));
}

}  // namespace krait
