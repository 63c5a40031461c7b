// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correctly rounded f32 division and square root on devices whose own are only near
// (lib/codegen/spirv/numeric/round.cpp). The sequences of fused multiply-adds are proven on the
// host, from every estimate within 3 ULP: the root for all numbers of [1, 4), the quotient where it
// lies nearest to the middle of two floats, as no other operands can go wrong. Powers of two scale
// both exactly. KRAIT_EXHAUSTIVE=1 takes all numbers; else a part, with all divisors near 2, where
// the margin is smallest. What the code generator makes of them runs on the device, for each kind
// of driver that the target's text can tell of.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "device.h"

namespace krait::test {
namespace {

float moved(float x, int ulps) {
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(x) + ulps);
}
constexpr int largest_error = 3;

float quotient(float x, float y, float estimate) {
  const float inverse = std::fma(std::fma(-y, estimate, 1.0f), estimate, estimate);
  const float q = x * inverse;
  return std::fma(std::fma(-y, q, x), inverse, q);
}

float root(float x, float estimate) {
  float r = x * estimate, half_inverse = 0.5f * estimate;
  const float error = std::fma(-r, half_inverse, 0.5f);
  r = std::fma(r, error, r);
  half_inverse = std::fma(half_inverse, error, half_inverse);
  return std::fma(std::fma(-r, r, x), half_inverse, r);
}

TEST(VulkanRounding, RootsFromAnyEstimate) {
  unsigned wrong = 0;
  const bool all = std::getenv("KRAIT_EXHAUSTIVE") != nullptr;
  for (std::uint32_t pattern = 0x3f800000; pattern < 0x40800000; pattern += all ? 1 : 37) {
    const auto x = std::bit_cast<float>(pattern);
    const float expected = std::sqrt(x), estimate = float(1 / std::sqrt(double(x)));
    for (int ulps = -largest_error; ulps <= largest_error; ++ulps)
      wrong += root(x, moved(estimate, ulps)) != expected;
  }
  EXPECT_EQ(wrong, 0u);
}

/// 1 / odd modulo 2^32 (Newton's method doubles the right bits).
std::uint32_t inverse_of(std::uint32_t odd) {
  std::uint32_t x = odd;
  for (int k = 0; k < 5; ++k) x *= 2 - odd * x;
  return x;
}

unsigned wrong_quotients(std::uint32_t x_digits, std::uint32_t y_digits) {
  const float x = float(x_digits), y = float(y_digits), expected = x / y,
              estimate = float(1 / double(y));
  unsigned wrong = 0;
  for (int ulps = -largest_error; ulps <= largest_error; ++ulps)
    wrong += quotient(x, y, moved(estimate, ulps)) != expected;
  return wrong;
}

/// Dividends X of 24 digits for which X / Y is `distance` / (2^shift Y) from a middle M / 2^shift
/// of two floats: M Y = X 2^shift
/// - distance, with M odd and of 25 digits.
unsigned wrong_near_middles(std::uint32_t y, int distance, unsigned shift, unsigned& tried) {
  const auto zeros = unsigned(std::countr_zero(y));
  if (distance % (1 << zeros) != 0) return 0;
  const std::uint32_t modulus = 1u << (shift - zeros);
  const std::uint32_t least =
      (std::uint32_t(-(distance >> zeros)) * inverse_of(y >> zeros)) & (modulus - 1);
  unsigned wrong = 0;
  for (std::uint64_t m = least; m < 1u << 25; m += modulus) {
    if (m < 1u << 24 || m % 2 == 0) continue;
    const std::uint64_t x = (m * y + std::uint64_t(std::int64_t(distance))) >> shift;
    if (x < 1u << 23 || x >= 1u << 24 || (shift == 24 ? x < y : x >= y)) continue;
    ++tried;
    wrong += wrong_quotients(std::uint32_t(x), y);
  }
  return wrong;
}

/// The few divisors from here to 2^24 take the slow way.
constexpr std::uint32_t last_divisor = (1u << 24) - 8;

TEST(VulkanRounding, QuotientsFromAnyEstimate) {
  const bool all = std::getenv("KRAIT_EXHAUSTIVE") != nullptr;
  unsigned wrong = 0, tried = 0;
  for (std::uint32_t y = 1u << 23; y < last_divisor;
       y += all || y > (1u << 24) - 20'000 ? 1 : 509) {
    if (std::countr_zero(y) > 2) continue;  // farther from every middle by that power of two
    for (int distance = -8; distance <= 8; ++distance)
      if (distance)
        wrong +=
            wrong_near_middles(y, distance, 24, tried) + wrong_near_middles(y, distance, 25, tried);
  }
  EXPECT_EQ(wrong, 0u) << "of " << tried;
  EXPECT_GT(tried, 100'000u);
  // The slow way is needed, and the cases above can tell.
  EXPECT_NE(wrong_quotients(0xd55553, 0xfffffd), 0u);
  std::uint64_t state = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto x = std::uint32_t(1u << 23 | state >> 41),
               y = std::uint32_t(1u << 23 | (state >> 18 & 0x7fffff));
    if (y < last_divisor) wrong += wrong_quotients(x, y);
  }
  EXPECT_EQ(wrong, 0u);
}

// ---- on the device
// -------------------------------------------------------------------------------------------------

/// The device's target without the features of a list, and with others instead.
std::string without(std::string_view list, std::string_view instead = {}) {
  std::string text = support::print(device()->target());
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string feature = fmt::format(",{}", list.substr(at, end - at));
    for (const char* after : {",", " "})
      if (const std::size_t found = text.find(feature + after); found != text.npos)
        text.erase(found, feature.size());
    at = end + 1;
  }
  return text.insert(text.find(" subgroup="), instead);
}

