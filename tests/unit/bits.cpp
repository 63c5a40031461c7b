// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of bits on plain values against <bit>, 128-bit arithmetic and loops over bits.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <krait/krait.h>
namespace kr = krait;

namespace {

__extension__ typedef __int128 Wide;

template <class Type>
class Bits : public testing::Test {
 protected:
  using Word = std::make_unsigned_t<Type>;
  static constexpr unsigned width = 8 * sizeof(Type);
  static constexpr bool is_signed = std::is_signed_v<Type>;

  Type number() { return Type(random_() >> random_() % 64); }
  unsigned count() { return unsigned(random_() % 80); }
  /// Bit k of a number with endless sign.
  static unsigned bit(Type x, unsigned k) {
    return k < width ? unsigned(Word(x) >> k & 1) : unsigned(x < Type(0));
  }
  static Type clamped(Wide x) {
    return Type(std::clamp(x, Wide(std::numeric_limits<Type>::min()),
                           Wide(std::numeric_limits<Type>::max())));
  }

  std::mt19937_64 random_{5};
};
using Types = testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned,
                             std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Bits, Types);

TYPED_TEST(Bits, CountAsTheStandardLibrary) {
  using Unsigned = typename TestFixture::Word;
  for (int trial = 0; trial < 5000; ++trial) {
    const TypeParam x = this->number();
    const Unsigned u = Unsigned(x);
    ASSERT_EQ(kr::countl_zero(x), std::countl_zero(u));
    ASSERT_EQ(kr::countr_zero(x), std::countr_zero(u));
    ASSERT_EQ(kr::countl_one(x), std::countl_one(u));
    ASSERT_EQ(kr::countr_one(x), std::countr_one(u));
    ASSERT_EQ(kr::ffs(x), u ? std::countr_zero(u) + 1 : 0);
    ASSERT_EQ(kr::bit_width(x), int(std::bit_width(u)));
    ASSERT_EQ(kr::has_single_bit(x), std::has_single_bit(u));
    ASSERT_EQ(Unsigned(kr::bit_floor(x)), std::bit_floor(u));
    ASSERT_EQ(Unsigned(kr::bit_ceil(x)), u > std::bit_floor(std::numeric_limits<Unsigned>::max())
                                             ? Unsigned(0)
                                             : std::bit_ceil(u));
    const int n = int(this->count()) - 40;
    ASSERT_EQ(Unsigned(kr::rotl(x, n)), std::rotl(u, n));
    ASSERT_EQ(Unsigned(kr::rotr(x, n)), std::rotr(u, n));
  }
}

TYPED_TEST(Bits, FieldsAreTakenOutAndPutIn) {
  using Unsigned = typename TestFixture::Word;
  for (int trial = 0; trial < 5000; ++trial) {
    const TypeParam x = this->number(), field = this->number();
    const unsigned offset = this->count(), count = this->count();
    Unsigned taken = 0, put = Unsigned(x);
    for (unsigned k = 0; k < this->width; ++k) {
      const unsigned last = count ? this->bit(x, offset + count - 1) : 0;
      const unsigned taken_bit = k < count ? this->bit(x, offset + k) : this->is_signed ? last : 0;
      taken = Unsigned(taken | Unsigned(Unsigned(taken_bit) << k));
      if (k < offset || k >= offset + count) continue;
      put = Unsigned((put & Unsigned(~Unsigned(Unsigned(1) << k))) |
                     Unsigned(Unsigned(this->bit(field, k - offset)) << k));
    }
    ASSERT_EQ(Unsigned(kr::extract_bits(x, offset, count)), taken)
        << +x << ' ' << offset << ' ' << count;
    ASSERT_EQ(Unsigned(kr::insert_bits(x, field, offset, count)), put)
        << +x << ' ' << +field << ' ' << offset << ' ' << count;
  }
}

TYPED_TEST(Bits, SaturatingSumsAndDifferences) {
  for (int trial = 0; trial < 5000; ++trial) {
    const TypeParam x = this->number(), y = this->number();
    ASSERT_EQ(kr::add_sat(x, y), this->clamped(Wide(x) + y)) << +x << ' ' << +y;
    ASSERT_EQ(kr::sub_sat(x, y), this->clamped(Wide(x) - y)) << +x << ' ' << +y;
  }
}

TYPED_TEST(Bits, UpperHalvesOfProducts) {
  for (int trial = 0; trial < 5000; ++trial) {
    const TypeParam x = this->number(), y = this->number();
    const auto high = kr::mul_hi(x, y);
    static_assert(std::is_same_v<decltype(high), const TypeParam>);
    if constexpr (sizeof x < 8) {
      ASSERT_EQ(high, TypeParam(Wide(x) * y >> this->width)) << +x << ' ' << +y;
    }
  }
}

TEST(BitsOfCuda, PublishedValues) {
  EXPECT_EQ(kr::byte_permute(0x33221100u, 0x77665544u, 0x7531u), 0x77553311u);
  EXPECT_EQ(kr::mad(3, -4, 5), -7);
  static_assert(std::is_same_v<decltype(kr::dot4(1u, 1u, 1)), unsigned> &&
                std::is_same_v<decltype(kr::dot4(1, 1u, 1u)), int>);
  EXPECT_EQ(kr::dot4(0x010203ff, 0x02020280, 10), 10 + 2 + 4 + 6 + 128);
  EXPECT_EQ(kr::dot4(0x010203ffu, 0x02020280u, 10u), 10u + 2 + 4 + 6 + 255 * 128);
  EXPECT_EQ(kr::dot4(0x010203ffu, 0x02020280, 10), 10 + 2 + 4 + 6 - 255 * 128);
  EXPECT_EQ(kr::dot4(0x010203ff, 0x02020280u, 10), 10 + 2 + 4 + 6 - 128);
  EXPECT_EQ(kr::dot2_bf16(0x40403f80u, 0x40a04000u, 0.5f), 17.5f);
  EXPECT_EQ(kr::mad(std::numeric_limits<int>::max(), 2, 0), -2);
  EXPECT_EQ(kr::sad(-3, 7, 1), 11u);
  EXPECT_EQ(kr::sad(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), 0),
            0xffffffffu);
  // the sum is as wide as z
  EXPECT_EQ(kr::sad(1, 4, std::int64_t(1) << 40), (std::uint64_t(1) << 40) + 3);
  EXPECT_EQ(kr::sad(-1, 1, 5u), 7u);
}

}  // namespace
