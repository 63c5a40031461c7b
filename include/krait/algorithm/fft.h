// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Discrete Fourier transforms, as in numpy.fft.
//   auto spectrum = kr::fft(x);        // along the last axis: kr::array<std::complex<float>, N>
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

/// The number of points among options, or another.
inline std::int64_t points_among(std::int64_t otherwise) { return otherwise; }
template <class First, class... Rest>
std::int64_t points_among(std::int64_t otherwise, const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<First, points_type>) return first.count;
  else return points_among(otherwise, rest...);
}
/// The axes, the last ones where none are given, and the other options.
template <int Rank>
struct fft_request_of : fft_request {
  template <class... Options>
  explicit fft_request_of(int last, const Options&... options) {
    for (count = 0; count < last; ++count) axes[count] = count - last;
    (set(options), ...);
  }

 private:
  template <int Count>
  void set(const axis_list<Count>& given) {
    static_assert(Count <= Rank, "krait: more axes than dimensions");
    for (count = 0; count < Count; ++count) axes[count] = given.at[count];
  }
  void set(const points_type& given) { points = given.count, has_points = true; }
  // the number of points, as NumPy's second argument
  template <axis_number Number>
  void set(Number given) {
    set(points_type{static_cast<std::int64_t>(given)});
  }
  void set(const char* given) { norm = given; }
  template <class... Outputs>
  void set(const into_type<Outputs...>&) {}
};

/// The transform of x along the Last axes, 0: all, or along those among the options.
template <fft_kind Kind, int Last, class Elem, int Rank, class... Options>
auto transform_of(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Last <= Rank,
                "krait: transforms along two axes take arrays of two dimensions or more");
  static_assert(Kind != fft_kind::real || plain<std::remove_const_t<Elem>>,
                "krait: rfft needs real numbers: use kr::fft for complex ones");
  using real = fft_real_t<Elem>;
  using elem = std::conditional_t<Kind == fft_kind::to_real, real, std::complex<real>>;
  const fft_request_of<Rank> with(Last > 0 ? Last : Rank, options...);
  const auto output = given_as<elem, Rank>(output_in(options...));
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(output)>>) {
    return typed<elem, Rank>(transform(erased(x), Kind, with, sizeof(real), nullptr));
  } else {
    const any_array to = erased(*output);
    transform(erased(x), Kind, with, sizeof(real), &to);
  }
}

}  // namespace detail

/// The option of a transform that sets its number of points: further elements are cut, missing ones
/// are 0.
/// \code
/// auto padded = kr::fft(x, kr::points(2 * x.size()));
/// \endcode
inline detail::points_type points(std::int64_t count) { return {count}; }

// Undefined below.
#define KRAIT_TRANSFORM(function, option, kind, last)                         \
  template <class Elem, int Rank, detail::option... Options>                  \
  auto function(const array<Elem, Rank>& x, const Options&... options) {      \
    return detail::transform_of<detail::fft_kind::kind, last>(x, options...); \
  }

/// The discrete Fourier transform along the last axis, as numpy.fft.fft.
/// out[k] is the sum of x[j] exp(-2 pi i j k / n). Elements are real or complex, of any number;
/// errors are about the last bit of the largest result. Options are kr::axis(k), kr::points(n),
/// kr::into(y) and a norm: "backward" (inverse 1 / n), "ortho" (1 / sqrt(n) both) or "forward" (1 /
/// n). The strides of the result are the library's choice. Throws error{usage} for
/// an invalid axis, norm or number of points.
/// \code
/// auto spectrum = kr::fft(x, kr::points(1024), "ortho");
/// \endcode
KRAIT_TRANSFORM(fft, fft_option, forward, 1)
/// The inverse of kr::fft, with the same options.
/// \code
/// auto back = kr::ifft(kr::fft(x));   // complex, equal to x up to rounding
/// \endcode
KRAIT_TRANSFORM(ifft, fft_option, inverse, 1)
/// The Fourier transform of real numbers: the first n / 2 + 1 elements of kr::fft.
/// The other elements are their conjugates. Options as for kr::fft.
/// \code
/// auto half = kr::rfft(x);
/// \endcode
KRAIT_TRANSFORM(rfft, fft_option, real, 1)
/// The inverse of kr::rfft: n real numbers, by default 2 (m - 1) for m elements.
/// \code
/// auto back = kr::irfft(kr::rfft(x), kr::points(x.size()));
/// \endcode
KRAIT_TRANSFORM(irfft, fft_option, to_real, 1)
/// The Fourier transform along all axes, or those of kr::axis(k, l); norms as for kr::fft.
/// \code
/// auto spectrum = kr::fftn(a, "ortho");
/// \endcode
KRAIT_TRANSFORM(fftn, fft_axes_option, forward, 0)
/// The inverse of kr::fftn, with the same options and errors.
KRAIT_TRANSFORM(ifftn, fft_axes_option, inverse, 0)
/// The Fourier transform along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto filtered = kr::ifft2(kr::fft2(a));
/// \endcode
KRAIT_TRANSFORM(fft2, fft_axes_option, forward, 2)
/// The inverse of kr::fft2, with the same options and errors.
KRAIT_TRANSFORM(ifft2, fft_axes_option, inverse, 2)

/// The Fourier transform of real numbers along all axes: rfft along the last, fft along the others.
/// kr::axis(k, l) names axes; kr::points(n) belongs to the last of them.
/// \code
/// auto spectrum = kr::rfftn(a);
/// \endcode
KRAIT_TRANSFORM(rfftn, real_fft_option, real, 0)
/// The inverse of kr::rfftn; the last axis has 2 (m - 1) real points for m elements, or kr::points.
KRAIT_TRANSFORM(irfftn, real_fft_option, to_real, 0)
/// The Fourier transform of real numbers along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto back = kr::irfft2(kr::rfft2(a));
/// \endcode
KRAIT_TRANSFORM(rfft2, real_fft_option, real, 2)
/// The inverse of kr::rfft2: real numbers.
KRAIT_TRANSFORM(irfft2, real_fft_option, to_real, 2)

#undef KRAIT_TRANSFORM

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(fft, ifft, rfft, irfft, fftn, ifftn, fft2, ifft2, rfftn, irfftn, rfft2,
                        irfft2)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
