// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/algorithms.md: what stands between `// [name]` and `// [/name]` is quoted there (tests/unit/docs_snippets.cpp holds
// it to that), and here it is run.
#include <krait/algorithm/convolve.h>
#include <krait/algorithm/differences.h>
#include <krait/algorithm/fft.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/linalg.h>
#include <krait/algorithm/loops.h>
#include <krait/algorithm/random.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/reduce.h>
#include <krait/algorithm/scan.h>
#include <krait/algorithm/select.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/sort.h>
#include <krait/algorithm/sparse.h>
#include <krait/algorithm/statistics.h>
#include <krait/benchmark.h>
#include <krait/krait.h>
#include <krait/progress.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace kr = krait;

namespace {

int failures = 0;

template <class Elem>
void expect(const kr::array<Elem>& got, const std::vector<std::type_identity_t<std::remove_const_t<Elem>>>& wanted, int line) {
  if (std::vector<std::remove_const_t<Elem>>(got.to_host()) != wanted)
    std::printf("algorithms_snippets.cpp:%d does not hold\n", line), ++failures;
}

void results() {
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1}), names = kr::to_device(std::vector<int>{0, 10, 20, 30});
  kr::array<float, 2> m(2, 2);
  m.copy_from(std::vector<float>{1, 2, 3, 4});
  // [results]
  kr::array<float, 2> sums(2, 2);
  kr::array<int> keys(4), values(4);
  kr::cumsum(m, kr::axis(1), kr::into(sums));                        // {{1, 3}, {3, 7}}
  kr::sum(m, kr::axis(0), kr::into(sums(1)));                        // a view, too: {4, 6}
  kr::sort_by_key(x, names, kr::into(keys, values));
  kr::sort(m, kr::axis(0), kr::descending, kr::into(m));             // in place
  kr::generator(7).integers(4, 1, 7, kr::into(keys));                // after all other arguments
  // [/results]
  expect(sums(0), {1, 3}, __LINE__);
  expect(sums(1), {4, 6}, __LINE__);
  expect(values, {10, 30, 0, 20}, __LINE__);
  expect(m(0), {3, 4}, __LINE__);
}

void scans() {
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1});
  kr::array<float, 2> m(2, 2);
  m.copy_from(std::vector<float>{1, 2, 3, 4});
  // [scans]
  auto sums = kr::cumsum(x);                                         // {3, 4, 8, 9}: integers in 64 bits
  auto before = kr::exclusive_scan(x, 0, [](auto a, auto b) { return a + b; });
  auto largest = kr::inclusive_scan(x, [](auto a, auto b) { return kr::max(a, b); }, kr::initial(2));
  auto of_columns = kr::cumprod(m, kr::axis(0));
  // [/scans]
  expect(sums, {3, 4, 8, 9}, __LINE__);
  expect(before, {0, 3, 4, 8}, __LINE__);
  expect(largest, {3, 3, 4, 4}, __LINE__);
  expect(of_columns(1), {3, 8}, __LINE__);
}

void sorting() {
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1}), names = kr::to_device(std::vector<int>{0, 10, 20, 30});
  // [sorting]
  auto sorted = kr::sort(x);                                         // along the last axis, as in NumPy
  auto places = kr::argsort(x, kr::descending);                      // equal elements keep their order
  auto [keys, values] = kr::sort_by_key(x, names);
  auto by_distance = kr::sort(x, [](auto a, auto b) { return kr::abs(a - 3) < kr::abs(b - 3); });
  // [/sorting]
  expect(sorted, {1, 1, 3, 4}, __LINE__);
  expect(places, {2, 0, 1, 3}, __LINE__);
  expect(keys, {1, 1, 3, 4}, __LINE__);
  expect(values, {10, 30, 0, 20}, __LINE__);
  expect(by_distance, {3, 4, 1, 1}, __LINE__);
}

