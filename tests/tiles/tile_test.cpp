// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of tiles: memory with edges, arithmetic with tiles of one row or column, reductions,
// scans, transposes, the way to single threads and back; what is refused.
#include <krait/tile.h>

#include <cmath>

#include <gtest/gtest.h>
#include <krait/krait.h>

namespace kr = krait;

namespace {

template <int Threads, class Body>
std::vector<float> run(const Body& body, std::int64_t rows, std::int64_t columns,
                       std::int64_t out_rows, std::int64_t out_columns) {
  const auto kernel =
      kr::kernel<1, Threads>([&](kr::view<const float, 2> x, kr::view<float, 2> y) { body(x, y); });
  std::vector<float> h(std::size_t(rows * columns));
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = float(i % 7) + float(i / 7 % 5) * 8;
  kr::array<float, 2> a(rows, columns), b(out_rows, out_columns);
  a.copy_from(h);
  b.copy_from(std::vector<float>(std::size_t(out_rows * out_columns), -1.0f));
  kernel(a, b);
  return b.to_host();
}
float number_at(std::int64_t i, std::int64_t columns, std::int64_t row) {
  const std::int64_t n = row * columns + i;
  return float(n % 7) + float(n / 7 % 5) * 8;
}

TEST(Tiles, ElementsWithRowsAndColumns) {
  const auto y = run<64>(
      [](auto x, auto out) {
        const kr::tile<float, 32, 16> t = kr::load<32, 16>(x, {0, 0});
        const kr::tile<float, 1, 16> row = kr::load<1, 16>(x, {1, 0});
        const kr::tile<float, 32, 1> column = kr::load<32, 1>(x, {0, 2});
        auto all = (t * 2.0f + row - column) + kr::rows<32>() * 100 + kr::columns<16>();
        all = kr::where(t > row, all, kr::sqrt(t));
        all += 1.0f;
        kr::store(out, {0, 0}, all);
      },
      32, 16, 32, 16);
  for (std::int64_t i = 0; i < 32; ++i)
    for (std::int64_t j = 0; j < 16; ++j) {
      const float t = number_at(j, 16, i), row = number_at(j, 16, 1), column = number_at(2, 16, i);
      const float all = t > row ? t * 2 + row - column + float(i * 100) + float(j) : std::sqrt(t);
      EXPECT_EQ(y[std::size_t(i * 16 + j)], all + 1) << i << ", " << j;
    }
}

TEST(Tiles, EdgesAndPlaces) {
  const auto y = run<32>(
      [](auto x, auto out) {
        const kr::tile<float, 16, 8> t = kr::load<16, 8>(x, {-3, 4});
        kr::store(out, {-2, 3}, t);
      },
      11, 9, 12, 10);
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t j = 0; j < 10; ++j) {
      const std::int64_t row = i + 2 - 3, column = j - 3 + 4;  // of what was loaded there
      const bool stored = i + 2 < 16 && j >= 3 && j - 3 < 8,
                 there = row >= 0 && row < 11 && column < 9;
      EXPECT_EQ(y[std::size_t(i * 10 + j)], !stored ? -1
                                            : there ? number_at(column, 9, row)
                                                    : 0)
          << i << ", " << j;
    }
}

/// Lanes of a warp add up rows: OpenCL, where Krait uses no sub-groups, refuses that.
template <class Call>
bool is_refused_on_opencl(const Call& call) {
  if (std::string(kr::device().id()).rfind("opencl", 0) != 0) return false;
  try {
    call();
    ADD_FAILURE() << "nothing was refused";
  } catch (const kr::error& e) {
    EXPECT_NE(std::string(e.what()).find("an operation of a warp needs sub-groups"),
              std::string::npos)
        << e.what();
  }
  return true;
}

template <int Threads, int Rows, int Columns>
void reductions() {
  const auto y = run<Threads>(
      [](auto x, auto out) {
        const kr::tile<float, Rows, Columns> t = kr::load<Rows, Columns>(x, {0, 0});
        kr::store(out, {0, 0}, kr::sum<1>(t));
        kr::store(out, {0, 1}, kr::max<0>(t));
        kr::store(out, {1, 1}, kr::min<0>(kr::sum<1>(t)));
        kr::store(out, {2, 1}, kr::sum<1>(kr::max<0>(t)));
        kr::tile<float, Rows, Columns> rest = t - kr::max<1>(t) + kr::sum<0>(t);
        kr::store(out, {3, 1}, kr::max<1>(kr::max<0>(rest)));
      },
      Rows, Columns, Rows, Columns + 1);
  float least = 1e9f, sum_of_most = 0, most_rest = -1e9f;
  std::vector<float> sums(Columns, 0.0f);
  for (int j = 0; j < Columns; ++j) {
    float most = 0;
    for (int i = 0; i < Rows; ++i)
      most = std::max(most, number_at(j, Columns, i)),
      sums[std::size_t(j)] += number_at(j, Columns, i);
    EXPECT_EQ(y[std::size_t(j + 1)], most) << j;
    sum_of_most += most;
  }
  for (int i = 0; i < Rows; ++i) {
    float sum = 0, most = 0;
    for (int j = 0; j < Columns; ++j)
      sum += number_at(j, Columns, i), most = std::max(most, number_at(j, Columns, i));
    EXPECT_EQ(y[std::size_t(i * (Columns + 1))], sum) << i;
    least = std::min(least, sum);
    for (int j = 0; j < Columns; ++j)
      most_rest = std::max(most_rest, number_at(j, Columns, i) - most + sums[std::size_t(j)]);
  }
  EXPECT_EQ(y[Columns + 1 + 1], least);
  EXPECT_EQ(y[2 * (Columns + 1) + 1], sum_of_most);
  EXPECT_EQ(y[3 * (Columns + 1) + 1], most_rest);
}
TEST(Tiles, ReductionsAlongAxes) {
  if (is_refused_on_opencl([] { reductions<64, 32, 16>(); })) return;
  reductions<64, 32, 16>();
  reductions<128, 16, 64>();
  reductions<32, 64, 8>();
}

