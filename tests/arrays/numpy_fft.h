// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays/case_reader.h"

namespace krait::test {

/// The transform that is read, as parts of a number that is read, too: real and imaginary parts as
/// the last dimension.
Any<double> run_fft_f32(std::istream& in);
Any<double> run_fft_f64(std::istream& in);

}  // namespace krait::test
