// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms of rows: their passes, and lengths with large prime factors.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include <krait/algorithm/detail/fft_kernels.h>

namespace krait::detail {

/// Kernels and tables that depend on lengths, made when they are first asked for, and never destroyed.
template <class Key, class Make>
auto& kept_for(const Key& key, const Make& make) {
  using kept = std::invoke_result_t<const Make&>;
  static auto& all = *new std::map<Key, kept>();
  static auto& mutex = *new std::mutex();
  const std::lock_guard lock(mutex);
  const auto found = all.find(key);
  return found != all.end() ? found->second : all.emplace(key, make()).first->second;
}

/// Rows along an axis; where it has no elements, rows without any.
template <class Elem, int Rank>
array<const std::remove_const_t<Elem>, 2> rows_or_none(const array<Elem, Rank>& x, std::int64_t axis, std::int64_t rows) {
  using elem = std::remove_const_t<Elem>;
  if (x.size() > 0) return rows_along(array<const elem, Rank>(x.at(), x.memory_owner(), handle_of(x.device())), axis);
  return array<elem, 2>(shape<2>(rows, 0), x.device()).share();
}

/// What a kernel reads of row `row`: element k as a complex number, 0 behind the last.
template <class Real, class Elem>
value<std::complex<Real>> complex_element(const view<const Elem, 2>& x, const value<std::int64_t>& row,
                                          const value<std::int64_t>& k) {
  const auto part = [&](const auto& of) {
    return select(
        k < x.extent(1), [&] { return of(x(row, k)); }, value<Real>(Real(0)));
  };
  if constexpr (any_complex<Elem>) {
    const auto re = part([](const auto& z) { return z.real(); });
    return {re, part([](const auto& z) { return z.imag(); })};
  } else {
    return {part([](const auto& z) { return cast<Real>(z); }), value<Real>(Real(0))};
  }
}

/// Rows of so many complex numbers: the given ones, or a copy.
template <class Real, class Elem>
array<const std::complex<Real>, 2> complex_rows(const array<const Elem, 2>& x, std::int64_t points) {
  using complex = std::complex<Real>;
  if constexpr (std::is_same_v<Elem, complex>) {
    if (points <= x.extent(1)) return x(all, krait::range(0, points));
  }
  static auto& copy = *new auto(kernel(
      [](view<const Elem, 2> from, view<complex, 2> to) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i / to.extent(1), k = i % to.extent(1);
          to(row, k) = complex_element<Real>(from, row, k);
        }
      },
      {.name = "fft_copy"}));
  array<complex, 2> out(shape<2>(x.extent(0), points), x.device());
  copy.forall(out.size())(x, out);
  return out.share();
}

/// exp(-pi i k^2 / n) for k below n.
template <class Real>
std::vector<std::complex<Real>> chirp_of(std::int64_t n) {
  std::vector<std::complex<Real>> chirp;
  std::int64_t square = 0;  // k^2 modulo 2 n
  for (std::int64_t k = 0; k < n; square = (square + 2 * k + 1) % (2 * n), ++k) {
    const fft_root root = root_of_unity(square, 2 * n);
    chirp.emplace_back(Real(root.re), Real(root.im));
  }
  return chirp;
}

template <class Real>
void transform_rows(const array<const std::complex<Real>, 2>& x, array<std::complex<Real>, 2>& out, bool inverse, Real scale);

