// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of hint: a kernel that gets it, at its line, and one beside it that does the same in a
// way that does not. For targets that need no device; krait_hints_environment has what KRAIT_HINTS
// prints.
#include <gtest/gtest.h>
#include <krait/krait.h>

#include <string>
#include <vector>

#include "expect.h"

namespace kr = krait;
using kr::value, kr::view;

namespace {

const kr::target avx2("cpu x86-64 lanes=8 parts=2 cpu=x86-64-v3"),
    avx512("cpu x86-64 lanes=16 parts=2 cpu=x86-64-v4"),
    sse42("cpu x86-64 lanes=4 parts=2 cpu=x86-64-v2"), ptx = kr::target::sm(90),
                                                       vulkan = kr::target::vulkan();

template <class Kernel>
std::string hints(Kernel& k, const kr::target& on) {
  k.compile();  // hints are of what was recorded
  return k.hints(on).data();
}

/// One hint, of this line, that begins so; {} is any value.
testing::AssertionResult has(const std::string& said, unsigned line, const std::string& begins) {
  const std::string head = krait::test::place(line) + ": krait: hint: ";
  const std::size_t at = said.find(head + begins.substr(0, begins.find("{}")));
  if (at == said.npos || !krait::test::says(said.substr(at, said.find('\n', at) - at), begins))
    return testing::AssertionFailure() << "no \"" << begins << "\" for line " << line << " in:\n"
                                       << said;
  if (said.find(head + begins.substr(0, begins.find(':')), at + 1) != said.npos)
    return testing::AssertionFailure() << "twice:\n" << said;
  return testing::AssertionSuccess();
}

// ---- accesses -----------------------------------------------------------------------------------

TEST(Hints, OfAKernelThatIsFast) {
  auto saxpy = kr::kernel([](value<float> a, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_EQ(hints(saxpy, *t), "") << t->c_str();
  auto guarded = kr::kernel([](view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(i < y.size(), [&] { y[i] = 2 * x[i]; });
  });
  for (const kr::target* t : {&avx2, &avx512, &sse42, &ptx, &vulkan})
    EXPECT_EQ(hints(guarded, *t), "") << t->c_str();
}

TEST(Hints, Gather) {
  auto gathered = kr::kernel([](view<const int> at, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[at[i]];
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(gathered, avx2), line,
      "gather: the index comes from memory, and 16 threads access 16 places, one by one or by an instruction that is hardly "
      "faster. "
      "Sort the work so that neighbouring threads use neighbouring elements, or copy the table that all of them use to a "
      "shared array"));
  EXPECT_TRUE(has(
      hints(gathered, avx512), line,
      "gather: the index comes from memory, and 32 threads access 32 places, which is one instruction but as many accesses. "
      "Sort the work so that neighbouring threads use neighbouring elements"));
  EXPECT_TRUE(
      has(hints(gathered, sse42), line,
          "gather: the index comes from memory, and 8 threads access 8 places, one by one"));
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_TRUE(has(hints(gathered, *t), line, "uncoalesced access: the index comes from memory"));
  auto row = kr::kernel([](view<const int> at, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[at[0] + i];
  });
  for (const kr::target* t : {&avx2, &sse42, &ptx, &vulkan})
    EXPECT_EQ(hints(row, *t), "") << t->c_str();
}

TEST(Hints, GatherOfBytesAndByItsCause) {
  auto bytes = kr::kernel([](view<const int> at, view<const std::uint8_t> x, view<std::uint8_t> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[at[i]];
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(
      has(hints(bytes, avx512), line,
          "gather: the index comes from memory, and 32 threads access 32 places, one by one"));
  auto clamped = kr::kernel([](view<const int> by, view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(i < y.size(), [&] { y[i] = x[kr::min(kr::max(i + by[0], 0), x.size() - 1)]; });
  });
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_EQ(hints(clamped, *t), "")
        << "neighbouring threads use neighbouring elements except at the border: " << t->c_str();
  auto chosen = kr::kernel([](view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(i < y.size(), [&] { y[i] = x[kr::max(i, x.size() - 1 - i)]; });
  });
  const unsigned border = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(chosen, avx2), border,
      "gather: the index is clamped or chosen (min, max, select), and 16 threads access 16 places, {}. Compute the "
      "interior without the clamp, and the border separately"));
  auto halved = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i / 3];
  });
  const unsigned divided = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(halved, avx2), divided,
      "gather: the index comes from a division or remainder, and 16 threads access 16 places, {}. Launch over rows "
      "and columns, kr::grid<2>(), instead of splitting one number"));
}