void choosing() {
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1});
  kr::array<std::int64_t> offsets = kr::to_device(std::vector<std::int64_t>{0, 2, 2, 4});
  // [choosing]
  auto large = kr::copy_if(x, [](auto v) { return v > 2; });          // {3, 4}
  auto [parts, count] = kr::partition(x, [](auto v) { return v > 2; });
  auto different = kr::unique(x);                                    // {1, 3, 4}
  auto [run_values, run_lengths] = kr::run_length_encode(x);
  auto [largest, where] = kr::top_k(x, 2);                           // {4, 3} and {2, 0}
  auto of_segments = kr::segmented_reduce(x, offsets, [](auto a, auto b) { return a + b; }, 0);
  auto in_order = kr::segmented_sort(x, offsets);
  // [/choosing]
  if (count != 2) std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
  expect(large, {3, 4}, __LINE__);
  expect(parts, {3, 4, 1, 1}, __LINE__);
  expect(different, {1, 3, 4}, __LINE__);
  expect(run_values, {3, 1, 4, 1}, __LINE__);
  expect(run_lengths, {1, 1, 1, 1}, __LINE__);
  expect(largest, {4, 3}, __LINE__);
  expect(where, {2, 0}, __LINE__);
  expect(of_segments, {4, 0, 5}, __LINE__);
  expect(in_order, {1, 3, 1, 4}, __LINE__);
}

void sets() {
  kr::array<float> f = kr::to_device(std::vector<float>{0.1f, 0.3f, 0.9f, 1.0f});
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1}), y = kr::to_device(std::vector<int>{4, 1, 7});
  // [sets]
  auto even = kr::histogram(f, 4, 0.0, 1.0);                         // 4 bins of equal width from 0 to 1
  auto own = kr::histogram(f, 3);                                    // from the least element to the largest
  auto uneven = kr::histogram(f, {0.0f, 0.5f, 2.0f});                // bin b is from edge b to edge b + 1
  auto both = kr::intersect1d(x, y);
  auto known = kr::isin(x.reshape(2, 2), {1, 4});                    // kr::array<bool, 2>
  // [/sets]
  expect(even, {1, 1, 0, 2}, __LINE__);
  expect(own, {2, 0, 2}, __LINE__);
  expect(uneven, {2, 2}, __LINE__);
  expect(kr::array<int>(kr::cast<int>(known.reshape(-1))), {0, 1, 1, 1}, __LINE__);
  expect(both, {1, 4}, __LINE__);
}

