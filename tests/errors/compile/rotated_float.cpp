// error: krait: this function takes integers, not bools or floats: convert with kr::cast<unsigned>(v)
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> y) {
#ifdef RIGHT
  y[0] = kr::rotl(kr::cast<unsigned>(y[1]), 3);
#else
  y[0] = kr::rotl(y[1], 3);
#endif
}
