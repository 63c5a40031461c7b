// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels: every form of a launch, positions, arguments, launch sizes.
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

using krait::test::expect_error;
using krait::test::expect_library_works;
using krait::test::expect_usage;

namespace {

auto saxpy = kr::kernel([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
  for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
});

struct SaxpyData {
  std::vector<float> x, y, expected;
  explicit SaxpyData(std::size_t n) : x(n), y(n), expected(n) {
    for (std::size_t i = 0; i < n; ++i)
      x[i] = float(i % 100), y[i] = float(i % 7), expected[i] = 2.0f * x[i] + y[i];
  }
};

TEST(Kernel, EveryFormOfALaunch) {
  const auto expect = [](const char* form, auto&& launch) {
    SaxpyData d(5003);
    launch(d);
    EXPECT_EQ(d.y, d.expected) << form;
  };
  expect("launch", [](SaxpyData& d) { saxpy.launch({30, 128}, 2.0f, d.x, d.y); });
  expect("subscript", [](SaxpyData& d) { saxpy[{30, 128}](2.0f, d.x, d.y); });
  expect("one thread", [](SaxpyData& d) { saxpy.launch({1, 1}, 2.0f, d.x, d.y); });
  expect("forall", [](SaxpyData& d) { saxpy.forall(std::int64_t(d.y.size()))(2.0f, d.x, d.y); });
  expect("forall of one", [](SaxpyData& d) { saxpy.forall(1)(2.0f, d.x, d.y); });
  expect("dims", [](SaxpyData& d) {
    saxpy.launch({kr::dims{3}, kr::dims{8, 1, 1}}, 2.0f, d.x, d.y);
  });
  expect("stream", [](SaxpyData& d) {
    kr::stream s;
    saxpy.launch({30, 128, s}, 2.0f, d.x, d.y);
  });
  expect("forall in a stream", [](SaxpyData& d) {
    kr::stream s;
    saxpy.forall(5003, s)(2.0f, d.x, d.y);
  });
  auto fixed =
      kr::kernel<30, 128>([](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      });
  expect("template arguments", [&](SaxpyData& d) { fixed(2.0f, d.x, d.y); });
  auto generic = kr::kernel([](auto a, auto x, auto y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  expect("auto", [&](SaxpyData& d) { generic.launch({4, 32}, 2.0f, d.x, d.y); });
  auto named = kr::kernel(
      [](kr::value<float> a, kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
      },
      {.name = "saxpy", .fp = kr::fp::reproducible});
  expect("named", [&](SaxpyData& d) { named.forall(100)(2.0f, d.x, d.y); });
  EXPECT_NE(std::string(named.ir()).find("@saxpy"), std::string::npos);
}

TEST(Kernel, NumbersConvertToTheParametersType) {
  SaxpyData d(10);
  saxpy.launch({1, 32}, 2, d.x, d.y);  // int to value<float>
  EXPECT_EQ(d.y, d.expected);
  SaxpyData e(10);
  const double two = 2.0;
  saxpy.launch({1, 32}, two, e.x, e.y);
  EXPECT_EQ(e.y, e.expected);
}

TEST(Kernel, ContractsMandelbrot) {
  auto mandelbrot = kr::kernel(
      [](kr::view<int, 2> out, kr::value<int> limit) {
        auto [x, y] = kr::grid<2>();
        kr::if_(y < out.extent(0) && x < out.extent(1), [&] {
          auto cr = -2.0f + 3.0f * x / out.extent(1), ci = -1.0f + 2.0f * y / out.extent(0);
          kr::var zr = 0.0f, zi = 0.0f;
          kr::var k = 0;
          kr::while_([&] { return k < limit && zr * zr + zi * zi < 4.0f; },
                     [&] {
                       auto t = zr * zr - zi * zi + cr;
                       zi = 2.0f * zr * zi + ci;
                       zr = t;
                       k += 1;
                     });
          out(y, x) = k;
        });
      },
      {.fp = kr::fp::strict});
  const int rows = 37, cols = 53, limit = 50;
  kr::array<int, 2> out({rows, cols});
  mandelbrot.launch({kr::dims{4, 3}, kr::dims{16, 16}}, out, limit);
  const std::vector<int> got = out.to_host();
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < cols; ++x) {
      const float cr = -2.0f + 3.0f * float(x) / float(cols),
                  ci = -1.0f + 2.0f * float(y) / float(rows);
      float zr = 0, zi = 0;
      int k = 0;
      while (k < limit && zr * zr + zi * zi < 4.0f) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
        ++k;
      }
      ASSERT_EQ(got[std::size_t(y * cols + x)], k) << x << ", " << y;
    }
}

TEST(Kernel, PositionsInThreeDimensions) {
  auto ids = kr::kernel([](kr::view<std::int64_t, 2> out) {
    auto [x, y, z] = kr::grid<3>();
    auto size = kr::gridsize<3>();
    auto thread = kr::thread_idx(), block = kr::block_idx(), in_block = kr::block_dim(),
         blocks = kr::grid_dim();
    auto at = (z * size.y + y) * size.x + x;
    out(at, 0) = thread.x + 10 * thread.y + 100 * thread.z;
    out(at, 1) = block.x + 10 * block.y + 100 * block.z;
    out(at, 2) = in_block.x + 10 * in_block.y + 100 * in_block.z;
    out(at, 3) = blocks.x + 10 * blocks.y + 100 * blocks.z;
  });
  const std::int64_t gx = 3, gy = 2, gz = 4, bx = 5, by = 3, bz = 2, nx = gx * bx, ny = gy * by,
                     nz = gz * bz;
  kr::array<std::int64_t, 2> out(nx * ny * nz, 4);
  ids.launch({kr::dims{gx, gy, gz}, kr::dims{bx, by, bz}}, out);
  const std::vector<std::int64_t> got = out.to_host();
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t x = 0; x < nx; ++x) {
        const std::int64_t* o = &got[std::size_t(((z * ny + y) * nx + x) * 4)];
        ASSERT_EQ(o[0], x % bx + 10 * (y % by) + 100 * (z % bz));
        ASSERT_EQ(o[1], x / bx + 10 * (y / by) + 100 * (z / bz));
        ASSERT_EQ(o[2], bx + 10 * by + 100 * bz);
        ASSERT_EQ(o[3], gx + 10 * gy + 100 * gz);
      }
}

