// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of docs/coming-from-numpy.md, run. `// section: …` begins a table, `// row: LEFT -- note` a row, whose right side is the code up to
// what compares its result. docs/make_tables.py writes them into the page; the test docs.tables holds the page to this file.
#include <krait/algorithm/sparse.h>
#include <krait/numpy.h>

#include "rows.h"

namespace kr = krait;
using rows::expect;
using rows::has;

static void creation() {
  const std::vector<float> v{1, 2, 3};
  // section: Making arrays
  // row: np.array([1, 2, 3]) -- the element type is that of the numbers
  auto a = kr::to_device({1, 2, 3});
  has(a, {1, 2, 3});
  // row: np.array([1, 2.5]), np.array([1, 2], np.uint8) -- numbers of several types are doubles
  auto mixed = kr::to_device({1, 2.5});
  auto bytes = kr::to_device<std::uint8_t>({1, 2});
  expect(mixed(1) == 2.5 && bytes(1) == 2);
  // row: cp.asarray(v) -- copies; `kr::wrap(v.data(), {3})` shares memory of the host on the CPU
  kr::array<float> d = kr::to_device(v);
  has(d, {1, 2, 3});
  // row: cp.asnumpy(d), d.get() -- waits for the work on `d`
  std::vector<float> h = d.to_host();
  has(h, {1, 2, 3});
  // row: np.zeros((2, 3), np.float32)
  auto z = kr::zeros<float>({2, 3});
  has(z, {0, 0, 0, 0, 0, 0});
  // row: np.ones(4)
  auto o = kr::ones<double>(4);
  has(o, {1, 1, 1, 1});
  // row: np.empty((2, 3))
  auto e = kr::empty<float>({2, 3});
  expect(e.size() == 6);
  // row: np.full((2, 2), 7.5)
  auto f = kr::full({2, 2}, 7.5);
  has(f, {7.5, 7.5, 7.5, 7.5});
  // row: np.zeros_like(f)
  auto like = kr::zeros_like(f);
  has(like, {0, 0, 0, 0});
  // row: np.arange(0, 10, 3)
  auto steps = kr::arange(0, 10, 3);
  has(steps, {0, 3, 6, 9});
  // row: np.linspace(0, 1, 5)
  auto points = kr::linspace(0, 1, 5);
  has(points, {0, 0.25, 0.5, 0.75, 1});
  // row: np.eye(2)
  auto identity = kr::eye<float>(2);
  has(identity, {1, 0, 0, 1});
  // row: np.diag(a)
  auto diagonal = kr::diag(a);
  has(diagonal, {1, 0, 0, 0, 2, 0, 0, 0, 3});
  // row: np.meshgrid(a, steps)
  auto [gx, gy] = kr::meshgrid(a, steps);
  // row: np.meshgrid(a, steps, indexing="ij")
  auto [gi, gj] = kr::meshgrid(a, steps, kr::indexing::ij);
  expect(gx.extent(0) == 4 && gx.extent(1) == 3 && gy(3, 0) == 9);
  // row: a.copy()
  auto again = a.copy();
  has(again, {1, 2, 3});
}

