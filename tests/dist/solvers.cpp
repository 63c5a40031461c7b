// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_solvers          the ranks of a launcher, by ScaLAPACK
//   krait_dist_solvers RANKS    threads of this process
//   krait_dist_solvers refused TEXT    the ranks of a launcher, which cannot: all say the text
// Systems of equations and eigenvalues on all ranks, against Krait's own on the whole array, which
// each rank computes, and by their residuals.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <krait/algorithm/linalg.h>
#include <krait/algorithm/matmul.h>
#include <krait/dist/linalg.h>

#include "dist/checks.h"
namespace kr = krait;
using dist_test::error_of;
using kr::dist::block;
using kr::dist::whole;

namespace {

/// All elements, on each rank.
template <class Elem, int Rank>
std::vector<Elem> numbers_of(const kr::dist::array<Elem, Rank>& a) {
  return dist_test::everywhere(a).to_host();
}
/// A number of a matrix that is far from singular, and not symmetric.
template <class Elem>
Elem number_at(std::size_t i, std::size_t j) {
  const double real = double((i * 31 + j * 17 + i * j) % 29) / 29 - 0.5;
  if constexpr (requires(Elem x) { x.real(); })
    return Elem(typename Elem::value_type(real),
                typename Elem::value_type(double((i * 7 + j * 23) % 31) / 31 - 0.5));
  else return Elem(real);
}
/// The same matrix on all ranks, whose blocks each takes.
template <class Elem, int Rank>
void set(kr::dist::array<Elem, Rank>& a, const std::vector<Elem>& all) {
  std::int64_t extents[2] = {a.extent(0), 1};
  if constexpr (Rank == 2) extents[1] = a.extent(1);
  kr::array<Elem, 2> whole_array({extents[0], extents[1]});
  whole_array.copy_from(all);
  if constexpr (Rank == 2) kr::dist::scatter(whole_array, a);
  else kr::dist::scatter(whole_array.reshape(-1), a);
}
template <class Elem>
double magnitude(const std::vector<Elem>& x) {
  double most = 0;
  for (const Elem& e : x) {
    const double size = double(std::abs(e));
    if (!(size <= most)) most = size;  // NaN, too
  }
  return most;
}
template <class Elem>
constexpr double precision = std::numeric_limits<decltype(std::abs(Elem()))>::epsilon();

template <class Elem>
void systems(kr::dist::world& ranks, std::size_t n, std::size_t columns, int layout) {
  const std::string where = std::to_string(ranks.size()) + " ranks, " + std::to_string(n) +
                            " rows, " + std::to_string(columns) + " right sides, layout " +
                            std::to_string(layout) + ", bytes " + std::to_string(sizeof(Elem));
  const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block},
                        others[] = {layout & 2 ? whole : block, layout & 1 ? whole : block};
  const bool halo = n >= 2 * std::size_t(ranks.size());
  const auto rows = std::int64_t(n), sides = std::int64_t(columns);
  std::vector<Elem> a(n * n), b(n * columns), v(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      a[i * n + j] = number_at<Elem>(i, j) + (i == (j + n / 2) % n ? Elem(float(n)) : Elem(0));
    for (std::size_t j = 0; j < columns; ++j) b[i * columns + j] = number_at<Elem>(i + 5, j);
    v[i] = number_at<Elem>(i, 3);
  }
  kr::dist::array<Elem, 2> matrix(ranks, {rows, rows}, words, kr::dist::halo(halo ? 1 : 0)),
      right(ranks, {rows, sides}, others);
  kr::dist::array<Elem, 1> vector(ranks, {rows}, {words[0]});
  set(matrix, a), set(right, b), set(vector, v);
  const auto x = kr::solve(matrix, right);
  const auto y = kr::solve(matrix, vector);
  EXPECT(x.extent(0) == rows && x.extent(1) == sides && y.extent(0) == rows);
  for (int d = 0; d < 2; ++d) EXPECT(x.how().words[d] == right.how().words[d]);
  EXPECT(y.how().words[0] == vector.how().words[0]);
  // The matrix is as well conditioned as its diagonal is large.
  const auto misses = [&](const std::vector<Elem>& of, const std::vector<Elem>& sides_of,
                          std::size_t count) {
    std::vector<Elem> rest(sides_of.size());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < count; ++k) {
        Elem sum = -sides_of[i * count + k];
        for (std::size_t j = 0; j < n; ++j) sum += a[i * n + j] * of[j * count + k];
        rest[i * count + k] = sum;
      }
    return magnitude(rest);
  };
  EXPECT(misses(numbers_of(x), b, columns) <= 30 * double(n + 1) * precision<Elem>);
  EXPECT(misses(numbers_of(y), v, 1) <= 30 * double(n + 1) * precision<Elem>);
  kr::array<Elem, 2> one({rows, rows});
  kr::array<Elem> one_right({rows});
  one.copy_from(a), one_right.copy_from(v);
  const auto wanted = kr::solve(one, one_right).to_host(), got = numbers_of(y);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, double(std::abs(wanted[i] - got[i])));
  EXPECT(most <= 30 * precision<Elem>);
  EXPECT(numbers_of(matrix) == a && numbers_of(right) == b);  // they are not written
}

