// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms as the library computes them.
#pragma once

#include <krait/algorithm/detail/any_array.h>

namespace krait::detail {

enum class fft_kind : unsigned char { forward, inverse, real, to_real, cosine };
/// The axes, from the one that is transformed last, and the options. Points belong to the last.
struct fft_request {
  std::int64_t axes[max_rank];
  int count = 0;
  std::int64_t points = 0;
  bool has_points = false;
  const char* norm = "backward";
  int cosine = 0;        // the type of a cosine transform, from 1 to 4
  bool inverse = false;  // of a cosine transform: how it is scaled
};
/// The transform of numbers, computed in floats of so many bytes, in a new array or in `into`.
/// Throws error{usage} in NumPy's words for axes, points and norms that are none.
KRAIT_API any_array transform(const any_array& x, fft_kind kind, const fft_request& with,
                              std::size_t real_bytes, const any_array* into);

/// Whether so many neighbouring columns of complex numbers are transformed where they lie.
KRAIT_API bool transforms_columns(std::int64_t points, std::int64_t columns, std::size_t real_bytes,
                                  const device& on);

/// All sums of a convolution, and more, of arrays of one to three dimensions; computed in f32 or
/// f64.
KRAIT_API any_array convolve_by_fft(const any_array& x, const any_array& weights, scalar real);

/// A length from there on that is quick.
KRAIT_API std::int64_t fft_length(std::int64_t least);

}  // namespace krait::detail