static void shape() {
  auto a = kr::arange(0.0f, 12.0f).reshape(3, 4);
  auto one = kr::zeros<float>({3, 1});
  // section: Shapes and views
  // row: a.shape -- a `kr::shape<2>`, as `a.extents()`; `a.shape()[0]` is a number
  auto shape = a.shape();
  expect(shape == kr::shape<2>(3, 4));
  // row: a.shape[0], a.shape[1], a.size -- the number of dimensions, `a.ndim`, is part of the type, 1 to 6
  auto [rows, columns, n] = std::tuple(a.extent(0), a.extent(1), a.size());
  expect(rows == 3 && columns == 4 && n == 12 && decltype(a)::rank == 2);
  // row: a.dtype
  using type = decltype(a)::value_type;
  expect(std::is_same_v<type, float>);
  // row: a.reshape(2, -1)
  auto wide = a.reshape(2, -1);
  expect(wide.extent(1) == 6);
  // row: a.ravel()
  auto flat = a.reshape(-1);
  expect(flat.extent(0) == 12);
  // row: a.T
  auto turned = a.transpose();
  expect(turned(3, 0) == 3);
  // row: np.transpose(a, (1, 0))
  auto permuted = a.permute(1, 0);
  expect(permuted(3, 2) == 11);
  // row: np.squeeze(one, 1) -- axes must be named, as the result's rank is part of its type
  auto line = one.squeeze(1);
  expect(line.extent(0) == 3 && decltype(line)::rank == 1);
  // row: np.flip(a, 0)
  auto up = a.flip(0);
  expect(up(0, 0) == 8);
  // row: np.broadcast_to(a, (2, 3, 4))
  auto twice = a.broadcast_to(2, 3, 4);
  expect(twice(1, 2, 3) == 11);
  // row: a.diagonal()
  auto main = a.diagonal();
  has(main, {0, 5, 10});
  // row: a[None] -- `np.expand_dims(a, 0)`
  auto batch = a(kr::newaxis);
  expect(batch.extent(0) == 1 && batch.extent(1) == 3);
  auto x = a(0).copy(), y = a(1).copy();
  // row: np.concatenate([x, y])
  auto both = kr::concatenate(x, y);
  has(both, {0, 1, 2, 3, 4, 5, 6, 7});
  // row: np.stack([x, y]) -- also hstack, vstack; of a container of arrays: `kr::stack(rows)`
  auto stacked = kr::stack(x, y);
  has(stacked, {0, 1, 2, 3, 4, 5, 6, 7});
  // row: np.split(a, 2, axis=1), np.split(x, [1, 3]) -- views, which write to an array that is not const
  auto [left, right] = kr::split<2>(a, kr::axis(1));
  auto [head, middle, tail] = kr::split(x, {1, 3});
  has(right(0), {2, 3});
  has(middle, {1, 2});
  // row: np.repeat(x, 2) -- or by one count per element, `kr::repeat(x, counts)`
  auto repeated = kr::repeat(x, 2);
  has(repeated, {0, 0, 1, 1, 2, 2, 3, 3});
  // row: np.tile(x, (2, 1)) -- `kr::tile` is a part of a matrix in a kernel
  auto tiled = kr::tiled(x, 2, 1);
  has(tiled, {0, 1, 2, 3, 0, 1, 2, 3});
  // row: np.roll(x, 1)
  auto rolled = kr::roll(x, 1);
  has(rolled, {3, 0, 1, 2});
  // row: np.pad(x, 1, mode="reflect")
  auto padded = kr::pad(x, 1, "reflect");
  has(padded, {1, 0, 1, 2, 3, 2});
  // row: np.rot90(a)
  auto quarter = kr::rot90(a);
  has(quarter(0), {3, 7, 11});
  // row: np.tril(a), np.triu(a, 1)
  auto lower = kr::tril(a);
  auto upper = kr::triu(a, 1);
  has(lower(1), {4, 5, 0, 0});
  has(upper(1), {0, 0, 6, 7});
  // row: np.indices((2, 2)), np.fromfunction(f, (2, 2))
  auto at = kr::indices({2, 2});
  auto sums = kr::fromfunction<float>([](auto i, auto j) { return i + j; }, {2, 2});
  has(at, {0, 0, 1, 1, 0, 1, 0, 1});
  has(sums, {0, 1, 1, 2});
  // row: np.logspace(0, 2, 3), np.geomspace(1, 100, 3)
  auto decades = kr::logspace(0, 2, 3);
  auto ratios = kr::geomspace(1, 100, 3);
  has(decades, {1, 10, 100}, 1e-12);
  has(ratios, {1, 10, 100}, 1e-12);
}

