// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices: sizes around tiles, types, batches, views, both forms of kernels. Against
// NumPy: numpy_cases.
#include <krait/algorithm/matmul.h>

#include <array>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "algorithms/matmul/tensor.h"
#include "algorithms/tuning.h"
#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

/// Small integers, of which every sum here is exact in float.
template <class Elem, int Rank>
kr::array<Elem, Rank> filled(const kr::shape<Rank>& extents, Random& random) {
  std::vector<Elem> h(std::size_t(extents.size()));
  for (Elem& x : h) x = Elem(float(random.below(5)) - (std::is_unsigned_v<Elem> ? 0.0f : 2.0f));
  kr::array<Elem, Rank> a(extents);
  a.copy_from(h);
  return a;
}
template <class Elem, int Rank>
std::vector<std::remove_const_t<Elem>> host(const kr::array<Elem, Rank>& a) {
  return a.to_host();
}

template <class Elem, class Left, class Right>
void expect_product(const kr::array<Elem, 3>& z, const kr::array<Left, 3>& x,
                    const kr::array<Right, 3>& y) {
  const auto a = host(x), b = host(y);
  const auto c = host(z);
  const std::int64_t batch = z.extent(0), m = z.extent(1), n = z.extent(2), depth = x.extent(2);
  for (std::int64_t i = 0; i < batch * m * n; ++i) {
    const std::int64_t p = i / (m * n), row = i / n % m, column = i % n;
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k)
      sum += double(float(a[std::size_t((p * m + row) * depth + k)])) *
             double(float(b[std::size_t((p * depth + k) * n + column)]));
    ASSERT_EQ(double(c[std::size_t(i)]), double(Elem(sum)))
        << m << 'x' << depth << 'x' << n << " at " << row << ',' << column;
  }
}

/// x @ y by one of the library's ways; multiply(product) computes it.
template <class Elem, class Left, class Right, class Multiply>
kr::array<Elem, 3> product_by(const Multiply& multiply, const kr::array<Left, 3>& x,
                              const kr::array<Right, 3>& y) {
  using namespace krait::detail;
  const kr::array<Elem, 3> z(x.extent(0), x.extent(1), y.extent(2));
  const any_array left = erased(x), right = erased(y), out = erased(z);
  const product_ending alone;
  multiply(krait::host::Product{left, right, out, scalar_of<product_word<Elem>>, alone});
  return kr::array<Elem, 3>(krait::detail::view_at(krait::detail::layout_of(z), z));
}

template <class Elem>
void every_form(const kr::array<Elem, 3>& x, const kr::array<Elem, 3>& y) {
  using namespace krait::host;
  const auto expect = [&](const auto& multiply) {
    expect_product(product_by<Elem>(multiply, x, y), x, y);
  };
  expect([](const Product& p) { multiply_tiles(p); });
  expect([](const Product& p) { multiply_in_registers(p, 8, 4); });
  expect([](const Product& p) { multiply_in_registers(p, 4, 4); });
  using namespace krait::detail;
  if (algorithm_device_of(kr::device()).form != algorithm_form::chunks) return;
  const auto rows = [](const Product& p) { return panel_rows(p.word, false); };
  expect([&](const Product& p) { multiply_panels(p, {.rows = rows(p)}); });
  if constexpr (std::is_same_v<Elem, std::int8_t> || std::is_same_v<Elem, kr::bf16>)
    expect([&](const Product& p) { multiply_panels(p, {.dots = true, .rows = rows(p)}); });
  // Without tile registers the code has loops in their place.
  if constexpr (std::is_same_v<Elem, kr::bf16>)
    for (const int own : {16, 32})
      expect([&](const Product& p) {
        multiply_panels(p, {.dots = true, .tiles = true, .rows = own});
      });
}

