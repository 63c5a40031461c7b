// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of tiles: small integers, whose sums are exact in every type and on every unit, of all
// types, shapes, ways to lie in memory and numbers of threads; edges; pipelines.
#include <krait/tile.h>

#include <cmath>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>
#include <krait/krait.h>

namespace kr = krait;

namespace {

template <class Type>
std::vector<Type> numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Type> x(count);
  for (Type& e : x) e = Type(float(int(random() % 5) - (std::is_unsigned_v<Type> ? 0 : 2)));
  return x;
}

/// False, and a line that says why, on a device with less shared memory than the launch needs.
template <class Launch>
bool has_run(const Launch& launch) {
  try {
    launch();
  } catch (const kr::error& e) {
    if (std::string(e.what()).find("bytes of shared memory requested") == std::string::npos) throw;
    std::printf("not run: %s\n", e.what());
    return false;
  }
  return true;
}

template <class Type>
using sums_of = typename kr::detail::sums_of<Type, Type>::type;

/// left * right + 1, rows by columns; a factor that is transposed lies in memory by columns.
template <class Type>
void expect_products(const std::vector<Type>& left, const std::vector<Type>& right,
                     const std::vector<sums_of<Type>>& got, int rows, int columns, int depth,
                     bool left_turned, bool right_turned) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 1;
      for (int k = 0; k < depth; ++k)
        sum += double(float(left[std::size_t(left_turned ? k * rows + i : i * depth + k)])) *
               double(float(right[std::size_t(right_turned ? j * depth + k : k * columns + j)]));
      ASSERT_EQ(double(got[std::size_t(i * columns + j)]), sum) << "at " << i << ", " << j;
    }
}

template <class Type, int Rows, int Columns, int Depth, int Threads, bool Left, bool Right>
void one_product(kr::precision how = kr::precision::single) {
  SCOPED_TRACE(std::string(typeid(Type).name()) + " " + std::to_string(Rows) + "x" +
               std::to_string(Columns) + "x" + std::to_string(Depth) + " of " +
               std::to_string(Threads) + " threads" + (Left ? ", left transposed" : "") +
               (Right ? ", right transposed" : ""));
  using sums = sums_of<Type>;
  static const auto multiply = kr::kernel<1, Threads>(
      [how](kr::view<const Type, 2> x, kr::view<const Type, 2> y, kr::view<sums, 2> z) {
        const auto left = [&] {
          if constexpr (Left) return kr::transpose(kr::staged(kr::load<Depth, Rows>(x, {0, 0})));
          else return kr::staged(kr::load<Rows, Depth>(x, {0, 0}));
        }();
        const auto right = [&] {
          if constexpr (Right)
            return kr::transpose(kr::staged(kr::load<Columns, Depth>(y, {0, 0})));
          else return kr::staged(kr::load<Depth, Columns>(y, {0, 0}));
        }();
        kr::store(z, {0, 0}, kr::mma(left, right, kr::tile<sums, Rows, Columns>(sums(1)), how));
      });
  const auto x = numbers<Type>(Rows * Depth, 1), y = numbers<Type>(Depth * Columns, 2);
  kr::array<Type, 2> a(Left ? Depth : Rows, Left ? Rows : Depth),
      b(Right ? Columns : Depth, Right ? Depth : Columns);
  kr::array<sums, 2> c(Rows, Columns);
  a.copy_from(x), b.copy_from(y);
  if (!has_run([&] { multiply(a, b, c); })) return;
  expect_products(x, y, c.to_host(), Rows, Columns, Depth, Left, Right);
}

template <class Type, int Rows, int Columns, int Depth, int Threads>
void all_ways(kr::precision how = kr::precision::single) {
  one_product<Type, Rows, Columns, Depth, Threads, false, false>(how);
  one_product<Type, Rows, Columns, Depth, Threads, false, true>(how);
  one_product<Type, Rows, Columns, Depth, Threads, true, false>(how);
  one_product<Type, Rows, Columns, Depth, Threads, true, true>(how);
}

