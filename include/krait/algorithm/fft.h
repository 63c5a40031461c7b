// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete Fourier transforms, as in numpy.fft.
//   auto spectrum = kr::fft(x);                        // along the last axis: kr::array<std::complex<float>, N>
//   auto half = kr::rfft(signal, kr::points(1024), "ortho");
//   auto image = kr::ifft2(kr::fft2(picture));
#pragma once

#include <complex>

#include <krait/algorithm/detail/fft_calls.h>
#include <krait/algorithm/detail/form.h>
#include <krait/complex.h>

namespace krait {
namespace detail {

struct points_type {
  std::int64_t count;
};
template <class Option>
inline constexpr bool is_fft_option =
    axes_in<Option> == 1 || outputs_in<Option> == 1 || std::is_same_v<Option, points_type> ||
    std::is_convertible_v<Option, const char*>;
template <class Option>
concept fft_option = is_fft_option<std::decay_t<Option>>;
template <class Option>
concept fft_axes_option =
    (axes_in<std::decay_t<Option>> > 0) || outputs_in<std::decay_t<Option>> == 1 ||
    std::is_convertible_v<Option, const char*>;

template <class Option>
concept real_fft_option =
    fft_axes_option<Option> || std::is_same_v<std::decay_t<Option>, points_type>;

struct fft_options {
  std::int64_t axis = -1, points = 0;
  bool has_points = false;
  const char* norm = "backward";

  template <class... Options>
  explicit fft_options(const Options&... options) {
    (set(options), ...);
  }
  void set(const axis_list<1>& given) { axis = given.at[0]; }
  void set(const points_type& given) { points = given.count, has_points = true; }
  void set(const char* given) { norm = given; }
  template <class... Outputs>
  void set(const into_type<Outputs...>&) {}
};

/// Of floats their own type, of complex numbers their parts', of integers double.
template <class Elem>
struct fft_real {
  using type = real_t<Elem>;
};
template <class Real>
struct fft_real<std::complex<Real>> {
  using type = Real;
};
template <class Elem>
using fft_real_t = typename fft_real<std::remove_const_t<Elem>>::type;
template <class Elem>
using fft_complex_t = std::complex<fft_real_t<Elem>>;

/// Rows along an axis; where it has no elements, rows without any.
template <class Elem, int Rank>
any_array rows_or_none(const array<Elem, Rank>& x, std::int64_t axis, std::int64_t rows) {
  using elem = std::remove_const_t<Elem>;
  if (x.size() > 0) return erased(rows_along(x, axis));
  return erased(array<elem, 2>(shape<2>(rows, 0), x.device()));
}

/// Runs transform(rows, out, scale) on rows along the axis, for `points` elements of each; the
/// result has `results` along it.
template <class Out, class Elem, int Rank, class Output, class Transform>
auto transform_along(const array<Elem, Rank>& x, const fft_options& with, std::int64_t points,
                     std::int64_t results, bool inverse, Output output,
                     const Transform& transform) {
  layout at = axis_last(x.at(), with.axis);
  check_points(points);
  const double scale = fft_scale(with.norm, points, inverse);
  at.extents[Rank - 1] = results;
  auto out = result_in<Out, Rank>(output, axis_back(dense(at.extents, Rank, false), with.axis),
                                  x.device(), x);
  if (const std::int64_t size = out.to.size(); size > 0) {
    const std::int64_t rows = size / results;
    transform(rows_or_none(x, with.axis, rows), erased(as_rows(out.to, rows, results)), scale);
  }
  return out.give();
}

template <class Elem, int Rank, class Output = std::nullptr_t>
auto complex_along(const array<Elem, Rank>& x, const fft_options& with, bool inverse,
                   Output output = nullptr) {
  using real = fft_real_t<Elem>;
  if constexpr (Rank <= 2 && std::is_same_v<std::remove_const_t<Elem>, std::complex<real>> &&
                std::is_null_pointer_v<Output>) {
    // Whole rows in their memory order: for few elements, the arrays and layouts of the general
    // path below cost more than the transform.
    if ((with.axis == -1 || with.axis == Rank - 1) &&
        (!with.has_points || with.points == x.extent(Rank - 1)) && x.size() > 0) {
      const double scale = fft_scale(with.norm, x.extent(Rank - 1), inverse);
      array<std::complex<real>, Rank> out(x.extents(), x.device());
      if constexpr (Rank == 2) transform_rows(erased(x), erased(out), inverse, scale);
      else
        transform_rows(erased(x(newaxis, all)), erased(as_rows(out, 1, x.size())), inverse, scale);
      return out;
    }
  }
  const std::int64_t length = axis_last(x.at(), with.axis).extents[Rank - 1],
                     points = with.has_points ? with.points : length;
  return transform_along<std::complex<real>>(
      x, with, points, points, inverse, output,
      [&](const any_array& rows, const any_array& out, double scale) {
        transform_numbers(rows, out, inverse, scale);
      });
}

/// The axes, the last ones where none are given, and the other options.
template <int Rank>
struct fft_axes {
  std::int64_t at[max_rank];
  int count;
  fft_options with;

