// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_algorithms          the ranks of a launcher
//   krait_dist_algorithms RANKS    threads of this process
// Every algorithm of krait/dist/algorithms.h against Krait's own on the whole array, which each
// rank computes. Elements are small integers where their order would matter.
#include <cmath>
#include <complex>
#include <vector>

#include <krait/algorithm.h>
#include <krait/algorithm/einsum.h>
#include <krait/dist/algorithms.h>

#include "dist/checks.h"
namespace kr = krait;
using dist_test::error_of;
using dist_test::everywhere;
using kr::dist::block;
using kr::dist::whole;

namespace {

template <class Elem, int Rank>
bool equal(const kr::dist::array<Elem, Rank>& a, const kr::array<Elem, Rank>& wanted) {
  const auto got = everywhere(a);
  for (int d = 0; d < Rank; ++d)
    if (got.extent(d) != wanted.extent(d)) return false;
  return got.to_host() == wanted.to_host();
}
template <class Elem, int Rank>
double distance(const kr::dist::array<Elem, Rank>& a, const kr::array<Elem, Rank>& wanted) {
  const auto x = everywhere(a).to_host(), y = wanted.to_host();
  if (x.size() != y.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, double(std::abs(x[i] - y[i])));
  return most;
}
auto value_at(auto i, auto j) { return kr::cast<double>((i * 31 + j * 7) % 23 - 11); }

const auto larger = [](auto p, auto q) { return kr::max(p, q); };

void two_dimensions(kr::dist::world& ranks, std::int64_t m, std::int64_t n, int layout) {
  const std::string where = std::to_string(ranks.size()) + " ranks, " + std::to_string(m) + " x " +
                            std::to_string(n) + ", layout " + std::to_string(layout);
  const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block};
  // A halo, so that what is owned is the interior of an array; blocks of one element have room.
  const bool halo = m >= 2 * ranks.size() && n >= 2 * ranks.size();
  kr::dist::array<double, 2> a(ranks, {m, n}, words, kr::dist::halo(halo ? 1 : 0));
  kr::dist::fill(a, [](auto i, auto j) { return value_at(i, j); });
  const kr::array<double, 2> one = everywhere(a);
  EXPECT(m * n == 0 || one(m - 1, n - 1) == double(((m - 1) * 31 + (n - 1) * 7) % 23 - 11));

  for (const auto other : {0, 1, 2, 3}) {
    const kr::dist::along to[] = {other & 1 ? whole : block, other & 2 ? whole : block};
    const auto moved = kr::dist::redistribute(a, to);
    EXPECT(equal(moved, one));
    EXPECT(equal(kr::dist::transpose(a, to), one.transpose().copy()));
    auto back = kr::dist::like(a);
    kr::dist::redistribute(moved, back);
    EXPECT(back.owned().to_host() == a.owned().to_host());
  }
  EXPECT(equal(kr::dist::transpose(a), one.transpose().copy()));
  for (int d = 0; d < 2; ++d) {
    EXPECT(equal(kr::sum(a, kr::axis(d)), kr::sum(one, kr::axis(d))));
    EXPECT(equal(kr::sum(a * 2.0, d - 2), kr::sum(one * 2.0, kr::axis(d))));
    EXPECT(equal(kr::cumsum(a, kr::axis(d)), kr::cumsum(one, kr::axis(d))));
    EXPECT(equal(kr::cumprod(a * a * 0.0 + 2.0, kr::axis(d)),
                 kr::cumprod(one * one * 0.0 + 2.0, kr::axis(d))));
    EXPECT(equal(kr::inclusive_scan(a, larger, kr::axis(d)),
                 kr::inclusive_scan(one, larger, kr::axis(d))));
    EXPECT(equal(kr::sort(a, kr::axis(d)), kr::sort(one, kr::axis(d))));
    if ((d == 0 ? m : n) > 0) {
      EXPECT(equal(kr::min(a, kr::axis(d)), kr::min(one, kr::axis(d))));
      EXPECT(equal(kr::max(a, kr::axis(d)), kr::max(one, kr::axis(d))));
      EXPECT(equal(kr::mean(a, kr::axis(d)), kr::mean(one, kr::axis(d))));
    }
  }
  EXPECT(equal(kr::histogram(a, 5), kr::histogram(one, 5)));
  EXPECT(equal(kr::histogram(a, 7, -3.0, 8.0), kr::histogram(one, 7, -3.0, 8.0)));