template <class Elem>
void sizes_around_tiles(unsigned seed) {
  Random random(seed);
  const int sides[] = {1, 5, 8, 31, 32, 33, 64, 65, 100};
  for (int c = 0; c < krait::test::cases(); ++c) {
    const auto side = [&] { return sides[random.below(9)]; };
    const std::int64_t batch = 1 + random.below(2), m = side(),
                       depth = random.below(4) ? side() : 256 + side(), n = side();
    every_form(filled<Elem, 3>({batch, m, depth}, random),
               filled<Elem, 3>({batch, depth, n}, random));
  }
}
TEST(Matmul, Floats) { sizes_around_tiles<float>(1); }
TEST(Matmul, Doubles) {
  try {
    sizes_around_tiles<double>(2);
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::compile) throw;
    GTEST_SKIP() << e.message();
  }
}
TEST(Matmul, Integers) { sizes_around_tiles<int>(3); }
TEST(Matmul, NarrowTypes) {
  Random random(4);
  every_form(filled<kr::f16, 3>({1, 40, 300}, random), filled<kr::f16, 3>({1, 300, 33}, random));
  every_form(filled<kr::bf16, 3>({1, 9, 20}, random), filled<kr::bf16, 3>({1, 20, 9}, random));
  const auto x = kr::full<std::uint8_t>({20, 30}, 100);
  const kr::array<std::uint8_t, 2> z = kr::matmul(x, x.transpose());
  EXPECT_EQ(z(19, 19), std::uint8_t(30 * 100 * 100));  // wraps, as NumPy's
}
TEST(Matmul, Bf16) { sizes_around_tiles<kr::bf16>(14); }
TEST(Matmul, SignedBytes) { sizes_around_tiles<std::int8_t>(15); }

/// Of any bytes, whose sums wrap.
template <class Left, class Right, class Out>
void bytes(std::int64_t m, std::int64_t depth, std::int64_t n, Random& random) {
  SCOPED_TRACE(testing::Message() << m << 'x' << depth << 'x' << n);
  const auto filled_with = [&]<class Byte>(Byte, std::int64_t rows, std::int64_t columns) {
    kr::array<Byte, 2> x(rows, columns);
    std::vector<Byte> h(std::size_t(rows * columns));
    // and the ends of i8
    for (Byte& e : h) e = Byte(random.below(4) ? random.below(256) : 128 - random.below(2));
    x.copy_from(h);
    return x;
  };
  const auto x = filled_with(Left(), m, depth);
  const auto y = filled_with(Right(), n, depth);
  const auto turned = y.transpose().copy();
  const auto a = host(x);
  const auto b = host(y);
  for (const auto& right : {y.transpose(), turned.share()}) {
    const auto c = host(kr::matmul<Out>(x, right));
    for (std::int64_t i = 0; i < m * n; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum += std::int64_t(a[std::size_t(i / n * depth + k)]) * b[std::size_t(i % n * depth + k)];
      ASSERT_EQ(c[std::size_t(i)], Out(sum)) << i / n << ',' << i % n;
    }
  }
}
template <class Left, class Right>
void bytes_of_all_sizes(unsigned seed) {
  Random random(seed);
  for (const auto& [m, depth, n] :
       {std::array{8, 4, 8}, {9, 5, 33}, {13, 7, 8}, {31, 0, 9}, {65, 66, 40}, {8, 1500, 70}})
    bytes<Left, Right, std::int32_t>(m, depth, n, random);
  bytes<Left, Right, std::uint32_t>(12, 31, 10, random);
  bytes<Left, Right, std::int8_t>(12, 31, 10, random);
  bytes<Left, Right, std::int64_t>(12, 31, 10, random);
}
/// By tile registers, or by the loops in their place: depths and sides around whole registers.
template <class Left, class Right>
void words_of_bytes(unsigned seed) {
  Random random(seed);
  for (const auto& [m, depth, n] : {std::array{1, 1, 1},
                                    {16, 64, 16},
                                    {17, 63, 33},
                                    {33, 65, 31},
                                    {40, 257, 70},
                                    {8, 4100, 35}}) {
    const auto x = filled<Left, 3>({2, m, depth}, random);
    const auto y = filled<Right, 3>({2, depth, n}, random);
    for (const int own : {16, 32})
      expect_product(product_by<std::int32_t>(
                         [&](const krait::host::Product& p) {
                           multiply_panels(p, {.dots = true, .tiles = true, .rows = own});
                         },
                         x, y),
                     x, y);
  }
}
TEST(Matmul, WordsOfBytes) {
  using namespace krait::detail;
  if (algorithm_device_of(kr::device()).form != algorithm_form::chunks)
    GTEST_SKIP() << "products of words are the CPU's";
  words_of_bytes<std::int8_t, std::int8_t>(20);
  words_of_bytes<std::uint8_t, std::uint8_t>(21);
  words_of_bytes<std::int8_t, std::uint8_t>(22);
  words_of_bytes<std::uint8_t, std::int8_t>(23);
}

