// error: a kr::value is immutable and must be initialised: give it a value, or declare a kr::var
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> y) {
#ifdef RIGHT
  kr::var<kr::vec<float, 2>> v;
  kr::var<float> t;
#else
  kr::value<kr::vec<float, 2>> v;
  kr::value<float> t;
#endif
  y[0] = t + v.x;
}