  // Sums of small integers are exact in any order.
  const auto b = kr::dist::transpose(a);
  EXPECT(equal(kr::matmul(a, b), kr::matmul(one, one.transpose().copy())));
  const auto turned = one.transpose().copy();
  EXPECT(equal(kr::einsum<"ij,jk->ik">(a, b), kr::einsum<"ij,jk->ik">(one, turned)));
  EXPECT(equal(kr::einsum<"ij,kj->ik">(a, a), kr::einsum<"ij,kj->ik">(one, one)));
  EXPECT(equal(kr::einsum<"ji,jk->ki">(a, a * 1.0), kr::einsum<"ji,jk->ki">(one, one)));
  EXPECT(equal(kr::einsum<"ji,kj->ik">(a, b), kr::einsum<"ji,kj->ik">(one, turned)));
  kr::dist::array<double> v(ranks, {n});
  kr::dist::fill(v, [](auto i) { return value_at(i, i); });
  EXPECT(equal(kr::matmul(a, v), kr::matmul(one, everywhere(v))));
  kr::dist::array<double> w(ranks, {m});
  w = 2.0;
  EXPECT(equal(kr::matmul(b, w), kr::matmul(turned, everywhere(w))));
  if (m * n > 0) {
    EXPECT(distance(kr::fft2(a), kr::fft2(one)) < 1e-11 * double(m * n));
    EXPECT(distance(kr::fft(a, kr::axis(0)), kr::fft(one, kr::axis(0))) < 1e-11 * double(m));
    EXPECT(distance(kr::fft(a), kr::fft(one)) < 1e-11 * double(n));
    EXPECT(distance(kr::ifftn(kr::fftn(a, "ortho"), "ortho"),
                    kr::array<std::complex<double>, 2>(kr::cast<std::complex<double>>(one))) <
           1e-12);
  }

  if (n > 0) {
    const auto half = kr::rfft(a);
    EXPECT(distance(half, kr::rfft(one)) < 1e-11 * double(n));
    EXPECT(distance(kr::irfft(half, kr::axis(1), kr::points(n)), one) < 1e-12);
  }
  if (m > 0) {
    EXPECT(distance(kr::rfft(a, kr::axis(0), kr::points(m + 1), "ortho"),
                    kr::rfft(one, kr::axis(0), kr::points(m + 1), "ortho")) < 1e-11 * double(m));
    const auto spectrum = kr::cast<std::complex<double>>(a);
    if (m > 1)
      EXPECT(distance(kr::irfft(spectrum, kr::axis(0)),
                      kr::irfft(kr::eval(kr::cast<std::complex<double>>(one)), kr::axis(0))) <
             1e-12 * double(m));
  }
  for (int d = 0; d < 2; ++d) {
    EXPECT(equal(kr::sort(a, kr::axis(d), kr::descending),
                 kr::sort(one, kr::axis(d), kr::descending)));
    EXPECT(equal(kr::argsort(a, kr::axis(d)), kr::argsort(one, kr::axis(d))));
    EXPECT(equal(kr::exclusive_scan(a, -3.0, larger, kr::axis(d)),
                 kr::exclusive_scan(one, -3.0, larger, kr::axis(d))));
  }
  EXPECT(equal(kr::einsum<"ij->ji">(a), turned));
  EXPECT(equal(kr::einsum<"ij->j">(a), kr::sum(one, kr::axis(0))));
  EXPECT(equal(kr::einsum<"ij,ij->i">(a, a), kr::einsum<"ij,ij->i">(one, one)));
  EXPECT(equal(kr::einsum<"ij,kj->ikj">(a, a), kr::einsum<"ij,kj->ikj">(one, one)));
  EXPECT(kr::einsum<"ij,ji->">(a, b) == kr::einsum<"ij,ji->">(one, turned));
  EXPECT((kr::einsum<"ij,j,i->">(a, v, w)) ==
         (kr::einsum<"ij,j,i->">(one, everywhere(v), everywhere(w))));
  const auto square = kr::matmul(a, b);
  EXPECT(kr::einsum<"ii">(square) == kr::einsum<"ii">(everywhere(square)));
  EXPECT(equal(kr::einsum<"ii->i">(square), kr::einsum<"ii->i">(everywhere(square))));

