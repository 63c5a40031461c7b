// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Approximations by the call: marked in the IR of a kernel of any mode, near the exact functions on
// every device, and the exact functions on plain values.
#include <cmath>
#include <string>
#include <vector>

#include <krait/approx.h>

#include "expect.h"

namespace {

TEST(Approximations, are_marked_call_by_call) {
  auto k = kr::kernel(
      [](kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size()))
          y[i] = kr::approx::divide(kr::approx::exp(x[i]), 3) + kr::exp(x[i]) / x[i];
      },
      {.fp = kr::fp::strict});
  std::vector<float> x(8, 1.0f), y(8);
  k.forall(8)(x, y);
  const std::string text = k.ir().c_str();
  EXPECT_NE(text.find("exp.fast"), std::string::npos) << text;
  EXPECT_NE(text.find("div.fast"), std::string::npos) << text;
  EXPECT_NE(text.find("= exp "), std::string::npos) << text;
  EXPECT_NE(text.find("= div "), std::string::npos) << text;
}

template <class Function>
void expect_near(const char* name, double within, const Function& both) {
  auto k = kr::kernel(
      [&](kr::view<const float> x, kr::view<float> exact, kr::view<float> approximate) {
        for (auto i : kr::grid_stride(x.size())) {
          const auto [e, a] = both(kr::value<float>(x[i]));
          exact[i] = e, approximate[i] = a;
        }
      },
      {.name = name});
  std::vector<float> x(512), exact(x.size()), approximate(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01f + 3.0f * float(i) / float(x.size());
  k.forall(x.size())(x, exact, approximate);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(approximate[i], exact[i], within * std::fmax(1.0, std::fabs(double(exact[i]))))
        << name << " of " << x[i];
}
#define EXPECT_NEAR_EXACT(within, function)                      \
  expect_near(#function, within, [](const kr::value<float>& x) { \
    return std::pair(kr::value<float>(kr::function(x)),          \
                     kr::value<float>(kr::approx::function(x))); \
  })

TEST(Approximations, are_near_the_exact_functions) {
  EXPECT_NEAR_EXACT(1e-5, exp);
  EXPECT_NEAR_EXACT(1e-5, exp2);
  EXPECT_NEAR_EXACT(1e-5, exp10);
  EXPECT_NEAR_EXACT(1e-5, log);
  EXPECT_NEAR_EXACT(1e-5, log2);
  EXPECT_NEAR_EXACT(1e-5, log10);
  EXPECT_NEAR_EXACT(1e-5, sin);
  EXPECT_NEAR_EXACT(1e-5, cos);
  EXPECT_NEAR_EXACT(1e-2, tan);  // beside its pole
  EXPECT_NEAR_EXACT(1e-5, tanh);
  EXPECT_NEAR_EXACT(1e-6, sqrt);
  EXPECT_NEAR_EXACT(1e-6, rsqrt);
  expect_near("pow", 1e-5, [](const kr::value<float>& x) {
    return std::pair(kr::value<float>(kr::pow(x, 1.7f)),
                     kr::value<float>(kr::approx::pow(x, 1.7f)));
  });
  expect_near("divide", 1e-6, [](const kr::value<float>& x) {
    return std::pair(kr::value<float>(2 / x), kr::value<float>(kr::approx::divide(2, x)));
  });
  expect_near("sincos", 1e-5, [](const kr::value<float>& x) {
    const auto [s, c] = kr::approx::sincos(x);
    return std::pair(kr::sin(x) + kr::cos(x), kr::value<float>(s + c));
  });
}

TEST(Approximations, of_plain_values_are_exact) {
  EXPECT_EQ(kr::approx::exp(1.25f), kr::exp(1.25f));
  EXPECT_EQ(kr::approx::pow(1.25, 3), kr::pow(1.25, 3));
  EXPECT_EQ(kr::approx::divide(1, 3.0f), 1 / 3.0f);
  EXPECT_EQ(kr::approx::sincos(0.5f).cos, kr::cos(0.5f));
}

}  // namespace
