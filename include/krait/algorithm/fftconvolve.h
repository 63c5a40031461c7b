// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with many weights, by Fourier transforms.
//   auto echo = kr::fftconvolve(sound, room, "same");
#pragma once

#include <krait/algorithm/convolve.h>
#include <krait/algorithm/fft.h>

namespace krait {

/// A convolution by Fourier transforms, as scipy.signal.fftconvolve: for hundreds of weights and
/// more.
/// Modes as for kr::convolve. Errors are some last bits of the largest sum, in every element.
/// Throws as convolve.
/// \code
/// auto echo = kr::fftconvolve(x, y, "same");
/// \endcode
template <class Elem, class Weight, int Rank, detail::into_option... Options>
auto fftconvolve(const array<Elem, Rank>& x, const array<Weight, Rank>& weights,
                 const char* mode = "full", const Options&... options) {
  using real = detail::convolved_t<Elem, Weight>;
  static_assert(Rank <= 3, "krait: convolutions must have one to three dimensions");
  static_assert(
      std::is_same_v<real, float> || std::is_same_v<real, double>,
      "krait: fftconvolve needs floating-point elements: use kr::convolve for integers, which is exact");
  shape<Rank> extents;
  std::int64_t first[Rank];
  detail::convolve_shape(detail::layout_of(x), detail::layout_of(weights), mode, extents.extents,
                         first);
  auto full = detail::typed<real, Rank>(
      detail::convolve_by_fft(detail::erased(x), detail::erased(weights), detail::scalar_of<real>));
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    auto part = full(krait::range(first[D], first[D] + extents[int(D)])...);
    if constexpr (sizeof...(Options) == 0) return part.copy();
    else detail::give_result(detail::output_in(options...), std::move(part));
  }(std::make_index_sequence<Rank>());
}

// Of expressions, too.
#include <krait/detail/takes_expressions.h>
KRAIT_TAKES_EXPRESSIONS(fftconvolve)
KRAIT_TAKES_LISTS(fftconvolve)
#include <krait/detail/takes_expressions.h>

}  // namespace krait
