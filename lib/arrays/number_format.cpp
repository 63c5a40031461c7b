// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays/number_format.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "ir/interp/interp.h"
#include "support/float_environment.h"

namespace krait::host {
namespace {

using detail::scalar;

/// "1.2345e+08" or "1e-05".
Digits digits_in(const std::string& text) {
  const std::size_t e = text.find('e');
  Digits d{text.substr(0, 1), std::stoi(text.substr(e + 1))};
  if (e > 2) d.digits += text.substr(2, e - 2);
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  return d;
}
template <class Float>
std::string scientific(Float x) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr};
}
/// As a number of the type, rounded.
double in_type(double x, scalar type) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const DefaultFloatEnvironment environment;
  const std::uint64_t narrow =
      ir::eval(ir::Op::Cast, ir::Scalar(type), ir::Scalar::F64, {&bits, 1});
  return float_of(narrow, type);
}
void trim(std::string& zeros) {
  while (!zeros.empty() && zeros.back() == '0') zeros.pop_back();
}

}  // namespace

double float_of(std::uint64_t bits, scalar type) {
  const DefaultFloatEnvironment environment;
  return std::bit_cast<double>(
      ir::eval(ir::Op::Cast, ir::Scalar::F64, ir::Scalar(type), {&bits, 1}));
}

Digits shortest_digits(double x, scalar type) {
  if (type == scalar::f64) return digits_in(scientific(x));
  if (type == scalar::f32) return digits_in(scientific(float(x)));
  // The nearest decimal number of so many digits, or the one above: below a power of two the type's
  // numbers are denser.
  for (int more = 0;; ++more) {
    Digits d = digits_in(fmt::format("{:.{}e}", x, more));
    d.digits.resize(std::size_t(more) + 1, '0');
    for (const std::int64_t whole : {std::stoll(d.digits), std::stoll(d.digits) + 1}) {
      const std::string text = fmt::format("{}e{}", whole, d.exponent - more);
      if (in_type(std::stod(text), type) == x)
        return digits_in(fmt::format("{:.{}e}", std::stod(text), more));
    }
  }
}

FloatFormat::FloatFormat(const std::vector<double>& shown, scalar type, bool plus, int precision,
                         bool suppress)
    : type_(type), plus_(plus), suppress_(suppress), precision_(precision) {
  std::vector<double> finite;
  std::copy_if(shown.begin(), shown.end(), std::back_inserter(finite),
               [](double x) { return std::isfinite(x); });
  exponents_ = wants_exponents(finite);
  for (const double x : finite) {
    const Parts p = parts_of(x);
    left_ = std::max(left_, p.whole.size()), right_ = std::max(right_, p.fraction.size());
    exponent_ = std::max(exponent_, p.exponent.size());
  }
  if (finite.size() == shown.size()) return;
  const bool sign = plus || std::any_of(shown.begin(), shown.end(),
                                        [](double x) { return std::isinf(x) && x < 0; });
  // "-inf", and the point
  const std::size_t word = sign ? 4 : 3, beside = right_ + exponent_ + (exponents_ ? 1 : 0) + 1;
  if (word > beside) left_ = std::max(left_, word - beside);
}

bool FloatFormat::wants_exponents(const std::vector<double>& finite) const {
  double largest = 0, smallest = HUGE_VAL;
  for (const double x : finite)
    if (x != 0)
      largest = std::max(largest, std::abs(x)), smallest = std::min(smallest, std::abs(x));
  return largest > 0 &&
         (largest >= 1e8 ||
          (!suppress_ && (smallest < 0.0001 || in_type(largest / smallest, type_) > 1000)));
}

std::string FloatFormat::sign_of(double x) const {
  return std::signbit(x) ? "-" : plus_ ? "+" : "";
}

FloatFormat::Parts FloatFormat::parts_of(double x) const {
  const double size = std::abs(x);
  Parts p{sign_of(x) + "0", "", exponents_ ? "+00" : ""};
  if (size == 0) return p;
  const Digits d = shortest_digits(size, type_);
  // digits behind the point
  const int behind = int(d.digits.size()) - 1 - (exponents_ ? 0 : d.exponent);
  if (exponents_) {
    const Digits shown =
        behind <= precision_ ? d : digits_in(fmt::format("{:.{}e}", size, precision_));
    p.whole = sign_of(x) + shown.digits.substr(0, 1), p.fraction = shown.digits.substr(1);
    p.exponent = fmt::format("{:+03}", shown.exponent);
    return p;
  }
  std::string text;
  if (behind > precision_ || behind < 0) {  // all digits in front of the point are the number's own
    text = fmt::format("{:#.{}f}", size, behind < 0 ? 0 : precision_);
  } else {
    text = d.digits;
    if (behind == 0) text += '.';
    else if (d.exponent >= 0) text.insert(std::size_t(d.exponent) + 1, ".");
    else text = "0." + std::string(std::size_t(-d.exponent - 1), '0') + text;
  }
  const std::size_t point = text.find('.');
  p.whole = sign_of(x) + text.substr(0, point), p.fraction = text.substr(point + 1);
  trim(p.fraction);
  return p;
}

std::string FloatFormat::operator()(double x) const {
  const std::size_t exponent = exponents_ ? exponent_ + 1 : 0;
  if (!std::isfinite(x)) {
    const std::string word = std::isnan(x) ? (plus_ ? "+nan" : "nan")
                             : x < 0       ? "-inf"
                             : plus_       ? "+inf"
                                           : "inf";
    return fmt::format("{:>{}}", word, left_ + 1 + right_ + exponent);
  }
  Parts p = parts_of(x);
  if (!exponents_) return fmt::format("{:>{}}.{:<{}}", p.whole, left_, p.fraction, right_);
  // Digits that only align the numbers are those of the exact value.
  if (p.fraction.size() < right_ && x != 0) {
    const Digits exact = digits_in(fmt::format("{:.{}e}", std::abs(x), right_));
    p = {sign_of(x) + exact.digits.substr(0, 1), exact.digits.substr(1),
         fmt::format("{:+03}", exact.exponent)};
  }
  p.exponent.insert(1, exponent_ - p.exponent.size(), '0');
  return fmt::format("{:>{}}.{:0<{}}e{}", p.whole, left_, p.fraction, right_, p.exponent);
}

}  // namespace krait::host
