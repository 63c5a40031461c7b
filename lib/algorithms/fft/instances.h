// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of one type: each takes seconds to compile, in a source of its own.
#pragma once

#include "algorithms/fft/real.h"

namespace krait::detail {

template <class Real>
struct fft_of {
  using complex = std::complex<Real>;
  static void rows(const any_array& x, const any_array& out, bool inverse, double scale);
  /// Columns of several matrices, where they lie.
  static void columns(const any_array& x, const any_array& out, const fft_plan& plan, bool inverse,
                      double scale);
  static void numbers(const any_array& x, const any_array& out, bool inverse, double scale);
  static void real(const any_array& x, const any_array& out, std::int64_t points, double scale);
  static void to_real(const any_array& x, const any_array& out, double scale);
};
/// A discrete cosine transform.
struct cosine_form {
  int type = 0;  // from 1 to 4, as SciPy numbers them; 0: none
  bool inverse = false, ortho = false;
};
template <class Real>
struct cosine_of {
  /// Rows of numbers, cut or continued by zeros, to rows of as many as `out` has.
  static void rows(const any_array& x, const any_array& out, const cosine_form& form, double scale);
};
extern template struct fft_of<float>;
extern template struct fft_of<double>;

template <class Real>
void fft_of<Real>::rows(const any_array& x, const any_array& out, bool inverse, double scale) {
  auto to = typed<complex, 2>(out);
  transform_rows<Real>(typed<const complex, 2>(x), to, inverse, Real(scale));
}
template <class Real>
void fft_of<Real>::columns(const any_array& x, const any_array& out, const fft_plan& plan,
                           bool inverse, double scale) {
  auto to = typed<complex, 3>(out);
  transform_columns<Real>(typed<const complex, 3>(x), to, plan.passes[0], inverse, Real(scale));
}
template <class Real>
void fft_of<Real>::numbers(const any_array& x, const any_array& out, bool inverse, double scale) {
  auto to = typed<complex, 2>(out);
  transform_rows<Real>(complex_rows<Real>(x, to.extent(1)), to, inverse, Real(scale));
}
template <class Real>
void fft_of<Real>::real(const any_array& x, const any_array& out, std::int64_t points,
                        double scale) {
  auto to = typed<complex, 2>(out);
  transform_real_rows<Real>(x, to, points, Real(scale));
}
template <class Real>
void fft_of<Real>::to_real(const any_array& x, const any_array& out, double scale) {
  auto to = typed<Real, 2>(out);
  transform_rows_to_real<Real>(x, to, Real(scale));
}

}  // namespace krait::detail
