// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose blocks each walk through a chunk of their own: a warp a block as vectors, and one
// thread a block as scalar code, against loops of C++. Chunks may be empty, end within a trip, or
// be more than the elements.
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "../../tools/bench/chunk_kernels.h"
#include "expect.h"

namespace {

const std::int64_t sizes[] = {1, 31, 32, 33, 1000, 4099, 70001};
const int counts[] = {1, 2, 7, 64};

template <class T>
std::vector<T> some(std::int64_t n) {
  std::mt19937_64 random{std::uint64_t(n)};
  std::vector<T> x(std::size_t(n), T(0));
  for (T& e : x) e = T(random() >> 44);  // sums of these are exact
  return x;
}
template <class T>
std::vector<T> host(const kr::array<T>& a) {
  std::vector<T> out(std::size_t(a.size()));
  a.copy_to(out);
  return out;
}

template <class T, kr::combine how>
void check_sums(const auto& combine) {
  const kr::device cpu = kr::device::cpu();
  for (const std::int64_t n : sizes)
    for (const int count : counts) {
      const std::vector<T> x = some<T>(n);
      std::vector<T> sums(x);
      for (std::size_t i = 1; i < sums.size(); ++i) sums[i] = combine(sums[i - 1], x[i]);
      const auto on = kr::to_device(x, cpu);
      kr::array<T> total(kr::shape<1>(1), cpu), out(kr::shape<1>(n), cpu);
      bench::ChunkReduce<T, how>{cpu, count}(on, total);
      EXPECT_EQ(host(total)[0], sums.back()) << n << " in " << count;
      bench::ChunkScan<T, how>{cpu, count}(on, out);
      EXPECT_EQ(host(out), sums) << n << " in " << count;
    }
}
TEST(Chunks, SumsOfFloats) {
  check_sums<double, kr::combine::add>([](double a, double b) { return a + b; });
}
TEST(Chunks, SumsOfIntegers) {
  check_sums<std::uint32_t, kr::combine::add>(
      [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
TEST(Chunks, Smallest) {
  check_sums<float, kr::combine::min>([](float a, float b) { return std::min(a, b); });
}
TEST(Chunks, Largest) {
  check_sums<std::int64_t, kr::combine::max>(
      [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

TEST(Chunks, Histogram) {
  const kr::device cpu = kr::device::cpu();
  auto counted = bench::chunks::make_histogram<std::uint32_t, 61>(
      [](const auto& x) { return kr::cast<int>(x % 61u); });
  for (const std::int64_t n : sizes)
    for (const int count : counts) {
      const std::vector<std::uint32_t> x = some<std::uint32_t>(n);
      std::vector<unsigned> expected(61, 5u);
      for (const std::uint32_t e : x) ++expected[e % 61];
      auto bins = kr::to_device(std::vector<unsigned>(61, 5u), cpu);
      counted.launch({count, 1}, kr::to_device(x, cpu), bins);
      EXPECT_EQ(host(bins), expected) << n << " in " << count;
    }
}

template <class T>
void check_sort() {
  const kr::device cpu = kr::device::cpu();
  for (const bool streams : {false, true})
    for (const std::int64_t n : sizes)
      for (const int count : counts) {
        std::mt19937_64 random{std::uint64_t(n)};
        std::vector<T> keys(std::size_t(n), T(0));
        for (T& k : keys) k = T(random() & random());  // with many equal digits
        const auto on = kr::to_device(keys, cpu);
        kr::array<T> out(kr::shape<1>(n), cpu);
        bench::ChunkSort<T>{n, cpu, count, streams}(on, out);
        std::sort(keys.begin(), keys.end());
        EXPECT_EQ(host(out), keys) << n << " in " << count;
      }
}
TEST(Chunks, SortU16) { check_sort<std::uint16_t>(); }
TEST(Chunks, SortU32) { check_sort<std::uint32_t>(); }
TEST(Chunks, SortU64) { check_sort<std::uint64_t>(); }

/// All that a block of one thread can do: positions, branches, loops that are left, a shared array
/// and a barrier, calls, atomics.
TEST(Chunks, OneThread) {
  auto twice = kr::function([](kr::value<int> x) { return x * 2; });
  auto kernel = kr::kernel([&](kr::view<const int> x, kr::view<int> out, kr::view<int> sum) {
    auto b = kr::cast<int>(kr::block_idx().x);
    auto kept = kr::shared<int, 4>();
    auto own = kr::local<int, 8>();
    kr::var found = -1;
    for (auto i : kr::range(kr::cast<int>(x.size()))) {
      own[i & 7] += x[i];
      kr::if_(x[i] == b, [&] {
        found = i;
        kr::break_();
      });
    }
    kept[b & 3] = twice(found) + kr::cast<int>(kr::thread_idx().x);
    kr::syncthreads();
    kr::if_(found < 0, [&] {
      kr::store_streaming(out[b], -7);
      kr::return_();
    });
    kr::atomic(sum[0]).add(1, kr::order::release);
    kr::store_streaming(out[b], kept[b & 3] + own[found & 7]);
  });
  std::vector<int> x(40), out(50, 0), sum(1, 0), expected(50, -7);
  for (int i = 0; i < 40; ++i) x[std::size_t(i)] = i * 11 % 40;
  for (int i = 0; i < 40; ++i) {
    int own = 0;
    for (int k = i & 7; k <= i; k += 8) own += x[std::size_t(k)];
    expected[std::size_t(x[std::size_t(i)])] = 2 * i + own;
  }
  kernel.launch({50, 1}, x, out, sum);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(sum[0], 40);
}

/// Rows of different lengths, thread by thread, some empty.
TEST(Chunks, RowsOfDifferentLengths) {
  auto kernel = kr::kernel([](kr::view<const int> start, kr::view<const int> column,
                              kr::view<const int> x, kr::view<int> y) {
    auto row = kr::grid();
    kr::if_(row < y.size(), [&] {
      kr::var sum = 0;
      for (auto k : kr::range(start[row], start[row + 1])) sum += (k + 1) * x[column[k]];
      y[row] = sum;
    });
  });
  const int rows = 1237;
  std::vector<int> start(rows + 1, 0), x(97), y(rows, -1), expected(rows, 0), column;
  std::iota(x.begin(), x.end(), 3);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < r * 7 % 23; ++k) {
      column.push_back((r * 31 + k * 17) % 97);
      expected[std::size_t(r)] += int(column.size()) * x[std::size_t(column.back())];
    }
    start[std::size_t(r) + 1] = int(column.size());
  }
  kernel.forall(rows)(start, column, x, y);
  EXPECT_EQ(y, expected);
}

}  // namespace