TEST(Hints, Scatter) {
  auto scattered = kr::kernel([](view<const int> at, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(x.size())) y[at[i]] = x[i];
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(
      has(hints(scattered, avx2), line,
          "scatter: the index comes from memory, and 16 threads access 16 places, one by one"));
  EXPECT_TRUE(has(
      hints(scattered, avx512), line,
      "scatter: the index comes from memory, and 32 threads access 32 places, which is one instruction"));
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_TRUE(has(hints(scattered, *t), line,
                    "uncoalesced access: the index comes from memory, and a warp writes"));
  auto row = kr::kernel([](view<const int> at, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(x.size())) y[i] = x[i] + kr::cast<float>(at[i]);
  });
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_EQ(hints(row, *t), "") << t->c_str();
}

TEST(Hints, GatherByOtherCauses) {
  auto squares = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i * i];
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(squares, avx2), line,
      "gather: the index differs from thread to thread without a fixed distance, and 16 threads access 16 places, {}. Make it "
      "the thread's x plus a value that is equal in all threads"));
  auto called = kr::kernel([](view<const float> x, view<float> y) {
    auto at = kr::function(
        [](value<std::int64_t> i, view<const float> from) -> value<float> { return from[i]; });
    for (auto i : kr::grid_stride(y.size())) y[i] = at(i, x);
  });
  const unsigned inside = __LINE__ - 3;
  EXPECT_TRUE(has(
      hints(called, avx2), inside,
      "gather: the index is a parameter of a function, called or cut out of a large kernel, which does not know the index of the "
      "next thread, and 8 threads access 8 places, {}. Compute the index in that function, or make the kernel smaller"));
}

TEST(Hints, Strided) {
  auto third = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[3 * i];
  });
  const unsigned line = __LINE__ - 2;
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_TRUE(has(
        hints(third, *t), line,
        t == &avx2
            ? "strided access: neighbouring threads load from places 12 bytes apart, so 3 vectors are accessed instead of one. "
              "Let neighbouring threads use neighbouring elements: the last index from x, kr::vec for neighbours"
        : t == &avx512  // of sixteen elements, three apart, some have one place in their rows
            ? "strided access: neighbouring threads load from places 12 bytes apart, so a vector's elements are accessed one by "
              "one. "
              "Let neighbouring threads use neighbouring elements: the last index from x, kr::vec for neighbours"
            : "strided access: neighbouring threads load from places 12 bytes apart, so a warp's access is many pieces of memory "
              "instead of one. Let neighbouring threads use neighbouring elements: the last index from x, kr::vec for "
              "neighbours"))
        << t->c_str();
  auto down = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[x.size() - 1 - 3 * i];
  });
  EXPECT_TRUE(has(
      hints(down, ptx), __LINE__ - 3,
      "strided access: neighbouring threads load from places 12 bytes apart in descending order, so"));
  auto all_three = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];
  });
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_EQ(hints(all_three, *t), "") << "nothing of what memory hands out is wasted";
  auto backwards = kr::kernel([](view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(i < y.size(), [&] { y[i] = x[y.size() - 1 - i]; });
  });
  for (const kr::target* t : {&ptx, &vulkan}) EXPECT_EQ(hints(backwards, *t), "");
}