TEST(Kernel, GridStrideGoesAlongX) {
  auto count = kr::kernel([](kr::view<int> hits) {
    for (auto i : kr::grid_stride(hits.size())) kr::atomic(hits[i]).add(1);
  });
  std::vector<int> hits(1000, 0);
  count.launch({kr::dims{3, 2}, kr::dims{8, 4, 2}}, hits);  // 16 threads share each x
  EXPECT_EQ(hits, std::vector<int>(1000, 16));
}

TEST(Kernel, ForallRunsEveryThreadOnce) {
  auto count = kr::kernel([](kr::view<int> hits) {
    auto i = kr::grid<1>();
    kr::if_(i < hits.size(), [&] { kr::atomic(hits[i]).add(1); });
  });
  for (std::int64_t n : {1, 2, 31, 32, 33, 1000, 65537}) {
    std::vector<int> hits(std::size_t(n), 0);
    count.forall(n)(hits);
    EXPECT_EQ(hits, std::vector<int>(std::size_t(n), 1)) << n;
  }
}

// ---- arguments
// -------------------------------------------------------------------------------------------------
TEST(Kernel, HostContainersOfEveryKind) {
  auto increment = kr::kernel([](kr::view<int> x) {
    for (auto i : kr::grid_stride(x.size())) x[i] += 1;
  });
  std::vector<int> vector{1, 2, 3};
  std::array<int, 3> array{4, 5, 6};
  int c_array[3] = {7, 8, 9};
  std::span<int> span(vector);
  kr::array<int> device = kr::to_device(array);
  increment.forall(3)(vector);
  increment.forall(3)(array);
  increment.forall(3)(c_array);
  increment.forall(3)(span);
  increment.forall(3)(device);
  EXPECT_EQ(vector, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(array, (std::array<int, 3>{5, 6, 7}));
  EXPECT_EQ(c_array[0] + c_array[2], 18);
  EXPECT_EQ(std::vector<int>(device.to_host()), (std::vector<int>{5, 6, 7}));
}

TEST(Kernel, OnlyWrittenElementsChange) {
  auto odd = kr::kernel([](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) kr::if_(i % 2 == 1, [&] { y[i] = x[i]; });
  });
  const std::vector<int> x{10, 11, 12, 13};
  std::vector<int> y{1, 2, 3, 4};
  odd.forall(4)(x, y);
  EXPECT_EQ(y, (std::vector<int>{1, 11, 3, 13}));
  EXPECT_EQ(x, (std::vector<int>{10, 11, 12, 13}));
}