TEST(Matmul, BytesWrap) {
  bytes_of_all_sizes<std::int8_t, std::int8_t>(10);
  bytes_of_all_sizes<std::uint8_t, std::uint8_t>(11);
  bytes_of_all_sizes<std::int8_t, std::uint8_t>(12);
  bytes_of_all_sizes<std::uint8_t, std::int8_t>(13);
}

/// Rows with one element that is not 0 take rows of the other matrix, to the bit.
template <class Elem>
void one_hot_rows(std::int64_t n) {
  SCOPED_TRACE(n);
  Random random(16);
  const auto y = filled<Elem, 2>({n, n + 3}, random);
  std::vector<Elem> one(std::size_t(n * n), Elem(0));
  for (std::int64_t i = 0; i < n; ++i) one[std::size_t(i * n + (i * 7 + 3) % n)] = Elem(1);
  kr::array<Elem, 2> x(n, n);
  x.copy_from(one);
  const auto got = host(kr::matmul(x, y)), back = host(kr::matmul(y.transpose(), x.transpose())),
             from = host(y);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n + 3; ++j) {
      const Elem expected = from[std::size_t((i * 7 + 3) % n * (n + 3) + j)];
      ASSERT_EQ(got[std::size_t(i * (n + 3) + j)], expected);
      ASSERT_EQ(back[std::size_t(j * n + i)], expected);
    }
}
TEST(Matmul, OneHotRows) {
  for (const std::int64_t n : {8, 15, 33, 100}) {
    one_hot_rows<float>(n), one_hot_rows<kr::bf16>(n), one_hot_rows<kr::f16>(n),
        one_hot_rows<int>(n);
    one_hot_rows<std::int8_t>(n), one_hot_rows<std::uint8_t>(n);
  }
}

/// Of numbers of any size, within the bound of docs/tiles.md.
void expect_bf16_bound(int least, int most) {
  SCOPED_TRACE(testing::Message() << "exponents from " << least << " to " << most);
  constexpr int m = 20, depth = 301, n = 40;
  Random random(17);
  const auto filled_with = [&](int rows, int columns) {
    std::vector<kr::bf16> h(std::size_t(rows * columns));
    for (kr::bf16& e : h)
      e = kr::bf16(std::ldexp(float(random.below(256)) - 128,
                              least - 7 + int(random.below(unsigned(most - least + 1)))));
    kr::array<kr::bf16, 2> x(rows, columns);
    x.copy_from(h);
    return x;
  };
  const auto x = filled_with(m, depth), y = filled_with(depth, n);
  const auto a = host(x), b = host(y);
  const auto c = host(kr::matmul<float>(x, y));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0, flushed = 0;
      for (int k = 0; k < depth; ++k) {
        const double left = a[std::size_t(i * depth + k)], right = b[std::size_t(k * n + j)];
        sum += left * right, size += std::abs(left * right),
            flushed += std::abs(left) + std::abs(right) + 2;
      }
      ASSERT_LE(std::abs(c[std::size_t(i * n + j)] - sum),
                depth * std::ldexp(size, -22) + std::ldexp(flushed, -126));
    }
}
TEST(Matmul, Bf16StaysWithinItsBound) {
  expect_bf16_bound(-3, 3);
  expect_bf16_bound(-40, 40);
  expect_bf16_bound(-133, -100);
  expect_bf16_bound(-133, 0);
  expect_bf16_bound(-70, -58);
}