TEST(Hints, RowsAndColumns) {
  auto columns = kr::kernel([](view<const float, 2> in, view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x < out.extent(1) && y < out.extent(0), [&] { out(y, x) = in(x, y); });
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(columns, avx2), line,
      "gather: the index is multiplied by a size known only at launch, so neighbouring threads are a row apart"));
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_TRUE(has(
        hints(columns, *t), line,
        "uncoalesced access: the index is multiplied by a size known only at launch, so neighbouring threads are a "
        "row apart, and a warp reads "
        "up to 32 pieces of memory instead of one. Make the last index the one that comes from x, or transpose "
        "through a shared array"));
  auto rows = kr::kernel([](view<const float, 2> in, view<float, 2> out) {
    auto [x, y] = kr::grid<2>();
    kr::if_(x < out.extent(1) && y < out.extent(0), [&] { out(y, x) = in(y, x); });
  });
  for (const kr::target* t : {&avx2, &avx512, &sse42, &ptx, &vulkan})
    EXPECT_EQ(hints(rows, *t), "") << t->c_str();
}

TEST(Hints, AFlatIndexThatIsTakenApart) {
  auto flat = kr::kernel([](view<const float, 2> in, view<float, 2> out) {
    for (auto i : kr::grid_stride(out.size())) out(i / 64, i % 64) = in(i / 64, i % 64);
  });
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_EQ(hints(flat, *t), "") << "neighbours mostly lie in one row";
}

struct pixel {
  float r, g, b;
};
struct body {
  double position[3], speed[3];
};

TEST(Hints, Structs) {
  auto large = kr::kernel([](view<const body> in, view<double> out) {
    for (auto i : kr::grid_stride(out.size())) out[i] = in[i][&body::position][1];
  });
  const unsigned line = __LINE__ - 2;
  for (const kr::target* t : {&avx2, &ptx, &vulkan})
    EXPECT_TRUE(has(hints(large, *t), line,
                    "strided access: neighbouring threads load from places 48 bytes apart"))
        << t->c_str();
  EXPECT_NE(hints(large, ptx).find("Give each member that is used often a separate array"),
            std::string::npos);
  auto small = kr::kernel([](view<const pixel> in, view<float> out) {
    for (auto i : kr::grid_stride(out.size()))
      out[i] = in[i][&pixel::r] + in[i][&pixel::g] + in[i][&pixel::b];
  });
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_EQ(hints(small, *t), "") << t->c_str();
}

TEST(Hints, LocalArrays) {
  auto traced = kr::kernel([](view<const int> at, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      auto a = kr::local<float, 8>();
      for (int k = 0; k < 8; ++k) a[k] = y[i] * float(k);
      y[i] = a[at[i]];
    }
  });
  const unsigned line = __LINE__ - 3;
  for (const kr::target* t : {&avx2, &ptx, &vulkan})
    EXPECT_TRUE(has(
        hints(traced, *t), line,
        t == &avx2
            ? "local array: it is indexed by a number that differs from thread to thread, so its elements are "
              "accessed one by one. "
              "Index it by constants or loop counters"
            : "local array: it is indexed by a number known only at launch, so it is in memory instead of registers. Index it by constants "
              "(a C++ loop unrolls while recording), or use a shared array"))
        << t->c_str();
  auto constant = kr::kernel([](view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      auto a = kr::local<float, 8>();
      for (int k = 0; k < 8; ++k) a[k] = y[i] * float(k);
      y[i] = a[3];
    }
  });
  for (const kr::target* t : {&avx2, &ptx, &vulkan})
    EXPECT_EQ(hints(constant, *t), "") << t->c_str();
}

// ---- control flow -------------------------------------------------------------------------------

