// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/text/float_text.h"

#include <bit>
#include <charconv>

namespace krait::ir {
namespace {

/// Widths of the fields of a binary format.
struct Format {
  Scalar type;
  int exponent = int(info(type).exponent), mantissa = int(info(type).fraction);
  int bias() const { return (1 << (exponent - 1)) - 1; }
  std::uint64_t largest() const { return largest_finite(type); }
  std::uint64_t sign() const { return std::uint64_t(1) << (exponent + mantissa); }
};
constexpr Format format_of(Scalar s) { return {s}; }

constexpr int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// Bits of mantissa × 2^exponent without sign.
const char* encode(Format f, std::uint64_t mantissa, int exponent, std::uint64_t& bits) {
  if (mantissa == 0) return bits = 0, nullptr;
  const int zeros = std::countr_zero(mantissa);
  mantissa >>= zeros, exponent += zeros;
  const int width = int(std::bit_width(mantissa)), top = exponent + width - 1;
  if (top > f.bias() + 1) return "constant is too large for its type";
  const int least = 1 - f.bias() - f.mantissa;  // exponent of the smallest subnormal
  if (width > f.mantissa + 1 || exponent < least) return "constant is not exact in its type";
  if (top < 1 - f.bias()) return bits = mantissa << (exponent - least), nullptr;
  const std::uint64_t fraction =
      (mantissa << (f.mantissa + 1 - width)) & ((std::uint64_t(1) << f.mantissa) - 1);
  bits = std::uint64_t(top + f.bias()) << f.mantissa | fraction;
  return bits > f.largest() ? "constant is too large for its type" : nullptr;
}

const char* parse_hex(std::string_view text, Format f, std::uint64_t& bits) {
  std::uint64_t mantissa = 0;
  int exponent = 0, digits = 0;
  bool point = false;
  std::size_t i = 2;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    const int d = hex_digit(c);
    if (d < 0) break;
    if (++digits > 64) return "constant has too many digits";
    if (mantissa >> 60) {
      if (d != 0) return "constant is not exact in its type";
      exponent += point ? 0 : 4;
      continue;
    }
    mantissa = mantissa << 4 | unsigned(d);
    exponent -= point ? 4 : 0;
  }
  if (digits == 0 || i == text.size() || text[i] != 'p')
    return "hexadecimal float must look like 0x1.8p+1";
  ++i;
  if (i < text.size() && text[i] == '+') ++i;
  int power = 0;
  const auto [end, failed] = std::from_chars(text.data() + i, text.data() + text.size(), power);
  if (failed != std::errc() || end != text.data() + text.size() || power < -5000 || power > 5000)
    return "constant has a bad exponent";
  return encode(f, mantissa, exponent + power, bits);
}

template <class T, class U>
const char* parse_decimal(std::string_view text, std::uint64_t& bits) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || failed == std::errc::invalid_argument)
    return "expected a floating-point constant";
  if (failed != std::errc()) return "constant is out of range of its type";
  return bits = std::bit_cast<U>(value), nullptr;
}

}  // namespace

void append_float(std::string& out, Scalar s, std::uint64_t bits) {
  const Format f = format_of(s);
  const auto hex = [&](std::uint64_t x) {
    char text[20];
    out.append(text, std::to_chars(text, text + sizeof text, x, 16).ptr);
  };
  if (is_nan(s, bits) && bits != canonical_nan(s)) {
    out += "bits(0x", hex(bits), out += ')';
    return;
  }
  if (bits & f.sign()) out += '-';
  bits &= ~f.sign();
  if (bits > f.largest()) {
    out += is_nan(s, bits) ? "nan" : "inf";
    return;
  }
  std::uint64_t mantissa = bits & ((std::uint64_t(1) << f.mantissa) - 1);
  int exponent = int(bits >> f.mantissa) - f.bias();
  if (bits == 0) {
    out += "0x0p+0";
    return;
  }
  if (bits >> f.mantissa == 0) {
    const int shift = f.mantissa + 1 - int(std::bit_width(mantissa));
    mantissa = mantissa << shift & ((std::uint64_t(1) << f.mantissa) - 1);
    exponent = 1 - f.bias() - shift;
  }
  out += "0x1";
  int digits = (f.mantissa + 3) / 4;
  mantissa <<= digits * 4 - f.mantissa;
  if (mantissa != 0) out += '.';
  for (; mantissa != 0; --digits) {
    out += "0123456789abcdef"[mantissa >> (digits * 4 - 4) & 15];
    mantissa &= (std::uint64_t(1) << (digits * 4 - 4)) - 1;
  }
  out += 'p';
  out += exponent < 0 ? '-' : '+';
  out += std::to_string(exponent < 0 ? -exponent : exponent);
}

const char* parse_float(std::string_view text, Scalar s, std::uint64_t& bits) {
  const Format f = format_of(s);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const char* wrong = nullptr;
  if (text == "nan" && !negative) {
    bits = canonical_nan(s);
  } else if (text == "inf") {
    bits = f.largest() + 1;
    if (!has_infinity(s)) wrong = "the type has no infinity";
  } else if (text.starts_with("0x")) {
    wrong = parse_hex(text, f, bits);
  } else if (text.empty() || text[0] < '0' || text[0] > '9') {
    wrong = "expected a floating-point constant";
  } else if (s == Scalar::F32) {
    wrong = parse_decimal<float, std::uint32_t>(text, bits);
  } else if (s == Scalar::F64) {
    wrong = parse_decimal<double, std::uint64_t>(text, bits);
  } else {
    wrong = "constants of types below f32 are hexadecimal floats";
  }
  if (!wrong && negative) bits |= f.sign();
  return wrong;
}

}  // namespace krait::ir
