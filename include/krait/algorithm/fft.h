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
  template <axis_number Number>
  void set(Number) {
    static_assert(always_false<Number>,
                  "krait: is this number kr::points(n) or kr::axis(k)? Write which");
  }
  void set(const char* given) { norm = given; }
  template <class... Outputs>
  void set(const into_type<Outputs...>&) {}
};

/// The transform of x along the last axes, or those among the options.
template <fft_kind Kind, class Elem, int Rank, class... Options>
auto transform_of(const array<Elem, Rank>& x, int last, const Options&... options) {
  static_assert(Kind != fft_kind::real || plain<std::remove_const_t<Elem>>,
                "krait: rfft needs real numbers: use kr::fft for complex ones");
  using real = fft_real_t<Elem>;
  using elem = std::conditional_t<Kind == fft_kind::to_real, real, std::complex<real>>;
  const fft_request_of<Rank> with(last, options...);
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
  return detail::transform_of<detail::fft_kind::forward>(x, 1, options...);
}
/// The inverse of kr::fft, with the same options.
/// \code
/// auto back = kr::ifft(kr::fft(x));   // complex, equal to x up to rounding
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto ifft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::inverse>(x, 1, options...);
}
/// The Fourier transform of real numbers: the first n / 2 + 1 elements of kr::fft.
/// The other elements are their conjugates. Options as for kr::fft.
/// \code
/// auto half = kr::rfft(x);
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto rfft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::real>(x, 1, options...);
}
/// The inverse of kr::rfft: n real numbers, by default 2 (m - 1) for m elements.
/// \code
/// auto back = kr::irfft(kr::rfft(x), kr::points(x.size()));
/// \endcode
template <class Elem, int Rank, detail::fft_option... Options>
auto irfft(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::to_real>(x, 1, options...);
}
/// The Fourier transform along all axes, or those of kr::axis(k, l); norms as for kr::fft.
/// \code
/// auto spectrum = kr::fftn(a, "ortho");
/// \endcode
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto fftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::forward>(x, Rank, options...);
}
/// The inverse of kr::fftn, with the same options and errors.
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto ifftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::inverse>(x, Rank, options...);
}
/// The Fourier transform along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto filtered = kr::ifft2(kr::fft2(a));
/// \endcode
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto fft2(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Rank >= 2, "krait: fft2 and ifft2 take arrays of two dimensions or more");
  return detail::transform_of<detail::fft_kind::forward>(x, 2, options...);
}
/// The inverse of kr::fft2, with the same options and errors.
template <class Elem, int Rank, detail::fft_axes_option... Options>
auto ifft2(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Rank >= 2, "krait: fft2 and ifft2 take arrays of two dimensions or more");
  return detail::transform_of<detail::fft_kind::inverse>(x, 2, options...);
}

/// The Fourier transform of real numbers along all axes: rfft along the last, fft along the others.
/// kr::axis(k, l) names axes; kr::points(n) belongs to the last of them.
/// \code
/// auto spectrum = kr::rfftn(a);
/// \endcode
template <class Elem, int Rank, detail::real_fft_option... Options>
auto rfftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::real>(x, Rank, options...);
}
/// The inverse of kr::rfftn; the last axis has 2 (m - 1) real points for m elements, or kr::points.
template <class Elem, int Rank, detail::real_fft_option... Options>
auto irfftn(const array<Elem, Rank>& x, const Options&... options) {
  return detail::transform_of<detail::fft_kind::to_real>(x, Rank, options...);
}
/// The Fourier transform of real numbers along the last two axes, or those of kr::axis(k, l).
/// \code
/// auto back = kr::irfft2(kr::rfft2(a));
/// \endcode
template <class Elem, int Rank, detail::real_fft_option... Options>
auto rfft2(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Rank >= 2, "krait: rfft2 takes arrays of two dimensions or more");
  return detail::transform_of<detail::fft_kind::real>(x, 2, options...);
}
/// The inverse of kr::rfft2: real numbers.
template <class Elem, int Rank, detail::real_fft_option... Options>
auto irfft2(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(Rank >= 2, "krait: irfft2 takes arrays of two dimensions or more");
  return detail::transform_of<detail::fft_kind::to_real>(x, 2, options...);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(fft, ifft, rfft, irfft, fftn, ifftn, fft2, ifft2, rfftn, irfftn, rfft2,
                        irfft2)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