/// The large tiles of f32: 128 blocks and more. Packs that can be read in place, and such that
/// cannot.
TEST(Matmul, LargeTiles) {
  Random random(5);
  const bool cpu = std::string(kr::device().id()) == "cpu";
  if (cpu)
    every_form(filled<float, 3>({130, 129, 9}, random), filled<float, 3>({130, 9, 10}, random));
  const auto x = filled<float, 3>({2, 150, 44}, random), y = filled<float, 3>({2, 44, 140}, random);
  for (const int from : {0, 1, 4})  // addresses of 16 bytes or not
    for (const int depth : {8, 24, 40, 39}) {
      if (!cpu && (from == 0 || depth == 24)) continue;  // they take long where a CPU is not itself
      const auto left = x(kr::all, kr::all, kr::range(from, from + depth)),
                 right = y(kr::all, kr::range(0, depth), kr::range(from, kr::end));
      const auto by = [](const krait::host::Product& p) { multiply_in_registers(p, 8, 8); };
      expect_product(product_by<float>(by, left, right), left, right);
    }
}
/// An operand that repeats along the batch, and rows that overlap: a matrix of Hankel's.
TEST(Matmul, PacksOfStrangeStrides) {
  Random random(8);
  const auto x = filled<float, 3>({3, 20, 48}, random), one = filled<float, 3>({1, 48, 20}, random),
             odd = filled<float, 3>({1, 48, 19}, random);
  const auto multiply = [&](const auto& left, const auto& right) {
    const auto by = [](const krait::host::Product& p) { multiply_in_registers(p, 4, 4); };
    expect_product(product_by<float>(by, left, right), left.copy(), right.copy());
  };
  multiply(x, one.broadcast_to(3, 48, 20));
  multiply(x, odd.broadcast_to(3, 48, 19));
  multiply(x(kr::all, kr::range(kr::none, kr::none, -1)),
           one(kr::all, kr::range(kr::none, kr::none, -1)).broadcast_to(3, 48, 20));
  multiply(x.permute(0, 2, 1)(kr::all, kr::all, kr::range(0, 16)), x(kr::all, kr::range(0, 16)));
}

TEST(Matmul, BatchesAndViews) {
  Random random(6);
  const auto x = filled<float, 4>({2, 3, 10, 12}, random),
             y = filled<float, 4>({3, 1, 12, 9}, random);
  const auto one = filled<float, 2>({12, 9}, random);
  // a batch of its own, which repeats
  const auto z = kr::matmul(x, y(kr::newaxis, kr::newaxis, 2, 0));
  static_assert(std::is_same_v<decltype(kr::matmul(x, one)), kr::array<float, 4>>);
  const auto repeated = kr::matmul(x, one), several = kr::matmul(x(0)(kr::newaxis), y);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto own = x(i, kr::range(j, j + 1)).copy();
      expect_product(repeated(i, kr::range(j, j + 1)).copy(), own, one(kr::newaxis).copy());
      expect_product(z(i, kr::range(j, j + 1)).copy(), own, y(2).copy());
      expect_product(several(i, kr::range(j, j + 1)).copy(), x(0, kr::range(j, j + 1)).copy(),
                     y(i).copy());
    }
  // Transposed, reversed, every second.
  const auto turned = x(0, 0).transpose(),
             back = x(1, 2)(kr::range(kr::none, kr::none, -1), kr::all);
  expect_product(kr::matmul(turned, back)(kr::newaxis).copy(), turned(kr::newaxis).copy(),
                 back(kr::newaxis).copy());
}