  const auto [sum, squares] = kr::sum(a, a * a);
  EXPECT(sum == kr::sum(one) && squares == kr::sum(one * one));
  const auto clip = kr::vectorize([](auto x, auto y) { return kr::select(x < y, x, y); });
  EXPECT(equal(kr::dist::apply(clip, a, 3.0), clip(one, 3.0)));
  kr::dist::array<double, 2> chosen = kr::where(a > 0.0, a, -1.0);
  EXPECT(equal(chosen, kr::eval(kr::where(one > 0.0, one, -1.0))));
}

/// Weights of one rank's interior, and those that reach around the ends.
void convolutions(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, convolutions";
  for (const bool wraps : {false, true})
    for (const auto& size : {std::pair(3, 3), {1, 2}, {4, 5}}) {
      const auto rim = kr::dist::halo(2);
      kr::dist::array<double, 2> a(ranks, {18, 25}, wraps ? rim.periodic() : rim);
      kr::dist::fill(a, [](auto i, auto j) { return value_at(i, j); });
      const kr::array<double, 2> one = everywhere(a);
      kr::array<double, 2> weights({size.first, size.second});
      weights = kr::arange<double>(size.first * size.second).reshape(size.first, size.second);
      // the default device may be another
      kr::array<double, 2> near(weights.shape(), ranks.device());
      near.copy_from(weights);
      const kr::border at = wraps ? kr::border::wrap : kr::border::constant;
      EXPECT(equal(kr::convolve(a, weights), kr::convolve(one, near, at)));
      EXPECT(equal(kr::correlate(a, weights), kr::correlate(one, near, at)));
    }
  kr::dist::array<float> line(ranks, {40}, kr::dist::halo(1));
  kr::dist::fill(line, [](auto i) { return kr::cast<float>(i * 7 % 5); });
  kr::array<float> three(3), five(5);
  three = kr::to_device({1.0f, -2.0f, 4.0f}), five.fill(1);
  kr::array<float> near(3, ranks.device());
  near.copy_from(three);
  EXPECT(
      equal(kr::convolve(line, three), kr::convolve(everywhere(line), near, kr::border::constant)));
  EXPECT(error_of([&] { (void)kr::correlate(line, five); }) ==
         "kr::correlate: it reaches 2 elements along axis 0, but the array has a halo of 1");
}

