// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// run_word of any element type.
#pragma once

#include "arrays/numpy_words.h"

#include <cmath>
#include <limits>
#include <vector>

#include <krait/algorithm/differences.h>
#include <krait/algorithm/einsum.h>
#include <krait/algorithm/elements.h>
#include <krait/algorithm/frequency.h>
#include <krait/algorithm/grids.h>
#include <krait/algorithm/histogram.h>
#include <krait/algorithm/indexing.h>
#include <krait/algorithm/matrix_functions.h>
#include <krait/algorithm/order.h>
#include <krait/algorithm/products.h>
#include <krait/algorithm/rearrange.h>
#include <krait/algorithm/sets.h>
#include <krait/algorithm/statistics.h>
#include <krait/complex.h>

namespace krait::test {

namespace kr = krait;

template <class T>
inline constexpr bool is_complex = false;
template <class Part>
inline constexpr bool is_complex<std::complex<Part>> = true;

inline double read_number(std::istream& in) {
  std::string word;
  in >> word;
  return std::stod(word);
}
template <class T>
T read_element(std::istream& in) {
  if constexpr (is_complex<T>) {
    const double re = read_number(in), im = read_number(in);
    return T(typename T::value_type(re), typename T::value_type(im));
  } else if constexpr (std::is_integral_v<T>) {
    std::string word;
    in >> word;
    return T(std::stoll(word));
  } else {
    return T(read_number(in));
  }
}
template <class T, int Rank>
kr::array<T, Rank> read_array(std::istream& in) {
  int rank = 0;
  in >> rank;
  kr::shape<Rank> extents;
  for (int d = 0; d < rank; ++d) in >> extents.extents[d];
  if (rank != Rank) throw std::runtime_error("the case has another rank");
  kr::array<T, Rank> made(extents);
  kr::host_array<T> elements(std::size_t(made.size()));
  for (T& x : elements) x = read_element<T>(in);
  if (made.size() > 0) made.copy_from(elements);
  return made;
}
template <class Number = std::int64_t>
Number read(std::istream& in) {
  Number x{};
  in >> x;
  return x;
}

inline bool near(double got, double wanted, double scale, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  return got == wanted || std::abs(got - wanted) <= tolerance * std::max(1.0, scale);
}
/// Of single precision where it is computed in that.
template <class Elem>
constexpr double tolerance_of() {
  return sizeof(Elem) == 4 || (is_complex<Elem> && sizeof(Elem) == 8) ? 2e-5 : 1e-11;
}
template <class Elem>
std::string element_difference(std::istream& in, const Elem& got, std::size_t i, double tolerance) {
  const auto told = [&](const auto& own, const std::string& wanted) {
    return "element " + std::to_string(i) + " is " + std::to_string(own) + ", NumPy's " + wanted;
  };
  std::string word;
  in >> word;
  if constexpr (is_complex<Elem>) {
    std::string other;
    in >> other;
    const double re = std::stod(word), im = std::stod(other), size = std::hypot(re, im);
    if (std::isnan(re) || std::isnan(im))
      return std::isnan(got.real()) || std::isnan(got.imag()) ? "" : told(double(got.real()), word);
    // An infinity has a direction, but not every library tells the same.
    if (std::isinf(size)) return std::isinf(std::abs(got)) ? "" : told(double(got.real()), word);
    if (!near(double(got.real()), re, size, tolerance)) return told(double(got.real()), word);
    if (!near(double(got.imag()), im, size, tolerance)) return told(double(got.imag()), other);
  } else if constexpr (std::is_integral_v<Elem>) {
    const bool exact = word.find_first_of(".en") == std::string::npos;
    if (exact ? std::to_string(+got) != word : double(got) != std::stod(word))
      return told(+got, word);
  } else {
    const double wanted = std::stod(word);
    if (!near(double(got), wanted, std::abs(wanted), tolerance)) return told(double(got), word);
  }
  return {};
}
template <class Elem, int Rank>
std::string difference(std::istream& in, const kr::array<Elem, Rank>& got, double tolerance) {
  int rank = 0;
  in >> rank;
  std::string own, wanted;
  for (int d = 0; d < Rank; ++d) own += " " + std::to_string(got.extent(d));
  for (int d = 0; d < rank; ++d) wanted += " " + std::to_string(read(in));
  if (own != wanted) return "the shape is" + own + ", NumPy's" + wanted;
  const auto host = got.to_host();
  for (std::size_t i = 0; i < host.size(); ++i)
    if (std::string said = element_difference(in, host[i], i, tolerance); !said.empty())
      return said;
  return {};
}
/// The results, arrays, expressions or numbers, against those of the line.
template <class... Results>
std::string compared(std::istream& in, double tolerance, const Results&... results) {
  std::string word;
  in >> word;
  if (word != "=") return "the case has more arguments";
  if (read(in) != std::int64_t(sizeof...(results))) return "the case has other results";
  std::string said;
  const auto one = [&](const auto& result) {
    using type = std::remove_cvref_t<decltype(result)>;
    if (!said.empty()) return;
    if constexpr (kr::detail::plain<type> || is_complex<type>) {
      kr::array<type> single(1);
      single.fill(result);
      said = difference(in, single, tolerance);
    } else if constexpr (kr::detail::deferred<type>) {
      said = difference(in, kr::eval(result), tolerance);
    } else {
      said = difference(in, result, tolerance);
    }
  };
  (one(results), ...);
  return said;
}

template <class T>
std::string run_word(const std::string& function, std::istream& in, bool& known) {
  constexpr bool complex = is_complex<T>, logical = std::is_same_v<T, bool>,
                 real = !complex && !logical;
  constexpr double eps = tolerance_of<T>();
  const auto is = [&](const char* name) { return function == name; };
  const auto vector = [&] { return read_array<T, 1>(in); };
  const auto matrix = [&] { return read_array<T, 2>(in); };
  const auto result = [&](const auto&... results) { return compared(in, eps, results...); };

  if (is("concatenate")) {
    const auto a = matrix(), b = matrix();
    return result(kr::concatenate(a, b, kr::axis(read(in))));
  }
  if (is("stack")) {
    const auto a = matrix(), b = matrix();
    return result(kr::stack(a, b, kr::axis(read(in))));
  }
  if (is("hstack")) {
    const auto a = matrix(), b = matrix();
    return result(kr::hstack(a, b));
  }
  if (is("vstack")) {
    const auto a = vector(), b = vector();
    return result(kr::vstack(a, b));
  }
  if (is("split")) {
    const auto a = matrix();
    const std::int64_t first = read(in), second = read(in), axis = read(in);
    const auto [x, y, z] = kr::split(a, {first, second}, kr::axis(axis));
    return result(x, y, z);
  }
  if (is("repeat")) {
    const auto a = matrix();
    const std::int64_t times = read(in), axis = read(in);
    return result(kr::repeat(a, times, kr::axis(axis)));
  }
  if (is("repeat_counts")) {
    const auto a = vector();
    return result(kr::repeat(a, read_array<std::int64_t, 1>(in)));
  }
  if (is("tile")) {
    const auto a = matrix();
    const std::int64_t rows = read(in), columns = read(in);
    return result(kr::tiled(a, rows, columns));
  }
  if (is("roll")) {
    const auto a = matrix();
    const std::int64_t by = read(in), axis = read(in);
    return result(kr::roll(a, by, kr::axis(axis)));
  }
  if (is("roll_flat")) {
    const auto a = matrix();
    return result(kr::roll(a, read(in)));
  }
  if (is("pad")) {
    const auto a = matrix();
    const std::int64_t t = read(in), b = read(in), l = read(in), r = read(in);
    const auto mode = read<std::string>(in);
    return result(kr::pad(a, {{t, b}, {l, r}}, mode.c_str()));
  }
  if (is("rot90")) {
    const auto a = matrix();
    return result(kr::rot90(a, read(in)));
  }
  if (is("tril") || is("triu")) {
    const auto a = matrix();
    const std::int64_t k = read(in);
    return is("tril") ? result(kr::tril(a, k)) : result(kr::triu(a, k));
  }
  if (is("take_along_axis")) {
    const auto a = matrix();
    const auto i = read_array<std::int64_t, 2>(in);
    return result(kr::take_along_axis(a, i, read(in)));
  }
  if (is("put_along_axis")) {
    auto a = matrix();
    const auto i = read_array<std::int64_t, 2>(in);
    const auto v = matrix();
    kr::put_along_axis(a, i, v, read(in));
    return result(a);
  }
  if (is("any_all")) {
    const auto a = matrix();
    const auto axis = kr::axis(read(in));
    return result(kr::any(a, axis), kr::all(a, axis), kr::count_nonzero(a, axis));
  }
  if (is("where")) {
    const auto a = matrix(), b = matrix();
    const auto m = read_array<bool, 2>(in);
    return result(kr::where(m, a, b));
  }
  if (is("equal")) {
    const auto a = matrix(), b = matrix();
    return result(a == b);
  }
  if (is("sum")) {
    const auto a = matrix();
    return result(kr::sum(a, kr::axis(read(in))));
  }
  if (is("diff")) {
    const auto a = matrix();
    const std::int64_t n = read(in), axis = read(in);
    return result(kr::diff(a, n, kr::axis(axis)));
  }
  const auto places = [&] { return read_array<std::int64_t, 1>(in); };
  if (is("index_pairs")) {
    const auto a = matrix();
    const auto i = read_array<std::int64_t, 2>(in);
    return result(a(i, places()));
  }
  if (is("index_columns")) {
    const auto a = read_array<T, 3>(in);
    return result(a(kr::all, places()));
  }
  if (is("index_apart")) {
    const auto a = read_array<T, 3>(in);
    const auto i = places(), k = places();
    const std::int64_t n = a.extent(1);
    return result(a(i, kr::all, k), a(0, kr::all, k), a(kr::all, -1, k),
                  a(kr::all, kr::newaxis, kr::eval((i % n + n) % n)), a(i, kr::range(0, 1)));
  }
  if (is("index_rows")) {
    const auto a = matrix();
    return result(a(read_array<std::int64_t, 2>(in)));
  }
  if (is("mask_rows")) {
    const auto a = read_array<T, 3>(in);
    const auto rows = read_array<bool, 1>(in);
    const auto both = read_array<bool, 2>(in);
    const auto columns = read_array<bool, 1>(in);
    return result(a(rows), a(both), a(kr::all, kr::all, columns));
  }
  if (is("assign_pairs")) {
    auto a = matrix();
    const auto i = places(), j = places();
    const auto v = vector();
    a(i, j) = v;
    a(kr::all, kr::eval(j(kr::range(0, 1)))) = v(kr::range(0, 1));
    return result(a);
  }
  const auto part = [&] {
    const auto first = read(in), last = read(in), step = read(in);
    return kr::range(first, last, step);
  };
  if (is("index_parts")) {
    const auto a = read_array<T, 3>(in);
    const auto rows = part();
    const auto i = read_array<std::int64_t, 2>(in);
    const auto j = places(), k = places();
    return result(a(rows, j), a(i, j), a(rows, kr::all, k), a(rows, 0, k),
                  a(rows, kr::newaxis, j(kr::newaxis), 0),
                  a(i, j, kr::range(kr::none, kr::none, -1)));
  }
  if (is("mask_logic")) {
    const auto a = matrix();
    const auto m = read_array<bool, 2>(in), n = read_array<bool, 2>(in);
    const auto rows = read_array<bool, 1>(in), both = read_array<bool, 1>(in);
    return result(m & n, m | n, m ^ n, ~m, a(m && n), a(m | !n), a(m ^ n), a(rows & ~both),
                  a(rows || both, 0));
  }
  if (is("assign_parts")) {
    auto a = read_array<T, 3>(in);
    const auto i = read_array<std::int64_t, 2>(in);
    const auto j = places();
    const auto v = read_array<T, 3>(in);
    const auto w = vector();
    const auto rows = part();
    const auto both = read_array<bool, 2>(in);
    const auto some = read_array<bool, 1>(in);
    a(i, j) = v;
    a(rows, j) = w;
    a(both) = w;
    a(some, kr::all, -1) = T(v(0, 0, 0));
    a(some && !some) = T(0);
    return result(a);
  }
  if (is("along_axis")) {
    auto a = read_array<T, 3>(in);
    const auto i = read_array<std::int64_t, 3>(in);
    const auto v = read_array<T, 3>(in);
    const std::int64_t axis = read(in);
    const auto taken = kr::take_along_axis(a, i, axis);
    kr::put_along_axis(a, i, v, axis);
    return result(taken, a);
  }
  if (is("fftshift")) {
    const auto a = matrix();
    const auto axis = kr::axis(read(in));
    return result(kr::fftshift(a), kr::ifftshift(a), kr::fftshift(a, axis), kr::ifftshift(a, axis));
  }
  if constexpr (!complex) {
    if (is("logic")) {
      const auto a = matrix(), b = matrix();
      const auto truths = [&](const auto&... more) {
        return result(a && b, a || b, !a, a(a > b && a != T(0)), more...);
      };
      if constexpr (std::is_integral_v<T>) return truths(a & b, a | b, a ^ b, ~a);
      else return truths();
    }
  }
  if constexpr (!logical) {
    if (is("add_at")) {
      auto a = read_array<T, 3>(in);
      const auto j = places();
      const auto rows = read_array<bool, 1>(in);
      a(kr::all, j) += T(3);
      a(rows) *= T(2);
      return result(a);
    }
    if (is("prod")) {
      const auto a = matrix();
      return result(kr::prod(a, kr::axis(read(in))));
    }
    if (is("mean")) {
      const auto a = matrix();
      return result(kr::mean(a, kr::axis(read(in))));
    }
    if (is("variance")) {
      const auto a = matrix();
      return result(kr::variance(a, kr::axis(read(in))));
    }
    if (is("stddev")) return result(kr::stddev(matrix()));
    if (is("norm")) {
      const auto a = matrix();
      return result(kr::norm(a, kr::axis(read(in))));
    }
    if (is("cumsum")) {
      const auto a = matrix();
      return result(kr::cumsum(a, kr::axis(read(in))));
    }
    if (is("cumprod")) return result(kr::cumprod(vector()));
    if (is("outer")) {
      const auto a = vector(), b = vector();
      return result(kr::outer(a, b));
    }
    if (is("inner")) {
      const auto a = matrix(), b = matrix();
      return result(kr::inner(a, b));
    }
    if (is("tensordot")) {
      const auto a = read_array<T, 3>(in), b = read_array<T, 3>(in);
      return result(kr::tensordot(a, b, kr::axis(0, 2), kr::axis(2, 0)));
    }
    if (is("kron")) {
      const auto a = matrix(), b = matrix();
      return result(kr::kron(a, b));
    }
    if (is("matmul")) {
      const auto a = matrix(), b = matrix();
      return result(kr::matmul(a, b));
    }
    if (is("dot")) {
      const auto a = vector(), b = vector();
      return result(T(kr::matmul(a, b)));
    }
    if (is("vdot")) {
      const auto a = vector(), b = vector();
      return result(T(kr::vdot(a, b)));
    }
    if (is("einsum")) {
      const auto a = matrix(), b = matrix();
      return result(kr::einsum<"ij,kl->ki">(a, b));
    }
    if (is("trace")) {
      const auto a = matrix();
      return result(kr::trace(a, read(in)));
    }
    if (is("cross")) {
      const auto a = matrix(), b = matrix();
      return result(kr::cross(a, b));
    }
  }
  if constexpr (complex || std::is_floating_point_v<T>) {
    if (is("nan_to_num")) {
      const auto a = matrix();
      return result(kr::nan_to_num(a), kr::nan_to_num(a, 2, 9, -9));
    }
    if (is("linalg")) {
      const auto a = matrix();
      const auto [sign, logdet] = kr::slogdet(a);
      return compared(in, 10 * eps, sign, logdet, kr::cond(a), kr::pinv(a),
                      kr::matrix_power(a / T(12), 3), kr::matrix_rank(a));
    }
    if (is("eig")) {
      const auto a = matrix();
      const auto [w, v] = kr::eig(a);
      using number = std::remove_cvref_t<decltype(w)>::value_type;
      const kr::array<number, 2> wide = kr::cast<number>(a);
      if (kr::norm(kr::eval(kr::matmul(wide, v) - v * w)) > 100 * eps * kr::norm(wide))
        return "a v is not v w";
      const kr::array<T, 2> h = a + kr::eval(kr::conj(a)).transpose();
      return compared(in, 10 * eps, kr::sort(kr::real(w)), kr::eigvalsh(h));
    }
    if (is("expm")) {
      const auto a = matrix();
      const auto h = kr::eval(a + kr::eval(kr::conj(a)).transpose());
      const auto most = kr::max(kr::eigvalsh(h));
      return compared(in, 1000 * eps, kr::expm(h) / T(std::exp(most)));
    }
    if (is("lstsq")) {
      const auto a = matrix();
      const auto [x, residuals, rank, s] = kr::lstsq(a, vector());
      return compared(in, 100 * eps, x, residuals, rank, s);
    }
    if (is("pinv")) return compared(in, 100 * eps, kr::pinv(matrix(), 1e-4));
    if (is("arithmetic")) {
      const auto a = matrix(), b = matrix();
      return result((a * b + a) / b - a * T(2));
    }
  }
  if constexpr (complex) {
    if (is("parts")) {
      const auto a = matrix();
      return result(kr::abs(a), kr::real(a), kr::imag(a), kr::conj(a), kr::arg(a));
    }
    if (is("functions")) {
      const auto a = matrix();
      return result(kr::exp(a), kr::log(a), kr::sqrt(a), kr::sin(a), kr::cos(a), kr::tan(a),
                    kr::sinh(a), kr::cosh(a), kr::tanh(a), kr::log2(a), kr::log10(a),
                    kr::pow(a, T(2)), kr::isnan(a), kr::isinf(a), kr::isfinite(a));
    }
  }
  if constexpr (real) {
    if (is("clip")) return result(kr::clip(matrix(), T(1), T(3)));
    if (is("sign")) {
      const auto a = matrix();
      return result(kr::sign(a), kr::square(a));
    }
    if (is("gradient")) {
      const auto a = matrix();
      const double h = read<double>(in);
      return result(kr::gradient(a, h, kr::axis(read(in))));
    }
    if (is("gradient_at")) {
      const auto a = vector(), at = vector();
      return result(kr::gradient(a, at));
    }
    if (is("interp")) {
      const auto x = vector(), points = vector(), values = vector();
      return result(kr::interp(x, points, values));
    }
    if (is("trapezoid")) {
      const auto a = matrix();
      return result(kr::trapezoid(a, read<double>(in)));
    }
    if (is("median")) {
      const auto a = matrix();
      return result(kr::median(a, kr::axis(read(in))));
    }
    if (is("quantile")) {
      const auto a = matrix();
      const double q = read<double>(in);
      const std::int64_t axis = read(in);
      const auto method = read<std::string>(in);
      return result(kr::quantile(a, q, kr::axis(axis), method.c_str()));
    }
    if (is("percentiles")) {
      const auto a = vector();
      return result(kr::percentile(a, read_array<double, 1>(in)));
    }
    if (is("average")) {
      const auto a = matrix();
      const auto w = vector();
      return result(kr::average(a, w, kr::axis(read(in))));
    }
    if (is("cov")) return result(kr::cov(matrix()));
    if (is("corrcoef")) return result(kr::corrcoef(matrix()));
    if (is("ptp")) {
      const auto a = matrix();
      return result(kr::ptp(a, kr::axis(read(in))));
    }
// Undefined below.
#define KRAIT_WORD_ALONG(word)                      \
  if (is(#word)) {                                  \
    const auto a = matrix();                        \
    return result(kr::word(a, kr::axis(read(in)))); \
  }
    KRAIT_WORD_ALONG(nansum)
    KRAIT_WORD_ALONG(nanprod)
    KRAIT_WORD_ALONG(nanmean)
    KRAIT_WORD_ALONG(nanmin)
    KRAIT_WORD_ALONG(nanmax)
    KRAIT_WORD_ALONG(nanstd)
    KRAIT_WORD_ALONG(nanvar)
    KRAIT_WORD_ALONG(cummax)
    KRAIT_WORD_ALONG(cummin)
#undef KRAIT_WORD_ALONG
    if (is("lexsort")) {
      const auto a = vector(), b = vector();
      return result(kr::lexsort(a, b));
    }
    if (is("digitize")) {
      const auto x = vector(), edges = vector();
      return result(kr::digitize(x, edges, read(in) != 0));
    }
    if (is("sets")) {
      const auto of = [&](const auto& a, const auto& b) {
        const auto edges = kr::sort(b);
        const auto [values, counts] = kr::unique_counts(a);
        return result(kr::isin(a, b), kr::isin(b, a), kr::union1d(a, b), kr::intersect1d(a, b),
                      kr::setdiff1d(a, b), kr::setxor1d(b, a), kr::searchsorted(edges, a),
                      kr::searchsorted(edges, a, kr::side::right), kr::digitize(a, edges),
                      kr::unique(a), values, counts, kr::unique_inverse(a).inverse.reshape(-1),
                      kr::histogram(a, 3), kr::histogram(a, edges),
                      kr::percentile(a, {10, 50, 95.5}));
      };
      const auto rank = read(in);
      if (rank == 2) {
        const auto a = matrix();
        return of(a, read_array<double, 1>(in));
      }
      if (rank == 1) {
        const auto a = vector();
        return of(a, places());
      }
      const auto a = read_array<T, 3>(in);
      return of(a, places());
    }
    if (is("unique_all")) {
      const auto [values, indices, inverse, counts] = kr::unique_all(vector());
      return result(values, indices, inverse, counts);
    }
  }
  if constexpr (real && std::is_integral_v<T>) {
    if (is("bincount")) {
      const auto a = vector();
      return result(kr::bincount(a, read(in)));
    }
    if (is("bincount_weights")) {
      const auto a = vector();
      return result(kr::bincount(a, read_array<double, 1>(in)));
    }
  }
  if constexpr (real) {
    if (is("dct")) {
      const auto which = read(in), axis = read(in), points = read(in);
      const auto norm = read<std::string>(in);
      const auto a = matrix();
      const auto both = [&]<int Type>(std::integral_constant<int, Type>) {
        const auto along = kr::axis(axis);
        return result(kr::dct<Type>(a, along, kr::points(points), norm.c_str()),
                      kr::idct<Type>(a, along, kr::points(points), norm.c_str()));
      };
      return which == 1   ? both(std::integral_constant<int, 1>())
             : which == 2 ? both(std::integral_constant<int, 2>())
             : which == 3 ? both(std::integral_constant<int, 3>())
                          : both(std::integral_constant<int, 4>());
    }
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (is("fftfreq")) {
      const auto n = read(in);
      const double d = read<double>(in);
      return result(kr::fftfreq<T>(n, d), kr::rfftfreq<T>(n, d));
    }
  }
  if constexpr (std::is_same_v<T, double>) {
    if (is("sequences")) {
      const auto n = read(in);
      const bool end = read(in) != 0;
      return result(kr::logspace(0, 3, n, end), kr::geomspace(2, 700, n, end),
                    kr::logspace(1, 5, n, true, 2));
    }
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (is("indices")) {
      const std::int64_t m = read(in), n = read(in);
      return result(kr::indices({m, n}),
                    kr::fromfunction<double>([](auto i, auto j) { return 10 * i + j; }, {m, n}));
    }
  }
  known = false;
  return {};
}

}  // namespace krait::test