TEST(Hints, Masks) {
  auto leaves = kr::kernel([](view<const float> x, view<float> y, kr::value<int> n) {
    auto i = kr::grid<1>();
    for (auto k : kr::range(n)) {
      kr::if_(x[i] > 3, [] { kr::continue_(); });
      y[i + k] = x[i] + 1;
      y[i] = x[i + k];
    }
  });
  const unsigned line = __LINE__ - 5;
  EXPECT_TRUE(has(
      hints(leaves, avx2), line,
      "masks: threads diverge here, and 2 later accesses run under a mask of one bit per thread, which a processor "
      "without AVX-512 handles "
      "piece by piece. Let all threads store: choose the value by kr::select, or put the body into one kr::if_ "
      "instead of leaving "
      "early"));
  EXPECT_EQ(hints(leaves, avx512).find("masks:"), std::string::npos) << "where masks cost nothing";
  auto returns = kr::kernel([](view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    kr::if_(x[i] > 3, [] { kr::return_(); });
    y[i] = x[i] + 1;
  });
  EXPECT_EQ(hints(returns, avx2), "") << "whose rest is a guard's, with a copy without masks";
  auto chooses = kr::kernel([](view<const float> x, view<float> y) {
    auto i = kr::grid<1>();
    y[i] = kr::select(x[i] > 3, y[i], x[i] + 1);
  });
  EXPECT_EQ(hints(chooses, avx2), "");
}

TEST(Hints, BranchesWhoseSidesBothRun) {
  auto both = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      kr::var r = 0.f;
      kr::if_(x[i] > 0, [&] { r = kr::exp(x[i]); }).else_([&] { r = kr::atan(x[i]); });
      y[i] = r;
    }
  });
  const unsigned line = __LINE__ - 3;
  for (const kr::target* t : {&avx2, &avx512})
    EXPECT_TRUE(has(
        hints(both, *t), line - 1,
        "divergent branch: neighbouring threads choose differently, so 2 sides run one after the other, each under a "
        "mask: about {} "
        "operations in all. Let a warp or block choose together, or compute the common part before the branch"));
  auto one = kr::kernel([](value<bool> sign, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      kr::var r = 0.f;
      kr::if_(sign, [&] { r = kr::exp(x[i]); }).else_([&] { r = kr::atan(x[i]); });
      y[i] = r;
    }
  });
  for (const kr::target* t : {&avx2, &avx512}) EXPECT_EQ(hints(one, *t), "");
}

TEST(Hints, LoopsThatThreadsLeaveAtDifferentTimes) {
  auto own = kr::kernel([](view<const int> trips, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      kr::var s = 0.f;
      for (auto k : kr::range(trips[i])) s += kr::cast<float>(k);
      y[i] = s;
    }
  });
  const unsigned line = __LINE__ - 4;
  EXPECT_TRUE(has(
      hints(own, avx2), line,
      "divergent loop: threads leave it after different numbers of iterations, and 16 run until the last has left. Give "
      "neighbouring threads "
      "work of equal length"));
  auto same = kr::kernel([](view<const int> trips, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) {
      kr::var s = 0.f;
      for (auto k : kr::range(trips[0])) s += kr::cast<float>(k);
      y[i] = s;
    }
  });
  EXPECT_EQ(hints(same, avx2), "");
}

