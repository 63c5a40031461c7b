// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of many lanes divided by one number, with AVX-512: the bits of the division in less time.
// `bench_corpus --cpu-time`: srad 3.89 -> 3.09 ms, cavity 6.40 -> 4.66; with AVX2 cavity took 7.4
// ms instead of 6.0.
//
// The reciprocal of y is found once, as a sum of two numbers: h is 1/y as it rounds, l what is
// missing. q = fma(x, h, x*l) is within one unit in the last place of x/y, so x - q*y is exact, and
// fma(x - q*y, h, q) is x/y correctly rounded (P. Markstein, Computation of elementary functions on
// the IBM RISC System/6000 processor, 1990; N. Brisebarre, J.-M. Muller, S. K. Raina, Accelerating
// correctly rounded floating-point division when the divisor is known in advance, 2004), as long as
// neither q nor x - q*y loses bits at the ends of the exponents. That is asked of y once, and of
// the quotients of all lanes together; where it does not hold, the processor divides. A zero over a
// positive y is right, too.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class FloatQuotients : public Part {
 public:
  explicit FloatQuotients(const Common& common) : Part(common) {}
  /// False where the instruction is no such division.
  bool emit(const ir::Inst& inst);

 private:
  V every_lane_below_zero(V numbers);
};

}  // namespace krait::codegen::cpu