static void indexing() {
  auto a = kr::arange(0.0f, 12.0f).reshape(3, 4);
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  auto i = kr::to_device({2, 0});
  // section: Indexing
  // row: a[1, 2] -- waits for the element; in an expression with arrays it does not
  float element = a(1, 2);
  expect(element == 6);
  // row: a[1]
  auto row = a(1);
  has(row, {4, 5, 6, 7});
  // row: a[:, 1]
  auto column = a(kr::all, 1);
  has(column, {1, 5, 9});
  // row: a[1:, :-1]
  auto inner = a(kr::range(1, kr::end), kr::range(0, -1));
  has(inner, {4, 5, 6, 8, 9, 10});
  // row: x[::2]
  auto even = x(kr::range(0, kr::end, 2));
  has(even, {3, 2});
  // row: x[::-1]
  auto back = x(kr::range(kr::none, kr::none, -1));
  has(back, {4, 2, 1, 3});
  // row: a[i] -- a list of rows; `auto r = a(i)` is a selection, not yet an array
  kr::array<float, 2> chosen = a(i);
  has(chosen, {8, 9, 10, 11, 0, 1, 2, 3});
  // row: a[:, i] -- also `kr::take(a, i, 1)`
  kr::array<float, 2> columns = a(kr::all, i);
  has(columns, {2, 0, 6, 4, 10, 8});
  // row: `a[r, c]` with two lists -- also with ranges between, and masks of some dimensions
  kr::array<float> pairs = a(kr::to_device({0, 2}), kr::to_device({1, 3}));
  has(pairs, {1, 11});
  // row: np.take_along_axis(a, np.argsort(a), 1)
  auto sorted = kr::take_along_axis(a, kr::argsort(a), 1);
  has(sorted(1), {4, 5, 6, 7});
  // row: np.put_along_axis(a, np.argmax(a, 1, keepdims=True), 7, 1)
  kr::put_along_axis(a, kr::argmax(a, kr::axis(1), kr::keepdims), 7.0f, 1);
  has(a(0), {0, 1, 2, 7});
  a(0, 3) = 3.0f, a(2, 3) = 11.0f;
  // row: a[:, np.array([True, False, False, True])] -- a mask of one dimension; others may be whole, or chosen as well
  kr::array<float, 2> ends = a(kr::all, kr::to_device({true, false, false, true}));
  has(ends, {0, 3, 4, 7, 8, 11});
  // row: x[x > 2] -- waits for the number of elements
  kr::array<float> large = x(x > 2.0f);
  has(large, {3, 4});
  // row: np.flatnonzero(x > 2)
  auto places = kr::flatnonzero(x > 2.0f);
  has(places, {0, 3});
  // row: np.nonzero(a > 9) -- no function: divide the places in C order
  auto flat = kr::flatnonzero(a > 9.0f);
  kr::array<std::int64_t> r = flat / 4, c = flat % 4;
  has(r, {2, 2});
  has(c, {2, 3});
  // row: np.where(x > 2, x, 0)
  kr::array<float> clipped = kr::where(x > 2.0f, x, 0.0f);
  has(clipped, {3, 0, 0, 4});
  // row: a[0] = 1
  a(0) = 1.0f;
  has(a(0), {1, 1, 1, 1});
  // row: a[1, 1:3] += 10
  a(1, kr::range(1, 3)) += 10.0f;
  has(a(1), {4, 15, 16, 7});
  // row: a[:, i] += 1, a[r, c] = 0
  a(kr::all, i) += 1.0f;
  a(kr::to_device({2}), kr::to_device({3})) = 0.0f;
  has(a(2), {9, 9, 11, 0});
  // row: x[(x > 1) & ~(x > 3)] += 1 -- `&&`, `||` and `!` do the same; all give bools
  x((x > 1.0f) & ~(x > 3.0f)) += 1.0f;
  has(x, {4, 1, 3, 4});
  x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  // row: x[x > 2] = 0
  x(x > 2.0f) = 0.0f;
  has(x, {0, 1, 2, 0});
  // row: x[:] = 5, x.fill(5) -- also `x.fill(5.0f)`; views of x see it
  x = 5.0f;
  has(x, {5, 5, 5, 5});
  // row: np.put(a, [5, 6], -1)
  kr::put(a, kr::to_device({5, 6}), -1.0f);
  has(a(1), {5, -1, -1, 7});
  // row: for row in a: … -- views, to read and to write; of one dimension elements, and reading one waits
  for (auto line : a) line *= 2.0f;
  has(a(1), {10, -2, -2, 14});
  // row: for row in a: row[...] = row / 2 -- assigning to the row of a loop writes its elements
  for (auto each : a) each = each / 2.0f;
  has(a(1), {5, -1, -1, 7});
  // row: for number in x.get(): … -- one copy for all; the container has the array's shape, `h(i, j)` and `==`
  auto numbers = x.to_host();
  float all = 0;
  for (float number : numbers) all += number;
  expect(all == 20);
}

