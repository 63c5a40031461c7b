// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithms inside graphs: each replay computes with what the arrays hold then.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/fftconvolve.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/algorithm/select.h>
#include <krait/creation.h>
#include <krait/graph.h>

#include <vector>

#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;

namespace {

kr::array<float> numbers(std::int64_t count, unsigned salt) {
  std::vector<float> x(static_cast<std::size_t>(count));
  krait::test::Random random(salt);
  for (float& v : x) v = float(random.below(4096)) / 64 - 32;
  return kr::to_device(x);
}

/// f(x, kr::into(y)) is recorded once and replayed for x of other elements each time.
template <class Function>
void expect_replays(std::int64_t count, const Function& f) {
  kr::array<float> x = numbers(count, 1);
  const kr::array<float> first = x.copy();
  auto y = f(x);
  kr::graph g([&] { f(x, kr::into(y)); });
  EXPECT_TRUE(kr::array_equal(x, first)) << "nothing runs while recording";
  for (unsigned time = 2; time < 5; ++time) {
    x.copy_from(numbers(count, time));
    const auto wanted = f(x);
    g.launch();
    EXPECT_TRUE(kr::array_equal(y, wanted)) << count << " elements, replay " << time - 1;
  }
}

TEST(Graphs, Reductions) {
  for (const std::int64_t count : {64, 5000, 300000}) {
    expect_replays(count, [](const auto& x, const auto&... o) {
      return kr::sum(x.reshape(-1, 4), kr::axis(0), o...);
    });
    expect_replays(count, [](const auto& x, const auto&... o) {
      return kr::argmax(x.reshape(4, -1), kr::axis(1), o...);
    });
    expect_replays(count, [](const auto& x, const auto&... o) {
      return kr::stddev(x.reshape(-1, 4), kr::axis(0), o...);
    });
  }
}
TEST(Graphs, ScansAndSorts) {
  for (const std::int64_t count : {64, 1000, 4096, 300000}) {
    expect_replays(count, [](const auto& x, const auto&... o) { return kr::cumsum(x, o...); });
    expect_replays(count, [](const auto& x, const auto&... o) { return kr::sort(x, o...); });
    expect_replays(count, [](const auto& x, const auto&... o) { return kr::argsort(x, o...); });
    expect_replays(count, [](const auto& x, const auto&... o) {
      return kr::sort(
          x, [](auto a, auto b) { return b < a; }, o...);
    });
  }
  expect_replays(5000, [](const auto& x, const auto&... o) {
    const auto offsets = kr::arange<std::int64_t>(0, 5001, 500);
    return kr::segmented_sort(x, offsets, o...);
  });
  expect_replays(5000, [](const auto& x, const auto&... o) {
    const auto offsets = kr::arange<std::int64_t>(0, 5001, 500);
    return kr::segmented_reduce(
        x, offsets, [](auto a, auto b) { return max(a, b); }, -1e9f, o...);
  });
}
TEST(Graphs, ProductsAndTransforms) {
  expect_replays(3600, [](const auto& x, const auto&... o) {
    return kr::matmul(x.reshape(60, 60), x.reshape(60, 60), o...);
  });
  expect_replays(3600, [](const auto& x, const auto&... o) {
    return kr::einsum<"bij,bjk->kbi">(x.reshape(4, 30, 30), x.reshape(4, 30, 30), o...);
  });
  expect_replays(3600, [](const auto& x, const auto&... o) {
    return kr::convolve(x.reshape(60, 60), x(kr::range(0, 9)).reshape(3, 3), "same", o...);
  });
  expect_replays(900, [](const auto& x, const auto&... o) {
    return kr::fftconvolve(x, x(kr::range(0, 70)), "same", o...);
  });
  expect_replays(4096, [](const auto& x, const auto&... o) { return kr::rfft(x, o...); });
}
// Tables of a length that is first met inside of a graph are there for the next calls.
TEST(Graphs, TablesOfALengthThatIsMetThere) {
  const kr::array<float> x = numbers(1013, 1);
  kr::array<std::complex<float>> y(507);
  kr::graph g([&] { kr::rfft(x, kr::into(y)); });
  const auto wanted = kr::rfft(x);
  EXPECT_LT(float(kr::max(kr::abs(kr::irfft(wanted, kr::points(1013)) - x))), 1e-3f);
  g.launch();
  EXPECT_TRUE(kr::array_equal(y, wanted));
}
TEST(Graphs, ChoosingAndCounting) {
  expect_replays(
      4000, [](const auto& x, const auto&... o) { return kr::histogram(x, 7, -32.0, 32.0, o...); });
  expect_replays(
      4000, [](const auto& x, const auto&... o) { return kr::gather(x, kr::argsort(x), o...); });
  // Whether indices are in range is a number that take waits for.
  const kr::array<float> x = numbers(40, 1);
  const auto places = kr::argsort(x);
  expect_usage({"an array is read while a graph that writes it is being recorded"},
               [&] { kr::graph g([&] { kr::take(x, places); }); });
}

TEST(Graphs, FillsAndCopies) {
  kr::array<float, 2> x(3, 4), y(4, 3), z(3, 4);
  x.fill(1), y.fill(2), z.fill(3);
  kr::graph g([&] {
    z.copy_from(x);
    x.fill(7);
    x(1, 2) = 5.0f;
    x.diagonal().fill(6);
    y.copy_from(x.transpose());
    x(0) = x(0).flip();  // over itself
    x(2, kr::range(1, kr::end)) = x(2, kr::range(0, kr::end - 1));
    const auto squares = kr::diag(y(0));  // made of zeros
    y(kr::range(0, 3)) += squares;
  });
  EXPECT_EQ(std::vector<float>(x.to_host()), std::vector<float>(12, 1))
      << "nothing runs while recording";
  EXPECT_EQ(std::vector<float>(z.to_host()), std::vector<float>(12, 3));
  const std::vector<float> last{7, 7, 7, 6, 7, 6, 5, 7, 7, 7, 7, 6};
  for (int time = 0; time < 3; ++time) {
    const std::vector<float> before(x.to_host());
    g.launch();
    EXPECT_EQ(std::vector<float>(z.to_host()), before);
    EXPECT_EQ(std::vector<float>(x.to_host()), last);
    EXPECT_EQ(std::vector<float>(y.to_host()),
              (std::vector<float>{12, 7, 7, 7, 13, 7, 7, 5, 13, 7, 7, 7}));
    x.fill(float(time));
  }
  kr::array<double> wide(100);
  const kr::array<double> ones = kr::ones<double>(100);
  kr::graph more([&] {
    wide.copy_from(ones);
    wide(kr::range(0, 100, 2)) = 4.0;
  });
  EXPECT_GE(more.size(), 2u);
  for (int time = 0; time < 2; ++time) {
    wide.fill(0);
    more.launch();
    EXPECT_EQ(double(kr::sum(wide)), 250);
  }
}

TEST(Graphs, RefuseWhatPassesThroughTheHost) {
  kr::array<float> x = numbers(4, 1);
  const std::vector<float> given(4);
  const auto refused = [&](const std::string& what, const auto& f) {
    expect_usage({what + " while a graph is being recorded"}, [&] { kr::graph g(f); });
  };
  refused("elements are copied from the host", [&] { x.copy_from(given); });
  refused("elements are copied from the host", [&] { kr::to_device(given); });
  const std::string id = kr::device().id();
  const kr::device elsewhere = kr::device::find(id == "interpreter" ? "cpu" : "interpreter");
  refused("elements are copied from device to device", [&] { x.copy(elsewhere); });
  if (id == "cpu")
    refused("a library of linear algebra is called", [&] { kr::inv(x.reshape(2, 2)); });
  x.fill(1);  // the thread's own again
  EXPECT_EQ(float(kr::sum(x)), 4);
}

}  // namespace
