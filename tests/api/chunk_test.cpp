// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of scalar code, as a CPU runs it: blocks of one thread, and rows of different lengths,
// against loops of C++. Sums, scans and sorts by chunks are the library's (tests/arrays).
#include <numeric>
#include <vector>

#include "expect.h"

namespace {

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