TEST(Kernel, UnusedAndEmptyArguments) {
  auto k = kr::kernel([](kr::view<const float> unused, kr::view<int> out, kr::value<double>) {
    kr::if_(kr::grid<1>() == 0, [&] { out[0] = kr::cast<int>(unused.size()); });
  });
  std::vector<int> out{-1};
  k.launch({1, 1}, std::vector<float>{}, out, 1.0);
  EXPECT_EQ(out[0], 0);
  k.launch({1, 1}, std::vector<float>{1, 2, 3}, out, 1.0);
  EXPECT_EQ(out[0], 3);
  auto nothing = kr::kernel([] {});
  nothing.launch({2, 32});
}

TEST(Kernel, SeveralRanks) {
  auto transpose = kr::kernel([](kr::view<const float, 2> in, kr::view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x < in.extent(1) && y < in.extent(0), [&] { out(x, y) = in(y, x); });
  });
  kr::array<float, 2> in(3, 5), out(5, 3);
  std::vector<float> h(15);
  for (std::size_t i = 0; i < 15; ++i) h[i] = float(i);
  in.copy_from(h);
  transpose.launch({kr::dims{1, 1}, kr::dims{8, 8}}, in, out);
  const std::vector<float> got = out.to_host();
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_EQ(got[std::size_t(x * 3 + y)], h[std::size_t(y * 5 + x)]);

  auto sum4 = kr::kernel([](kr::view<const int, 4> a, kr::view<int> total) {
    kr::if_(kr::grid<1>() == 0, [&] {
      kr::var s = 0;
      for (auto i : kr::range(a.extent(0)))
        for (auto j : kr::range(a.extent(1)))
          for (auto k : kr::range(a.extent(2)))
            for (auto l : kr::range(a.extent(3)))
              s += a(i, j, k, l) * kr::cast<int>(1 + i + 10 * j + 100 * k + 1000 * l);
      total[0] = s;
    });
  });
  kr::array<int, 4> four(2, 3, 2, 2);
  std::vector<int> ones(24, 1), total(1);
  four.copy_from(ones);
  sum4.launch({1, 1}, four, total);
  int expected = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l) expected += 1 + i + 10 * j + 100 * k + 1000 * l;
  EXPECT_EQ(total[0], expected);
}

TEST(Kernel, ViewsMayOverlap) {
  auto copy_plus_one = kr::kernel([](kr::view<const int> x, kr::view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] + 1;
  });
  std::vector<int> v(1000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = int(i);
  const std::span<const int> whole(v);
  copy_plus_one.forall(1000)(whole, v);  // the same elements: right
  for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], int(i) + 1);
  // Shifted: threads race, so elements are unspecified; nothing else is touched.
  const std::span<const int> source(v.data(), 990);
  std::span<int> target(v.data() + 5, 990);
  copy_plus_one.forall(990)(source, target);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(v[i], int(i) + 1);
  for (std::size_t i = 995; i < 1000; ++i) EXPECT_EQ(v[i], int(i) + 1);
}

// ---- launch sizes
// -------------------------------------------------------------------------------------------------
auto mark = kr::kernel([](kr::view<int> out) { out[0] = 1; }, {.name = "mark"});

TEST(Kernel, BlocksOfNoThreadsAreRefused) {
  std::vector<int> out{0};
  expect_usage(
      {"kernel mark{}: the block 0 x 1 x 1 has no threads: it needs at least 1 in each dimension"},
      [&] {
        mark.launch({32, 0}, out);
      });
  expect_usage({"mark", "the block 1 x 0 x 1 has no threads"}, [&] {
    mark.launch({1, kr::dims{1, 0, 1}}, out);
  });
  expect_usage({"mark", "has no threads"}, [&] { mark.launch({0, 0}, out); });
}