TEST(Matmul, Vectors) {
  const auto a = kr::arange(6).reshape(2, 3);
  const auto v = kr::arange(3);
  EXPECT_EQ(kr::matmul(v, v), 5);
  EXPECT_EQ(host(kr::matmul(a, v)), (std::vector<int>{5, 14}));
  EXPECT_EQ(host(kr::matmul(kr::arange(2), a)), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(kr::matmul(kr::zeros<float>({9, 0}), kr::zeros<float>({0, 9})).size(), 81);
  EXPECT_EQ(float(kr::sum(kr::matmul(kr::zeros<float>({9, 0}), kr::zeros<float>({0, 9})))), 0.0f);
  EXPECT_EQ(kr::matmul(kr::zeros<float>({0, 9}), kr::zeros<float>({9, 9})).size(), 0);
}

/// NumPy's, by loops; more in numpy_cases.
TEST(Matmul, DotOfManyDimensions) {
  Random random(9);
  const auto x = filled<int, 3>({2, 9, 5}, random);
  const auto y = filled<int, 4>({3, 2, 5, 4}, random);
  const auto z = kr::dot(x, y);
  static_assert(std::is_same_v<decltype(z), const kr::array<int, 5>>);
  for (int d = 0; d < 5; ++d)
    EXPECT_EQ(z.extent(d), (std::vector<std::int64_t>{2, 9, 3, 2, 4})[std::size_t(d)]);
  const auto a = host(x), b = host(y), c = host(z);
  std::size_t at = 0;
  for (std::size_t row = 0; row < 18; ++row)
    for (std::size_t matrix = 0; matrix < 6; ++matrix)
      for (std::size_t column = 0; column < 4; ++column) {
        int sum = 0;
        for (std::size_t k = 0; k < 5; ++k)
          sum += a[row * 5 + k] * b[(matrix * 5 + k) * 4 + column];
        ASSERT_EQ(c[at++], sum);
      }
  EXPECT_EQ(host(kr::dot(kr::arange(2), kr::arange(6).reshape(2, 3))), (std::vector<int>{3, 4, 5}));
  expect_usage({"shapes (2,3) and (2,2) not aligned: 3 (dim 1) != 2 (dim 0)"}, [] {
    kr::dot(kr::zeros<float>({2, 3}), kr::zeros<float>({2, 2}));
  });
}

TEST(Matmul, NotANumberStaysOne) {
  auto x = kr::ones<float>({40, 40});
  x(3, 4) = std::numeric_limits<float>::quiet_NaN();
  x(5, 6) = std::numeric_limits<float>::infinity();
  const kr::array<float, 2> z = kr::matmul(x, kr::ones<float>({40, 40}));
  EXPECT_TRUE(std::isnan(float(z(3, 0))));
  EXPECT_TRUE(std::isinf(float(z(5, 39))));
  EXPECT_EQ(float(z(4, 4)), 40.0f);
}

/// What a product is by the host, ended by `f`.
template <class Out, class Elem, class Function>
void expect_ended(const kr::array<Out, 2>& z, const kr::array<Elem, 2>& x,
                  const kr::array<Elem, 2>& y, const Function& f) {
  const auto a = host(x), b = host(y);
  const auto c = host(z);
  const std::int64_t m = z.extent(0), n = z.extent(1), depth = x.extent(1);
  ASSERT_EQ(m, x.extent(0));
  ASSERT_EQ(n, y.extent(1));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum +=
            double(float(a[std::size_t(i * depth + k)])) * double(float(b[std::size_t(k * n + j)]));
      ASSERT_EQ(double(c[std::size_t(i * n + j)]), double(Out(f(sum, i, j))))
          << m << 'x' << depth << 'x' << n << " at " << i << ',' << j;
    }
}

/// An ending sees each sum once, with the elements of its place: sizes of one block and of many,
/// one and several steps of k, nothing to add.
TEST(Matmul, EndingsAreFused) {
  Random random(10);
  const std::int64_t sizes[][3] = {{1, 1, 1},   {5, 700, 9}, {40, 30, 70},   {64, 16, 64},
                                   {33, 0, 12}, {1, 20, 50}, {300, 24, 1100}};
  for (const auto& [m, depth, n] : sizes) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(depth) + "x" + std::to_string(n));
    const auto x = filled<float, 2>({m, depth}, random), y = filled<float, 2>({depth, n}, random);
    const auto bias = filled<float, 1>({n}, random);
    const auto residual = filled<float, 2>({m, n}, random);
    const auto b = host(bias), r = host(residual);
    const auto relu = [](auto sum, auto add) { return kr::max(sum + add, 0.0f); };
    expect_ended(kr::matmul(x, y, relu, bias), x, y, [&](double sum, std::int64_t, std::int64_t j) {
      return std::max(sum + double(b[std::size_t(j)]), 0.0);
    });
    const float scale = float(2 + m % 3);  // a capture: part of the code
    expect_ended(
        kr::matmul<double>(
            x, y, [scale](auto sum, auto add, auto shift) { return sum * scale + add + shift; },
            residual, 3),
        x, y, [&](double sum, std::int64_t i, std::int64_t j) {
          return sum * double(scale) + double(r[std::size_t(i * n + j)]) + 3;
        });
  }
  // Of stacks: operands broadcast as NumPy's do.
  const auto x = filled<float, 3>({3, 10, 12}, random), y = filled<float, 3>({3, 12, 9}, random);
  const auto each = filled<float, 3>({3, 1, 1}, random);
  const auto z = kr::matmul(
      x, y, [](auto sum, auto e) { return sum + e; }, each);
  const auto plain = kr::matmul(x, y);
  for (int p = 0; p < 3; ++p)
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(float(z(p, i, 4)), float(plain(p, i, 4)) + float(each(p, 0, 0)));
}
TEST(Matmul, TypesOfResults) {
  Random random(11);
  const auto as_it_is = [](double sum, std::int64_t, std::int64_t) { return sum; };
  const auto bytes = filled<std::int8_t, 2>({40, 70}, random),
             more = filled<std::int8_t, 2>({70, 33}, random);
  expect_ended(kr::matmul<std::int32_t>(bytes, more), bytes, more, as_it_is);
  const auto halves = filled<kr::f16, 2>({40, 70}, random),
             other = filled<kr::f16, 2>({70, 33}, random);
  expect_ended(kr::matmul<float>(halves, other), halves, other, as_it_is);
  expect_ended(kr::matmul<kr::bf16>(halves, other), halves, other,
               [](double sum, std::int64_t, std::int64_t) { return kr::bf16(float(sum)); });
  const auto small = filled<kr::f8e4m3, 2>({40, 70}, random),
             eighths = filled<kr::f8e4m3, 2>({70, 33}, random);
  static_assert(std::is_same_v<decltype(kr::matmul(small, eighths)), kr::array<float, 2>>);
  expect_ended(kr::matmul(small, eighths), small, eighths, as_it_is);
  const auto single = filled<float, 2>({40, 70}, random),
             second = filled<float, 2>({70, 33}, random);
  expect_ended(kr::matmul(single, second, kr::precision::tf32), single, second, as_it_is);
}