static void elements() {
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  auto y = kr::to_device({1.0f, 1.0f, 2.0f, 2.0f});
  auto n = kr::to_device({7, -7, 5, 0});
  // section: Element by element
  // row: np.exp(x) * 2 + x -- an expression: one kernel, launched when it becomes an array
  kr::array<float> z = kr::exp(x) * 2.0f + x;
  has(z, {43.171074, 6.4365637, 16.778112, 113.1963}, 1e-4);
  // row: x += y
  x += y;
  has(x, {4, 2, 4, 6});
  // row: x / y -- integers divide as in C++: see the next row
  kr::array<float> quotient = x / y;
  has(quotient, {4, 2, 2, 3});
  // row: `n / 2` of integers -- NumPy's / is of floats; in C++ 7 / 2 is 3
  kr::array<double> halves = n / 2.0;
  has(halves, {3.5, -3.5, 2.5, 0});
  // row: n // 2 -- rounds down; C++ rounds towards 0
  kr::array<int> floors = kr::cast<int>(kr::floor(n / 2.0));
  has(floors, {3, -4, 2, 0});
  // row: n % 3 -- NumPy's has the sign of the divisor, C++'s that of the number
  kr::array<int> rest = (n % 3 + 3) % 3;
  has(rest, {1, 2, 2, 0});
  // row: x ** y
  kr::array<float> powers = kr::pow(x, y);
  has(powers, {4, 2, 16, 36}, 1e-4);
  // row: x ** 2
  kr::array<float> squares = x * x;
  has(squares, {16, 4, 16, 36});
  // row: np.sqrt(x), np.abs(x), np.log1p(x) -- and the [other functions](operations.md)
  kr::array<float> roots = kr::sqrt(kr::abs(x)) + kr::log1p(y);
  has(roots, {2.6931472, 2.1073608, 3.0986123, 3.548102}, 1e-5);
  // row: np.clip(x, 3, 5)
  kr::array<float> limited = kr::clip(x, 3.0f, 5.0f);
  has(limited, {4, 3, 4, 5});
  // row: np.maximum(x, 3) -- a NaN stays; `kr::max` of two elements prefers the number, as `np.fmax`
  kr::array<float> least = kr::maximum(x, 3.0f);
  has(least, {4, 3, 4, 6});
  // row: x.astype(np.int32)
  kr::array<int> whole = kr::cast<int>(x);
  has(whole, {4, 2, 4, 6});
  // row: (x > 2) & (x < 5) -- `&&` does the same
  kr::array<bool> between = (x > 2.0f) & (x < 5.0f);
  has(between, {1, 0, 1, 0});
  // row: ~(x > 2)
  kr::array<bool> others = !(x > 2.0f);
  has(others, {0, 1, 0, 0});
  // row: np.sign(x), np.nan_to_num(x)
  kr::array<float> signs = kr::sign(x) + kr::nan_to_num(x);
  has(signs, {5, 3, 5, 7});
  // row: np.abs(np.fft.fft(x)), np.angle(z) -- arrays of complex numbers have the operators, sums, products and these functions
  kr::array<float> sizes = kr::abs(kr::fft(x));
  kr::array<float> directions = kr::arg(kr::fft(x));
  expect(sizes(0) == 16 && directions(0) == 0);
  // row: np.isnan(x)
  kr::array<bool> nan = kr::isnan(x);
  has(nan, {0, 0, 0, 0});
  // row: np.round(x) -- ties to even; kr::round is C's, away from zero
  kr::array<float> nearest = kr::rint(x / 4.0f);
  has(nearest, {1, 0, 1, 2});
  // row: np.deg2rad(x)
  kr::array<float> angles = kr::radians(x * 45.0f);
  has(angles, {3.1415927, 1.5707964, 3.1415927, 4.712389}, 1e-5);
  // row: np.vectorize(f), cp.ElementwiseKernel -- compiled for the types of each first call
  auto f = kr::vectorize([](auto a, auto b) { return kr::select(a > b, a - b, 0.0f); });
  kr::array<float> r = f(x, y);
  has(r, {3, 1, 2, 4});
  // row: np.add(x, y, out=z, where=x > 3)
  auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  add.where(x > 3.0f).into(z)(x, y);
  has(z, {5, 6.4365637, 6, 8}, 1e-4);
  // row: np.add.reduce(x), np.add.outer(x, y)
  float all = add.reduce(x);
  kr::array<float, 2> table = add.outer(x, y);
  expect(all == 16 && table(3, 0) == 7);
}