  template <class... Options>
  explicit fft_axes(int last, const Options&... options) : count(last) {
    for (int d = 0; d < last; ++d) at[d] = d - last;
    (set(options), ...);
    axes_mask(at, count, Rank);
  }
  /// The options for one of the axes.
  fft_options of(int axis) const {
    fft_options one(with.norm);
    one.axis = at[axis];
    return one;
  }

 private:
  template <class Option>
  void set(const Option& option) {
    if constexpr (axes_in<Option> != 0) {
      static_assert(axes_in<Option> <= Rank, "krait: more axes than dimensions");
      for (count = 0; count < axes_in<Option>; ++count) at[count] = option.at[count];
    } else {
      with.set(option);
    }
  }
};
template <int Last, class Elem, int Rank, class... Options>
auto complex_along_axes(const array<Elem, Rank>& x, bool inverse, const Options&... options) {
  static_assert(Last <= Rank, "krait: fft2 and ifft2 take arrays of two dimensions or more");
  const fft_axes<Rank> axes(Last, options...);
  const auto output = output_in(options...);
  if (axes.count == 1) return complex_along(x, axes.of(0), inverse, output);
  auto between = complex_along(x, axes.of(axes.count - 1), inverse);
  for (int a = axes.count - 1; a-- > 1;) between = complex_along(between, axes.of(a), inverse);
  return complex_along(between, axes.of(0), inverse, output);
}

/// Of real numbers along an axis, and back.
template <class Elem, int Rank, class Output = std::nullptr_t>
auto real_along(const array<Elem, Rank>& x, const fft_options& with, Output output = nullptr) {
  static_assert(plain<std::remove_const_t<Elem>>,
                "krait: rfft needs real numbers: use kr::fft for complex ones");
  using real = fft_real_t<Elem>;
  const std::int64_t length = axis_last(x.at(), with.axis).extents[Rank - 1],
                     n = with.has_points ? with.points : length;
  return transform_along<std::complex<real>>(
      x, with, n, n / 2 + 1, false, output,
      [&](const any_array& rows, const any_array& out, double scale) {
        transform_real(rows, out, n, scale);
      });
}
template <class Elem, int Rank, class Output = std::nullptr_t>
auto to_real_along(const array<Elem, Rank>& x, const fft_options& with, Output output = nullptr) {
  using real = fft_real_t<Elem>;
  const std::int64_t length = axis_last(x.at(), with.axis).extents[Rank - 1],
                     n = with.has_points ? with.points : 2 * (length - 1);
  return transform_along<real>(x, with, n, n, true, output,
                               [](const any_array& rows, const any_array& out, double scale) {
                                 transform_to_real(rows, out, scale);
                               });
}
template <int Last, class Elem, int Rank, class... Options>
auto real_along_axes(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Last <= Rank, "krait: rfft2 takes arrays of two dimensions or more");
  const fft_axes<Rank> axes(Last, options...);
  fft_options last = axes.with;
  last.axis = axes.at[axes.count - 1];
  const auto output = output_in(options...);
  if (axes.count == 1) return real_along(x, last, output);
  auto between = real_along(x, last);
  for (int a = axes.count - 1; a-- > 1;) between = complex_along(between, axes.of(a), false);
  return complex_along(between, axes.of(0), false, output);
}
template <int Last, class Elem, int Rank, class... Options>
auto to_real_along_axes(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Last <= Rank, "krait: irfft2 takes arrays of two dimensions or more");
  const fft_axes<Rank> axes(Last, options...);
  fft_options last = axes.with;
  last.axis = axes.at[axes.count - 1];
  const auto output = output_in(options...);
  if (axes.count == 1) return to_real_along(x, last, output);
  auto between = complex_along(x, axes.of(0), true);
  for (int a = 1; a < axes.count - 1; ++a) between = complex_along(between, axes.of(a), true);
  return to_real_along(between, last, output);
}

}  // namespace detail

