// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of rows as the library computes them. Rows are any_arrays of two dimensions;
// complex numbers are of float or double, which says how all is computed.
#pragma once

#include <krait/algorithm/detail/any_array.h>

namespace krait::detail {

/// From complex numbers to as many.
KRAIT_API void transform_rows(const any_array& x, const any_array& out, bool inverse, double scale);
/// The same from numbers of any type, of which those after the last are 0.
KRAIT_API void transform_numbers(const any_array& x, const any_array& out, bool inverse,
                                 double scale);
/// The first `points` of each row of real numbers to points / 2 + 1 complex ones.
KRAIT_API void transform_real(const any_array& x, const any_array& out, std::int64_t points,
                              double scale);
/// Rows of any numbers to real ones.
KRAIT_API void transform_to_real(const any_array& x, const any_array& out, double scale);

/// All sums of a convolution, and more, of arrays of one to three dimensions; computed in f32 or
/// f64.
KRAIT_API any_array convolve_by_fft(const any_array& x, const any_array& weights, scalar real);

/// A length from there on that is quick.
KRAIT_API std::int64_t fft_length(std::int64_t least);
/// The factor of a transform of n points. Throws error{usage} in NumPy's words for another norm
/// than backward, ortho and forward.
KRAIT_API double fft_scale(const char* norm, std::int64_t n, bool inverse);
/// Throws error{usage} in NumPy's words where n is below 1.
KRAIT_API void check_points(std::int64_t n);

}  // namespace krait::detail