static void reductions() {
  auto a = kr::arange(0.0f, 6.0f).reshape(2, 3);
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  auto y = kr::to_device({1.0f, 1.0f, 2.0f, 2.0f});
  // section: Reductions and scans
  // row: x.sum() -- gives a number, and waits for it; so do all without an axis
  float total = kr::sum(x);
  expect(total == 10);
  // row: a.sum(axis=0) -- stays on the device
  auto sums = kr::sum(a, kr::axis(0));
  has(sums, {3, 5, 7});
  // row: a.mean(axis=1, keepdims=True)
  auto means = kr::mean(a, kr::axis(1), kr::keepdims);
  has(means, {1, 4});
  // row: x.min(), x.max()
  auto [low, high] = std::tuple(kr::min(x), kr::max(x));
  expect(low == 1 && high == 4);
  // row: x.argmin()
  auto place = kr::argmin(x);
  expect(place == 1);
  // row: x.prod()
  float product = kr::prod(x);
  expect(product == 24);
  // row: x.std(), x.var(ddof=1) -- `kr::var` is a mutable local of kernels
  auto [deviation, variance] = std::tuple(kr::stddev(x), kr::variance(x, kr::ddof(1)));
  expect(std::abs(deviation - 1.118034f) < 1e-6f && std::abs(variance - 1.6666666f) < 1e-6f);
  // row: np.any(x > 3), np.all(x > 0)
  bool some = kr::any(x > 3.0f), each = kr::all(x > 0.0f);
  expect(some && each);
  // row: np.count_nonzero(x > 2)
  auto count = kr::count_nonzero(x > 2.0f);
  expect(count == 2);
  // row: np.linalg.norm(x)
  float norm = kr::norm(x);
  expect(std::abs(norm - 5.477226f) < 1e-5f);
  // row: np.sum(x, where=x > 2, initial=1)
  float part = kr::sum(x, kr::where(x > 2.0f), kr::initial(1.0f));
  expect(part == 8);
  // row: np.cumsum(x)
  auto running = kr::cumsum(x);
  has(running, {3, 4, 6, 10});
  // row: np.cumprod(a, axis=1)
  auto products = kr::cumprod(a, kr::axis(1));
  has(products, {0, 0, 0, 3, 12, 60});
  // row: np.maximum.accumulate(x) -- also cummin; `kr::inclusive_scan` takes any associative function
  auto peaks = kr::cummax(x);
  has(peaks, {3, 3, 3, 4});
  // row: np.diff(x), np.gradient(x)
  auto steps = kr::diff(x);
  auto slopes = kr::gradient(x);
  has(steps, {-2, 1, 2});
  has(slopes, {-2, -0.5, 1.5, 2});
  // row: np.interp(x, y, x) -- also trapezoid
  auto between = kr::interp(kr::to_device({0.5f}), kr::to_device({0.0f, 1.0f}), kr::to_device({4.0f, 6.0f}));
  has(between, {5});
  // row: np.median(x), np.percentile(x, 75), np.quantile(a, 0.5, axis=0)
  float median = kr::median(x), upper = kr::percentile(x, 75);
  auto middles = kr::quantile(a, 0.5, kr::axis(0));
  expect(median == 2.5f && upper == 3.25f);
  has(middles, {1.5, 2.5, 3.5});
  // row: np.average(x, weights=y), np.cov(a), np.corrcoef(a)
  float weighted = kr::average(x, y);
  auto covariances = kr::cov(a);
  auto coefficients = kr::corrcoef(a);
  expect(std::abs(weighted - 16.0f / 6) < 1e-6f);
  has(covariances, {1, 1, 1, 1});
  has(coefficients, {1, 1, 1, 1}, 1e-6);
  // row: np.nansum(x), np.nanmean(x), np.nanmax(a, axis=0) -- also nanprod, nanmin, nanstd, nanvar
  float known = kr::nansum(x), mean = kr::nanmean(x);
  auto largest = kr::nanmax(a, kr::axis(0));
  expect(known == 10 && mean == 2.5f);
  has(largest, {3, 4, 5});
  // row: np.bincount(n), np.bincount(n, weights=x) -- `n` holds integers
  auto n = kr::to_device({0, 2, 2, 1});
  auto counts = kr::bincount(n);
  auto weights = kr::bincount(n, x);
  has(counts, {1, 1, 2});
  has(weights, {3, 4, 3});
  // row: np.digitize(x, [1, 2, 3])
  auto digits = kr::digitize(x, {1, 2, 3});
  has(digits, {3, 1, 2, 3});
  // row: np.histogram(x, 2, (0, 5))[0], np.histogram(x, 3)[0] -- gives the counts alone
  auto bins = kr::histogram(x, 2, 0.0, 5.0), own = kr::histogram(x, 3);
  has(bins, {2, 2});
  has(own, {1, 1, 2});
  // row: np.dot(x, y)
  float dot = kr::dot(x, y);
  expect(dot == 16);
}