/// What tensor cores are given, wherever the tests run: depths in parts, of which the last may have
/// nothing; operands laid as their type needs.
template <class Elem, class Out>
void expect_parts(unsigned seed) {
  using namespace krait::detail;
  constexpr krait::host::TensorForm form{32, 32, 64, 4};
  Random random(seed);
  for (const std::int64_t depth : {1, 70, 200})
    for (const std::int64_t parts : {1, 2, 3}) {
      const auto x = filled<Elem, 2>({40, depth}, random), y = filled<Elem, 2>({depth, 70}, random);
      const kr::array<Out, 3> z(1, 40, 70);
      const auto left = krait::host::tensor_operand_of(erased(x(kr::newaxis)), false),
                 right = krait::host::tensor_operand_of(erased(y(kr::newaxis)), true);
      const auto end = [](auto sum) { return sum + Out(1); };
      try {
        with_ending<Out, Elem, Elem>(
            nullptr, 0,
            [&](const product_words& words, const product_ending& ending) {
              multiply_tensor_form(form, words.sums, left, right, erased(z), parts, ending);
            },
            end);
      } catch (const kr::error& e) {
        if (std::string(e.what()).find("bytes of shared memory requested") == std::string::npos)
          throw;
        GTEST_SKIP() << e.what();
      }
      expect_ended(kr::array<Out, 2>(z(0).copy()), x, y,
                   [](double sum, std::int64_t, std::int64_t) { return sum + 1; });
    }
}
TEST(Matmul, PartsOfTheDepth) {
  expect_parts<kr::bf16, float>(12);
  expect_parts<std::int8_t, std::int32_t>(13);
}
template <class Elem, class Out>
void expect_shared() {
  using namespace krait::detail;
  constexpr krait::host::TensorForm form{32, 32, 64, 4};
  const std::string text = tensor_kernel_text(form, scalar_of<Elem>, scalar_of<Out>).c_str();
  static const std::regex declaration(R"(: shared<(\w+), 1> = shared \{(\d+)\})");
  std::int64_t bytes = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), declaration), end; i != end; ++i)
    bytes += std::stoll((*i)[2]) * std::int64_t((*i)[1] == "i8" ? 1 : (*i)[1] == "bf16" ? 2 : 4);
  EXPECT_EQ(bytes, form.shared_bytes());
}
TEST(Matmul, FormsOfTensorCoresSayWhatTheyTake) {
  expect_shared<kr::bf16, float>();
  expect_shared<std::int8_t, std::int32_t>();
}