void random_arrays() {
  // [random]
  kr::generator random(42);
  auto noise = random.normal<float>({480, 640});                     // mean 0, standard deviation 1
  auto angles = random.uniform(100, -1.5f, 1.5f);                    // kr::array<float>
  auto dice = random.integers({2, 50}, 1, 7);                        // 1 to 6
  auto cards = random.permutation(52);                               // 0 to 51
  auto hand = random.choice(cards, 5, false);                        // 5 different ones
  // [/random]
  // [distributions]
  auto u = random.uniform<float>(1000);                              // in [0, 1); also (n, low, high)
  auto g = random.normal<float>(1000, 0.0f, 2.0f);                   // mean, standard deviation
  auto e = random.exponential<float>(1000, 0.5f);                    // scale
  auto gammas = random.gamma<float>(1000, 2.0f, 0.5f);               // shape, scale
  auto betas = random.beta<float>(1000, 2.0f, 5.0f);
  auto sixes = random.integers(1000, 1, 7);                          // from 1 to before 7
  auto arrivals = random.poisson(1000, 3.5);                         // mean
  auto heads = random.binomial(1000, 10, 0.5);                       // trials, probability
  auto outcomes = random.multinomial(1000, 20, {0.2, 0.3, 0.5});     // trials, probabilities: of shape (1000, 3)
  auto loaded = random.choice({1, 2, 3}, 1000, true, {0.5, 0.25, 0.25});
  // [/distributions]
  const float mean = kr::mean(noise);
  const bool holds = mean > -0.01f && mean < 0.01f && angles.size() == 100 && int(kr::min(dice)) == 1 && int(kr::max(dice)) == 6 && hand.size() == 5;
  if (!holds) std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void transforms() {
  kr::array<int> x = kr::to_device(std::vector<int>{3, 1, 4, 1});
  kr::array<float> f = kr::to_device(std::vector<float>{1, 2, 3, 4});
  kr::array<float, 2> m(2, 2);
  m.copy_from(std::vector<float>{1, 2, 3, 4});
  // [transforms]
  auto spectrum = kr::fft(x);                                        // along the last axis: kr::array<std::complex<double>>
  auto half = kr::rfft(f, "ortho");                                  // of real numbers: n / 2 + 1 elements
  auto padded = kr::fft(m, kr::axis(0), kr::points(8));
  auto again = kr::ifft2(kr::fft2(m));
  // [/transforms]
  using complex = std::complex<double>;
  expect(spectrum, {complex(9), complex(-1), complex(5), complex(-1)}, __LINE__);
  expect(half, {std::complex<float>(5), std::complex<float>(-1, 1), std::complex<float>(-1)}, __LINE__);
  expect(again.reshape(4), {1, 2, 3, 4}, __LINE__);
  if (padded.extent(0) != 8) std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void stencils() {
  kr::array<float> f = kr::to_device(std::vector<float>{1, 2, 3, 4}), weights = kr::to_device(std::vector<float>{1, 2, 1});
  kr::array<float, 2> m(2, 2), sobel(1, 3);
  m.copy_from(std::vector<float>{1, 2, 3, 4});
  sobel.copy_from(std::vector<float>{-1, 0, 1});
  // [stencils]
  auto smooth = kr::convolve(f, weights, "same");                    // or "full", "valid": as scipy.signal's
  auto edges = kr::correlate(m, sobel, kr::border::nearest);         // as scipy.ndimage's
  auto next = kr::stencil([](auto at) { return 0.5f * (at(-1, 0) + at(0, 1)); }, m, kr::border::wrap);
  // [/stencils]
  expect(smooth, {4, 8, 12, 11}, __LINE__);
  expect(edges.reshape(4), {1, 1, 1, 1}, __LINE__);
  expect(next.reshape(4), {2.5f, 2.5f, 2.5f, 2.5f}, __LINE__);
}

void sparse() {
  const kr::array<std::int64_t> indptr = kr::to_device(std::vector<std::int64_t>{0, 2, 3}),
                                indices = kr::to_device(std::vector<std::int64_t>{0, 2, 1});
  const kr::array<float> data = kr::to_device(std::vector<float>{1, 2, 3}), column = kr::to_device(std::vector<float>{1, 10, 100});
  // [sparse]
  const kr::csr_matrix<float> a(indptr, indices, data, {2, 3});      // rows as scipy.sparse.csr_array has them
  auto product = kr::matmul(a, column);                              // also of a dense matrix, or a sparse one
  auto slots = a.to_ell();                                           // also to_coo(), to_bsr({2, 3}), to_dense()
  const kr::csr_matrix<float> same(a.to_dense());                    // the elements that are not 0
  // [/sparse]
  expect(kr::matmul(slots, column), {201, 30}, __LINE__);
  expect(kr::matmul(same, column), {201, 30}, __LINE__);
  expect(product, {201, 30}, __LINE__);
}

void linalg() {
  if (std::string(kr::device().id()) != "cpu") return;  // what others have depends on the machine
  const auto s = kr::to_device(std::vector<double>{2, 1, 1, 3}).reshape(2, 2);
  const auto right = kr::to_device(std::vector<double>{3, 4});
  // [linalg]
  kr::array<double> unknowns = kr::solve(s, right);                  // also inv, det, cholesky
  auto [rows, l, u] = kr::lu(s);                                     // s(rows) = l u
  auto [q, r] = kr::qr(s);
  auto [left, values, turned] = kr::svd(s, false);                   // s = left diag(values) turned
  auto [w, v] = kr::eigh(s);
  // [/linalg]
  expect(rows, {0, 1}, __LINE__);
  const auto differs = [](double x, double y) { return std::abs(x - y) > 1e-12; };
  if (differs(unknowns(0), 1) || differs(unknowns(1), 1) || differs(double(l(1, 0)) * double(u(0, 0)), 1) || differs(kr::sum(q * q), 2) ||
      differs(std::abs(double(r(0, 0)) * double(r(1, 1))), 5) || differs(double(values(0)) * double(values(1)), 5) ||
      differs(kr::sum(left * left) + kr::sum(turned * turned), 4) || differs(double(w(0)) + double(w(1)), 5) || differs(kr::sum(v * v), 2))
    std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void loops() {
  constexpr int n = 4;
  const auto f = kr::to_device(std::vector<float>{1, 2, 3, 4});
  auto g = kr::zeros<float>(n);
  // [loops]
  kr::parallel_for(n, [](auto i, auto from, auto to) { to[i] = 2.0f * from[n - 1 - i]; }, f, g);
  float squares = kr::reduce(n, 0.0f, [](auto a, auto b) { return a + b; }, [](auto i, auto from) { return from[i] * from[i]; }, f);
  kr::benchmark_result took = kr::benchmark([&] { g += 1.0f; }, {.runs = 20});
  std::printf("%.3f ms on the device, %.3f ms for the call\n", took.device.mean_ms, took.host.mean_ms);
  // [/loops]
  float total = 0;
  // [progress]
  for (std::int64_t step : kr::progress(100, {.name = "heat"})) total += float(step);  // heat: 42 of 100, 42 %, 1.3 s, 1.8 s to go
  // [/progress]
  if (total != 4950) std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
  if (squares != 30 || took.runs < 20 || float(g(0)) - float(g(3)) != 6) std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

void words() {
  const auto x = kr::to_device({3.0f, 1.0f, 4.0f, 1.0f});
  kr::array<float, 2> a(2, 2);
  a.copy_from(std::vector<float>{1, 2, 3, 4});
  // [rearranging]
  auto both = kr::concatenate(x, x * 2.0f);                          // of 8 elements
  auto wide = kr::hstack(a, a);                                      // of shape (2, 4)
  std::vector<kr::array<float>> rows;                                // arrays in a container, too
  rows.push_back(x.copy()), rows.push_back(x.copy());
  auto table = kr::stack(rows);                                      // of shape (2, 4)
  auto [left, right] = kr::split<2>(wide, kr::axis(1));              // views
  auto framed = kr::pad(a, 1, "edge");                               // of shape (4, 4)
  auto sorted = kr::take_along_axis(a, kr::argsort(a), 1);
  auto more = kr::repeat(x, {1, 0, 2, 1});                           // {3, 4, 4, 1}: a count for each element
  // [/rearranging]
  // [statistics]
  float middle = kr::median(x), high = kr::percentile(x, 75);        // 2 and 3.25
  auto quantiles = kr::quantile(a, {0.0, 0.5}, 0);                   // along axis 0: of shape (2, 2)
  auto coefficients = kr::corrcoef(a);
  float known = kr::nansum(x);                                       // without NaN
  // [/statistics]
  // [samples]
  auto steps = kr::diff(x);                                          // {-2, 3, -3}
  auto slopes = kr::gradient(x, 0.5f);
  auto between = kr::interp(kr::to_device({0.5f}), kr::to_device({0.0f, 1.0f}), x(kr::range(0, 2)));  // {2}
  // [/samples]
  expect(kr::array<float>(both(kr::range(3, 5)).copy()), {1, 6}, __LINE__);
  expect(kr::array<float>(right(1).copy()), {3, 4}, __LINE__);
  expect(framed(3).copy(), {3, 3, 4, 4}, __LINE__);
  expect(steps, {-2, 3, -3}, __LINE__);
  expect(between, {2}, __LINE__);
  if (middle != 2 || high != 3.25f || known != 9 || quantiles.size() != 4 || coefficients.size() != 4 ||
      slopes.size() != 4 || sorted.size() != 4 || left.size() != 4)
    std::printf("algorithms_snippets.cpp:%d does not hold\n", __LINE__), ++failures;
}

}  // namespace

int main() {
  try {
    results();
  scans();
    sorting();
    choosing();
    sets();
    random_arrays();
    transforms();
    stencils();
    sparse();
    linalg();
    loops();
    words();
  } catch (const kr::error& e) {
    return std::printf("%s\n", e.message()), 1;
  }
  return failures;
}