template <class Elem>
void one_dimension(kr::dist::world& ranks, std::int64_t n, bool replicated) {
  const std::string where = std::to_string(ranks.size()) + " ranks, " + std::to_string(n);
  kr::dist::array<Elem> a(ranks, {n}, {replicated ? whole : block});
  kr::dist::fill(a, [](auto i) { return kr::cast<Elem>((i * 7919) % 101 % 37 - 18); });
  const kr::array<Elem> one = everywhere(a);
  EXPECT(equal(kr::sort(a), kr::sort(one)));
  EXPECT(equal(kr::sort(a, kr::descending), kr::sort(one, kr::descending)));
  EXPECT(equal(kr::argsort(a), kr::argsort(one)));  // equal elements keep their order
  EXPECT(equal(kr::argsort(a, kr::descending), kr::argsort(one, kr::descending)));
  EXPECT(equal(kr::exclusive_scan(
                   a, 7, [](auto p, auto q) { return p + q; }, kr::axis(0)),
               kr::exclusive_scan(one, Elem(7), [](auto p, auto q) { return p + q; })));
  EXPECT(equal(kr::unique(a), kr::unique(one)));
  EXPECT(equal(kr::cumsum(a), kr::cumsum(one)));
  EXPECT(equal(kr::inclusive_scan(a, larger, kr::axis(0)), kr::inclusive_scan(one, larger)));
  EXPECT(equal(kr::histogram(a, 9), kr::histogram(one, 9)));
  a = Elem(3);  // all equal
  EXPECT(equal(kr::sort(a), everywhere(a)));
  EXPECT(kr::unique(a).size() == (n > 0));
}

void three_dimensions(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, three dimensions";
  for (const int layout : {0, 2, 4, 6, 7}) {
    const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block,
                                     layout & 4 ? whole : block};
    kr::dist::array<float, 3> a(ranks, {8, 7, 130}, words, kr::dist::halo(1, 0, 2));
    kr::dist::fill(a, [](auto i, auto j, auto k) { return (i * 31 + j * 7 + k * 3) % 23 - 11; });
    const kr::array<float, 3> one = everywhere(a);
    EXPECT(kr::sum(a) == kr::sum(one) && kr::max(a) == kr::max(one));
    for (int d = 0; d < 3; ++d) {
      EXPECT(equal(kr::sum(a, kr::axis(d)), kr::sum(one, kr::axis(d))));
      EXPECT(equal(kr::max(a, kr::axis(d)), kr::max(one, kr::axis(d))));
      EXPECT(equal(kr::cumsum(a, kr::axis(d)), kr::cumsum(one, kr::axis(d))));
      EXPECT(equal(kr::sort(a, kr::axis(d)), kr::sort(one, kr::axis(d))));
    }
    EXPECT(distance(kr::fftn(a), kr::fftn(one)) < 1e-2);
    for (int d = 0; d < 3; ++d)
      EXPECT(distance(kr::rfft(a, kr::axis(d)), kr::rfft(one, kr::axis(d))) < 1e-2);
    EXPECT(equal(kr::einsum<"abc,dbc->ad">(a, a), kr::einsum<"abc,dbc->ad">(one, one)));
    EXPECT(equal(kr::einsum<"abc->cab">(a), kr::einsum<"abc->cab">(one)));
    EXPECT(distance(kr::fft2(a), kr::fft2(one)) < 1e-2);
  }
}

/// NaN is last in both orders.
void nan_in_order(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, NaN";
  kr::dist::array<float> a(ranks, {500});
  kr::dist::fill(a, [](auto i) {
    return kr::select(i % 7 == 0, kr::cast<float>(NAN), kr::cast<float>(i * 13 % 40));
  });
  const auto bits = [](const kr::dist::array<float>& x) { return everywhere(x); };
  for (const bool falling : {false, true}) {
    const auto sorted = falling ? kr::sort(a, kr::descending) : kr::sort(a);
    const auto wanted = falling ? kr::sort(everywhere(a), kr::descending) : kr::sort(everywhere(a));
    const auto got = bits(sorted);
    EXPECT(kr::sum(kr::cast<int>(got == wanted)) == 428);
    EXPECT(kr::sum(kr::cast<int>(got(kr::range(428, 500)) != got(kr::range(428, 500)))) == 72);
  }
  EXPECT(equal(kr::argsort(a, kr::descending), kr::argsort(everywhere(a), kr::descending)));
}

