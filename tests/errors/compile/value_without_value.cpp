// error: a kr::value is immutable and cannot be left to be assigned: declare it kr::var
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