TEST(Hints, BarriersThatCutLoops) {
  const auto turns = [](value<int> n, view<float> y) {
    auto tile = kr::shared<float, 64>();
    auto t = kr::thread_idx().x;
    kr::var s = y[t];
    for (auto k : kr::range(n)) {
      tile[t] = s * kr::cast<float>(k);
      kr::syncthreads();
      s += tile[63 - t];
      kr::syncthreads();
    }
    y[t] = s;
  };
  const unsigned line = __LINE__ - 6;
  auto cut = kr::kernel(turns);
  EXPECT_TRUE(has(
      hints(cut, avx2), line,
      "barrier: in each iteration of the loop the block is cut into pieces of code here, and 1 value of each thread goes "
      "through memory from one to the next. A fixed block of at most 16 vectors, kr::kernel<grid, block>, runs as "
      "one piece; sharing "
      "within a warp needs no barrier"));
  auto one_gang = kr::kernel<1, 64>(turns);
  EXPECT_EQ(hints(one_gang, avx2).find("barrier"), std::string::npos);
  auto once = kr::kernel([](view<float> y) {
    auto tile = kr::shared<float, 64>();
    auto t = kr::thread_idx().x;
    tile[t] = y[t];
    kr::syncthreads();
    y[t] = tile[(t + 1) % 64];
  });
  EXPECT_EQ(hints(once, avx2).find("barrier"), std::string::npos);
  auto sum = kr::kernel([](view<const float> x, view<float> y) {
    auto tile = kr::shared<float, 64>();
    kr::var s = 0.f;
    for (auto i : kr::grid_stride(x.size())) s += x[i];
    tile[kr::thread_idx().x] = s;
    kr::syncthreads();
    y[kr::grid<1>()] = tile[0];
  });
  EXPECT_EQ(hints(sum, avx2), "") << "of barriers that a pass has put in";
  const auto keeps = [](int count) {
    return [=](view<float> y) {
      auto tile = kr::shared<float, 64>();
      auto t = kr::thread_idx().x;
      std::vector<value<float>> kept;
      for (int k = 0; k < count; ++k) kept.push_back(kr::sqrt(y[t + 64 * k]));
      tile[t] = kept[0];
      kr::syncthreads();
      kr::var all = kr::value<float>(tile[63 - t]);
      for (const value<float>& v : kept) all += v;
      y[t] = all;
    };
  };
  const unsigned straight = __LINE__ - 6;
  auto many = kr::kernel(keeps(9)), few = kr::kernel(keeps(3));
  EXPECT_TRUE(has(
      hints(many, avx2), straight,
      "barrier: the block is cut into pieces of code here, and 9 values of each thread go through memory"));
  EXPECT_EQ(hints(few, avx2).find("barrier"), std::string::npos);
}

// ---- operations ---------------------------------------------------------------------------------

TEST(Hints, Divisions) {
  auto by_number = kr::kernel([](value<int> n, value<std::int64_t> m, view<const int> x,
                                 view<const std::int64_t> z, view<int> y) {
    for (auto i : kr::grid_stride(y.size())) {
      y[i] = x[i] / n;
      y[i] += kr::cast<int>(z[i] % m);
    }
  });
  const unsigned line = __LINE__ - 3;
  EXPECT_TRUE(has(
      hints(by_number, avx2), line - 1,
      "integer division: 32 bits by a number known only at launch, by way of floating-point division. Capture the "
      "divisor as a plain "
      "C++ number, which makes it a constant, or count instead of dividing"));
  EXPECT_TRUE(has(hints(by_number, avx2), line,
                  "integer division: 64 bits by a number known only at launch, thread by thread"));
  for (const kr::target* t : {&ptx, &vulkan}) {
    EXPECT_TRUE(has(
        hints(by_number, *t), line - 1,
        "integer division: 32 bits by a number known only at launch, which takes some twenty instructions. Capture"));
    EXPECT_TRUE(has(
        hints(by_number, *t), line,
        "integer division: 64 bits by a number known only at launch, which takes about a hundred instructions. "
        "Capture the divisor as a "
        "plain C++ number, which makes it a constant, or divide numbers of 32 bits"));
  }
  const int n = 7;
  auto by_constant = kr::kernel([=](view<const int> x, view<int> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] / n;
  });
  for (const kr::target* t : {&avx2, &ptx, &vulkan})
    EXPECT_EQ(hints(by_constant, *t), "") << t->c_str();
  auto wide = kr::kernel([=](view<const std::int64_t> x, view<std::int64_t> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] / n;
  });
  const unsigned constant = __LINE__ - 2;
  for (const kr::target* t : {&ptx, &vulkan})
    EXPECT_TRUE(has(
        hints(wide, *t), constant,
        "integer division: 64 bits by a constant, which takes a dozen instructions. Divide numbers of 32 bits where they fit"));
  auto shifted = kr::kernel([](view<const std::int64_t> x, view<std::int64_t> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] / 8;
  });
  for (const kr::target* t : {&ptx, &vulkan}) EXPECT_EQ(hints(shifted, *t), "");
}

