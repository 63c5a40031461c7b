// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of rows of real numbers, from and to the half of a transform that says all.
#pragma once

#include "algorithms/fft/rows.h"

namespace krait::detail {

/// Two neighbours of a row as the parts of one complex number: shared if they are adjacent in
/// memory, else copied.
template <class Real>
array<const std::complex<Real>, 2> pairs_of(const any_array& x, std::int64_t points) {
  using complex = std::complex<Real>;
  const auto paired = [](const array<const Real, 2>& from, std::int64_t count) {
    layout at = layout_of(from);
    at.offset /= 2, at.strides[0] /= 2, at.extents[1] = count / 2, at.strides[1] = 1;
    return array<const complex, 2>(view_at(at, from));
  };
  if (x.type->whole == scalar_of<Real>) {
    const auto given = typed<const Real, 2>(x);
    const bool even = x.at.offset % 2 == 0 && (given.stride(0) % 2 == 0 || given.extent(0) == 1);
    if (points <= given.extent(1) && given.stride(1) == 1 && even &&
        given.address() % alignof(complex) == 0)
      return paired(given, points);
  }
  array<Real, 2> out(shape<2>(x.at.extents[0], points), device_from(x.on));
  host::kernel_of("fft_copy", {x.type}, {host::in(x.type, 2), host::out<Real>(2)},
                  [](const host::Parameters& p) {
                    const host::ElementView from = p.array(0);
                    const auto to = p.array<Real, 2>(1);
                    for_each_of_rows(to, [&](const auto& row, const auto& k) {
                      to(row, k) = complex_element<Real>(from, row, k).real();
                    });
                  })
      .launch(row_grid(out), x, out);
  return paired(out.share(), points);
}

/// Rows of real numbers to n / 2 + 1 elements of their transform. An even number is a complex
/// transform of half the length, whose elements are those of the even numbers and, times i, of the
/// odd ones.
template <class Real>
void transform_real_rows(const any_array& x, array<std::complex<Real>, 2>& out, std::int64_t n,
                         Real scale) {
  using complex = std::complex<Real>;
  array<complex, 2> half(shape<2>(out.extent(0), n % 2 == 0 ? n / 2 : n), out.device());
  if (n % 2 != 0) {
    transform_rows<Real>(complex_rows<Real>(x, n), half, false, scale);
    return out.copy_from(half(all, krait::range(0, n / 2 + 1)));
  }
  transform_rows<Real>(pairs_of<Real>(x, n), half, false, scale);
  const auto make = [&] {
    return kernel(
        [roots = root_table<Real>(n)](view<const complex, 2> z, view<complex, 2> to) {
          const auto root = roots.record();
          for_each_of_rows(to, [&](const auto& row, const auto& k) {
            const value<std::int64_t> m = z.extent(1);
            const value<complex> a = z(row, k % m), b = conj(value<complex>(z(row, (m - k) % m)));
            const value<complex> w = root.at(k), odd = (a - b) * w;
            to(row, k) = (a + b + value<complex>(odd.imag(), -odd.real())) * Real(0.5);
          });
        },
        {.name = "rfft"});
  };
  kept_for({n}, make).launch(row_grid(out), half, out);
}

/// The first n / 2 + 1 elements of a transform, which are 0 where rows end before, to n real
/// numbers.
template <class Real>
void transform_rows_to_real(const any_array& x, array<Real, 2>& out, Real scale) {
  using complex = std::complex<Real>;
  const std::int64_t n = out.extent(1), rows = out.extent(0), length = n % 2 == 0 ? n / 2 : n;
  const device on = out.device();
  array<complex, 2> given(shape<2>(rows, length), on);
  host::kernel_of(
      "irfft", {n, x.type}, {host::in(x.type, 2), host::out<complex>(2), host::number()},
      [n](const host::Parameters& p) {
        const root_table<Real> roots(n);
        const auto root = roots.record();
        const auto to = p.array<complex, 2>(1);
        const value<std::int64_t> points = p.number(2);
        with_rows<Real>(p.array(0), [&](const auto& z) {
          for_each_of_rows(to, [&](const auto& row, const auto& k) {
            const value<std::int64_t> last = points / 2;
            // Of a real transform: the imaginary part of the first element, and of the middle one,
            // is 0.
            const auto element = [&](const value<std::int64_t>& at) {
              const value<complex> e = complex_element<Real>(z, row, at);
              const value<bool> real = at == 0 || at * 2 == points;
              return value<complex>(e.real(), select(real, value<Real>(Real(0)), e.imag()));
            };
            if (roots.even()) {
              const value<complex> a = element(k), b = conj(element(last - k)),
                                   odd = (a - b) * conj(root.at(k));
              to(row, k) = a + b + value<complex>(-odd.imag(), odd.real());
            } else {
              const value<complex> e = element(krait::min(k, points - k));
              to(row, k) = value<complex>(e.real(), select(k <= last, e.imag(), -e.imag()));
            }
          });
        });
      })
      .launch(row_grid(given), x, given, n);
  if (n % 2 == 0) {
    // Where the user's memory begins between two pairs, they are made beside it.
    const bool shared = layout_of(out).offset % 2 == 0;
    const array<Real, 2> own = shared ? as_rows(out, rows, n) : array<Real, 2>(out.extents(), on);
    layout at = dense(given.extents().extents, 2, false);
    at.offset = layout_of(own).offset / 2;
    array<complex, 2> pairs(view_at(at, own));
    transform_rows<Real>(given.share(), pairs, true, scale);
    if (!shared) out.copy_from(own);
  } else {
    array<complex, 2> made(given.extents(), on);
    transform_rows<Real>(given.share(), made, true, scale);
    static auto& copy = lasting(kernel(
        [](view<const complex, 2> from, view<Real, 2> to) {
          for_each_of_rows(to, [&](const auto& row, const auto& k) {
            to(row, k) = value<complex>(from(row, k)).real();
          });
        },
        {.name = "real_part"}));
    copy.launch(row_grid(out), made, out);
  }
}

}  // namespace krait::detail
