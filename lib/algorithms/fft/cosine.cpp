// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete cosine transforms by Fourier transforms: of type 2, and of type 3 backwards, by one of
// as many real points in another order (J. Makhoul, A fast cosine transform in one and two
// dimensions, IEEE Trans. ASSP 28, 1980); of type 1 by the even continuation, and of type 4 by
// complex points with zeros after them.
#include <cmath>
#include <numbers>

#include "algorithms/fft/instances.h"
#include "krait/math.h"

namespace krait::detail {
namespace {

using namespace krait::host;

/// exp(-pi i part / whole).
template <class Real>
value<std::complex<Real>> turn(const Index& part, const Index& whole) {
  const value<Real> angle = cast<Real>(part) / cast<Real>(whole);
  return value<std::complex<Real>>(cospi(angle), -sinpi(angle));
}

/// The factors of the ends, where "ortho" has others, and of all.
struct Factors {
  double ends, all;
};

/// Kernels that are recorded once for each type of elements and form.
template <class Real>
struct Rows {
  using complex = std::complex<Real>;
  using Number = value<Real>;

  const any_array& x;
  const any_array& out;
  int type;
  std::int64_t n = out.extent(1);
  Factors before, after;

  Rows(const any_array& from, const any_array& to, const cosine_form& form, double scale)
      : x(from), out(to), type(form.type) {
    const double root = std::numbers::sqrt2;
    before = {form.ortho && (type == 1 || type == 3) ? root : 1, 1};
    after = {form.ortho && type <= 2 ? scale / root : scale, scale};
  }

  static Number factor(const Index& k, const Index& count, int of_type, const Parameters& p,
                       std::size_t first) {
    const Number ends = p.number<Real>(first), all_others = p.number<Real>(first + 1);
    const value<bool> end = of_type == 1 ? k == 0 || k == count - 1 : k == 0;
    return select(end, ends, all_others);
  }
  /// The elements that are transformed, in the order of the transform.
  template <class Elem>
  array<Elem, 2> prepared(std::int64_t length) const {
    array<Elem, 2> made(shape<2>(out.extent(0), length), device_from(out.on));
    const int of_type = type;
    kernel_of(
        "dct_begin", {x.type, of_type},
        {in(x.type, 2), host::out<Elem>(2), number(), number<Real>(), number<Real>()},
        [of_type](const Parameters& p) {
          const ElementView from = p.array(0);
          const auto to = p.template array<Elem, 2>(1);
          const Index count = p.number(2);
          for_each_of_rows(to, [&](const auto& row, const auto& k) {
            const auto sample = [&](const Index& at) {
              return complex_element<Real>(from, row, at).real() * factor(at, count, of_type, p, 3);
            };
            if constexpr (std::is_same_v<Elem, Real>) {
              if (of_type == 1) to(row, k) = sample(krait::min(k, 2 * (count - 1) - k));
              else to(row, k) = sample(select(k < (count + 1) / 2, 2 * k, 2 * (count - k) - 1));
            } else if (of_type == 3) {
              const Number mirrored =
                  select(k == 0, Number(Real(0)), sample(krait::max(count - k, Index(1))));
              to(row, k) = value<complex>(sample(k), -mirrored) * conj(turn<Real>(k, 2 * count));
            } else {
              to(row, k) = turn<Real>(k, 2 * count) * sample(k);
            }
          });
        })
        .launch(row_grid(made), x, made, n, Real(before.ends), Real(before.all));
    return made;
  }
  /// The results, of the transform's elements.
  template <class Elem>
  void finish(const array<Elem, 2>& transformed) const {
    const int of_type = type;
    kernel_of("dct_end", {sizeof(Real), of_type},
              {in<Elem>(2), host::out<Real>(2), number<Real>(), number<Real>()},
              [of_type](const Parameters& p) {
                const auto from = p.template array<const Elem, 2>(0);
                const auto to = p.template array<Real, 2>(1);
                const Index count = to.extent(1);
                for_each_of_rows(to, [&](const auto& row, const auto& k) {
                  const Number by = factor(k, count, of_type, p, 2);
                  if constexpr (std::is_same_v<Elem, Real>) {  // type 3
                    const Index at = select(k % 2 == 0, k / 2, count - 1 - k / 2);
                    to(row, k) = Number(from(row, at)) * by;
                  } else if (of_type == 1) {
                    to(row, k) = value<complex>(from(row, k)).real() * by;
                  } else if (of_type == 2) {
                    const Index at = krait::min(k, count - k);
                    const value<complex> z =
                        value<complex>(from(row, at)) * turn<Real>(at, 2 * count);
                    to(row, k) = select(k == at, z.real(), -z.imag()) * Real(2) * by;
                  } else {
                    const value<complex> z =
                        value<complex>(from(row, k)) * turn<Real>(2 * k + 1, 4 * count);
                    to(row, k) = z.real() * Real(2) * by;
                  }
                });
              })
        .launch(row_grid(typed<Real, 2>(out)), transformed, out, Real(after.ends), Real(after.all));
  }

  void run() const {
    const shape<2> half(out.extent(0), type == 1 ? n : n / 2 + 1);
    const krait::device on = device_from(out.on);
    if (type <= 2) {
      const std::int64_t points = type == 1 ? 2 * (n - 1) : n;
      const array<Real, 2> given = prepared<Real>(points);
      array<complex, 2> made(half, on);
      fft_of<Real>::real(erased(given), erased(made), points, 1);
      finish(made);
    } else if (type == 3) {
      const array<complex, 2> given = prepared<complex>(n / 2 + 1);
      array<Real, 2> made(shape<2>(out.extent(0), n), on);
      fft_of<Real>::to_real(erased(given), erased(made), 1);
      finish(made);
    } else {
      const array<complex, 2> given = prepared<complex>(n);
      array<complex, 2> made(shape<2>(out.extent(0), 2 * n), on);
      fft_of<Real>::numbers(erased(given), erased(made), false, 1);
      finish(made);
    }
  }
};

}  // namespace

template <class Real>
void cosine_of<Real>::rows(const any_array& x, const any_array& out, const cosine_form& form,
                           double scale) {
  Rows<Real>(x, out, form, scale).run();
}
template struct cosine_of<float>;
template struct cosine_of<double>;

}  // namespace krait::detail
