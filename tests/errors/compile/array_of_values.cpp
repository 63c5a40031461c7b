// error: krait: a kr::value is immutable and must be initialised: give it a value, or declare a kr::var, as in kr::var<float> a[4] or std::array<kr::var<float>, 4>
#include <array>

#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> y) {
#ifdef RIGHT
  std::array<kr::var<float>, 4> taps;
  const std::array<kr::value<float>, 2> known{y[0], y[1]};
#else
  std::array<kr::value<float>, 4> taps;
  const std::array<kr::value<float>, 2> known{y[0], y[1]};
#endif
  for (int i = 0; i < 2; ++i) taps[unsigned(i)] = known[unsigned(i)] * 0.5f;
  y[2] = taps[0] + taps[1];
}