/// The numbers that a generator of one process gives.
void random_numbers(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, random numbers";
  kr::dist::generator random(42);
  kr::generator one(42);
  kr::dist::array<float, 2> a(ranks, {7, 9}, kr::dist::halo(1, 0));
  kr::dist::array<double, 3> b(ranks, {3, 4, 5});
  kr::dist::array<int> c(ranks, {33});
  random.normal(a), random.uniform(b, 1.0, 3.0), random.integers(c, -5, 100);
  EXPECT(equal(a, one.normal<float>({7, 9})));
  EXPECT(equal(b, one.uniform<double>({3, 4, 5}, 1.0, 3.0)));
  EXPECT(equal(c, one.integers<int>(33, -5, 100)));
  random.uniform(a), random.normal(b, 2.0, 0.5);
  EXPECT(equal(a, one.uniform<float>({7, 9})));
  EXPECT(equal(b, one.normal<double>({3, 4, 5}, 2.0, 0.5)));
}

/// The bits of a product of numbers that round are those of one rank.
void same_bits(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, bits of a product";
  const auto product = [](kr::dist::world& on, std::int64_t m, std::int64_t k, std::int64_t n) {
    kr::dist::generator random(7);
    kr::dist::array<float, 2> a(on, {m, k}), b(on, {k, n});
    random.normal(a), random.normal(b);
    return everywhere(kr::matmul(a, b)).to_host();
  };
  // Blocks of few rows and columns, too.
  const std::int64_t shapes[][3] = {{45, 1300, 38}, {10, 1300, 10}, {16, 300, 16}, {3, 300, 50}};
  for (const auto& s : shapes) {
    std::vector<float> alone;
    kr::dist::run(1, [&](kr::dist::world& one) { alone = product(one, s[0], s[1], s[2]); });
    EXPECT(product(ranks, s[0], s[1], s[2]) == alone);
  }
}

void refusals(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, refusals";
  kr::dist::array<double, 2> a(ranks, {4, 6}), none(ranks, {0, 6});
  kr::dist::array<double> v(ranks, {5});
  EXPECT(error_of([&] { (void)kr::matmul(a, a); }) ==
         "kr::matmul: the operands have the shapes (4,6) and (4,6): the last extent of the first "
         "must be the first of the second");
  EXPECT(error_of([&] { (void)kr::matmul(a, v); }) ==
         "kr::matmul: the operands have the shapes (4,6) and (5,): the last extent of the first "
         "must be the first of the second");
  EXPECT(error_of([&] { (void)kr::max(none, kr::axis(0)); }) ==
         "kr::max: an axis without elements has no smallest and no largest one");
  EXPECT(error_of([&] { (void)kr::sum(a, kr::axis(2)); }) ==
         "axis 2 is out of bounds for array of dimension 2");
  auto b = kr::dist::transpose(a);
  EXPECT(error_of([&] { kr::dist::redistribute(a, b); }) ==
         "kr::dist::redistribute: the arrays have the shapes (4,6) and (6,4)");
  EXPECT(error_of([&] {
           (void)kr::dist::redistribute(a, {block, block}, kr::dist::halo(-1));
         }) == "kr::dist::array: axis 0 has a halo of -1");
  EXPECT(error_of([&] { (void)kr::einsum<"ij,ij->j">(a, kr::dist::transpose(a)); }) ==
         "kr::einsum: the axes i have 4 and 6 elements");
  kr::dist::run(1, [&](kr::dist::world& other) {
    kr::dist::array<double, 2> far(other, {4, 6});
    EXPECT(error_of([&] { kr::dist::redistribute(a, far); }) ==
           "kr::dist::redistribute: the operands belong to two kr::dist::world");
    EXPECT(error_of([&] { (void)kr::matmul(a, far); }) ==
           "kr::matmul: the operands belong to two kr::dist::world");
  });
  ranks.barrier();
}

