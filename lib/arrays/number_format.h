// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers in text as NumPy prints those of an array: all with one width, floats by their shortest
// digits, a given number of them behind the point at most.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krait/detail/emit.h"

namespace krait::host {

/// What the floats of an array have in common: by the largest and the smallest, exponents or none,
/// and the width of both sides of the point.
class FloatFormat {
 public:
  /// The floats that are shown, each exactly a value of `type`; `plus`: positive ones have a sign;
  /// `suppress`: small ones get no exponents.
  FloatFormat(const std::vector<double>& shown, detail::scalar type, bool plus, int precision,
              bool suppress);
  std::string operator()(double x) const;

 private:
  struct Parts {
    std::string whole, fraction, exponent;  // "-12", "5", "+08"; without trailing zeros
  };
  Parts parts_of(double x) const;
  std::string sign_of(double x) const;
  bool wants_exponents(const std::vector<double>& finite) const;

  detail::scalar type_;
  bool plus_, suppress_, exponents_ = false;
  int precision_;  // digits behind the point at most
  std::size_t left_ = 0, right_ = 0, exponent_ = 0;
};

/// A float of any type, by its bits.
double float_of(std::uint64_t bits, detail::scalar type);
/// Significant decimal digits of a finite number above 0, as few as tell it from its type's others,
/// and the exponent of the first.
struct Digits {
  std::string digits;
  int exponent;
};
Digits shortest_digits(double x, detail::scalar type);

}  // namespace krait::host