TEST(Kernel, ZeroSizesRunNothing) {
  std::vector<int> out{0};
  mark.forall(0)(out);
  mark.launch({0, 32}, out);
  mark.launch({kr::dims{1, 0, 1}, kr::dims{1, 1, 1}}, out);
  EXPECT_EQ(out[0], 0);
  mark.launch({1, 1}, out);
  EXPECT_EQ(out[0], 1);
}

TEST(Kernel, NegativeAndHugeSizesAreRefused) {
  std::vector<int> out{0};
  expect_usage({"mark", "negative"}, [&] { mark.launch({-1, 32}, out); });
  expect_usage({"mark", "negative"}, [&] { mark.launch({1, kr::dims{32, -2}}, out); });
  expect_usage({"mark", "-5"}, [&] { mark.forall(-5)(out); });
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  expect_usage({"mark", "exceeds the limit of "}, [&] { mark.launch({huge, 1}, out); });
  expect_usage({"mark", "exceeds the limit of "}, [&] { mark.launch({1, huge}, out); });
  expect_usage({"mark"}, [&] { mark.launch({1, 100000}, out); });
  expect_usage({"mark"}, [&] { mark.launch({1, kr::dims{1024, 1024}}, out); });
  expect_usage({"mark"}, [&] {
    mark.launch({kr::dims{huge, huge, huge}, kr::dims{huge, huge, huge}}, out);
  });
  expect_usage({"mark"}, [&] { mark.forall(huge)(out); });
  EXPECT_EQ(out[0], 0);
  expect_library_works();
}

/// The last threads note their number; the others leave early.
auto last_threads = kr::kernel([](kr::value<std::int64_t> first, kr::view<std::int64_t> out) {
  auto i = kr::grid<1>();
  kr::if_(i < first || i >= first + out.size(), [&] { kr::return_(); });
  out[i - first] = i;
});

class ManyThreads : public testing::Test {
 protected:
  void SetUp() override {
    // Drivers that run on the CPU start every thread.
    for (const char* slow : {"llvmpipe", "Portable Computing Language"})
      if (std::string(kr::device().name()).find(slow) != std::string::npos)
        GTEST_SKIP() << "minutes on " << slow;
  }
  static void expect_last(const std::vector<std::int64_t>& out, std::int64_t first) {
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], first + std::int64_t(i));
  }
};

TEST_F(ManyThreads, MoreThan32BitsInBlocks) {
  const std::int64_t blocks = (std::int64_t(1) << 22) + 3, n = blocks * 1024;
  std::vector<std::int64_t> out(100, -1);
  last_threads.launch({blocks, 1024}, n - 100, out);
  expect_last(out, n - 100);
}

TEST_F(ManyThreads, MoreThan32BitsByForall) {
  const std::int64_t n = (std::int64_t(1) << 32) + 77;
  std::vector<std::int64_t> out(77, -1);
  last_threads.forall(n)(n - 77, out);
  expect_last(out, n - 77);
}

// ---- objects
// -------------------------------------------------------------------------------------------------
TEST(Kernel, TwoObjectsOfOneTypeDoNotShare) {
  const auto filled_with = [](int number) {
    return kr::kernel([number](kr::view<int> out) {
      for (auto i : kr::grid_stride(out.size())) out[i] = number;
    });
  };
  auto three = filled_with(3), four = filled_with(4), five = filled_with(5);
  std::vector<int> out(2);
  three.forall(2)(out);
  EXPECT_EQ(out[1], 3);
  four.forall(2)(out);
  EXPECT_EQ(out[1], 4);
  three.forall(2)(out);
  EXPECT_EQ(out[1], 3);
  five.forall(2)(out);
  EXPECT_EQ(out[1], 5);
}