/// Kinds of matrices: full; tridiagonal, whose vectors nothing merges; the identity, whose values
/// are all equal.
template <class Elem>
void eigenvalues(kr::dist::world& ranks, std::size_t n, int kind, int layout) {
  const std::string where = std::to_string(ranks.size()) + " ranks, eigenvalues, " +
                            std::to_string(n) + " rows, kind " + std::to_string(kind) +
                            ", layout " + std::to_string(layout) + ", bytes " +
                            std::to_string(sizeof(Elem));
  using real = decltype(std::abs(Elem()));
  const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block};
  const auto rows = std::int64_t(n);
  const auto entry = [&](std::size_t i, std::size_t j) {
    if (kind == 1) return i == j ? Elem(2) : i == j + 1 || j == i + 1 ? Elem(-1) : Elem(0);
    if (kind == 2) return Elem(i == j);
    if constexpr (requires(Elem x) { x.real(); }) {
      const Elem lower = number_at<Elem>(std::max(i, j), std::min(i, j));
      return i == j ? Elem(lower.real()) : i > j ? lower : std::conj(lower);
    } else {
      return number_at<Elem>(std::max(i, j), std::min(i, j));
    }
  };
  std::vector<Elem> a(n * n), lower(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      a[i * n + j] = entry(i, j);
      lower[i * n + j] =
          i < j ? Elem(std::numeric_limits<real>::quiet_NaN()) : a[i * n + j];  // not read
    }
  kr::dist::array<Elem, 2> matrix(ranks, {rows, rows}, words);
  set(matrix, lower);
  const auto pairs = kr::eigh(matrix);
  for (int d = 0; d < 2; ++d) EXPECT(pairs.v.how().words[d] == words[d]);
  EXPECT(pairs.w.how().words[0] == words[0]);
  const std::vector<real> w = numbers_of(pairs.w);
  const std::vector<Elem> v = numbers_of(pairs.v);
  std::vector<Elem> rest(n * n), overlaps(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      Elem sum = -v[i * n + k] * w[k], overlap = i == k ? Elem(-1) : Elem(0);
      for (std::size_t j = 0; j < n; ++j) {
        sum += a[i * n + j] * v[j * n + k];
        if constexpr (requires(Elem x) { x.real(); })
          overlap += std::conj(v[j * n + i]) * v[j * n + k];
        else overlap += v[j * n + i] * v[j * n + k];
      }
      rest[i * n + k] = sum, overlaps[i * n + k] = overlap;
    }
  const double bound = 30 * double(n + 1) * precision<Elem>;
  EXPECT(magnitude(rest) <= bound && magnitude(overlaps) <= bound);
  kr::array<Elem, 2> one({rows, rows});
  one.copy_from(a);
  const auto wanted = kr::eigh(one).w.to_host();
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, double(std::abs(wanted[i] - w[i])));
  EXPECT(most <= bound);
  EXPECT(std::is_sorted(w.begin(), w.end()));
}