/// The left factor is a tile that the threads hold.
template <class Type, int Rows, int Columns, int Depth, int Threads>
void of_held_tile() {
  SCOPED_TRACE(std::string(typeid(Type).name()) + " " + std::to_string(Rows) + "x" +
               std::to_string(Columns) + "x" + std::to_string(Depth) + " of " +
               std::to_string(Threads) + " threads");
  using sums = sums_of<Type>;
  static const auto multiply = kr::kernel<1, Threads>(
      [](kr::view<const Type, 2> x, kr::view<const Type, 2> y, kr::view<sums, 2> z) {
        const kr::tile<Type, Rows, Depth> left = kr::load<Rows, Depth>(x, {0, 0});
        kr::store(z, {0, 0},
                  kr::mma(left, kr::load<Depth, Columns>(y, {0, 0}),
                          kr::tile<sums, Rows, Columns>(sums(1))));
      });
  const auto x = numbers<Type>(Rows * Depth, 1), y = numbers<Type>(Depth * Columns, 2);
  kr::array<Type, 2> a(Rows, Depth), b(Depth, Columns);
  kr::array<sums, 2> c(Rows, Columns);
  a.copy_from(x), b.copy_from(y);
  if (!has_run([&] { multiply(a, b, c); })) return;
  expect_products(x, y, c.to_host(), Rows, Columns, Depth, false, false);
}

// Rows of one warp, which stay in registers where tensor cores take them there, and of two; other
// types.
TEST(Products, OfTilesThatThreadsHold) {
  of_held_tile<kr::f16, 64, 64, 64, 128>();
  of_held_tile<kr::bf16, 128, 64, 32, 256>();
  of_held_tile<kr::f16, 128, 32, 48, 128>();
  of_held_tile<kr::f16, 16, 24, 16, 32>();
  of_held_tile<kr::bf16, 32, 32, 32, 64>();
  of_held_tile<kr::f16, 16, 32, 32, 64>();
  of_held_tile<double, 32, 16, 8, 64>();
  of_held_tile<std::int8_t, 64, 32, 64, 128>();
}

// Of shapes that are a warpgroup's and that are not, with strips that are full and that are not.
TEST(Products, OfHalves) { all_ways<kr::f16, 64, 64, 64, 128>(); }
TEST(Products, OfBf16) {
  all_ways<kr::bf16, 128, 64, 32, 256>();
  all_ways<kr::bf16, 64, 128, 16, 256>();
  all_ways<kr::bf16, 32, 32, 64, 64>();
}
TEST(Products, OfFloats) {
  all_ways<float, 32, 16, 16, 64>();
  all_ways<float, 64, 32, 32, 128>(kr::precision::tf32);
}
TEST(Products, OfDoubles) { all_ways<double, 32, 16, 8, 64>(); }
TEST(Products, OfFloatsOf8Bits) { all_ways<kr::f8e4m3, 64, 32, 64, 128>(); }
TEST(Products, OfIntegersOf8Bits) { all_ways<std::int8_t, 64, 32, 64, 128>(); }
/// Of one warp, in little shared memory.
TEST(Products, OfSmallTiles) {
  all_ways<kr::f16, 16, 24, 16, 32>();
  all_ways<kr::f8e5m2, 16, 16, 32, 32>();
  all_ways<std::uint8_t, 16, 16, 32, 32>();
}

/// A matrix of any size in blocks of 32 by 32.
template <class Type, int Slots>
void expect_matrix(std::int64_t m, std::int64_t n, std::int64_t depth) {
  SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(depth));
  static const auto multiply = kr::kernel(
      [](kr::view<const Type, 2> x, kr::view<const Type, 2> y, kr::view<float, 2> z) {
        const auto i = kr::block_idx().y * 32, j = kr::block_idx().x * 32;
        kr::tile<float, 32, 32> sum(1.0f);
        kr::pipelined<Slots>((x.extent(1) + 31) / 32,
                             [&](auto step) {
                               return std::tuple(kr::load<32, 32>(x, {i, step * 32}),
                                                 kr::load<32, 32>(y, {step * 32, j}));
                             },
                             [&](auto, const auto& a, const auto& b) { sum = kr::mma(a, b, sum); });
        kr::store(z, {i, j}, sum);
      },
      {.block = 64});
  const auto x = numbers<Type>(std::size_t(m * depth), 3),
             y = numbers<Type>(std::size_t(depth * n), 4);
  kr::array<Type, 2> a(m, depth), b(depth, n);
  kr::array<float, 2> c(m, n);
  a.copy_from(x), b.copy_from(y);
  if (!has_run([&] { multiply.launch({kr::dims((n + 31) / 32, (m + 31) / 32), 64}, a, b, c); }))
    return;
  expect_products(x, y, c.to_host(), int(m), int(n), int(depth), false, false);
}
TEST(Products, PipelinesAndEdges) {
  expect_matrix<kr::bf16, 4>(128, 64, 160);
  expect_matrix<kr::bf16, 3>(70, 72, 40);
  expect_matrix<kr::f16, 2>(33, 65, 31);
  expect_matrix<kr::bf16, 3>(1, 1, 1);
  expect_matrix<kr::bf16, 3>(64, 64, 0);
}