TEST(Kernel, CopiesAreTheSameKernel) {
  std::vector<int> out(1);
  const auto make = [](int n) {
    return kr::kernel([n](kr::view<int> y) { y[0] += n; }, {.name = "adding"});
  };
  auto first = make(3);
  std::vector kernels{first, make(4), first};
  first.launch({1, 1}, out);
  EXPECT_EQ(std::string(kernels[2].ir()),
            std::string(first.ir()));  // recorded by the call of another
  expect_usage({"has not been recorded yet"}, [&] { kernels[1].ir(); });
  {
    const auto taken = std::move(first);
    taken.launch({1, 1}, out);
  }
  for (const auto& k : kernels) k.launch({1, 1}, out);  // the first ones are gone
  EXPECT_EQ(out[0], 3 + 3 + 3 + 4 + 3);
  const auto nothing = first;  // NOLINT: used after the move on purpose
  expect_usage({"a moved-from kernel object is called"}, [&] { nothing.launch({1, 1}, out); });

  const auto add = kr::vectorize([](auto p, auto q) { return p + q; });
  const auto fixed = kr::kernel<kr::dims{1}, kr::dims{1}>([](kr::view<int> y) { y[0] = 8; });
  std::vector<std::thread> threads;
  std::vector<float> sums(8);
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&, t, mine = add, other = fixed] {
      const auto again = mine;
      std::vector<int> y(1);
      other(y);
      sums[t] = again(float(t), float(y[0]));
    });
  for (auto& thread : threads) thread.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], float(t) + 8);

  const auto owning = [held = std::make_unique<int>(1)](kr::view<int> y) { y[0] = *held; };
  static_assert(
      !std::is_copy_constructible_v<kr::kernel_object<std::remove_cv_t<decltype(owning)>>>);
  static_assert(std::is_copy_constructible_v<decltype(add)>);
}

TEST(Kernel, MovedObjects) {
  auto first = kr::kernel([](kr::view<int> out) { out[0] = 7; });
  std::vector<int> out(1);
  first.launch({1, 1}, out);
  auto second = std::move(first);
  out[0] = 0;
  second.launch({1, 1}, out);
  EXPECT_EQ(out[0], 7);
  expect_usage({"a moved-from kernel object is called"}, [&] {
    first.launch({1, 1}, out);
  });                                                    // NOLINT: used after the move on purpose
  expect_usage({"kernel object"}, [&] { first.ir(); });  // NOLINT
}

TEST(Kernel, TextsOfEveryStage) {
  auto k = kr::kernel(
      [](kr::view<float> x) {
        for (auto i : kr::grid_stride(x.size())) x[i] = 2.0f * x[i];
      },
      {.name = "doubling"});
  expect_usage(
      {"doubling",
       "{} has not been recorded yet, so it has no {} to show: call or compile() it first"},
      [&] { k.ir(); });
  k.compile();
  EXPECT_EQ(std::string(k.ir()).rfind("kir 1\n", 0), 0u);
  EXPECT_NE(std::string(k.llvm(kr::target::cpu())).find("define"), std::string::npos);
  EXPECT_NE(std::string(k.assembly(kr::target::cpu())).find("ret"), std::string::npos);
  EXPECT_NE(std::string(k.ptx()).find(".visible .entry"), std::string::npos);
  EXPECT_NE(std::string(k.ptx("ptx sm=75 isa=80")).find("sm_75"), std::string::npos);
  EXPECT_NE(std::string(k.spirv("spirv features=i64")).find("OpEntryPoint"), std::string::npos);
  expect_usage({"unknown target \"gpu\": expected "}, [&] { k.assembly("gpu"); });
  EXPECT_NE(std::string(k.ptx("sm_90a")).find(".target sm_90a"), std::string::npos);
  expect_usage({"sm_60", "expected a compute capability: one of 75"}, [&] { k.ptx("sm_60"); });
  expect_usage({"ptx exists for targets \"ptx …\", not for \"spirv features=i64{}\""},
               [&] { k.ptx("spirv"); });
}

TEST(Kernel, RunsOnTheDeviceOfItsArrays) {
  kr::array<int> on_cpu({4}, kr::device::cpu());
  auto fill = kr::kernel([](kr::view<int> out) {
    for (auto i : kr::grid_stride(out.size())) out[i] = kr::cast<int>(i);
  });
  fill.forall(4)(on_cpu);
  EXPECT_STREQ(on_cpu.device().id(), "cpu");
  EXPECT_EQ(std::vector<int>(on_cpu.to_host()), (std::vector<int>{0, 1, 2, 3}));
}

TEST(Kernel, StreamsAndEvents) {
  kr::stream s;
  kr::event before, after;
  kr::array<float> x = kr::to_device(std::vector<float>(1000, 1.0f)),
                   y = kr::to_device(std::vector<float>(1000, 0.0f));
  before.record(s);
  for (int i = 0; i < 10; ++i) saxpy.launch({4, 64, s}, 1.0f, x, y);
  after.record(s);
  after.wait();
  EXPECT_GE(after.elapsed_ms_since(before), 0.0);
  const kr::event never;
  EXPECT_THROW(static_cast<void>(after.elapsed_ms_since(never)), kr::error);
  EXPECT_EQ(std::vector<float>(y.to_host()), std::vector<float>(1000, 10.0f));
  s.synchronize();
  kr::synchronize();
  EXPECT_LE(before.elapsed_ms_since(after), 0.0);
}