static void sorting() {
  auto x = kr::to_device({3, 1, 1, 4});
  auto y = kr::to_device({4, 3, 9, 9});
  auto a = kr::to_device({3, 1, 2, 0}).reshape(2, 2);
  // section: Sorting and sets
  // row: np.sort(a, axis=0)
  auto columns = kr::sort(a, kr::axis(0));
  has(columns, {2, 0, 3, 1});
  // row: np.sort(x)[::-1] -- NaN comes last all the same
  auto falling = kr::sort(x, kr::descending);
  has(falling, {4, 3, 1, 1});
  // row: np.argsort(x, kind="stable")
  auto order = kr::argsort(x);
  has(order, {1, 2, 0, 3});
  // row: y[np.argsort(x)]
  auto [keys, values] = kr::sort_by_key(x, y);
  has(keys, {1, 1, 3, 4});
  has(values, {3, 9, 4, 9});
  // row: np.unique(x)
  auto different = kr::unique(x);
  has(different, {1, 3, 4});
  // row: np.unique(x, return_counts=True) -- also unique_inverse, unique_all
  auto [single, often] = kr::unique_counts(x);
  has(often, {2, 1, 1});
  // row: np.lexsort((y, x)) -- the last key counts most
  auto by_both = kr::lexsort(y, x);
  has(by_both, {1, 2, 0, 3});
  // row: np.searchsorted(s, y)
  auto s = kr::sort(x);
  auto where = kr::searchsorted(s, y);
  has(where, {3, 2, 4, 4});
  // row: np.isin(x, y)
  auto member = kr::isin(x, y);
  has(member, {1, 0, 0, 1});
  // row: np.intersect1d(x, y) -- also union1d, setdiff1d, setxor1d
  auto both = kr::intersect1d(x, y);
  has(both, {3, 4});
  // row: np.argpartition(x, -2)[-2:] -- the largest two, sorted, with their places
  auto [largest, places] = kr::top_k(x, 2);
  has(largest, {4, 3});
  has(places, {3, 0});
}

