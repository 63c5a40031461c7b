// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms in float.
#include "algorithms/fft/instances.h"

namespace krait::detail {

template struct fft_of<float>;

}  // namespace krait::detail