TEST(Kernel, StreamsAndEventsThatWereMovedFrom) {
  kr::stream s;
  const kr::stream other = std::move(s);
  kr::event e;
  const kr::event taken = std::move(e);
  kr::array<float> x = kr::to_device(std::vector<float>(10, 1.0f));
  const auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  kr::graph g([&] { add.into(x)(x, 1.0f); });
  expect_usage({"a moved-from stream is used"}, [&] { s.synchronize(); });
  expect_usage({"kernel {} is launched into a moved-from stream"}, [&] {
    saxpy.launch({1, 32, s}, 1.0f, x, x);
  });
  expect_usage({" is launched into a moved-from stream"}, [&] { add.stream(s).into(x)(x, x); });
  expect_usage({"a graph is launched into a moved-from stream"}, [&] { g.launch(s); });
  expect_usage({"a moved-from stream is used"}, [&] { kr::event().record(s); });
  expect_usage({"a moved-from stream is used"}, [&] { taken.wait(s); });
  expect_usage({"a moved-from event is used"}, [&] { e.record(); });
  expect_usage({"a moved-from event is used"}, [&] { e.record(other); });
  expect_usage({"a moved-from event is used"}, [&] { e.wait(); });
  expect_usage({"a moved-from event is used"}, [&] { e.wait(other); });
  expect_usage({"a moved-from event is used"},
               [&] { static_cast<void>(taken.elapsed_ms_since(e)); });
  EXPECT_EQ(std::vector<float>(x.to_host()), std::vector<float>(10, 1.0f));
  expect_library_works();
}

// A thread has neighbours of a row: vectors where rows are multiples of 16 bytes, whatever they
// begin at, and single elements elsewhere.
template <class Elem>
void check_rows(auto& kernel, int width, int first) {
  constexpr int height = 37, members = 5;
  kr::array<Elem, 2> x({height, width + first}), y({height, width + first});
  std::vector<Elem> from(x.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = Elem(3 * i + 1);
  x.copy_from(from), y.fill(Elem(0));
  auto part = x(kr::all, kr::range(first, kr::end)), to = y(kr::all, kr::range(first, kr::end));
  kernel.launch({1, 64}, part, to);
  const std::vector<Elem> result = y.to_host();
  for (int i = 0; i < height; ++i)
    for (int k = -first; k < width; ++k) {
      const std::size_t at = std::size_t(i) * (width + first) + first + k;
      const Elem expected = k >= 0 && k < members ? Elem(2 * from[at] + Elem(k)) : Elem(0);
      ASSERT_EQ(result[at], expected) << width << " from " << first << ", " << i << ", " << k;
    }
}
template <class Elem>
void double_rows(const kr::view<const Elem, 2>& x, const kr::view<Elem, 2>& y) {
  auto i = kr::grid();
  kr::if_(i < x.extent(0), [&] {
    for (int k = 0; k < 5; ++k) y(i, k) = kr::cast<Elem>(x(i, k) * Elem(2) + Elem(k));
  });
}
TEST(Kernel, RowsOfEveryWidth) {
  auto words =
      kr::kernel([](kr::view<const unsigned, 2> x, kr::view<unsigned, 2> y) { double_rows(x, y); });
  auto shorts = kr::kernel(
      [](kr::view<const std::uint16_t, 2> x, kr::view<std::uint16_t, 2> y) { double_rows(x, y); });
  auto longs = kr::kernel(
      [](kr::view<const std::uint64_t, 2> x, kr::view<std::uint64_t, 2> y) { double_rows(x, y); });
  for (const int width : {5, 6, 7, 8, 9, 12, 16, 24})
    for (const int first : {0, 1, 4, 8}) {
      check_rows<unsigned>(words, width, first);
      check_rows<std::uint16_t>(shorts, width, first);
      check_rows<std::uint64_t>(longs, width, first);
    }
}

}  // namespace
