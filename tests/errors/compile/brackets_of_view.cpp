// error: krait: x[i] is one number: views and arrays of several dimensions have x(i, j) for x[i][j]
#include <krait/krait.h>
namespace kr = krait;

void f(kr::view<float, 2> x) {
#ifdef RIGHT
  x(0, 1) = 1.0f;
#else
  x[0][1] = 1.0f;
#endif
}
