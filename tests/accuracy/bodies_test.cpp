// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorded bodies: expanded into a kernel and interpreted, each gives the bits of the plain
// overload.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "math/bodies.h"
#include "math/functions.h"
#include "passes/passes.h"
#include "reference.h"
#include "ulp.h"

namespace krait::accuracy {
namespace {

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;

/// y[i] = f(x[i]) or f(x[i], z[i]), with the body in place of f.
/// With `second` that number stands for z[i].
std::string kernel_text(const Reference& f, const std::string& type, const std::string& mode,
                        const std::string& second = {}) {
  const std::string array = "view<" + type + ", 1, const>", load = ": " + type + " = load ";
  std::string text = "kir 1\nkernel @k fp(" + mode + ") (%0: " + array + ", %1: " + array +
                     ", %2: view<" + type + ", 1>) {\n";
  text += "%3: i64 = global_id {0}\n%4" + load + "%0, %3\n%5" +
          (second.empty() ? load + "%1, %3" : ": " + type + " = const " + second) +
          "\n%6: " + type + " = " + f.name + " %4";
  text += std::string(f.arity == 2 ? ", %5" : "") + "\nstore." + type + " %2, %3, %6\nreturn\n}\n";
  return text;
}

/// Arguments of every kind: over all bit patterns, dense where the function lives, and the edges.
template <class Float>
std::vector<Float> arguments(const Reference& f, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  using Limits = std::numeric_limits<Float>;
  std::vector<Float> out{0,
                         Float(-0.0),
                         1,
                         -1,
                         2,
                         Float(0.5),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min(),
                         Limits::max(),
                         Limits::min(),
                         Float(1e9),
                         Float(88.8),
                         Float(-104),
                         Float(9.5),
                         Float(709.9),
                         Float(26.5)};
  while (out.size() < count) {
    const bool wild = random.next() % 2 == 0;
    out.push_back(wild ? std::bit_cast<Float>(BitsOf<Float>(random.next()))
                       : Float(f.low + (f.high - f.low) * random.unit()));
  }
  return out;
}

template <class Float>
ir::Argument argument(std::vector<Float>& data) {
  ir::Argument a;
  a.data = reinterpret_cast<std::byte*>(data.data());
  a.extents[0] = std::int64_t(data.size());
  a.strides[0] = 1;
  return a;
}

template <class Float, class Plain>
void compare(const Reference& f, Plain plain, const char* mode = "reproducible",
             const std::string& second = {}) {
  constexpr std::size_t count = 1024;
  ir::ParseResult parsed =
      ir::parse(kernel_text(f, sizeof(Float) == 4 ? "f32" : "f64", mode, second));
  ASSERT_EQ(parsed.error, "") << f.name;
  passes::expand_math(parsed.module, passes::expand_all);
  ASSERT_EQ(ir::verify(parsed.module), "") << f.name;
  std::vector<Float> x = arguments<Float>(f, count, 1), y = arguments<Float>(f, count, 2),
                     out(count);
  std::swap(y[0], y[5]), std::swap(y[3], y[8]);
  const ir::Argument given[] = {argument(x), argument(y), argument(out)};
  ir::Launch launch;
  launch.grid = {count / 64, 1, 1};
  launch.block = {64, 1, 1};
  ASSERT_EQ(ir::interpret(parsed.module, launch, given), "") << f.name;
  for (std::size_t i = 0; i < count; ++i) {
    const Float expected = plain(x[i], y[i]);
    const auto bits = [](Float v) { return std::bit_cast<BitsOf<Float>>(v); };
    const bool same = std::isnan(expected) ? std::isnan(out[i]) : bits(expected) == bits(out[i]);
    ASSERT_TRUE(same) << f.name << std::hexfloat << " at " << x[i] << ", " << y[i]
                      << ": the body gives " << out[i] << ", C++ " << expected;
  }
}

class Bodies : public testing::TestWithParam<Reference> {};
TEST_P(Bodies, give_the_bits_of_the_plain_overload) {
  compare<float>(GetParam(), GetParam().f32);
  compare<double>(GetParam(), GetParam().f64);
}
std::string name_of(const testing::TestParamInfo<Reference>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Functions, Bodies,
                         testing::ValuesIn(references().begin(), references().end()), name_of);

const Reference& find(std::string_view name) {
  for (const Reference& f : references())
    if (f.name == name) return f;
  throw std::string(name);
}

TEST(FastBodies, give_the_bits_of_their_templates) {
#define FUNCTION1(Name, name)
#define FUNCTION2(Name, name)
#define FAST1(Name, name)                                                        \
  compare<float>(                                                                \
      find(#name), [](float x, float) { return math::name##_fast(x); }, "fast"); \
  compare<double>(                                                               \
      find(#name), [](double x, double) { return math::name##_fast(x); }, "fast");
#define FAST2(Name, name)                                                             \
  compare<float>(                                                                     \
      find(#name), [](float x, float y) { return math::name##_fast(x, y); }, "fast"); \
  compare<double>(                                                                    \
      find(#name), [](double x, double y) { return math::name##_fast(x, y); }, "fast");
#include "math/functions.def"
}

/// The body for a constant exponent is another one, and folded to some products. It has the bits of
/// the one for any, whatever takes it.
TEST(Powers, of_a_constant_have_the_bits_of_pow) {
  for (const double y :
       {0.0,  -0.0, 0.5,  1.0,  1.5,  2.0,  2.5,  3.0,  4.0,  5.0,  6.0,   7.5,   11.0,
        16.0, 16.5, 17.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -5.5, -13.0, -16.0, 0.25}) {
    const std::string second = std::to_string(y);
    const auto test = [&]<class Float>(Float, const char* mode,
                                       Float (*power)(const Float&, const Float&)) {
      compare<Float>(
          find("pow"), [&](Float x, Float) { return power(x, Float(y)); }, mode, second);
    };
    test(float(), "strict", math::pow<float>);
    test(double(), "strict", math::pow<double>);
    test(float(), "fast", math::pow_fast<float>);
    test(double(), "fast", math::pow_fast<double>);
  }
}

/// docs/numbers.md, fast mode: sin and cos within 4 ULP or an absolute error of 1e-7 (f32), 2e-16
/// (f64); pow within 2 + 2 |y log2 x| ULP.
template <class Float>
void check_fast(int count) {
  Random random(7);
  const double absolute = sizeof(Float) == 4 ? 1e-7 : 2e-16;
  for (int i = 0; i < count; ++i) {
    const Float x = Float((random.unit() - 0.5) * (i % 2 ? 20 : 2e4));
    const Float base = Float(random.unit() * 8), y = Float((random.unit() - 0.5) * 30);
    const long double s = exact_value(find("sin"), x, 0), c = exact_value(find("cos"), x, 0);
    const long double p = exact_value(find("pow"), base, y);
    const Float sine = math::sin_fast(x), cosine = math::cos_fast(x);
    ASSERT_TRUE(ulp_error(sine, s) <= 4 || std::fabs(sine - s) <= absolute)
        << "sin " << std::hexfloat << x << ": " << sine;
    ASSERT_TRUE(ulp_error(cosine, c) <= 4 || std::fabs(cosine - c) <= absolute)
        << "cos " << std::hexfloat << x << ": " << cosine;
    ASSERT_LE(ulp_error(math::pow_fast(base, y), p),
              2 + 2 * std::fabs(double(y) * std::log2(double(base))))
        << "pow " << std::hexfloat << base << ", " << y;
    const Float half = std::rint(2 * y) / 2, power = math::pow_fast(base, half);
    if (std::fabs(half) <= 16 && std::isnormal(power)) {
      ASSERT_LE(ulp_error(power, exact_value(find("pow"), base, half)), 2 + std::fabs(half))
          << "pow " << std::hexfloat << base << ", " << half;
    }
  }
}
TEST(FastBodies, keep_their_bounds) {
  check_fast<float>(100'000);
  check_fast<double>(30'000);
}

TEST(MathBodies, are_there_for_every_row_and_both_types) {
  for (unsigned i = 0; i < ir::op_count; ++i) {
    const ir::Op op = ir::Op(i);
    for (const ir::Scalar s : {ir::Scalar::F32, ir::Scalar::F64})
      EXPECT_EQ(math::body(op, s, false).empty(), !ir::is_math(op)) << ir::info(op).name;
    EXPECT_TRUE(math::body(op, ir::Scalar::I32, false).empty());
  }
}

}  // namespace
}  // namespace krait::accuracy
