// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a Fourier transform is cut into passes, without its element type.
#pragma once

#include "krait/algorithm/detail/fft_calls.h"
#include "krait/algorithm/detail/form.h"

namespace krait::detail {

inline constexpr int max_fft_passes = 12, max_fft_radices = 24;

/// A pass over memory is a transform of `length` elements with a distance of `total / length`. The
/// columns of a block, `columns` in number, are next to each other; if length is total, they belong
/// to as many rows. `done` is the product of the lengths of the passes before. The first of several
/// passes turns its output in the memory of a block, where columns are `pitch` elements apart.
struct fft_pass {
  std::int64_t total, done;
  int length, columns, threads, pitch, count;
  bool in_place;             // one buffer: a block of a GPU has whole columns
  bool whole_tiles = false;  // columns whose number is a multiple of a block's
  int radices[max_fft_radices];
};
struct fft_plan {
  int count;  // 0: `total` has a prime factor above 7
  fft_pass passes[max_fft_passes];
};
KRAIT_API fft_plan plan_fft(std::int64_t total, std::int64_t rows, std::size_t number_bytes,
                            const algorithm_device& on);
/// Transforms of neighbouring columns where they lie: one pass, whose blocks read and write lines
/// of memory. None for a processor whose cache has no room for such a block, and for GPUs.
KRAIT_API fft_plan plan_fft_across(std::int64_t total, std::int64_t columns,
                                   std::size_t number_bytes, const algorithm_device& on);
/// exp(-2 pi i k / n), rounded once.
struct fft_root {
  double re, im;
};
KRAIT_API fft_root root_of_unity(std::int64_t k, std::int64_t n);

/// The factor of a transform of n points. Throws error{usage} in NumPy's words for another norm
/// than backward, ortho and forward.
double fft_scale(const char* norm, std::int64_t n, bool inverse);
/// Throws error{usage} in NumPy's words where n is below 1.
void check_points(std::int64_t n);

}  // namespace krait::detail
