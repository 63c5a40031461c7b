// error: krait: std::sin is for plain numbers: on traced values write kr::sin
// error: krait: std::max is for plain numbers: on traced values write kr::max
// error: krait: std::min is for plain numbers: on traced values write kr::min
// error: krait: std::pow is for plain numbers: on traced values write kr::pow
// error: krait: std::fabs is for plain numbers: on traced values write kr::abs
// error: krait: std::clamp is for plain numbers: on traced values write kr::clamp
#include <krait/krait.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace kr = krait;

auto f() {
  return kr::vectorize([](auto a, auto b) {
#ifdef RIGHT
    // Plain numbers stay std's, and so do other types.
    const double plain = std::sin(1.0) + std::max(1.0, 2.0) + std::pow(2.0f, 2) + std::abs(-1) + std::fabs(std::clamp(3.0, 0.0, 1.0));
    const std::complex<double> z = std::sqrt(std::complex<double>(plain)) + std::pow(std::complex<double>(1), 2);
    return kr::sin(a) + kr::max(a, 0.0f) + kr::min(a, b) + kr::pow(a, 2.0f) + kr::abs(b) + kr::clamp(a, 0.0f, 1.0f) + float(z.real());
#else
    auto s = std::sin(a);
    auto larger = std::max(a, 0.0f);
    auto smaller = std::min(a, b);
    auto p = std::pow(a, 2.0f);
    auto m = std::fabs(b);
    auto c = std::clamp(a, 0.0f, 1.0f);
    return s + larger + smaller + p + m + c;
#endif
  });
}
int main() {
  std::vector<float> x{1};
  f()(x, x);
}