class VulkanRoundingOnDevice : public OnVulkan<testing::TestWithParam<const char*>> {};

/// Numbers of all sizes, edges, and operands whose quotients or roots are near the middle of two
/// floats.
std::vector<float> numbers(unsigned which) {
  std::vector<float> v;
  std::uint64_t state = which + 1;
  for (int i = 0; i < 6000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = std::uint32_t(state >> 32);
    const std::uint32_t middling = 0x3f800000 + (random & 0x07ffffff) - 0x04000000;
    v.push_back(std::bit_cast<float>(i % 3 == 0   ? random
                                     : i % 3 == 1 ? middling
                                                  : random & 0x80ffffff));
  }
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  for (float a :
       {0.0f, 0x1p-149f, 0x1.fffffcp-127f, 0x1p-126f, 0x1p-64f, 0x1.fffffep-63f, 0x1p-62f, 1.0f,
        0x1.fffffep+0f, 3.0f, 0x1.fffffep+62f, 0x1p+63f, 0x1.fffffep+127f, inf, nan})
    for (float b :
         {0.0f, 0x1p-149f, 0x1.fffffap+3f, 0x1.fffffcp-127f, 0x1p-126f, 0x1p-63f, 0x1p-62f, 1.0f,
          0x1.fffffep+0f, 3.0f, 0x1.fffffep+62f, 0x1p+63f, 0x1.fffffep+127f, inf, nan})
      for (int signs = 0; signs < 4; ++signs)
        v.push_back(std::copysign(which ? b : a, (signs >> which & 1) ? -1.0f : 1.0f));
  while (v.size() % 64) v.push_back(1);
  return v;
}

/// A kernel of tests/kernels whose accesses are the generator's.
std::string difference_of(const char* name, std::vector<Argument> arguments,
                          const std::string& target) {
  const std::int64_t threads = arguments.front().extents[0];
  return difference_on_device(kernel_of(name), line(threads / 64, 64), std::move(arguments),
                              target);
}

TEST_P(VulkanRoundingOnDevice, AsInterpreted) {
  const std::vector<float> x = numbers(0), y = numbers(1);
  const Argument none = array(std::vector<float>(x.size()));
  EXPECT_EQ(difference_of("division_and_root", {array(x), array(y), none, none, none},
                          without(GetParam())),
            "");
}

/// Fma that flushes subnormals: products of few digits are exact, so that any device gives what a
/// fused one would.
TEST(VulkanRounding, FmaThatFlushes) {
  if (!device()) GTEST_SKIP() << why_no_device();
  std::vector<float> in[3];
  for (int i = 0; i < 1024; ++i) {
    in[0].push_back(std::ldexp(float(i % 37 - 18), i % 7 ? -10 : -120));
    in[1].push_back(std::ldexp(float(i % 29 - 14), i % 5 ? 3 : -20));
    in[2].push_back(std::ldexp(float(i % 41 - 20) / 3, i % 3 ? -8 : -140));
  }
  EXPECT_EQ(
      difference_of("fused",
                    {array(in[0]), array(in[1]), array(in[2]), array(std::vector<float>(1024))},
                    without("fma32,nfma32", ",nfma32")),
      "");
}

/// Native mode's reciprocal root, by a driver that promises nothing about edges: within 2 ULP of
/// the exact one everywhere.
TEST(VulkanRounding, ReciprocalRoots) {
  if (!device()) GTEST_SKIP() << why_no_device();
  const ir::Module m = parse_kernel(R"(kir 1
kernel @inverse fp(native) facts(contiguous) flat (%0: view<f32, 1, const>, %1: view<f32, 1>) {
  %2: i64 = global_id {0}
  %3: f32 = load %0, %2
  %4: f32 = rsqrt %3
  store.f32 %1, %2, %4
  return
}
)");
  const std::vector<float> x = numbers(0);
  std::vector<Argument> after{array(x), array(std::vector<float>(x.size()))};
  ASSERT_EQ(run_on(*device(), support::parse_target(without("rsqrt32")).target, m,
                   line(std::int64_t(x.size()) / 64, 64), after),
            "");
  for (std::size_t i = 0; i < x.size(); ++i) {
    float r = 0;
    std::memcpy(&r, after[1].bytes.data() + i * 4, 4);
    if (!(x[i] > 0) || std::isinf(x[i])) {
      const float expected = x[i] == 0 ? std::copysign(std::numeric_limits<float>::infinity(), x[i])
                             : std::isinf(x[i]) && x[i] > 0 ? 0.0f
                                                            : std::nanf("");
      EXPECT_TRUE(r == expected || (std::isnan(r) && std::isnan(expected))) << x[i] << ": " << r;
      continue;
    }
    const double exact = 1 / std::sqrt(double(x[i]));
    const double ulp = double(moved(float(exact), 1)) - double(float(exact));
    EXPECT_LE(std::abs(double(r) - exact), 2 * ulp) << x[i];
  }
}

constexpr const char* missing[] = {"", "div32,sqrt32", "div32,sqrt32,div64,sqrt64",
                                   "div32,sqrt32,div64,sqrt64,f64,fma32,nfma32"};
std::string ways(const testing::TestParamInfo<const char*>& of) {
  constexpr const char* names[] = {"Own", "ThroughF64", "ThroughFma", "ThroughIntegers"};
  return names[of.index];
}
INSTANTIATE_TEST_SUITE_P(Drivers, VulkanRoundingOnDevice, testing::ValuesIn(missing), ways);

}  // namespace
}  // namespace krait::test
