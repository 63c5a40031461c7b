// error: krait: ^ needs integers, and is not a power: that is kr::pow(x, y)
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float> x, kr::view<int> n) {
#ifdef RIGHT
  x[0] = kr::pow(x[0], 2);
  n[0] = n[1] ^ 2, n[0] ^= n[1];
#else
  x[0] = x[0] ^ 2;
  x[0] ^= 2;
#endif
}