// What a program promises of tiles changes what is tested, not what is loaded.
TEST(Products, PromisesChangeNothing) {
  static const auto multiply =
      kr::kernel<1, 128>([](kr::view<const kr::bf16, 2> x, kr::view<float, 3> z) {
        const auto with = [&](std::int64_t n, kr::edges how) {
          kr::tile<float, 64, 64> sum;
          for (auto step : kr::range(x.extent(1) / 64)) {
            const auto k = step * 64;
            sum = kr::mma(kr::load<64, 64>(x, {64, k}, how),
                          kr::transpose(kr::staged(kr::load<64, 64>(x, {0, k}, how))), sum);
          }
          kr::store(z, {n, 0, 0}, sum);
        };
        with(0, kr::edges::masked);
        with(1, kr::edges::unmasked);
        with(2, kr::edges::pieces);
      });
  std::vector<kr::bf16> x(128 * 192);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = kr::bf16(float(int(i * 2654435761u >> 9 & 15) - 8));
  kr::array<kr::bf16, 2> a(128, 192);
  kr::array<float, 3> c(3, 64, 64);
  a.copy_from(x);
  if (!has_run([&] { multiply(a, c); })) return;
  const std::vector<float> got = c.to_host();
  constexpr std::size_t size = 64 * 64;
  EXPECT_EQ(std::vector(got.begin(), got.begin() + size),
            std::vector(got.begin() + size, got.begin() + 2 * size));
  EXPECT_EQ(std::vector(got.begin(), got.begin() + size),
            std::vector(got.begin() + 2 * size, got.end()));
  float sum = 0;
  for (std::size_t k = 0; k < 192; ++k) sum += float(x[64 * 192 + k]) * float(x[192 + k]);
  EXPECT_EQ(got[1], sum);
}

/// Normal numbers, against sums in f64: docs/tiles.md has the bound.
template <class Type>
void expect_bound(double of_factors, kr::precision how) {
  constexpr int rows = 64, columns = 64, depth = 64;
  static const auto multiply = kr::kernel<1, 128>(
      [how](kr::view<const Type, 2> x, kr::view<const Type, 2> y, kr::view<float, 2> z) {
        kr::store(
            z, {0, 0},
            kr::mma(kr::load<rows, depth>(x, {0, 0}), kr::load<depth, columns>(y, {0, 0}), how));
      });
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  std::vector<Type> x(rows * depth), y(depth * columns);
  for (Type& e : x) e = Type(normal(random));
  for (Type& e : y) e = Type(normal(random));
  kr::array<Type, 2> a(rows, depth), b(depth, columns);
  kr::array<float, 2> c(rows, columns);
  a.copy_from(x), b.copy_from(y);
  if (!has_run([&] { multiply(a, b, c); })) return;
  const std::vector<float> got = c.to_host();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      double sum = 0, size = 0;
      for (int k = 0; k < depth; ++k) {
        const double product = double(float(x[std::size_t(i * depth + k)])) *
                               double(float(y[std::size_t(k * columns + j)]));
        sum += product, size += std::abs(product);
      }
      ASSERT_LE(std::abs(double(got[std::size_t(i * columns + j)]) - sum),
                (depth * std::ldexp(1.0, -22) + of_factors) * size);
    }
}
TEST(Products, StayWithinTheirBound) {
  expect_bound<kr::f16>(0, kr::precision::single);
  expect_bound<kr::bf16>(0, kr::precision::single);
  expect_bound<float>(0, kr::precision::single);
  expect_bound<float>(std::ldexp(1.0, -8), kr::precision::tf32);
}

}  // namespace
