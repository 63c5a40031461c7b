// error: krait: std::swap takes no elements of a view: write kr::swap(x[i], x[j])
#include <krait/krait.h>

#include <utility>

namespace kr = krait;

void f(kr::view<float> x) {
#ifdef RIGHT
  kr::swap(x[0], x[1]);
  swap(x[0], x[1]);
  kr::var a = x[0], b = x[1];
  std::swap(a, b);
#else
  std::swap(x[0], x[1]);
#endif
}