/// The forms, and the parts of the depth, for sizes of all kinds: as they were measured to be best
/// on an H200, of which the device's numbers are given. The hash is over 8,820 choices.
TEST(Matmul, FormsAreThoseOfAnH200) {
  using namespace krait::host;
  const auto on = [](std::int64_t shared) { return TensorDevice{shared, 132, 2e6}; };
  const auto choice = [&](scalar factor, const ProductSize& size, std::int64_t shared) {
    const TensorChoice made = choose_form(factor, size, on(shared));
    return std::array<std::int64_t, 2>{made.form - tensor_forms(factor).data(), made.parts};
  };
  constexpr std::int64_t whole = 232448, vulkan = 49152;
  using chosen = std::array<std::int64_t, 2>;
  EXPECT_EQ(choice(scalar::bf16, {1, 4096, 4096, 64}, whole), (chosen{0, 1}));
  EXPECT_EQ(choice(scalar::bf16, {1, 512, 512, 256}, whole), (chosen{1, 8}));
  EXPECT_EQ(choice(scalar::bf16, {1, 4096, 4096, 64}, vulkan), (chosen{4, 1}));
  EXPECT_EQ(choice(scalar::f64, {1, 4096, 4096, 256}, whole), (chosen{0, 1}));
  std::uint64_t hash = 1469598103934665603u;
  for (const std::int64_t shared : {49152, 101376, 166912, 232448})
    for (const std::int64_t batch : {1, 3, 64})
      for (const std::int64_t m : {16, 64, 200, 512, 1024, 4096, 16384})
        for (const std::int64_t n : {16, 64, 200, 512, 1024, 4096, 16384})
          for (const std::int64_t steps : {1, 16, 64, 256, 2048})
            for (const scalar factor : {scalar::bf16, scalar::f32, scalar::f64})
              for (const std::int64_t x : choice(factor, {batch, m, n, steps}, shared))
                hash = (hash ^ std::uint64_t(x)) * 1099511628211u;
  EXPECT_EQ(hash, 0x41290ccd1a133df4u);
}
/// An H200 tells its multiprocessors and a bandwidth of 4.8 to 4.92 TB/s, other devices nothing.
TEST(Matmul, NumbersOfADevice) {
  const auto expect = [](std::int64_t multiprocessors, double bytes, std::int64_t wanted,
                         double rate) {
    const auto on = krait::host::tensor_device(49152, multiprocessors, bytes);
    EXPECT_EQ(on.multiprocessors, wanted);
    EXPECT_EQ(on.bytes_per_microsecond, rate);
  };
  expect(132, 4.8e12, 132, 2e6);
  expect(132, 4.917e12, 132, 2e6);
  expect(108, 2.04e12, 108, 0.9e6);
  expect(0, 0, 132, 2e6);
}

/// A result in the middle of an array, which may begin inside a pack.
TEST(Matmul, IntoAPartOfAnArray) {
  Random random(16);
  const auto x = filled<float, 3>({2, 130, 24}, random), y = filled<float, 3>({2, 24, 132}, random);
  const kr::array<float> memory(4 + 2 * 130 * 132);
  for (const std::int64_t from : {1, 4}) {
    using namespace krait::detail;
    layout at = dense(kr::shape<3>(2, 130, 132).extents, 3, false);
    at.offset = from;
    const kr::array<float, 3> z(krait::detail::view_at(at, memory));
    const any_array left = erased(x), right = erased(y), out = erased(z);
    const product_ending alone;
    krait::host::multiply_in_registers({left, right, out, scalar::f32, alone}, 4, 4);
    expect_product(z, x, y);
  }
}

/// The large tiles are made by C++ loops that unroll: Krait's own, of which a user hears nothing.
TEST(Matmul, HintsAtNoLineOfItsOwn) {
  testing::internal::CaptureStderr();
  const kr::array<float, 2> z = kr::matmul(kr::ones<float>({1408, 8}), kr::ones<float>({8, 1536}));
  EXPECT_EQ(float(z(1407, 1535)), 8.0f);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("this line was recorded as"), said.npos) << said;
}

TEST(Matmul, BadInput) {
  const auto a = kr::zeros<float>({2, 3}), b = kr::zeros<float>({2, 2});
  expect_usage(
      {"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) (size 2 is "
       "different from 3)"},
      [&] { kr::matmul(a, b); });
  expect_usage({"(size 1 is different from 3)"}, [&] { kr::matmul(a, kr::zeros<float>(1)); });
  expect_usage(
      {"matmul: operands could not be broadcast together with remapped shapes [original->remapped]: (2,2,2)->(2,newaxis,newaxis) "
       "(3,2,2)->(3,newaxis,newaxis)"},
      [&] {
        kr::matmul(kr::zeros<float>({2, 2, 2}), kr::zeros<float>({3, 2, 2}));
      });
  krait::test::expect_library_works();
}

}  // namespace
