// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with many weights, by Fourier transforms.
//   auto echo = kr::fftconvolve(sound, room, "same");
#pragma once

#include <krait/algorithm/convolve.h>
#include <krait/algorithm/fft.h>

namespace krait {
namespace detail {

/// x among zeros, for a transform of these extents.
template <class Real, class Elem, int Rank>
array<Real, Rank> among_zeros(const array<Elem, Rank>& x, const shape<Rank>& extents) {
  array<Real, Rank> out(extents, x.device());
  out.fill(Real(0));
  auto part = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return out(krait::range(0, x.extent(int(D)))...);
  }(std::make_index_sequence<Rank>());
  make_expression<same_elements>(x).into(part);
  return out;
}

}  // namespace detail

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
  shape<Rank> extents, padded;
  std::int64_t first[Rank];
  detail::convolve_shape(x.at(), weights.at(), mode, extents.extents, first);
  for (int d = 0; d < Rank; ++d)
    padded.extents[d] = detail::fft_length(x.extent(d) + weights.extent(d) - 1);
  const auto left = rfftn(detail::among_zeros<real>(x, padded)),
             right = rfftn(detail::among_zeros<real>(weights, padded));
  const array<std::complex<real>, Rank> product = left * right;
  auto full = irfftn(product);
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    auto part = full(krait::range(first[D], first[D] + extents[int(D)])...);
    if constexpr (sizeof...(Options) == 0) return part.copy();
    else detail::give_result(detail::output_in(options...), std::move(part));
  }(std::make_index_sequence<Rank>());
}

}  // namespace krait
