// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frequencies of transforms and their order, as in numpy.fft, and the discrete cosine transform
// of scipy.fft:
//   auto centred = kr::fftshift(kr::fft2(image));
//   auto hertz = kr::rfftfreq(n, 1.0 / rate);
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
      for (const std::int64_t axis : option.at) add(axis);
  };
  if constexpr ((axes_in<Options> + ... + 0) == 0)
    for (int d = 0; d < Rank; ++d) add(d);
  (named(options), ...);
  array<std::remove_const_t<Elem>, Rank> out(x.extents(), x.device());
  if (x.size() > 0) roll_into(erased(x), by, erased(out));
  return out;
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

}  // namespace detail

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

}  // namespace krait

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
namespace krait {
KRAIT_TAKES_EXPRESSIONS(fftshift)
KRAIT_TAKES_EXPRESSIONS(ifftshift)
}  // namespace krait
#undef KRAIT_TAKES_EXPRESSIONS
