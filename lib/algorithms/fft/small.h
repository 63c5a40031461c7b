// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of few elements, in registers.
#pragma once

#include <vector>

#include "algorithms/fft/plan.h"

namespace krait::detail {

template <class Real>
struct fft_point {
  value<Real> re, im;
  friend fft_point operator+(const fft_point& x, const fft_point& y) {
    return {x.re + y.re, x.im + y.im};
  }
  friend fft_point operator-(const fft_point& x, const fft_point& y) {
    return {x.re - y.re, x.im - y.im};
  }
};
template <class Real>
using fft_points = std::vector<fft_point<Real>>;

/// z * exp(-2 pi i k / n).
template <class Real>
fft_point<Real> turned(const fft_point<Real>& z, std::int64_t k, std::int64_t n) {
  if (k == 0) return z;
  if (4 * k == n) return {z.im, -z.re};
  const fft_root root = root_of_unity(k, n);
  const Real re = Real(root.re), im = Real(root.im);
  if (8 * k == n) return {(z.re + z.im) * re, (z.im - z.re) * re};
  if (8 * k == 3 * n) return {(z.im - z.re) * -re, (z.re + z.im) * re};
  return {z.re * re - z.im * im, z.re * im + z.im * re};
}

/// A transform in registers.
template <class Real>
fft_points<Real> small_transform(const fft_points<Real>& x) {
  const std::size_t n = x.size();
  if (n == 1) return x;
  if (n == 2) return {x[0] + x[1], x[0] - x[1]};
  fft_points<Real> out;
  if (n == 4) {
    const auto a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
    return {a + c, {b.re + d.im, b.im - d.re}, a - c, {b.re - d.im, b.im + d.re}};
  }
  // Of those that are n / 4 apart, then of 4; or by the least factor.
  const std::size_t least = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : n;
  if (least < n) {
    const std::size_t columns = n == 8 ? 4 : n % 4 == 0 ? n / 4 : least, rows = n / columns;
    std::vector<fft_points<Real>> parts;
    for (std::size_t c = 0; c < columns; ++c) {
      fft_points<Real> column;
      for (std::size_t r = 0; r < rows; ++r) column.push_back(x[c + columns * r]);
      parts.push_back(small_transform(column));
    }
    std::vector<fft_points<Real>> made;
    for (std::size_t k = 0; k < rows; ++k) {
      fft_points<Real> row;
      for (std::size_t c = 0; c < columns; ++c)
        row.push_back(turned(parts[c][k], std::int64_t(c * k), std::int64_t(n)));
      made.push_back(small_transform(row));
    }
    for (std::size_t k = 0; k < n; ++k) out.push_back(made[k % rows][k / rows]);
    return out;
  }
  // Odd: pairs of elements, whose sums meet cosines and whose differences meet sines.
  fft_points<Real> sums, differences, first, last;
  for (std::size_t r = 1; r <= n / 2; ++r)
    sums.push_back(x[r] + x[n - r]), differences.push_back(x[r] - x[n - r]);
  std::vector<fft_point<Real>> zero{x[0]};
  for (const auto& s : sums) zero.push_back(zero.back() + s);
  out.push_back(zero.back());
  for (std::size_t k = 1; k <= n / 2; ++k) {
    fft_points<Real> even{x[0]}, odd;
    for (std::size_t r = 1; r <= n / 2; ++r) {
      const fft_root root = root_of_unity(std::int64_t(k * r), std::int64_t(n));
      const auto &s = sums[r - 1], &d = differences[r - 1];
      const Real c = Real(root.re), i = Real(root.im);
      even.push_back({even.back().re + s.re * c, even.back().im + s.im * c});
      const fft_point<Real> term{d.im * -i, d.re * i};  // of (d.re + i d.im) * i root.im
      odd.push_back(odd.empty() ? term : odd.back() + term);
    }
    first.push_back(even.back() + odd.back()), last.push_back(even.back() - odd.back());
  }
  for (const auto& z : first) out.push_back(z);
  for (std::size_t k = last.size(); k-- > 0;) out.push_back(last[k]);
  return out;
}

}  // namespace krait::detail