static void products() {
  auto a = kr::to_device({4.0, 1.0, 1.0, 3.0}).reshape(2, 2);
  auto b = kr::to_device({1.0, 2.0});
  auto x = kr::to_device({1.0, 0.0, 0.0, 0.0});
  const bool has_lapack = [&] {
    try {
      kr::det(a);
      return true;
    } catch (const kr::error&) {
      return false;
    }
  }();
  // section: Linear algebra, transforms, random numbers
  // row: a @ b
  auto product = kr::matmul(a, b);
  has(product, {6, 7});
  // row: np.einsum("ij,j->i", a, b)
  auto sums = kr::einsum<"ij,j->i">(a, b);
  has(sums, {6, 7});
  // row: np.outer(b, b), np.inner(b, b), np.kron(a, a) -- also cross, vdot
  auto outer = kr::outer(b, b);
  double inner = kr::inner(b, b);
  auto blocks = kr::kron(a, a);
  has(outer, {1, 2, 2, 4});
  expect(inner == 5 && blocks(0, 0) == 16);
  // row: np.tensordot(a, a, ((1,), (0,)))
  auto contracted = kr::tensordot(a, a, kr::axis(1), kr::axis(0));
  has(contracted, {17, 7, 7, 10});
  // row: np.trace(a)
  double trace = kr::trace(a);
  expect(trace == 7);
  // row: np.fft.fft(x) -- also rfft, ifft, fft2, fftn …
  auto spectrum = kr::fft(x);
  expect(std::complex<double>(spectrum(3)) == 1.0);
  // row: np.fft.fftshift(x), np.fft.fftfreq(4) -- also ifftshift, rfftfreq
  auto centred = kr::fftshift(x);
  auto frequencies = kr::fftfreq(4);
  has(centred, {0, 0, 1, 0});
  has(frequencies, {0, 0.25, -0.5, -0.25});
  // row: np.convolve(x, b) -- also "same", "valid", and borders as scipy.ndimage has them
  auto smooth = kr::convolve(x, b);
  has(smooth, {1, 2, 0, 0, 0});
  // row: scipy.sparse.csr_array(a) @ b -- also coo, bsr, and ELL: [sparse matrices](algorithms.md#sparse-matrices)
  auto sparse_product = kr::matmul(kr::csr_matrix(a), b);
  expect(kr::allclose(sparse_product, kr::matmul(a, b)));
  // row: np.random.default_rng(7) -- other numbers than NumPy's
  kr::generator random(7);
  // row: rng.normal(size=(2, 3))
  auto noise = random.normal<float>({2, 3});
  expect(noise.size() == 6);
  // row: rng.integers(1, 7, size=10)
  auto dice = random.integers(10, 1, 7);
  expect(kr::min(dice) >= 1 && kr::max(dice) <= 6);
  // row: rng.poisson(3, 100), rng.binomial(10, 0.5, 100), rng.gamma(2, 1, 100) -- also beta, exponential, multivariate_normal: [each law](algorithms.md#random-arrays)
  auto events = random.poisson(100, 3);
  auto heads = random.binomial(100, 10, 0.5);
  auto times = random.gamma(100, 2.0, 1.0);
  expect(kr::max(heads) <= 10 && kr::min(events) >= 0 && kr::min(times) > 0);
  // row: rng.multinomial(20, [0.2, 0.8], 100), rng.choice([1, 2], 100, p=[0.2, 0.8])
  auto outcomes = random.multinomial(100, 20, {0.2, 0.8});
  auto drawn = random.choice({1, 2}, 100, true, {0.2, 0.8});
  expect(kr::all(kr::sum(outcomes, 1) == 20) && kr::all(kr::isin(drawn, {1, 2})));
  // row: rng.permutation(5)
  auto cards = random.permutation(5);
  has(kr::sort(cards), {0, 1, 2, 3, 4});
  // row: scipy.fft.dct(x, norm="ortho"), scipy.fft.idct(x) -- types 1 to 4: `kr::dct<3>(x)`
  auto coefficients = kr::dct(x, "ortho");
  auto back = kr::idct(coefficients, "ortho");
  expect(kr::allclose(back, x));
  // row: np.allclose(a, a + 1e-9)
  bool near = kr::allclose(a, a + 1e-9);
  expect(near);
  // row: np.array_equal(a, a)
  bool same = kr::array_equal(a, a);
  expect(same);
  // row: print(a)
  std::puts(kr::to_string(a).c_str());
  // row: with np.printoptions(precision=2, suppress=True): print(a) -- also threshold, edge_items, line_width; of one call
  std::puts(kr::to_string(a, {.precision = 2, .suppress = true}).c_str());
  if (!has_lapack) return;
  // row: np.linalg.solve(a, b) -- by LAPACK or cuSOLVER, opened at the first call
  auto unknowns = kr::solve(a, b);
  has(unknowns, {1.0 / 11, 7.0 / 11}, 1e-12);
  // row: np.linalg.inv(a), np.linalg.det(a)
  auto inverse = kr::inv(a);
  double det = kr::det(a);
  has(inverse, {3.0 / 11, -1.0 / 11, -1.0 / 11, 4.0 / 11}, 1e-12);
  expect(std::abs(det - 11) < 1e-9);
  // row: np.linalg.svd(a), np.linalg.qr(a), np.linalg.eigh(a)
  auto [u, s, vh] = kr::svd(a);
  auto [q, r] = kr::qr(a);
  auto [w, v] = kr::eigh(a);
  has(w, {2.381966, 4.618034}, 1e-6);
  expect(s.size() == 2 && u.size() == 4 && vh.size() == 4 && q.size() == 4 && r.size() == 4 && v.size() == 4);
  // row: np.linalg.lstsq(a, b), np.linalg.pinv(a)
  auto [least, residuals, rank, values] = kr::lstsq(a, b);
  auto pseudo = kr::pinv(a);
  has(least, {1.0 / 11, 7.0 / 11}, 1e-12);
  has(pseudo, {3.0 / 11, -1.0 / 11, -1.0 / 11, 4.0 / 11}, 1e-12);
  expect(rank == 2 && residuals.size() == 0 && values.size() == 2);
  // row: np.linalg.eig(a), np.linalg.eigvalsh(a) -- eigenvalues of eig are complex
  auto [general, vectors] = kr::eig(a);
  auto symmetric = kr::eigvalsh(a);
  has(symmetric, {2.381966, 4.618034}, 1e-6);
  expect(general.size() == 2 && vectors.size() == 4);
  // row: np.linalg.cond(a), np.linalg.matrix_rank(a), np.linalg.slogdet(a)
  double condition = kr::cond(a);
  auto full = kr::matrix_rank(a);
  auto [sign, logdet] = kr::slogdet(a);
  expect(std::abs(condition - 1.9387) < 1e-3 && full == 2 && sign == 1 && std::abs(logdet - std::log(11)) < 1e-12);
  // row: scipy.linalg.expm(a), np.linalg.matrix_power(a, 2)
  auto exponential = kr::expm(a * 0.0);
  auto square = kr::matrix_power(a, 2);
  has(exponential, {1, 0, 0, 1}, 1e-15);  // OpenBLAS divides by reciprocals
  has(square, {17, 7, 7, 10});
}

