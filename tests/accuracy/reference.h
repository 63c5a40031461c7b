// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the mathematical functions are measured against: for f32 the C library's in double (their
// own error is below 1e-8 ULP of f32), for f64 MPFR with 120 bits. The functions under test are the
// plain overloads, which are the bodies of kernels.
#pragma once

#include <mpfr.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

namespace krait::accuracy {

struct Reference {
  const char* name;
  int arity;
  double bound32, bound64;  // largest error in ULP (docs/numbers.md)
  double low, high;         // where random arguments are dense
  float (*f32)(float, float);
  double (*f64)(double, double);
  double (*wide)(double, double);                     // the exact value for f32 arguments
  void (*exact)(mpfr_t, const mpfr_t, const mpfr_t);  // and for f64 ones
};

std::span<const Reference> references();
// for the messages of tests
inline void PrintTo(const Reference& f, std::ostream* out) { *out << f.name; }

/// The exact value rounded to 64 bits.
long double exact_value(const Reference& f, double x, double y);

/// The exact values of f32 arguments as double gives them, where it can by vectors of the C library
/// (four ULP of double).
void wide_values(const Reference& f, const float* x, const float* y, double* out,
                 std::size_t count);

/// Errors of a result in ULP. Within `limit` the double reference `wide` decides; above it MPFR is
/// asked.
double error32(const Reference& f, float x, float y, float result, double wide, double limit);
double error64(const Reference& f, double x, double y, double result);

/// A reproducible sequence of 64-bit numbers (splitmix64; Steele, Lea, Flood).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return double(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The largest error seen, and where.
template <class Float>
struct Worst {
  double error = 0;
  Float x = 0, y = 0;
  void note(double e, Float at_x, Float at_y) {
    if (e > error) error = e, x = at_x, y = at_y;
  }
};

template <class Float>
struct Arguments {
  std::vector<Float> x, y;
};
/// `count` arguments: a third over all bit patterns, two thirds in the function's dense range, and
/// hard cases besides.
Arguments<float> arguments32(const Reference& f, unsigned count, unsigned seed = 0);
Arguments<double> arguments64(const Reference& f, unsigned count, unsigned seed = 0);

/// The worst of the plain overloads at such arguments.
Worst<float> measure32(const Reference& f, unsigned count, unsigned seed = 0);
Worst<double> measure64(const Reference& f, unsigned count, unsigned seed = 0);

}  // namespace krait::accuracy
