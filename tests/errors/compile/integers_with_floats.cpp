// error: krait: the array has integers and the result has floats: write n = kr::cast<int>(kr::round(n * 1.5)), or make it an array of floats
#include <krait/krait.h>
namespace kr = krait;

void f(kr::array<int>& n, kr::array<float>& x) {
#ifdef RIGHT
  n = kr::cast<int>(kr::round(n * 1.5));
  n += 1;
  x += 1.5;
#else
  n += 1.5;
  n(kr::range(0, 2)) *= x;
#endif
}
