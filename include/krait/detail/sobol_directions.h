// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Direction numbers of Sobol's sequence: the first 40 dimensions of new-joe-kuo-6.21201 (S. Joe and
// F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
// Comput. 30, 2008), which its authors publish under the three-clause BSD licence, copyright 2008
// Frances Y. Kuo and Stephen Joe.
#pragma once

#include <krait/detail/call.h>

namespace krait::detail {

/// Dimension d + 1: the degree of a primitive polynomial, its coefficients between the first and
/// the last as bits, and the first odd numbers m. Dimension 0 is van der Corput's sequence.
struct sobol_polynomial {
  unsigned degree, coefficients;
  unsigned m[8];
};
inline constexpr sobol_polynomial sobol_polynomials[] = {{1, 0, {1}},
                                                         {2, 1, {1, 3}},
                                                         {3, 1, {1, 3, 1}},
                                                         {3, 2, {1, 1, 1}},
                                                         {4, 1, {1, 1, 3, 3}},
                                                         {4, 4, {1, 3, 5, 13}},
                                                         {5, 2, {1, 1, 5, 5, 17}},
                                                         {5, 4, {1, 1, 5, 5, 5}},
                                                         {5, 7, {1, 1, 7, 11, 19}},
                                                         {5, 11, {1, 1, 5, 1, 1}},
                                                         {5, 13, {1, 1, 1, 3, 11}},
                                                         {5, 14, {1, 3, 5, 5, 31}},
                                                         {6, 1, {1, 3, 3, 9, 7, 49}},
                                                         {6, 13, {1, 1, 1, 15, 21, 21}},
                                                         {6, 16, {1, 3, 1, 13, 27, 49}},
                                                         {6, 19, {1, 1, 1, 15, 7, 5}},
                                                         {6, 22, {1, 3, 1, 15, 13, 25}},
                                                         {6, 25, {1, 1, 5, 5, 19, 61}},
                                                         {7, 1, {1, 3, 7, 11, 23, 15, 103}},
                                                         {7, 4, {1, 3, 7, 13, 13, 15, 69}},
                                                         {7, 7, {1, 1, 3, 13, 7, 35, 63}},
                                                         {7, 8, {1, 3, 5, 9, 1, 25, 53}},
                                                         {7, 14, {1, 3, 1, 13, 9, 35, 107}},
                                                         {7, 19, {1, 3, 1, 5, 27, 61, 31}},
                                                         {7, 21, {1, 1, 5, 11, 19, 41, 61}},
                                                         {7, 28, {1, 3, 5, 3, 3, 13, 69}},
                                                         {7, 31, {1, 1, 7, 13, 1, 19, 1}},
                                                         {7, 32, {1, 3, 7, 5, 13, 19, 59}},
                                                         {7, 37, {1, 1, 3, 9, 25, 29, 41}},
                                                         {7, 41, {1, 3, 5, 13, 23, 1, 55}},
                                                         {7, 42, {1, 3, 7, 3, 13, 59, 17}},
                                                         {7, 50, {1, 3, 1, 3, 5, 53, 69}},
                                                         {7, 55, {1, 1, 5, 5, 23, 33, 13}},
                                                         {7, 56, {1, 1, 7, 7, 1, 61, 123}},
                                                         {7, 59, {1, 1, 7, 9, 13, 61, 49}},
                                                         {7, 62, {1, 3, 3, 5, 3, 55, 33}},
                                                         {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
                                                         {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
                                                         {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}}};
inline constexpr int sobol_dimensions =
    1 + int(sizeof(sobol_polynomials) / sizeof(sobol_polynomial));

/// The dimension of a point, which is known while recording, with its place.
class sobol_dimension {
 public:
  sobol_dimension(int dimension, location where = location::here())
      : at_(dimension), where_(where) {}  // NOLINT: implicit on purpose
  int at() const {
    if (at_ < 0 || at_ >= sobol_dimensions)
      throw_usage("kr::sobol has the dimensions 0 to 39: take kr::philox for more", where_);
    return at_;
  }

 private:
  int at_;
  location where_;
};

/// The number that bit k of an index adds to the coordinate.
struct sobol_directions {
  std::uint32_t v[32] = {};
  explicit constexpr sobol_directions(int dimension) {
    if (dimension == 0) {
      for (unsigned k = 0; k < 32; ++k) v[k] = 0x80000000u >> k;
      return;
    }
    const sobol_polynomial& p = sobol_polynomials[dimension - 1];
    for (unsigned k = 0; k < 32; ++k) {
      if (k < p.degree) {
        v[k] = p.m[k] << (31 - k);
        continue;
      }
      v[k] = v[k - p.degree] ^ v[k - p.degree] >> p.degree;
      for (unsigned j = 1; j < p.degree; ++j)
        if (p.coefficients >> (p.degree - 1 - j) & 1) v[k] ^= v[k - j];
    }
  }
};

/// The sum modulo 2 of the directions of the bits from `Bit` on.
template <int Bit, class Word>
Word sobol_sum(const Word& gray, const sobol_directions& directions) {
  const Word own(((gray >> Bit) & 1u) * directions.v[Bit]);
  if constexpr (Bit == 31) return own;
  else return Word(own ^ sobol_sum<Bit + 1>(gray, directions));
}

}  // namespace krait::detail
