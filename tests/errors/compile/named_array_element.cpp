// error: krait: `auto v = x(i)` names the element of the array: write x(i) = y to change it, or declare `float v = x(i)` for a variable
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<float>& x, kr::array<float>& y) {
#ifdef RIGHT
  float v = x(0);
  v += 1.0f;
  x(0) = v;
  x(1) += y(1);
#else
  auto v = x(0);
  v = 2.0f;
  for (auto each : x) each *= 2.0f;
#endif
}
