// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms in double.
#include "algorithms/fft/instances.h"

namespace krait::detail {

template struct fft_of<double>;

}  // namespace krait::detail
