// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise functions of arrays of two and three dimensions, some of which have one row, one
// column or one element for all: against loops, for rows shorter and longer than vectors.
#include "expect.h"

namespace {

template <class T>
kr::array<T, 2> filled(std::int64_t rows, std::int64_t columns, int seed) {
  std::vector<T> x(std::size_t(rows * columns), T(0));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = T(int(i * 37 + std::size_t(seed) * 11) % 101 - 50);
  kr::array<T, 2> a({rows, columns}, kr::device::cpu());
  a.copy_from(x);
  return a;
}
template <class T>
std::vector<T> elements(const kr::array<T, 2>& a) {
  std::vector<T> x(std::size_t(a.size()));
  a.copy_to(x);
  return x;
}

template <class T>
void check(std::int64_t rows, std::int64_t columns) {
  auto f = kr::vectorize([](auto x, auto y, auto z) { return x + 2 * y - 3 * z; });
  for (int kind = 0; kind < 16; ++kind) {
    const std::int64_t yr = kind & 1 ? 1 : rows, yc = kind & 2 ? 1 : columns,
                       zr = kind & 4 ? 1 : rows, zc = kind & 8 ? 1 : columns;
    const auto x = filled<T>(rows, columns, 1), y = filled<T>(yr, yc, 2), z = filled<T>(zr, zc, 3);
    const std::vector<T> hx = elements(x), hy = elements(y), hz = elements(z);
    std::vector<T> expected(hx.size());
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        expected[std::size_t(r * columns + c)] =
            T(hx[std::size_t(r * columns + c)] + T(2) * hy[std::size_t(r % yr * yc + c % yc)] -
              T(3) * hz[std::size_t(r % zr * zc + c % zc)]);
    kr::array<T, 2> out({rows, columns}, kr::device::cpu());
    f.into(out)(x, y, z);
    EXPECT_EQ(elements(out), expected) << rows << " by " << columns << ", kind " << kind;
  }
}

template <class T>
void check_shapes() {
  for (const auto& [rows, columns] : {std::pair<int, int>{1, 1},
                                      {3, 1},
                                      {1, 300},
                                      {50, 7},
                                      {40, 16},
                                      {33, 31},
                                      {17, 65},
                                      {9, 1000}})
    check<T>(rows, columns);
}
TEST(Broadcast, Floats) { check_shapes<float>(); }
TEST(Broadcast, Doubles) { check_shapes<double>(); }
TEST(Broadcast, Integers) { check_shapes<int>(); }

/// Rows of the user's own, of a length that is no extent and need not fit 32 bits.
TEST(Broadcast, OwnRows) {
  auto kernel =
      kr::kernel([](kr::view<const int> x, kr::view<int> out, kr::value<std::int64_t> width) {
        for (auto i : kr::grid_stride(out.size()))
          out[i] = kr::cast<int>(i / width * 1000) + x[i % width];
      });
  std::vector<int> x(5000);
  for (int i = 0; i < 5000; ++i) x[std::size_t(i)] = i * 7 % 1009;
  for (const std::int64_t width :
       {std::int64_t(1), std::int64_t(5), std::int64_t(32), std::int64_t(333), std::int64_t(5000),
        (std::int64_t(1) << 32) + 5}) {
    std::vector<int> out(4999, -1), expected(4999);
    for (int i = 0; i < 4999; ++i)
      expected[std::size_t(i)] = int(i / width * 1000) + x[std::size_t(i % width)];
    kernel.launch({3, 64}, x, out, width);
    EXPECT_EQ(out, expected) << width;
  }
}

}  // namespace
