// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by Fourier transforms.
#include "algorithms/linalg/convert.h"
#include "algorithms/matmul/products.h"
#include "krait/algorithm/fft.h"

namespace krait::detail {
namespace {

/// x among zeros, for a transform of these extents.
template <class Real, int Rank>
array<Real, Rank> among_zeros(const any_array& x, const shape<Rank>& extents) {
  array<Real, Rank> out(extents, device_from(x.on));
  out.fill(Real(0));
  any_array part = erased(out);
  std::copy(x.at.extents, x.at.extents + Rank, part.at.extents);
  host::convert_elements(x, part);
  return out;
}
template <class Real, int Rank>
any_array convolved(const any_array& x, const any_array& weights, const std::int64_t* padded) {
  shape<Rank> extents;
  std::copy(padded, padded + Rank, extents.extents);
  const auto left = rfftn(among_zeros<Real, Rank>(x, extents)),
             right = rfftn(among_zeros<Real, Rank>(weights, extents));
  const array<std::complex<Real>, Rank> product = left * right;
  return erased(irfftn(product));
}
template <class Real>
any_array convolved_rank(const any_array& x, const any_array& weights, const std::int64_t* padded) {
  if (x.at.rank == 1) return convolved<Real, 1>(x, weights, padded);
  if (x.at.rank == 2) return convolved<Real, 2>(x, weights, padded);
  return convolved<Real, 3>(x, weights, padded);
}

}  // namespace

any_array convolve_by_fft(const any_array& x, const any_array& weights, scalar real) {
  std::int64_t padded[max_rank];
  for (int d = 0; d < x.at.rank; ++d)
    padded[d] = fft_length(x.at.extents[d] + weights.at.extents[d] - 1);
  if (real == scalar::f32) return convolved_rank<float>(x, weights, padded);
  return convolved_rank<double>(x, weights, padded);
}

}  // namespace krait::detail