/// The halo of the neighbours after wait(), and what is refused before it.
void overlapped(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, overlapped";
  kr::dist::array<double, 2> a(ranks, {12, 15}, kr::dist::halo(1).periodic()),
      c(ranks, {12, 15}, kr::dist::halo(1).periodic());
  kr::dist::fill(a, [](auto i, auto j) { return value_at(i, j); });
  kr::dist::fill(c, [](auto i, auto j) { return value_at(i, j); });
  kr::dist::exchange(c);
  const std::int64_t numbers = 180;
  {
    auto coming = kr::dist::exchange_begin(a);
    const char* const said =
        ": an exchange is under way: call wait() on the result of kr::dist::exchange_begin first";
    EXPECT(error_of([&] { (void)kr::dist::transpose(a); }) ==
           "kr::dist::transpose" + std::string(said));
    EXPECT(error_of([&] { (void)kr::dist::gather(a); }) == "kr::dist::gather" + std::string(said));
    EXPECT(error_of([&] { kr::dist::exchange(c); }) == "kr::dist::exchange" + std::string(said));
    EXPECT(kr::sum(a * 0.0 + 1.0) == double(numbers));  // small messages are no others' memory
    coming.wait();
  }
  EXPECT(a.local().to_host() == c.local().to_host());
  { auto dropped = kr::dist::exchange_begin(a); }
  kr::dist::exchange(a);
  EXPECT(a.local().to_host() == c.local().to_host());
}

/// Results that are long enough for each rank to reduce a part of them.
void long_reductions(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, long";
  const std::int64_t n = 20011;
  for (const std::int64_t rows : {1, 3, 8}) {
    kr::dist::array<double, 2> a(ranks, {rows, n}, {block, whole});
    kr::dist::fill(a, [](auto i, auto j) { return value_at(i, j); });
    const kr::array<double, 2> one = everywhere(a);
    EXPECT(equal(kr::sum(a, kr::axis(0)), kr::sum(one, kr::axis(0))));
    EXPECT(equal(kr::max(a, kr::axis(0)), kr::max(one, kr::axis(0))));
    EXPECT(equal(kr::mean(a * 2.0, kr::axis(0)), kr::mean(one * 2.0, kr::axis(0))));
    // Shares that are boxes of rows and columns.
    using number = std::complex<float>;
    kr::dist::array<number, 3> b(ranks, {rows, 101, 143}, {block, whole, whole});
    kr::dist::fill(b, [](auto i, auto j, auto k) {
      return kr::value<number>(kr::cast<float>(i * 100 + j - k), kr::cast<float>(i - k));
    });
    EXPECT(equal(kr::sum(b, kr::axis(0)), kr::sum(everywhere(b), kr::axis(0))));
    kr::dist::array<int, 3> c(ranks, {101, 143, rows}, {whole, whole, block});
    kr::dist::fill(c, [](auto i, auto j, auto k) { return kr::cast<int>(i * 100 + j - k); });
    EXPECT(equal(kr::sum(c, kr::axis(2)), kr::sum(everywhere(c), kr::axis(2))));
    EXPECT(equal(kr::min(c, kr::axis(2)), kr::min(everywhere(c), kr::axis(2))));
  }
}

void all(kr::dist::world& ranks) {
  long_reductions(ranks);
  const std::int64_t shapes[][2] = {{1, 1}, {2, 3}, {17, 23}, {0, 5}, {300, 70}, {31, 530}};
  for (const auto& n : shapes)
    for (const int layout : {0, 1, 2, 3}) two_dimensions(ranks, n[0], n[1], layout);
  for (const std::int64_t n : {0, 1, 2, 5, 97, 1000, 20011})
    for (const bool replicated : {false, true}) {
      one_dimension<float>(ranks, n, replicated);
      one_dimension<std::int64_t>(ranks, n, replicated);
    }
  three_dimensions(ranks);
  convolutions(ranks);
  nan_in_order(ranks);
  random_numbers(ranks);
  same_bits(ranks);
  refusals(ranks);
  overlapped(ranks);
}

}  // namespace

int main(int argc, char** argv) { return dist_test::run(argc, argv, all); }
