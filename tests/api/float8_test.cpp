// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 8 bits as kernels use them: to keep numbers in arrays, structs and arguments, and to
// compute with them as float.
#include <cmath>
#include <limits>
#include <vector>

#include "expect.h"

namespace {

template <class Type>
class Float8 : public testing::Test {
 protected:
  static std::vector<Type> all() {
    std::vector<Type> out;
    for (unsigned bits = 0; bits < 256; ++bits) out.push_back(Type::from_bits(std::uint8_t(bits)));
    return out;
  }
  static void expect_same(Type have, Type expected) {
    if (std::isnan(float(expected))) EXPECT_TRUE(std::isnan(float(have)));
    else EXPECT_EQ(have.bits(), expected.bits());
  }
};
using Types = testing::Types<kr::f8e4m3, kr::f8e5m2>;
TYPED_TEST_SUITE(Float8, Types);

TYPED_TEST(Float8, AnArrayOfThemIsAByteEach) {
  const auto host = this->all();
  const kr::array<TypeParam> x = kr::to_device(host);
  const kr::array<float> wide = x * 2.0f;
  const auto numbers = wide.to_host();
  for (std::size_t i = 0; i < host.size(); ++i)
    if (std::isnan(float(host[i]))) EXPECT_TRUE(std::isnan(numbers[i]));
    else EXPECT_EQ(numbers[i], 2 * float(host[i])) << i;
  const kr::array<TypeParam> back = x * 2.0f;  // the larger ones are beyond the last number
  const auto again = back.to_host();
  for (std::size_t i = 0; i < host.size(); ++i) this->expect_same(again[i], TypeParam(numbers[i]));
}

TYPED_TEST(Float8, QuantisingSaturatesWhereItIsAskedTo) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0,        -0.0f,         1,      447,   464,   465,
                                -500,     57344,         61439,  61440, 1e30f, -infinity,
                                infinity, std::nanf(""), 0.001f, -1e-6f};
  auto plain = kr::vectorize(
      [](kr::value<float> v, kr::value<float> scale) { return kr::cast<TypeParam>(v * scale); });
  auto inside = kr::vectorize([](kr::value<float> v, kr::value<float> scale) {
    return kr::cast_sat<TypeParam>(v * scale);
  });
  const std::vector<TypeParam> a = plain(x, 1.0f), b = inside(x, 1.0f);
  for (std::size_t i = 0; i < x.size(); ++i)
    this->expect_same(a[i], TypeParam(x[i])),
        this->expect_same(b[i], kr::cast_sat<TypeParam>(x[i]));
}

TYPED_TEST(Float8, OfIntegersAndDoubles) {
  const std::vector<int> x = {0, 1, -1, 17, 448, 465, -100000, 2147483647};
  const std::vector<double> y = {0.1, -1e300, 464.0000001, 2.0, 448, 1e-3, 61439.9999, 3};
  auto both = kr::vectorize([](kr::value<int> i, kr::value<double> d) {
    return std::tuple(kr::cast<TypeParam>(i), kr::cast_sat<TypeParam>(i), kr::cast<TypeParam>(d),
                      kr::cast_sat<TypeParam>(d));
  });
  const auto [a, b, c, d] = both(x, y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    this->expect_same(a[i], TypeParam(x[i])),
        this->expect_same(b[i], kr::cast_sat<TypeParam>(x[i]));
    this->expect_same(c[i], TypeParam(y[i])),
        this->expect_same(d[i], kr::cast_sat<TypeParam>(y[i]));
  }
}

struct block {
  kr::f8e4m3 weights[3];
  kr::f8e5m2 scale;
};
static_assert(sizeof(block) == 4);

TEST(Float8InKernels, StructsSharedArraysAndArguments) {
  constexpr int threads = 32;
  auto k =
      kr::kernel([](kr::view<block> blocks, kr::view<float> out, kr::value<kr::f8e4m3> factor) {
        auto kept = kr::shared<kr::f8e4m3, threads>();
        auto i = kr::thread_idx().x;
        auto [weights, scale] = blocks[i];
        kr::var sum = 0.0f;
        for (int n = 0; n < 3; ++n) sum += weights[n] * scale;
        kept[i] = kr::cast_sat<kr::f8e4m3>(sum);
        kr::syncthreads();
        out[i] = kept[threads - 1 - i] * factor;
        blocks[i][&block::scale] = kr::max(scale, kr::f8e5m2(1.0f));
        blocks[i][&block::weights][1] *= 2;
      });
  std::vector<block> blocks(threads);
  std::vector<float> out(threads);
  for (int i = 0; i < threads; ++i)
    blocks[std::size_t(i)] = {{kr::f8e4m3(i), kr::f8e4m3(-0.5f * float(i)), kr::f8e4m3(0.25f)},
                              kr::f8e5m2(0.125f * float(1 << i % 8))};
  const std::vector<block> before = blocks;
  k.launch({1, threads}, blocks, out, kr::f8e4m3(1.5f));
  for (std::size_t i = 0; i < threads; ++i) {
    const auto kept = [&](const block& b) {
      float sum = 0;
      for (const kr::f8e4m3 w : b.weights) sum += w * b.scale;
      return kr::cast_sat<kr::f8e4m3>(sum);
    };
    EXPECT_EQ(out[i], kept(before[threads - 1 - i]) * 1.5f) << i;
    EXPECT_EQ(blocks[i].scale.bits(), kr::max(before[i].scale, kr::f8e5m2(1.0f)).bits()) << i;
    EXPECT_EQ(blocks[i].weights[1].bits(), kr::f8e4m3(before[i].weights[1] * 2).bits()) << i;
    EXPECT_EQ(blocks[i].weights[0].bits(), before[i].weights[0].bits()) << i;
  }
}

}  // namespace
