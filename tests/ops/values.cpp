// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ops/values.h"

#include <algorithm>
#include <bit>

#include "ir/interp/interp.h"

namespace krait::test {
namespace {

using ir::Scalar;

/// SplitMix64 (Steele, Lea and Flood, 2014).
std::uint64_t random_bits(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

struct FloatFormat {
  unsigned width, fraction;
  std::uint64_t sign, infinity, one;
};
FloatFormat format_of(Scalar s) {
  const unsigned width = ir::bits_of(s), fraction = ir::info(s).fraction;
  const std::uint64_t sign = std::uint64_t(1) << (width - 1),
                      infinity = (sign - 1) >> fraction << fraction;
  return {width, fraction, sign, infinity, infinity >> 1 >> fraction << fraction};
}

std::uint64_t rounded(Scalar s, double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return ir::eval(ir::Op::Cast, s, Scalar::F64, {&bits, 1});
}

void append_signed(std::vector<std::uint64_t>& out, const FloatFormat& f, std::uint64_t bits) {
  out.push_back(bits);
  out.push_back(bits | f.sign);
}

std::vector<std::uint64_t> float_edges(Scalar s) {
  const FloatFormat f = format_of(s);
  std::vector<std::uint64_t> out;
  for (std::uint64_t bits :
       {std::uint64_t(0), std::uint64_t(1), (std::uint64_t(1) << f.fraction) - 1,
        std::uint64_t(1) << f.fraction, f.one, f.one + 1, f.one - 1, f.infinity - 1, f.infinity,
        f.infinity | std::uint64_t(1) << (f.fraction - 1), f.infinity + 1})
    append_signed(out, f, bits);
  for (double x : {0.5, 1.5, 2.0, 2.5, 3.0, 0.1, 127.5, 255.0, 32767.5, 65504.0, 65520.0,
                   2147483648.0, 9223372036854775808.0, 1e-40})
    append_signed(out, f, rounded(s, x));
  return out;
}

std::vector<std::uint64_t> int_edges(Scalar s) {
  const unsigned width = ir::bits_of(s);
  const std::uint64_t top = std::uint64_t(1) << (width - 1);
  std::vector<std::uint64_t> out;
  for (std::uint64_t v : {0, 1, 2, 3, 5, 7, 10, 31, 63, 100}) out.insert(out.end(), {v, 0 - v});
  out.insert(out.end(), {top, top - 1, top + 1, std::uint64_t(width), std::uint64_t(width) - 1,
                         std::uint64_t(width) + 1, std::uint64_t(1) << (width / 2),
                         (std::uint64_t(1) << (width / 2)) - 1});
  for (std::uint64_t& v : out) v &= mask_of(s);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Every n-th, with the first and the last.
std::vector<std::uint64_t> thinned(const std::vector<std::uint64_t>& all, std::size_t most) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < most && i < all.size(); ++i)
    out.push_back(all[i * (all.size() - 1) / (std::min(most, all.size()) - 1)]);
  return out;
}

/// A float whose exponent is near that of 1.
std::uint64_t middling(Scalar s, std::uint64_t& state) {
  const FloatFormat f = format_of(s);
  const std::uint64_t r = random_bits(state), spread = ir::info(s).exponent < 8 ? 8 : 16;
  const std::uint64_t exponent = (f.one >> f.fraction) - spread / 2 + (r >> 58) % spread;
  return exponent << f.fraction | (r & ((std::uint64_t(1) << f.fraction) - 1)) |
         ((r >> 57 & 1) << (f.width - 1));
}

std::uint64_t any_value(Scalar s, std::uint64_t& state, bool near) {
  if (near && ir::is_float(s)) return middling(s, state);
  return random_bits(state) & (s == Scalar::Bool ? 0xff : mask_of(s));
}

}  // namespace

std::vector<std::uint64_t> edges(Scalar s) {
  if (s == Scalar::Bool) return {0, 1, 2, 0xff};
  return ir::is_float(s) ? float_edges(s) : int_edges(s);
}

std::vector<std::uint64_t> conversion_edges(Scalar s) {
  std::vector<std::uint64_t> out = edges(s);
  if (s == Scalar::Bool) return out;
  if (ir::is_float(s)) {
    const FloatFormat f = format_of(s);
    for (int power : {7, 8, 15, 16, 24, 31, 32, 53, 63, 64, 127}) {
      const double limit = std::bit_cast<double>(std::uint64_t(1023 + power) << 52);
      for (double x : {limit, limit - 1, limit - 0.5, limit + 0.5, limit + 1, limit * 1.5}) {
        const std::uint64_t bits = rounded(s, x) & (f.sign - 1);
        for (std::uint64_t b : {bits - 1, bits, bits + 1})
          if (b < f.infinity) append_signed(out, f, b);
      }
    }
    // Halves between neighbours of a narrower type, with and without a sticky bit.
    for (double x : {65519.0,        65519.996,
                     0x1p-25,        0x1.0000001p-25,
                     0x1p-24,        0x1.8p-24,
                     0x1.002p0,      0x1.00200001p0,
                     0x1.006p0,      0x1.000001p0,
                     0x1.000003p0,   0x1.0000010000001p0,
                     0x1p-150,       0x1.0000001p-150,
                     0x1p-149,       0x1.fffffefp127,
                     0x1.ffffffp127, 0x1p-10,
                     0x1.8p-10,      0x1.0000001p-10,
                     0x1p-17,        0x1.0000001p-17,
                     1.0625,         1.1875,
                     1.125,          1.375,
                     448.0,          464.0,
                     464.00004,      480.0,
                     57344.0,        61440.0,
                     61440.004})
      append_signed(out, f, rounded(s, x) & (f.sign - 1));
    return out;
  }
  // Integers that lie between two floats.
  for (unsigned precision : {11u, 24u, 53u})
    for (std::uint64_t low : {0, 1, 2, 3, 5, 6, 7})
      for (unsigned shift = 0; precision + shift < 64; shift += 7)
        out.push_back(((std::uint64_t(1) << precision) << shift) + (low << shift >> 1));
  for (unsigned bit = 0; bit < 64; ++bit)
    out.insert(out.end(), {(std::uint64_t(1) << bit) - 1, 0 - (std::uint64_t(1) << bit)});
  for (std::uint64_t v : {65504, 65519, 65520, 65536}) out.insert(out.end(), {v, 0 - v});
  for (std::uint64_t& v : out) v &= mask_of(s);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Column> tuples(Scalar s, unsigned count, std::size_t n) {
  std::size_t most = 1;
  std::vector<std::uint64_t> e = edges(s);
  if (count > 2) {
    while ((most + 1) * (most + 1) * (most + 1) <= n) ++most;
    e = thinned(e, most);
  }
  std::size_t all = 1;
  for (unsigned k = 0; k < count; ++k) all *= e.size();
  std::vector<Column> out(count, Column(n));
  std::uint64_t state = 977 * unsigned(s) + count;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = i;
    for (unsigned k = count; k-- > 0; rest /= e.size())
      out[k][i] = i < all ? e[rest % e.size()] : any_value(s, state, i % 2);
  }
  return out;
}

Column filled(Scalar s, std::vector<std::uint64_t> first, std::size_t n, std::uint64_t seed) {
  std::uint64_t state = seed * 7919 + unsigned(s);
  first.resize(std::min(first.size(), n));
  while (first.size() < n) first.push_back(any_value(s, state, first.size() % 2));
  return first;
}

std::vector<Column> fused_triples(Scalar s, std::size_t n) {
  const FloatFormat f = format_of(s);
  std::vector<Column> out = tuples(s, 3, n / 4);
  const std::vector<std::uint64_t> e = edges(s);
  const std::uint64_t fraction = (std::uint64_t(1) << f.fraction) - 1;
  const std::int64_t bias = std::int64_t(f.one >> f.fraction), largest = 2 * bias;
  std::uint64_t state = 99 + unsigned(s);
  const auto number = [&](std::int64_t exponent) {
    return std::uint64_t(std::clamp<std::int64_t>(exponent, 1, largest)) << f.fraction |
           (random_bits(state) & fraction) | (random_bits(state) & f.sign);
  };
  // Exponents of the factors in hundredths of the largest: products in the middle, about the
  // largest number, about the smallest, far below, anywhere.
  constexpr int ranges[][2] = {{-40, 40}, {47, 51}, {-53, -49}, {-69, -39}, {-100, 100}};
  for (std::size_t i = out[0].size(); i < n; ++i) {
    const auto [from, to] = ranges[i / 4 % 5];
    const auto factor = [&] {
      return number(bias + bias * from / 100 +
                    std::int64_t(random_bits(state) % std::uint64_t(bias * (to - from) / 100 + 1)));
    };
    std::uint64_t x = factor(), y = i % 7 == 0 ? random_bits(state) & fraction : factor();
    const std::uint64_t factors[] = {x, y};
    std::uint64_t z = ir::eval(ir::Op::Mul, s, s, factors) ^ f.sign;
    // a few units in the last place from cancelling
    if (i % 4 == 1) z += random_bits(state) % 5 - 2;
    // of a size that meets some of the product's bits
    if (i % 4 == 2) {
      const std::int64_t digits = f.fraction + 2;
      z = number(std::int64_t((z & f.infinity) >> f.fraction) - digits +
                 std::int64_t(random_bits(state) % std::uint64_t(2 * digits)));
    }
    if (i % 4 == 3)
      z = random_bits(state) % 2 ? random_bits(state) : random_bits(state) & (fraction | f.sign);
    if (i % 11 == 0) x = e[i / 11 % e.size()];
    if (i % 13 == 0) y = e[i / 13 % e.size()];
    if (i % 5 == 0) z = e[i / 5 % e.size()];
    out[0].push_back(x), out[1].push_back(y), out[2].push_back(z & mask_of(s));
  }
  return out;
}

}  // namespace krait::test
