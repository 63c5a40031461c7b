// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles as pairs of f32 (f64=double-single), on Dawn: how far results are from the host's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ir/text/text.h"
#include "passes/passes.h"
#include "support/runner.h"
#include "support/wanted.h"

namespace krait::test {
namespace {

template <class T>
std::vector<T> elements(const Argument& a) {
  std::vector<T> out(a.bytes.size() / sizeof(T));
  std::memcpy(out.data(), a.bytes.data(), a.bytes.size());
  return out;
}

class Doubles : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    device_ = find_device("webgpu", why);
    if (!device_) {
      if (missing("webgpu") == 1) FAIL() << why;
      GTEST_SKIP() << why;
    }
    target_ = device_->target();
    target_.web.doubles = true;
    const auto pair = [](double x) {
      return double(float(x)) + double(float(x - double(float(x))));
    };
    std::mt19937_64 draw(7);
    std::uniform_real_distribution<double> exponent(-40, 40), digits(1, 2);
    for (int i = 0; i < 4096; ++i) {
      const double size = std::ldexp(digits(draw), int(exponent(draw)));
      x_.push_back(pair(draw() & 1 ? -size : size));
      // Of the same size, too, so that digits cancel.
      y_.push_back(pair(draw() & 1 ? -x_.back() * (1 + std::ldexp(digits(draw), -20))
                                   : std::ldexp(digits(draw), int(exponent(draw)))));
    }
  }

  /// What `body` makes of %10 and %11, which are x[i] and y[i]: %12.
  template <class Result>
  std::vector<Result> run(const std::string& body, const std::string& type = "f64") {
    const std::string text = fmt::format(
        "kir 1\nkernel @doubles fp(native) (%0: view<f64, 1, const>, %1: view<f64, 1, const>, %2: view<{}, 1>) {{\n"
        "  %3: i64 = extent %0 {{0}}\n  grid_stride %3 {{\n  ^(%4: i64):\n    %10: f64 = load %0, %4\n    %11: f64 = load %1, "
        "%4\n{}    "
        "store.{} %2, %4, %12\n    continue\n  }}\n  return\n}}\n",
        type, body, type);
    const ir::ParseResult parsed = ir::parse(text);
    EXPECT_EQ(parsed.error, "") << text;
    ir::Module m = parsed.module;
    m.kernel().facts = {true, true, true, true};
    EXPECT_EQ(passes::run_pipeline(m, target_, true), "");
    std::vector<Argument> arguments{array(x_), array(y_), array(std::vector<Result>(x_.size()))};
    EXPECT_EQ(run_on(*device_, target_, m, line(16, 64), arguments), "") << text;
    return elements<Result>(arguments[2]);
  }

  /// The largest relative error in units of 2^-48.
  template <class Exact>
  double worst(const std::string& body, Exact exact) {
    const std::vector<double> got = run<double>(body);
    double most = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double want = exact(x_[i], y_[i]);
      const double error = want == got[i] ? 0 : std::fabs(got[i] - want) / std::fabs(want);
      if (!(error <= most)) most = error;
    }
    return std::ldexp(most, 48);
  }

  runtime::Device* device_ = nullptr;
  support::Target target_;
  std::vector<double> x_, y_;
};

TEST_F(Doubles, ErrorsAreBelowTheBounds) {
  EXPECT_EQ(worst("    %12: f64 = neg %10\n", [](double x, double) { return -x; }), 0);
  EXPECT_LE(worst("    %12: f64 = add %10, %11\n", [](double x, double y) { return x + y; }), 4);
  EXPECT_LE(worst("    %12: f64 = sub %10, %11\n", [](double x, double y) { return x - y; }), 4);
  EXPECT_LE(worst("    %12: f64 = mul %10, %11\n", [](double x, double y) { return x * y; }), 8);
  EXPECT_LE(worst("    %12: f64 = div %10, %11\n", [](double x, double y) { return x / y; }), 16);
  EXPECT_LE(worst("    %13: f64 = abs %10\n    %12: f64 = sqrt %13\n",
                  [](double x, double) { return std::sqrt(std::fabs(x)); }),
            16);
}

