// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frequencies of transforms and their order, as in numpy.fft, and the discrete cosine transform
// of scipy.fft:
//   auto centred = kr::fftshift(kr::fft2(image));
//   auto hertz = kr::rfftfreq(n, 1.0 / rate);
//   auto coefficients = kr::dct(x, "ortho");
#pragma once

#include <krait/algorithm/fft.h>
#include <krait/algorithm/rearrange.h>

namespace krait {
namespace detail {

template <bool Inverse, class Elem, int Rank, class... Options>
auto shifted(const array<Elem, Rank>& x, const Options&... options) {
  std::int64_t by[Rank]{};
  const auto add = [&](std::int64_t axis) {
    const int along = checked_axis(axis, Rank);
    const std::int64_t n = x.extent(along);
    by[along] = Inverse ? -(n / 2) : n / 2;
  };
  [[maybe_unused]] const auto named = [&]<class Option>(const Option& option) {
    if constexpr (axes_in<Option> > 0)
      for (const std::int64_t axis : axis_list(option).at) add(axis);
  };
  if constexpr ((axes_in<Options> + ... + 0) == 0)
    for (int d = 0; d < Rank; ++d) add(d);
  (named(options), ...);
  auto made = result_in<std::remove_const_t<Elem>, Rank>(
      output_in(options...), dense(x.extents().extents, Rank, false), x.device(), x);
  if (x.size() > 0) roll_into(erased(x), by, erased(made.to));
  return made.give();
}
/// Fills an array with k / (n d) for k = 0, 1, … and, unless `half`, negative ones in its second
/// half.
KRAIT_API void frequencies(std::int64_t n, double distance, bool half, double* out);
template <class Elem>
array<Elem> frequencies_on(std::int64_t n, double distance, bool half, const device& on) {
  host_array<double> at(std::size_t(half ? n / 2 + 1 : n));
  frequencies(n, distance, half, at.data());
  host_array<Elem> converted(at.size());
  for (std::size_t i = 0; i < at.size(); ++i) converted[i] = Elem(at[i]);
  array<Elem> out(shape<1>(std::int64_t(at.size())), on);
  if (at.size() > 0) out.copy_from(converted);
  return out;
}

/// The transform of a type, scaled as the inverse of another one or not.
template <int Type, bool Inverse, class Elem, int Rank, class... Options>
auto cosine_transformed(const array<Elem, Rank>& x, const Options&... options) {
  static_assert(plain<std::remove_const_t<Elem>>,
                "krait: dct needs real numbers: transform the parts of complex ones by themselves");
  static_assert(Type >= 1 && Type <= 4, "krait: cosine transforms have the types 1 to 4");
  using real = fft_real_t<Elem>;
  fft_request_of<Rank> with(1, options...);
  with.cosine = !Inverse || Type == 1 || Type == 4 ? Type : 5 - Type, with.inverse = Inverse;
  const auto output = given_as<real, Rank>(output_in(options...));
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(output)>>) {
    return typed<real, Rank>(transform(erased(x), fft_kind::cosine, with, sizeof(real), nullptr));
  } else {
    const any_array to = erased(*output);
    transform(erased(x), fft_kind::cosine, with, sizeof(real), &to);
  }
}

}  // namespace detail

/// The discrete cosine transform along the last axis, as scipy.fft.dct: of type 2, or 1 to 4.
/// Options and errors are those of kr::fft: kr::axis(k), kr::points(n), kr::into(y) and a norm.
/// \code
/// auto coefficients = kr::dct(x, "ortho");
/// auto back = kr::idct(coefficients, "ortho");
/// \endcode
template <int Type = 2, class Elem, int Rank, detail::fft_option... Options>
auto dct(const array<Elem, Rank>& x, const Options&... options) {
  return detail::cosine_transformed<Type, false>(x, options...);
}
/// The inverse of kr::dct of the same type, with the same options and errors.
template <int Type = 2, class Elem, int Rank, detail::fft_option... Options>
auto idct(const array<Elem, Rank>& x, const Options&... options) {
  return detail::cosine_transformed<Type, true>(x, options...);
}
template <int Type = 2, class... Args>
  requires detail::some_deferred<Args...>
auto dct(const Args&... args) {
  return dct<Type>(detail::evaluated(args)...);
}
template <int Type = 2, class... Args>
  requires detail::some_deferred<Args...>
auto idct(const Args&... args) {
  return idct<Type>(detail::evaluated(args)...);
}

/// The frequency 0 in the middle, along all axes or those of kr::axis, as numpy.fft.fftshift.
/// \code
/// auto centred = kr::fftshift(x);
/// \endcode
template <class Elem, int Rank, detail::word_option... Options>
auto fftshift(const array<Elem, Rank>& x, const Options&... options) {
  return detail::shifted<false>(x, options...);
}
/// The opposite of kr::fftshift.
template <class Elem, int Rank, detail::word_option... Options>
auto ifftshift(const array<Elem, Rank>& x, const Options&... options) {
  return detail::shifted<true>(x, options...);
}
/// The frequencies of kr::fft's elements for n samples at a distance, as numpy.fft.fftfreq.
/// \code
/// auto hertz = kr::fftfreq<float>(1024, 1.0 / 44100);
/// \endcode
template <class Elem = double>
auto fftfreq(std::int64_t n, double distance = 1, device on = device()) {
  return detail::frequencies_on<Elem>(n, distance, false, on);
}
/// The frequencies of kr::rfft's elements, as numpy.fft.rfftfreq.
template <class Elem = double>
auto rfftfreq(std::int64_t n, double distance = 1, device on = device()) {
  return detail::frequencies_on<Elem>(n, distance, true, on);
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(fftshift, ifftshift)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