void refusals(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, refusals";
  const auto inf = std::numeric_limits<double>::infinity();
  kr::dist::array<double, 2> wide(ranks, {4, 5}), square(ranks, {70, 70}), right(ranks, {69, 2});
  kr::dist::array<double> v(ranks, {70});
  EXPECT(error_of([&] { (void)kr::solve(wide, v); }) ==
         "kr::solve: the matrix must be square, but the array has shape (4,5)");
  EXPECT(error_of([&] { (void)kr::solve(square, right); }) ==
         "kr::solve: the operands have the shapes (70,70) and (69,2): the right side must have "
         "a row for each of the matrix");
  EXPECT(error_of([&] { (void)kr::eigh(wide); }) ==
         "kr::eigh: the matrix must be square, but the array has shape (4,5)");
  v = 1.0;
  EXPECT(error_of([&] { (void)kr::solve(square, v); }) == "kr::solve: Singular matrix");
  kr::dist::fill(square, [](auto i, auto j) { return kr::cast<double>(i == j && i != 66); });
  EXPECT(error_of([&] { (void)kr::solve(square, v); }) == "kr::solve: Singular matrix");
  kr::dist::array<double, 2> halo(ranks, {70, 70}, kr::dist::halo(1));
  kr::dist::fill(halo, [](auto i, auto j) { return kr::cast<double>(i == j); });
  {
    auto coming = kr::dist::exchange_begin(halo);
    const char* const said =
        ": an exchange is under way: call wait() on the result of kr::dist::exchange_begin first";
    const std::string text = error_of([&] { (void)kr::solve(halo, v); });
    EXPECT(ranks.size() == 1 || text.ends_with(said));
    coming.wait();
  }
  // Integers are computed in double, expressions are computed first; the job goes on after errors.
  kr::dist::array<int, 2> twos(ranks, {70, 70});
  kr::dist::fill(twos, [](auto i, auto j) { return kr::cast<int>(i == j) * 2; });
  EXPECT(kr::sum(kr::solve(twos, v)) == 35.0);
  EXPECT(kr::sum(kr::solve(halo * 4.0, v + 1.0)) == 35.0);
  kr::dist::array<double, 2> none(ranks, {0, 0});
  kr::dist::array<double> nothing(ranks, {0});
  EXPECT(kr::solve(none, nothing).size() == 0);
  EXPECT(kr::eigh(none).v.size() == 0);
  EXPECT(std::abs(kr::sum(kr::eigh(twos + 1).w) - 210.0) < 1e-10);  // the trace
  if (!kr::dist::detail::computes_together(square.how(), false)) return;
  setenv("KRAIT_SCALAPACK_BLOCK", "none", 1);
  EXPECT(error_of([&] { (void)kr::solve(square, v); }) ==
         "KRAIT_SCALAPACK_BLOCK is \"none\", but must be a number from 1 to 4096");
  setenv("KRAIT_SCALAPACK_BLOCK", "7", 1);
  EXPECT(kr::sum(kr::solve(twos, v)) == 35.0);
  unsetenv("KRAIT_SCALAPACK_BLOCK");
  halo *= inf;
  EXPECT(error_of([&] { (void)kr::solve(halo, v); }) ==
         "kr::solve: the matrix has an element that is infinite or NaN");
  EXPECT(error_of([&] { (void)kr::eigh(halo); }) ==
         "kr::eigh: the matrix has an element that is infinite or NaN");
}

template <class Elem>
void of_type(kr::dist::world& ranks, const std::vector<std::size_t>& sizes) {
  for (const std::size_t n : sizes)
    for (const int layout : {0, 1, 2, 3}) systems<Elem>(ranks, n, n == 129 ? 200 : 3, layout);
}

void all(kr::dist::world& ranks) {
  of_type<double>(ranks, {1, 2, 7, 64, 129});
  of_type<float>(ranks, {1, 7, 129});
  of_type<std::complex<float>>(ranks, {1, 7, 129});
  of_type<std::complex<double>>(ranks, {1, 3, 64, 129});
  systems<double>(ranks, 300, 1, 0);
  for (const std::size_t n : {1, 2, 3, 5, 31, 64, 65, 129})
    for (const int kind : {0, 1, 2}) eigenvalues<double>(ranks, n, kind, int(n) % 4);
  for (const std::size_t n : {1, 2, 33, 100}) {
    eigenvalues<float>(ranks, n, 0, 0), eigenvalues<float>(ranks, n, 1, 3);
    eigenvalues<std::complex<float>>(ranks, n, 0, 1);
    for (const int layout : {0, 1, 2, 3}) eigenvalues<std::complex<double>>(ranks, n, 0, layout);
  }
  eigenvalues<double>(ranks, 300, 0, 0);
  refusals(ranks);
}

const char* expected = nullptr;
void refused(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, without the library";
  kr::dist::array<double, 2> a(ranks, {5, 5});
  kr::dist::array<double> b(ranks, {5});
  const std::string solving = error_of([&] { (void)kr::solve(a, b); });
  EXPECT(solving.find(expected) != std::string::npos);
  if (dist_test::failures > 0) std::fprintf(stderr, "%s\n", solving.c_str());
  // What each rank has whole needs none.
  kr::dist::array<double, 2> own(ranks, {5, 5}, {whole, whole});
  kr::dist::array<double> sides(ranks, {5}, {whole});
  kr::dist::fill(own, [](auto i, auto j) { return kr::cast<double>(i == j); });
  sides = 3.0;
  EXPECT(kr::sum(kr::solve(own, sides)) == 15.0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "refused") == 0) {
    expected = argv[2];
    return dist_test::run(1, argv, refused);
  }
  return dist_test::run(argc, argv, all);
}