/// A convolution with a chirp makes a transform of any length one of a power of 2 (L. I. Bluestein, IEEE Trans. Audio
/// Electroacoustics 18 (1970) 451).
template <class Real>
void transform_by_chirp(const array<const std::complex<Real>, 2>& x, array<std::complex<Real>, 2>& out, bool inverse,
                        Real scale) {
  using complex = std::complex<Real>;
  const std::int64_t n = out.extent(1), length = bluestein_length(n);
  const device on = x.device();
  struct tables {
    array<complex> chirp;
    array<complex, 2> filter;
  };
  const auto make = [&] {
    const std::vector<complex> chirp = chirp_of<Real>(n);
    std::vector<complex> filter(static_cast<std::size_t>(length));
    for (std::size_t k = 0; k < chirp.size(); ++k) filter[k] = filter[(filter.size() - k) % filter.size()] = std::conj(chirp[k]);
    tables made{array<complex>(shape<1>(n), on), array<complex, 2>(shape<2>(1, length), on)};
    array<complex, 2> given(shape<2>(1, length), on);
    made.chirp.copy_from(chirp), given.copy_from(filter);
    transform_rows<Real>(given.share(), made.filter, false, Real(1 / double(length)));
    return made;
  };
  static auto& enter = *new auto(kernel(
      [](view<const complex, 2> from, view<const complex> chirp, view<complex, 2> to, value<int> turned) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i / to.extent(1), k = i % to.extent(1);
          const value<complex> z = complex_element<Real>(from, row, k), by = chirp[krait::min(k, chirp.size() - 1)];
          to(row, k) = value<complex>(select(turned != 0, z.imag(), z.real()), select(turned != 0, z.real(), z.imag())) * by;
        }
      },
      {.name = "fft_chirp"}));
  static auto& multiply = *new auto(kernel(
      [](view<complex, 2> z, view<const complex, 2> filter) {
        for (auto i : grid_stride(z.size())) {
          const value<std::int64_t> row = i / z.extent(1), k = i % z.extent(1);
          z(row, k) = z(row, k) * filter(0, k);
        }
      },
      {.name = "fft_filter"}));
  static auto& leave = *new auto(kernel(
      [](view<const complex, 2> from, view<const complex> chirp, view<complex, 2> to, value<int> turned, value<Real> by) {
        for (auto i : grid_stride(to.size())) {
          const value<std::int64_t> row = i / to.extent(1), k = i % to.extent(1);
          const value<complex> z = from(row, k) * chirp[k] * by;
          to(row, k) = value<complex>(select(turned != 0, z.imag(), z.real()), select(turned != 0, z.real(), z.imag()));
        }
      },
      {.name = "fft_unchirp"}));
  const tables& kept = kept_for(std::make_tuple(n, handle_of(on)), make);
  array<complex, 2> padded(shape<2>(x.extent(0), length), on), made(padded.extents(), on);
  enter.forall(padded.size())(x, kept.chirp, padded, int(inverse));
  transform_rows<Real>(padded.share(), made, false, Real(1));
  multiply.forall(made.size())(made, kept.filter);
  transform_rows<Real>(made.share(), padded, true, Real(1));
  leave.forall(out.size())(padded, kept.chirp, out, int(inverse), scale);
}

template <class Real>
void transform_rows(const array<const std::complex<Real>, 2>& x, array<std::complex<Real>, 2>& out, bool inverse, Real scale) {
  using complex = std::complex<Real>;
  const std::int64_t rows = out.extent(0), n = out.extent(1);
  const algorithm_form form = algorithm_device_of(x.device()).form;
  const fft_plan plan = plan_fft(n, rows, sizeof(Real), form);
  if (plan.count == 0) return transform_by_chirp(x, out, inverse, scale);
  array<complex, 2> between[2];
  for (int b = 0; b < std::min(plan.count - 1, 2); ++b) between[b] = array<complex, 2>(out.extents(), x.device());
  for (int i = 0; i < plan.count; ++i) {
    const fft_pass& pass = plan.passes[i];
    const auto make = [&] {
      return kernel([body = fft_pass_body<Real>(pass, inverse)](view<const complex, 2> from, view<complex, 2> to,
                                                                value<Real> by) { body(from, to, by); },
                    {.name = "fft"});
    };
    const auto& one = kept_for(std::make_tuple(pass.total, pass.done, pass.length, pass.columns, form, inverse), make);
    const std::int64_t others = n / pass.length,
                       blocks = others == 1 ? divided_up(rows, pass.columns) : rows * divided_up(others, pass.columns);
    const auto from = i == 0 ? x(all, all) : between[(i - 1) % 2].share();
    array<complex, 2>& to = i == plan.count - 1 ? out : between[i % 2];
    one.launch({blocks, pass.threads}, from, to, i == plan.count - 1 ? scale : Real(1));
  }
}

}  // namespace krait::detail
