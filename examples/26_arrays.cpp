// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole arrays, as NumPy has them: k-means. Points around three centres are made, and the centres are found again without a kernel written
// by hand: broadcasting gives all distances, argmin the nearest centre, and a mask the mean of each centre's points. Then what else arrays
// have: printing, views, indices, methods of functions, and arrays on the memory of the host.
#include <krait/algorithm/compare.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/methods.h>
#include <krait/krait.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

namespace kr = krait;

namespace {

bool failed = false;
void expect(bool holds, const char* what) {
  if (!holds) std::printf("wrong: %s\n", what), failed = true;
}

constexpr int clusters = 3, each = 500, points = clusters * each;

/// A point a row: rings of different radius around the centres.
kr::array<float, 2> make_points(const kr::array<float, 2>& centres) {
  kr::array<float, 2> made = kr::empty<float>({points, 2});
  const kr::array<float> angle = kr::arange(each) * 2.399963f, radius = kr::sqrt(kr::arange<float>(each) / float(each)) * 0.9f;
  for (int c = 0; c < clusters; ++c) {
    auto own = made(kr::range(c * each, (c + 1) * each));
    own(kr::all, 0) = float(centres(c, 0)) + radius * kr::cos(angle);
    own(kr::all, 1) = float(centres(c, 1)) + radius * kr::sin(angle);
  }
  return made;
}

/// The centre that is nearest to each point: distances are of shape (points, clusters), and exist in no array.
kr::array<std::int64_t> nearest(const kr::array<float, 2>& x, const kr::array<float, 2>& centres) {
  const auto dx = x(kr::all, 0)(kr::all, kr::newaxis) - centres(kr::all, 0);
  const auto dy = x(kr::all, 1)(kr::all, kr::newaxis) - centres(kr::all, 1);
  return kr::argmin(dx * dx + dy * dy, kr::axis(1));
}

void find_centres() {
  const kr::array<float, 2> wanted = kr::to_device({0.0f, 0.0f, 5.0f, 1.0f, 2.0f, 6.0f}).reshape(clusters, 2);
  const kr::array<float, 2> x = make_points(wanted);
  kr::array<float, 2> centres = kr::take(x, kr::to_device({10, 600, 1200}));  // to begin with: three of the points
  for (int round = 0; round < 10; ++round) {
    const auto owner = nearest(x, centres);
    for (int c = 0; c < clusters; ++c) {
      const kr::array<bool> own = owner == std::int64_t(c);
      centres(c) = kr::mean(x, kr::axis(0), kr::where(own(kr::all, kr::newaxis)));
    }
  }
  std::cout << "centres:\n" << centres << "\nspread of x and y: " << kr::stddev(x, kr::axis(0)) << "\n";
  expect(kr::allclose(centres, wanted, {.rtol = 0, .atol = 0.05}), "the centres");
  auto counts = kr::zeros<int>(clusters);
  const auto plus = kr::vectorize([](auto a, auto b) { return a + b; });
  plus.at(counts, nearest(x, centres), 1);  // a histogram: equal indices add up
  std::cout << "points of each: " << counts << "\n";
  expect(kr::array_equal(counts, kr::full(clusters, each)), "the numbers of points");
}

void methods() {
  const auto times = kr::vectorize([](auto a, auto b) { return a * b; });
  const auto table = times.outer(kr::arange(1, 10), kr::arange(1, 10));
  std::cout << "a table of products:\n" << table << "\n";
  expect(int(table(8, 8)) == 81 && times.reduce(kr::arange(1, 11)) == 3628800, "products");
  const kr::array<int> even = table(table % 2 == 0);
  std::cout << even.size() << " of them are even, the last three: " << even(kr::range(-3, kr::none)) << "\n";
  expect(even.size() == 56, "the number of even products");
  const kr::array<double> wave = kr::sin(kr::linspace(0, 6.25, 2001));
  std::cout << "a long array: " << wave << "\n";
}

/// Memory of the host, used in place: strides may be of any sign, so it can be seen upside down.
void in_place() {
  std::vector<float> rows{1, 2, 3, 4, 5, 6};
  const auto address = reinterpret_cast<std::uint64_t>(rows.data());
  auto a = kr::array<float, 2>::wrap(address, {3, 2}, kr::device::cpu());
  a.flip(0)(0) *= 10.0f;  // the last row
  expect(rows == std::vector<float>{1, 2, 3, 4, 50, 60}, "arrays on the host's memory");
}

}  // namespace

int main() {
  try {
    find_centres();
    methods();
    in_place();
  } catch (const kr::error& e) {
    return std::printf("%s\n", e.message()), 1;
  }
  return failed;
}
