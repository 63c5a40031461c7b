// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special values: what C's Annex F says of zeros, infinities and NaN, signs included.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "reference.h"

namespace krait::accuracy {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Reference& find(std::string_view name) {
  for (const Reference& f : references())
    if (f.name == name) return f;
  throw std::string(name);
}

/// Equal bits, any NaN being equal to any.
bool same(double x, double y) {
  return (x != x && y != y) || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

struct Case {
  std::string_view name;
  double x, y, expected;
};

void check(const Case& c) {
  const Reference& f = find(c.name);
  const double single = f.f32(float(c.x), float(c.y)), twice = f.f64(c.x, c.y);
  EXPECT_TRUE(same(single, double(float(c.expected))))
      << c.name << "(" << c.x << ", " << c.y << ") f32 gives " << single;
  EXPECT_TRUE(same(twice, c.expected))
      << c.name << "(" << c.x << ", " << c.y << ") f64 gives " << twice;
}

TEST(SpecialValues, of_one_argument) {
  const Case cases[] = {
      {"exp", 0, 0, 1},          {"exp", -0.0, 0, 1},       {"exp", inf, 0, inf},
      {"exp", -inf, 0, 0},       {"exp2", 0, 0, 1},         {"exp2", inf, 0, inf},
      {"exp2", -inf, 0, 0},      {"exp2", 10, 0, 1024},     {"exp10", 0, 0, 1},
      {"exp10", inf, 0, inf},    {"exp10", -inf, 0, 0},     {"expm1", 0, 0, 0},
      {"expm1", -0.0, 0, -0.0},  {"expm1", inf, 0, inf},    {"expm1", -inf, 0, -1},
      {"log", 1, 0, 0},          {"log", 0, 0, -inf},       {"log", -0.0, 0, -inf},
      {"log", -1, 0, nan},       {"log", inf, 0, inf},      {"log", -inf, 0, nan},
      {"log2", 1, 0, 0},         {"log2", 8, 0, 3},         {"log2", 0, 0, -inf},
      {"log2", inf, 0, inf},     {"log2", -2, 0, nan},      {"log10", 1, 0, 0},
      {"log10", 0, 0, -inf},     {"log10", inf, 0, inf},    {"log10", -2, 0, nan},
      {"log1p", 0, 0, 0},        {"log1p", -0.0, 0, -0.0},  {"log1p", -1, 0, -inf},
      {"log1p", -2, 0, nan},     {"log1p", inf, 0, inf},    {"sin", 0, 0, 0},
      {"sin", -0.0, 0, -0.0},    {"sin", inf, 0, nan},      {"sin", -inf, 0, nan},
      {"cos", 0, 0, 1},          {"cos", -0.0, 0, 1},       {"cos", inf, 0, nan},
      {"tan", 0, 0, 0},          {"tan", -0.0, 0, -0.0},    {"tan", inf, 0, nan},
      {"sinpi", 0, 0, 0},        {"sinpi", -0.0, 0, -0.0},  {"sinpi", 1, 0, 0},
      {"sinpi", -1, 0, -0.0},    {"sinpi", 0.5, 0, 1},      {"sinpi", inf, 0, nan},
      {"cospi", 0, 0, 1},        {"cospi", 0.5, 0, 0},      {"cospi", 1.5, 0, 0},
      {"cospi", 1, 0, -1},       {"cospi", inf, 0, nan},    {"tanpi", 0, 0, 0},
      {"tanpi", -0.0, 0, -0.0},  {"tanpi", 1, 0, -0.0},     {"tanpi", -1, 0, 0},
      {"tanpi", 2, 0, 0},        {"tanpi", 0.5, 0, inf},    {"tanpi", 1.5, 0, -inf},
      {"tanpi", -0.5, 0, -inf},  {"tanpi", inf, 0, nan},    {"asin", 0, 0, 0},
      {"asin", -0.0, 0, -0.0},   {"asin", 1.5, 0, nan},     {"asin", -inf, 0, nan},
      {"acos", 1, 0, 0},         {"acos", 1.5, 0, nan},     {"acos", -inf, 0, nan},
      {"atan", 0, 0, 0},         {"atan", -0.0, 0, -0.0},   {"sinh", 0, 0, 0},
      {"sinh", -0.0, 0, -0.0},   {"sinh", inf, 0, inf},     {"sinh", -inf, 0, -inf},
      {"cosh", 0, 0, 1},         {"cosh", inf, 0, inf},     {"cosh", -inf, 0, inf},
      {"tanh", 0, 0, 0},         {"tanh", -0.0, 0, -0.0},   {"tanh", inf, 0, 1},
      {"tanh", -inf, 0, -1},     {"asinh", 0, 0, 0},        {"asinh", -0.0, 0, -0.0},
      {"asinh", inf, 0, inf},    {"asinh", -inf, 0, -inf},  {"acosh", 1, 0, 0},
      {"acosh", 0.5, 0, nan},    {"acosh", inf, 0, inf},    {"acosh", -inf, 0, nan},
      {"atanh", 0, 0, 0},        {"atanh", -0.0, 0, -0.0},  {"atanh", 1, 0, inf},
      {"atanh", -1, 0, -inf},    {"atanh", 2, 0, nan},      {"erf", 0, 0, 0},
      {"erf", -0.0, 0, -0.0},    {"erf", inf, 0, 1},        {"erf", -inf, 0, -1},
      {"erfc", 0, 0, 1},         {"erfc", inf, 0, 0},       {"erfc", -inf, 0, 2},
      {"erfinv", 0, 0, 0},       {"erfinv", -0.0, 0, -0.0}, {"erfinv", 1, 0, inf},
      {"erfinv", -1, 0, -inf},   {"erfinv", 1.5, 0, nan},   {"tgamma", 0, 0, inf},
      {"tgamma", -0.0, 0, -inf}, {"tgamma", -1, 0, nan},    {"tgamma", -8, 0, nan},
      {"tgamma", inf, 0, inf},   {"tgamma", -inf, 0, nan},  {"tgamma", 1, 0, 1},
      {"tgamma", 2, 0, 1},       {"tgamma", 3, 0, 2},       {"lgamma", 1, 0, 0},
      {"lgamma", 2, 0, 0},       {"lgamma", 0, 0, inf},     {"lgamma", -0.0, 0, inf},
      {"lgamma", -3, 0, inf},    {"lgamma", inf, 0, inf},   {"lgamma", -inf, 0, inf},
      {"rsqrt", 4, 0, 0.5},      {"rsqrt", 0, 0, inf},      {"rsqrt", -0.0, 0, -inf},
      {"rsqrt", inf, 0, 0},      {"rsqrt", -1, 0, nan},     {"cbrt", 0, 0, 0},
      {"cbrt", -0.0, 0, -0.0},   {"cbrt", inf, 0, inf},     {"cbrt", -inf, 0, -inf},
      {"cbrt", -8, 0, -2},
  };
  for (const Case& c : cases) check(c);
}

TEST(SpecialValues, a_nan_gives_a_nan) {
  for (const Reference& f : references())
    if (f.arity == 1) check({f.name, nan, 0, nan});
  for (const std::string_view name : {"atan2", "fmod", "remainder", "hypot", "pow"}) {
    check({name, nan, 2, nan});
    check({name, 2, nan, nan});
  }
}

TEST(SpecialValues, of_pow) {
  const Case cases[] = {
      {"pow", 0, -1, inf},     {"pow", -0.0, -1, -inf},  {"pow", -0.0, -2, inf},
      {"pow", 0, -0.5, inf},   {"pow", -0.0, -inf, inf}, {"pow", 0, 3, 0},
      {"pow", -0.0, 3, -0.0},  {"pow", -0.0, 2, 0},      {"pow", -1, inf, 1},
      {"pow", -1, -inf, 1},    {"pow", 1, nan, 1},       {"pow", 1, inf, 1},
      {"pow", nan, 0, 1},      {"pow", inf, 0, 1},       {"pow", -2, 0.5, nan},
      {"pow", 0.5, -inf, inf}, {"pow", 2, -inf, 0},      {"pow", 0.5, inf, 0},
      {"pow", 2, inf, inf},    {"pow", -2, inf, inf},    {"pow", -inf, -3, -0.0},
      {"pow", -inf, -2, 0},    {"pow", -inf, 3, -inf},   {"pow", -inf, 2, inf},
      {"pow", -inf, 0.5, inf}, {"pow", inf, -1, 0},      {"pow", inf, 2, inf},
      {"pow", -2, 3, -8},      {"pow", -2, 2, 4},        {"pow", 2, 10, 1024},
      {"pow", -2, -1, -0.5},
  };
  for (const Case& c : cases) check(c);
}

TEST(SpecialValues, of_two_arguments) {
  const double pi = 3.14159265358979323846;
  const Case exact[] = {
      {"atan2", 0, 1, 0},       {"atan2", -0.0, 1, -0.0},    {"atan2", 0, 0, 0},
      {"atan2", -0.0, 0, -0.0}, {"atan2", 1, inf, 0},        {"atan2", -1, inf, -0.0},
      {"hypot", inf, nan, inf}, {"hypot", nan, -inf, inf},   {"hypot", 0, -0.0, 0},
      {"hypot", 3, 4, 5},       {"fmod", 5, 3, 2},           {"fmod", -5, 3, -2},
      {"fmod", -6, 3, -0.0},    {"fmod", 1, 0, nan},         {"fmod", inf, 1, nan},
      {"fmod", 1, inf, 1},      {"fmod", -0.0, 1, -0.0},     {"remainder", 5, 3, -1},
      {"remainder", -5, 3, 1},  {"remainder", 1.5, 1, -0.5}, {"remainder", 2.5, 1, 0.5},
      {"remainder", 1, 0, nan}, {"remainder", inf, 1, nan},  {"remainder", 1, inf, 1},
      {"remainder", 6, 3, 0},   {"remainder", -6, 3, -0.0},
  };
  for (const Case& c : exact) check(c);
  const struct {
    double y, x, expected;
  } angles[] = {{0, -1, pi},
                {-0.0, -1, -pi},
                {0, -0.0, pi},
                {-0.0, -0.0, -pi},
                {1, 0, pi / 2},
                {-1, -0.0, -pi / 2},
                {1, -inf, pi},
                {inf, 1, pi / 2},
                {-inf, -1, -pi / 2},
                {inf, inf, pi / 4},
                {inf, -inf, 3 * pi / 4},
                {-inf, inf, -pi / 4},
                {-inf, -inf, -3 * pi / 4}};
  for (const auto& a : angles) {
    EXPECT_FLOAT_EQ(find("atan2").f32(float(a.y), float(a.x)), float(a.expected))
        << a.y << ", " << a.x;
    EXPECT_DOUBLE_EQ(find("atan2").f64(a.y, a.x), a.expected) << a.y << ", " << a.x;
  }
}

}  // namespace
}  // namespace krait::accuracy
