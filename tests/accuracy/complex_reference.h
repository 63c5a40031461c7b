// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of complex numbers are measured against: MPC. The error of a result is |got -
// exact| in ULP of |exact|, and that of a part in ULP of the exact part (docs/numbers.md). Infinite
// parts count as the first number past the largest.
#pragma once

#include <mpc.h>

#include <complex>
#include <ostream>
#include <string>
#include <span>
#include <vector>

namespace krait::accuracy {

struct ComplexReference {
  const char* name;
  int arity;
  double bound;      // largest error in ULP, of both types; of pow in units of (1 + |w log z|) ULP
  double part;       // the same of each part, 0 where there is no bound
  bool whole_range;  // else parts are taken from 2^-40 to 2^40: the function's formula overflows
  std::complex<float> (*f32)(std::complex<float>, std::complex<float>);
  std::complex<double> (*f64)(std::complex<double>, std::complex<double>);
  void (*exact)(mpc_t, const mpc_t, const mpc_t);
};
std::span<const ComplexReference> complex_references();
inline void PrintTo(const ComplexReference& f, std::ostream* out) { *out << f.name; }

template <class Float>
struct ComplexArguments {
  std::vector<std::complex<Float>> z, w;
};
/// Parts over all exponents, parts near each other, numbers near the unit circle, and near both
/// ends of the range.
template <class Float>
ComplexArguments<Float> complex_arguments(const ComplexReference& f, unsigned count,
                                          unsigned seed = 0);

struct ComplexError {
  double whole = 0, part = 0;
};
template <class Float>
ComplexError complex_error(const ComplexReference& f, std::complex<Float> z, std::complex<Float> w,
                           std::complex<Float> got);

template <class Float>
struct ComplexWorst {
  ComplexError error;
  std::complex<Float> z, w, part_z, part_w;  // where the two are
  void note(const ComplexError& e, std::complex<Float> at_z, std::complex<Float> at_w) {
    if (e.whole > error.whole) error.whole = e.whole, z = at_z, w = at_w;
    if (e.part > error.part) error.part = e.part, part_z = at_z, part_w = at_w;
  }
};

}  // namespace krait::accuracy