/// The option of a transform that sets its number of points: further elements are cut, missing ones
/// are 0.
/// \code
/// auto padded = kr::fft(x, kr::points(2 * x.size()));
/// \endcode
inline detail::points_type points(std::int64_t count) { return {count}; }

/// The discrete Fourier transform along the last axis, as numpy.fft.fft.
/// out[k] is the sum of x[j] exp(-2 pi i j k / n). Elements are real or complex, of any number;
/// errors are about the last bit of the largest result. Options are kr::axis(k), kr::points(n),
/// kr::into(y) and a norm: "backward" (inverse 1 / n), "ortho" (1 / sqrt(n) both) or "forward" (1 /
/// n). Another axis is contiguous in the result. Throws error{usage} for an invalid axis, norm or
/// number of points.
/// \code
/// auto spectrum = kr::fft(x, kr::points(1024), "ortho");
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto fft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along(x, detail::fft_options(options...), false,
                               detail::output_in(options...));
}
/// The inverse of kr::fft, with the same options.
/// \code
/// auto back = kr::ifft(kr::fft(x));   // complex, equal to x up to rounding
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto ifft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along(x, detail::fft_options(options...), true,
                               detail::output_in(options...));
}
/// The Fourier transform of real numbers: the first n / 2 + 1 elements of kr::fft.
/// The other elements are their conjugates. Options as for kr::fft.
/// \code
/// auto half = kr::rfft(x);
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto rfft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::real_along(x, detail::fft_options(options...), detail::output_in(options...));
}
/// The inverse of kr::rfft: n real numbers, by default 2 (m - 1) for m elements.
/// \code
/// auto back = kr::irfft(kr::rfft(x), kr::points(x.size()));
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto irfft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::to_real_along(x, detail::fft_options(options...), detail::output_in(options...));
}
/// The Fourier transform along all axes, or those of kr::axis(k, l); norms as for kr::fft.
/// \code
/// auto spectrum = kr::fftn(a, "ortho");
/// \endcode
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto fftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along_axes<Rank>(x, false, options...);
}
/// The inverse of kr::fftn, with the same options and errors.
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto ifftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along_axes<Rank>(x, true, options...);
}
/// The Fourier transform along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto filtered = kr::ifft2(kr::fft2(a));
/// \endcode
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto fft2(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along_axes<2>(x, false, options...);
}
/// The inverse of kr::fft2, with the same options and errors.
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto ifft2(const array<Elem, Rank>& x, const Options&... options) {
  return detail::complex_along_axes<2>(x, true, options...);
}

/// The Fourier transform of real numbers along all axes: rfft along the last, fft along the others.
/// kr::axis(k, l) names axes; kr::points(n) belongs to the last of them.
/// \code
/// auto spectrum = kr::rfftn(a);
/// \endcode
template <class Elem, int Rank, detail::real_fft_option... Options>
auto rfftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::real_along_axes<Rank>(x, options...);
}
/// The inverse of kr::rfftn; the last axis has 2 (m - 1) real points for m elements, or kr::points.
template <class Elem, int Rank, detail::real_fft_option... Options>
auto irfftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::to_real_along_axes<Rank>(x, options...);
}
/// The Fourier transform of real numbers along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto back = kr::irfft2(kr::rfft2(a));
/// \endcode
template <class Elem, int Rank, detail::real_fft_option... Options>
auto rfft2(const array<Elem, Rank>& x, const Options&... options) {
  return detail::real_along_axes<2>(x, options...);
}
/// The inverse of kr::rfft2: real numbers.
template <class Elem, int Rank, detail::real_fft_option... Options>
auto irfft2(const array<Elem, Rank>& x, const Options&... options) {
  return detail::to_real_along_axes<2>(x, options...);
}

}  // namespace krait