static void files() {
  const kr::array<float> x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  const kr::array<double, 2> a = kr::eye<double>(2);
  // section: Files
  // row: np.save("x.npy", x), np.load("x.npy") -- `<krait/files.h>`; the type and the rank are named
  kr::save_npy("x.npy", x);
  auto loaded = kr::load_npy<float>("x.npy");
  has(loaded, {3, 1, 2, 4});
  // row: np.load("x.npy", mmap_mode="r") -- on the CPU
  auto mapped = kr::map_npy<float>("x.npy");
  has(mapped, {3, 1, 2, 4});
  const bool has_libraries = [] {
    try {
      kr::save_npz("none.npz", {{"x", kr::zeros<float>(1)}});
      kr::save_hdf5("none.h5", "x", kr::zeros<float>(1));
      kr::save_png("none.png", kr::zeros<std::uint8_t, 2>({2, 2}));
      return true;
    } catch (const kr::error&) {
      return false;
    }
  }();
  if (!has_libraries) return;
  // row: np.savez("all.npz", x=x, a=a) -- also `kr::save_npz_compressed`
  kr::save_npz("all.npz", {{"x", x}, {"a", a}});
  expect(kr::load_npz("all.npz").size() == 2);
  // row: np.load("all.npz")["a"]
  auto member = kr::load_npz("all.npz").load<double, 2>("a");
  has(member, {1, 0, 0, 1});
  // row: h5py.File("run.h5", "a")["x"] = x
  kr::save_hdf5("run.h5", "x", x);
  // row: h5py.File("run.h5")["x"][()]
  auto dataset = kr::load_hdf5<float>("run.h5", "x");
  has(dataset, {3, 1, 2, 4});
  // row: PIL.Image.fromarray(image).save("i.png") -- bytes: (h, w), (h, w, 3) or (h, w, 4)
  kr::save_png("i.png", kr::zeros<std::uint8_t, 3>({4, 5, 3}));
  // row: np.asarray(PIL.Image.open("i.png"))
  auto image = kr::load_png("i.png");
  expect(image.extent(1) == 5);
}

static void cupy() {
  auto x = kr::to_device({3.0f, 1.0f, 2.0f, 4.0f});
  // section: CuPy's own
  // row: cp.ReductionKernel
  float squares = kr::reduce(x.size(), 0.0f, [](auto a, auto b) { return a + b; },
                             [](auto i, auto from) { return from[i] * from[i]; }, x);
  expect(squares == 30);
  // row: cp.fuse -- every expression is fused
  kr::array<float> fused = kr::sqrt(x * x + 1.0f);
  has(fused, {3.1622777, 1.4142135, 2.236068, 4.1231055}, 1e-5);
  // row: cp.RawKernel(source, "f") -- a lambda; text of PTX, SPIR-V or WGSL: [raw kernels](raw-kernels.md)
  auto twice = kr::kernel([](kr::view<float> v) {
    for (auto i : kr::grid_stride(v.size())) v[i] *= 2.0f;
  });
  twice.forall(x.size())(x);
  has(x, {6, 2, 4, 8});
  // row: cp.cuda.Stream()
  kr::stream stream;
  twice.launch({1, 64, stream}, x);
  stream.synchronize();
  has(x, {12, 4, 8, 16});
  // row: cp.cuda.Device(0).synchronize()
  kr::synchronize();
  // row: mempool.used_bytes(), mempool.set_limit(size=n)
  auto used = x.device().memory_use().used;
  x.device().limit_memory(0);
  expect(used >= 16);
  // row: cupyx.scatter_add(x, i, 1) -- `np.add.at`: equal indices all count
  auto add = kr::vectorize([](auto a, auto b) { return a + b; });
  add.at(x, kr::to_device({0, 0}), 1.0f);
  has(x, {14, 4, 8, 16});
  // row: cp.from_dlpack(t), x.__dlpack__() -- `kr::from_dlpack`, `kr::to_dlpack` of `<krait/dlpack.h>`
  auto shared = kr::to_span(x);
  expect(shared.size() == 4);
  // row: with cp.cuda.Device(1): … -- the device is an argument
  auto there = kr::zeros<float>(4, kr::device::cpu());
  expect(there.device() == kr::device::cpu());
}

int main() {
  creation(), shape(), indexing(), elements(), reductions(), sorting(), products(), files(), cupy();
  return rows::result();
}