TEST(Hints, Atomics) {
  auto each = kr::kernel([](view<const int> bin, view<int> counts) {
    for (auto i : kr::grid_stride(bin.size())) kr::atomic(counts[bin[i]]).add(1);
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(each, avx2), line,
      "atomic: threads update memory one after another, each with a locked instruction where the array is large or "
      "the launch small. "));
  auto one = kr::kernel([](view<const int> x, view<int> sum) {
    for (auto i : kr::grid_stride(x.size())) kr::atomic(sum[0]).add(x[i]);
  });
  const unsigned all = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(one, avx2), all,
      "atomic: threads update memory one after another, each with a locked instruction where the array is large or "
      "the launch small, and all of them the same place. Combine first, by kr::warp::reduce or in a shared array, "
      "and let one thread of "
      "the warp or block update"));
  auto first = kr::kernel([](view<const int> x, view<int> sum) {
    auto block_sum = kr::shared<int, 1>();
    auto t = kr::thread_idx().x;
    kr::if_(t == 0, [&] { block_sum[0] = 0; });
    kr::syncthreads();
    kr::atomic(block_sum[0]).add(x[kr::grid<1>()]);
    kr::syncthreads();
    kr::if_(t == 0, [&] { kr::atomic(sum[0]).add(block_sum[0]); });
  });
  EXPECT_EQ(hints(first, avx2).find("atomic"), std::string::npos) << hints(first, avx2);
}

TEST(Hints, CallsForEachThread) {
  const auto note = [](value<int> i, view<int> y) { kr::atomic(y[0]).max(i); };
  auto rare = kr::kernel([=](view<const float> x, view<int> y) {
    auto f = kr::function(note, {.name = "note", .rare = true});
    for (auto i : kr::grid_stride(x.size())) kr::if_(x[i] < 0, [&] { f(kr::cast<int>(i), y); });
  });
  const unsigned line = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(rare, avx2), line,
      "call: the rare function note is called for one thread at a time. Omit .rare if most threads call it"));
  auto usual = kr::kernel([=](view<const float> x, view<int> y) {
    auto f = kr::function(note, {.name = "note"});
    for (auto i : kr::grid_stride(x.size())) kr::if_(x[i] < 0, [&] { f(kr::cast<int>(i), y); });
  });
  EXPECT_EQ(hints(usual, avx2).find("call:"), std::string::npos) << hints(usual, avx2);
  auto saxpy = kr::kernel([](value<float> a, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = a * x[i] + y[i];
  });
  const unsigned fused = __LINE__ - 2;
  EXPECT_TRUE(has(
      hints(saxpy, sse42), fused,
      "call: this processor level has no fma, so a function is called for each thread. Use a later level "
      "(KRAIT_CPU), or strict mode, which does not fuse"));
  auto sum = kr::kernel([](view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[i] + y[i];
  });
  EXPECT_EQ(hints(sum, sse42), "");
  auto says = kr::kernel([](view<const float> x) {
    for (auto i : kr::grid_stride(x.size())) kr::check(x[i] >= 0, "negative");
  });
  EXPECT_EQ(hints(says, avx2).find("call:"), std::string::npos) << hints(says, avx2);
}

TEST(Hints, AreOncePerLine) {
  auto many = kr::kernel([](view<const int> at, view<const float> x, view<float> y) {
    for (auto i : kr::grid_stride(y.size())) y[i] = x[at[i]] * x[at[i] + 1] + x[at[i] + 2];
  });
  const unsigned line = __LINE__ - 2;
  for (const kr::target* t : {&avx2, &avx512, &ptx, &vulkan})
    EXPECT_TRUE(has(
        hints(many, *t), line,
        t == &ptx || t == &vulkan
            ? "uncoalesced access: {}, and a warp {} up to 32 pieces of memory instead of one. {}"
            : "gather: "));
}

}  // namespace