TEST(Tiles, ScansAndTransposes) {
  const auto y = run<64>(
      [](auto x, auto out) {
        const kr::tile<float, 32, 16> t = kr::load<32, 16>(x, {0, 0});
        const auto add = [](auto a, auto b) { return a + b; };
        kr::store(out, {0, 0}, kr::scan<1>(t, add));
        kr::store(out, {0, 16}, kr::transpose(kr::scan<0>(t, add)));
      },
      32, 16, 32, 48);
  std::vector<float> down(16, 0.0f);
  for (std::int64_t i = 0; i < 32; ++i) {
    float along = 0;
    for (std::int64_t j = 0; j < 16; ++j) {
      along += number_at(j, 16, i), down[std::size_t(j)] += number_at(j, 16, i);
      EXPECT_EQ(y[std::size_t(i * 48 + j)], along) << i << ", " << j;
      EXPECT_EQ(y[std::size_t(j * 48 + 16 + i)], down[std::size_t(j)]) << i << ", " << j;
    }
  }
}

TEST(Tiles, ThreadsAndBack) {
  const auto y = run<32>(
      [](auto x, auto out) {
        auto own = kr::shared<float, 16, 16>();
        kr::store(own, {0, 0}, kr::tile<float, 16, 16>(kr::load<16, 16>(x, {0, 0})));
        kr::syncthreads();
        const auto t = kr::thread_idx().x;
        kr::if_(t < 16, [&] { own(t, t) = -own(t, t); });
        kr::syncthreads();
        kr::store(out, {0, 0}, kr::tile<float, 16, 16>(kr::load<16, 16>(own, {0, 0})));
      },
      16, 16, 16, 16);
  for (std::int64_t i = 0; i < 16; ++i)
    for (std::int64_t j = 0; j < 16; ++j)
      EXPECT_EQ(y[std::size_t(i * 16 + j)], number_at(j, 16, i) * (i == j ? -1 : 1));
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const kr::error& e) {
    return e.what();
  }
  return "";
}

TEST(Tiles, MisuseIsRefused) {
  kr::array<float, 2> x(64, 64);
  const auto chosen = kr::kernel(
      [](kr::view<float, 2> v) {
        kr::store(v, {0, 0}, kr::tile<float, 16, 16>());
      },
      {.name = "chosen"});
  EXPECT_NE(
      message_of([&] {
        chosen.launch({1, 32}, x);
      }).find("tiles need a block whose size is fixed: kr::kernel<grid, block>(…), or kr::kernel(…, {.block = 128})"),
      std::string::npos);
  const auto odd = kr::kernel<1, 96>(
      [](kr::view<float, 2> v) {
        kr::store(v, {0, 0}, kr::tile<float, 16, 16>());
      },
      {.name = "odd"});
  EXPECT_NE(
      message_of([&] {
        odd(x);
      }).find("96 threads cannot hold a product of 16 rows and 16 columns: use 32 times a power of two; warps share the rows in sixteens, then the columns in eights"),
      std::string::npos);
  const auto index =
      kr::kernel<1, 32>([](kr::view<float, 2> v) { kr::store(v, {0}, kr::tile<float, 16, 16>()); },
                        {.name = "index"});
  EXPECT_NE(message_of([&] {
              index(x);
            }).find("a tile's place must have one index for each dimension of its view"),
            std::string::npos);
  const auto fixed = kr::kernel(
      [](kr::view<float, 2> v) {
        kr::store(v, {0, 0}, kr::tile<float, 16, 16>());
      },
      {.name = "fixed", .block = 32});
  EXPECT_NE(
      message_of([&] {
        fixed.launch({1, 64}, x);
      }).find("): the kernel is made for blocks of 32 x 1 x 1 threads: launch it with a grid and this block"),
      std::string::npos);
}

}  // namespace