TEST_F(Doubles, WholeNumbersAndComparisonsAreExact) {
  EXPECT_EQ(worst("    %12: f64 = floor %10\n", [](double x, double) { return std::floor(x); }), 0);
  EXPECT_EQ(worst("    %12: f64 = ceil %10\n", [](double x, double) { return std::ceil(x); }), 0);
  EXPECT_EQ(worst("    %12: f64 = trunc %10\n", [](double x, double) { return std::trunc(x); }), 0);
  EXPECT_EQ(worst("    %12: f64 = rint %10\n", [](double x, double) { return std::rint(x); }), 0);
  EXPECT_EQ(
      worst("    %12: f64 = min %10, %11\n", [](double x, double y) { return std::fmin(x, y); }),
      0);
  EXPECT_EQ(
      worst("    %12: f64 = max %10, %11\n", [](double x, double y) { return std::fmax(x, y); }),
      0);
  const std::vector<std::int64_t> whole = run<std::int64_t>("    %12: i64 = cast %10\n", "i64");
  const std::vector<std::int32_t> less =
      run<std::int32_t>("    %13: bool = lt %10, %11\n    %12: i32 = cast %13\n", "i32");
  const std::vector<double> back =
      run<double>("    %13: i64 = cast %10\n    %12: f64 = cast %13\n");
  const std::vector<float> single = run<float>("    %12: f32 = cast %10\n", "f32");
  for (std::size_t i = 0; i < x_.size(); ++i) {
    ASSERT_EQ(whole[i], std::int64_t(x_[i])) << x_[i];
    ASSERT_EQ(less[i], x_[i] < y_[i]) << x_[i] << ' ' << y_[i];
    ASSERT_EQ(back[i], std::trunc(x_[i])) << x_[i];
    ASSERT_EQ(single[i], float(x_[i])) << x_[i];
  }
}

TEST_F(Doubles, WhatIsNoNumberOrTooLarge) {
  const double infinity = INFINITY;
  x_ = {0, -0.0, infinity, -infinity, NAN, 1e300, -1e300, 1e-300, 1 + 0x1p-52, 9e18, -9e18};
  y_ = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
  const std::vector<double> negated = run<double>("    %12: f64 = neg %10\n"),
                            expected{-0.0,     0,    -infinity, infinity, NAN, -infinity,
                                     infinity, -0.0, -1,        -9e18,    9e18};
  const std::vector<double> sums = run<double>("    %12: f64 = add %10, %11\n"),
                            quotients = run<double>("    %12: f64 = div %10, %11\n");
  const std::vector<double> products = run<double>("    %12: f64 = mul %10, %11\n");
  EXPECT_EQ(products[2], infinity);
  EXPECT_EQ(products[6], -infinity);
  const std::vector<std::int32_t> whole = run<std::int32_t>("    %12: i32 = cast %10\n", "i32");
  for (std::size_t i = 0; i < x_.size(); ++i) {
    if (std::isnan(x_[i])) {
      EXPECT_TRUE(std::isnan(negated[i]) && std::isnan(sums[i]) && std::isnan(quotients[i]));
      continue;
    }
    const bool exact = expected[i] == 0 || std::isinf(expected[i]);
    EXPECT_TRUE(exact ? negated[i] == expected[i]
                      : std::fabs(negated[i] / expected[i] - 1) < 0x1p-47)
        << x_[i] << ' ' << negated[i];
    EXPECT_TRUE(!std::isinf(expected[i]) || sums[i] == -expected[i]) << x_[i] << ' ' << sums[i];
  }
  EXPECT_EQ(quotients[2], infinity);
  EXPECT_EQ(quotients[9], infinity);
  EXPECT_EQ(quotients[10], -infinity);
  EXPECT_EQ(whole, (std::vector<std::int32_t>{0, 0, INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MIN,
                                              0, 1, INT32_MAX, INT32_MIN}));
}

}  // namespace
}  // namespace krait::test
