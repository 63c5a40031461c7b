// error: krait: this function takes integers, not bools or floats: convert with kr::cast<unsigned>(v)
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<int> y) {
#ifdef RIGHT
  y[0] = kr::popcount(kr::cast<unsigned>(y[1] > 0));
#else
  y[0] = kr::popcount(y[1] > 0);
#endif
}
